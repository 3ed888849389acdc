// A picture of the board as pixels. It is painted shape by shape, because the page's content security policy forbids
// loading the SVG as an image.

import { make } from "./dom.js";

const LONG = 1080; // the longer side of a board, in pixels
const EDGE = 14; // around the board, in units of the board
const SHAPES = "rect, circle, path, polygon, text";
const ALIGN = { start: "left", middle: "center", end: "right" };

/**
 * Shares a picture of the board if the browser can, and saves it otherwise.
 * @param {SVGElement} svg The board.
 * @param {string} name The name of the file, without an ending.
 */
export async function save(svg, name) {
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const scale = LONG / Math.max(width, height);
  const [wide, high] = [width, height].map((side) => Math.round((side + 2 * EDGE) * scale));
  const canvas = make("canvas", { width: wide, height: high });
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, wide, high);
  pen.scale(scale, scale);
  pen.translate(EDGE, EDGE);
  for (const shape of svg.querySelectorAll(SHAPES)) paint(pen, shape);
  const pixels = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  const file = new File([pixels], `${name}.png`, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file] }).catch(() => {}); // a person may change their mind
    return;
  }
  const href = URL.createObjectURL(file);
  make("a", { href, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

function paint(pen, shape) {
  const style = getComputedStyle(shape);
  if (style.display === "none") return;
  const at = (name) => Number(shape.getAttribute(name) ?? 0);
  const each = [
    ["fill", style.fill, Number(style.fillOpacity)],
    ["stroke", style.stroke, Number(style.strokeOpacity)],
  ];
  if (style.paintOrder.startsWith("stroke")) each.reverse();
  pen.lineWidth = parseFloat(style.strokeWidth);
  pen.lineCap = style.strokeLinecap;
  pen.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(",").map(parseFloat));
  for (const [verb, colour, opacity] of each.filter(([, colour]) => colour !== "none")) {
    pen.globalAlpha = opacity;
    pen[`${verb}Style`] = colour;
    if (shape.tagName === "text") {
      pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      pen.textAlign = ALIGN[style.textAnchor];
      pen[`${verb}Text`](shape.textContent, at("x"), at("y"), at("textLength") || undefined);
    } else {
      pen[verb](outline(shape, at));
    }
  }
}

function outline(shape, at) {
  const path = new Path2D(shape.getAttribute("d") ?? "");
  if (shape.tagName === "rect") path.roundRect(at("x"), at("y"), at("width"), at("height"), at("rx"));
  if (shape.tagName === "circle") path.arc(at("cx"), at("cy"), at("r"), 0, 2 * Math.PI);
  if (shape.tagName === "polygon") return new Path2D(`M${shape.getAttribute("points").split(" ").join("L")}Z`);
  return path;
}
