// A body whose surface is the board, such as a cube beside its net. A person turns it by dragging, or with the arrow
// keys when it has the focus.

import { byId, drawn } from "./dom.js";

const SIZE = 200;
const FAR = 5; // the distance from its middle to the eye, in radii of the body
const STEP = Math.PI / 12; // the angle by which an arrow key turns it
const DRAG = Math.PI / SIZE; // the angle by which a drag turns it for each unit of length
const PART = 0.92; // the part of a facet that has the colour of its symbol
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

let shown = null; // the view, and the symbol of each cell, that are drawn
let turned = about(about(null, "y", -Math.PI / 5), "x", Math.PI / 6); // rows: each axis of the body as seen

/** Draws a position on the body. */
export function show(view, cells) {
  if (!shown) listen();
  shown = { view, cells };
  paint();
}

/** The matrix of a turn `before` (if any), followed by a turn around an axis of the viewer. */
function about(before, axis, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turn = {
    x: ([x, y, z]) => [x, y * cos - z * sin, y * sin + z * cos],
    y: ([x, y, z]) => [x * cos + z * sin, y, z * cos - x * sin],
  }[axis];
  const axes = before ?? [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  return axes.map(turn);
}

/** The coordinates of a point of the body as the viewer sees it. */
const seen = (point) => [0, 1, 2].map((axis) => point.reduce((sum, part, at) => sum + part * turned[at][axis], 0));

function paint() {
  const { view, cells } = shown;
  const long = Math.max(...view.body.flat().map((corner) => Math.hypot(...corner)));
  const onPaper = ([x, y, z]) => {
    const near = (FAR * long) / (FAR * long - z);
    return [x, -y].map((part) => ((SIZE * 0.48) / long) * part * near + SIZE / 2);
  };
  const facets = view.body.map((corners, cell) => {
    const points = corners.map(seen);
    const middle = points[0].map((_, axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
    const inner = points.map((point) => point.map((part, axis) => middle[axis] + (part - middle[axis]) * PART));
    const { text, colour } = view.looks[cells[cell]];
    return { outer: points.map(onPaper), inner: inner.map(onPaper), at: onPaper(middle), text, colour };
  });
  const front = facets.filter(({ outer }) => area(outer) > 1);
  byId("body").replaceChildren(
    ...front.map(({ outer }) => polygon(outer, "edge")),
    ...front.flatMap(({ inner, at: [x, y], text, colour }) => {
      const { fill, text: ink } = view.palette[colour];
      const size = Math.sqrt(area(inner)) * 0.5;
      const about = { x, y: y + size * 0.35, "font-size": size, "text-anchor": "middle", fill: ink };
      return [polygon(inner, "", fill), ...(text ? [drawn("text", about, text)] : [])];
    }),
  );
}

function polygon(points, kind, fill) {
  const texts = points.map((point) => point.map((part) => part.toFixed(1)).join(","));
  return drawn("polygon", { points: texts.join(" "), class: kind, fill });
}

/** The area of a polygon on the paper; negative if it is seen from behind. */
function area(points) {
  const parts = points.map(([x, y], at) => {
    const [nextX, nextY] = points[(at + 1) % points.length];
    return x * nextY - nextX * y;
  });
  return parts.reduce((sum, part) => sum + part, 0) / 2;
}

function turn(across, down) {
  turned = about(about(turned, "y", across), "x", down);
  paint();
}

function listen() {
  const body = byId("body");
  let last = null;
  body.addEventListener("pointerdown", (event) => {
    last = event;
    body.setPointerCapture(event.pointerId);
  });
  body.addEventListener("pointermove", (event) => {
    if (!last || !event.buttons) return;
    const unit = (DRAG * SIZE) / body.getBoundingClientRect().width;
    turn((event.clientX - last.clientX) * unit, (event.clientY - last.clientY) * unit);
    last = event;
  });
  for (const kind of ["pointerup", "pointercancel"]) body.addEventListener(kind, () => (last = null));
  body.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    turn(...way.map((part) => part * STEP));
  });
}
