// A board that a person sets up: a press of a cell puts the next symbol there, and a text says what is wrong with the
// board.
//
// If all symbols of the start differ, as in a puzzle that arranges pieces, a press chooses a piece instead, and the
// next press exchanges it with another one.

import { ask } from "./ask.js";
import { byId } from "./dom.js";
import { draw, placed } from "./draw.js";
import * as words from "./words.js";

/**
 * Begins to set up a board, from a position.
 * @param {object} puzzle The puzzle.
 * @param {object} board The board.
 * @param {object} position The position.
 * @param {(state: string) => void} play Called with the state from which to play; without a state to go back.
 */
export function edit(puzzle, board, position, play) {
  const symbols = Object.keys(puzzle.view.looks);
  const isArranged = new Set(puzzle.cells).size === puzzle.cells.length && !puzzle.game;
  const separator = symbols.some((symbol) => symbol.length > 1) ? "," : "";
  const cells = [...position.cells];
  let player = position.moment.player ?? null;
  let chosen = null;
  let asked = new AbortController();

  const state = () => `${cells.join(separator)}${player ? `:${player}` : ""}`;

  function press(cell) {
    if (!isArranged) {
      cells[cell] = symbols[(symbols.indexOf(cells[cell]) + 1) % symbols.length];
    } else if (chosen === null) {
      chosen = cell;
    } else {
      [cells[chosen], cells[cell]] = [cells[cell], cells[chosen]];
      chosen = null;
    }
    setUp(board, cells, chosen, press);
    if (chosen === null) judge();
  }

  /** Says why the board is no state, or how far it is from the goal. */
  async function judge() {
    asked.abort();
    const { signal } = (asked = new AbortController());
    byId("setup-play").disabled = true;
    const tell = (text, isState) => {
      if (signal.aborted) return;
      byId("setup-words").textContent = text;
      byId("setup-play").disabled = !isState;
    };
    try {
      const { moment } = await ask("play", { puzzle: puzzle.puzzle, state: state() }, { signal });
      tell(moment.over ? "Play is over on this board." : "This is a board.", true);
      if (puzzle.game || moment.over) return;
      const found = await ask("fewest", { puzzle: puzzle.puzzle, state: moment.state }, { signal });
      tell(words.counts(puzzle, moment, found)[1].join(": ").concat("."), true);
    } catch (error) {
      if (error.name !== "AbortError") tell(error.message, false);
    }
  }

  function end(wanted) {
    asked.abort();
    byId("setup").hidden = true;
    board.settingUp = null;
    play(wanted);
  }

  byId("setup").hidden = false;
  byId("setup-how").textContent = isArranged
    ? "Press two pieces, and they change places."
    : "Press a cell to put the next symbol there.";
  byId("setup-player").hidden = !player;
  byId("setup-player").onclick = () => {
    player = puzzle.players[(puzzle.players.indexOf(player) + 1) % puzzle.players.length];
    byId("setup-player").textContent = `${words.named(puzzle.view, player)} is to move`;
    judge();
  };
  byId("setup-player").textContent = `${words.named(puzzle.view, player)} is to move`;
  byId("setup-play").onclick = () => end(state());
  byId("setup-away").onclick = () => end(null);
  setUp(board, cells, chosen, press);
  judge();
}

/** Shows a board that is being set up. `press` is called with each cell that is pressed. */
function setUp(board, cells, chosen, press) {
  const { view } = board;
  board.settingUp = press;
  for (const { cell, x, y, size } of placed(view, cells))
    board.set(board.cells[cell], x, y, size, view.cells[cell].shape === "stack" ? 0.5 : size);
  board.hint([]);
  board.worth(null);
  draw(board.svg, view, cells);
  board.cells.forEach((button, at) => {
    const name = `${view.cells[at].name || `cell ${at + 1}`}: ${view.looks[cells[at]].name}`;
    button.setAttribute("aria-label", at === chosen ? `${name}, chosen` : name);
    button.setAttribute("aria-disabled", "false");
    button.classList.toggle("chosen", at === chosen);
  });
}
