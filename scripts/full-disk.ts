/**
 * Runs the executable on a file system that is full, which has to be small (but larger than 48 MiB: 16 are kept for
 * cancels and outcomes) and holds nothing else:
 *
 *   bun run full-disk --directory MOUNT [--executable dist/postern]
 *
 * Writes are refused and nothing of them is sent, `/readyz` says so until there is room again, reads go on, a kill changes
 * nothing, and with space again every key ends as the exchange has it, without anybody's help.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ask, askUntilKnown, type Client, readOrder } from "../test/crash/clients.ts";
import { compareNow, compareSettled, readRows } from "../test/crash/compare.ts";
import { readExchange } from "../test/crash/exchange-log.ts";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Scene, setScene } from "../test/crash/scene.ts";
import { openWishes, type Wish } from "../test/crash/wishes.ts";
import { openChance } from "../test/simulation/chance.ts";

const BEFORE = 10;
const REFUSALS_WANTED = 20;
/** Requests after which the database must have met the end of the disk. */
const MAX_REQUESTS = 2_000;
/** Bytes of one piece of what fills the disk. */
const FILLER_BYTES = 4_096;
/** A disk larger than this is not the small one that was asked for. */
const MAX_FILLER_PIECES = 16_384;

const findings: string[] = [];

function expect(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok    " : "FAILED"} ${what}`);
  if (!isTrue) findings.push(what);
}

/** Leaves not one free page; returns the pieces written. */
function fill(path: string): number {
  const file = openSync(path, "w");
  const piece = new Uint8Array(FILLER_BYTES);
  let pieces = 0;
  try {
    for (; pieces < MAX_FILLER_PIECES; pieces += 1) writeSync(file, piece);
  } catch (error) {
    if (!String(error).includes("ENOSPC")) throw error;
    fsyncSync(file);
    return pieces;
  } finally {
    closeSync(file);
  }
  throw new Error("this is no small file system");
}

async function serve(scene: Scene, executable: string): Promise<{ gateway: Started; client: Client }> {
  const gateway = await start(scene.serve([executable]));
  if ("endedEarly" in gateway) throw new Error(gateway.endedEarly);
  if (!(await waitUntilReady(gateway))) throw new Error("it ended before it was ready");
  return { gateway, client: { baseUrl: gateway.facts["base_url"] ?? "", apiKey: scene.apiKey } };
}

function codeOf(wish: Wish): string | null {
  const last = wish.heard.at(-1);
  return last === undefined || last.status < 300 ? null : JSON.parse(last.body).error.code;
}

async function readiness({ baseUrl }: Client): Promise<{ status: number; text: string }> {
  const response = await fetch(`${baseUrl}/readyz`);
  return { status: response.status, text: await response.text() };
}

async function within(deadlineMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
  for (const untilMs = Date.now() + deadlineMs; Date.now() < untilMs; await Bun.sleep(100))
    if (await isSo()) return true;
  return false;
}

async function run(directory: string, executable: string): Promise<void> {
  const filler = join(directory, "filler");
  const dataDirectory = join(directory, "data");
  const scene = await setScene({ executable: [executable], faults: { rules: [] }, dataDirectory });
  const wishes = openWishes(openChance(1), scene.account);
  try {
    const first = await serve(scene, executable);
    for (let number = 0; number < BEFORE; number += 1) await ask(first.client, wishes.next());
    const known = JSON.parse(wishes.all[0]?.heard[0]?.body ?? "{}").id;
    expect("it is ready while there is room", (await readiness(first.client)).status === 200);
    console.log(`${fill(filler)} pieces fill the disk`);
    let refused = 0;
    for (let number = 0; number < MAX_REQUESTS && refused < REFUSALS_WANTED; number += 1) {
      const wish = wishes.next();
      await ask(first.client, wish);
      if (codeOf(wish) === "storage_unavailable") refused += 1;
    }
    expect(`writes are refused as storage_unavailable (${refused})`, refused === REFUSALS_WANTED);
    expect("reads go on", (await readOrder(first.client, known)).id === known);
    const sentAtFull = await readExchange(scene);
    const atFull = compareNow(wishes.all, sentAtFull, readRows(scene.dataDirectory));
    expect(`nothing was sent that is not recorded ${atFull.join("; ")}`, atFull.length === 0);
    const full = await readiness(first.client);
    expect(`/readyz says that the disk is full: ${full.text}`, full.status === 503 && full.text.includes("disk_full"));
    rmSync(filler);
    expect(
      "with room it is ready again by itself",
      await within(5_000, async () => (await readiness(first.client)).status === 200),
    );
    const again = wishes.next();
    await ask(first.client, again);
    expect("and takes orders", codeOf(again) === null);
    fill(filler);
    await first.gateway.kill();

    const second = await start(scene.serve([executable]));
    if ("endedEarly" in second)
      expect(`a start says why it cannot: ${second.endedEarly.trim()}`, /full/.test(second.endedEarly));
    else await second.kill();
    const meanwhile = (await readExchange(scene)).actions.length;
    expect("a start on the full disk sends nothing", meanwhile === sentAtFull.actions.length);

    rmSync(filler);
    const third = await serve(scene, executable);
    await askUntilKnown(third.client, wishes.all);
    const [log, rows] = [await readExchange(scene), readRows(scene.dataDirectory)];
    const after = [
      ...compareNow(wishes.all, log, rows),
      ...(await compareSettled(third.client, wishes.all, log, rows)),
    ];
    expect(
      `with space again every key ends in the truth (${wishes.all.length}) ${after.join("; ")}`,
      after.length === 0,
    );
    expect("it stops when it is asked to", (await third.gateway.kill("SIGTERM")) === 0);
  } finally {
    rmSync(filler, { force: true });
    await scene.close();
  }
}

const { values } = parseArgs({
  options: {
    directory: { type: "string" },
    executable: { type: "string", default: join(import.meta.dir, "..", "dist", "postern") },
  },
});
if (values.directory === undefined) throw new Error("--directory is the small file system");
await run(values.directory, resolve(values.executable));
process.exit(findings.length === 0 ? 0 : 1);
