// The texts that a person can share: the address of a board, and the result of a play.

import { counted } from "./ask.js";
import { byId } from "./dom.js";
import { writeLink } from "./link.js";
import { say } from "./queue.js";
import { ending, known } from "./words.js";

/**
 * Copies the address of the board, or the result with it.
 * @param {string} id The button that was pressed.
 * @param {object} puzzle The puzzle.
 * @param {object} play What was played.
 * @param {string | null} side The player whom the person plays.
 * @param {object | null} judge The review, if there was one.
 */
export async function share(id, puzzle, play, side, judge) {
  if (id === "link") return copy(address(play));
  const row = play.reviewed === play.moves ? `${judge.squares()}\n` : "";
  return copy(`${line(puzzle, play, side)}\n${row}${address(play)}`);
}

function line(puzzle, play, side) {
  const helped = play.reviewed === play.moves ? play.helpedBefore : play.helped;
  return result(puzzle, play.end, { ...play, helped, side });
}

/** A result to share, without any part of the solution. */
function result(puzzle, moment, { label, fewest, helped, side }) {
  const which = label.daily ? ` ${label.daily}` : label.number ? ` number ${label.number}` : "";
  const best = known(fewest?.fewest) ? ` (the fewest: ${fewest.fewest})` : "";
  const count = puzzle.game ? ending(puzzle, moment, side) : `${counted(moment.counted, "move")}${best}`;
  return `${puzzle.title}${which}: ${count}${helped ? ", with help" : ""}`;
}

/** The address of this board without the moves, so that somebody else can play it. */
function address({ label, start }) {
  const { daily, number } = label;
  const named = daily ? { daily } : number ? { number } : { state: start };
  return `${location.origin}${location.pathname}${writeLink(named)}`;
}

async function copy(said) {
  byId("shared").textContent = said;
  try {
    await navigator.clipboard.writeText(said);
    say("Copied.");
  } catch {
    say("It cannot be copied from here; the text is below the button.");
  }
}
