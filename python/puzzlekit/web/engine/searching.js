// The searches for one state: the fewest moves, hints, solutions, values, and the move of an opponent.

import { byHand } from "./hands.js";
import { LIMITS, mover } from "./rules.js";

const CHANCE = { perfect: 0, strong: 10, fair: 35, weak: 70 }; // percent of random moves
const TURNED = { win: "loss", draw: "draw", loss: "win" };
const SOLVER = "optimal";
const LEAST_SECONDS = 0.5; // the least time that the states of a list have together
const UNKNOWN = "the value is not known within the limits of this page";
const UNPROVEN = "the fewest moves are not known within the seconds of this page";

/** A search has come to a limit. */
class Limit extends Error {
  constructor(message, bound = null) {
    super(message);
    this.bound = bound;
  }
}

const isUnsolvable = (error) => error.kind === "UnsolvableError";
export const isLimit = (error) => error instanceof Limit;

/** The engine's answer about a state. The message about a limit names no option of the command line. */
export function searched(rules, state, seconds = LIMITS.long) {
  const begun = performance.now();
  try {
    const { states, memory } = LIMITS;
    const found = rules.engine.ask("solve", { state, max_states: states, memory, seconds });
    return { ...found, seconds: (performance.now() - begun) / 1000, solver: SOLVER };
  } catch (error) {
    if (error.kind !== "LimitError" && error.kind !== "MemoryError") throw error;
    const within = error.within ?? "the seconds and the memory of a page";
    const bound = error.bound ?? 0;
    const more = bound ? `; if moves lead to the goal, at least ${bound} are needed` : "";
    throw new Limit(`no answer was found within ${within}, the most that this page may take${more}`, bound);
  }
}

export function fewest(rules, { state }) {
  if (rules.game) throw new Error(`${rules.data.id} is a game, which has no fewest moves; ask for its values`);
  const here = rules.read(state).state;
  const data = { schema: "puzzlekit.web-fewest/1", fewest: null, at_least: null, at_most: null, moves: null };
  Object.assign(data, { solvable: null, why: null });
  if (rules.stand(here).solved) return { ...data, fewest: 0, at_least: 0, at_most: 0, solvable: true, moves: [] };
  try {
    const found = searched(rules, here, LIMITS.short);
    const { length } = found.moves;
    const least = found.optimal ? length : (found.lower_bound ?? null);
    const proven = found.optimal ? length : null;
    return { ...data, fewest: proven, at_least: least, at_most: length, solvable: true, moves: found.moves };
  } catch (error) {
    if (isUnsolvable(error)) return { ...data, solvable: false, why: error.message };
    if (isLimit(error)) return { ...data, at_least: error.bound || null, why: error.message };
    throw error;
  }
}

export function hint(rules, { state, strength = 3 }) {
  const { state: here, cells } = rules.read(state);
  const found = proven(searched(rules, here));
  const [move] = found.best?.length ? found.best : found.moves;
  const left = isEndless(found) ? null : found.moves.length;
  const data = { schema: "puzzlekit.web-hint/1", left, proven: found.optimal, value: found.value ?? null };
  data.score = found.score ?? null;
  if (strength > 1 && move !== undefined) {
    const after = rules.cells(rules.apply(here, move));
    data.cells = cells.flatMap((symbol, cell) => (symbol === after[cell] ? [] : [cell]));
  }
  if (strength > 2 && move !== undefined) {
    data.move = move;
    const by = byHand(rules, cells, rules.game ? here.slice(here.lastIndexOf(":") + 1) : null, move);
    if (by) Object.assign(data, { how: by.words, cells: by.cells.length ? by.cells : data.cells, gesture: by.place });
  }
  return data;
}

export function solve(rules, { state }) {
  const here = rules.read(state).state;
  const found = proven(searched(rules, here));
  const states = [here, ...rules.through(here, found.moves)];
  return {
    schema: "puzzlekit.solve/1",
    puzzle: rules.name,
    state: here,
    value: null,
    ...found,
    length: isEndless(found) ? null : found.moves.length,
    history: states.map((each) => ({ state: each, cells: rules.cells(each) })),
  };
}

export function values(rules, { state }) {
  const here = rules.read(state).state;
  const after = new Map(rules.stand(here).moves.map((move) => [move, rules.apply(here, move)]));
  const found = worths(rules, [...new Set([here, ...after.values()])]);
  const moves = [...after].map(([move, then]) => {
    const worth = { ...found.get(then) };
    if (rules.game && mover(then) !== mover(here)) {
      worth.value = TURNED[worth.value] ?? null;
      if (worth.score !== null) worth.score = -worth.score;
    }
    return { move, state: then, cells: rules.cells(then), ...worth };
  });
  return { schema: "puzzlekit.web-values/1", ...found.get(here), moves };
}

/** The value of each state for the player to move. All together may take as long as one search. */
function worths(rules, states) {
  const end = performance.now() + LIMITS.long * 1000;
  const found = new Map();
  for (const state of states) {
    const left = Math.max((end - performance.now()) / 1000, LEAST_SECONDS) / (states.length - found.size);
    found.set(state, { left: null, value: null, score: null, why: null, ...worth(rules, state, left) });
  }
  return found;
}

function worth(rules, state, seconds) {
  let answer;
  try {
    answer = searched(rules, state, Math.min(seconds, LIMITS.short));
  } catch (error) {
    if (!error.kind && !isLimit(error)) throw error;
    return { why: error.message };
  }
  const { value = null, score = null, optimal, moves } = answer;
  if (answer.proven === false) return { why: UNKNOWN };
  if (!rules.game) return optimal ? { value: moves.length, left: moves.length } : { why: UNPROVEN };
  const left = optimal && !isEndless(answer) && score === null ? moves.length : null;
  return { value, left, score };
}

export function reply(rules, { state, skill, seed = "" }) {
  if (!rules.game) throw new Error(`${rules.data.id} is no game, so nobody replies; ask for a hint`);
  const here = rules.read(state).state;
  const { moves: legal } = rules.stand(here);
  if (!legal.length) throw new Error(`play is over in ${here}; begin again`);
  const draw = drawn(rules, `${rules.name}/${here}/${seed}`);
  const data = { schema: "puzzlekit.web-reply/1", value: null };
  if (draw(100) < CHANCE[skill]) return { ...data, move: legal[draw(legal.length)] };
  try {
    const found = proven(searched(rules, here, LIMITS.short));
    const best = found.best?.length ? found.best : legal;
    return { ...data, move: best[draw(best.length)], value: found.value };
  } catch (error) {
    if (!isLimit(error)) throw error;
    return { ...data, move: legal[draw(legal.length)] };
  }
}

/** Random numbers below bounds, the same for the same text as on a server. */
function drawn(rules, seed) {
  const bounds = [];
  return (bound) => {
    bounds.push(bound);
    return Number(rules.engine.ask("random", { seed, bounds }).numbers.at(-1));
  };
}

const isEndless = ({ repeats = null }) => repeats !== null;

function proven(found) {
  if (found.proven === false) throw new Limit(UNKNOWN);
  return found;
}
