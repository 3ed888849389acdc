// The review of a play that is over: a strip of the person's moves, each coloured by its cost. A press of a move shows
// the board before it, and the best move there.
//
// In a puzzle, the cost is the number of moves that were lost. Let the goal be 5 moves away: a move after which it is 4
// moves away costs none, and a move after which it is 6 away costs two. In a game, the cost is how far the value got
// worse, from win over draw to loss.

import { ask, counted } from "./ask.js";
import { byId, drawn, make } from "./dom.js";
import { draw } from "./draw.js";
import { mover } from "./words.js";

const PICTURED = 12; // the most moves of a play whose boards are shown

const RANKS = { loss: 0, draw: 1, win: 2 };
const TURNED = { loss: "win", draw: "draw", win: "loss" };

/**
 * Shows the review of a play.
 * @param {object} puzzle The puzzle.
 * @param {object} play What was played.
 * @param {(place: number) => void} look Shows the board at a place in the history.
 */
export async function review(puzzle, play, look) {
  const { start, moves, own } = play;
  const { history, moment } = await ask("play", { puzzle: puzzle.puzzle, state: start, moves, history: true });
  const strip = byId("review");
  strip.replaceChildren();
  strip.hidden = false;
  byId("end").classList.add("reviewed");
  const few = own.filter(Boolean).length <= PICTURED;
  let before = await worth(puzzle, history[0].state);
  for (let place = 0; place < moves.length && play.moves === moves; place += 1) {
    const isLast = place + 1 === moves.length;
    const after = isLast ? end(puzzle, moment) : await worth(puzzle, history[place + 1].state);
    const [now, then] = [history[place].state, isLast ? moment.state : history[place + 1].state];
    const again = puzzle.game && mover(now) === mover(then); // a move that keeps the turn
    const picture = few ? [small(puzzle, history[place + 1].cells)] : [];
    const button = () => shown(moves[place], place, cost(puzzle, before, after, again), look);
    if (own[place]) strip.append(make("li", {}, ...picture, button()));
    before = after;
  }
  byId("told").textContent = `${summed()}${explained(puzzle)}`;
}

/** What the number on a move means, said once: that of the first move that has one; nothing if all were the best. */
function explained({ game }) {
  const sign = [...byId("review").querySelectorAll("small")].find(({ textContent: text }) => text.startsWith("+"));
  if (!sign) return "";
  const lost = Number(sign.textContent);
  const words = game ? `${counted(lost, "step")} down from win over draw to loss` : `${counted(lost, "move")} longer`;
  return ` ${sign.textContent}: ${words}${game ? "" : " than needed"}.`;
}

/** The value of a state: the moves that are left, and in a game who wins; null if it is not known. */
async function worth(puzzle, state) {
  try {
    const { left, proven, value } = await ask("hint", { puzzle: puzzle.puzzle, state, strength: 1 });
    return puzzle.game || proven ? { left, value } : null;
  } catch {
    return null;
  }
}

/** The value of a state in which play is over, for the player to move. */
function end(puzzle, { why, state }) {
  if (!puzzle.game) return why === "solved" ? { left: 0 } : null;
  if (!puzzle.players.includes(why)) return { value: "draw" };
  return { value: why === mover(state) ? "win" : "loss" };
}

/** The cost of a move: moves in a puzzle, steps from win over draw to loss in a game; null if it is not known. */
function cost(puzzle, before, after, again) {
  if (!before || !after) return null;
  if (!puzzle.game) return after.left + 1 - before.left;
  return RANKS[before.value] - RANKS[again ? after.value : TURNED[after.value]];
}

function shown(move, place, lost, look) {
  const kinds = ["best", "slip"];
  const kind = lost === null ? "unknown" : (kinds[lost] ?? "blunder");
  const told = { best: "the best", unknown: "not known" }[kind] ?? `cost ${lost}`;
  return make(
    "button",
    { type: "button", class: kind, "aria-label": `${move}, move ${place + 1}: ${told}`, onclick: () => look(place) },
    move,
    make("small", {}, lost ? `+${lost}` : lost === 0 ? "✓" : "?"),
  );
}

/** The board after a move. */
function small({ view }, cells) {
  const svg = drawn("svg", { "aria-hidden": "true" });
  draw(svg, view, cells);
  return svg;
}

/** The review as a row of squares, for a text to share. */
export function squares() {
  const signs = { best: "🟩", slip: "🟨", blunder: "🟥", unknown: "⬜" };
  return [...byId("review").querySelectorAll("button")].map((button) => signs[button.className]).join("");
}

/** A sentence about a review: how many moves were the best ones. */
export function summed() {
  const made = byId("review").querySelectorAll("button").length;
  const best = byId("review").querySelectorAll(".best").length;
  return `${best} of ${counted(made, "move")} ${best === 1 ? "was" : "were"} the best there.`;
}
