// The page on which a puzzle is played. What was played is here; what it means is asked of the server.

import { ask, counted, sentence } from "./ask.js";
import { Board } from "./board.js";
import { byId, given, make } from "./dom.js";
import { draw } from "./draw.js";
import { note } from "./kept.js";
import { readLink, withParameters, writeLink } from "./link.js";

const puzzle = given(byId("puzzle"));
const { view } = puzzle;
const text = puzzle.puzzle;

/** The play: the board it began with, the moves, and for each place in the history what `play` said of it. */
const play = { start: null, label: {}, moves: [], own: [], place: 0, seen: [], fewest: null, helped: 0, noted: false };

let solution = null;
let searching = null; // what stops the search that is shown
let valuing = null; // what stops the search for values
let timer = null;

if (puzzle.goal_cells) draw(byId("goal"), view, puzzle.goal_cells);
const board = new Board(byId("board"), byId("buttons"), view, choose, say);

// One thing after another: a move that is made while another is on its way waits for it.
let last = Promise.resolve();
let busy = 0;
function then(action) {
  count(1);
  last = last.then(action).catch(failed).finally(() => count(-1));
  return last;
}

function failed(error) {
  if (error.name === "AbortError") say("Cancelled.");
  else fault(error.message);
}

/** Says on the page how much is under way, for who waits for it. */
function count(more) {
  busy += more;
  document.documentElement.dataset.busy = busy;
}

function say(words) {
  byId("status").textContent = words;
}

function fault(message = "") {
  byId("fault").textContent = message;
  byId("fault").hidden = !message;
}

// Positions

async function position(place) {
  if (!play.seen[place]) {
    const moves = play.moves.slice(0, place);
    play.seen[place] = await ask("play", { puzzle: text, state: play.start, moves });
  }
  return play.seen[place];
}

const here = () => play.seen[play.place];

async function go(place) {
  play.place = Math.max(0, Math.min(place, play.moves.length));
  show(await position(play.place));
}

function show(found) {
  board.show(found);
  board.hint([]);
  refresh(found.moment);
  remember();
  if (byId("values").checked) showValues();
}

function refresh(moment) {
  const slider = byId("slider");
  slider.max = play.moves.length;
  slider.value = play.place;
  slider.disabled = !play.moves.length;
  const spoken = `move ${play.place} of ${play.moves.length}`;
  slider.setAttribute("aria-valuetext", spoken);
  byId("place").textContent = spoken;
  byId("undo").disabled = play.place === 0;
  byId("redo").disabled = play.place === play.moves.length;
  byId("restart").disabled = play.place === 0;
  for (const name of ["hint1", "hint2", "hint3"]) byId(name).disabled = moment.over;
  byId("share").disabled = !moment.over;
  byId("title").textContent = title();
  counts(moment);
  say(standing(moment));
}

function title() {
  const { daily, seed, number } = play.label;
  const which = daily ? `Board of ${daily}` : number ? `Board ${number}` : seed ? `Board of the seed “${seed}”` : "";
  const now = play.seen[0]?.moment.number;
  return which && now !== null && now !== undefined && !number ? `${which}, number ${now}` : which;
}

function counts(moment) {
  if (puzzle.game) {
    byId("counts").textContent = `Moves: ${moment.made.length}`;
    return;
  }
  const { fewest } = play;
  let beside = "The fewest: being looked for.";
  if (fewest?.fewest !== null && fewest?.fewest !== undefined) beside = `The fewest: ${fewest.fewest}.`;
  else if (fewest?.solvable === false) beside = `This cannot be solved: ${fewest.why}.`;
  else if (fewest) beside = bounds(fewest);
  byId("counts").textContent = `Your moves: ${moment.counted}. ${beside}`;
}

/** What is known if the fewest moves are not. Each number says that it is a bound. */
function bounds({ at_least: least, at_most: most, why }) {
  const known = [];
  if (least) known.push(`at least ${least} are needed (a bound)`);
  if (most !== null && most !== undefined) known.push(`${most} are enough (a bound)`);
  return known.length ? `The fewest are not known: ${known.join("; ")}.` : `The fewest are not known: ${why ?? "no answer"}.`;
}

function standing(moment) {
  const moved = moment.last === null ? "" : `Move ${play.place}: ${moment.last}. `;
  if (!moment.over) return `${moved}${moment.player ? `${moment.player} to move.` : moved ? "" : "Ready."}`.trim();
  if (!puzzle.game) return moment.why === "solved" ? `${moved}Solved in ${counted(moment.counted, "move")}.` : `${moved}No move is left (${moment.why}).`;
  return `${moved}${puzzle.players.includes(moment.why) ? `${moment.why} wins.` : `The game is over: ${moment.why}.`}`;
}

// Beginning

async function begin(asked) {
  stopAll();
  fault();
  let { state } = asked;
  const label = {};
  if (!state && puzzle.start_is_solved && !asked.daily && !asked.number && !asked.seed) asked = { ...asked, seed: someSeed() };
  for (const name of ["daily", "number", "seed"]) {
    if (state || !asked[name] || label.daily || label.number) continue;
    label[name] = asked[name];
    state = (await ask("scramble", { puzzle: text, [name]: asked[name] })).state;
  }
  state = state || puzzle.start;
  const moves = asked.moves ?? [];
  const first = await ask("play", { puzzle: text, state, moves: [] });
  const now = moves.length ? await ask("play", { puzzle: text, state, moves }) : first;
  Object.assign(play, { start: first.moment.state, label, moves, own: moves.map(() => true), place: moves.length });
  Object.assign(play, { seen: [], fewest: null, helped: 0, noted: now.moment.over });
  play.seen[0] = first;
  play.seen[moves.length] = now;
  show(now);
  if (!puzzle.game) findFewest();
  else if (!moves.length && byId("second").checked) await reply();
}

function someSeed() {
  return [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(36)).join("");
}

async function findFewest() {
  const begun = play.start;
  let found;
  try {
    found = await ask("fewest", { puzzle: text, state: begun }, { signal: leaving.signal });
  } catch (error) {
    found = { fewest: null, why: error.message };
  }
  if (play.start !== begun || !here()) return;
  play.fewest = found;
  counts(here().moment);
}

/** Keeps the board in the address, so that the page can be loaded again, and the history button leads back. */
function remember() {
  const moves = play.moves.slice(0, play.place);
  const named = Object.keys(play.label).length ? play.label : { state: play.start };
  history.replaceState(null, "", `${location.pathname}${writeLink({ ...named, moves })}`);
}

// Moves

function choose(moves) {
  if (moves.length === 1) {
    then(() => person(moves[0]));
    return;
  }
  const dialog = byId("choice");
  const pick = (move) => () => {
    dialog.close();
    then(() => person(move));
  };
  byId("choices").replaceChildren(...moves.map((move) => make("button", { type: "button", onclick: pick(move) }, move)));
  dialog.showModal();
}

/** A move of a person, and the answer to it. */
async function person(move) {
  if (solution) putAway();
  await advance(move, true);
  if (puzzle.game && byId("opponent").value && !here().moment.over) await reply();
}

async function advance(move, own) {
  fault();
  const moves = [...play.moves.slice(0, play.place), move];
  const found = await ask("play", { puzzle: text, state: play.start, moves });
  const at = moves.length;
  Object.assign(play, { moves, own: [...play.own.slice(0, at - 1), own], seen: [...play.seen.slice(0, at), found], place: at });
  show(found);
  ended(found.moment);
}

function ended(moment) {
  if (!moment.over || play.noted || play.own.every((own) => !own)) return;
  play.noted = true;
  const outcome = puzzle.game ? `ended with ${moment.why}` : moment.why;
  if (play.helped < 10) note(text, { outcome, daily: play.label.daily, count: moment.counted });
}

async function reply() {
  const state = here().moment.state;
  const { move, value } = await search("reply", { puzzle: text, state, skill: byId("opponent").value, seed: String(play.moves.length) });
  await advance(move, false);
  const moment = here().moment;
  const chance = value === null && byId("opponent").value === "perfect" ? " No best move was found in time, so it was drawn by lot." : "";
  if (!moment.over) say(`The opponent plays ${moment.last}.${chance} ${moment.player} to move.`);
}

async function undo() {
  if (solution) putAway();
  let place = play.place - 1;
  // A move that was answered is taken back together with the answer.
  while (place > 0 && !play.own[place]) place -= 1;
  await go(place);
}

async function redo() {
  let place = play.place + 1;
  while (place < play.moves.length && !play.own[place]) place += 1;
  await go(place);
}

// Searches

/** Asks for something that may take long, with a line of progress and a button that stops it. */
async function search(verb, fields) {
  searching?.abort();
  const own = new AbortController();
  searching = own;
  const show = setTimeout(() => (byId("search").hidden = false), 200);
  byId("progress").textContent = "Searching.";
  const progress = ({ states, depth }) => {
    byId("progress").textContent = `Searching: ${counted(states, "state")}${depth ? `, depth ${depth}` : ""}.`;
  };
  try {
    return await ask(verb, fields, { signal: own.signal, progress });
  } finally {
    clearTimeout(show);
    if (searching === own) {
      searching = null;
      byId("search").hidden = true;
    }
  }
}

async function hint(strength) {
  fault();
  const found = await search("hint", { puzzle: text, state: here().moment.state, strength });
  play.helped += strength;
  const about = found.proven ? "" : "at most ";
  const far = found.value ? `${worthOf(found.value)} With best play, it ends in ${counted(found.left, "move")}.` : `${about}${counted(found.left, "move")} to the end.`;
  board.hint(found.cells ?? []);
  const cells = (found.cells ?? []).map((cell) => view.cells[cell].name || `cell ${cell + 1}`);
  const where = found.move ? `Make the move ${found.move}.` : cells.length ? `Look at ${cells.join("; ")}.` : "";
  say(sentence(`${far} ${where}`.trim()));
}

const worthOf = (value) => ({ win: "Who is to move wins.", loss: "Who is to move loses.", draw: "It is a draw." })[value];

async function solve() {
  fault();
  putAway();
  const state = here().moment.state;
  const fields = { puzzle: text, state };
  if (byId("solver")) fields.solver = byId("solver").value;
  const found = await search("solve", fields);
  play.helped = 10;
  solution = { ...found, from: play.place };
  byId("solution").hidden = false;
  const fewest = found.optimal ? ", the fewest" : play.fewest?.fewest !== undefined && play.place === 0 && play.fewest?.fewest !== null ? `; the fewest are ${play.fewest.fewest}` : ", not proven the fewest";
  const value = found.value ? `${worthOf(found.value)} ` : "";
  byId("found").textContent = `${value}${counted(found.length, "move")}${found.value ? "" : fewest}, by ${found.solver}.`;
  stages();
  byId("step").disabled = !found.moves.length;
  byId("run").disabled = !found.moves.length;
  say(`A solution of ${counted(found.length, "move")} is here. Next move shows it step by step.`);
}

/** The parts of a solution: what each does, and its moves. The one that is being made is marked. */
function stages() {
  const parts = solution.stages ?? [];
  const done = play.place - solution.from;
  byId("stages").hidden = !parts.length;
  byId("stages").replaceChildren(
    ...parts.map((part, at) => {
      const end = parts[at + 1]?.begins ?? solution.length;
      const moves = solution.moves.slice(part.begins, end);
      const now = done >= part.begins && done < end;
      const words = `${view.stages[part.name] ?? part.name}: ${moves.length ? moves.join(" ") : "nothing to do"}`;
      return make("li", { class: now ? "now" : done >= end ? "done" : "", "aria-current": now ? "step" : null }, words);
    }),
  );
}

async function step() {
  if (!solution) return;
  const at = play.place - solution.from;
  if (at < 0 || at >= solution.moves.length) return;
  await advance(solution.moves[at], false);
  stages();
  if (at + 1 >= solution.moves.length) pause();
}

function run() {
  if (timer) {
    pause();
    return;
  }
  byId("run").setAttribute("aria-pressed", "true");
  byId("run").textContent = "Pause";
  const quick = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1200 : 450;
  timer = setInterval(() => then(step), quick);
  then(step);
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("run").setAttribute("aria-pressed", "false");
  byId("run").textContent = "Play all";
}

function putAway() {
  pause();
  solution = null;
  byId("solution").hidden = true;
}

function stopAll() {
  searching?.abort();
  putAway();
}

/** What each move is worth: for a game who wins, for a puzzle how far it is then. */
async function showValues() {
  valuing?.abort();
  board.worth(null);
  const { moment } = here();
  if (moment.over) return;
  valuing = new AbortController();
  try {
    const found = await ask("values", { puzzle: text, state: moment.state }, { signal: valuing.signal });
    if (here().moment.state === moment.state) board.worth(new Map(found.moves.map((each) => [each.move, worth(each, found.value)])));
  } catch (error) {
    if (error.name !== "AbortError") fault(error.message);
  }
}

/** A value as the board shows it: its place among values, its kind, and words; nothing if it is not known. */
function worth({ value }, before) {
  if (value === null) return null;
  if (puzzle.game) return { value, order: ["win", "draw", "loss"].indexOf(value), kind: value, words: value };
  return { value, order: value, kind: value < before ? "better" : "worse", words: `${counted(value, "move")} then` };
}

// Sharing

async function copy(words) {
  byId("shared").textContent = words;
  try {
    await navigator.clipboard.writeText(words);
    say("Copied.");
  } catch {
    say("It cannot be copied from here; the text is below the button.");
  }
}

/** The address of this board without the moves, for somebody else. */
function address() {
  const { daily, number } = play.label;
  const board = daily ? { daily } : number ? { number } : { state: play.start };
  return `${location.origin}${location.pathname}${writeLink(board)}`;
}

/** A result that tells nothing of the solution. */
function result() {
  const { moment } = play.seen[play.moves.length] ?? here();
  const which = play.label.daily ? `${text} ${play.label.daily}` : play.label.number ? `${text} number ${play.label.number}` : text;
  const helped = play.helped ? ", with help" : "";
  if (puzzle.game) return `${which}: ${standing(moment).replace(/^Move.*?: .*?\. /, "")}${helped}\n${address()}`;
  const fewest = play.fewest?.fewest !== undefined && play.fewest?.fewest !== null ? ` (the fewest: ${play.fewest.fewest})` : "";
  return `${which}: ${counted(moment.counted, "move")}${fewest}${helped}\n${address()}`;
}

// The line mode

let lines = [];
async function speak(line) {
  const fields = { puzzle: text, state: play.start, moves: play.moves.slice(0, play.place) };
  if (line !== null) fields.line = line;
  const found = await search("words", fields);
  lines = [...lines, ...(line === null ? [] : [`> ${line}`]), ...found.lines].slice(-200);
  byId("lines").textContent = lines.join("\n");
  byId("lines").scrollTop = byId("lines").scrollHeight;
  const before = play.moves.slice(0, play.place);
  if (found.moves.join("\n") === before.join("\n")) return;
  let same = 0;
  while (same < before.length && same < found.moves.length && before[same] === found.moves[same]) same += 1;
  if (same < before.length) await go(same);
  for (const move of found.moves.slice(same)) await advance(move, true);
  if (puzzle.game && same < found.moves.length && byId("opponent").value && !here().moment.over) await reply();
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
press("restart", () => go(play.own[0] === false ? 1 : 0));
on("slider", "input", (event) => {
  const place = Number(event.target.value);
  then(() => go(place));
});
for (const strength of [1, 2, 3]) press(`hint${strength}`, () => hint(strength));
press("solve", solve);
press("step", step);
on("run", "click", run);
on("stop", "click", putAway);
on("cancel", "click", () => searching?.abort());
on("values", "change", () => then(() => (byId("values").checked ? showValues() : board.worth(null))));
press("random", () => begin({ seed: someSeed() }));
press("today", () => begin({ daily: new Date().toISOString().slice(0, 10) }));
press("begin", () => begin({ state: puzzle.start }));
submit("by-moves", async () => {
  const { state } = await ask("scramble", { puzzle: text, moves: Number(byId("mixed").value) });
  await begin({ state });
});
submit("by-seed", () => begin({ seed: byId("seed").value }));
submit("by-number", () => begin({ number: byId("number").value.trim() }));
submit("by-state", () => begin({ state: byId("state").value }));
press("link", () => copy(address()));
press("share", () => copy(result()));
on("parameters", "submit", (event) => {
  event.preventDefault();
  location.href = withParameters(puzzle.id, event.target);
});
submit("say", async () => {
  const line = byId("line").value;
  byId("line").value = "";
  await speak(line);
});
on("words", "toggle", (event) => {
  if (event.target.open && !lines.length) then(() => speak(null));
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input[type=text], input[type=number]")) return;
  const key = event.key.toLowerCase();
  const action = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : null;
  if (!action) return;
  event.preventDefault();
  then(action);
});

const arrows = view.gestures.some(({ kind, key }) => kind === "key" && key.startsWith("Arrow"));
const keys = [
  [arrows ? "Arrows" : "", "make moves, from anywhere on the page"],
  [arrows ? "Shift and arrows" : "Arrows", "go from cell to cell"],
  ["Enter or Space", "press the cell; or choose it, and then where it goes"],
  [view.gestures.filter(({ kind, key }) => kind === "key" && key.length === 1).map(({ key }) => key).join(" "), "make the moves of these names, while the board has the focus"],
  ["Escape", "put down what was chosen"],
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
];
byId("keys").append(...keys.filter(([name]) => name).flatMap(([name, words]) => [make("dt", {}, name), make("dd", {}, words)]));

// Leaving the page stops what is searched for it.
const leaving = new AbortController();
addEventListener("pagehide", () => {
  leaving.abort();
  searching?.abort();
  valuing?.abort();
});
addEventListener("hashchange", () => then(() => begin(readLink(location.hash))));

then(() => begin(readLink(location.hash)));
