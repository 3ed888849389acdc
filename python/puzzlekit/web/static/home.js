// The first page: a picture of each puzzle, today's board of it, and what was played.

import { ask } from "./ask.js";
import { given, make, pageOf } from "./dom.js";
import { draw } from "./draw.js";
import { begun, playedOf, summary } from "./kept.js";

const today = document.querySelector(".cards").dataset.today || new Date().toISOString().slice(0, 10);

for (const card of document.querySelectorAll("article[data-puzzle]")) show(card);

// Each day, the strip at the top names another puzzle.
const dailies = [...document.querySelectorAll("article[data-puzzle]")]
  .map((card) => given(card.querySelector("script")))
  .filter((puzzle) => !puzzle.game && puzzle.start_is_solved);
if (dailies.length) {
  const puzzle = dailies[(Date.parse(today) / 86_400_000) % dailies.length];
  document.querySelector("#strip strong").textContent = puzzle.title;
  document.querySelector("#strip a").href = `${pageOf(puzzle.puzzle)}#daily=${today}`;
}

// A search shows the cards whose texts have all its words.
document.getElementById("find")?.addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  const cards = [...document.querySelectorAll(".card")];
  for (const card of cards) {
    const id = card.querySelector("[data-puzzle]")?.dataset.puzzle ?? "";
    const text = [...card.querySelectorAll("h2, .about")].map((each) => each.textContent).join(" ") + id;
    card.hidden = !words.every((word) => text.toLowerCase().includes(word));
  }
  document.getElementById("found").textContent = `${cards.filter((card) => !card.hidden).length} found.`;
});

/** Draws a board, or the body whose surface it is. */
async function paint(picture, { view }, cells) {
  if (!view.body.length) return draw(picture, view, cells, { points: true });
  const { solid, SIZE } = await import("./solid.js");
  picture.setAttribute("viewBox", `0 0 ${SIZE} ${SIZE}`);
  picture.classList.add("solid");
  picture.replaceChildren(...solid(view, cells));
}

async function show(card) {
  const puzzle = given(card.querySelector("script"));
  const picture = card.querySelector(".picture");
  paint(picture, puzzle, puzzle.cells);
  const texts = playedOf(puzzle.id).filter((text) => summary(text, today));
  card.querySelector(".played").hidden = !texts.length;
  card.querySelector(".played").replaceChildren(...texts.map((text) => line(text, puzzle.puzzle)));
  for (const [text, link] of Object.entries(begun())) {
    if (text !== puzzle.id && !text.startsWith(`${puzzle.id}:`)) continue;
    const name = text === puzzle.puzzle ? "Go on" : `Go on with ${text}`;
    const href = `${pageOf(text)}${link}`;
    if (pageOf(text)) card.querySelector(".links .button").after(make("a", { class: "on", href }, name));
  }
  const daily = card.querySelector(".daily");
  if (daily) daily.href = `${pageOf(puzzle.puzzle)}#daily=${today}`; // a page in a file does not know the day
  if (!puzzle.start_is_solved) return; // its start is the board that its author means
  try {
    const { cells } = await ask("scramble", { puzzle: puzzle.puzzle, daily: today });
    paint(picture, puzzle, cells);
    picture.setAttribute("aria-label", `Today’s board of ${puzzle.id}`);
  } catch {
    daily.hidden = true; // a board on which nothing can be mixed
  }
}

/** The person's results at a puzzle, with a link if its parameters are not those of the card. */
function line(text, usual) {
  const words = summary(text, today);
  if (text === usual) return make("li", {}, `You: ${words}.`);
  return make("li", {}, pageOf(text) ? make("a", { href: pageOf(text) }, text) : text, `: ${words}.`);
}
