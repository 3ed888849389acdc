// Draws a state as SVG from the view of a puzzle (docs/view.md), with the same shapes as `view/picture.py`.

import { drawn } from "./dom.js";

const SCALE = 48;
const INK = "#111111"; // on dark boards, the classes "ink" and "edge" are light
const DASHES = { fill: "none", stroke: INK, "stroke-width": 2, "stroke-dasharray": "5 3", class: "edge" };
const FIELD_PART = 0.94;
const TILE_PART = 0.94;
const ROUND = 0.12;
const FAINT = { stroke: INK, "stroke-opacity": 0.25 };
const MOST_LETTERS = 6; // longer texts are squeezed into their cells
const WAYS = [
  { across: 1, down: 0, side: "right", back: "left" },
  { across: 0, down: 1, side: "down", back: "up" },
];

/**
 * Fills an SVG element with a state.
 * @param {SVGElement} svg The element.
 * @param {object} view The view.
 * @param {string[]} cells The symbol of each cell.
 * @param {{marked?: number[], points?: boolean}} options The cells that are marked, and whether
 *     round buttons are drawn.
 */
export function draw(svg, view, cells, { marked = [], points = false } = {}) {
  svg.setAttribute("viewBox", `0 0 ${number(view.width * SCALE)} ${number(view.height * SCALE)}`);
  const turns = points ? view.gestures.filter(({ kind }) => kind === "point") : [];
  const sides = joinedSides(view, cells);
  svg.replaceChildren(
    ...tray(view),
    ...view.cells.map((spot) => field(spot, marked.includes(spot.cell), view.targets.includes(spot.cell))),
    ...view.regions.map((region) => around(region.cells.map((cell) => view.cells[cell]))),
    ...view.cells.map((spot) => {
      const drawing = piece(view.looks[cells[spot.cell]], view.palette, spot, sides.get(spot.cell));
      return drawn("g", { class: "piece", "data-at": spot.cell }, ...drawing);
    }),
    ...view.cells.filter((spot) => spot.label).map(label),
    ...turns.map(({ x, y, label }) => point(x * SCALE, y * SCALE, label)),
  );
}

/** The tray in which the cells of a whole rectangle of squares lie. */
function tray({ cells, width, height }) {
  const whole = cells.length >= Math.round(width) * Math.round(height);
  if (!whole || cells.some(({ shape, size }) => shape !== "square" || size !== 1)) return [];
  const [wide, high] = [width * SCALE + 6, height * SCALE + 6].map(number);
  return [drawn("rect", { x: -3, y: -3, width: wide, height: high, rx: 9, class: "tray" })];
}

/** A cell without its symbol. A marked cell has another colour and a broken line, and a target a double edge. */
function field(spot, marked, target) {
  const made = drawn("g", { class: marked ? "field marked" : "field" }, rim(spot, FIELD_PART, { class: "ground" }));
  if (marked) made.append(rim(spot, 0.9, DASHES));
  if (target) made.append(rim(spot, 0.92, { fill: "none", stroke: "#009e73", "stroke-width": 2, class: "goal-cell" }));
  return made;
}

/** The label in the corner of a square, or at the top of another cell. A light edge makes it readable. */
function label(spot) {
  const [half, square] = [(spot.size / 2) * SCALE, spot.shape === "square"];
  const at = { x: number(spot.x * SCALE - (square ? half - 4 : 0)), y: number(spot.y * SCALE - half + 12) };
  const edge = { stroke: "#ffffff", "stroke-width": 3, "paint-order": "stroke", class: "ink halo" };
  return drawn(
    "text",
    { ...at, "font-size": 11, fill: INK, "text-anchor": square ? "start" : "middle", ...edge },
    spot.label,
  );
}

/** The edge of a cell, or a part of it around the same middle. */
function rim(spot, part, attributes) {
  const [x, y, half] = [spot.x * SCALE, spot.y * SCALE, (spot.size * part * SCALE) / 2];
  if (spot.shape === "disk") return drawn("circle", { cx: number(x), cy: number(y), r: number(half), ...attributes });
  if (spot.shape !== "hexagon") return box(x, y, half, attributes);
  const far = (2 * half) / Math.sqrt(3);
  const corners = [0, 1, 2, 3, 4, 5].map((turn) => (Math.PI / 3) * turn + Math.PI / 6);
  const points = corners.map((turn) => `${number(x + far * Math.cos(turn))},${number(y + far * Math.sin(turn))}`);
  return drawn("polygon", { points: points.join(" "), ...attributes });
}

function box(x, y, half, attributes) {
  return drawn("rect", {
    x: number(x - half),
    y: number(y - half),
    width: number(2 * half),
    height: number(2 * half),
    rx: number(ROUND * SCALE),
    ...attributes,
  });
}

/** For each cell that is a part of a block, the sides on which the block goes on in the next cell. */
function joinedSides({ cells: spots, joins }, cells) {
  const sides = new Map();
  const at = new Map(spots.map((spot) => [`${spot.x} ${spot.y}`, spot.cell]));
  const go = (cell, side) => sides.set(cell, [...(sides.get(cell) ?? []), side]);
  for (const { cell, x, y } of joins.length ? spots : []) {
    for (const { across, down, side, back } of WAYS) {
      const other = at.get(`${x + across} ${y + down}`);
      const one = (join) => join.first === cells[cell] && join.second === cells[other];
      if (other === undefined || !joins.some((join) => one(join) && join.across === across && join.down === down))
        continue;
      go(cell, side);
      go(other, back);
    }
  }
  return sides;
}

/** A tile that is a part of a block. It has a line only where the block ends. */
function part(x, y, unit, fill, joined) {
  const reach = (side) => (joined.includes(side) ? 0.5 : TILE_PART / 2) * unit;
  const [left, top, right, bottom] = [x - reach("left"), y - reach("up"), x + reach("right"), y + reach("down")].map(
    number,
  );
  const corners = {
    up: [left, top, right, top],
    right: [right, top, right, bottom],
    down: [left, bottom, right, bottom],
    left: [left, top, left, bottom],
  };
  const open = Object.entries(corners).filter(([side]) => !joined.includes(side));
  const path = open.map(([, [a, b, c, d]]) => `M${a} ${b}L${c} ${d}`).join("");
  const ground = drawn("rect", {
    x: left,
    y: top,
    width: number(right - left),
    height: number(bottom - top),
    fill,
    stroke: "none",
  });
  if (!path) return [ground];
  return [ground, drawn("path", { d: path, stroke: INK, "stroke-opacity": 0.5, "stroke-linecap": "square" })];
}

/** A symbol in a cell. A tile of a block reaches the edges of the cell where it is joined, and has no text. */
function piece(look, palette, spot, joined) {
  const [x, y, unit] = [spot.x * SCALE, spot.y * SCALE, spot.size * SCALE];
  const { fill, text } = palette[look.colour];
  // A dark edge, since light colours are hardly seen on a light ground.
  const edges = [
    { stroke: INK, "stroke-width": 9, class: "edge" },
    { stroke: fill, "stroke-width": 6 },
  ];
  const made = [];
  if (look.shape === "tile" && joined) {
    made.push(...part(x, y, unit, fill, joined));
  } else if (look.shape === "tile" && spot.shape === "square") {
    made.push(box(x, y, (TILE_PART / 2) * unit, { rx: number(ROUND * unit), fill, ...FAINT }));
  } else if (look.shape === "tile") {
    made.push(circle(x, y, 0.42 * unit, { fill, ...FAINT }));
  } else if (look.shape === "disk") {
    made.push(circle(x, y, 0.38 * unit, { fill, stroke: INK, "stroke-width": 1.5, class: "edge" }));
  } else if (look.shape === "ring") {
    made.push(...edges.map((edge) => circle(x, y, 0.28 * unit, { fill: "none", ...edge })));
  } else if (look.shape === "cross") {
    const arm = 0.27 * unit;
    const lines = [-1, 1].map(
      (side) => `M${number(x - arm)} ${number(y + side * arm)}L${number(x + arm)} ${number(y - side * arm)}`,
    );
    made.push(...edges.map((edge) => drawn("path", { d: lines.join(" "), "stroke-linecap": "round", ...edge })));
  }
  if (look.text && !joined) {
    const inside = look.shape === "tile" || look.shape === "disk";
    const colour = inside ? { fill: text } : { fill: INK, class: "ink" };
    const size = spot.shape === "square" && look.shape !== "disk" ? 0.48 * unit : 0.4 * unit;
    const long = [...look.text].length > MOST_LETTERS;
    const squeezed = long ? { textLength: number(0.8 * unit), lengthAdjust: "spacingAndGlyphs" } : {};
    made.push(words(look.text, x, y, fitting(look.text, size), { ...colour, "font-weight": 600, ...squeezed }));
  }
  return made;
}

const circle = (x, y, r, attributes) => drawn("circle", { cx: number(x), cy: number(y), r: number(r), ...attributes });

/** A text whose middle is at a place. */
function words(text, x, y, size, attributes) {
  return drawn(
    "text",
    { x: number(x), y: number(y + size * 0.35), "font-size": number(size), "text-anchor": "middle", ...attributes },
    text,
  );
}

/** The size of letters with which a text fits into a cell. */
function fitting(text, size) {
  const length = [...text].length;
  return length <= 2 ? size : Math.max(7, (size * 2.4) / (length + 0.4));
}

function point(x, y, label) {
  return drawn(
    "g",
    { class: "turn" },
    circle(x, y, 9.6, { stroke: INK, "stroke-width": 1.5 }),
    words(label, x, y, fitting(label, 12), { fill: INK }),
  );
}

/** A line around cells. For squares: the edges of only one of the cells. */
function around(spots) {
  const line = { fill: "none", stroke: INK, "stroke-width": 3, "stroke-linecap": "round", class: "group edge" };
  if (spots.some(({ shape }) => shape !== "square")) return drawn("g", {}, ...spots.map((spot) => rim(spot, 1, line)));
  const edges = new Map();
  for (const { x, y, size } of spots) {
    const [left, top, right, bottom] = [x - size / 2, y - size / 2, x + size / 2, y + size / 2].map((at) =>
      number(at * SCALE),
    );
    const corners = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ].map(([a, b]) => `${a} ${b}`);
    corners.forEach((corner, at) => {
      const edge = [corner, corners[(at + 1) % 4]].sort().join("L");
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    });
  }
  const path = [...edges].filter(([, times]) => times === 1).map(([edge]) => `M${edge}`);
  return drawn("path", { d: path.join(""), ...line });
}

const number = (value) => Math.round(value * 100) / 100;
