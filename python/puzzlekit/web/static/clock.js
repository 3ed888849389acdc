// The time that a play takes, from the first move to the end, while the page is open.

export class Clock {
  /** @param {HTMLElement} place Where the time is shown. */
  constructor(place) {
    this.place = place;
    this.reset(null);
    setInterval(() => this.show(), 500);
  }

  reset(start) {
    Object.assign(this, { start, begun: null, ended: null });
    this.place.replaceChildren();
  }

  /** Tells the clock which board is played, how many moves were made, and whether play is over. */
  set(start, moves, isOver) {
    if (start !== this.start) {
      this.reset(start);
      this.least = moves;
    }
    if (moves > this.least && this.begun === null && !this.ended) this.begun = performance.now();
    if (isOver && this.begun !== null) this.ended ??= performance.now();
    this.show();
  }

  show() {
    if (this.begun === null) return;
    const seconds = Math.floor(((this.ended ?? performance.now()) - this.begun) / 1000);
    const two = String(seconds % 60).padStart(2, "0");
    this.place.innerText = `Time\n${Math.floor(seconds / 60)}:${two}`;
  }
}
