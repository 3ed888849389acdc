// An answer that may take long: a line tells how far it has come, and a button stops it.

import { ask, counted } from "./ask.js";

const PATIENCE = 200; // an answer that comes within this many milliseconds shows no line
const TICK = 250; // milliseconds between two looks at the clock

export class Long {
  /**
   * @param {HTMLElement} box What is shown while a search runs: a paragraph for the line, and a button to stop it.
   * @param {string} what The word for the work, such as "Searching".
   */
  constructor(box, what) {
    Object.assign(this, { box, what, running: null, line: box.querySelector("p") });
    box.querySelector("button").addEventListener("click", () => this.stop());
    addEventListener("pagehide", () => this.stop());
  }

  /** Stops an earlier request, and asks. A bar shows how much of `seconds` has passed. */
  async ask(verb, fields, { seconds } = {}) {
    this.stop();
    const own = Object.assign(new AbortController(), { verb });
    this.running = own;
    this.line.textContent = `${this.what}.`;
    const asker = document.activeElement;
    const bar = this.box.querySelector("progress");
    if (bar) Object.assign(bar, { hidden: !seconds, max: seconds ?? 1, value: 0 });
    const clock = setInterval(() => bar && (bar.value += TICK / 1000), TICK);
    const shown = setTimeout(() => (this.box.hidden = false), PATIENCE);
    const progress = (figures) => {
      if (this.running === own) this.line.textContent = `${this.what}${far(figures) && `: ${far(figures)}`}.`;
    };
    try {
      return await ask(verb, fields, { signal: own.signal, progress });
    } finally {
      clearTimeout(shown);
      clearInterval(clock);
      if (this.running === own) {
        this.running = null;
        const focused = this.box.contains(document.activeElement);
        this.box.hidden = true;
        if (focused) asker?.focus(); // the button that had the focus is gone
      }
    }
  }

  /** Stops the request, if one runs. */
  stop() {
    this.running?.abort();
  }
}

/** The progress of a search in words; empty if there are no figures yet. */
const far = ({ states, depth, at_least: least }) =>
  [least > 1 && `at least ${least}`, states && counted(states, "state"), states && depth && `depth ${depth}`]
    .filter(Boolean)
    .join(", ");
