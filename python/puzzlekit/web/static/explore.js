// The page of a puzzle's states: how many there are at each depth, the hardest, and what is beside a state.

import { ask, counted } from "./ask.js";
import { byId, drawn, given, make } from "./dom.js";
import { draw } from "./draw.js";
import { writeLink } from "./link.js";

const puzzle = given(byId("puzzle"));
const text = puzzle.puzzle;
let searching = null;

function fault(message = "") {
  byId("fault").textContent = message;
  byId("fault").hidden = !message;
}

async function count() {
  searching?.abort();
  searching = new AbortController();
  fault();
  byId("cancel").hidden = false;
  byId("status").textContent = "Counting.";
  const progress = ({ states, depth }) => {
    byId("status").textContent = `Counting: ${counted(states, "state")}, depth ${depth}.`;
  };
  try {
    show(await ask("explore", { puzzle: text }, { signal: searching.signal, progress }));
  } catch (error) {
    byId("status").textContent = error.name === "AbortError" ? "Cancelled." : "";
    if (error.name !== "AbortError") fault(error.message);
  } finally {
    byId("cancel").hidden = true;
  }
}

function show(found) {
  const unsolvable = found.unsolvable ? ` ${counted(found.unsolvable, "state")} cannot be solved.` : "";
  const whole = found.complete ? "" : " The count was stopped by a limit; there are more.";
  byId("status").textContent = `${counted(found.raw_states, "state")}, ${found.states.toLocaleString("en")} up to symmetry.${unsolvable}${whole}`;
  byId("depth-name").textContent = found.backward ? "Moves to the goal" : "Moves from the start";
  const most = Math.max(...found.depths.map(({ raw_states: states }) => states));
  byId("rows").replaceChildren(...found.depths.map((depth) => row(depth, most)));
  byId("hardest").replaceChildren(...found.hardest.map((hard) => card(hard, counted(hard.depth, "move"))));
  byId("hardest-title").textContent = found.backward ? "The hardest" : "The deepest";
  byId("depths").hidden = false;
}

function row({ depth, states, raw_states: raw }, most) {
  const width = Math.max((raw / most) * 100, 0.5);
  const bar = drawn("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true", class: "bar" }, drawn("rect", { width, height: 6 }));
  return make("tr", {}, make("th", { scope: "row" }, String(depth)), make("td", {}, raw.toLocaleString("en")), make("td", {}, states.toLocaleString("en")), make("td", {}, bar));
}

/** A state with its picture, what is to be said of it, and a link that plays it. */
function card({ state, cells }, words, kind = "") {
  const picture = drawn("svg", { class: "picture", role: "img", "aria-label": `The state ${state}` });
  draw(picture, puzzle.view, cells);
  const link = make("a", { href: `/play/${encodeURIComponent(text)}${writeLink({ state })}` }, "Play it");
  return make("li", { class: `card ${kind}` }, picture, make("p", {}, words), make("p", { class: "state" }, state), link);
}

async function look() {
  fault();
  const state = byId("state").value;
  byId("worth").textContent = "Looking.";
  try {
    const found = await ask("values", { puzzle: text, state });
    byId("worth").textContent = found.value === null ? `What it is worth is not known: ${found.why}` : `This state: ${worth(found, "who is to move")}`;
    byId("beside").replaceChildren(...found.moves.map((move) => card(move, `${move.move}: ${move.value === null ? "not known" : worth(move, "who makes it")}`, typeof move.value === "string" ? move.value : "")));
  } catch (error) {
    byId("worth").textContent = "";
    fault(error.message);
  }
}

/** What a state is worth, in words; `mover` is whose value it is. */
function worth({ value, left }, mover) {
  if (typeof value === "number") return `${counted(value, "move")} from the goal.`;
  const words = { win: `${mover} wins`, loss: `${mover} loses`, draw: "a draw" }[value];
  return left ? `${words}, in ${counted(left, "move")}.` : `${words}.`;
}

byId("count").addEventListener("click", count);
byId("cancel").addEventListener("click", () => searching?.abort());
byId("look").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
addEventListener("pagehide", () => searching?.abort());
