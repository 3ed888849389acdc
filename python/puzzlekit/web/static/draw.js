// Draws a state as SVG from the view of a puzzle (docs/view.md), with the same shapes as `view/picture.py`.

import { drawn } from "./dom.js";

export const SCALE = 48;
const INK = "#111111"; // on dark boards, the classes "ink" and "edge" are light
const PART = 0.92;
const ROUND = 0.12;
const BRIM = 4;
const THICK = 0.5;
const FULL = 0.98;
const PILED = ["#4379bd", "#aa641f", "#008d66", "#af5675", "#837b04", "#8366b4", "#b3594c"];
const DEEP = 1.8;
const BORDER = 6;
const SEAM = 0.5;
const HOLE = 0.84;
const SHADE = { fill: "#000000", "fill-opacity": 0.22 };
const INKED = ["tile", "disk", "lamp", "box"];
const SOLID = ["tile", "lamp", "box"];
const FILLING = [...SOLID, "wall", "none"];
// Paths in hundredths of a cell, from its middle. A stroke or fill without a colour has the colour of the look.
const SIGNS = {
  cross: [
    ["M-25 -25L25 25M25 -25L-25 25", { fill: "none", stroke: null, "stroke-width": 6.2, "stroke-linecap": "round" }],
  ],
  lamp: [["M-26 0C-26 -34 26 -34 26 0C26 34 -26 34 -26 0Z", { fill: "#ffffff", "fill-opacity": 0.45 }]],
  box: [
    [
      "M-33 -33L33 -33L33 33L-33 33ZM-33 -33L33 33M33 -33L-33 33",
      { fill: "none", stroke: "#000000", "stroke-opacity": 0.3, "stroke-width": 2 },
    ],
  ],
  person: [
    ["M0 -36C19 -36 19 -7 0 -7C-19 -7 -19 -36 0 -36Z", { fill: null }],
    ["M-30 34C-30 -14 30 -14 30 34Z", { fill: null }],
  ],
};
const THIN = 0.17;
const NOTHING = { shape: "none", text: "", colour: "plain" }; // in a cell of which a goal says nothing
const DOT = 0.08;
const MOST_PIPS = 16;
const MOST_LETTERS = 6; // longer texts are squeezed into their cells
const WAYS = [
  { across: 1, down: 0, side: "right", back: "left" },
  { across: 0, down: 1, side: "down", back: "up" },
];

/** Fills an SVG element with a state: the symbols of its cells, those that are marked, maybe round buttons. */
export function draw(svg, view, cells, { marked = [], points = false } = {}) {
  svg.setAttribute("viewBox", `0 0 ${number(view.width * SCALE)} ${number(view.height * SCALE)}`);
  svg.classList.toggle("folded", view.body.length > 0); // has no letters, unless somebody asks for them
  if (view.cells[0].shape === "stack") {
    svg.replaceChildren(...piles(view, cells));
    return;
  }
  const inks = Object.values(view.looks).filter(({ shape }) => !FILLING.includes(shape));
  const fills = new Set(inks.map(({ colour }) => view.palette[colour].fill));
  // Black pieces, maybe with white ones, are seen on a dark board because the ground there is lighter than elsewhere.
  svg.classList.toggle("pale", fills.delete("#111111") && (fills.delete("#ffffff"), !fills.size));
  const turns = points ? view.gestures.filter(({ kind }) => kind === "point") : [];
  const sides = joinedSides(view, cells);
  const [field, part] = hasHoles(view) ? [view.cells.map(round), HOLE] : [view.cells, PART];
  svg.replaceChildren(
    ...tray(view),
    ...field.map((spot) => drawn("g", { class: "field" }, rim(spot, part, { class: "ground" }))),
    ...view.sides.map((side) => owned(side, view)),
    ...view.regions.map((region) => around(region.cells.map((cell) => view.cells[cell]))),
    ...view.cells.map((spot) => {
      const drawing = piece(view.looks[cells[spot.cell]] ?? NOTHING, view.palette, spot, sides.get(spot.cell));
      return drawn("g", { class: "piece", "data-at": spot.cell }, ...drawing);
    }),
    ...dots(view.cells),
    ...marked.map((cell) => mark(view.cells[cell], view, cells[cell])),
    ...view.targets.flatMap((cell) => target(view.cells[cell], view.looks[cells[cell]] ?? NOTHING)),
    ...labels(view, cells),
    ...turns.map((turn) => point(turn.x * SCALE, turn.y * SCALE, onKnob(turn))),
    ...view.captions.map(({ text, x, y }) => words(text, x * SCALE, y * SCALE, 10, { class: "beside" })),
  );
}

/** Whether the cells are round holes: they lie in a frame, or the pieces on squares are disks of one look. */
export function hasHoles({ cells, looks, frame }) {
  const shapes = Object.values(looks).map(({ shape }) => shape);
  const isOne = shapes.length === 2 && shapes.includes("none") && shapes.includes("disk");
  return Boolean(frame) || (isOne && cells.every(({ shape }) => shape === "square"));
}

/** The place of a cell, as that of a round one. */
export const round = (spot) => (spot.shape === "square" ? { ...spot, shape: "disk" } : spot);

/** The text on a round button: its label, or if that is a mere number, the arrow of its turn. */
export const onKnob = ({ label, turn }) => (turn && /^\d+$/.test(label) ? turn : label);

/** A side of the board that belongs to a symbol, in its colour. */
function owned({ symbol, lines }, { looks, palette }) {
  const at = (x, y) => `${number(x * SCALE)} ${number(y * SCALE)}`;
  const d = lines.map(({ x1, y1, x2, y2 }) => `M${at(x1, y1)}L${at(x2, y2)}`).join("");
  const { fill } = palette[looks[symbol].colour];
  return drawn("path", { d, fill: "none", stroke: fill, "stroke-width": BORDER, "stroke-linecap": "round" });
}

/** The places of a state's cells. Pieces of the shape "stack" lie on the pile of their symbol, as in `layout.py`. */
export function placed({ cells: spots, looks, width }, cells) {
  if (spots[0].shape !== "stack") return spots;
  const symbols = Object.keys(looks);
  return spots.map((spot, at) => {
    const below = cells.slice(at).filter((symbol) => symbol === cells[at]).length;
    const x = ((symbols.indexOf(cells[at]) + 0.5) * width) / symbols.length;
    return { ...spot, x, y: THICK * (spots.length + 1) - (below - 0.5) * THICK };
  });
}

/** Pieces as wide as their spots, in piles on pegs. Under each peg stands the text of its symbol. */
function piles(view, cells) {
  const [looks, floor] = [Object.entries(view.looks), THICK * (view.cells.length + 1) * SCALE];
  const [wide, high] = [view.width * SCALE, view.height * SCALE];
  const middle = (at) => ((at + 0.5) * wide) / looks.length;
  const peg = (_, at) => ({ x: number(middle(at) - 3), y: 0.3 * SCALE, width: 6, rx: 3 });
  const frame = { x: -BRIM, y: -BRIM, width: number(wide + 2 * BRIM), height: number(high + 2 * BRIM), rx: 9 };
  const end = Math.max(0, middle(0) - (Math.max(...view.cells.map(({ size }) => size)) / 2) * SCALE - BRIM);
  return [
    drawn("rect", { ...frame, class: "tray" }),
    drawn("rect", { x: 0, y: 0, width: number(wide), height: number(high), rx: 6, class: "ground" }),
    drawn("rect", { x: number(end), y: floor, width: number(wide - 2 * end), height: 6, rx: 3, class: "peg" }),
    ...looks.map(peg).map((about) => drawn("rect", { ...about, height: number(floor - 0.3 * SCALE), class: "peg" })),
    ...looks.map(([symbol, { text }], at) =>
      words(text || symbol, middle(at), floor + 0.5 * SCALE, 10, { fill: INK, class: "ink", "font-weight": 600 }),
    ),
    ...placed(view, cells).map((spot) => {
      const made = slab(spot, { fill: PILED[spot.cell % PILED.length] });
      return drawn("g", { class: "piece", "data-at": spot.cell }, made);
    }),
  ];
}

/** The outline of a piece in a pile. */
export function slab({ x, y, size }, about) {
  const at = { x: number((x - size / 2) * SCALE), y: number((y + (0.5 - FULL) * THICK) * SCALE) };
  return drawn("rect", { ...at, width: number(size * SCALE), height: number(FULL * THICK * SCALE), rx: 7, ...about });
}

/** How wide the frame is that a board has beyond its cells, in hundredths of the width of board and frame together. */
export function brim({ cells, width, walls }) {
  const wide = hasTray(cells) ? (walls ? 1 : BRIM) : 0;
  return number((100 * wide) / (width * SCALE + 2 * wide));
}

const hasTray = (cells) => !cells.some((spot) => spot.shape === "disk" || isLine(spot));

/** The tray under the board: a rectangle if the cells fill one, otherwise their outline; maybe with walls around it. */
function tray({ cells, width, height, walls, captions, frame }) {
  if (!hasTray(cells)) return [];
  const own = frame ? { fill: frame, stroke: frame } : {};
  const under = (spots, name, wide) =>
    outline(spots, { class: name, "stroke-width": wide, "stroke-linejoin": "round", ...own });
  if (walls) return [under([...cells, ...walled(cells)], "walls", 2), under(cells, "tray", 2)];
  const whole = !captions.length && cells.length >= Math.round(width) * Math.round(height);
  if (cells.every(({ shape }) => shape === "square") && !whole) return [under(cells, "tray", 2 * BRIM)];
  if (!whole || cells.some(({ shape, size }) => shape !== "square" || size !== 1))
    return cells.map((spot) => rim(spot, 1 + (2 * BRIM) / SCALE, { class: "tray" }));
  const [wide, high] = [width, height].map((side) => number(side * SCALE + 2 * BRIM));
  return [drawn("rect", { x: -BRIM, y: -BRIM, width: wide, height: high, rx: 9, class: "tray", ...own })];
}

/** The thin ring in a marked cell, round around a disk: grey, or on what fills the cell as its text. */
function mark(spot, { looks, palette }, symbol) {
  const { shape, colour } = looks[symbol];
  const line = { fill: "none", stroke: "#767066", "stroke-width": 1.2, class: "mark" };
  if (SOLID.includes(shape)) Object.assign(line, { stroke: palette[colour].text, "stroke-opacity": 0.6, class: "" });
  return rim(shape === "disk" ? round(spot) : spot, 0.84, line);
}

/** The ring of a cell that the goal is about: light with a dark edge, so that it is seen on every piece. */
function target(spot, look) {
  const part = look.text || isLine(spot) ? 0.82 : 0.34; // around a text, if there is one
  const ring = isLine(spot) ? spot : { ...spot, shape: "disk" };
  const line = (stroke, wide) => rim(ring, part, { fill: "none", stroke, "stroke-width": wide, class: "goal-cell" });
  return [line("#3a3428", 4.5), line("#fff6d6", 2)];
}

/** The places around cells that are no cells, as squares. */
function walled(cells) {
  const known = new Set(cells.map(({ x, y }) => `${x} ${y}`));
  const found = new Map();
  for (const { x, y } of cells) {
    for (const down of [-1, 0, 1]) {
      for (const across of [-1, 0, 1]) {
        const at = `${x + across} ${y + down}`;
        if (!known.has(at)) found.set(at, { x: x + across, y: y + down, size: 1 });
      }
    }
  }
  return [...found.values()];
}

/** The labels of cells, all of one size. */
function labels({ cells: spots, looks, palette }, cells) {
  const labelled = spots.filter((spot) => spot.label);
  const sizes = labelled.map(({ size, label }) => (1.65 * (size * SCALE - 8)) / [...label].length);
  const size = number(Math.min(10, ...sizes));
  return labelled.map((spot) => label(spot, looks[cells[spot.cell]] ?? NOTHING, palette, size));
}

/** The label in the corner of a square, or at the top of another cell: readable on a tile and on the ground. */
function label(spot, look, palette, size) {
  const [half, square] = [(spot.size / 2) * SCALE, spot.shape === "square"];
  const [shift, lower] = square ? [5 - half, 11] : [0, 12];
  const at = { x: number(spot.x * SCALE + shift), y: number(spot.y * SCALE - half + lower) };
  const halo = { fill: INK, stroke: "#ffffff", "stroke-width": 3, "paint-order": "stroke", class: "ink halo" };
  const about = SOLID.includes(look.shape) ? { fill: palette[look.colour].text } : halo;
  return drawn(
    "text",
    { ...at, "font-size": size, "text-anchor": square ? "start" : "middle", ...about },
    spot.label,
  );
}

/** The dots at the ends of cells that are lines. */
function dots(spots) {
  const ends = new Map();
  for (const { x, y, size, shape } of spots.filter(isLine)) {
    const [across, down] = shape === "across" ? [size / 2, 0] : [0, size / 2];
    for (const way of [-1, 1]) {
      const [cx, cy] = [number((x + way * across) * SCALE), number((y + way * down) * SCALE)];
      ends.set(`${cx} ${cy}`, { cx, cy, r: number(DOT * SCALE), fill: INK, class: "dot" });
    }
  }
  return [...ends.values()].map((about) => drawn("circle", about));
}

/** A cell that is a line between two dots, as in `layout.py`. */
export const isLine = ({ shape }) => shape === "across" || shape === "down";

/** The outline of a cell, scaled by `part` around its middle. */
export function rim(spot, part, attributes) {
  const [x, y, half] = [spot.x * SCALE, spot.y * SCALE, (spot.size * part * SCALE) / 2];
  if (spot.shape === "disk") return drawn("circle", { cx: number(x), cy: number(y), r: number(half), ...attributes });
  if (isLine(spot)) {
    const thin = (THIN / 2) * part * SCALE;
    const [wide, high] = spot.shape === "across" ? [half, thin] : [thin, half];
    const size = { width: number(2 * wide), height: number(2 * high), rx: number(thin) };
    return drawn("rect", { x: number(x - wide), y: number(y - high), ...size, ...attributes });
  }
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

/** For each cell of a block, the sides on which the next cell belongs to the block, too. */
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

/** The cells of the block of a cell; only the cell itself if it is in no block. */
export function blockOf(view, cells, cell) {
  const [sides, found] = [joinedSides(view, cells), [cell]];
  const at = new Map(view.cells.map((spot) => [`${spot.x} ${spot.y}`, spot.cell]));
  for (const each of found) {
    const { x, y } = view.cells[each];
    const beside = { right: [x + 1, y], left: [x - 1, y], down: [x, y + 1], up: [x, y - 1] };
    for (const side of sides.get(each) ?? []) {
      const other = at.get(beside[side].join(" "));
      if (!found.includes(other)) found.push(other);
    }
  }
  return found;
}

/** The outline of a tile. It reaches the edges of the cell where a block goes on, and has no round corners there. */
function tile(spot, lower, joined, attributes) {
  const [x, y, unit] = [spot.x * SCALE, spot.y * SCALE + lower, spot.size * SCALE];
  const reach = (side) => (joined.includes(side) ? 0.5 : PART / 2) * unit;
  const over = (side) => reach(side) + (joined.includes(side) ? SEAM : 0);
  const under = (side) => reach(side) - (joined.includes(side) && lower ? SEAM : 0);
  const [left, top, right, bottom] = [x - under("left"), y - under("up"), x + over("right"), y + over("down")];
  if (!joined.length) return box(x, y, (PART / 2) * unit, attributes);
  const corners = [
    [left, top, 0, 1, "left", "up"],
    [right, top, -1, 0, "up", "right"],
    [right, bottom, 0, -1, "right", "down"],
    [left, bottom, 1, 0, "down", "left"],
  ].map(([toX, toY, across, down, ...sides]) => {
    const far = sides.some((side) => joined.includes(side)) ? 0 : ROUND * SCALE;
    const numbers = [toX + across * far, toY + down * far, toX, toY, toX + down * far, toY - across * far].map(number);
    return `${numbers[0]} ${numbers[1]}Q${numbers[2]} ${numbers[3]} ${numbers[4]} ${numbers[5]}`;
  });
  return drawn("path", { d: `M${corners.join("L")}Z`, ...attributes });
}

/** A path of `SIGNS` around the middle of a cell. */
function sign([path, about], x, y, unit, fill) {
  let count = 0;
  const d = path.replace(/-?\d+/g, (text) => number((count++ % 2 ? y : x) + (Number(text) * unit) / 100));
  const filled = Object.entries(about).map(([name, value]) => [name, value ?? fill]);
  return drawn("path", { d, class: "bare", ...Object.fromEntries(filled) });
}

/** A symbol in a cell. A tile of a block reaches the edges of the cell where it is joined, and has no text. */
function piece(look, palette, spot, joined = []) {
  const [x, y, unit] = [spot.x * SCALE, spot.y * SCALE, spot.size * SCALE];
  const { fill, text } = palette[look.colour];
  const made = [];
  if (isLine(spot)) return look.shape === "none" ? [] : [rim(spot, 1, { fill })];
  if (look.shape === "pips") return pips(look.text, x, y, unit, fill, Boolean(spot.label));
  if (SOLID.includes(look.shape) && spot.shape === "square") {
    made.push(tile(spot, DEEP, joined, SHADE), tile(spot, 0, joined, { fill }));
  } else if (SOLID.includes(look.shape)) {
    made.push(circle(x, y, 0.42 * unit, { fill }));
  } else if (look.shape === "wall") {
    made.push(rim(spot, 1, { fill }));
  } else if (look.shape === "disk") {
    const kind = look.text ? "edge" : "edge bare";
    made.push(circle(x, y + DEEP, 0.38 * unit, SHADE), circle(x, y, 0.38 * unit, { fill, class: kind }));
  } else if (look.shape === "ring") {
    const line = { fill: "none", stroke: fill, "stroke-width": number(0.13 * unit), class: "bare" };
    made.push(circle(x, y, 0.27 * unit, line));
  }
  made.push(...(SIGNS[look.shape] ?? []).map((each) => sign(each, x, y, unit, fill)));
  if (look.text && !joined.length) {
    const colour = INKED.includes(look.shape) ? { fill: text } : { fill: INK, class: "ink" };
    const size = spot.shape === "square" && look.shape !== "disk" ? 0.46 * unit : 0.4 * unit;
    const long = [...look.text].length > MOST_LETTERS;
    const squeezed = long ? { textLength: number(0.8 * unit), lengthAdjust: "spacingAndGlyphs" } : {};
    const lower = spot.label && spot.shape === "square" ? y + 0.1 * unit : y;
    made.push(words(look.text, x, lower, fitting(look.text, size), { ...colour, "font-weight": 600, ...squeezed }));
  }
  return made;
}

/**
 * The pips of a look in rows, above their number in the corner; of too many, only the number. Under a label they are
 * closer together.
 */
function pips(text, x, y, unit, fill, isLabelled) {
  const count = Number(text.replace(/^\D/, ""));
  const ink = { fill: INK, class: "ink" };
  if (count > MOST_PIPS) return [words(`${count}`, x, y, 0.4 * unit, { ...ink, "font-weight": 600 })];
  const columns = Math.max(1, Math.ceil(Math.sqrt(count)));
  const rows = Math.ceil(count / columns);
  const step = Math.min(0.34, 0.66 / columns) * (isLabelled ? 0.8 : 1) * unit;
  const lower = (isLabelled ? 0.06 : -0.03) * unit;
  const each = Array.from({ length: count }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const across = column - (Math.min(columns, count - row * columns) - 1) / 2;
    const down = row - (rows - 1) / 2;
    return circle(x + across * step, y + lower + down * step, 0.43 * step, { fill, class: "edge bare" });
  });
  return [words(`${count}`, x + 0.32 * unit, y + 0.35 * unit, 0.19 * unit, ink), ...each];
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
    circle(x, y, 9.6, { "stroke-width": 1.5 }),
    words(label, x, y, fitting(label, 12), { fill: INK }),
  );
}

/** A line around a group of cells. */
function around(spots) {
  const line = { fill: "none", stroke: INK, "stroke-width": 3, "stroke-linejoin": "round", class: "group" };
  if (spots.some(({ shape }) => shape !== "square")) return drawn("g", {}, ...spots.map((spot) => rim(spot, 1, line)));
  return outline(spots, line);
}

/** The outline of squares, made of the edges that no two of them share. */
export function outline(spots, attributes) {
  const next = new Map(); // for each corner, where the edges from there end; all go clockwise
  for (const { x, y, size } of spots) {
    const [left, top, right, bottom] = [x - size / 2, y - size / 2, x + size / 2, y + size / 2].map((at) =>
      number(at * SCALE),
    );
    const corners = [`${left} ${top}`, `${right} ${top}`, `${right} ${bottom}`, `${left} ${bottom}`];
    corners.forEach((from, at) => {
      const [to, back] = [corners[(at + 1) % 4], next.get(corners[(at + 1) % 4])?.indexOf(from) ?? -1];
      if (back >= 0) next.get(to).splice(back, 1);
      else next.set(from, [...(next.get(from) ?? []), to]);
    });
  }
  let d = "";
  for (const [start, ends] of next) {
    while (ends.length) {
      d += `M${start}`;
      for (let at = next.get(start).pop(); at !== start; at = next.get(at).pop()) d += `L${at}`;
      d += "Z";
    }
  }
  return drawn("path", { d, ...attributes });
}

const number = (value) => Math.round(value * 100) / 100;
