// The list of the moves: all lines of play, in the order in which they began. The moves that a line shares with an
// earlier one are not repeated.
//
// A press of a move shows the board after it. The tab key stops only once in the list. From there, the left and right
// arrows go along the present line, up and down go to another line, and Home and End go to the ends.

import { byId, make } from "./dom.js";

/**
 * Shows the list.
 * @param {object} play The history of the play.
 * @param {(line: number, place: number) => void} look Shows the board at a place of a line.
 */
export function show(play, look) {
  if (!byId("branches").open) return;
  const hadFocus = byId("lines-of-moves").contains(document.activeElement);
  const lines = play.branches;
  byId("lines-of-moves").replaceChildren(
    ...lines.map(({ moves }, line) => {
      const begins = Math.max(0, ...lines.slice(0, line).map((other) => shared(other.moves, moves)));
      return shown(play, line, moves, begins, look);
    }),
  );
  byId("lines-of-moves").onkeydown = (event) => key(event, play, lines, look);
  const current = byId("lines-of-moves").querySelector("[aria-current]");
  if (hadFocus) current.focus();
}

/** How many moves two lines have in common at their beginning. */
function shared(one, other) {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}

function shown(play, line, moves, begins, look) {
  const common = shared(moves, play.moves);
  const button = (place) => {
    const isOn = place <= common;
    const isHere = place === play.place && line === owner(play, place);
    const name = place ? `${place}. ${moves[place - 1]}` : "Start";
    return make(
      "button",
      {
        type: "button",
        class: isOn ? "on" : "",
        tabindex: isHere ? "0" : "-1",
        "aria-current": isHere && "step",
        onclick: () => look(isOn ? play.line : line, place),
      },
      name,
    );
  };
  const places = moves.map((_, at) => at + 1).slice(begins);
  const from = line ? [make("span", {}, `${begins ? `after move ${begins}` : "from the start"}: `)] : [button(0)];
  return make("li", {}, ...from, ...places.map(button));
}

/**
 * The line under which the list shows a place of the present line: the first line that has all moves up to that place.
 */
function owner(play, place) {
  return place ? play.branches.findIndex(({ moves }) => shared(moves, play.moves) >= place) : 0;
}

function key(event, play, lines, look) {
  const across = { ArrowLeft: play.place - 1, ArrowRight: play.place + 1, Home: 0, End: play.moves.length };
  const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
  const line = play.line + down;
  const place = across[event.key] ?? lines[line]?.moves.length;
  if (event.altKey || !(event.key in across || down)) return;
  event.preventDefault();
  event.stopPropagation();
  if (lines[line]) look(line, place);
}
