/**
 * A death at every step of a trade's life, one life for each: at each named step of what is sent and concluded (before and after each
 * commit and each request), by a kill and by a power cut that loses what was not synced; and at every so many statements of the
 * database, commits and what lies between two of them included.
 *
 *     bun run trade-crashes [--statements-every 97]
 */
import { parseArgs } from "node:util";
import type { Doom } from "../test/simulation/process.ts";
import { faultsOf, type Life, liveTrade, type Path } from "../test/simulation/trade-life.ts";

const { values } = parseArgs({ options: { "statements-every": { type: "string", default: "97" } } });
const every = Number(values["statements-every"]);
if (!Number.isInteger(every) || every < 1) throw new Error("--statements-every: a whole number from 1");

/** Far more than a life has: one in which nobody died ends the enumeration before. */
const MAX_LIVES = 20_000;

let lives = 0;
let worstMs = 0;
const found: string[] = [];

function judge(path: Path, doom: Partial<Doom>, life: Life): void {
  lives += 1;
  worstMs = Math.max(worstMs, life.unprotectedMs);
  found.push(...faultsOf(path, life).map((fault) => `${path} ${JSON.stringify(doom)}: ${fault}`));
}

/** @returns how many deaths there were */
async function enumerate(path: Path, step: number, doomAt: (at: number) => Partial<Doom>): Promise<number> {
  for (let nth = 1; nth <= MAX_LIVES; nth += 1) {
    const doom = doomAt(nth * step);
    const life = await liveTrade(path, doom);
    judge(path, doom, life);
    if (!life.hasDied) return nth - 1;
  }
  throw new Error(`${path}: no end after ${MAX_LIVES} lives`);
}

for (const path of ["stop_first", "after_fills"] as const) {
  const kills = await enumerate(path, 1, (atPoint) => ({ atPoint }));
  const cuts = await enumerate(path, 1, (atPoint) => ({ atPoint, kind: "power_cut", cut: 0 }));
  const statements = await enumerate(path, every, (atStatement) => ({ atPoint: null, atStatement }));
  console.log(
    `${path}: ${kills} kills and ${cuts} power cuts at each step, ${statements} at every ${every}th statement`,
  );
}
console.log(`${lives} lives, ${found.length} faults; unprotected for ${worstMs} ms at most while a gateway lived`);
for (const each of found) console.log(each);
process.exit(found.length === 0 ? 0 : 1);
