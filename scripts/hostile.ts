/**
 * A bounded storm against the built executable, and an order placed as ever afterwards:
 *
 *   bun run hostile [--scale 3] [--seed S] [--executable dist/postern]
 *
 * Oversized, unreadable, slow and endless requests, random bytes, guessed keys, names of other hosts, tricks with paths.
 * Nothing of it reaches the exchange, no answer and no line of the log holds a secret, and the memory comes back.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ask } from "../test/crash/clients.ts";
import { readExchange } from "../test/crash/exchange-log.ts";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { PASSPHRASE, type Scene, setScene } from "../test/crash/scene.ts";
import { openWishes } from "../test/crash/wishes.ts";
import { ATTACKS } from "../test/hostile/attacks.ts";
import { slowClients, tooMany } from "../test/hostile/crowd.ts";
import { CANARY, newHeard, type Target } from "../test/hostile/target.ts";
import { openChance } from "../test/simulation/chance.ts";

/** What the executable may hold more than before. */
const MEMORY_GROWTH = 1.2;
/** And beside that: what the allocator keeps on a busy machine, whatever the size of the storm, bytes. */
const MEMORY_SLACK_BYTES = 8 * 1_048_576;
/** The collector has this long to give it back, milliseconds. */
const MEMORY_WITHIN_MS = 15_000;
/** A storm before the storm, so that what is compiled and pooled once is there. */
const WARM_UP_SCALE = 0.15;
const FINDINGS_SHOWN = 20;
/** Statuses that may leave the gateway; and its runtime, which refuses what is no HTTP/1.1 or far too large. */
const LISTED = new Set([200, 201, 202, 400, 401, 403, 404, 409, 429, 503, 413, 431, 505]);
/** The limits that a real gateway has; the scene of the other runs has none. */
const LIMITS = {
  POSTERN_LIMIT_ORDERS: "10/20",
  POSTERN_LIMIT_READS: "20/60",
  POSTERN_ANSWER_DEADLINE_MS: "8000",
};

const findings: string[] = [];

function say(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok    " : "FAILED"} ${what}`);
  if (!isTrue) findings.push(what);
}

async function storm(target: Target, seed: number, scale: number): Promise<void> {
  const chance = openChance(seed);
  for (const { name, run } of ATTACKS) {
    const startedMs = performance.now();
    const found = await run(target, chance.split(), scale);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    if (scale === WARM_UP_SCALE) findings.push(...found);
    else say(`${name} (${seconds} s) ${[...new Set(found)].slice(0, 3).join("; ")}`, found.length === 0);
  }
}

/** Anonymous memory alone: pages of the executable's own file come and go as the system likes. */
function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/RssAnon:\s+([0-9]+) kB/.exec(status)?.[1]) * 1_024;
}

async function memoryComesBack(pid: number, before: number): Promise<void> {
  const untilMs = performance.now() + MEMORY_WITHIN_MS;
  const most = before * MEMORY_GROWTH + MEMORY_SLACK_BYTES;
  let now = residentBytes(pid);
  while (now > most && performance.now() < untilMs) {
    await Bun.sleep(500);
    now = residentBytes(pid);
  }
  const [from, to] = [before, now].map((bytes) => Math.round(bytes / 1_048_576));
  say(`memory ${from} MiB before, ${to} MiB after`, now <= most);
}

type Attacked = { scene: Scene; gateway: Started; logFile: string; executable: string };

async function attack({ scene, gateway }: Attacked, seed: number, scale: number): Promise<Target> {
  const { hostname, port, host } = new URL(gateway.facts["base_url"] ?? "");
  const { apiKey, account } = scene;
  const target: Target = { hostname, port: Number(port), host, apiKey, account, heard: newHeard() };
  await Promise.all([storm(target, seed, WARM_UP_SCALE), slowClients(target, WARM_UP_SCALE)]);
  const before = residentBytes(gateway.pid);
  const sent = (await readExchange(scene)).actions.length;
  const [slow] = await Promise.all([slowClients(target, 1), storm(target, seed + 1, scale)]);
  say(`silent and trickling clients are given up ${[...new Set(slow)].join("; ")}`, slow.length === 0);
  const crowd = await tooMany(target);
  say(`more than are answered at once are told so ${crowd.join("; ")}`, crowd.length === 0);
  say("nothing of it reached the exchange", (await readExchange(scene)).actions.length === sent);
  await memoryComesBack(gateway.pid, before);
  return target;
}

function judge({ heard, apiKey }: Target, logFile: string): void {
  const statuses = [...heard.statuses].sort(([a], [b]) => a - b);
  console.log(
    `${heard.connections} connections; ${statuses.map(([status, count]) => `${status}: ${count}`).join(", ")}`,
  );
  const unlisted = statuses.filter(([status]) => !LISTED.has(status)).map(([status]) => status);
  say(`every status is a listed one ${unlisted.join()}`, unlisted.length === 0);
  say("nothing was a fault of ours", !heard.codes.has("internal_error") && !heard.codes.has("storage_unavailable"));
  say(`no answer repeats a secret ${heard.leaks[0] ?? ""}`, heard.leaks.length === 0);
  const log = readFileSync(logFile, "utf8");
  const lines = log.trimEnd().split("\n");
  const broken = lines.filter((line) => !isLine(line));
  say(`each of ${lines.length} log lines is one JSON object ${broken[0] ?? ""}`, broken.length === 0);
  const secrets = [apiKey, CANARY, PASSPHRASE, "ca".repeat(20), "Bearer", "\u001b"];
  const told = secrets.filter((secret) => log.includes(secret));
  say(`no line of the log holds a secret (${told.length})`, told.length === 0);
  const errors = lines.filter((line) => line.includes('"level":50'));
  say(`nothing was logged as an error ${errors[0] ?? ""}`, errors.length === 0);
}

function isLine(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

async function run(executable: string, seed: number, scale: number): Promise<void> {
  const scene = await setScene({ executable: [executable], faults: { rules: [] } });
  try {
    const logFile = join(scene.directory, "log");
    const { command, environment } = scene.serve([executable], LIMITS);
    // The whole log, however long.
    const logged = ["sh", "-c", 'log="$1"; shift; exec "$@" 2>"$log"', "sh", logFile, ...command];
    const gateway = await start({ command: logged, environment: { ...environment } });
    if ("endedEarly" in gateway || !(await waitUntilReady(gateway))) throw new Error("the gateway did not start");
    const target = await attack({ scene, gateway, logFile, executable }, seed, scale);
    judge(target, logFile);
    const wish = openWishes(openChance(seed), scene.account).place();
    const baseUrl = gateway.facts["base_url"] ?? "";
    const placed = await ask({ baseUrl, apiKey: scene.apiKey }, wish);
    say(`an order is placed as ever (${placed?.status})`, placed?.status === 201);
    say("and it is the only one", (await readExchange(scene)).orders.size === 1);
    say("it stops when it is asked to", (await gateway.kill("SIGTERM")) === 0);
  } finally {
    await scene.close();
  }
}

const { values } = parseArgs({
  options: {
    scale: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    executable: { type: "string", default: join(import.meta.dir, "..", "dist", "postern") },
  },
});
await run(resolve(values.executable), Number(values.seed), Number(values.scale));
for (const finding of [...new Set(findings)].slice(0, FINDINGS_SHOWN)) console.log(`  ${finding}`);
console.log(`${Math.round(performance.now() / 1_000)} s, ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
