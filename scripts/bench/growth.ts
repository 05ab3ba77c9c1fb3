/** The same questions to a young database and to an old one, and what memory does over time. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Figures, figuresOf, type Spread, spreadOf } from "./figures.ts";
import { type History, makeHistory } from "./history.ts";
import type { Load } from "./load.ts";
import { forgetPeak, peakMiB, residentMiB } from "./machine.ts";
import { type Driver, onBun, openDriver } from "./processes.ts";
import { freePort, type Gateway, type Scene, setScene, startGateway } from "./scene.ts";

export type Place = { executable: string; directory: string; exchangeUrl: string };

/** Orders in the young database. */
const YOUNG = 1_000;
const ASKED = { placeRaw: 1_000, read: 1_000, list: 300, deep: 300, open: 300 } as const satisfies Partial<
  Record<Load["what"], number>
>;

export type Grown = {
  history: History;
  readyMs: number;
  loadedMiB: number;
  p50Ms: Record<keyof typeof ASKED, number>;
};

export async function growth(place: Place, orders: number): Promise<{ young: Grown; old: Grown }> {
  return { young: await grown(place, YOUNG), old: await grown(place, orders) };
}

async function grown(place: Place, orders: number): Promise<Grown> {
  const directory = join(place.directory, `history-${orders}`);
  try {
    const scene = await setScene(directory, place.exchangeUrl);
    await withGateway(place, scene, (driver) => driver.run({ what: "placeRaw", count: 1, inFlight: 1 }));
    const history = makeHistory(scene, orders);
    return await withGateway(
      place,
      scene,
      async (driver, gateway) => ({ history, readyMs: gateway.readyAfterMs, ...(await ask(driver, gateway)) }),
      { BENCH_CURSOR: history.deepCursor },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function ask(driver: Driver, gateway: Gateway): Promise<Pick<Grown, "p50Ms" | "loadedMiB">> {
  const p50Ms = { placeRaw: 0, read: 0, list: 0, deep: 0, open: 0 };
  // The first hundreds warm up what runs.
  await driver.run({ what: "placeRaw", count: ASKED.placeRaw, inFlight: 1 });
  for (const what of Object.keys(ASKED) as (keyof typeof ASKED)[]) {
    await driver.run({ what, count: ASKED[what], inFlight: 1 });
    p50Ms[what] = figuresOf(await driver.run({ what, count: ASKED[what], inFlight: 1 })).p50Ms;
  }
  await driver.run({ what: "placeRaw", count: ASKED.placeRaw * 2, inFlight: 32 });
  return { p50Ms, loadedMiB: await residentMiB(gateway.pid) };
}

async function withGateway<T>(
  { executable, exchangeUrl }: Place,
  scene: Scene,
  work: (driver: Driver, gateway: Gateway) => Promise<T>,
  environment: Record<string, string> = {},
): Promise<T> {
  const gateway = await startGateway(executable, scene, freePort());
  const words = [gateway.url, exchangeUrl, scene.account, scene.apiKey];
  const driver = openDriver(onBun("drive-postern.ts", ...words), environment);
  try {
    return await work(driver, gateway);
  } finally {
    await driver.stop();
    await gateway.stop();
  }
}

const FILLS_WARM_UP_MS = 1_000;

const FILL_ROUNDS = 5;

type UnderFills = { quiet: Figures[]; busy: Figures[]; p99Ratio: Spread; notIndexed: number };

/** Orders while the exchange tells this many fills a second, against the same without, in turns. */
export async function underFills(place: Place, perSecond: number): Promise<UnderFills> {
  const scene = await setScene(join(place.directory, "fills"), place.exchangeUrl);
  return withGateway(place, scene, async (driver, gateway) => {
    const load: Load = { what: "placeRaw", count: 1_500, inFlight: 1 };
    await driver.run(load);
    const [quiet, busy]: [Figures[], Figures[]] = [[], []];
    let notIndexed = 0;
    for (let round = 0; round < FILL_ROUNDS; round += 1) {
      quiet.push(figuresOf(await driver.run(load)));
      await tell(place, perSecond);
      await Bun.sleep(FILLS_WARM_UP_MS);
      busy.push(figuresOf(await driver.run(load)));
      const told = await tell(place, 0);
      notIndexed += told - (await indexed(gateway, scene, told));
    }
    const p99Ratio = spreadOf(busy.map(({ p99Ms }, round) => p99Ms / (quiet[round]?.p99Ms ?? Number.NaN)));
    return { quiet, busy, p99Ratio, notIndexed };
  });
}

/** Returns how many it has told so far. */
async function tell({ exchangeUrl }: Place, perSecond: number): Promise<number> {
  return Number(await (await fetch(`${exchangeUrl}/fills/${perSecond}`, { method: "POST" })).text());
}

/** Fills after which the newest that is listed was told. */
async function indexed(gateway: Gateway, scene: Scene, told: number): Promise<number> {
  const deadlineMs = performance.now() + 1_000;
  for (;;) {
    const response = await fetch(`${gateway.url}/v1/fills?limit=1`, {
      headers: { Authorization: `Bearer ${scene.apiKey}` },
    });
    // The documented list; ids end with the number of the trade.
    const { data } = (await response.json()) as { data: { id: string }[] };
    const newest = Number(data[0]?.id.split("-").at(-1) ?? "0");
    if (newest >= told || performance.now() > deadlineMs) return newest;
  }
}

const SOAK_STEP_ORDERS = 1_000;

type Soaked = { orders: number; residentMiB: number[]; peakMiB: number };

/** Resident memory along the way, MiB, while orders are placed, 32 in flight. */
export async function soakFor(place: Place, minutes: number): Promise<Soaked> {
  const scene = await setScene(join(place.directory, "soak"), place.exchangeUrl);
  return withGateway(place, scene, async (driver, gateway) => {
    await forgetPeak(gateway.pid);
    const endMs = performance.now() + minutes * 60_000;
    const memory: number[] = [];
    let orders = 0;
    while (performance.now() < endMs) {
      await driver.run({ what: "placeRaw", count: SOAK_STEP_ORDERS, inFlight: 32 });
      orders += SOAK_STEP_ORDERS;
      memory.push(await residentMiB(gateway.pid));
    }
    return { orders, residentMiB: memory, peakMiB: await peakMiB(gateway.pid) };
  });
}
