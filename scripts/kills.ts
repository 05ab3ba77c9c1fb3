/**
 * Kills the executable again and again under load, and compares what is stored with the exchange's own log:
 *
 *   bun run kills --kills N [--jobs 3] [--seed S] [--executable dist/postern]
 *
 * Half of the deaths come from outside at a random moment, to the executable that is shipped; the other half at each
 * named step of a write in turn, to one that differs from it only by dying there.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Point } from "../src/core/points.ts";
import { askUntilKnown, type Client, load } from "../test/crash/clients.ts";
import { compareNow, compareSettled, type Rows, readRows } from "../test/crash/compare.ts";
import { readExchange } from "../test/crash/exchange-log.ts";
import { randomFaults } from "../test/crash/faults.ts";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Executable, type Scene, setScene } from "../test/crash/scene.ts";
import { settleAll } from "../test/crash/settle-all.ts";
import { openWishes, type Wish, type Wishes } from "../test/crash/wishes.ts";
import { type Chance, openChance } from "../test/simulation/chance.ts";
import { buildDoomed } from "./build-doomed.ts";

const ROOT = join(import.meta.dir, "..");
/** Kills after which exchange and directory are made anew, at most: the exchange lists no more than its newest orders. */
const MAX_KILLS_PER_SCENE = 15;
const CLIENTS = 6;
/** The longest that load lasts before a kill from outside, milliseconds. */
const MAX_LOAD_MS = 700;
/** A step that has not been reached by then is not reached any more: killed from outside, milliseconds. */
const POINT_DEADLINE_MS = 2_500;
/** Within this everything has settled: the life of an action, the exchange's lag and some looks, milliseconds. */
const SETTLED_DEADLINE_MS = 90_000;
const FINDINGS_SHOWN = 20;
/** Exit code of a process that was killed. */
const KILLED = 137;

/** Every step, in the order of their turns, with the most passes before the death. */
const POINTS: Record<Point, number> = {
  before_intent: 12,
  after_intent: 12,
  before_send: 12,
  after_answer: 12,
  before_outcome: 12,
  after_outcome: 12,
  before_reply: 12,
  settle_before_look: 2,
  settle_before_noop: 1,
  settle_before_conclude: 1,
  start_up_marked: 1,
};

type Figures = {
  kills: number;
  /** Deaths at each step that came about, and deaths from outside by the phase that they met. */
  deaths: Map<string, number>;
  readyMs: number[];
  /** Keys by the kind of their action. */
  wishes: Map<string, number>;
  lost: number;
  executed: number;
  /** Requests by the code of their answer. */
  answers: Map<string, number>;
  /** Writes that were answered 202 or not at all, and are known now. */
  settledUnknowns: number;
  settleMs: number[];
  findings: string[];
};

type Rig = { scene: Scene; wishes: Wishes; chance: Chance; figures: Figures; shipped: Executable; doomed: Executable };

/** Starts the gateway, loads it and kills it; then nothing of it is left but the directory. */
async function dieOnce(rig: Rig, point: string | null): Promise<void> {
  const { scene, chance, figures, wishes } = rig;
  const passes = point === null ? 1 : chance.between(1, POINTS[point as Point]);
  const program =
    point === null ? scene.serve(rig.shipped) : scene.serve(rig.doomed, { KILL_AT: `${point}:${passes}` });
  const isEarly = point === null && chance.isLucky(0.25);
  const startedMs = performance.now();
  const gateway = await start(program, isEarly ? (pid) => killLater(pid, chance.between(0, 900)) : undefined);
  let phase = "while starting";
  let hasDied = true;
  if (!("endedEarly" in gateway)) {
    if (await waitUntilReady(gateway)) {
      figures.readyMs.push(performance.now() - startedMs);
      phase = "under load";
      hasDied = await loadUntilDeath(rig, gateway, point);
    }
    const isStopped = await Promise.race([gateway.exited.then(() => true), Bun.sleep(0).then(() => false)]);
    if (!isStopped) await gateway.kill();
  } else if (gateway.exitCode !== KILLED) {
    figures.findings.push(`the gateway ended by itself: ${gateway.endedEarly}`);
  }
  figures.kills += 1;
  const name = point === null ? phase : hasDied ? point : `${point} not reached`;
  figures.deaths.set(name, (figures.deaths.get(name) ?? 0) + 1);
  const log = await readExchange(scene);
  figures.findings.push(...compareNow(wishes.all, log, readRows(scene.dataDirectory)));
}

/** By number: the process is a child that has not been waited for, so the number is still its own. */
function killLater(pid: number, afterMs: number): void {
  setTimeout(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }, afterMs);
}

/** True when it has died by itself. */
async function loadUntilDeath(
  { scene, chance, wishes }: Rig,
  gateway: Started,
  point: string | null,
): Promise<boolean> {
  const client = clientOf(scene, gateway);
  let isOver = false;
  const loading = load(client, wishes, { clients: CLIENTS, isOver: () => isOver });
  const longestMs = point === null ? chance.between(0, MAX_LOAD_MS) : POINT_DEADLINE_MS;
  const hasDied = await Promise.race([gateway.exited.then(() => true), Bun.sleep(longestMs).then(() => false)]);
  await gateway.kill();
  isOver = true;
  await loading;
  return hasDied;
}

function clientOf(scene: Scene, gateway: Started): Client {
  return { baseUrl: gateway.facts["base_url"] ?? "", apiKey: scene.apiKey };
}

/** A first life that nothing happens to, for what has to be there before the load. */
async function openPositions({ scene, wishes, shipped }: Rig): Promise<void> {
  const gateway = await start(scene.serve(shipped));
  if ("endedEarly" in gateway || !(await waitUntilReady(gateway))) throw new Error("the first start failed");
  const open = await askUntilKnown(clientOf(scene, gateway), wishes.positions());
  if (open.length > 0) throw new Error("the scene's positions could not be opened");
  await gateway.kill();
}

/** The last start: every key is asked for again until everything is known, and all of it compared. */
async function settleWishes({ scene, wishes, figures, shipped }: Rig): Promise<void> {
  const startedMs = performance.now();
  const gateway = await start(scene.serve(shipped));
  if ("endedEarly" in gateway || !(await waitUntilReady(gateway))) throw new Error("the last start failed");
  figures.readyMs.push(performance.now() - startedMs);
  const client = clientOf(scene, gateway);
  const unknown = wishes.all.filter(({ heard }) => heard.every(({ status }) => status === 202 || status >= 500));
  const open = await settleAll(client, wishes, { clients: CLIENTS, withinMs: SETTLED_DEADLINE_MS });
  const rows = readRows(scene.dataDirectory);
  const log = await readExchange(scene);
  figures.findings.push(...compareNow(wishes.all, log, rows), ...(await compareSettled(client, wishes.all, log, rows)));
  figures.settledUnknowns += unknown.filter((wish) => !open.includes(wish)).length;
  addFigures(figures, wishes.all, rows, log.actions.length);
  if ((await gateway.kill("SIGTERM")) !== 0) figures.findings.push("it did not exit with 0 when it was asked to stop");
}

function addFigures(figures: Figures, wishes: readonly Wish[], rows: Rows, executed: number): void {
  for (const { kind } of wishes) figures.wishes.set(kind, (figures.wishes.get(kind) ?? 0) + 1);
  figures.executed += executed;
  for (const { status, body } of wishes.flatMap(({ heard }) => heard)) {
    const name = status < 300 ? String(status) : `${status} ${JSON.parse(body).error.code}`;
    figures.answers.set(name, (figures.answers.get(name) ?? 0) + 1);
  }
  figures.lost += wishes.reduce((sum, { lost }) => sum + lost, 0);
  for (const row of rows.attempts) {
    if (row.settled_at_ms !== null) figures.settleMs.push(row.settled_at_ms - row.created_at_ms);
  }
}

async function runScene(rig: Omit<Rig, "scene" | "wishes">, names: readonly (string | null)[]): Promise<void> {
  const faults = randomFaults(rig.chance, { actions: 20 * names.length, reads: 40 * names.length });
  const scene = await setScene({ executable: rig.shipped, faults });
  const whole: Rig = { ...rig, scene, wishes: openWishes(rig.chance, scene.account) };
  try {
    await openPositions(whole);
    for (const name of names) await dieOnce(whole, name);
    await settleWishes(whole);
    console.log(`${rig.figures.kills} kills so far, ${rig.figures.findings.length} findings`);
  } finally {
    await scene.close();
  }
}

/** Takes from what is left until nothing is. */
async function runScenes(rig: Omit<Rig, "scene" | "wishes">, scenes: (string | null)[][]): Promise<void> {
  for (let names = scenes.shift(); names !== undefined; names = scenes.shift()) await runScene(rig, names);
}

function share(values: readonly number[], part: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1_000).toFixed(2);
}

function report(figures: Figures): void {
  const { kills, wishes, executed, lost, settledUnknowns, readyMs, settleMs, findings } = figures;
  const doubles = findings.filter((finding) => /executed \d+ times/.test(finding)).length;
  const seconds = Math.round(performance.now() / 1_000);
  console.log(
    `${kills} kills in ${seconds} s: ${[...figures.deaths].map(([name, count]) => `${name} ${count}`).join(", ")}`,
  );
  console.log(`${readyMs.length} times ready, seconds: p50 ${share(readyMs, 0.5)}, most ${share(readyMs, 1)}`);
  const keys = [...wishes].map(([kind, count]) => `${kind} ${count}`).join(", ");
  console.log(`keys: ${keys}; ${lost} answers lost, ${executed} actions at the exchange`);
  console.log([...figures.answers].map(([name, count]) => `${name}: ${count}`).join(", "));
  console.log(
    `${settledUnknowns} unknowns settled; seconds to settle: p99 ${share(settleMs, 0.99)}, most ${share(settleMs, 1)}`,
  );
  console.log(`executed twice: ${doubles}; findings: ${findings.length}`);
  for (const finding of [...new Set(findings)].slice(0, FINDINGS_SHOWN)) console.log(`  ${finding}`);
}

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "30" },
    jobs: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    executable: { type: "string", default: join(ROOT, "dist", "postern") },
  },
});
const kills = Number(values.kills);
const chance = openChance(Number(values.seed));
const figures: Figures = {
  kills: 0,
  deaths: new Map(),
  readyMs: [],
  wishes: new Map(),
  lost: 0,
  executed: 0,
  answers: new Map(),
  settledUnknowns: 0,
  settleMs: [],
  findings: [],
};
const directory = mkdtempSync(join(tmpdir(), "postern-kills-"));
console.log(`seed ${values.seed}`);
try {
  const rig = { chance, figures, shipped: [resolve(values.executable)], doomed: [await buildDoomed(directory)] };
  const points = Object.keys(POINTS);
  const names = Array.from({ length: kills }, (_, nth) =>
    nth % 2 === 0 ? null : (points[Math.floor(nth / 2) % points.length] ?? null),
  );
  const jobs = Number(values.jobs);
  const perScene = Math.min(MAX_KILLS_PER_SCENE, Math.ceil(kills / jobs));
  const scenes = Array.from({ length: Math.ceil(kills / perScene) }, (_, nth) =>
    names.slice(nth * perScene, (nth + 1) * perScene),
  );
  const runs = await Promise.allSettled(Array.from({ length: jobs }, () => runScenes(rig, scenes)));
  // Told only when every scene has been cleared away: nothing of it is left running.
  for (const run of runs) if (run.status === "rejected") throw run.reason;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
if (figures.executed < kills) figures.findings.push("hardly anything was traded: this proves nothing");
report(figures);
process.exit(figures.findings.length === 0 ? 0 : 1);
