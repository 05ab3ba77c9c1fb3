/**
 * What one request may cost the built executable, at every limit of every route and header:
 *
 *   bun run costs [--most 5] [--only /v1/orders] [--executable dist/postern]
 *
 * Processor time of all its threads, as the kernel counts it; what seems dear on a machine that is slow just now is told as it would be
 * where the limit was set. Prints the worst of each route, and fails above the limit.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Scene, setScene } from "../test/crash/scene.ts";
import { type Case, casesOf, type Keys } from "../test/hostile/cases.ts";
import { fillBooks } from "../test/hostile/full-books.ts";
import { slowness } from "../test/hostile/pace.ts";
import { type Cost, costOf } from "../test/hostile/processor.ts";
import { openSetupSession, type SetupSession } from "../test/hostile/setup-session.ts";
import { openWire } from "../test/hostile/wire.ts";

type Measured = Case & Cost;

/** The least of them is what it costs: other work on the machine makes a look dearer, and none cheaper. */
const SECOND_LOOKS = 24;
/** Between two of them, milliseconds: other work comes in pieces of some seconds. */
const PAUSE_MS = 400;
const LISTED = 60;
/** Answers that may be broken off by the runtime, in some 30,000: what they cost is measured again, and they are told. */
const MOST_BROKEN_OFF = 2;

/** Proxies are believed, so that their header is read; failures are not counted, so that each of them is whole. */
const SETTINGS = {
  POSTERN_TRUSTED_PROXIES: "127.0.0.1,::1,10.0.0.1,10.0.0.2",
  POSTERN_LIMIT_FAILED_AUTHENTICATIONS: "1000000",
  POSTERN_LIMIT_FAILED_REGISTRATIONS: "1000000",
  POSTERN_LIMIT_FAILED_REVOCATIONS: "1000000",
  POSTERN_ANSWER_DEADLINE_MS: "8000",
};

type Told = { measured: Measured[]; brokenOff: readonly string[] };

async function measure(cases: readonly Case[], gateway: Started, most: number): Promise<Told> {
  const { hostname, port } = new URL(gateway.facts["base_url"] ?? "");
  const wire = openWire({ hostname, port: Number(port) });
  const measured: Measured[] = [];
  for (const one of cases) measured.push({ ...one, ...(await costOf(wire, gateway.pid, most, one.make)) });
  // What is dear gets a second look, when nothing is new to the process any more.
  for (const one of measured.filter(({ ms }) => ms > most)) {
    for (let nth = 0; nth < SECOND_LOOKS && one.ms > most; nth += 1) {
      if (nth > 0) await Bun.sleep(PAUSE_MS);
      one.ms = Math.min(one.ms, (await costOf(wire, gateway.pid, most, one.make)).ms / slowness());
    }
  }
  wire.close();
  return { measured, brokenOff: wire.brokenOff };
}

/** The worst of each route, worst first. */
function table(measured: readonly Measured[]): string[] {
  const byRoute = [...Map.groupBy(measured, ({ route }) => route)];
  const worst = byRoute.flatMap(([route, list]) => {
    const [first] = list.toSorted((a, b) => b.ms - a.ms);
    return first === undefined ? [] : [{ ...first, route, count: list.length }];
  });
  return worst
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ ms, route, count, status, name }) => {
      return `${ms.toFixed(2).padStart(7)} ms  ${route.padEnd(36)} ${String(count).padStart(4)}  ${status}  ${name}`;
    });
}

async function startGateway(scene: Scene, executable: string): Promise<Started> {
  const gateway = await start(scene.serve([executable], SETTINGS));
  if ("endedEarly" in gateway || !(await waitUntilReady(gateway))) throw new Error("the gateway did not start");
  return gateway;
}

function keysOf({ apiKey, account }: Scene, setup: SetupSession | null): Keys {
  return { apiKey, account, setupToken: setup?.token ?? null };
}

async function run(executable: string, most: number, only: string | null): Promise<boolean> {
  const scene = await setScene({ executable: [executable], faults: { rules: [] } });
  const setup = await openSetupSession(executable, scene.exchangeUrl);
  try {
    const gateway = await startGateway(scene, executable);
    const ids = await fillBooks(gateway, scene);
    const isWanted = ({ route }: Case) => only === null || route.includes(only);
    const ofTrading = casesOf(gateway, keysOf(scene, null), ids).filter(isWanted);
    const ofSetup = casesOf(setup.gateway, keysOf(scene, setup), ids).filter(isWanted);
    const told = [await measure(ofTrading, gateway, most), await measure(ofSetup, setup.gateway, most)];
    const measured = told.flatMap((one) => one.measured);
    const brokenOff = told.flatMap((one) => one.brokenOff);
    console.log(`processor time of one request, worst of its ${measured.length} inputs for each route:`);
    for (const line of table(measured)) console.log(line);
    const over = measured.filter(({ ms }) => ms > most).toSorted((a, b) => b.ms - a.ms);
    for (const { ms, route, name } of over.slice(0, LISTED))
      console.log(`FAILED ${ms.toFixed(1)} ms  ${route}: ${name}`);
    for (const words of brokenOff) console.log(`BROKEN OFF ${words}`);
    console.log(`${Math.round(performance.now() / 1_000)} s, ${over.length} above ${most} ms`);
    await gateway.kill("SIGTERM");
    return over.length === 0 && measured.length > 0 && brokenOff.length <= MOST_BROKEN_OFF;
  } finally {
    await setup.close();
    await scene.close();
  }
}

const { values } = parseArgs({
  options: {
    most: { type: "string", default: "5" },
    only: { type: "string" },
    executable: { type: "string", default: join(import.meta.dir, "..", "dist", "postern") },
  },
});
const isCheap = await run(resolve(values.executable), Number(values.most), values.only ?? null);
process.exit(isCheap ? 0 : 1);
