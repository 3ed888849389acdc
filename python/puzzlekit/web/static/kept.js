// The results of plays: counts, which only this browser keeps.

const KEY = "puzzlekit-played";

/** What is kept of each puzzle, by its text id: `solved`, and the best count of each day in `days`. */
export function played() {
  try {
    const data = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return data && typeof data === "object" && !Array.isArray(data) ? data : {};
  } catch {
    return {}; // the storage is switched off, or somebody else wrote there
  }
}

/** Notes that a puzzle was solved, or a game ended. */
export function note(puzzle, { outcome, daily, count }) {
  const all = played();
  const one = typeof all[puzzle] === "object" && all[puzzle] ? all[puzzle] : {};
  one[outcome] = (Number(one[outcome]) || 0) + 1;
  if (daily) one.days = { ...one.days, [daily]: Math.min(count, one.days?.[daily] ?? Infinity) };
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all, [puzzle]: one }));
  } catch {
    // The browser keeps no data. Play does not need them.
  }
}

/** The text ids of a puzzle, with any parameters, for which there are results. */
export function playedOf(id) {
  return Object.keys(played())
    .filter((text) => text === id || text.startsWith(`${id}:`))
    .sort();
}

const BEGUN = "puzzlekit-begun";

/** For each text id, the link to a play that was begun: the part of its address after #. */
export function begun() {
  try {
    const data = JSON.parse(localStorage.getItem(BEGUN) ?? "{}");
    return data && typeof data === "object" && !Array.isArray(data) ? data : {};
  } catch {
    return {};
  }
}

/** Keeps the link to a play that was begun; without a link, forgets the play. */
export function keepBegun(puzzle, link) {
  const { [puzzle]: old, ...others } = begun();
  if (old === undefined && !link) return;
  try {
    localStorage.setItem(BEGUN, JSON.stringify(link ? { ...others, [puzzle]: link } : others));
  } catch {
    // The browser keeps no data. Play does not need them.
  }
}

/** The day that lies `many` days before a day, both as 2026-11-22. */
export function dayBefore(day, many = 1) {
  return new Date(Date.parse(day) - many * 86_400_000).toISOString().slice(0, 10);
}

/** The best count of each day on which the daily board of a puzzle was solved. */
export const daysOf = (puzzle) => played()[puzzle]?.days ?? {};

/** The number of days in a row with a solved daily board, up to today, or to yesterday if today's is not solved yet. */
export function streak(puzzle, today) {
  const days = daysOf(puzzle);
  let day = days[today] ? today : dayBefore(today);
  let many = 0;
  for (; days[day]; day = dayBefore(day)) many += 1;
  return many;
}

/** The results at a puzzle, in words; empty without any. */
export function summary(puzzle, today) {
  const one = played()[puzzle];
  if (!one || typeof one !== "object") return "";
  const parts = Object.entries(one)
    .filter(([name]) => name !== "days")
    .map(([name, times]) => `${name} ${times}`);
  if (one.days?.[today]) parts.push(`today in ${one.days[today]}`);
  const row = streak(puzzle, today);
  if (row > 1) parts.push(`${row} days in a row`);
  return parts.join(", ");
}
