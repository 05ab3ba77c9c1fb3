import { type ClockReading, type Heartbeat, silenceAtStart, silenceBetween } from "../../core/heartbeat.ts";
import type { Heartbeats, With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import {
  auditHeartbeat,
  findHeartbeat,
  heartbeatHolder,
  listArmedHeartbeats,
  putHeartbeat,
  tellMissed,
} from "../../store/heartbeats.ts";
import { beginStop } from "./begin-stop.ts";

export type RunningHeartbeats = Heartbeats & {
  /** The gateway is ready: from now on silence is heard. */
  begin(): void;
  /** Nobody listens any more; the next start goes on. */
  stop(): void;
};

export type HeartbeatParts = {
  /** Milliseconds since some start, counted on while the machine sleeps. */
  bootMs(): number;
  /** There is something new to withdraw. */
  heed(): void;
};

type ToListen = With<"clock" | "log" | "randomBytes" | "store">;

/** A bot that is listened for. */
type Listened = { heartbeat: Heartbeat; silentMs: number };

const KEY_PREFIX_CHARACTERS = 8;
/** Between two readings of the clocks, milliseconds: a machine that wakes finds out within it. */
const READ_EVERY_MS = 1_000;

/** Listens for silence while anybody is armed. */
export function openHeartbeats(world: ToListen, { bootMs, heed }: HeartbeatParts): RunningHeartbeats {
  const { clock } = world;
  const listened = new Map<string, Listened>();
  const silence = openSilence(world, bootMs);
  let [hasBegun, isRunning, hasEnded] = [false, false, false];

  /** Counts what has passed, and hears who was silent for too long. */
  function listen(): void {
    const passedMs = silence.passedMs();
    for (const one of listened.values()) one.silentMs += passedMs;
    if (hasBegun) hearSilence();
  }

  function hearSilence(): void {
    for (const [name, { heartbeat, silentMs }] of listened) {
      if (silentMs <= heartbeat.withinMs) continue;
      const missed = missHeartbeat(world, heartbeat);
      listened.delete(name);
      sayMissed(world, missed);
      heed();
    }
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (!hasEnded && listened.size > 0) {
      await clock.sleep(nextReadingMs(listened.values()));
      if (!hasEnded) withoutLoss(world, listen);
    }
    isRunning = false;
    silence.forget();
  }

  function hold(heartbeat: Heartbeat, silentMs = 0): void {
    const name = nameOf(heartbeat);
    listened.delete(name);
    if (heartbeat.status !== "armed") return;
    listened.set(name, { heartbeat, silentMs });
    void run();
  }

  return {
    beat(accountId, keyHash, withinMs) {
      // What was silent before this is heard first: a beat takes nothing of it back.
      listen();
      const heartbeat = storeBeat(world, { accountId, keyHash, withinMs });
      hold(heartbeat);
      return heartbeat;
    },
    begin() {
      silence.beginAnew();
      // Who has beaten since this start needs none of its grace, and has it at the next.
      const isHeard = (heartbeat: Heartbeat) => listened.has(nameOf(heartbeat));
      for (const { heartbeat, silentMs } of grantGrace(world, isHeard)) hold(heartbeat, silentMs);
      hasBegun = true;
      if (!hasEnded) withoutLoss(world, listen);
    },
    stop() {
      hasEnded = true;
    },
  };
}

/** A disk that is full for a moment: whoever was silent is still silent then. */
function withoutLoss({ log }: ToListen, listen: () => void): void {
  try {
    listen();
  } catch (error) {
    log.error({ error: String(error) }, "silence could not be written down");
  }
}

function nameOf({ accountId, holder }: Heartbeat): string {
  return `${accountId} ${holder}`;
}

/** What passes by every clock that counts, from one reading to the next. */
function openSilence({ clock }: With<"clock">, bootMs: () => number) {
  let last: ClockReading | null = null;
  const read = (): ClockReading => ({ wallMs: clock.nowMs(), bootMs: bootMs() });
  return {
    /** Since the last reading, milliseconds; 0 at the first. */
    passedMs(): number {
      const [before, now] = [last, read()];
      last = now;
      return before === null ? 0 : silenceBetween(before, now);
    },
    beginAnew(): void {
      last = read();
    },
    forget(): void {
      last = null;
    },
  };
}

function sayMissed({ log }: ToListen, { accountId: account, keyHash, withinMs, stopId }: Heartbeat): void {
  const key = keyHash.slice(0, KEY_PREFIX_CHARACTERS);
  log.warn({ account, key_prefix: key, wait_ms: withinMs, stop: stopId }, "a heartbeat was missed");
}

function nextReadingMs(listened: Iterable<Listened>): number {
  const left = Math.min(...Array.from(listened, ({ heartbeat, silentMs }) => heartbeat.withinMs - silentMs));
  // Nothing is left of what could not be written down: that is tried again, and not at once.
  return left < 0 ? READ_EVERY_MS : Math.min(READ_EVERY_MS, left + 1);
}

type Beat = { accountId: string; keyHash: string; withinMs: number | null };

/** Waits for the disk: whoever is told that he is armed is, after a power cut too. */
function storeBeat({ store, clock }: ToListen, { accountId, keyHash, withinMs }: Beat): Heartbeat {
  const atMs = clock.nowMs();
  return inTransaction(store, () => {
    const holder = heartbeatHolder(store, keyHash);
    const before = findHeartbeat(store, accountId, holder);
    const heartbeat: Heartbeat = {
      accountId,
      holder,
      keyHash,
      status: withinMs === null ? "disarmed" : "armed",
      withinMs: withinMs ?? before?.withinMs ?? 0,
      beatAtMs: atMs,
      graceAtMs: null,
      missedAtMs: before?.missedAtMs ?? null,
      stopId: before?.stopId ?? null,
    };
    putHeartbeat(store, heartbeat);
    const event = heartbeat.status === "armed" ? "heartbeat_armed" : "heartbeat_disarmed";
    const isSame = before?.status === heartbeat.status && before.withinMs === heartbeat.withinMs;
    const isNothing = before === null && withinMs === null;
    if (!isSame && !isNothing) auditHeartbeat(store, heartbeat, { event, actor: keyHash, atMs });
    return heartbeat;
  });
}

/** What was placed before, and could still increase, goes; nothing is refused that comes later. */
function missHeartbeat(world: ToListen, heartbeat: Heartbeat): Heartbeat {
  const { accountId, keyHash } = heartbeat;
  const atMs = world.clock.nowMs();
  return inTransaction(world.store, (store) => {
    const of = { accountId, scope: "bot", keyHash, cause: "heartbeat_missed", keepsProtection: true } as const;
    const stop = beginStop(store, world, { ...of, actor: "gateway", idempotencyKey: null });
    // As it was armed, whatever has become of its row.
    const missed: Heartbeat = { ...heartbeat, status: "missed", missedAtMs: atMs, stopId: stop.id };
    putHeartbeat(store, missed);
    tellMissed(store, missed, atMs);
    return missed;
  });
}

/** All that were armed when the last process ended and not since, each with the time for which it counts as silent by now. */
function grantGrace({ store, clock }: ToListen, isHeard: (heartbeat: Heartbeat) => boolean): Listened[] {
  const nowMs = clock.nowMs();
  return inTransaction(store, () =>
    listArmedHeartbeats(store).flatMap((heartbeat) => {
      if (isHeard(heartbeat)) return [];
      const silentMs = silenceAtStart(heartbeat, nowMs) ?? Number.POSITIVE_INFINITY;
      if (heartbeat.graceAtMs !== null) return { heartbeat, silentMs };
      const granted = { ...heartbeat, graceAtMs: nowMs };
      putHeartbeat(store, granted);
      return { heartbeat: granted, silentMs };
    }),
  );
}
