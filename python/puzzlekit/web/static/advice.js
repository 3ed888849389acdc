// The texts about what is known of a play: hints, values and solutions. These functions only make texts.

import { counted } from "./ask.js";
import { known } from "./words.js";

/** A hint in words. */
export function hint(found, view) {
  const cells = named(found, view);
  const how = found.how ? found.how[0].toUpperCase() + found.how.slice(1) : `Make the move ${found.move}`;
  const place = cells.length > 1 ? "the marks" : cells[0];
  const where = found.move ? ` ${how}.` : cells.length ? ` See ${place}.` : "";
  if (found.value && !known(found.left)) return `${value(found)} Best play can go on for ever.${where}`;
  const left = counted(found.left, "move");
  const ends = found.proven ? ` With best play, it ends in ${left}.` : "";
  if (found.value) return `${value(found)}${ends}${where}`;
  return `${found.proven ? "" : "At most "}${left} left.${where}`;
}

/** What a hint says of marked cells to who does not see the marks. */
export function marked(found, view) {
  return found.move || !(found.cells?.length > 1) ? "" : ` They are ${named(found, view).join("; ")}.`;
}

const named = ({ cells }, view) => (cells ?? []).map((cell) => view.cells[cell].name || `cell ${cell + 1}`);

/** The value of a game's state in words. */
export const value = ({ value: name, score }) =>
  known(score)
    ? `Best play leaves who is to move ${points(score)}.`
    : { win: "Who is to move wins.", loss: "Who is to move loses.", draw: "It is a draw." }[name];

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
  if (!known(found.length)) return `${first}How many moves it takes is not known.`;
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
