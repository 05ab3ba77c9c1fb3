/** One gateway process of a run, from its start to its death. The next one finds what the disk has kept. */
import type { Point } from "../../src/core/points.ts";
import type { Log, Settings } from "../../src/deps.ts";
import type { SocketTransport } from "../../src/exchange/socket.ts";
import { type Gateway, openGateway } from "../../src/gateway.ts";
import { onEvents } from "../../src/store/events.ts";
import type { Signers } from "../../src/vault/signers.ts";
import { sleepingTimer } from "../support/sleeping-timer.ts";
import { type Crash, Crashed, type Disk } from "./disk.ts";
import type { History } from "./history.ts";
import type { Network } from "./network.ts";
import { START_MS } from "./template.ts";
import type { Timeline } from "./timeline.ts";

export type GatewayProcess = {
  readonly number: number;
  readonly gateway: Gateway;
  isAlive(): boolean;
  /** Calls back once, at the moment of death; at once when it is dead already. */
  onDeath(run: () => void): void;
  die(kind: Crash, cut: number): void;
};

/** Where a process is to die, counted from its start; null = nowhere. */
export type Doom = {
  atStatement: number | null;
  atPoint: number | null;
  /** Only points of this name count; null = all. */
  pointName: Point | null;
  kind: Crash;
  cut: number;
};

export type Host = {
  timeline: Timeline;
  network: Network;
  disk: Disk;
  history: History;
  signers: () => Signers;
  /** Wall clock minus true time, milliseconds; may jump. */
  clockErrorMs: () => number;
  randomBytes(count: number): Uint8Array;
  /** Errors that the gateway logs while it lives: each is a finding. */
  onError(text: string): void;
  onDeath(kind: Crash): void;
  /** It is ready. */
  onReady?: () => void;
  /** Events were told: `disk` has them. */
  onTold?: () => void;
  /** Where a process dies is counted from then on, milliseconds of virtual time; 0 where it is left out. */
  doomsBeginMs?: number;
  /** From then on nobody dies by plan, milliseconds of virtual time. */
  doomsEndMs: number;
  exchangeWeightPerMinute: number;
  /** Rows of one answer of fills; null = as many as the exchange gives. */
  fillsPageRows?: number | null;
  /** The websocket of one process; null = it follows by reads alone. */
  socketOf?: ((onDeath: (run: () => void) => void) => SocketTransport) | null;
};

const OFF = { perSecond: 0, burst: 0 };

const SETTINGS: Settings = {
  network: "paper",
  version: "0.0.0-simulation",
  audience: "http://127.0.0.1:8787",
  allowedHosts: ["127.0.0.1:8787"],
  dexes: ["xyz"],
  builder: null,
  limits: {
    orders: OFF,
    cancels: OFF,
    otherWrites: OFF,
    reads: OFF,
    failedAuthenticationsPerMinute: 0,
    failedRegistrationsPerMinute: 0,
    failedRevocationsPerMinute: 0,
  },
  timings: { answerDeadlineMs: 8_000, actionLifeMs: 12_000, startUpDeadlineMs: 15_000, maxReadAgeMs: 10_000 },
  areSpotTriggersSent: false,
  areCancelsFast: true,
  areRailsRequired: false,
  hasPlainToolKeys: false,
  openOrderReserve: 50,
  fillsPageRows: 2_000,
};

export const INSTANCE = {
  network: "paper" as const,
  exchangeUrl: "http://127.0.0.1:9797",
  tag: 7,
  secret: new Uint8Array(32).fill(9),
  vault: "{}",
  createdAtMs: START_MS,
};

/** Opens the database and starts a gateway on it; null when it died before it was open. */
export function startProcess(host: Host, number: number, doom: Doom | null): GatewayProcess | null {
  const { timeline, disk, history } = host;
  let isAlive = true;
  let statements = 0;
  let points = 0;
  const mourners: (() => void)[] = [];

  function die(kind: Crash, cut: number): void {
    if (!isAlive) return;
    isAlive = false;
    history.note(() => `process   ${number} dies: ${kind}`);
    disk.crash(kind, cut);
    // Its own stack may still be inside the database: the connection is closed when that is over.
    timeline.after(0, () => disk.bury(store));
    for (const run of mourners) run();
    host.onDeath(kind);
  }

  function onStatement(): void {
    if (!isAlive) throw new Crashed();
    if (timeline.nowMs() < (host.doomsBeginMs ?? 0)) return;
    statements += 1;
    if (doom === null || doom.atStatement !== statements || timeline.nowMs() >= host.doomsEndMs) return;
    die(doom.kind, doom.cut);
    throw new Crashed();
  }

  function onPoint(name: Point): Promise<void> | undefined {
    if (!isAlive) return new Promise(() => undefined);
    history.note(() => `process   ${number} at ${name}`);
    if (doom === null || doom.atPoint === null || (doom.pointName !== null && doom.pointName !== name))
      return undefined;
    if (timeline.nowMs() < (host.doomsBeginMs ?? 0)) return undefined;
    points += 1;
    if (points !== doom.atPoint || timeline.nowMs() >= host.doomsEndMs) return undefined;
    die(doom.kind, doom.cut);
    return new Promise(() => undefined);
  }

  const store = disk.open(onStatement);
  const { onTold } = host;
  if (onTold !== undefined) onEvents(store, onTold);
  const bornAtMs = timeline.nowMs();
  const made: GatewayProcess = {
    number,
    get gateway(): Gateway {
      if (gateway === null) throw new Error("bug: asked before it was open");
      return gateway;
    },
    isAlive: () => isAlive,
    onDeath: (run) => {
      if (isAlive) mourners.push(run);
      else run();
    },
    die,
  };
  const say = (level: string) => (fields: object, message: string) => {
    if (isAlive) history.note(() => `gateway   ${level}: ${message} ${JSON.stringify(fields)}`);
  };
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: say("warn"),
    error: (fields, message) => {
      if (!isAlive) return;
      say("error")(fields, message);
      host.onError(`process ${number}: ${message} ${JSON.stringify(fields)}`);
    },
  };
  const sleep = (durationMs: number) =>
    new Promise<void>((resolve) => {
      timeline.after(durationMs, () => {
        if (isAlive) resolve();
      });
    });
  let gateway: Gateway | null = null;
  try {
    gateway = openGateway({
      settings: { ...SETTINGS, fillsPageRows: host.fillsPageRows ?? SETTINGS.fillsPageRows },
      instance: INSTANCE,
      store,
      signers: host.signers(),
      transport: host.network.transportOf(() => isAlive),
      socket: host.socketOf?.(made.onDeath) ?? null,
      clock: {
        nowMs: () => START_MS + timeline.nowMs() + host.clockErrorMs(),
        elapsedMs: () => timeline.nowMs() - bornAtMs,
        sleep,
        timer: sleepingTimer(sleep),
      },
      schedule: (run) => {
        timeline.after(0, () => {
          if (isAlive) run();
        });
      },
      randomBytes: host.randomBytes,
      log,
      exchangeWeightPerMinute: host.exchangeWeightPerMinute,
      trustedProxies: [],
      point: onPoint,
    });
  } catch (error) {
    // Its wait for the disk tells of its death in words of its own.
    if (error instanceof Crashed || !isAlive) return null;
    throw error;
  }
  history.note(() => `process   ${number} starts`);
  gateway.start().then(
    () => {
      if (!isAlive) return;
      history.note(() => `process   ${number} is ready`);
      host.onReady?.();
    },
    (error: unknown) => {
      if (isAlive) host.onError(`process ${number} could not start: ${String(error)}`);
    },
  );
  return made;
}
