/** What rails cost: one gateway, a plain key and one with a rail on every amount, in short turns, so that both meet the same machine. */
import { figuresOf, median, round, type Spread, spreadOf } from "./figures.ts";
import type { Load } from "./load.ts";
import { mainThreadMs } from "./machine.ts";
import { type Driver, onBun, openDriver } from "./processes.ts";
import { freePort, setScene, startGateway } from "./scene.ts";

type Key = "plain" | "limited";
type Turn = { p50Ms: number; mainThreadUs: number };
type Round = Record<Key, Turn>;

/** `ratio`: with rails to without, of the same round. */
export type RailsCost = { inFlight: number; ratio: Record<keyof Turn, Spread>; plain: Turn; limited: Turn };

const KEYS: readonly Key[] = ["plain", "limited"];
/** Orders of each key before anything is counted. */
const WARM_UP = 20_000;
const MANY_IN_FLIGHT = 32;
/** Orders of a turn: a tenth of a second. */
const A_TURN = { one: 100, many: 400 } as const;

type Place = { executable: string; directory: string; exchangeUrl: string };

export async function railsCost({ executable, directory, exchangeUrl }: Place, rounds: number): Promise<RailsCost[]> {
  const scene = await setScene(directory, exchangeUrl);
  const gateway = await startGateway(executable, scene, freePort());
  const driverOf = (apiKey: string) =>
    openDriver(onBun("drive-postern.ts", gateway.url, exchangeUrl, scene.account, apiKey));
  const drivers = { plain: driverOf(scene.apiKey), limited: driverOf(scene.limitedApiKey) };
  try {
    for (const key of KEYS) await turn(drivers[key], gateway.pid, { count: WARM_UP, inFlight: MANY_IN_FLIGHT });
    const one = await inTurns(drivers, gateway.pid, { rounds, count: A_TURN.one, inFlight: 1 });
    return [one, await inTurns(drivers, gateway.pid, { rounds, count: A_TURN.many, inFlight: MANY_IN_FLIGHT })];
  } finally {
    for (const key of KEYS) await drivers[key].stop();
    await gateway.stop();
  }
}

type Drivers = Record<Key, Driver>;
type Turns = { rounds: number; count: number; inFlight: number };

async function inTurns(drivers: Drivers, pid: number, { rounds, ...load }: Turns): Promise<RailsCost> {
  const done: Round[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const figures: Partial<Round> = {};
    for (const key of index % 2 === 0 ? KEYS : KEYS.toReversed()) figures[key] = await turn(drivers[key], pid, load);
    // Both have had their turn.
    done.push(figures as Round);
  }
  const ratioOf = (figure: keyof Turn) => spreadOf(done.map(({ plain, limited }) => limited[figure] / plain[figure]));
  const middle = (key: Key, figure: keyof Turn) => round(median(done.map((each) => each[key][figure])));
  const turnOf = (key: Key) => ({ p50Ms: middle(key, "p50Ms"), mainThreadUs: middle(key, "mainThreadUs") });
  const ratio = { p50Ms: ratioOf("p50Ms"), mainThreadUs: ratioOf("mainThreadUs") };
  return { inFlight: load.inFlight, ratio, plain: turnOf("plain"), limited: turnOf("limited") };
}

async function turn(driver: Driver, pid: number, load: Omit<Load, "what">): Promise<Turn> {
  const beforeMs = mainThreadMs(pid);
  const { p50Ms } = figuresOf(await driver.run({ what: "place", ...load }));
  return { p50Ms, mainThreadUs: ((mainThreadMs(pid) - beforeMs) / load.count) * 1_000 };
}
