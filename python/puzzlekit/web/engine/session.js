// The line mode in the page: for each line that is typed, the lines to show. They are those of `play/session.py`.

import { byHand } from "./hands.js";
import { mover } from "./rules.js";
import { isLimit, searched } from "./searching.js";

/** The words that may be typed, and what they do. */
const WORDS = {
  moves: "the moves that can be made now",
  random: "make a random move; m does the same",
  undo: "take the last move back",
  hint: "the next move; hint 1 says how many are left, and hint 2 where to look",
  solve: "all moves to the goal, or best play",
  show: "the same on the board, move by move; nothing is made",
  restart: "begin again from the first state",
  help: "this list",
  quit: "end it; q does the same",
};
const HELP = `Type a move, or: ${Object.keys(WORDS).join(", ")}.`;
const SHORT = { m: "random", q: "quit" };
const SECONDS = 5;
const MOST_WORDS = 200;

/** The lines that are shown for a line that was typed; without a line, the greeting. */
export function words(rules, { state = null, moves = [], line = null }) {
  if (line !== null && line.split(/\s+/).length > MOST_WORDS)
    throw new Error(`the line has more than ${MOST_WORDS} words; give fewer`);
  const session = new Session(rules, rules.read(state ?? rules.data.start).state, moves);
  const lines = line === null ? session.greet() : session.answer(line);
  return { schema: "puzzlekit.web-words/1", lines, moves: session.moves, over: session.over };
}

class Session {
  constructor(rules, start, moves) {
    Object.assign(this, { rules, over: false, moves: [...moves] });
    this.states = [start, ...rules.through(start, moves)];
  }

  get state() {
    return this.states.at(-1);
  }

  get stand() {
    return this.rules.stand(this.state);
  }

  greet() {
    const { data } = this.rules;
    const number = this.rules.number(this.state);
    const name = number === null ? data.puzzle : `${data.puzzle}, number ${number}`;
    return [`${name}. ${HELP}`, ...data.introduction, ...this.show(), ...this.end()];
  }

  answer(line) {
    const word = this.meant(line.trim());
    const commands = {
      "": () => [HELP],
      help: () => this.help(),
      moves: () => [`Moves: ${joined(this.stand.moves)}`],
      random: () => this.random(),
      undo: () => (this.moves.length ? this.cut(this.moves.length - 1) : ["There is nothing to undo."]),
      hint: () => this.hint([]),
      solve: () => this.solve(),
      show: () => this.showWay(),
      restart: () => this.cut(0),
      quit: () => this.quit(),
    };
    // A word that is a move's name means the move, even if it is a command, too.
    if (this.stand.moves.includes(word)) return this.play(word);
    const isMove = this.names.includes(word);
    const [first = "", ...rest] = word.split(/\s+/);
    const short = (text) => SHORT[text.toLowerCase()] ?? text.toLowerCase();
    if (rest.length && !isMove && short(first) === "hint") return this.hint(rest);
    const command = isMove ? word.toLowerCase() : short(word);
    if (Object.hasOwn(commands, command)) return commands[command]();
    return this.playAll(isMove ? [word] : namesIn(word).map((part) => this.meant(part)));
  }

  /** All words that may be typed, and an example of moves. */
  help() {
    const some = [...new Set(this.stand.moves)].slice(0, 2);
    const example = some.length > 1 ? [`A line may have several moves, such as ${joined(some)}`] : [];
    return [...Object.entries(WORDS).map(([word, what]) => `${word.padEnd(8)} ${what}`), ...example];
  }

  get names() {
    return [...new Set(this.rules.data.rules.moves.map(({ name }) => name))];
  }

  /** The move that a word means. Capital letters may be typed as small ones, unless two moves differ only by that. */
  meant(word) {
    const alike = this.names.filter((name) => name.toLowerCase() === word.toLowerCase());
    return !this.names.includes(word) && alike.length === 1 ? alike[0] : word;
  }

  /** Makes the moves of a line one after another, or none if one of them cannot be made. */
  playAll(moves) {
    const before = this.moves.length;
    let shown = [];
    for (const move of moves) {
      if (this.over) break;
      try {
        shown = this.play(move);
      } catch (error) {
        if (!error.kind) throw error;
        this.cut(before);
        const none = moves.length > 1 ? " None of the moves was made." : "";
        return [`${error.message[0].toUpperCase()}${error.message.slice(1)}.${none}`];
      }
    }
    return shown;
  }

  play(move) {
    this.states.push(this.rules.apply(this.state, move));
    this.moves.push(move);
    return [...this.show(), ...this.end()];
  }

  random() {
    const { moves } = this.stand;
    if (!moves.length) return ["No move is left."];
    const move = moves[Math.floor(Math.random() * moves.length)];
    return [`Random move: ${move}.`, ...this.play(move)];
  }

  show() {
    const { player } = this.stand;
    const turn = player ? [`${player} to move.`] : [];
    return [...this.rules.board(this.state).split("\n"), ...turn, ...this.again()];
  }

  /** A line that is shown if a position of a game was on the board before; no line otherwise. */
  again() {
    const ago = this.states.length - 1 - this.states.slice(0, -1).lastIndexOf(this.state);
    if (ago === this.states.length || !this.rules.game) return [];
    const draw = this.scored ? "" : ", which is a draw";
    return [`This position was here ${count(ago)} ago. Play can go round for ever${draw}.`];
  }

  get scored() {
    return (this.rules.data.rules.score ?? null) !== null;
  }

  /** How a message ends that says who wins: " by 3 points" in a game for points, and nothing in other games. */
  by() {
    if (!this.scored) return "";
    try {
      const points = Math.abs(searched(this.rules, this.state, SECONDS).score ?? 0);
      return ` by ${points} point${points === 1 ? "" : "s"}`;
    } catch (error) {
      if (!error.kind && !isLimit(error)) throw error;
      return "";
    }
  }

  /** The last words, if play is over. */
  end() {
    const { why } = this.stand;
    if (why === null) return [];
    if (this.rules.game) {
      this.over = true;
      return [this.rules.data.players.includes(why) ? `${why} wins${this.by()}.` : `The game is over: ${why}.`];
    }
    if (why !== "solved") return [`No move is left (${why}): undo, restart or quit.`];
    this.over = true;
    return [`Solved in ${count(this.rules.counted(this.moves))}. ${this.optimum()}`];
  }

  optimum() {
    try {
      const found = searched(this.rules, this.states[0], SECONDS);
      if (found.optimal) return `The fewest possible: ${found.moves.length}.`;
      const bound = found.lower_bound ?? 0;
      return `The fewest possible are not known: at least ${bound}, and at most ${found.moves.length}.`;
    } catch {
      return "The fewest possible are not known.";
    }
  }

  hint(asked) {
    const given = asked.join(" ").replaceAll("=", " ").split(/\s+/).filter((word) => word && word !== "--level");
    if (given.length > 1 || !["1", "2", "3", undefined].includes(given[0]))
      return [
        `No hint: there is no hint "${given.join(" ")}"; type hint 1 (how far), hint 2 (where) or hint 3 (move).`,
      ];
    let found;
    try {
      found = searched(this.rules, this.state, SECONDS);
    } catch (error) {
      if (!error.kind && !isLimit(error)) throw error;
      return [`No hint: ${error.message}.`];
    }
    const [move] = found.best?.length ? found.best : found.moves;
    if (move === undefined) return ["Nothing is left to do."];
    const level = given[0] ?? "3";
    if (level === "1") return [`Hint: ${howFar(found)}.`];
    return [`Hint: ${level === "2" ? this.where(move) : this.named(move)}.`];
  }

  /** The name of a move; if that is a number, also the cell that is pressed. */
  named(move) {
    const player = this.rules.game ? mover(this.state) : null;
    const by = /^\d+$/.test(move) ? byHand(this.rules, this.rules.cells(this.state), player, move) : null;
    return by?.cells.length === 1 ? `${move}, which is ${by.words.replace(/^press /, "")}` : move;
  }

  /** The part of the board that a move changes. */
  where(move) {
    const [before, after] = [this.state, this.rules.apply(this.state, move)].map((state) => this.rules.cells(state));
    const { rows } = this.rules.data;
    const places = rows.flatMap((length, row) => Array.from({ length }, (_, column) => [row + 1, column + 1]));
    const changed = places.filter((_, cell) => before[cell] !== after[cell]);
    if (!changed.length) return "the next move changes no cell";
    const [row, column] = [0, 1].map((at) => span(changed.map((place) => place[at])));
    return `the next move is in ${rows.length > 1 ? `row${row}, ` : ""}column${column}`;
  }

  solve() {
    return this.way().shown;
  }

  showWay() {
    const { shown, steps } = this.way();
    return [...shown, ...steps.flatMap(({ move, state }) => [`${move}:`, ...this.rules.board(state).split("\n")])];
  }

  /** The lines about a solution: a sentence, and each move with the state after it. */
  way() {
    let found;
    try {
      found = searched(this.rules, this.state, SECONDS);
    } catch (error) {
      if (!error.kind && !isLimit(error)) throw error;
      return { shown: [`No solution: ${error.message}.`], steps: [] };
    }
    let { state } = this;
    const steps = found.moves.map((move) => ({ move, state: (state = this.rules.apply(state, move)) }));
    return { shown: about(found), steps };
  }

  quit() {
    this.over = true;
    return [`You made ${count(this.rules.counted(this.moves))}.`];
  }

  cut(kept) {
    this.moves.length = kept;
    this.states.length = kept + 1;
    return this.show();
  }
}

/** A sentence about a solution, or about best play. */
function about(found) {
  const { moves, best = [] } = found;
  if (found.proven === false) return [`The value is not proven. The best move so far: ${joined(best)}`];
  const value = found.value ? `${worth(found)} for the player to move; ` : "";
  const others = best.length ? [`Best moves: ${joined(best)}`] : [];
  if (lacksMoves(found)) return [`Solution: ${value}the moves are not known`, ...others];
  return [`Solution: ${value}${count(moves.length)}: ${joined(moves)}`, ...others];
}

/** `true` if a game's value and a best move are known, but not best play. */
const lacksMoves = ({ moves, best = [] }) => best.length > 0 && moves.length === 0;

const count = (moves) => `${moves} move${moves === 1 ? "" : "s"}`;

const span = (numbers) => {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return first === last ? ` ${first}` : `s ${first} to ${last}`;
};

/** A text with the names of moves, from which `namesIn` reads the same names. */
const joined = (names) => names.map((name) => (name.includes(" ") ? `"${name}"` : name)).join(" ");

/** The names of moves in a text. They stand apart by spaces; a name with spaces is quoted. */
const namesIn = (text) => [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);

/** The value of a position: win, draw or loss; or, in a game with a score, how far ahead. */
function worth({ value, score = null }) {
  if (score === null) return value;
  return score === 0 ? "even" : `${Math.abs(score)} ${score > 0 ? "ahead" : "behind"}`;
}

function howFar(found) {
  const moves = count(found.moves.length);
  if (found.repeats !== null && found.repeats !== undefined) return `${worth(found)}: best play can go on for ever`;
  if (lacksMoves(found)) return `${worth(found)}, in a number of moves that is not known`;
  if (found.value) return `${worth(found)}, in ${moves} by best play`;
  if (found.optimal) return `${moves} ${found.moves.length === 1 ? "is" : "are"} left at best`;
  return `${moves} do, and at least ${found.lower_bound || 1} are needed`;
}
