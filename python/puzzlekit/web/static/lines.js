// The line mode on the page: the same words as in the terminal.

import { byId } from "./dom.js";
import { search, then } from "./queue.js";

const MOST_LINES = 200;

/**
 * Lets a person type lines, and answers each.
 * @param {object} play The play: `goTo` goes to a place in the history, `advance` makes a move, and `answer` lets an
 *     opponent answer.
 * @param {object} history What was played.
 */
export function listen(play, history) {
  let lines = [];

  function tell(line, said) {
    lines = [...lines, ...(line === null ? [] : [`> ${line}`]), ...said].slice(-MOST_LINES);
    byId("lines").textContent = lines.join("\n");
    byId("lines").scrollTop = byId("lines").scrollHeight;
  }

  async function speak(line) {
    const before = history.made;
    const back = { undo: history.before, restart: history.least }[line?.trim().toLowerCase()];
    if (back !== undefined && byId("opponent")?.value) {
      // The server's line mode has no opponent here. An undo must take back its answer, too.
      await play.goTo(back);
      tell(line, history.here.board.split("\n"));
      return;
    }
    const fields = { puzzle: history.puzzle, state: history.start, moves: before };
    if (line !== null) fields.line = line;
    const found = await search("words", fields);
    tell(line, found.lines);
    let same = 0;
    while (same < before.length && before[same] === found.moves[same]) same += 1;
    if (same < before.length) await play.goTo(same);
    for (const move of found.moves.slice(same)) await play.advance(move, true);
    if (same < found.moves.length) await play.answer();
  }

  byId("say").addEventListener("submit", (event) => {
    event.preventDefault();
    const line = byId("line").value;
    byId("line").value = "";
    then(() => speak(line));
  });
  then(() => speak(null));
}
