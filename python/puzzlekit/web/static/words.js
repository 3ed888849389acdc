// The texts about a play. These functions only make texts.

import { counted } from "./ask.js";

/** Whether a number is there. */
export const known = (number) => number !== null && number !== undefined;

/** The title of a board: that of a day, a number or a seed, the usual start, or a board that was set up. */
export function title({ daily, seed, number }, now, isUsual) {
  const seeded = seed ? `Board of the seed “${seed}”` : isUsual ? "Standard start" : "Custom board";
  const which = daily ? `Board of ${daily}` : number ? `Board ${number}` : seeded;
  return which && known(now) && !number ? `${which}, number ${now}` : which;
}

/**
 * The number of moves that were made, and the fewest moves or bounds on them. Each entry is a label, a value, and small
 * words under it. `least` is a bound that a search has proven so far.
 */
export function counts(puzzle, { made, counted: count }, fewest, least) {
  if (puzzle.game) return made.length ? [["Moves", String(made.length)]] : [];
  return [["Your moves", String(count)], beside(fewest, least)];
}

function beside(found, least) {
  if (!found) return ["The fewest", least > 1 ? `${least}+` : "…", "still counting"];
  if (known(found.fewest)) return ["The fewest", String(found.fewest)];
  if (found.solvable === false) return ["This cannot be solved", found.why];
  const { at_least: low, at_most: high } = found;
  if (known(high)) return ["The fewest", low ? `${low} to ${high}` : `≤ ${high}`, "bounds; not known"];
  if (low) return ["The fewest", `${low}+`, "a bound; not known"];
  return ["The fewest are not known", found.why || "no answer"];
}

const HANDS = {
  press: "press a cell",
  drag: "drag from cell to cell, or press one and then the other",
  point: "press a round button, which are on the board",
  button: "press a button, which are below the board",
};
const PIECES = { none: "an empty cell", tile: "a tile", disk: "a disk", lamp: "a lamp" };

/** The ways in which moves are made by hand, in words. */
export function hands({ gestures }) {
  const kinds = new Set(gestures.map(({ kind }) => kind));
  return Object.keys(HANDS)
    .filter((kind) => kinds.has(kind))
    .map((kind) => HANDS[kind]);
}

/** How to make the first move, in words: they name what is pressed or dragged, if that is always the same. */
function beginning({ gestures, looks, body, joins, cells: spots }, { cells, chances }) {
  const live = chances.map(({ gesture }) => gestures[gesture]);
  const hand = Object.keys(HANDS).find((name) => live.some(({ kind }) => kind === name));
  if (body.length && ["press", "point"].includes(hand)) return "press a face";
  const held = live.flatMap((each) => (each.kind === hand ? each.cells.slice(0, hand === "drag" ? 1 : undefined) : []));
  const shapes = new Set(held.map((cell) => (spots[cell].shape === "stack" ? "disk" : looks[cells[cell]].shape)));
  const piece = held.length && joins.length ? "a block" : shapes.size === 1 && PIECES[[...shapes][0]];
  return piece ? `${hand} ${piece}` : HANDS[hand]?.split(",")[0];
}

/** From which pile to which a move took a piece; otherwise what is on its button, or its name. */
function way({ cells: spots, looks, gestures }, { moment, cells }, before) {
  const at = spots[0].shape === "stack" ? cells.findIndex((symbol, cell) => before && symbol !== before[cell]) : -1;
  const told = (symbol) => looks[symbol].text || symbol;
  const button = gestures.find(
    ({ kind, moves: [move, other] }) => kind === "button" && !other && move === moment.last,
  );
  return at < 0 ? (button?.label ?? moment.last) : `from ${told(before[at])} to ${told(cells[at])}`;
}

/**
 * A sentence about how play stands. `side` is the player whom the person plays, if there is an opponent, and `before`
 * has the cells before the last move, if they are known.
 */
export function standing(puzzle, here, place, side, before) {
  const { moment } = here;
  const moved = moment.last === null ? "" : `Move ${place}: ${way(puzzle.view, here, before)}. `;
  if (moment.over) return `${moved}${ending(puzzle, moment, side)}`;
  if (moment.player) return `${moved}${named(puzzle.view, moment.player)} to move.`;
  const first = beginning(puzzle.view, here);
  return moved.trim() || (first ? `To begin, ${first}.` : "");
}

/** What people call a player: as the player's pieces, such as Red, if these have a name. */
export function named({ looks }, player) {
  const name = looks[player]?.name;
  return name ? name[0].toUpperCase() + name.slice(1) : player;
}

/** A sentence about how play has ended. */
export function ending(puzzle, { why, counted: count }, side) {
  if (puzzle.game && !puzzle.players.includes(why)) return `The game is over: ${why}.`;
  const wins = `${named(puzzle.view, why)} wins`;
  if (puzzle.game) return side ? `${wins}: you ${why === side ? "won" : "lost"}.` : `${wins}.`;
  return why === "solved" ? `Solved in ${counted(count, "move")}.` : `No move is left (${why}).`;
}

/** The words of the card at the end of play. */
export function end(puzzle, moment, fewest, side) {
  if (puzzle.game || moment.why !== "solved" || !known(fewest?.fewest)) return ending(puzzle, moment, side);
  const beside = moment.counted === fewest.fewest ? ", the fewest possible" : `; ${fewest.fewest} are enough`;
  return `Solved in ${counted(moment.counted, "move")}${beside}.`;
}

/** The name of a move for people. If it is the number of a cell, the name of the cell is added. */
export function placed({ gestures, cells }, move) {
  const pressed = gestures.find(({ kind, moves }) => kind === "press" && moves.includes(move))?.cells ?? [];
  return (/^\d+$/.test(move) && pressed.length === 1 && cells[pressed[0]].name) || move;
}

/** The player to move, as the text of a game's state names it. */
export const mover = (state) => state.slice(state.lastIndexOf(":") + 1);
