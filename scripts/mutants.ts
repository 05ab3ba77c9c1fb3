/**
 * Proves that the simulation can fail: plants one bug at a time in a copy of the tree and counts the seeds that it takes
 * until the auditor finds it. What no seed finds within its bounds has to be found by a named scene.
 *
 *   bun run mutants [--list LIST] [--only NAME] [--seeds N] [--jobs J]
 *
 * LIST is one of those in `mutants/list`, NAME a part of a bug's name; 0 seeds leave it all to the scenes. Fails when a bug survives both, or cannot be planted any more.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { LISTS } from "./mutants/list.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { copyTree, plant } from "./mutants/plant.ts";

/** Seeds after which the scenes have to find a bug. */
const MAX_SEEDS = "2000";
/** Minutes for the seeds of one bug. */
const MAX_MINUTES = "2";
/** Milliseconds for one scene: one that ran out of time has found nothing. */
const MAX_SCENE_MS = "180000";
/** Milliseconds for the scenes of one bug. */
const MAX_SCENES_MS = 300_000;
/** Characters of a finding that are shown. */
const SHOWN = 160;
const MAX_JOBS = 16;

/** Scenes with a name: sequences, incidents, regressions, and single steps of settling. */
const SCENES = [
  "test/simulation/sequences.test.ts",
  "test/wire/answer/market-data.test.ts",
  "test/wire/answer/account.test.ts",
  "test/http/rails.test.ts",
  "test/http/twaps.test.ts",
  "test/http/rails-spot.test.ts",
  "test/simulation/adversary.test.ts",
  "test/simulation/regressions.test.ts",
  "test/simulation/forgotten.test.ts",
  "test/simulation/heard-once.test.ts",
  "test/simulation/as-it-is.test.ts",
  "test/simulation/forgotten-original.test.ts",
  "test/simulation/refused-modify.test.ts",
  "test/simulation/refused-and-placed.test.ts",
  "test/simulation/always-place.test.ts",
  "test/simulation/excess.test.ts",
  "test/simulation/beside.test.ts",
  "test/simulation/closing-modify.test.ts",
  "test/simulation/late-fills.test.ts",
  "test/simulation/late-records.test.ts",
  "test/simulation/ended-original.test.ts",
  "test/simulation/whose-end.test.ts",
  "test/simulation/mixed-answer.test.ts",
  "test/simulation/two-dexes.test.ts",
  "test/simulation/stale-markets.test.ts",
  "test/simulation/market-list-age.test.ts",
  "test/simulation/kept-placing.test.ts",
  "test/simulation/replaced-original.test.ts",
  "test/simulation/unheard-modify.test.ts",
  "test/simulation/trigger-excess.test.ts",
  "test/simulation/modified-late.test.ts",
  "test/simulation/short-triggers.test.ts",
  "test/simulation/silent-sizes.test.ts",
  "test/simulation/placed-elsewhere.test.ts",
  "test/simulation/unnamed-triggers.test.ts",
  "test/simulation/clock-behind.test.ts",
  "test/simulation/namesakes-fill.test.ts",
  "test/simulation/namesakes-rest.test.ts",
  "test/simulation/starved.test.ts",
  "test/simulation/stop.test.ts",
  "test/simulation/quiet.test.ts",
  "test/simulation/quiet-stop.test.ts",
  "test/simulation/quiet-twaps.test.ts",
  "test/store/open-attempts.test.ts",
  "test/store/account-events.test.ts",
  "test/store/stops-since.test.ts",
  "test/store/checkpoints.test.ts",
  "test/simulation/heartbeat.test.ts",
  "test/simulation/trade.test.ts",
  "test/simulation/trade-lost-stop.test.ts",
  "test/simulation/doubted-guard.test.ts",
  "test/simulation/close.test.ts",
  "test/simulation/flatten.test.ts",
  "test/http/blocked-elsewhere.test.ts",
  "test/http/stop.test.ts",
  "test/http/stopped-entries.test.ts",
  "test/http/flatten.test.ts",
  "test/http/flatten-bounds.test.ts",
  "test/http/flatten-unknown.test.ts",
  "test/http/unproven-twaps.test.ts",
  "test/http/hook-targets.test.ts",
  "test/http/rails-left.test.ts",
  "test/http/close.test.ts",
  "test/http/close-settled.test.ts",
  "test/settle/close-beside-twap.test.ts",
  "test/http/cancel-all.test.ts",
  "test/http/trades.test.ts",
  "test/flows",
  "test/settle",
  "test/core",
  "test/exchange/budget.test.ts",
  "test/core/trade-guards.test.ts",
  "test/exchange/clock.test.ts",
  "test/exchange/outvoted-clock.test.ts",
  "test/exchange/spending.test.ts",
  "test/exchange/markets.test.ts",
  "test/exchange/picture.test.ts",
  "test/exchange/reads.test.ts",
  "test/exchange/told-late.test.ts",
  "test/actions/balances-before.test.ts",
  "test/actions/balances-before-writes.test.ts",
  "test/actions/cancel-order.test.ts",
  "test/actions/cancel-outside.test.ts",
  "test/actions/of-elsewhere.test.ts",
  "test/actions/own-writes.test.ts",
  "test/actions/repeated-key.test.ts",
  "test/actions/stale-open-list.test.ts",
  "test/actions/told-beside.test.ts",
  "test/actions/told-outside.test.ts",
  "test/actions/unlisted-orders.test.ts",
  "test/http/equity.test.ts",
  "test/http/limits.test.ts",
  "test/http/writes.test.ts",
  "test/http/bot-books.test.ts",
  "test/http/closes-beside.test.ts",
  "test/http/sold-twice.test.ts",
  "test/http/just-filled.test.ts",
  "test/http/open-order-reserve.test.ts",
  "test/http/performance.test.ts",
  "test/http/rails-batch.test.ts",
  "test/http/rails-settings.test.ts",
  "test/http/rails-trades.test.ts",
  "test/http/rails-twap.test.ts",
  "test/http/ways-round-rails.test.ts",
  "test/http/readiness.test.ts",
  "test/http/trade-bot-flat.test.ts",
  "test/ops/sealed-narrowings.test.ts",
  "test/paper/engine",
  "test/store/attempts.test.ts",
  "test/store/commit.test.ts",
  "test/store/open-legs.test.ts",
  "test/store/refused-book.test.ts",
  "test/store/short-of-fills.test.ts",
  "test/store/remembered.test.ts",
  "test/store/open-attempts.test.ts",
  "test/store/account-events.test.ts",
  "test/store/stops-since.test.ts",
  "test/store/unproven-twaps.test.ts",
  "test/store/while-unchanged.test.ts",
  "test/write",
  "test/wire/action",
  "test/wire/answer",
  "test/wire/order-terms.test.ts",
];

type Outcome = { name: string; isFound: boolean; verdict: string; finding: string };

async function hunt(mutant: Mutant, clean: string, seeds: string): Promise<Outcome> {
  const { name } = mutant;
  const directory = copyTree(clean);
  try {
    const fault = plant(directory, mutant.changes);
    if (fault !== null) return { name, isFound: false, verdict: "NOT PLANTED", finding: fault };
    const bySeed = await findBySeeds(directory, mutant, seeds);
    if (bySeed !== null) return { name, isFound: true, ...bySeed };
    const scene = await findByScenes(directory);
    if (scene === null)
      return { name, isFound: false, verdict: "SURVIVED", finding: `${seeds} seeds, and every scene` };
    if (scene === "out of time")
      return {
        name,
        isFound: false,
        verdict: "OUT OF TIME",
        finding: "its scenes were ended before they were through",
      };
    return { name, isFound: true, verdict: "found by a scene", finding: scene };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function findBySeeds(
  cwd: string,
  mutant: Mutant,
  seeds: string,
): Promise<{ verdict: string; finding: string } | null> {
  const command = [process.execPath, ...commandOf(mutant), "--seeds", seeds];
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const found = /^seed (\d+) failed: (.*)$/m.exec(await child.stdout.text());
  await child.exited;
  return found === null ? null : { verdict: `found by seed ${found[1]}`, finding: found[2] ?? "" };
}

function commandOf({ seeds, world }: Mutant): string[] {
  return seeds === "rails"
    ? ["scripts/rails-seeds.ts", "--seconds", String(Number(MAX_MINUTES) * 60)]
    : ["scripts/simulate.ts", "--world", world ?? "", "--minutes", MAX_MINUTES, "--quiet"];
}

/** Name of the first scene that fails; `out of time` where they were ended before one did, of which nothing follows. */
async function findByScenes(cwd: string): Promise<string | null> {
  const command = [process.execPath, "test", "--bail", "--timeout", MAX_SCENE_MS, ...SCENES];
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe", timeout: MAX_SCENES_MS });
  const [output] = await Promise.all([child.stderr.text(), child.stdout.text(), child.exited]);
  const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1];
  return failed ?? (child.signalCode === null ? null : "out of time");
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      list: { type: "string" },
      only: { type: "string" },
      seeds: { type: "string", default: MAX_SEEDS },
      jobs: { type: "string", default: "1" },
    },
  });
  const { list, only, seeds } = values;
  const listed = Object.entries(LISTS).flatMap(([name, mutants]) =>
    list === undefined || list === name ? mutants : [],
  );
  const waiting = listed.filter(({ name }) => only === undefined || name.includes(only));
  const count = waiting.length;
  let survivors = 0;
  // The tree may be edited meanwhile: every bug is planted in the same one.
  const clean = copyTree();

  async function huntOn(): Promise<void> {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { name, isFound, verdict, finding } = await hunt(mutant, clean, seeds);
      if (!isFound) survivors += 1;
      console.log(`${verdict.padEnd(20)}  ${name}\n${" ".repeat(22)}${finding.slice(0, SHOWN)}`);
    }
  }

  try {
    const jobs = Math.min(Math.max(1, Number(values.jobs)), MAX_JOBS);
    await Promise.all(Array.from({ length: jobs }, huntOn));
  } finally {
    rmSync(clean, { recursive: true, force: true });
  }
  console.log(`${count - survivors} of ${count} planted bugs were found`);
  return survivors === 0 && count > 0;
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
