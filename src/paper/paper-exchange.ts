/**
 * The paper exchange without a network.
 *
 *   const paper = createPaperExchange({ ...PAPER_DEFAULTS, seed: 1, fund: [owner], nowMs, sleep });
 *   const response = await paper.handle(new Request("http://paper/info", { method: "POST", … }));
 *   paper.step(nowMs() + 60_000);   // a test moves its own clock and lets the ticks happen
 *   paper.stop();
 *
 * `servePaper` in server.ts puts it on a port. Clock and waiting come in as arguments; randomness is the seed.
 */

import { fillDue } from "./by-others.ts";
import { controlAnswer } from "./control.ts";
import { type Desk, faultsInForce } from "./desk.ts";
import { DEFAULT_OPTIONS, type EngineOptions } from "./engine/options.ts";
import type { Venue } from "./engine/state.ts";
import type { PaperNetwork } from "./exchange/signer.ts";
import { type FaultFile, NO_FAULTS } from "./faults.ts";
import { answerPost, handleHttp } from "./front-desk.ts";
import { type Journal, openJournal, type Recovered, recoverJournal } from "./journal.ts";
import { remember } from "./past.ts";
import type { PriceSource } from "./prices.ts";
import { catchUp, commit, nowMs, type Observer, type Runtime, UNOBSERVED } from "./runtime.ts";
import {
  type Applied,
  applyEntry,
  createWorld,
  type EntryContext,
  type JournalEntry,
  type PaperWorld,
} from "./world.ts";
import {
  connect,
  disconnect,
  type Hub,
  publish,
  publishTick,
  receive,
  type SocketConnection,
  type SocketPeer,
} from "./ws.ts";

export type PaperOptions = {
  /** The same seed, actions and times give the same run, byte for byte. Of a data directory, only the first counts. */
  readonly seed: number;
  /** Which signatures are taken. */
  readonly network: PaperNetwork;
  /** Addresses that get money when they have no account yet. */
  readonly fund: readonly string[];
  /** Where the state survives; null keeps it in memory. */
  readonly dataDirectory: string | null;
  readonly faults: FaultFile;
  /** Opens POST /control, with which a test injects faults and prices while running. */
  readonly hasControlRoute: boolean;
  readonly prices: PriceSource;
  /** False leaves the books to those who trade. */
  readonly hasMarketMaker: boolean;
  /** Time between two moves of the market, milliseconds. */
  readonly tickMs: number;
  readonly engine: Partial<EngineOptions>;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly observer: Observer;
};

/** Everything but clock and waiting, which have no default. */
export const PAPER_DEFAULTS = {
  seed: 1,
  network: "any",
  fund: [],
  dataDirectory: null,
  faults: NO_FAULTS,
  hasControlRoute: false,
  prices: { kind: "walk" },
  hasMarketMaker: true,
  tickMs: 1_000,
  // Builders of well-known clients have money at the exchange but no account here, and are approved at start-up.
  engine: { builderNeedsBalance: false },
  observer: UNOBSERVED,
} as const satisfies Omit<PaperOptions, "nowMs" | "sleep">;

export type PaperExchange = {
  /** `address`: of the client, for the weight limit. */
  handle(request: Request, address?: string): Promise<Response>;
  /** Opens a websocket for a client at `address`; null when there are too many. */
  connect(peer: SocketPeer, address?: string): PaperSocket | null;
  /** Lets all ticks happen that are due by then. */
  step(toMs: number): void;
  /** Opens an account with money; does nothing for one that exists. */
  fund(address: string): void;
  /** Moves oracle and mark of a market, in 10^-8, and requotes. */
  setPrice(coin: string, price: bigint): void;
  setFaults(file: FaultFile): void;
  /** Lets something happen that nobody asked for at the door. */
  happen(entry: JournalEntry): Applied;
  readonly tickMs: number;
  /** The exchange's time, unix milliseconds: it never goes back. */
  nowMs(): number;
  /** To look at, not to change. */
  readonly venue: Venue;
  stop(): void;
};

export type PaperSocket = { receive(frame: string): Promise<void>; closed(): void };

export function createPaperExchange(options: PaperOptions): PaperExchange {
  const { runtime, desk, hub } = assemble(options);
  const fund = (address: string) => {
    const user = address.toLowerCase();
    if (!runtime.world.venue.accounts.has(user)) commit(runtime, { kind: "fund", user, atMs: nowMs(runtime) });
  };
  for (const address of options.fund) fund(address);
  return {
    handle: (request, address = "local") => handleHttp(desk, request, address),
    connect: (peer, address = "local") => socketOf(hub, peer, address),
    step: (toMs) => {
      catchUp(runtime, toMs);
      fillDue(runtime, desk.fills);
    },
    fund,
    setPrice: (coin, price) => void commit(runtime, { kind: "price", coin, price, atMs: nowMs(runtime) }),
    setFaults: (file) => void Object.assign(desk, faultsInForce(runtime, file)),
    happen: (entry) => commit(runtime, entry),
    tickMs: options.tickMs,
    nowMs: () => nowMs(runtime),
    venue: runtime.world.venue,
    stop: () => runtime.journal?.close(),
  };
}

type ExchangeParts = { readonly runtime: Runtime; readonly desk: Desk; readonly hub: Hub };

function assemble(options: PaperOptions): ExchangeParts {
  const entryContext: EntryContext = { source: options.prices, tickMs: options.tickMs };
  const { world, journal } = openWorld(options, entryContext);
  const hub: Hub = {
    connections: new Set(),
    context: () => ({ venue: world.venue, tape: world.tape, nowMs: nowMs(runtime) }),
    faults: () => desk.faults,
    post: (type, payload) => answerPost(desk, type, payload),
    ticks: 0,
    opened: new Map(),
  };
  const runtime: Runtime = {
    world,
    entryContext,
    journal,
    clockMs: options.nowMs,
    listen: (events) => {
      if (events.length > 0) remember(desk.past, world, nowMs(runtime));
      publish(hub, events);
    },
    observer: options.observer,
    onTick: () => publishTick(hub),
    failure: null,
  };
  const desk: Desk = {
    runtime,
    network: options.network,
    sleep: options.sleep,
    ...faultsInForce(runtime, options.faults),
    weights: new Map(),
    fills: [],
    control: options.hasControlRoute ? (json) => controlAnswer(desk, hub, json) : null,
  };
  return { runtime, desk, hub };
}

function openWorld(options: PaperOptions, context: EntryContext): { world: PaperWorld; journal: Journal | null } {
  const { dataDirectory: directory } = options;
  const recovered = directory === null ? null : recoverJournal(directory);
  const world = recovered === null ? createWorld(worldOptions(options)) : recoverWorld(options, recovered, context);
  // A fresh pair of files: the recovered entries are in its snapshot.
  return { world, journal: directory === null ? null : openJournal(directory, world) };
}

/** The market stood still while nobody was there; it does not make up for it. */
function recoverWorld(options: PaperOptions, { world, entries }: Recovered, context: EntryContext): PaperWorld {
  // What was written before a switch was there lacks it.
  Object.assign(world.venue.options, { ...DEFAULT_OPTIONS, ...world.venue.options });
  for (const entry of entries) applyEntry(world, entry, context);
  Object.assign(world.venue.options, options.engine);
  const missed = Math.ceil((options.nowMs() - world.nextTickMs) / options.tickMs);
  if (missed > 0) applyEntry(world, { kind: "skip", toMs: world.nextTickMs + missed * options.tickMs }, context);
  return world;
}

function worldOptions(options: PaperOptions): Parameters<typeof createWorld>[0] {
  return {
    seed: options.seed,
    startMs: options.nowMs(),
    tickMs: options.tickMs,
    marketMaker: options.hasMarketMaker,
    engine: options.engine,
  };
}

function socketOf(hub: Hub, peer: SocketPeer, address: string): PaperSocket | null {
  const connection: SocketConnection | null = connect(hub, peer, address);
  if (connection === null) return null;
  return {
    receive: (frame) => receive(hub, connection, frame),
    closed: () => disconnect(hub, connection),
  };
}
