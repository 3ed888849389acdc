// A solution that is shown step by step, or plays by itself; with its stages, if the solver has some.

import { ask, counted } from "./ask.js";
import { byId, make } from "./dom.js";
import { say, search, then } from "./queue.js";
import * as words from "./words.js";

export class Solution {
  /**
   * @param {object} puzzle The puzzle.
   * @param {object} play The play: `place` is how many moves were made, and `advance` makes one.
   */
  constructor(puzzle, play) {
    this.puzzle = puzzle;
    this.play = play;
    this.found = null;
    byId("solve").addEventListener("click", () => then(() => this.search()));
    byId("step").addEventListener("click", () => then(() => this.step()));
    byId("run").addEventListener("click", () => (this.timer ? this.pause() : this.run()));
    byId("stop").addEventListener("click", () => this.putAway());
  }

  async search() {
    this.putAway();
    const fields = { puzzle: this.puzzle.puzzle, state: this.play.moment.state };
    if (byId("solver")) fields.solver = byId("solver").value;
    this.found = await search("solve", fields);
    this.from = this.play.place;
    this.play.helped = true;
    byId("solution").hidden = false;
    this.compare();
    for (const id of ["step", "run"]) byId(id).disabled = !this.found.moves.length;
    this.showStages();
    say(`A solution of ${counted(this.found.length, "move")} is here. Next move shows it step by step.`);
  }

  /** Tells the solution's length beside the fewest moves from there, which may have to be looked for. */
  async compare() {
    const { found, from } = this;
    const tell = (best) => {
      if (this.found === found) byId("found").textContent = words.solution(found, best);
    };
    tell(from === 0 ? this.play.fewest : null);
    if (found.optimal || this.puzzle.game) return;
    const fields = { puzzle: this.puzzle.puzzle, state: found.state };
    this.leaving = new AbortController();
    try {
      tell(await (from === 0 ? this.play.searched : ask("fewest", fields, { signal: this.leaving.signal })));
    } catch {
      tell({ fewest: null });
    }
  }

  async step() {
    const at = this.play.place - this.from;
    if (!this.found || at < 0 || at >= this.found.moves.length) return;
    await this.play.advance(this.found.moves[at], true);
    this.showStages();
    if (at + 1 >= this.found.moves.length) this.pause();
  }

  /** The parts: what each does, and its moves. The one that is being made is marked. */
  showStages() {
    const parts = this.found.stages ?? [];
    const done = this.play.place - this.from;
    byId("stages").hidden = !parts.length;
    byId("stages").replaceChildren(
      ...parts.map((part, at) => {
        const end = parts[at + 1]?.begins ?? this.found.length;
        const moves = this.found.moves.slice(part.begins, end);
        const now = done >= part.begins && done < end;
        const name = this.puzzle.view.stages[part.name] ?? part.name;
        const about = { class: now ? "now" : done >= end ? "done" : "", "aria-current": now ? "step" : null };
        return make("li", about, `${name}: ${moves.length ? moves.join(" ") : "nothing to do"}`);
      }),
    );
  }

  run() {
    this.button("true", "Pause");
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1200 : 450;
    this.timer = setInterval(() => then(() => this.step()), pause);
    then(() => this.step());
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.button("false", "Play all");
  }

  button(pressed, label) {
    byId("run").setAttribute("aria-pressed", pressed);
    byId("run").textContent = label;
  }

  putAway() {
    this.pause();
    this.leaving?.abort();
    this.found = null;
    byId("solution").hidden = true;
  }
}
