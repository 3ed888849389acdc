// Answers the verbs of the page (docs/web-api.md) with those of the engine, as `web/tasks.py` does on a server.

import { live, marked } from "./hands.js";
import { counts } from "./counting.js";
import { mover } from "./rules.js";
import { fewest, hint, reply, solve, values } from "./searching.js";
import { words } from "./session.js";

const VERBS = { scramble, play, words, fewest, hint, solve, values, reply, explore: counts };
const MOST_MOVES = 2000;
const MOST_TEXT = 4000;

/** The answer to a verb. */
export function answer(verb, rules, fields) {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string" && value.length > MOST_TEXT)
      throw new Error(`${name} has ${value.length} characters; give at most ${MOST_TEXT}`);
    if (Array.isArray(value) && value.length > MOST_MOVES)
      throw new Error(`${value.length} moves are too many for a page; give at most ${MOST_MOVES}`);
  }
  return VERBS[verb](rules, fields);
}

/** The message of an error. Cells have the names that they have on the page. */
export function fault(error, rules) {
  const message = String(error?.message ?? error);
  if (!rules || error.kind !== "StateError") return message;
  return message.replace(/\bcell (\d+)\b/g, (found, cell) => rules.data.cells[Number(cell)] || found);
}

function scramble(rules, { seed = null, moves = null, daily = null, number = null }) {
  if ([seed, daily, number].filter((given) => given !== null).length > 1)
    throw new Error("a state is of a seed, of a day or of a number; give one of the three");
  if (number !== null) {
    if (!rules.data.counted) throw new Error("this page does not number the states; give a seed instead");
    return made(rules, rules.numbered(number), `number ${number.trim()}`);
  }
  if (daily !== null && !isDay(daily)) throw new Error(`"${daily}" is no date; give one as YYYY-MM-DD`);
  const asked = daily === null ? seed ?? someSeed(rules) : `daily ${daily}`;
  if (moves !== null && !rules.data.mixed) throw new Error("this page cannot mix its boards; puzzlekit serve can");
  if (moves === null && !rules.data.drawn) return made(rules, listed(rules, daily, asked), asked);
  const found = rules.engine.ask("scramble", { seed: asked, moves });
  return { ...made(rules, found.state, asked), moves: found.moves ?? null };
}

/** The board of a day or a seed from the list of the site. */
function listed(rules, daily, seed) {
  const { days, seeds } = rules.data;
  const state = daily === null ? /^[1-9][0-9]*$/.test(seed) && seeds[Number(seed) - 1] : days[daily];
  if (state) return state;
  const known = Object.keys(days);
  if (!known.length) throw new Error("no board of this size can be mixed; choose another size");
  throw new Error(
    `this page has the boards of the days ${known[0]} to ${known.at(-1)} and of the seeds 1 to ${seeds.length}; ` +
      "puzzlekit serve has all others",
  );
}

const made = (rules, state, seed) => ({
  schema: "puzzlekit.scramble/1",
  puzzle: rules.name,
  state,
  seed,
  moves: null,
  ...(rules.data.counted ? { number: rules.number(state) } : {}),
  cells: rules.cells(state),
});

const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text;

const someSeed = ({ data }) =>
  String(data.seeds.length ? Math.ceil(Math.random() * data.seeds.length) : Math.random()).replace("0.", "");

/** How play stands after some moves. */
function play(rules, { state = null, moves = [], history = false }) {
  const start = rules.read(state ?? rules.data.start).state;
  const states = [start, ...rules.through(start, moves)];
  const now = states.at(-1);
  const cells = rules.cells(now);
  const { moves: legal, why, player } = rules.stand(now);
  const found = {
    schema: "puzzlekit.web-play/1",
    moment: {
      schema: "puzzlekit.moment/1",
      puzzle: rules.name,
      state: now,
      number: rules.number(now),
      player,
      legal,
      made: moves,
      last: moves.at(-1) ?? null,
      counted: rules.counted(moves),
      can_redo: false,
      over: why !== null,
      why,
      value: null,
    },
    board: rules.board(now),
    cells,
    chances: live(rules, cells, rules.game ? mover(now) : null, legal),
    marked: marked(rules, moves),
  };
  if (history) found.history = states.map((each) => ({ state: each, cells: rules.cells(each) }));
  return found;
}
