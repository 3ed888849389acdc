// The ways to make moves by hand, and the keys of a puzzle, in words.

import { isFamily } from "./board.js";
import { byId, make } from "./dom.js";
import { hands } from "./words.js";

/**
 * Fills "Moves and keys".
 * @param {object} view The view.
 * @param {string[]} letters The letters with which moves can be made.
 * @param {boolean} isBack Whether arrows go through the history.
 */
export function keys(view, letters, isBack) {
  const arrows = view.gestures.some(({ kind, key }) => kind === "key" && key.startsWith("Arrow"));
  const kinds = new Set(view.gestures.map(({ kind }) => kind));
  const families = view.gestures.some(({ moves }) => isFamily(moves));
  const more = families ? " A press makes the first of several turns; a long press asks which." : "";
  byId("hands").textContent = `To move, ${hands(view).join("; or ")}.${more}`;
  const rows = [
    [arrows ? "Arrows" : "", "make moves, from anywhere on the page"],
    [arrows ? "Shift and arrows" : "Arrows", "go from cell to cell"],
    [kinds.has("point") ? "Arrows" : "", "on a round button, go to the next one; Tab leads to them"],
    [kinds.has("press") ? "Enter or Space" : "", "press the cell"],
    [kinds.has("drag") ? "Enter or Space" : "", "choose the cell, and then where it goes"],
    [letters.join(" "), "make the moves of these names"],
    [families ? "Shift" : "", "with a letter or a press, makes the second of several turns"],
    [kinds.has("drag") ? "Escape" : "", "put down what was chosen"],
    [isBack ? "Left, Right" : "", "outside the board, go back and on through the moves"],
    ["Ctrl+Z, Ctrl+Y", "undo, redo"],
  ];
  byId("keys").append(
    ...rows.filter(([key]) => key).flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]),
  );
}
