// A body whose surface is the board, such as a cube beside its net. A person turns it by dragging, or with the arrow
// keys when it has the focus. A press of a facet makes the move of the nearest button or cell of its face.

import { byId } from "./dom.js";
import { isStill } from "./motion.js";
import { about, around, isSeen, middleOf, SIZE, solid, USUAL } from "./solid.js";

const STEP = Math.PI / 12; // the angle by which an arrow key turns it
const DRAG = Math.PI / SIZE; // the angle by which a drag turns it for each unit of length
const STRAY = 5; // a pointer that moves this many pixels turns the body, and presses nothing
const NEAR = 0.8; // a round button lies this close to the middles of the cells around it
const TURN = 240; // milliseconds of the motion of a layer
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const KEY = "puzzlekit-letters";

let board = null; // the board that is shown
let cells = null; // the symbol of each cell that is drawn
let advised = []; // the cells of a hint
let turned = USUAL;
let moving = null; // the layer that turns

const paint = () => byId("body").replaceChildren(...solid(board.view, cells, { turned, moving, advised }));

/** Draws the position of a board on the body. */
export function show(shown) {
  if (!board) listen(shown);
  const before = cells;
  cells = shown.position.cells;
  advised = [];
  moving = before && !isStill() ? layerBetween(shown.view.body, before, cells) : null;
  if (moving) requestAnimationFrame((begun) => move(moving, begun));
  paint();
}

/**
 * Marks the cells of a hint, or those around the round button of its gesture. If none of them is seen, the body shows
 * the other side, where all hidden cells are.
 */
export function advise(marked, gesture) {
  const named = board.view.gestures[gesture];
  advised = named?.kind === "point" ? cellsOf(named) : marked;
  if (advised.length && !advised.some((cell) => isSeen(board.view, turned, cell))) turned = about(turned, "y", Math.PI);
  paint();
}

// A layer that turns

const name = (point) => point.map((part) => Math.round(part * 100) || 0).join(" "); // 0 for -0, too

/**
 * The layer whose turn leads from one position to the next; null if there is none. A layer is all that lies beyond a
 * cut across an axis of the body. Each turn by a quarter or a half is tried.
 */
function layerBetween(body, before, after) {
  if (before.every((symbol, cell) => symbol === after[cell])) return null;
  const middles = body.map(middleOf);
  const at = new Map(middles.map((point, cell) => [name(point), cell]));
  for (const axis of [0, 1, 2]) {
    const heights = [...new Set(middles.map((point) => Math.round(point[axis] * 100)))].sort((a, b) => b - a);
    for (const side of [1, -1]) {
      for (const height of heights.slice(1, Math.ceil(heights.length / 2))) {
        const isIn = middles.map((point) => side * Math.round(point[axis] * 100) >= height);
        for (const angle of [Math.PI / 2, -Math.PI / 2, Math.PI]) {
          const to = middles.map((point, cell) => (isIn[cell] ? at.get(name(around(point, axis, angle))) : cell));
          if (to.every((place, cell) => after[place] === before[cell])) return { axis, isIn, angle, left: -angle };
        }
      }
    }
  }
  return null;
}

function move(layer, begun) {
  if (moving !== layer) return;
  const part = Math.min(1, Math.max(0, (performance.now() - begun) / TURN));
  layer.left = -layer.angle * (1 - part) ** 2;
  if (part === 1) moving = null;
  else requestAnimationFrame(() => move(layer, begun));
  paint();
}

// By hand

function turn(across, down) {
  turned = about(about(turned, "y", across), "x", down);
  paint();
}

/** The direction in which a facet looks. */
function outward([first, second, third]) {
  const [a, b] = [second.map((part, axis) => part - first[axis]), third.map((part, axis) => part - second[axis])];
  const across = [0, 1, 2].map((axis) => {
    const [one, other] = [(axis + 1) % 3, (axis + 2) % 3];
    return a[one] * b[other] - a[other] * b[one];
  });
  return name(across.map((part) => part / Math.hypot(...across)));
}

/** The cells of a gesture: those that are pressed, or those around a round button. */
function cellsOf({ kind, cells: pressed, x, y }) {
  const beside = board.view.cells.filter((spot) => Math.hypot(spot.x - x, spot.y - y) < NEAR);
  return { press: pressed, point: beside.map(({ cell }) => cell) }[kind] ?? [];
}

/** The place of the gesture that a press of a facet makes; nothing if its face has none. */
function gestureAt(facet) {
  const { body, gestures } = board.view;
  const here = middleOf(body[facet]);
  const far = gestures.map((gesture) => {
    const some = cellsOf(gesture).filter((cell) => outward(body[cell]) === outward(body[facet]));
    if (!some.length) return Infinity;
    const middle = middleOf(some.map((cell) => middleOf(body[cell])));
    return Math.hypot(...middle.map((part, axis) => part - here[axis]));
  });
  const least = Math.min(...far);
  return least < Infinity ? far.indexOf(least) : undefined;
}

function press(event, isMenu) {
  const facet = document.elementFromPoint(event.clientX, event.clientY)?.dataset.facet;
  const gesture = facet === undefined ? undefined : gestureAt(Number(facet));
  if (gesture === undefined || board.settingUp) return;
  const moves = board.movesOf(gesture);
  if (isMenu && moves.length) board.onMoves(moves);
  else board.make(gesture, event.shiftKey);
}

function listen(shown) {
  board = shown;
  const [body, letters] = [byId("body"), byId("letters")];
  const lettered = () => document.documentElement.classList.toggle("lettered", letters.checked);
  try {
    letters.checked = localStorage.getItem(KEY) === "1";
  } catch {
    // the storage is switched off
  }
  lettered();
  letters.addEventListener("change", () => {
    lettered();
    try {
      localStorage.setItem(KEY, letters.checked ? "1" : "");
    } catch {
      // Without storage, the choice holds only for this page.
    }
  });
  let [first, last] = [null, null]; // where the pointer went down, and where it was seen last
  body.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    first = last = event;
    body.setPointerCapture(event.pointerId);
  });
  body.addEventListener("pointermove", (event) => {
    if (!last || !event.buttons) return;
    if (first && Math.hypot(event.clientX - first.clientX, event.clientY - first.clientY) < STRAY) return;
    first = null;
    const unit = (DRAG * SIZE) / body.getBoundingClientRect().width;
    turn((event.clientX - last.clientX) * unit, (event.clientY - last.clientY) * unit);
    last = event;
  });
  body.addEventListener("pointerup", (event) => {
    if (first) press(event);
    first = last = null;
  });
  body.addEventListener("pointercancel", () => (first = last = null));
  body.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    first = last = null;
    press(event, true);
  });
  body.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    turn(...way.map((part) => part * STEP));
  });
}
