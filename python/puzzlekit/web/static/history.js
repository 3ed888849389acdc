// The history of a play: its first state, the moves, and the server's answer for each place. Place 3 is the state after
// three moves. A move at an earlier place begins another line of moves, and the old line is kept.

import { ask } from "./ask.js";

export class History {
  /** @param {string} puzzle The puzzle's text id. */
  constructor(puzzle) {
    this.puzzle = puzzle;
    this.reset(null, {}, []);
  }

  reset(start, label, moves) {
    Object.assign(this, {
      start,
      label,
      moves,
      place: moves.length,
      seen: [],
      fewest: null,
      searched: null,
      helped: false,
      noted: false,
      reviewed: null, // the moves that were reviewed
    });
    this.own = moves.map(() => true); // which of the moves a person made, not an opponent
    Object.assign(this, { lines: [null], line: 0 });
  }

  /**
   * Begins at a state, with some moves made. `isOwn` is called with the state before a move and the first state, and
   * tells whether the person made that move. `known` is the answer for the state, if it is there already.
   */
  async begin(state, label, moves, isOwn, known) {
    const first = known ?? (await this.ask(state, []));
    const now = moves.length ? await this.ask(state, moves, { history: true }) : first;
    this.reset(first.moment.state, label, moves);
    this.own = moves.map((_, at) => isOwn(now.history[at].state, first.moment.state));
    this.seen[0] = first;
    this.seen[moves.length] = now;
    this.noted = now.moment.over;
  }

  ask(state, moves, more = {}) {
    return ask("play", { puzzle: this.puzzle, state, moves, ...more });
  }

  get here() {
    if (this.start === null) throw new Error("There is no board yet. Load the page again");
    return this.seen[this.place];
  }

  get moment() {
    return this.here.moment;
  }

  get end() {
    return this.seen[this.moves.length]?.moment ?? this.moment;
  }

  /** The moves up to the present place. */
  get made() {
    return this.moves.slice(0, this.place);
  }

  /** The first place to which a person can go back: after the first move of an opponent who began. */
  get least() {
    let place = 0;
    while (this.own[place] === false) place += 1; // several, if moves kept the turn
    return place;
  }

  async go(place) {
    const to = Math.max(this.least, Math.min(place, this.moves.length));
    this.seen[to] ??= await this.ask(this.start, this.moves.slice(0, to));
    this.place = to;
  }

  /** The place before the last move of a person, to which an undo goes. An answer to that move is undone, too. */
  get before() {
    let place = this.place - 1;
    while (place > 0 && !this.own[place]) place -= 1;
    return place;
  }

  get after() {
    let place = this.place + 1;
    while (place < this.moves.length && !this.own[place]) place += 1;
    return place;
  }

  /** All lines of moves, in the order in which they began. */
  get branches() {
    return this.lines.with(this.line, this.present);
  }

  get present() {
    const { moves, own, seen } = this;
    return { moves, own, seen };
  }

  /** Goes to a place of another line. The present line is kept. */
  async follow(line, place) {
    this.lines[this.line] = this.present;
    Object.assign(this, this.lines[line], { line });
    await this.go(place);
  }

  /** Makes a move. Follows a line that has this move here, or begins a new one. */
  async make(move, own) {
    const moves = [...this.made, move];
    const line = [this.line, ...this.lines.keys()].find((at) =>
      moves.every((made, place) => this.branches[at].moves[place] === made),
    );
    if (line !== undefined) return this.follow(line, moves.length);
    const found = await this.ask(this.start, moves);
    if (this.place < this.moves.length) {
      this.lines[this.line] = this.present;
      this.line = this.lines.push(null) - 1;
    }
    this.own = [...this.own.slice(0, this.place), own];
    this.seen = [...this.seen.slice(0, this.place + 1), found];
    Object.assign(this, { moves, place: moves.length });
  }
}
