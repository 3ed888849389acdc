// The picture of a body whose surface is the board, such as a cube beside its net, as it is seen from some side.

import { drawn } from "./dom.js";

export const SIZE = 200; // the side of the picture
const LARGE = 0.5; // the radius of the body, in sides of the picture
const FAR = 6; // the distance from its middle to the eye, in radii of the body
const PART = 0.92; // the part of a facet that has the colour of its symbol

/** The matrix of a turn `before` (if any), followed by a turn around an axis of the viewer. */
export function about(before, axis, angle) {
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

/** The matrix of the usual side: rows are the axes of the body as they are seen. */
export const USUAL = about(about(null, "y", -Math.PI / 5), "x", Math.PI / 6);

/** A point after a turn around an axis of the body: 0, 1 or 2. */
export function around(point, axis, angle) {
  const [one, other] = [(axis + 1) % 3, (axis + 2) % 3];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const made = [...point];
  made[one] = point[one] * cos - point[other] * sin;
  made[other] = point[one] * sin + point[other] * cos;
  return made;
}

export const middleOf = (points) =>
  [0, 1, 2].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);

/**
 * The elements of a picture.
 * @param {object} view The view.
 * @param {string[]} cells The symbol of each cell.
 * @param {object} how From which side it is seen (`turned`), the layer that is turning (`moving`: an axis, which cells
 *     are in the layer, and the angle that is left), and the cells of a hint (`advised`).
 */
export function solid(view, cells, { turned = USUAL, moving = null, advised = [] } = {}) {
  const facets = facetsOf(view.body, turned, moving);
  // While a layer turns, one sees into the body: the backs of facets are dark.
  const shown = facets.filter(({ outer }) => moving || area(outer) > 1).sort((a, b) => a.far - b.far);
  const under = moving ? [] : facetsOf(sidesOf(view.body), turned, null).filter(({ outer }) => area(outer) > 1);
  const dark = under.map(({ outer }) => polygon(outer, { class: "edge" }));
  const coloured = shown.flatMap(({ cell, outer, inner, at: [x, y] }) => {
    const edge = polygon(outer, { class: "edge", "data-facet": cell });
    if (area(outer) < 1) return [edge];
    const { text, colour } = view.looks[cells[cell]];
    const { fill, text: ink } = view.palette[colour];
    const size = Math.sqrt(area(inner)) * 0.5;
    const letter = { x, y: y + size * 0.35, "font-size": size, "text-anchor": "middle", fill: ink };
    return [
      edge,
      polygon(inner, { fill, "data-facet": cell }),
      ...(text ? [drawn("text", letter, text)] : []),
      ...(advised.includes(cell) ? ["advice casing", "advice"].map((kind) => polygon(inner, { class: kind })) : []),
    ];
  });
  return [...dark, ...coloured];
}

/** The sides of the cube that a body is. Between facets that do not cover them they are dark. */
function sidesOf(body) {
  const half = Math.max(...body.flat(2));
  const side = [
    [-half, half, half],
    [half, half, half],
    [half, -half, half],
    [-half, -half, half],
  ];
  const way = (axis, turns) => side.map((point) => around(point, axis, (turns * Math.PI) / 2));
  return [side, way(1, 1), way(1, 2), way(1, 3), way(0, 1), way(0, 3)];
}

/** Whether a cell is seen from a side. */
export const isSeen = (view, turned, cell) => area(facetsOf(view.body, turned, null)[cell].outer) > 1;

/** The facets of the body on the paper: the corners, those of the coloured part, the middle, and how near it is. */
function facetsOf(body, turned, moving) {
  const long = Math.max(...body.flat().map((corner) => Math.hypot(...corner)));
  const seen = (point) => [0, 1, 2].map((axis) => point.reduce((sum, part, at) => sum + part * turned[at][axis], 0));
  const onPaper = ([x, y, z]) => {
    const near = (FAR * long) / (FAR * long - z);
    return [x, -y].map((part) => ((SIZE * LARGE) / long) * part * near + SIZE / 2);
  };
  return body.map((corners, cell) => {
    const isTurning = moving?.isIn[cell];
    const points = corners.map((corner) => seen(isTurning ? around(corner, moving.axis, moving.left) : corner));
    const middle = middleOf(points);
    const inner = points.map((point) => point.map((part, axis) => middle[axis] + (part - middle[axis]) * PART));
    return { cell, outer: points.map(onPaper), inner: inner.map(onPaper), at: onPaper(middle), far: middle[2] };
  });
}

function polygon(points, attributes) {
  const texts = points.map((point) => point.map((part) => part.toFixed(1)).join(","));
  return drawn("polygon", { points: texts.join(" "), ...attributes });
}

/** The area of a polygon on the paper; negative if it is seen from behind. */
function area(points) {
  const parts = points.map(([x, y], at) => {
    const [nextX, nextY] = points[(at + 1) % points.length];
    return x * nextY - nextX * y;
  });
  return parts.reduce((sum, part) => sum + part, 0) / 2;
}
