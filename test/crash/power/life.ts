/** One gateway on a recorded database, with an exchange and clients in virtual time, from its start to its end. */
import { copyFileSync } from "node:fs";
import { NO_DISK } from "../../../src/store/disk.ts";
import { closeStore, openStore, type Store } from "../../../src/store/open.ts";
import { FEW } from "../../simulation/busy.ts";
import type { Chance } from "../../simulation/chance.ts";
import { type Clients, openClients } from "../../simulation/clients.ts";
import { askDirectly } from "../../simulation/front.ts";
import { openHistory } from "../../simulation/history.ts";
import { directly, type Fate, type Network, openNetwork, type Sent } from "../../simulation/network.ts";
import { MAKER, openPlainVenue, TAKER } from "../../simulation/plain-venue.ts";
import { type Doom, type GatewayProcess, type Host, startProcess } from "../../simulation/process.ts";
import { fakeSigners } from "../../simulation/signers.ts";
import { PARTIES, START_MS } from "../../simulation/template.ts";
import { openTimeline, settleOnce, type Timeline } from "../../simulation/timeline.ts";
import type { Venue } from "../../simulation/venue.ts";
import { drawWishes, MIDDLE } from "../../simulation/wishes.ts";
import { syncInTurn } from "../../support/sync-in-turn.ts";

/** Clients ask within this time of the start, milliseconds. */
const ASKING_MS = 10_000;
/** And then all is left to settle for this long, milliseconds. */
const REST_MS = 30_000;
/** The end of a life is noticed after at most this long, milliseconds. */
const STEP_MS = 20;

/** Most lives end at one of so many steps; one with many requests has about as many. */
const MAX_STEPS = 150;

export type Scene = {
  timeline: Timeline;
  venue: Venue;
  network: Network;
  /** Unix milliseconds at which this timeline begins. */
  startMs: number;
  errors: string[];
};

/** `world`: the exchange as an earlier life has left it. */
export function openScene(chance: Chance, startMs: number, world: Venue["runtime"]["world"] | null): Scene {
  const timeline = openTimeline(settleOnce);
  const venue = openPlainVenue({ seed: 1, nowMs: () => startMs + timeline.nowMs() });
  if (world !== null) Object.assign(venue.runtime.world, structuredClone(world));
  const network = openNetwork({ timeline, venue, chance, history: openHistory(false, timeline.nowMs) });
  return { timeline, venue, network, startMs, errors: [] };
}

export type Opening = { path: string; doom: Doom | null; isNormalPlanted: boolean; onMark: () => void };

/** Starts a gateway in the scene; `onMark` is called whenever it has said something to anybody. */
export function startGateway(
  scene: Scene,
  { path, doom, isNormalPlanted, onMark }: Opening,
): { process: GatewayProcess; store: Store } {
  let store: Store | null = null;
  const transportOf: Network["transportOf"] = (isAlive) => {
    const transport = scene.network.transportOf(isAlive);
    return (url, init) => {
      if (isAlive()) onMark();
      return transport(url, init);
    };
  };
  const host: Host = {
    timeline: scene.timeline,
    network: { ...scene.network, transportOf },
    disk: {
      open: () => {
        // The mistake that the images have to find: nothing waits for the disk.
        store = openStore(path, { syncOf: isNormalPlanted ? () => NO_DISK : syncInTurn });
        return store;
      },
      crash: () => undefined,
      bury: () => undefined,
      eventsAfter: () => [],
      path: () => path,
      openCopy: () => {
        throw new Error("bug: the images are looked at, and no copy");
      },
      remove: () => undefined,
    },
    history: openHistory(false, scene.timeline.nowMs),
    signers: fakeSigners,
    clockErrorMs: () => scene.startMs - START_MS,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    onError: (text) => void scene.errors.push(text),
    onDeath: () => undefined,
    doomsEndMs: Number.POSITIVE_INFINITY,
    exchangeWeightPerMinute: 0,
  };
  const process = startProcess(host, 0, doom);
  if (process === null || store === null) throw new Error("bug: a gateway that does not open");
  return { process, store };
}

export type Recorded = {
  clients: Clients;
  sent: readonly Sent[];
  world: Venue["runtime"]["world"];
  log: Venue["log"];
  /** Unix milliseconds at which all that was under way has arrived. */
  endMs: number;
  errors: readonly string[];
};

/**
 * A life that ends at a random step. `onMark` is called at everything that leaves the gateway, `onEnd` at its end: what
 * is written between the last mark and the end may be lost without anybody knowing of it.
 */
export async function recordLife(
  chance: Chance,
  database: { path: string; template: string; isNormalPlanted: boolean },
  hear: { onMark: () => void; onEnd: () => void },
): Promise<Recorded> {
  copyFileSync(database.template, database.path);
  const scene = openScene(chance.split(), START_MS, null);
  const { timeline, venue, network } = scene;
  takePositions(venue);
  quote(venue);
  const fates = chance.split();
  network.setFate(({ path }) => (path === "/info" ? directly(5) : drawFate(fates)));
  const atPoint = chance.isLucky(0.15) ? null : chance.between(3, MAX_STEPS);
  const doom: Doom = { atStatement: null, atPoint, pointName: null, kind: "power_cut", cut: 0 };
  const { process, store } = startGateway(scene, { ...database, doom, onMark: hear.onMark });
  store.$client.run(`PRAGMA wal_autocheckpoint = ${chance.pick([8, 30, 1_000])}`);
  let isOver = false;
  const end = () => {
    if (!isOver) hear.onEnd();
    isOver = true;
  };
  process.onDeath(end);
  const clients = openClients({
    timeline,
    history: openHistory(false, timeline.nowMs),
    chance: chance.split(),
    readChance: chance.split(),
    front: async (...asked) => {
      const answered = await askDirectly(...asked);
      if (!isOver) hear.onMark();
      return answered;
    },
    wishes: drawWishes(chance.split(), ASKING_MS, FEW),
    process: () => (process.isAlive() ? process : null),
    deaths: () => 0,
    untilMs: ASKING_MS,
    onFault: (text) => void scene.errors.push(text),
  });
  takeNowAndThen(scene, chance.split());
  clients.begin();
  for (let atMs = 0; !isOver && atMs < ASKING_MS + REST_MS; atMs += STEP_MS) await timeline.runUntil(atMs);
  end();
  process.die("power_cut", 0);
  await timeline.runUntil(Math.max(timeline.nowMs(), network.quietAtMs()) + 1_000);
  closeStore(store);
  const { world } = venue.runtime;
  return {
    clients,
    sent: network.sent,
    world,
    log: venue.log,
    endMs: START_MS + timeline.nowMs(),
    errors: scene.errors,
  };
}

function drawFate(chance: Chance): Fate {
  const afterMs = chance.between(1, 60);
  const lost = { kind: "error", code: "ECONNRESET", afterMs: 2 * afterMs } as const;
  if (chance.isLucky(0.15)) return { arrivesAfterMs: [afterMs], answer: lost };
  if (chance.isLucky(0.1)) return { arrivesAfterMs: [], answer: lost };
  return directly(afterMs);
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

/** Isolated positions in another market, so that there is margin to add to. */
function takePositions(venue: Venue): void {
  for (const { account } of PARTIES) {
    venue.act(account.ownerAddress, { type: "updateLeverage", asset: ETH, isCross: false, leverage: 10 });
    venue.act(MAKER, limit(false, 3_200, "0.5", "Gtc", ETH));
    venue.act(account.ownerAddress, limit(true, 3_200, "0.5", "Gtc", ETH));
  }
}

const BTC = 0;
const ETH = 1;

type Tif = "Gtc" | "Ioc";

// biome-ignore lint/complexity/useMaxParams: an order line, read by its columns
function limit(isBuy: boolean, price: number, size: string, tif: Tif, asset = BTC): Act {
  const order = { a: asset, b: isBuy, p: String(price), s: size, r: false, t: { limit: { tif } }, c: null };
  return { type: "order", orders: [order], grouping: "na", builder: null } as unknown as Act;
}

/** A thin book around the middle, so that crossing orders fill, some of them in part. */
function quote(venue: Venue): void {
  venue.act(MAKER, limit(true, MIDDLE - 100, "0.11", "Gtc"));
  venue.act(MAKER, limit(false, MIDDLE + 100, "0.11", "Gtc"));
}

const TAKES = 6;

function takeNowAndThen({ timeline, venue }: Scene, chance: Chance): void {
  for (let nth = 0; nth < TAKES; nth += 1) {
    const isBuy = chance.isLucky(0.5);
    const size = `0.0${chance.between(10, 90)}`;
    timeline.after(
      chance.between(0, ASKING_MS),
      () => void venue.act(TAKER, limit(isBuy, isBuy ? MIDDLE + 60 : MIDDLE - 60, size, "Ioc")),
    );
  }
}
