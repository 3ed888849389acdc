// An answer that may take long: a line tells how far it has come, and a button stops it.

import { ask, counted } from "./ask.js";

const PATIENCE = 200; // what is answered within so many milliseconds shows no line

export class Long {
  /**
   * @param {HTMLElement} box What is shown meanwhile: a paragraph for the line, and a button that stops the search.
   * @param {string} what What is done, such as "Searching".
   */
  constructor(box, what) {
    Object.assign(this, { box, what, running: null, line: box.querySelector("p") });
    box.querySelector("button").addEventListener("click", () => this.stop());
    addEventListener("pagehide", () => this.stop());
  }

  /** Asks, after it has stopped what it had asked before. */
  async ask(verb, fields) {
    this.stop();
    const own = Object.assign(new AbortController(), { verb });
    this.running = own;
    this.line.textContent = `${this.what}.`;
    const asker = document.activeElement;
    const shown = setTimeout(() => (this.box.hidden = false), PATIENCE);
    const progress = (figures) => {
      if (this.running === own) this.line.textContent = `${this.what}${far(figures) && `: ${far(figures)}`}.`;
    };
    try {
      return await ask(verb, fields, { signal: own.signal, progress });
    } finally {
      clearTimeout(shown);
      if (this.running === own) {
        this.running = null;
        const focused = this.box.contains(document.activeElement);
        this.box.hidden = true;
        if (focused) asker?.focus(); // the button that had the focus is gone
      }
    }
  }

  /** Stops what runs, if anything does. */
  stop() {
    this.running?.abort();
  }
}

/** How far a search has come, in words; empty if it has seen nothing yet. */
export const far = ({ states, depth }) =>
  states ? `${counted(states, "state")}${depth ? `, depth ${depth}` : ""}` : "";
