// The values of moves on the board: on each cell and button the value of its best move.

import { make } from "./dom.js";
import { isLine } from "./draw.js";

/** The word of each value of a move. Where there is no room for it stands its first letter. */
const WORDS = { win: "Win", draw: "Draw", loss: "Loss" };

/**
 * Shows the value of each move.
 * @param {object} board The board.
 * @param {Map<string, object> | null} values The values by the names of the moves; nothing hides all values.
 */
export function weigh(board, values) {
  board.values = values; // with values, a press of a piece that is dragged counts, too
  const show = (element, moves, isEmpty = false) => {
    element.classList.remove("win", "draw", "loss", "better", "worse", "tinted");
    element.querySelector(".worth")?.remove();
    const known = moves.map((move) => values?.get(move)).filter((value) => value);
    if (!known.length) return;
    const best = known.reduce((a, b) => (b.order < a.order ? b : a));
    const [word, letter] = WORDS[best.value] ? [WORDS[best.value], WORDS[best.value][0]] : Array(2).fill(best.value);
    element.classList.add(best.kind, ...(isEmpty ? ["tinted"] : []));
    element.append(make("span", { class: "worth" }, String(isEmpty ? word : letter)));
  };
  const { gestures } = board.view;
  // Of a column into which a disk falls, the last empty cell tells what it is worth, where the disk comes to lie.
  const isTold = (at, { kind, cells }) =>
    kind !== "press" || (cells.findLast((each) => board.isEmpty(each)) ?? at) === at;
  board.cells.forEach((cell, at) =>
    show(
      cell,
      board.pressed(at).flatMap(({ gesture, moves }) => (isTold(at, gestures[gesture]) ? moves : [])),
      board.isEmpty(at) && !isLine(board.view.cells[at]),
    ),
  );
  for (const [place, element] of board.extra) show(element, board.movesOf(place));
  board.label();
}
