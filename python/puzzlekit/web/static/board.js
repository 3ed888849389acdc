// A board that a person plays on: a picture, and over it a button for each cell and each turn.
//
// For the keyboard, the cells are a grid: the tab key reaches one cell, and the arrows go from cell to cell (with Shift
// if arrows make moves in this puzzle).
//
// Several moves of one gesture are a family if all their names begin with the name of the first: U, U' and U2 turn one
// face. A press makes the first move of a family, and with Shift the second. A long press, or the menu key, asks which
// move to make. If the moves are no family, every press asks.

import { drawn, make } from "./dom.js";
import { blockOf, brim, draw, hasHoles, onKnob, placed, SCALE } from "./draw.js";

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Board {
  /**
   * @param {HTMLElement} place The element that it fills.
   * @param {HTMLElement} beside The element for buttons that are not on the board.
   * @param {object} view The view.
   * @param {(moves: string[]) => void} onMoves Called with the moves that a gesture makes; one of them is to be chosen.
   * @param {(text: string) => void} say Lets a screen reader say something.
   */
  constructor(place, beside, view, onMoves, say) {
    this.view = view;
    this.onMoves = onMoves;
    this.say = say;
    this.chances = [];
    this.from = null;
    this.anywhere = true; // letters make moves wherever the focus is
    this.current = 0;
    this.svg = drawn("svg", { "aria-hidden": "true", focusable: "false" });
    this.cells = view.cells.map((spot) => this.button(spot));
    const pressed = new Set(view.gestures.flatMap(({ kind, cells }) => (kind === "press" ? cells : [])));
    this.pressable = pressed;
    // If only a few cells can be pressed, such as the middles of turns, these are marked.
    this.few = pressed.size * 4 <= this.cells.length ? pressed : new Set();
    for (const cell of this.few) this.cells[cell].classList.add("pressable");
    this.grid = make("div", { role: "grid", "aria-label": "Board" }, ...this.rows());
    this.points = make("div", { role: "group", "aria-label": "Turns" });
    this.beside = beside;
    this.extra = new Map();
    this.turns = []; // where the round buttons are
    view.gestures.forEach((gesture, place) => {
      if (gesture.kind === "point") this.points.append(this.pointButton(gesture, place));
      if (gesture.kind === "button") beside.append(this.besideButton(gesture, place));
    });
    this.points.hidden = !this.points.children.length;
    beside.hidden = !beside.children.length;
    beside.style.setProperty("--long", Math.max(0, ...[...beside.children].map((each) => each.textContent.length)));
    this.arrows = view.gestures.some((gesture) => gesture.kind === "key" && STEPS[gesture.key]);
    this.drags = view.gestures.some((gesture) => gesture.kind === "drag");
    place.classList.toggle("drags", this.drags);
    for (const each of [place, place.parentElement]) each.style.setProperty("--across", view.width);
    place.parentElement.style.setProperty("--ratio", view.width / view.height);
    place.style.setProperty("--brim", `${brim(view)}%`);
    place.style.aspectRatio = `${view.width} / ${view.height}`;
    place.replaceChildren(this.svg, this.grid, this.points);
    this.place = place;
    import("./motion.js").then(({ move }) => (this.moving = move)).catch(() => {}); // pieces jump without it
    this.listen();
  }

  /**
   * Shows a position, as `play` answers it. With `isMove`, pieces move there from where they are shown.
   */
  show(position, isMove = false) {
    this.settingUp = null;
    const before = this.position?.cells;
    this.position = position;
    this.chances = position.chances;
    this.from = null;
    const spots = placed(this.view, position.cells);
    const isPiled = spots !== this.view.cells;
    for (const { cell, x, y, size } of isPiled ? spots : []) this.set(this.cells[cell], x, y, size, 0.5);
    draw(this.svg, this.view, position.cells, { marked: position.marked });
    const { last, over } = position.moment;
    if (isMove && before) this.moving?.(this.svg, this.view, before, position.cells, this.pressedFor(last));
    for (const cell of this.cells) cell.classList.remove("won");
    if (isMove && over) import("./ending.js").then(({ end }) => end(this, position, before));
    this.refresh();
  }

  /** The cell that is pressed to make a move; null if another gesture makes the move. */
  pressedFor(name) {
    return this.view.gestures.find(({ kind, moves }) => kind === "press" && moves.includes(name))?.cells[0] ?? null;
  }

  /** Marks the button of a hint, or its cells if it has none; all others lose their marks. */
  async hint(cells, gesture) {
    const button = this.extra.get(gesture);
    const marked = button ? [] : cells;
    for (const old of this.svg.querySelectorAll(".advice")) old.remove();
    this.cells.forEach((cell, at) => cell.classList.toggle("hinted", marked.includes(at)));
    for (const element of this.extra.values()) element.classList.toggle("hinted", element === button);
    if (!marked.length) return;
    (await import("./marks.js")).advise(this.svg, this.view, this.position.cells, marked);
  }

  /** Shows the value of each move, by its name; hides all values if there are none. */
  async worth(values) {
    if (!values && !this.values) return;
    this.weigh ??= (await import("./worth.js")).weigh;
    this.weigh(this, values);
  }

  /** The gestures that a press of a cell can make now; while values are shown, also drags from there. */
  pressed(cell) {
    return this.chances.filter(({ gesture }) => {
      const { kind, cells } = this.view.gestures[gesture];
      return (kind === "press" && cells.includes(cell)) || (kind === "drag" && cells[0] === cell && this.values);
    });
  }

  isEmpty(cell) {
    return this.view.looks[this.position.cells[cell]].shape === "none";
  }

  dragged(from, to) {
    return this.of("drag").filter(({ cells }) => cells[0] === from && (to === undefined || cells[1] === to));
  }

  of(kind) {
    return this.chances
      .map((chance) => ({ ...this.view.gestures[chance.gesture], moves: chance.moves }))
      .filter((gesture) => gesture.kind === kind);
  }

  // Drawing the elements of the board.

  button({ x, y, cell, shape, size }) {
    const button = make("button", {
      type: "button",
      class: `cell ${hasHoles(this.view) ? "disk hole" : shape}`,
      role: "gridcell",
      tabindex: cell ? "-1" : "0",
    });
    // The button of a line covers the points that are nearer to it than to other lines.
    const [wide, high] = shape === "across" ? [0.7, 0.5] : shape === "down" ? [0.5, 0.7] : [1, 1];
    this.set(button, x, y, size * wide, size * high);
    button.dataset.cell = cell;
    return button;
  }

  set(element, x, y, size, high = size) {
    element.style.left = `${((x - size / 2) / this.view.width) * 100}%`;
    element.style.top = `${((y - high / 2) / this.view.height) * 100}%`;
    element.style.width = `${(size / this.view.width) * 100}%`;
    element.style.height = `${(high / this.view.height) * 100}%`;
  }

  rows() {
    const rows = new Map();
    this.view.cells.forEach((spot, at) => {
      const key = Math.round(spot.y * 100);
      if (!rows.has(key)) rows.set(key, make("div", { role: "row" }));
      rows.get(key).append(this.cells[at]);
    });
    return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  pointButton(gesture, place) {
    const knob = onKnob({ ...gesture, label: labelOf(gesture) });
    const button = make(
      "button",
      { type: "button", class: "point" },
      make("span", knob === gesture.turn ? { class: "arrow" } : {}, `${knob} `),
    );
    button.style.left = `${(gesture.x / this.view.width) * 100}%`;
    button.style.top = `${(gesture.y / this.view.height) * 100}%`;
    button.style.width = `${(0.38 / this.view.width) * 100}%`;
    this.use(button, place);
    this.turns.push({ x: gesture.x, y: gesture.y, element: button });
    return button;
  }

  besideButton(gesture, place) {
    const button = make("button", { type: "button" }, `${labelOf(gesture)} `);
    this.use(button, place);
    return button;
  }

  use(button, place) {
    button.addEventListener("click", (event) => this.make(place, event.shiftKey));
    button.addEventListener("contextmenu", (event) => {
      const moves = this.movesOf(place);
      if (moves.length < 2) return;
      event.preventDefault();
      this.onMoves(moves);
    });
    this.extra.set(place, button);
  }

  make(place, second) {
    const moves = this.movesOf(place);
    if (moves.length) this.onMoves(chosen(moves, second));
  }

  /** The moves that a button can make now. */
  movesOf(place) {
    return this.chances.find((it) => it.gesture === place)?.moves ?? [];
  }

  /** The place of the only button whose first move begins with a letter; nothing if there is none. */
  lettered(letter) {
    const begins = (place) => same(this.view.gestures[place].moves[0][0], letter);
    const found = letter.length === 1 ? [...this.extra.keys()].filter(begins) : [];
    return found.length === 1 ? found[0] : undefined;
  }

  /** The letters with which moves can be made. */
  get letters() {
    const keys = this.view.gestures.filter(({ kind }) => kind === "key").map(({ key }) => key);
    const first = [...this.extra.keys()].map((place) => this.view.gestures[place].moves[0][0]);
    const alone = first.filter((letter) => this.lettered(letter) !== undefined);
    return [...new Set([...keys.filter((key) => key.length === 1), ...alone])];
  }

  // The labels of the elements, and which of them can be pressed.

  refresh() {
    this.label();
    // If only some of the empty cells can be pressed, these get a dot.
    const free = [...this.pressable].filter((cell) => this.isEmpty(cell));
    const live = free.filter((cell) => this.pressed(cell).length);
    this.cells.forEach((cell, at) => cell.classList.toggle("free", live.length < free.length && live.includes(at)));
    for (const [place, element] of this.extra)
      element.setAttribute("aria-disabled", String(!this.movesOf(place).length));
    // Buttons beside the board of which none can make a move now are invisible, but keep their room.
    const isIdle = [...this.beside.children].every((element) => element.ariaDisabled === "true");
    this.beside.classList.toggle("idle", isIdle);
  }

  label() {
    const { cells, marked } = this.position;
    this.view.cells.forEach((spot, at) => {
      const look = this.view.looks[cells[at]];
      const words = [`${spot.name || `cell ${at + 1}`}: ${look.name}`];
      const can = this.pressed(at).length || this.dragged(at).length || this.dragged(this.from, at).length;
      if (marked.includes(at)) words.push("pressed");
      if (this.view.targets.includes(at)) words.push("of the goal");
      if (this.few.has(at) && can)
        words.push(
          `press for ${this.pressed(at)
            .flatMap(({ moves }) => moves)
            .join(" or ")}`,
        );
      if (at === this.from) words.push("chosen");
      if (this.from !== null && this.dragged(this.from, at).length) words.push("can go here");
      const worth = this.cells[at].querySelector(".worth");
      if (worth) words.push(this.words(this.pressed(at).flatMap(({ moves }) => moves)));
      this.cells[at].setAttribute("aria-label", words.join(", "));
      this.cells[at].setAttribute("aria-disabled", String(!can));
      this.cells[at].setAttribute("aria-selected", String(at === this.from));
      this.cells[at].classList.toggle("chosen", at === this.from);
      this.cells[at].classList.toggle("target", this.from !== null && this.dragged(this.from, at).length > 0);
    });
    // The spoken name of a button begins with its text.
    for (const [place, element] of this.extra) {
      const gesture = this.view.gestures[place];
      const worth = this.words(this.movesOf(place));
      const second = isFamily(gesture.moves) ? `; with Shift ${gesture.moves[1]}` : "";
      const name = `${gesture.kind === "point" ? "Turn " : ""}${labelOf(gesture)} ${worth}`.trim();
      element.setAttribute("aria-label", `${name}${second}`);
    }
  }

  /** The worth of moves in words. */
  words(moves) {
    const known = moves.map((move) => this.values?.get(move)).filter((it) => it);
    return [...new Set(known.map((it) => it.words))].join(" or ");
  }

  // Clicks, drags and keys.

  listen() {
    this.place.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (cell && !this.swallow) this.press(Number(cell.dataset.cell), event.shiftKey);
      this.swallow = false;
    });
    this.place.addEventListener("contextmenu", (event) => {
      const cell = event.target.closest("[data-cell]");
      const moves = cell ? this.movesAt(Number(cell.dataset.cell)) : [];
      if (moves.length < 2) return;
      event.preventDefault();
      this.onMoves(moves);
    });
    this.place.addEventListener("pointerdown", (event) => this.grab(event));
    this.place.addEventListener("pointermove", (event) => this.follow(event));
    for (const kind of ["pointerup", "pointercancel", "pointerleave"])
      this.place.addEventListener(kind, () => this.follow(null));
    this.place.addEventListener("pointerup", (event) => this.drop(event));
    this.place.addEventListener("keydown", (event) => this.key(event));
    // Keys for moves work everywhere, except in elements that need the keys themselves.
    document.addEventListener("keydown", (event) => {
      const needed =
        event.target.closest("input:not([type='checkbox']), select, dialog, [tabindex='0']") ||
        this.place.contains(event.target);
      const arrow = this.arrows && !event.shiftKey && STEPS[event.key];
      const letter = this.anywhere && this.letters.some((known) => same(known, event.key));
      if (!needed && (arrow || letter)) this.key(event);
    });
    this.place.addEventListener("focusin", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (cell) this.rove(Number(cell.dataset.cell), false);
    });
  }

  /** The moves that a press of a cell can make now. */
  movesAt(cell) {
    const pressed = this.of("press").filter(({ cells }) => cells.includes(cell));
    return [...new Set(pressed.flatMap(({ moves }) => moves))];
  }

  press(cell, second) {
    if (this.settingUp) {
      this.settingUp(cell);
      return;
    }
    const moves = this.movesAt(cell);
    if (moves.length) {
      this.onMoves(chosen(moves, second));
    } else if (this.from !== null && this.dragged(this.from, cell).length) {
      this.move(this.from, cell);
    } else if (this.from === cell) {
      this.choose(null);
      this.say("Put down.");
    } else if (this.dragged(cell).length) {
      this.choose(cell);
      this.say(`Chosen: ${this.view.cells[cell].name}. Now choose where it goes.`);
    } else {
      this.choose(null);
      this.say("Nothing can be done there.");
    }
  }

  move(from, to) {
    const moves = [...new Set(this.dragged(from, to).flatMap(({ moves }) => moves))];
    this.choose(null);
    this.onMoves(moves);
  }

  choose(cell) {
    this.from = cell;
    this.label();
  }

  grab(event) {
    const cell = event.target.closest("[data-cell]");
    this.grabbed = this.drags && cell && event.button === 0 ? Number(cell.dataset.cell) : null;
    const isSeen = this.grabbed !== null && !this.settingUp && this.dragged(this.grabbed).length;
    const block = isSeen ? blockOf(this.view, this.position.cells, this.grabbed) : [];
    this.held = { block, x: event.clientX, y: event.clientY };
    // Browsers send all events of a finger to the cell it touched first, unless the capture is released.
    if (this.grabbed !== null && event.target.hasPointerCapture?.(event.pointerId))
      event.target.releasePointerCapture(event.pointerId);
  }

  /** Draws the held piece, with its block, at the pointer; without an event, in its cell again. */
  follow(event) {
    const isHeld = event && this.held && event.buttons;
    const wide = this.place.getBoundingClientRect().width / this.view.width / SCALE;
    const [across, down] = isHeld ? [event.clientX - this.held.x, event.clientY - this.held.y] : [0, 0];
    for (const cell of this.held?.block ?? []) {
      const piece = this.svg.querySelector(`.piece[data-at="${cell}"]`);
      piece.setAttribute("transform", `translate(${across / wide} ${down / wide})`);
      if (isHeld) piece.parentNode.append(piece);
      else piece.removeAttribute("transform");
    }
    if (!isHeld) this.held = null;
  }

  drop(event) {
    if (this.grabbed === null || this.grabbed === undefined) return;
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]");
    const to = cell && this.place.contains(cell) ? Number(cell.dataset.cell) : null;
    const from = this.grabbed;
    this.grabbed = null;
    if (to === null || to === from || !this.dragged(from, to).length) return;
    this.swallow = true; // the click that may follow was a drag
    setTimeout(() => (this.swallow = false), 0);
    this.move(from, to);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const found = event.shiftKey && STEPS[event.key] ? [] : this.of("key").filter(({ key }) => same(key, event.key));
    const known = !event.shiftKey && this.view.gestures.some(({ kind, key }) => kind === "key" && same(key, event.key));
    if (found.length || known) {
      event.preventDefault();
      const moves = [...new Set(found.flatMap(({ moves }) => moves))];
      if (moves.length) this.onMoves(moves);
      else this.say("That move cannot be made here.");
    } else if (this.lettered(event.key) !== undefined) {
      event.preventDefault();
      this.make(this.lettered(event.key), event.shiftKey);
    } else if (STEPS[event.key] && event.target.closest(".point")) {
      event.preventDefault();
      const here = this.turns.find(({ element }) => element === event.target.closest(".point"));
      nearest(this.turns, here, STEPS[event.key])?.element.focus();
    } else if (STEPS[event.key]) {
      event.preventDefault();
      this.rove(nearest(this.view.cells, this.view.cells[this.current], STEPS[event.key])?.cell ?? this.current, true);
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      this.rove(event.key === "Home" ? 0 : this.cells.length - 1, true);
    } else if (event.key === "Escape" && this.from !== null) {
      this.choose(null);
      this.say("Put down.");
    }
  }

  rove(cell, focus) {
    this.cells[this.current].tabIndex = -1;
    this.current = cell;
    this.cells[cell].tabIndex = 0;
    if (focus) this.cells[cell].focus();
  }
}

/** Returns true if moves are a family: all names begin with the first one. */
export const isFamily = (moves) => moves.length > 1 && moves.every((move) => move.startsWith(moves[0]));

/** The moves from which a press chooses: one move of a family, or all moves that are no family. */
const chosen = (moves, second) => (isFamily(moves) ? [moves[second ? 1 : 0]] : moves);

/** The text on a button. */
const labelOf = ({ label, moves }) => (isFamily(moves) ? moves[0] : label || moves[0]);

const same = (a, b) => a === b || (a.length === 1 && a.toLowerCase() === b.toLowerCase());

/**
 * The nearest place in a direction; null if there is none. Distance to the side counts one and a half times. With that,
 * on hexagons the cell to the lower right is still nearer than the cell two rows below.
 */
function nearest(places, here, [across, down]) {
  let [best, least] = [null, Infinity];
  for (const place of places) {
    const along = (place.x - here.x) * across + (place.y - here.y) * down;
    const aside = Math.abs((place.x - here.x) * down) + Math.abs((place.y - here.y) * across);
    const far = along + 1.5 * aside;
    if (along > 0.1 && aside <= along * 1.8 && far < least) [best, least] = [place, far];
  }
  return best;
}
