/**
 * `bun run bench`: an order through the gateway against the same order sent directly with @nktkas/hyperliquid and with
 * ccxt, in one run, in turns, all with the same HTTP client, against an exchange that answers at once, after 5 and after
 * 50 ms; and against the floor (scripts/bench/floor.ts), which says what of it can be reached on this machine. Goals stand
 * beside the figures. The last line is one JSON object with all of it.
 *
 *   bun run bench [--rounds 9] [--one 400] [--many 2000] [--executable dist/postern] [--directory DIR]
 *   bun run bench --smoke               a few orders of each, to see that it still runs
 *   bun run bench --history 1000000     instead: a database with this many orders, and three fills to each, against a
 *                                       young one; about 4 GB below --directory
 *   bun run bench --fills 1000          instead: orders while the exchange tells this many fills a second
 *   bun run bench --against DIR         instead: this version and the one of another checkout, built, in turns
 *   bun run bench --soak 10             instead: resident memory over this many minutes of orders, 32 in flight
 *   bun run bench --reads 4000          instead: this many of each list of an account whose feed is live
 *   bun run bench --rails 60            instead: what rails cost, in this many short turns with and without
 *
 * The database is on the disk of --directory (a new one below the system's temporary directory) and waits for it. A
 * directory in memory waits for nothing, and is refused: --in-memory measures there all the same.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { afterPauses, compare, type Driven, type Drivers, type Sizes } from "./bench/compare.ts";
import { figuresOf, median, round, showSpread } from "./bench/figures.ts";
import { growth, soakFor, underFills } from "./bench/growth.ts";
import { isInMemory, residentMiB, signCost, syncCost } from "./bench/machine.ts";
import { firstLine, onBun, onNode, openDriver, spawn } from "./bench/processes.ts";
import { type RailsCost, railsCost } from "./bench/rails.ts";
import { readCosts } from "./bench/read-costs.ts";
import { freePort, type Scene, setScene, startGateway } from "./bench/scene.ts";
import { type Measured, show, showReads, tell, tellSpread } from "./bench/show.ts";
import { against as compareVersions, type Paired } from "./bench/versions.ts";

const ROOT = join(import.meta.dir, "..");
const BENCH = join(import.meta.dir, "bench");
const SMOKE: Sizes = { rounds: 1, one: 20, many: 64, pauses: 1 };
/** Orders that each come after a pause of a second. */
const PAUSES = 20;
/** Exit code of a bench that would say nothing. */
const MEANINGLESS = 2;
const COLD_STARTS = 5;
/** Left out, of what only the gateway's own driver tells: each is another path that the runtime compiles. */
const OWN_WARM_UP_ROUNDS = 20;
/** Requests of each list of an account. */
const READS = 4_000;
/** Memory is looked at after this time of doing nothing, milliseconds. */
const IDLE_MS = 1_000;

type Options = { sizes: Sizes; executable: string; directory: string; isSmoke: boolean };
type Instead = { history: number; fills: number; soak: number; reads: number; rails: number; against: string | null };

function readOptions(): Options & Instead & { isTemporary: boolean } {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      one: { type: "string", default: "400" },
      many: { type: "string", default: "2000" },
      executable: { type: "string", default: join(ROOT, "dist", "postern") },
      directory: { type: "string" },
      smoke: { type: "boolean", default: false },
      "in-memory": { type: "boolean", default: false },
      history: { type: "string", default: "0" },
      fills: { type: "string", default: "0" },
      soak: { type: "string", default: "0" },
      reads: { type: "string", default: "0" },
      rails: { type: "string", default: "0" },
      against: { type: "string" },
    },
  });
  const sizes = { rounds: Number(values.rounds), one: Number(values.one), many: Number(values.many), pauses: PAUSES };
  const executable = resolve(values.executable);
  if (!existsSync(executable)) throw new Error(`bench: there is no ${executable}: run "bun run build" first`);
  const directory = values.directory ?? mkdtempSync(join(tmpdir(), "postern-bench-"));
  if (!values["in-memory"] && isInMemory(directory)) {
    console.error(`bench: ${directory} is memory, where nothing waits for a disk: --directory DIR, or --in-memory`);
    process.exit(MEANINGLESS);
  }
  return {
    sizes: values.smoke ? SMOKE : sizes,
    executable,
    directory,
    isTemporary: values.directory === undefined,
    isSmoke: values.smoke,
    history: Number(values.history),
    fills: Number(values.fills),
    soak: Number(values.soak),
    reads: Number(values.reads),
    rails: Number(values.rails),
    against: values.against ?? null,
  };
}

type Servers = Record<"gateway" | "floor", { url: string; pid: number }>;

async function openDrivers(scene: Scene, { gateway, floor }: Servers, exchangeUrl: string): Promise<Drivers> {
  const ccxt = join(BENCH, "node_modules/ccxt/js/ccxt.js");
  const client = (command: readonly string[]): Driven => {
    const driver = openDriver(command);
    return { driver, worker: driver.pid };
  };
  const through = ({ url, pid }: Servers["gateway"], apiKey = scene.apiKey): Driven => ({
    driver: openDriver(onBun("drive-postern.ts", url, exchangeUrl, scene.account, apiKey)),
    worker: pid,
  });
  return {
    postern: through(gateway),
    limited: through(gateway, scene.limitedApiKey),
    nktkas: client(onBun("drive-nktkas.ts", exchangeUrl)),
    ccxt: client(await onNode("drive-ccxt.ts", scene.directory, exchangeUrl, ccxt)),
    floor: through(floor),
  };
}

async function coldStarts({ executable, isSmoke }: Options, scene: Scene) {
  const healthyMs: number[] = [];
  const readyMs: number[] = [];
  let idleMiB = 0;
  for (let start = 0; start < (isSmoke ? 1 : COLD_STARTS); start += 1) {
    const gateway = await startGateway(executable, scene, freePort());
    healthyMs.push(gateway.healthyAfterMs);
    readyMs.push(gateway.readyAfterMs);
    await Bun.sleep(isSmoke ? 0 : IDLE_MS);
    idleMiB = Math.max(idleMiB, await residentMiB(gateway.pid));
    await gateway.stop();
  }
  return { healthyMs: round(median(healthyMs)), readyMs: round(median(readyMs)), idleMiB };
}

/** What only the gateway's own driver can tell, over sockets of its own. */
async function alone({ postern: { driver } }: Drivers, { one }: Sizes): Promise<Measured["own"]> {
  const run = async (what: "bareRaw" | "placeRaw" | "read") => {
    await driver.run({ what, count: one * OWN_WARM_UP_ROUNDS, inFlight: 1 });
    return figuresOf(await driver.run({ what, count: one * 2, inFlight: 1 }));
  };
  return { bareRaw: await run("bareRaw"), placeRaw: await run("placeRaw"), read: await run("read") };
}

async function measure(options: Options): Promise<Measured> {
  const { sizes, executable, directory } = options;
  return withExchange(async (exchangeUrl) => {
    const scene = await setScene(join(directory, "scene"), exchangeUrl);
    const machine = { ...syncCost(directory), signMs: signCost(), isInMemory: isInMemory(directory) };
    const reads = await readCosts(executable, options.isSmoke ? sizes.one : READS);
    const start = {
      ...(await coldStarts(options, scene)),
      executableMiB: Math.round(statSync(executable).size / 2 ** 20),
    };
    const gateway = await startGateway(executable, scene, freePort());
    const floor = spawn({ command: onBun("floor.ts", scene.directory, exchangeUrl) });
    const { url: floorUrl = "" } = await firstLine(floor);
    const drivers = await openDrivers(scene, { gateway, floor: { url: floorUrl, pid: floor.pid } }, exchangeUrl);
    try {
      const distances = await compare(drivers, exchangeUrl, sizes);
      const paused = await afterPauses(drivers, sizes);
      const own = await alone(drivers, sizes);
      const loadedMiB = await residentMiB(gateway.pid);
      return { machine, start, reads, distances, paused, own, loadedMiB };
    } finally {
      await Promise.all(Object.values(drivers).map(({ driver }) => driver.stop()));
      await Promise.all([gateway.stop(), floor.stop()]);
    }
  });
}

async function withExchange<T>(work: (url: string) => Promise<T>): Promise<T> {
  const exchange = spawn({ command: onBun("exchange.ts") });
  try {
    const { url = "" } = await firstLine(exchange);
    return await work(url);
  } finally {
    await exchange.stop();
  }
}

/** What is asked for instead of the comparison; its own figures are the last line as well. */
function measureInstead({
  history,
  fills,
  soak,
  rails,
  against,
  sizes,
  executable,
  directory,
}: Options & Instead): Promise<object> {
  return withExchange(async (exchangeUrl) => {
    const place = { executable, directory, exchangeUrl };
    if (against !== null) return showAgainst(await compareVersions(against, { ...place, root: ROOT }, sizes));
    if (rails > 0) return showRails(await railsCost(place, rails));
    if (history > 0) return showGrowth(await growth(place, history));
    return fills > 0 ? underFills(place, fills) : showSoak(await soakFor(place, soak));
  });
}

function showSoak(measured: Awaited<ReturnType<typeof soakFor>>): typeof measured {
  tell(`peak memory over ${measured.orders} orders, 32 in flight, MiB`, measured.peakMiB, { most: 200 });
  return measured;
}

function showRails(measured: RailsCost[]): RailsCost[] {
  for (const { inFlight, ratio, plain, limited } of measured) {
    const goal = inFlight === 1 ? { most: 1.05 } : null;
    tellSpread(`p50 with rails to p50 without, ${inFlight} in flight`, ratio.p50Ms, goal);
    tell("  p50, ms, without and with", `${plain.p50Ms} / ${limited.p50Ms}`);
    tellSpread(`processor time of the main thread, with to without, ${inFlight} in flight`, ratio.mainThreadUs, null);
    tell("  us an order, without and with", `${plain.mainThreadUs} / ${limited.mainThreadUs}`);
  }
  return measured;
}

function showAgainst(measured: Paired[]): Paired[] {
  for (const { inFlight, ratio, now, before } of measured) {
    console.log(`${inFlight} in flight, to the other version's`);
    // `ratio` has the names of all figures and no others.
    for (const name of Object.keys(ratio) as (keyof typeof ratio)[]) {
      console.log(`  ${name.padEnd(14)}${showSpread(ratio[name])}   ${before[name]} -> ${now[name]}`);
    }
  }
  return measured;
}

function showGrowth(measured: Awaited<ReturnType<typeof growth>>): typeof measured {
  const { young, old } = measured;
  const ratio = (before: number, after: number) => `${before} -> ${after} (${(after / before).toFixed(2)} x)`;
  console.log(`${young.history.orders} -> ${old.history.orders} orders, p50 ms`);
  // `p50Ms` of both has the same members.
  for (const what of Object.keys(young.p50Ms) as (keyof typeof young.p50Ms)[]) {
    console.log(`${what.padEnd(20)}${ratio(young.p50Ms[what], old.p50Ms[what])}`);
  }
  console.log(`${"start to /readyz, ms".padEnd(20)}${ratio(Math.round(young.readyMs), Math.round(old.readyMs))}`);
  console.log(`${"memory, MiB".padEnd(20)}${ratio(young.loadedMiB, old.loadedMiB)}`);
  console.log(`${"bytes an order".padEnd(20)}${ratio(young.history.bytesAnOrder, old.history.bytesAnOrder)}`);
  return measured;
}

const options = readOptions();
try {
  if (options.reads > 0) {
    const costs = await readCosts(options.executable, options.reads);
    showReads(costs);
    console.log(JSON.stringify(costs));
  } else if (options.history + options.fills + options.soak + options.rails > 0 || options.against !== null) {
    console.log(JSON.stringify(await measureInstead(options)));
  } else {
    const measured = await measure(options);
    show(measured);
    console.log(JSON.stringify(measured));
  }
} finally {
  if (options.isTemporary) rmSync(options.directory, { recursive: true, force: true });
}
