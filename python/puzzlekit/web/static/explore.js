// The page of a puzzle's states: the counts of each depth, the hardest states, and the successors of a state.

import { points } from "./advice.js";
import { counted } from "./ask.js";
import { byId, drawn, given, make, pageOf } from "./dom.js";
import { draw } from "./draw.js";
import { writeLink } from "./link.js";
import { Long } from "./long.js";

const puzzle = given(byId("puzzle"));
const text = puzzle.puzzle;
const MOMENT = 3000; // milliseconds
const STEEP = 50; // in bars that differ more, the short ones would look alike
const FEW_CELLS = 12; // a larger board is counted only after a press of the button
const counting = new Long(byId("counting"), "Counting");
const looking = new Long(byId("looking"), "Looking");

function fault(message = "") {
  byId("fault").textContent = message;
  byId("fault").hidden = !message;
}

async function count() {
  fault();
  byId("status").textContent = "";
  try {
    show(await counting.ask("explore", { puzzle: text }));
  } catch (error) {
    failed(error, "status");
  }
}

/** Says that a search was cancelled, or what went wrong. */
function failed(error, place) {
  byId(place).textContent = error.name === "AbortError" ? "Cancelled." : "";
  if (error.name !== "AbortError") fault(error.message);
}

function show(found) {
  const unsolvable = found.unsolvable ? ` ${counted(found.unsolvable, "state")} cannot be solved.` : "";
  const whole = found.complete ? "" : " The count was stopped by a limit; there are more.";
  const divided = found.states < found.raw_states; // else the two columns would be the same
  const alike = divided ? `, ${found.states.toLocaleString("en")} up to symmetry` : "";
  byId("status").textContent = `${counted(found.raw_states, "state")}${alike}.${unsolvable}${whole}`;
  byId("alike").hidden = byId("alike-note").hidden = !divided;
  byId("depth-name").textContent = found.backward ? "Moves to the goal" : "Moves from the start";
  const most = Math.max(...found.depths.map(({ raw_states: states }) => states));
  const least = Math.min(...found.depths.map(({ raw_states: states }) => states));
  const isSteep = most > STEEP * least;
  byId("scale").textContent = isSteep ? "To a logarithmic scale" : "To scale";
  const part = (states) => (isSteep ? Math.log2(1 + states) / Math.log2(1 + most) : states / most);
  byId("rows").replaceChildren(...found.depths.map((depth) => row(depth, part(depth.raw_states), divided)));
  byId("hardest").replaceChildren(...found.hardest.map((hard) => card(hard, counted(hard.depth, "move"))));
  byId("hardest-title").textContent = found.backward ? "The hardest" : "The deepest";
  byId("hardest-title").hidden = !found.hardest.length;
  byId("depths").hidden = false;
  byId("count").hidden = true;
}

function row({ depth, states, raw_states: raw }, part, divided) {
  const bar = drawn(
    "svg",
    { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true", class: "bar" },
    drawn("rect", { width: 100 * part, height: 6 }),
  );
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, String(depth)),
    make("td", {}, raw.toLocaleString("en")),
    ...(divided ? [make("td", {}, states.toLocaleString("en"))] : []),
    make("td", {}, bar),
  );
}

/** A state with its picture, some words, and a link that plays it. */
function card({ state, cells }, words, kind = "") {
  const picture = drawn("svg", { class: "picture", role: "img", "aria-label": `The state ${state}` });
  draw(picture, puzzle.view, cells);
  const link = make("a", { href: `${pageOf(text)}${writeLink({ state })}` }, "Play it");
  return make(
    "li",
    { class: `card ${kind}` },
    picture,
    make("p", {}, words),
    make("p", { class: "state" }, state),
    link,
  );
}

async function look() {
  fault();
  const state = byId("state").value;
  byId("worth").textContent = "";
  try {
    const found = await looking.ask("values", { puzzle: text, state });
    byId("worth").textContent =
      found.value === null
        ? `What it is worth is not known: ${found.why}`
        : `This state: ${worth(found, "who is to move")}`;
    byId("beside").replaceChildren(
      ...found.moves.map((move) =>
        card(
          move,
          `${move.move}: ${move.value === null ? "not known" : worth(move, "who makes it")}`,
          typeof move.value === "string" ? move.value : "",
        ),
      ),
    );
  } catch (error) {
    failed(error, "worth");
  }
}

/** The value of a state for the player `mover`, in words. */
function worth({ value, left, score }, mover) {
  if (typeof score === "number") return `${mover} is ${points(score)}.`;
  if (typeof value === "number") return `${counted(value, "move")} from the goal.`;
  const words = { win: `${mover} wins`, loss: `${mover} loses`, draw: "a draw" }[value];
  return left ? `${words}, in ${counted(left, "move")}.` : `${words}.`;
}

/** Begins to count at once, but gives up if that takes longer than a moment. */
async function begin() {
  const late = setTimeout(() => counting.stop(), MOMENT);
  try {
    show(await counting.ask("explore", { puzzle: text }));
  } catch {
    byId("status").textContent = ""; // it takes longer, so a press of the button counts
  }
  clearTimeout(late);
}

byId("count").addEventListener("click", count);
if (puzzle.view.cells.length <= FEW_CELLS) begin();
byId("look").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
