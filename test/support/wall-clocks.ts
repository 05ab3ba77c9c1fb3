const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** What our wall clock is off while something is noted, and by how much it is set after that, milliseconds. */
export const WALL_CLOCKS: [string, before: number, since: number][] = [
  ["is right", 0, 0],
  ["is ten minutes ahead", 10 * MINUTE_MS, 0],
  ["is ten minutes behind", -10 * MINUTE_MS, 0],
  ["was ten minutes ahead and was set right since", 10 * MINUTE_MS, -10 * MINUTE_MS],
  ["was ten minutes behind and was set right since", -10 * MINUTE_MS, 10 * MINUTE_MS],
  ["was three days ahead and was set right since", 3 * DAY_MS, -3 * DAY_MS],
  ["was set back by three days since", 0, -3 * DAY_MS],
  ["was set forth by three days since", 0, 3 * DAY_MS],
];
