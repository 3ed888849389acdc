// The texts about a play. These functions only make texts.

import { counted } from "./ask.js";

const known = (number) => number !== null && number !== undefined;

/** The title of a board: that of a day, a number or a seed, the usual start, or a board that was set up. */
export function title({ daily, seed, number }, now, isUsual) {
  const seeded = seed ? `Board of the seed “${seed}”` : isUsual ? "The usual start" : "A board of its own";
  const which = daily ? `Board of ${daily}` : number ? `Board ${number}` : seeded;
  return which && known(now) && !number ? `${which}, number ${now}` : which;
}

/**
 * The number of moves that were made, and the fewest moves or bounds on them. Each entry is a label and a value.
 */
export function counts(puzzle, moment, fewest, done = "") {
  if (puzzle.game) return [["Moves", String(moment.made.length)]];
  return [["Your moves", String(moment.counted)], beside(fewest, done)];
}

function beside(found, done) {
  if (!found) return ["The fewest", `being looked for${done && ` (${done})`}`];
  if (known(found.fewest)) return ["The fewest", String(found.fewest)];
  if (found.solvable === false) return ["This cannot be solved", found.why];
  const bounds = [];
  if (found.at_least) bounds.push(`at least ${found.at_least} are needed (a bound)`);
  if (known(found.at_most)) bounds.push(`${found.at_most} are enough (a bound)`);
  return ["The fewest are not known", bounds.join("; ") || found.why || "no answer"];
}

/** A sentence about how play stands. `side` is the player whom the person plays, if there is an opponent. */
export function standing(puzzle, moment, place, side) {
  const moved = moment.last === null ? "" : `Move ${place}: ${moment.last}. `;
  if (moment.over) return `${moved}${ending(puzzle, moment, side)}`;
  return `${moved}${moment.player ? `${moment.player} to move.` : moved ? "" : "Ready."}`.trim();
}

function ending(puzzle, { why, counted: count }, side) {
  if (puzzle.game && !puzzle.players.includes(why)) return `The game is over: ${why}.`;
  if (puzzle.game) return side ? `${why} wins: you ${why === side ? "won" : "lost"}.` : `${why} wins.`;
  return why === "solved" ? `Solved in ${counted(count, "move")}.` : `No move is left (${why}).`;
}

/** The words of the card at the end of play. */
export function end(puzzle, moment, fewest, side) {
  if (puzzle.game || moment.why !== "solved" || !known(fewest?.fewest)) return ending(puzzle, moment, side);
  const beside = moment.counted === fewest.fewest ? ", the fewest possible" : `; ${fewest.fewest} are enough`;
  return `Solved in ${counted(moment.counted, "move")}${beside}.`;
}

/** A result to share, without any part of the solution. */
export function result(puzzle, moment, { label, fewest, helped, side }) {
  const which = label.daily ? ` ${label.daily}` : label.number ? ` number ${label.number}` : "";
  const best = known(fewest?.fewest) ? ` (the fewest: ${fewest.fewest})` : "";
  const count = puzzle.game ? ending(puzzle, moment, side) : `${counted(moment.counted, "move")}${best}`;
  return `${puzzle.puzzle}${which}: ${count}${helped ? ", with help" : ""}`;
}

/** The name of a move for people. If it is the number of a cell, the name of the cell is added. */
export function placed({ gestures, cells }, move) {
  const pressed = gestures.find(({ kind, moves }) => kind === "press" && moves.includes(move))?.cells ?? [];
  return (/^\d+$/.test(move) && pressed.length === 1 && cells[pressed[0]].name) || move;
}

/** A hint in words. */
export function hint(found, view) {
  const cells = (found.cells ?? []).map((cell) => view.cells[cell].name || `cell ${cell + 1}`);
  const how = found.how ? found.how[0].toUpperCase() + found.how.slice(1) : `Make the move ${found.move}`;
  const where = found.move ? ` ${how}.` : cells.length ? ` Look at ${cells.join("; ")}.` : "";
  if (found.value && !known(found.left)) return `${value(found)} Best play can go on for ever.${where}`;
  const left = counted(found.left, "move");
  const ends = found.proven ? ` With best play, it ends in ${left}.` : "";
  if (found.value) return `${value(found)}${ends}${where}`;
  return `${found.proven ? "" : "At most "}${left} to the end.${where}`;
}

/** The value of a game's state in words. */
export const value = ({ value: name, score }) =>
  known(score)
    ? `Best play leaves who is to move ${points(score)}.`
    : { win: "Who is to move wins.", loss: "Who is to move loses.", draw: "It is a draw." }[name];

/** The player to move, as the text of a game's state names it. */
export const mover = (state) => state.slice(state.lastIndexOf(":") + 1);

/** Points of one player, less those of the other. */
export const points = (score) => (score ? `${Math.abs(score)} ${score > 0 ? "ahead" : "behind"}` : "even");

/** A sentence about a solution's length. `best` is the answer about the fewest moves, if there is one yet. */
export function solution(found, best) {
  const other = !best
    ? "; the fewest are being looked for"
    : known(best.fewest)
      ? `; the fewest are ${best.fewest}`
      : "";
  const bound = best?.at_least ? `; at least ${best.at_least} are needed (a bound)` : ", not proven the fewest";
  const first = found.value ? `${value(found)} ` : "";
  if (known(found.repeats)) return `${first}Best play can go on for ever, by ${found.solver}.`;
  const length = counted(found.length, "move");
  if (found.value || found.optimal) return `${first}${length}${found.value ? "" : ", the fewest"}, by ${found.solver}.`;
  // The solver's name is beside its own number, as the fewest moves, which follow, are another solver's.
  return `${length} by ${found.solver}${other || bound}.`;
}

/** A value as the board shows it: its rank among values, its kind, and words; null if it is not known. */
export function worth(puzzle, { value: now, score }, before) {
  if (now === null) return null;
  if (known(score)) return { value: score, order: -score, kind: now, words: points(score) };
  if (puzzle.game) return { value: now, order: ["win", "draw", "loss"].indexOf(now), kind: now, words: now };
  return { value: now, order: now, kind: now < before ? "better" : "worse", words: `${counted(now, "move")} then` };
}
