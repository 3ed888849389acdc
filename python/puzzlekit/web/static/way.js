// A play that is over, as a row of small boards: the first, the last, and some between.

import { ask } from "./ask.js";
import { byId, drawn, make } from "./dom.js";
import { draw } from "./draw.js";

const MOST = 8; // boards

/**
 * Shows the small boards in the card at the end of play.
 * @param {object} puzzle The puzzle.
 * @param {object} play What was played.
 */
export async function way(puzzle, play) {
  const { start, moves } = play;
  const { history } = await ask("play", { puzzle: puzzle.puzzle, state: start, moves, history: true });
  if (play.moves !== moves) return; // another board is there already
  const last = history.length - 1;
  const count = Math.min(MOST, history.length);
  const places = Array.from({ length: count }, (_, at) => Math.round((at * last) / Math.max(count - 1, 1)));
  const boards = places.map((place) => {
    const svg = drawn("svg", { "aria-hidden": "true" });
    draw(svg, puzzle.view, history[place].cells);
    return make("li", {}, svg, make("span", {}, place ? `move ${place}` : "start"));
  });
  byId("way").replaceChildren(...boards);
  byId("way").hidden = false;
}
