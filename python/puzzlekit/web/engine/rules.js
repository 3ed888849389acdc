// The rules of a puzzle in the engine of the page: reads and writes states, and makes moves.

const MEMORY = 1024 * 2 ** 20;
const SMALL_MEMORY = 192 * 2 ** 20; // on a machine of less than 4 GiB, as far as the browser tells

/** The limits of a search in the page. */
export const LIMITS = {
  states: 20_000_000,
  memory: (navigator.deviceMemory ?? 8) < 4 ? SMALL_MEMORY : MEMORY,
  long: 60,
  short: 10,
};

export class Rules {
  /**
   * @param {object} data The data that the site has about the puzzle.
   * @param {Engine} engine An engine without rules.
   */
  constructor(data, engine) {
    Object.assign(this, { data, engine, game: data.players.length === 2 });
    const { puzzle, rules, rows, holes, hole_marks: marks } = data;
    engine.ask("load", { puzzle, rules, rows, holes, hole_marks: marks, memory: LIMITS.memory });
  }

  get name() {
    return this.data.puzzle;
  }

  /** A state's text as puzzlekit writes it, and the symbol of each cell. */
  read(text) {
    return this.engine.ask("read", { state: text });
  }

  cells(state) {
    return this.read(state).cells;
  }

  /** How play stands: the moves that can be made, who is to move, and whether it is over and why. */
  stand(state) {
    return this.engine.ask("legal", { state });
  }

  /** The state after each of some moves. */
  through(state, moves) {
    return moves.length ? this.engine.ask("apply", { state, moves }).states : [];
  }

  apply(state, move) {
    return this.through(state, [move])[0];
  }

  /**
   * The number of a state as a text; null if states have no numbers. The symbols are its digits; the first cell is the
   * lowest.
   */
  number(state) {
    if (!this.data.counted) return null;
    const { symbols } = this.data;
    const base = BigInt(symbols.length);
    return String(this.cells(state).reduceRight((sum, symbol) => sum * base + BigInt(symbols.indexOf(symbol)), 0n));
  }

  /** The state that has a number. */
  numbered(text) {
    const { symbols, start } = this.data;
    const digits = text.trim();
    if (!/^[0-9]{1,200}$/.test(digits)) throw new Error(`the number is '${text.slice(0, 40)}'; give up to 200 digits`);
    const [base, cells] = [BigInt(symbols.length), this.cells(start).length];
    let rest = BigInt(digits);
    if (rest >= base ** BigInt(cells))
      throw new Error(`the puzzle's number is ${digits}; give a whole number from 0 to ${base ** BigInt(cells) - 1n}`);
    const found = [];
    for (let cell = 0; cell < cells; cell += 1) {
      found.push(symbols[Number(rest % base)]);
      rest /= base;
    }
    return this.read(found.join(symbols.some((symbol) => symbol.length > 1) ? "," : "")).state;
  }

  /** A state as rows of symbols for people to look at. */
  board(state) {
    const { symbols, picture, rows } = this.data;
    const wide = Math.max(...symbols.map((symbol) => [...symbol].length));
    const names = this.cells(state).map((symbol) => " ".repeat(wide - [...symbol].length) + symbol);
    const line = (parts) => parts.map((part) => (typeof part === "string" ? part : names[part])).join("");
    if (picture) return picture.map(line).join("\n");
    return rows.map((length) => names.splice(0, length).join(" ")).join("\n");
  }

  /** The number of moves that count. In a puzzle of toggles, equal moves undo each other in pairs, in any order. */
  counted(moves) {
    if (!this.data.toggles) return moves.length;
    return [...tallied(moves).values()].filter((times) => times % 2).length;
  }
}

/** How often each of some texts occurs. */
export function tallied(texts) {
  const found = new Map();
  for (const text of texts) found.set(text, (found.get(text) ?? 0) + 1);
  return found;
}

/** The player to move, as the text of a game's state names it. */
export const mover = (state) => state.slice(state.lastIndexOf(":") + 1);
