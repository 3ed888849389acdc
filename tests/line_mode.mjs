// Plays in the line mode of the page without an engine: what the engine would answer comes in as JSON, and the lines
// that are shown go out.

import { pathToFileURL } from "node:url";

globalThis.navigator ??= {}; // a page has one; Node has none before its version 21
const [folder] = process.argv.slice(2);
const { words } = await import(pathToFileURL(`${folder}/session.js`));

let text = "";
for await (const part of process.stdin) text += part;
const { data, states, moves = [], line, fault, found } = JSON.parse(text);

const rules = {
  data,
  game: data.players.length === 2,
  read: (state) => ({ state, cells: [...state] }),
  cells: (state) => [...state],
  board: (state) => state,
  number: () => null,
  counted: (made) => made.length,
  stand: (state) => states[state],
  through: (start, made) => made.map((move) => (start = states[start].after[move])),
  apply: (state, move) => states[state].after[move],
  engine: {
    ask: () => {
      if (fault) throw Object.assign(new Error(fault.message), fault);
      return found;
    },
  },
};
try {
  console.log(JSON.stringify(words(rules, { state: data.start, moves, line })));
} catch (error) {
  console.log(JSON.stringify({ thrown: error.message }));
}
