/** Bots that say that they live, and fall silent: what they ask for, and when silence has to be heard and when it must not be. */
import type { Bot } from "./bots.ts";
import { type Chance, openChance } from "./chance.ts";
import { type Clients, fieldOf } from "./clients.ts";
import type { Ask } from "./front.ts";
import type { ToldEvent } from "./tellings.ts";
import type { Party } from "./template.ts";
import type { Timeline } from "./timeline.ts";
import { MIDDLE, placing, type Wish } from "./wishes.ts";

/** When a bot beats: from `fromMs` until `untilMs`, and where it comes back for as long again. */
export type BeatWish = {
  bot: Bot;
  withinS: number;
  everyMs: number;
  fromMs: number;
  untilMs: number;
  backAtMs: number | null;
  /** Its last word is that nobody need listen any more. */
  disarms: boolean;
};

/** Bits by which the seed of heartbeats differs from that of the bots: those are as they were. */
const HEARTBEAT_STREAM = 0x0bea_7000;
/** Of the runs with bots. */
const SHARE = 0.35;
/** Orders of a bot that beats, at most. */
const MAX_ORDERS = 5;
/** Once it is over with what goes wrong nobody beats any more. */
const LAST_SHARE = 0.85;

export function hasHeartbeats(seed: number): boolean {
  return openChance(seed ^ HEARTBEAT_STREAM).isLucky(SHARE);
}

/** A stream of its own: runs without them are as they were. */
export function drawHeartbeats(
  seed: number,
  { bots, wishes }: { bots: readonly Bot[]; wishes: readonly Wish[] },
  faultsEndMs: number,
): { beats: BeatWish[]; more: Wish[] } {
  const chance = openChance(seed ^ HEARTBEAT_STREAM);
  if (bots.length === 0 || !chance.isLucky(SHARE)) return { beats: [], more: [] };
  const beats: BeatWish[] = [];
  const more: Wish[] = [];
  const [first, ...others] = bots;
  for (const bot of [first, ...others.filter(() => chance.isLucky(0.2))]) {
    if (bot === undefined) throw new Error("bug: bots that are none");
    const beat = drawBeat(chance, bot, faultsEndMs);
    beats.push(beat);
    for (let left = chance.between(2, MAX_ORDERS); left > 0; left -= 1)
      more.push(order(chance, beat, wishes.length + more.length));
  }
  return { beats, more };
}

function drawBeat(chance: Chance, bot: Bot, faultsEndMs: number): BeatWish {
  const lastMs = Math.floor(faultsEndMs * LAST_SHARE);
  const withinS = chance.pick([5, 5, 10, 20]);
  const fromMs = chance.between(0, Math.floor(lastMs * 0.4));
  const untilMs = chance.isLucky(0.2) ? lastMs : chance.between(fromMs, lastMs);
  const backAtMs = chance.isLucky(0.3) ? chance.between(untilMs, lastMs) : null;
  const everyMs = Math.floor(withinS * 1_000 * chance.pick([0.2, 0.5, 0.9]));
  return { bot, withinS, everyMs, fromMs, untilMs, backAtMs, disarms: chance.isLucky(0.1) };
}

/** Most of them before it falls silent, and some of those reduce what it may hold by then. */
function order(chance: Chance, { bot, fromMs, untilMs }: BeatWish, number: number): Wish {
  const { by } = chance.pick(bot.holders);
  const atMs = chance.isLucky(0.8)
    ? chance.between(Math.floor(fromMs / 2), untilMs)
    : untilMs + chance.between(0, 8_000);
  const base = { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party: bot.party, by, atMs };
  if (chance.isLucky(0.4)) return placing(chance, base);
  const side = number % 2 === 0 ? "buy" : "sell";
  const price = String(MIDDLE + (side === "buy" ? 300 + number : 10 + number));
  const size = `0.0${side === "buy" ? 2 : 1}${chance.between(100, 999)}`;
  const plain = { kind: "place", market: "BTC", side, size, price, timeInForce: "gtc", trigger: null } as const;
  const ask: Ask = { ...plain, reduceOnly: side === "sell" };
  return { ...base, kind: "place", ask: () => ask, target: null, price };
}

/** A beat as it was asked for. */
type Beat = { bot: Bot; withinS: number | null; atMs: number; isAnswered: boolean };

export type Beating = {
  begin(clients: Pick<Clients, "put">): void;
  /** One sentence for each silence that was heard and was none, or was one and was not heard. */
  findings(about: Heard): string[];
};

export type Heard = {
  told: readonly ToldEvent[];
  readyAtMs: readonly number[];
  deathsAtMs: readonly number[];
  /** Each time at which the wall clock was set, and by how much. */
  clockMoves: readonly { atMs: number; byMs: number }[];
};

export function openBeating(wishes: readonly BeatWish[], timeline: Timeline): Beating {
  const beats: Beat[] = [];
  return {
    begin(clients) {
      for (const wish of wishes) {
        const until = (untilMs: number, isLast: boolean) => () => {
          const isOver = timeline.nowMs() + wish.everyMs > untilMs;
          const withinS = isOver && isLast && wish.disarms ? null : wish.withinS;
          const beat: Beat = { bot: wish.bot, withinS, atMs: timeline.nowMs(), isAnswered: false };
          beats.push(beat);
          clients.put(keyOf(wish, beats.length), null, { kind: "beat", withinS }, ({ outcome }) => {
            beat.isAnswered = outcome?.kind === "answer" && outcome.status === 200;
          });
          if (!isOver) timeline.after(wish.everyMs, until(untilMs, isLast));
        };
        timeline.after(wish.fromMs, until(wish.untilMs, wish.backAtMs === null));
        const { backAtMs } = wish;
        if (backAtMs !== null) timeline.after(backAtMs, until(backAtMs + (wish.untilMs - wish.fromMs) / 2, true));
      }
    },
    findings: (about) =>
      wishes.flatMap(({ bot }) => audit(about, { bot, beats: beats.filter((beat) => beat.bot === bot) })),
  };
}

/** Either of its keys speaks for a bot. */
function keyOf({ bot: { holders } }: BeatWish, nth: number): Party {
  const holder = holders[nth % holders.length];
  if (holder === undefined) throw new Error("bug: a bot without keys");
  return holder.by;
}

type OfBot = { bot: Bot; beats: readonly Beat[] };

function audit(about: Heard, { bot, beats }: OfBot): string[] {
  const missedAtMs = about.told
    .filter(({ type, resourceId, payload }) => {
      const isItsOwn = resourceId === `bot ${bot.rails.bot}` && fieldOf(payload, "account") === bot.party.account.id;
      return type === "heartbeat.missed" && isItsOwn;
    })
    .map(({ atMs }) => atMs);
  const name = `silence of bot ${bot.rails.bot} of ${bot.party.account.label}`;
  return [
    ...missedAtMs.flatMap((atMs) => auditTooEarly(about, { name, beats, atMs })),
    ...auditUnheard(about, { name, beats, missedAtMs }),
    ...auditSetClocks(about, { name, beats, missedAtMs }),
  ];
}

type Missed = { name: string; beats: readonly Beat[]; atMs: number };

/** A start grants its time once more and never less, and a clock that was set may be silence. */
function auditTooEarly(about: Heard, { name, beats, atMs }: Missed): string[] {
  const before = beats.filter((beat) => beat.atMs < atMs);
  // Whether one was heard that was not answered nobody knows.
  const last = before.findLast((beat) => beat.isAnswered) ?? before[0];
  if (last === undefined) return [`${name} was heard at ${atMs}, and nobody was to listen`];
  const since = before.filter((beat) => beat.atMs >= last.atMs);
  if (since.every(({ withinS }) => withinS === null))
    return last.isAnswered ? [`${name} was heard at ${atMs}, and from ${last.atMs} on nobody was to listen`] : [];
  if (last.withinS === null) return [];
  const moves = about.clockMoves.filter((move) => move.atMs >= last.atMs && move.atMs <= atMs);
  const life = livesOf(about).find(({ fromMs, toMs }) => fromMs <= last.atMs && last.atMs < toMs);
  const hasDied = life === undefined || life.toMs < atMs;
  // Where the clock goes back over a start, nobody can tell how long it was.
  if (moves.length > 0 && hasDied) return [];
  const movedMs = moves.reduce((sum, { byMs }) => sum + Math.abs(byMs), 0);
  const fromMs = life !== undefined && hasDied ? life.toMs : last.atMs;
  const silentMs = atMs - fromMs + movedMs;
  return silentMs >= last.withinS * 1_000 ? [] : [`${name} was heard at ${atMs}, after ${silentMs} ms`];
}

/** A gateway that is ready and lives. */
type Life = { fromMs: number; toMs: number };

function livesOf({ readyAtMs, deathsAtMs }: Heard): Life[] {
  return readyAtMs.map((fromMs) => {
    const toMs = deathsAtMs.find((atMs) => atMs >= fromMs) ?? Number.POSITIVE_INFINITY;
    return { fromMs, toMs };
  });
}

type AllMissed = { name: string; beats: readonly Beat[]; missedAtMs: readonly number[] };

/** Silence is heard so much later at most, where a gateway lives: it reads its clocks every second. */
const HEARD_WITHIN_MS = 2_000;

/** The last that was answered, where nothing after it can have taken it back, is missed by the first that lives for as long. */
function auditUnheard(about: Heard, { name, beats, missedAtMs }: AllMissed): string[] {
  const armed = armedAt(beats, Number.POSITIVE_INFINITY);
  const last = beats.at(-1);
  if (armed === null || last === undefined) return [];
  const heardAtMs = missedAtMs.find((atMs) => atMs >= armed.atMs) ?? Number.POSITIVE_INFINITY;
  const untilMs = livesOf(about).flatMap(({ fromMs, toMs }) => {
    const byMs = Math.max(fromMs, last.atMs) + armed.withinMs + HEARD_WITHIN_MS;
    return byMs < toMs ? [byMs] : [];
  });
  const byMs = Math.min(...untilMs);
  return heardAtMs <= byMs ? [] : [`${name} since ${last.atMs} was heard at ${heardAtMs}, and not by ${byMs}`];
}

/** A wall clock that jumps by more than a beat may be late is silence. */
function auditSetClocks(about: Heard, { name, beats, missedAtMs }: AllMissed): string[] {
  return about.clockMoves.flatMap((move) => {
    const { atMs, byMs } = move;
    const untilMs = atMs + HEARD_WITHIN_MS;
    const armed = armedAt(beats, atMs);
    const hasLived = livesOf(about).some((life) => life.fromMs < atMs && untilMs < life.toMs);
    if (armed === null || !hasLived || Math.abs(byMs) <= armed.withinMs) return [];
    if (missedAtMs.some((missedMs) => missedMs >= armed.atMs && missedMs <= untilMs)) return [];
    const isMet = about.clockMoves.some((other) => other !== move && Math.abs(other.atMs - atMs) <= HEARD_WITHIN_MS);
    return isMet ? [] : [`${name} by a clock that was set by ${byMs} ms at ${atMs} was not heard`];
  });
}

/** Before this moment it was surely listened for; null where that is not sure. */
function armedAt(beats: readonly Beat[], untilMs: number): { atMs: number; withinMs: number } | null {
  const before = beats.filter(({ atMs }) => atMs < untilMs);
  const at = before.findLastIndex(({ isAnswered }) => isAnswered);
  const last = before[at];
  if (last?.withinS == null || before.slice(at).some(({ withinS }) => withinS === null)) return null;
  return { atMs: last.atMs, withinMs: last.withinS * 1_000 };
}
