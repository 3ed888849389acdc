// The board at the end of play: a wave over it, and the row of pieces that won.

import { isStill, shift, SLIDE } from "./motion.js";

const MARGIN = 20; // pixels above the board
const ROW = 3; // the fewest pieces that make a row
const WAYS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/**
 * Shows the end of play: a wave, and in a game the row that won, if the last move made one.
 * @param {object} board The board.
 * @param {object} position The last position.
 * @param {string[]} before The symbol of each cell before the last move.
 */
export function end({ svg, view, cells: buttons, position: now }, position, before) {
  if (now !== position) return; // another board is there already
  wave(svg, view);
  // On a phone, the card stands below the board: both are seen if the board is at the top.
  if (matchMedia("(max-width: 71.99rem)").matches) {
    const top = svg.getBoundingClientRect().top - MARGIN;
    scrollBy({ top, behavior: isStill() ? "instant" : "smooth" });
  }
  const { cells, moment } = position;
  const last = cells.findIndex((symbol, cell) => symbol !== before[cell]);
  const isWon = last >= 0 && view.players.includes(moment.why);
  for (const cell of isWon ? rowThrough(view, cells, last) : []) buttons[cell].classList.add("won");
}

/**
 * The cells of the rows of equal symbols that go through the cell of the last move; none if all these rows are short.
 * @param {object} view The view.
 * @param {string[]} cells The symbol of each cell.
 * @param {number} last The cell.
 */
function rowThrough(view, cells, last) {
  const at = new Map(view.cells.map((spot) => [`${spot.x} ${spot.y}`, spot.cell]));
  const { x, y } = view.cells[last];
  return WAYS.flatMap(([across, down]) => {
    const found = [last];
    for (const sign of [1, -1]) {
      for (let far = sign; ; far += sign) {
        const other = at.get(`${x + across * far} ${y + down * far}`);
        if (other === undefined || cells[other] !== cells[last]) break;
        found.push(other);
      }
    }
    return found.length < ROW ? [] : found;
  });
}

/** A wave over the board, for the end. */
function wave(svg, view) {
  if (isStill()) return;
  for (const piece of svg.querySelectorAll(".piece")) {
    const { x, y } = view.cells[Number(piece.dataset.at)];
    const frames = [{ transform: "none" }, { transform: shift(0, -0.16) }, { transform: "none" }];
    piece.animate(frames, { duration: 420, delay: SLIDE + 45 * (x + y), easing: "ease-in-out" });
  }
}
