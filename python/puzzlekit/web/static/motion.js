// The motion of a board from one position to the next, computed from these two alone. A piece that is the only one of
// its kind slides from its old cell to its new one, on an arc if several pieces go around a centre. Any other symbol
// that changes is turned over, or grows if its cell was empty. Nothing moves if the person prefers less motion.
//
// Take three cells, `1 2 .`, and then `1 . 2`. Only one piece is a 2, so it slides one cell to the right.

import { placed } from "./draw.js";

const SCALE = 48; // units of the picture in a cell, as in draw.js
export const SLIDE = 150; // milliseconds
const FLIP = 170;
const LATER = 28; // milliseconds for each cell of distance from what was pressed
const STEPS = 8; // places on an arc

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Moves the pieces of a board, which is drawn already, from where they were.
 * @param {SVGElement} svg The board.
 * @param {object} view The view.
 * @param {string[]} before The symbol of each cell before.
 * @param {string[]} after The symbol of each cell now.
 * @param {number | null} from The cell that was pressed; nothing for other moves.
 */
export function move(svg, view, before, after, from) {
  if (isStill()) return;
  const pieces = new Map([...svg.querySelectorAll(".piece")].map((piece) => [Number(piece.dataset.at), piece]));
  const [old, now] = [alone(before), alone(after)];
  const [starts, ends] = [placed(view, before), placed(view, after)];
  const changed = after.map((_, cell) => cell).filter((cell) => before[cell] !== after[cell]);
  const isSeen = (symbol) => view.looks[symbol].shape !== "none";
  const isAlone = (symbol) => now.get(symbol) >= 0 && old.get(symbol) >= 0;
  const isPiled = starts !== view.cells; // then a cell is a piece, and its symbol is the pile it lies on
  const slides = changed.filter((cell) => isPiled || (isSeen(after[cell]) && isAlone(after[cell])));
  const start = (cell) => starts[isPiled ? cell : old.get(after[cell])];
  const ways = slides.map((cell) => ({ cell, from: start(cell), to: ends[cell] }));
  const centre = centreOf(ways);
  for (const { cell, from: start, to } of ways) {
    const frames = centre ? arc(start, to, centre) : [start, to];
    const shifts = frames.map(({ x, y }) => ({ transform: shift(x - to.x, y - to.y) }));
    pieces.get(cell).animate(shifts, { duration: SLIDE, easing: "ease-out" });
  }
  const pressed = from === null ? null : view.cells[from];
  for (const cell of changed.filter((each) => !slides.includes(each) && isSeen(after[each]))) {
    const spot = view.cells[cell];
    const delay = pressed ? LATER * Math.hypot(spot.x - pressed.x, spot.y - pressed.y) : 0;
    const begin = isSeen(before[cell]) ? "scaleX(0)" : "scale(0.2)";
    const frames = [{ transform: begin }, { transform: "none" }];
    pieces.get(cell).animate(frames, { duration: FLIP, delay, fill: "backwards", easing: "ease-out" });
  }
}

/** For each symbol, its cell if it is in one cell only, and otherwise -1. */
function alone(cells) {
  const places = new Map();
  cells.forEach((symbol, cell) => places.set(symbol, places.has(symbol) ? -1 : cell));
  return places;
}

/** The centre around which at least three pieces go, if each keeps its distance from it; null if there is none. */
function centreOf(ways) {
  if (ways.length < 3) return null;
  const middle = (axis) => ways.reduce((sum, { to }) => sum + to[axis], 0) / ways.length;
  const centre = { x: middle("x"), y: middle("y") };
  const far = ({ x, y }) => Math.hypot(x - centre.x, y - centre.y);
  return ways.every(({ from, to }) => Math.abs(far(from) - far(to)) < 0.01 && far(to) > 0.1) ? centre : null;
}

/** Places on the shorter arc around a centre. */
function arc(from, to, centre) {
  const angle = ({ x, y }) => Math.atan2(y - centre.y, x - centre.x);
  const radius = Math.hypot(to.x - centre.x, to.y - centre.y);
  const begin = angle(from);
  const turn = Math.atan2(Math.sin(angle(to) - begin), Math.cos(angle(to) - begin));
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const at = begin + (turn * step) / STEPS;
    return { x: centre.x + radius * Math.cos(at), y: centre.y + radius * Math.sin(at) };
  });
}

export const shift = (across, down) => `translate(${across * SCALE}px, ${down * SCALE}px)`;
