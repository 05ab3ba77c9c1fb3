/**
 * `bun run bench`: an order through the gateway against the same order sent directly with @nktkas/hyperliquid and with
 * ccxt, in one run, in turns, against an exchange that answers at once; and against the floor (scripts/bench/floor.ts),
 * which says what of it can be reached on this machine. The last line is one JSON object with all of it.
 *
 *   bun run bench [--rounds 9] [--one 400] [--many 2000] [--executable dist/postern] [--directory DIR]
 *   bun run bench --smoke               a few orders of each, to see that it still runs
 *   bun run bench --history 1000000     instead: a database with this many orders, and three fills to each, against a
 *                                       young one; about 4 GB below --directory
 *   bun run bench --fills 1000          instead: orders while the exchange tells this many fills a second
 *   bun run bench --against DIR         instead: this version and the one of another checkout, built, in turns
 *   bun run bench --soak 10             instead: resident memory over this many minutes of orders
 *   bun run bench --reads 4000          instead: this many of each list of an account whose feed is live
 *
 * The database is on the disk of --directory (a new one below the system's temporary directory) and waits for it.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compare, type Drivers, IN_FLIGHT, middle, NAMES, ratiosOf, type Sizes } from "./bench/compare.ts";
import { figuresOf, median, round, showSpread } from "./bench/figures.ts";
import { growth, soakFor, underFills } from "./bench/growth.ts";
import { residentMiB, signCost, syncCost } from "./bench/machine.ts";
import { firstLine, onBun, onNode, openDriver, spawn } from "./bench/processes.ts";
import { type ReadCosts, readCosts } from "./bench/read-costs.ts";
import { freePort, type Scene, setScene, startGateway } from "./bench/scene.ts";
import { type Against, against as compareVersions } from "./bench/versions.ts";

const ROOT = join(import.meta.dir, "..");
const BENCH = join(import.meta.dir, "bench");
const SMOKE: Sizes = { rounds: 1, one: 20, many: 64 };
const COLD_STARTS = 5;
/** Requests of each list of an account. */
const READS = 4_000;
/** Memory is looked at after this time of doing nothing, milliseconds. */
const IDLE_MS = 1_000;

type Options = { sizes: Sizes; executable: string; directory: string; isSmoke: boolean };
type Instead = { history: number; fills: number; soak: number; reads: number; against: string | null };

function readOptions(): Options & Instead & { isTemporary: boolean } {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      one: { type: "string", default: "400" },
      many: { type: "string", default: "2000" },
      executable: { type: "string", default: join(ROOT, "dist", "postern") },
      directory: { type: "string" },
      smoke: { type: "boolean", default: false },
      history: { type: "string", default: "0" },
      fills: { type: "string", default: "0" },
      soak: { type: "string", default: "0" },
      reads: { type: "string", default: "0" },
      against: { type: "string" },
    },
  });
  const sizes = { rounds: Number(values.rounds), one: Number(values.one), many: Number(values.many) };
  const executable = resolve(values.executable);
  if (!existsSync(executable)) throw new Error(`bench: there is no ${executable}: run "bun run build" first`);
  return {
    sizes: values.smoke ? SMOKE : sizes,
    executable,
    directory: values.directory ?? mkdtempSync(join(tmpdir(), "postern-bench-")),
    isTemporary: values.directory === undefined,
    isSmoke: values.smoke,
    history: Number(values.history),
    fills: Number(values.fills),
    soak: Number(values.soak),
    reads: Number(values.reads),
    against: values.against ?? null,
  };
}

async function openDrivers(scene: Scene, urls: Record<"gateway" | "floor" | "exchange", string>): Promise<Drivers> {
  const ccxt = join(BENCH, "node_modules/ccxt/js/ccxt.js");
  return {
    postern: openDriver(onBun("drive-postern.ts", urls.gateway, urls.exchange, scene.account, scene.apiKey)),
    nktkas: openDriver(onBun("drive-nktkas.ts", urls.exchange)),
    ccxt: openDriver(await onNode("drive-ccxt.ts", scene.directory, urls.exchange, ccxt)),
    floor: openDriver(onBun("drive-postern.ts", urls.floor, urls.exchange, scene.account, scene.apiKey)),
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

/** What only the gateway's own driver can tell. */
async function alone({ postern }: Drivers, { one }: Sizes) {
  const run = async (what: "bare" | "fetch" | "read") => {
    await postern.run({ what, count: one, inFlight: 1 });
    return figuresOf(await postern.run({ what, count: one * 2, inFlight: 1 }));
  };
  return { bare: await run("bare"), placeWithFetch: await run("fetch"), read: await run("read") };
}

async function measure(options: Options) {
  const { sizes, executable, directory } = options;
  return withExchange(async (exchangeUrl) => {
    const scene = await setScene(join(directory, "scene"), exchangeUrl);
    const machine = { ...syncCost(directory), signMs: signCost() };
    const reads = await readCosts(executable, options.isSmoke ? sizes.one : READS);
    const start = {
      ...(await coldStarts(options, scene)),
      executableMiB: Math.round(statSync(executable).size / 2 ** 20),
    };
    const gateway = await startGateway(executable, scene, freePort());
    const floor = spawn({ command: onBun("floor.ts", scene.directory, exchangeUrl) });
    const { url: floorUrl = "" } = await firstLine(floor);
    const drivers = await openDrivers(scene, { gateway: gateway.url, floor: floorUrl, exchange: exchangeUrl });
    try {
      const rounds = await compare(drivers, sizes);
      const own = await alone(drivers, sizes);
      const loadedMiB = await residentMiB(gateway.pid);
      return { machine, start, reads, rounds, ratios: ratiosOf(rounds), own, loadedMiB };
    } finally {
      await Promise.all(Object.values(drivers).map((driver) => driver.stop()));
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
  against,
  sizes,
  executable,
  directory,
}: Options & Instead): Promise<object> {
  return withExchange(async (exchangeUrl) => {
    const place = { executable, directory, exchangeUrl };
    if (against !== null) return showAgainst(await compareVersions(against, { ...place, root: ROOT }, sizes));
    if (history > 0) return showGrowth(await growth(place, history));
    return fills > 0 ? underFills(place, fills) : soakFor(place, soak);
  });
}

function showAgainst(measured: Against): Against {
  console.log(`p50 of an order to the other version's, one in flight     ${showSpread(measured.p50)}`);
  console.log(`processor time of an order to the other version's         ${showSpread(measured.processor)}`);
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

function showReads(costs: ReadCosts): void {
  for (const [list, { p50Ms, p99Ms, processorMs }] of Object.entries(costs))
    console.log(`${`read ${list}, p50 / p99 / processor, ms`.padEnd(54)}${p50Ms} / ${p99Ms} / ${processorMs}`);
}

type Measured = Awaited<ReturnType<typeof measure>>;

function show({ machine, start, reads, rounds, ratios, own, loadedMiB }: Measured): void {
  console.log(
    `${"".padEnd(10)}${"p50 ms".padStart(9)}${"p99 ms".padStart(9)}${`${IN_FLIGHT}: p50`.padStart(9)}${"a second".padStart(10)}`,
  );
  for (const name of NAMES) {
    const { one, many } = middle(rounds, name);
    const cells = [one.p50Ms.toFixed(3), one.p99Ms.toFixed(3), many.p50Ms.toFixed(2)].map((text) => text.padStart(9));
    console.log(`${name.padEnd(10)}${cells.join("")}${String(many.perSecond).padStart(10)}`);
  }
  const lines: [string, string][] = [
    ["p50 to nktkas's, one in flight", showSpread(ratios.p50ToNktkas)],
    ["p50 to ccxt's, one in flight", showSpread(ratios.p50ToCcxt)],
    [`orders a second to nktkas's, ${IN_FLIGHT} in flight`, showSpread(ratios.perSecondToNktkas)],
    [`orders a second to ccxt's, ${IN_FLIGHT} in flight`, showSpread(ratios.perSecondToCcxt)],
    ["p99 to p50, one in flight", showSpread(ratios.p99ToP50)],
    ["the floor's p50 to nktkas's, one in flight", showSpread(ratios.floorP50ToNktkas)],
    [`the floor's orders a second to nktkas's, ${IN_FLIGHT} in flight`, showSpread(ratios.floorPerSecondToNktkas)],
    ["place with fetch, p50 ms", String(own.placeWithFetch.p50Ms)],
    ["read a closed order, p50 ms", String(own.read.p50Ms)],
    ["this client and a bare round trip, p50 ms", String(own.bare.p50Ms)],
    ["encode, hash and sign one order, ms", String(machine.signMs)],
    ["a wait for the disk, file grows / is overwritten, ms", `${machine.growingMs} / ${machine.overwrittenMs}`],
    ["start to /healthz and /readyz, ms", `${start.healthyMs} / ${start.readyMs}`],
    ["resident memory, idle / after the load, MiB", `${start.idleMiB} / ${loadedMiB}`],
    ["executable, MiB", String(start.executableMiB)],
  ];
  for (const [what, figure] of lines) console.log(`${what.padEnd(54)}${figure}`);
  showReads(reads);
}

const options = readOptions();
try {
  if (options.reads > 0) {
    const costs = await readCosts(options.executable, options.reads);
    showReads(costs);
    console.log(JSON.stringify(costs));
  } else if (options.history + options.fills + options.soak > 0 || options.against !== null) {
    console.log(JSON.stringify(await measureInstead(options)));
  } else {
    const measured = await measure(options);
    show(measured);
    console.log(JSON.stringify(measured));
  }
} finally {
  if (options.isTemporary) rmSync(options.directory, { recursive: true, force: true });
}
