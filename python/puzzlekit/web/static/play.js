// The page on which a puzzle is played. It keeps the moves, and asks the server for all that follows from them.

import { ask } from "./ask.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { byId, given, make, pageOf, site } from "./dom.js";
import { draw } from "./draw.js";
import { History } from "./history.js";
import { Long } from "./long.js";
import { readLink, writeLink } from "./link.js";
import { fault, say, search, then } from "./queue.js";
import * as words from "./words.js";

const puzzle = given(byId("puzzle"));
const ready = given(byId("ready")); // boards to begin with at once
const { view } = puzzle;
const text = puzzle.puzzle;
const valuing = new Long(byId("valuing"), "Weighing the moves");
const USUAL_SKILL = byId("opponent")?.value;
const NOBODY = "nobody"; // in a link, for two people
let shown = {}; // the start and the place of the position that the board shows
let leaving = new AbortController(); // stops the requests about a board when another board begins

const play = new History(text);
play.advance = advance;
const board = new Board(byId("board"), byId("buttons"), view, choose, say);
let solution = null; // the solution that is shown step by step, once one was asked for
const clock = new Clock(byId("time"));
let kept = null; // the script of what this browser keeps, which comes after the first board
let judge = null; // the script of the review, once it is needed
let list = null; // the script of the list of moves
byId("words").addEventListener(
  "toggle",
  async () => (await import("./lines.js")).listen({ goTo, advance, answer }, play),
  { once: true },
);
const body = view.body.length ? import("./body.js") : null;
const bare = { ...view, targets: [], cells: view.cells.map((spot) => ({ ...spot, label: "" })) };
if (puzzle.goal_cells) draw(byId("goal"), bare, puzzle.goal_cells);

// Showing

function show() {
  const { here, moment } = play;
  board.show(here, shown.start === play.start && Math.abs(shown.place - play.place) === 1);
  shown = { start: play.start, place: play.place, way: shown.way };
  board.hint([]);
  body?.then((it) => it.show(board));
  const at = `move ${play.place} of ${play.moves.length}`;
  const slider = byId("slider");
  Object.assign(slider, { max: play.moves.length, value: play.place, disabled: !play.moves.length });
  slider.setAttribute("aria-valuetext", at);
  byId("place").textContent = `${play.place} of ${play.moves.length}`;
  byId("past").classList.toggle("fresh", (byId("branches").hidden = !play.moves.length));
  byId("undo").disabled = byId("restart").disabled = play.place <= play.least;
  byId("redo").disabled = play.place === play.moves.length;
  for (const name of ["hint", "hint1", "hint2", "hint3"]) byId(name).disabled = moment.over;
  byId("share").disabled = !moment.over;
  byId("title").textContent = words.title(play.label, play.seen[0]?.moment.number, play.start === puzzle.start);
  showCounts(play.fewest);
  clock.set(play.start, play.place, moment.over);
  const before = play.seen[play.place - 1]?.cells;
  say(words.standing(puzzle, here, play.place, side(), before), moment.over); // the card at the end says it, too
  showRow();
  showEnd();
  remember();
  if (byId("values").checked) showValues();
  showList();
}

function showRow() {
  const row = play.label.daily ? (kept?.streak(text, play.label.daily) ?? 0) : 0;
  byId("row").hidden = row < 2;
  byId("row").replaceChildren(...figure(["Days in a row", String(row)], 0));
}

const showList = () => list?.show(play, (line, place) => then(() => goTo(place, line)));

/** Shows the number of moves made and the fewest, as large figures under the board. */
function showCounts(fewest, least) {
  byId("counts").replaceChildren(...words.counts(puzzle, play.moment, fewest, least).flatMap(figure));
}

const figure = ([label, value, more], at) => [
  at ? " " : "",
  make(
    "span",
    { class: value.length < 5 ? "figure" : "figure long" },
    make("span", { class: "label" }, label, make("span", { class: "quiet" }, ": ")),
    make("b", {}, value),
    ...(more ? [make("span", { class: "quiet" }, ", "), make("small", {}, more)] : []),
    make("span", { class: "quiet" }, "."),
  ),
];

/** A card at the end of play: the result, and buttons to go on. */
function showEnd() {
  const ended = play.moment.over && play.place === play.moves.length;
  const isReviewed = play.reviewed === play.moves && !play.folded;
  byId("review").hidden = byId("told").hidden = !isReviewed;
  byId("judge").setAttribute("aria-pressed", isReviewed);
  byId("end").hidden = !ended && !isReviewed;
  byId("end").classList.toggle("over", ended);
  byId("end").classList.toggle("reviewed", isReviewed);
  if (!ended) return;
  const { why } = play.moment;
  byId("end").classList.toggle("good", why === "solved" || (view.players.includes(why) && why === (side() ?? why)));
  byId("end-words").textContent = words.end(puzzle, play.moment, play.fewest, side());
  if (shown.way === play.moves) return;
  shown.way = play.moves;
  byId("way").hidden = true;
  if (play.moves.length) import("./way.js").then(({ way }) => way(puzzle, play)).catch(() => {}); // it does without
}

/** The player whom the person plays; null without an opponent. */
function side() {
  if (!byId("opponent")?.value) return null;
  const first = play.seen[0]?.moment.player;
  return play.second ? puzzle.players.find((player) => player !== first) : first;
}

/** Keeps the board in the address, so that the page can be loaded again. */
function remember() {
  const named = Object.keys(play.label).length ? play.label : { state: play.start };
  const skill = byId("opponent")?.value;
  const opponent = skill === undefined || skill === USUAL_SKILL ? null : skill || NOBODY;
  const second = play.second ? "1" : null;
  const link = writeLink({ ...named, second, opponent, moves: play.made });
  history.replaceState(null, "", `${location.pathname}${link}`);
  if (play.own.some(Boolean)) kept?.keepBegun(text, play.moment.over ? "" : link);
}

/** Sets the players that a link names. */
function seat({ second, opponent }) {
  if (!puzzle.game) return;
  const known = [...byId("opponent").options].map(({ value }) => value);
  const skill = opponent === NOBODY ? "" : opponent;
  if (known.includes(skill)) byId("opponent").value = skill;
  if (second) byId("second").checked = true;
}

async function goTo(place, line = play.line) {
  if (line !== play.line) solution?.putAway();
  await play.follow(line, place);
  show();
}

// Beginning

/**
 * Begins the board that a link or a form names. If it names none, keeps the present board, or begins the usual one.
 * With `isNew`, a person asked for another board, so the Back button leads to the present one.
 */
async function begin(asked, isNew = false) {
  const { moves = [], ...board } = asked;
  try {
    await lay(asked, isNew);
  } catch (error) {
    if (play.start !== null) remember();
    if (play.start !== null || !Object.keys(asked).length) throw error;
    // If the end of a link was cut off, its board may still be right.
    await begin(moves.length ? board : {}, isNew);
    fault(error.message);
  }
}

/** Begins the board of a link, with the players that it names. */
const open = (link) => {
  seat(link);
  return begin(link);
};

/** Begins the board of a state, a day, a number or a seed; if none is given, the usual one. */
async function lay(asked, isNew) {
  solution?.putAway();
  fault();
  const named = ["state", "daily", "number", "seed"].find((name) => asked[name]);
  const [known] = named ? [] : ready.splice(Math.random() * ready.length, 1);
  const usual = known?.label ?? (puzzle.start_is_solved ? { seed: someSeed() } : { state: puzzle.start });
  const [name, value] = named ? [named, asked[named]] : Object.entries(usual)[0];
  const label = name === "state" ? {} : { [name]: value };
  const drawn = async () => (await ask("scramble", { puzzle: text, ...label })).state;
  const state = known?.moment.state ?? (name === "state" ? value : await drawn());
  const second = puzzle.game && byId("second").checked;
  const isOwn = (now, began) => !byId("opponent")?.value || (words.mover(now) === words.mover(began)) !== second;
  await play.begin(state, label, asked.moves ?? [], isOwn, known);
  play.second = second;
  if (isNew) history.pushState(null, "", location.href);
  leaving.abort();
  leaving = new AbortController();
  show();
  if (!kept) {
    kept = await import("./kept.js");
    showRow();
    remember();
  }
  if (!puzzle.game) play.searched = findFewest();
  else if (play.moment.player !== side()) await answer();
}

function someSeed() {
  if (puzzle.seeds) return String(Math.ceil(Math.random() * puzzle.seeds)); // the page has only these boards
  return [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(36)).join("");
}

/** Finds the fewest moves of the board, and shows them beside the number of moves that were made. */
async function findFewest() {
  const { signal } = leaving;
  const tell = (found, least) => {
    if (!signal.aborted) showCounts(found, least);
  };
  let found;
  try {
    const progress = ({ at_least: least }) => tell(null, least);
    found = await ask("fewest", { puzzle: text, state: play.start }, { signal, progress });
  } catch (error) {
    found = { fewest: null, why: error.message.replace(/\.$/, "") };
  }
  if (!signal.aborted) {
    play.fewest = found;
    showEnd();
  }
  tell(found);
  return found;
}

// Moves

/** Makes the move of a gesture. If there are several, a window asks which. */
function choose(moves) {
  if (moves.length === 1) {
    then(() => person(moves[0]));
    return;
  }
  const pick = (move) => () => {
    byId("choice").close();
    then(() => person(move));
  };
  byId("choices").replaceChildren(
    ...moves.map((move) => make("button", { type: "button", onclick: pick(move) }, move)),
  );
  byId("choice").showModal();
}

async function person(move) {
  solution?.putAway();
  const { player } = play.moment;
  await advance(move, true);
  if (play.moment.player !== player) await answer(); // a move may keep the turn
}

async function advance(move, own) {
  fault();
  await play.make(move, own);
  keep();
  show();
}

/** Keeps the result of a play that has just ended. */
function keep() {
  const { moment } = play;
  if (!moment.over || play.noted) return;
  play.noted = true;
  const outcome = puzzle.game ? `ended with ${moment.why}` : moment.why;
  if (!play.helped) kept.note(text, { outcome, daily: play.label.daily, count: moment.counted });
}

/** The opponent moves, if there is one, until a move passes the turn on. */
async function answer() {
  const skill = byId("opponent")?.value;
  if (!skill || play.moment.over) return;
  const { player } = play.moment;
  const { move, value } = await search("reply", {
    puzzle: text,
    state: play.moment.state,
    skill,
    seed: String(play.place),
  });
  await advance(move, false);
  const chance = value === null && skill === "perfect" ? " No move was proven best in time." : "";
  if (play.moment.over) return;
  say(`The opponent plays ${words.placed(view, move)}.${chance} ${words.named(view, play.moment.player)} to move.`);
  if (play.moment.player === player) await answer();
}

async function undo() {
  solution?.putAway();
  await goTo(play.before);
}

const redo = () => goTo(play.after);

// Help

const advice = () => import("./advice.js");

async function hint(strength) {
  fault();
  const found = await search("hint", { puzzle: text, state: play.moment.state, strength });
  play.helped = true;
  await board.hint(found.cells ?? [], found.gesture);
  (await body)?.advise(found.cells ?? [], found.gesture);
  byId("board").scrollIntoView({ block: "nearest" }); // on a phone, the button is below it
  const { hint: told, marked } = await advice();
  say(told(found, view), false, marked(found, view));
}

/** Shows the board before a move of the play, and the best move there. */
async function better(place) {
  await goTo(place);
  await hint(3);
}

/** Shows the value of each move: in a game who wins, in a puzzle the moves that are left. */
async function showValues() {
  valuing.stop();
  board.worth(null);
  const { state, over } = play.moment;
  if (over) return;
  try {
    const found = await valuing.ask("values", { puzzle: text, state });
    const { worth } = await advice();
    const values = found.moves.map((each) => [each.move, worth(puzzle, each, found.value)]);
    if (play.moment.state === state && byId("values").checked) board.worth(new Map(values));
  } catch (error) {
    if (error.name !== "AbortError") fault(error.message);
  }
}

function hideValues() {
  valuing.stop();
  board.worth(null);
}

// What the buttons do

const on = (id, kind, action) => byId(id)?.addEventListener(kind, action);
const press = (id, action) => on(id, "click", () => then(action));
const submit = (id, action) =>
  on(id, "submit", (event) => {
    event.preventDefault();
    then(action);
  });

press("undo", undo);
press("redo", redo);
press("restart", () => goTo(play.least));
on("slider", "input", (event) => {
  const place = Number(event.target.value);
  then(() => goTo(place));
});
for (const strength of [1, 2, 3]) press(`hint${strength}`, () => hint(strength));
press("hint", () => hint(3));
on("values", "change", () => (byId("values").checked ? then(() => void showValues()) : hideValues()));
on("no-values", "click", () => (byId("values").checked = false));
press("solve", async () => {
  solution ??= new (await import("./solution.js")).Solution(puzzle, play);
  await solution.search();
});
press("judge", async () => {
  if (play.reviewed === play.moves) {
    play.folded = !play.folded;
    return showEnd();
  }
  play.folded = false;
  play.helpedBefore = play.helped;
  play.helped = true; // what comes after it knows the better moves
  play.reviewed = play.moves;
  judge ??= await import("./review.js");
  await judge.review(puzzle, play, (place) => then(() => better(place)));
  say(judge.summed(), true); // the card says it, too
  showEnd();
});
on("branches", "toggle", async () => {
  list ??= await import("./branches.js");
  showList();
});
// Beside the board of a game, a desk has room for these.
const isRoomy = puzzle.game && matchMedia("(min-width: 72rem)").matches;
for (const id of isRoomy ? ["branches", "how"] : []) byId(id)?.toggleAttribute("open", true);
const another = (asked) => begin(asked, true);
const today = () => new Date().toISOString().slice(0, 10);
press("edit", async () => {
  solution?.putAway();
  const { edit } = await import("./edit.js");
  edit(puzzle, board, play.here, (state) => then(() => (state ? another({ state }) : show())));
});
on("archive", "toggle", async () => {
  const { archive } = await import("./archive.js");
  archive(text, today(), (daily) => then(() => another({ daily })));
});
press("random", () => another({ seed: someSeed() }));
press("today", () => another({ daily: today() }));
press("begin", () => another({ state: puzzle.start }));
press("again", () => another(puzzle.start_is_solved ? { seed: someSeed() } : { state: puzzle.start }));
submit("by-moves", async () => {
  await another(
    await ask("scramble", { puzzle: text, moves: Number(byId("mixed").value) }).then(({ state }) => ({ state })),
  );
});
submit("by-seed", () => another({ seed: byId("seed").value }));
submit("by-number", () => another({ number: byId("number").value.trim() }));
submit("by-state", () => another({ state: byId("state").value }));
for (const id of ["link", "share", "tell"])
  press(id, async () => (await import("./share.js")).share(id, puzzle, play, side(), judge));
press("picture", async () => (await import("./picture.js")).save(board.svg, puzzle.id));
on("second", "change", () =>
  then(() => (play.own.some(Boolean) ? say("That holds from the next board on.") : begin({ state: play.start }))),
);
on("opponent", "change", () => then(remember));
on("parameters", "submit", async (event) => {
  event.preventDefault();
  const { withParameters } = await import("./sizes.js");
  location.href = pageOf(withParameters(puzzle.id, event.target));
});
const isBack = view.gestures.every(({ kind, key }) => kind !== "key" || !key.startsWith("Arrow"));
document.addEventListener("keydown", (event) => {
  // If arrows make no moves, they go through the history, except in elements that need them.
  const isFree = isBack && !event.target.closest("input, select, textarea, dialog, [role=log], #board, .scroll");
  const step = !isFree || event.altKey ? null : { ArrowLeft: undo, ArrowRight: redo }[event.key];
  if (step) then(step);
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input[type=text], input[type=number]")) return;
  const key = event.key.toLowerCase();
  const action = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : null;
  if (!action) return;
  event.preventDefault();
  then(action);
});

byId("moves").addEventListener(
  "toggle",
  async () => (await import("./keys.js")).keys(view, board.letters, isBack),
  { once: true },
);
byId("anywhere").closest("label").hidden = !board.letters.length;
on("anywhere", "change", () => (board.anywhere = byId("anywhere").checked));

addEventListener("pagehide", () => leaving.abort());
addEventListener("hashchange", () => then(() => open(readLink(location.hash))));

then(() => open(readLink(location.hash)));
// Without a server, the engine starts behind the first board.
if (site) then(() => void ask("play", { puzzle: text }).catch((error) => fault(error.message)));
