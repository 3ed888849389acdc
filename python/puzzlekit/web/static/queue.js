// A queue of actions: a move waits until the one before is done. No move waits for a search.

import { byId, make } from "./dom.js";
import { Long } from "./long.js";

/**
 * Shows a message, which screen readers read aloud; only they do if `isSeen`, since the words stand elsewhere, too.
 * `more` is for them alone.
 */
export function say(words, isSeen = false, more = "") {
  const [first, ...others] = words.split(/(?<=\.)(?= )/); // the first sentence is the loudest
  const spans = { then: others.join(""), quiet: more };
  const rest = Object.entries(spans).filter(([, text]) => text);
  byId("status").replaceChildren(first, ...rest.map(([name, text]) => make("span", { class: name }, text)));
  byId("status").classList.toggle("quiet", isSeen);
}

/** Shows an error; without a message, hides the last one. */
export function fault(message = "") {
  byId("fault").textContent = message;
  byId("fault").hidden = !message;
}

let last = Promise.resolve();
let busy = 0;

/** Runs an action after all earlier ones. Stops a running search, unless it is the opponent's. */
export function then(action) {
  if (searching.running?.verb !== "reply") searching.stop();
  count(1);
  last = last
    .then(action)
    .catch(failed)
    .finally(() => count(-1));
  return last;
}

function failed(error) {
  if (error.name === "AbortError") say("Cancelled.");
  else fault(error.message);
}

/** Notes in the page how many actions are under way; tests wait for 0. */
function count(more) {
  busy += more;
  document.documentElement.dataset.busy = busy;
  byId("board")?.setAttribute("aria-busy", String(busy > 0));
}

const searching = new Long(byId("search"), "Searching");

/** Asks for something that may take long. There is one search at a time; the next one stops it. */
export const search = (verb, fields, options) => searching.ask(verb, fields, options);
