// The marks of the move that is advised.

import { blockOf, hasHoles, outline, placed, rim, round, slab } from "./draw.js";

/**
 * Marks cells as the ones of the move that is advised: the loudest of all marks. Each mark has the shape of its cell,
 * of the block that is there, or of a disk.
 * @param {SVGElement} svg The board.
 * @param {object} view The view.
 * @param {string[]} cells The symbol of each cell.
 * @param {number[]} advised The cells to mark.
 */
export function advise(svg, view, cells, advised) {
  const spots = placed(view, cells);
  const around = (cell, about) => {
    const block = blockOf(view, cells, cell);
    if (block.length > 1) return outline(block.map((each) => spots[each]), about);
    if (spots[cell].shape === "stack") return slab(spots[cell], about);
    const isRound = hasHoles(view) || view.looks[cells[cell]].shape === "disk";
    return rim(isRound ? round(spots[cell]) : spots[cell], 0.9, about);
  };
  for (const name of ["advice casing", "advice"]) svg.append(...advised.map((cell) => around(cell, { class: name })));
}
