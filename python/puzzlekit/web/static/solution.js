// A solution that is shown step by step, or plays by itself; with its stages, if the solver has some.

import * as advice from "./advice.js";
import { ask, counted } from "./ask.js";
import { byId, make } from "./dom.js";
import { say, search, then } from "./queue.js";

const MOST_MILLISECONDS = 50_000; // the longest time that a whole solution plays

/** Turns an answer to the verb `fewest` into one to `solve`. */
const answered = ({ moves, fewest }) => ({ moves, length: moves.length, optimal: fewest !== null, value: null });

export class Solution {
  /**
   * @param {object} puzzle The puzzle.
   * @param {object} play The play: `place` is how many moves were made, and `advance` makes one.
   */
  constructor(puzzle, play) {
    this.puzzle = puzzle;
    this.play = play;
    this.found = null;
    byId("step").addEventListener("click", () => then(() => this.step()));
    byId("run").addEventListener("click", () => (this.playing ? this.pause() : this.run()));
    byId("stop").addEventListener("click", () => this.putAway());
  }

  /**
   * Searches for a solution. If one is known already, it is shown at once, and can be used while a shorter one or a
   * proof is searched for.
   */
  async search() {
    this.putAway();
    const fields = { puzzle: this.puzzle.puzzle, state: this.play.moment.state };
    const { seconds } = this.puzzle;
    const solver = byId("solver")?.value ?? this.puzzle.default_solver;
    if (byId("solver")) fields.solver = solver;
    let known = null;
    if (!this.puzzle.game && !this.puzzle.job && solver === "optimal") {
      const asked = { puzzle: fields.puzzle, state: fields.state };
      known = this.play.place === 0 ? this.play.fewest : null;
      known ??= await search("fewest", asked, { seconds: seconds.short });
      if (known.moves) this.lay({ ...fields, solver, ...answered(known) });
      if (known.moves && known.fewest !== null) return;
    }
    byId("cancel").textContent = known?.moves ? "Take it" : "Cancel";
    try {
      const found = await search("solve", fields, { seconds: seconds.long });
      if (!this.found || found.optimal || found.length < this.found.length) this.lay(found);
    } catch (error) {
      if (!this.found) throw error;
    } finally {
      byId("cancel").textContent = "Cancel";
    }
  }

  /** Shows a solution that begins at the present place. */
  lay(found) {
    this.found = found;
    this.from = this.play.place;
    this.play.helped = true;
    byId("solution").hidden = false;
    this.compare();
    for (const id of ["step", "run"]) byId(id).disabled = !found.moves.length;
    this.showStages();
    say(`A solution of ${counted(found.length, "move")} is here. Next move shows it step by step.`);
  }

  /** Shows the solution's length beside the fewest moves, which may have to be searched for first. */
  async compare() {
    const { found, from } = this;
    const tell = (best) => {
      if (this.found === found) byId("found").textContent = advice.solution(found, best);
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

  /** Shows the stages of the solution: what each does, and its moves. The present stage is marked. */
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
        const words = moves.map((move) => (move.includes(" ") ? `"${move}"` : move)).join(" ");
        return make("li", about, `${name}: ${words || "nothing to do"}`);
      }),
    );
  }

  /** Plays the moves that are left, a long solution faster than a short one. Scrolls the board into sight. */
  run() {
    this.button("true", "Pause");
    byId("board").scrollIntoView({ block: "nearest" });
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1200 : 450;
    const usual = calm * Number(byId("tempo").value);
    const left = this.found.moves.length - (this.play.place - this.from);
    this.loop(Math.min(usual, MOST_MILLISECONDS / Math.max(left, 1)));
  }

  /** Makes a move every `pause` milliseconds, until somebody pauses or nothing is left. */
  async loop(pause) {
    const own = (this.playing = {});
    while (this.playing === own) {
      const begun = performance.now();
      await then(() => this.step().catch((error) => this.failed(error)));
      await new Promise((resolve) => setTimeout(resolve, Math.max(pause - (performance.now() - begun), 0)));
    }
  }

  failed(error) {
    this.pause();
    throw error;
  }

  pause() {
    this.playing = null;
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
