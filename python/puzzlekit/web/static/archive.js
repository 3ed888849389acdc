// The daily boards of the last weeks, as buttons: which of them were solved, and in how many moves.

import { byId, make } from "./dom.js";
import { dayBefore, daysOf } from "./kept.js";

const DAYS = 35;

/**
 * Shows a button for each day.
 * @param {string} puzzle The puzzle's text id.
 * @param {string} today Today's date, as 2026-11-22.
 * @param {(day: string) => void} open Called with the date of the button that is pressed.
 */
export function archive(puzzle, today, open) {
  const solved = daysOf(puzzle);
  const days = Array.from({ length: DAYS }, (_, at) => dayBefore(today, at));
  byId("days").replaceChildren(
    ...days.map((day) => {
      const words = solved[day] ? `${day}, solved in ${solved[day]}` : day;
      const mark = make("small", {}, solved[day] ? `✓ ${solved[day]}` : "–");
      const about = { type: "button", class: solved[day] ? "done" : "", "aria-label": words, onclick: () => open(day) };
      return make("li", {}, make("button", about, day.slice(5), mark));
    }),
  );
}
