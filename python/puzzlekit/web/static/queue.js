// One thing after another: a move that is made while another is on its way waits for it. A search does not hold it up.

import { byId } from "./dom.js";
import { Long } from "./long.js";

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

/** Notes on the page how much is under way, for who waits for it. */
function count(more) {
  busy += more;
  document.documentElement.dataset.busy = busy;
  byId("board")?.setAttribute("aria-busy", String(busy > 0));
}

const searching = new Long(byId("search"), "Searching");

/** Asks for something that may take long. There is one search at a time; the next one stops it. */
export const search = (verb, fields, options) => searching.ask(verb, fields, options);
