/** A death on the way of a trade. Every step of it, and power cuts: `bun run trade-crashes`. */
import { expect, test } from "bun:test";
import { faultsOf, liveTrade, type Path } from "./trade-life.ts";

/** A life has some forty steps; here every seventh is died at, from another one on each path. */
const EVERY = 7;
const STEPS = 36;

test.each<[Path, number]>([
  ["stop_first", 2],
  ["after_fills", 6],
])("a trade that is protected by %s keeps what it promises whatever step its gateway dies at", async (path, from) => {
  for (let atPoint = from; atPoint <= STEPS; atPoint += EVERY) {
    const life = await liveTrade(path, { atPoint });
    expect([atPoint, life.hasDied, faultsOf(path, life)]).toEqual([atPoint, true, []]);
  }
});
