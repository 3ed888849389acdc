// Moves by hand: the gestures that can be made in a state, as `view/view.py` finds them.

import { tallied } from "./rules.js";

const KINDS = ["press", "drag", "point", "button", "key"];

/** Returns true if the guard of a move holds in a state. */
const fits = ({ player = null, when = [], equal = [], different = [] }, cells, mover) =>
  (!mover || !player || player === mover) &&
  when.every(([cell, held]) => held.includes(cells[cell])) &&
  equal.every(([a, b]) => cells[a] === cells[b]) &&
  different.every(([a, b]) => cells[a] !== cells[b]);

/** The gestures that can be made in a state, and the moves that each can make. */
export function live(rules, cells, mover, legal) {
  const names = new Set(legal);
  return rules.data.gestures.flatMap(({ options }, gesture) => {
    const fitting = options.filter((option) => names.has(option.move) && fits(option, cells, mover));
    const moves = [...new Set(fitting.map(({ move }) => move))];
    return moves.length ? [{ gesture, moves }] : [];
  });
}

/** If presses undo themselves: the cells that were pressed so that it still counts, such as once or three times. */
export function marked(rules, moves) {
  const { period, gestures } = rules.data;
  if (!period) return [];
  const times = tallied(moves);
  const pressed = ({ moves: made }) => made.reduce((sum, move) => sum + (times.get(move) ?? 0), 0) % period;
  return gestures
    .filter((gesture) => gesture.kind === "press" && gesture.cells.length === 1 && pressed(gesture))
    .map(({ cells }) => cells[0]);
}

/** How a move is made by hand: words, the cells to touch, and the gesture; null if no gesture makes it. */
export function byHand(rules, cells, mover, move) {
  const chances = live(rules, cells, mover, [move]);
  if (!chances.length) return null;
  const rank = ({ gesture }) => KINDS.indexOf(rules.data.gestures[gesture].kind);
  const place = chances.reduce((best, chance) => (rank(chance) < rank(best) ? chance : best)).gesture;
  const gesture = rules.data.gestures[place];
  const named = gesture.cells.map((cell) => rules.data.cells[cell] || `cell ${cell + 1}`);
  if (gesture.kind === "press") return { words: `press ${named[0]}`, cells: gesture.cells.slice(0, 1), place };
  if (gesture.kind === "drag") return { words: `move from ${named[0]} to ${named[1]}`, cells: gesture.cells, place };
  if (gesture.kind === "key") {
    const arrow = gesture.key.replace(/^Arrow/, "");
    const words = arrow === gesture.key ? `press ${arrow}` : `press the arrow ${arrow.toLowerCase()}`;
    return { words, cells: [], place };
  }
  return { words: `${gesture.kind === "point" ? "turn" : "press"} ${gesture.label || move}`, cells: [], place };
}
