// The counts on the page Explore, made in the page: the states at each depth, and the hardest states.

import { LIMITS } from "./rules.js";

const HARDEST = 6;

export function counts(rules) {
  const most = LIMITS.states;
  const { states, has_goal: hasGoal } = rules.data;
  if (states !== null && BigInt(states) > BigInt(most)) {
    const known = BigInt(states).toLocaleString("en");
    throw new Error(
      `${rules.name} has ${known} states, and the page counts up to ${most.toLocaleString("en")}; use the command line`,
    );
  }
  const backward = !rules.game && hasGoal;
  const asked = { max_states: most, seconds: LIMITS.long, memory: LIMITS.memory, backward, hardest: HARDEST };
  const found = rules.engine.ask("enumerate", asked);
  const sum = (name) => found.depths.reduce((all, depth) => all + depth[name], 0);
  return {
    schema: "puzzlekit.web-explore/1",
    backward: found.backward ?? backward,
    complete: found.complete,
    depths: found.depths.map(({ depth, states: some, raw_states: raw }) => ({ depth, states: some, raw_states: raw })),
    states: sum("states"),
    raw_states: sum("raw_states"),
    unsolvable: found.raw_unsolvable ?? null,
    hardest: (found.hardest ?? []).map(({ state, depth }) => ({ state, depth, cells: rules.cells(state) })),
  };
}
