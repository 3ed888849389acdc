// One thing after another: a move that is made while another is on its way waits for it. A search does not hold it up.

import { ask, counted } from "./ask.js";
import { byId } from "./dom.js";

/** Says something, aloud too. */
export function say(words) {
  byId("status").textContent = words;
}

/** Says what went wrong; nothing does, without words. */
export function fault(message = "") {
  byId("fault").textContent = message;
  byId("fault").hidden = !message;
}

let last = Promise.resolve();
let busy = 0;

/** Does something after all that was to be done before. A search that runs is stopped, unless an opponent thinks. */
export function then(action) {
  if (running && running.verb !== "reply") running.abort();
  count(1);
  last = last.then(action).catch(failed).finally(() => count(-1));
  return last;
}

function failed(error) {
  if (error.name === "AbortError") say("Cancelled.");
  else fault(error.message);
}

/** Notes on the page how much is under way, for who waits for it. */
function count(more) {
  busy += more;
  document.documentElement.dataset.busy = busy;
}

let running = null;

/** Asks for something that may take long, with a line of progress and a button that stops it. */
export async function search(verb, fields) {
  stopSearch();
  const own = Object.assign(new AbortController(), { verb });
  running = own;
  const shown = setTimeout(() => (byId("search").hidden = false), 200);
  byId("progress").textContent = "Searching.";
  const progress = ({ states, depth }) => {
    byId("progress").textContent = `Searching: ${counted(states, "state")}${depth ? `, depth ${depth}` : ""}.`;
  };
  try {
    return await ask(verb, fields, { signal: own.signal, progress });
  } finally {
    clearTimeout(shown);
    if (running === own) {
      running = null;
      byId("search").hidden = true;
    }
  }
}

/** Stops the search that runs. */
export function stopSearch() {
  running?.abort();
}

byId("cancel").addEventListener("click", stopSearch);
addEventListener("pagehide", stopSearch);
