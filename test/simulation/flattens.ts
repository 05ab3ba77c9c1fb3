/** Bots and accounts that are stopped and flattened: what they hold, who asks for it, and what was told of how it ended. Held against the log by `flattens-audit`. */
import type { Side } from "../../src/core/order.ts";
import type { Bot } from "./bots.ts";
import { type Chance, openChance } from "./chance.ts";
import { type Clients, fieldOf, type Turn } from "./clients.ts";
import type { Ask } from "./front.ts";
import type { GatewayProcess } from "./process.ts";
import { drawStop, resumeLater, type StopWish } from "./stops.ts";
import type { Party } from "./template.ts";
import type { Timeline } from "./timeline.ts";
import { STRANGERS } from "./trading.ts";
import type { Venue } from "./venue.ts";
import { MIDDLE, placing, type Wish } from "./wishes.ts";

/** `by`: with whose key. `bot`: whose stop it is; null for the account's. */
export type FlattenWish = {
  stop: StopWish;
  by: Party;
  bot: Bot | null;
  bps: number;
  /** From the moment at which the stop has an id, milliseconds. */
  afterMs: number;
  /** What is left is asked for once more. */
  isAskedAgain: boolean;
  /** Somebody buys what the account holds beside the market of all wishes. */
  hasOtherBuyer: boolean;
};

/** Bits by which the seed of flattenings differs from that of the bots: those are as they were. */
const FLATTEN_STREAM = 0x0f1a_0000;
/** Of the runs with bots. */
const SHARE = 0.4;
const MAX_ORDERS = 8;

/** Where a stop of its own is drawn already there is no other. */
export function hasFlattens(seed: number): boolean {
  const isDrawn = openChance(seed ^ FLATTEN_STREAM).isLucky(SHARE);
  return isDrawn && drawStop(seed, { faultsEndMs: 1, hasBots: true }) === null;
}

/** A stream of its own: runs without them are as they were. */
export function drawFlattens(
  seed: number,
  { bots, wishes }: { bots: readonly Bot[]; wishes: readonly Wish[] },
  faultsEndMs: number,
): { flatten: FlattenWish | null; more: Wish[] } {
  const chance = openChance(seed ^ FLATTEN_STREAM);
  const [first, other] = bots;
  if (first === undefined || other === undefined || !hasFlattens(seed)) return { flatten: null, more: [] };
  chance.isLucky(SHARE);
  const bot = chance.isLucky(0.65) ? first : null;
  const stop = {
    party: first.party,
    scope: bot === null ? ("account" as const) : ("bot" as const),
    keepsProtection: chance.isLucky(0.8),
    atMs: chance.between(Math.floor(faultsEndMs * 0.2), Math.floor(faultsEndMs * 0.8)),
    key: `flat-${chance.between(1_000, 9_999)}`,
    resumeAfterMs: chance.isLucky(0.2) ? chance.between(0, 20_000) : null,
  };
  const by = bot === null ? first.party : chance.pick(bot.holders).by;
  const more: Wish[] = [];
  for (let left = chance.between(4, MAX_ORDERS); left > 0; left -= 1)
    more.push(order(chance, chance.isLucky(0.75) ? first : other, { number: wishes.length + more.length, stop }));
  const rest = { bps: chance.pick([20, 50, 50, 300]), afterMs: chance.pick([0, 0, 300, 5_000]) };
  const flags = { isAskedAgain: chance.isLucky(0.5), hasOtherBuyer: chance.isLucky(0.6) };
  return { flatten: { stop, by, bot, ...rest, ...flags }, more };
}

type Ordering = { number: number; stop: StopWish };

/** What takes and is held, what waits to protect it, what rests to reduce it, and now and then anything. */
function order(chance: Chance, { party, holders }: Bot, { number, stop }: Ordering): Wish {
  const { by } = chance.pick(holders);
  const base = { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by };
  const kind = chance.pick(["take", "take", "take", "protect", "protect", "reduce", "any"] as const);
  const atMs = chance.isLucky(0.85) ? chance.between(0, stop.atMs) : stop.atMs + chance.between(0, 6_000);
  if (kind === "any") return placing(chance, { ...base, atMs });
  const side: Side = kind === "take" ? "buy" : "sell";
  const size = `0.0${chance.between(1, 3)}${chance.between(100, 999)}`;
  const plain = { kind: "place", market: "BTC", side, size, timeInForce: "gtc" } as const;
  const place = (price: string, rest: Pick<Extract<Ask, { kind: "place" }>, "trigger" | "reduceOnly">): Wish => {
    const ask: Ask = { ...plain, price, ...rest };
    return { ...base, atMs, kind: "place", ask: () => ask, target: null, price };
  };
  // Where no other wish of a run has its price.
  if (kind === "take") return place(String(MIDDLE + 700 + number), { trigger: null, reduceOnly: false });
  if (kind === "reduce") return place(String(MIDDLE + 800 + number), { trigger: null, reduceOnly: true });
  const isStop = chance.isLucky(0.7);
  const at = MIDDLE + (isStop ? -1 : 1) * chance.pick([650, 800, 2_000]);
  const trigger = {
    price: String(at),
    kind: isStop ? "stop_loss" : "take_profit",
    market: chance.isLucky(0.6),
  } as const;
  return place(String(MIDDLE - 2_700 - number), { trigger, reduceOnly: true });
}

/** How one ended: between two moments of the run, milliseconds. */
export type FlattenEnd = { fromMs: number; toMs: number; status: string; left: readonly Left[] };
type Left = { market: string; size: string; reason: string };

export type Flattening = {
  begin(parts: { clients: Pick<Clients, "put">; venue: Venue; process: () => GatewayProcess | null }): void;
  readonly wish: FlattenWish | null;
  readonly stopIds: ReadonlySet<string>;
  readonly ends: readonly FlattenEnd[];
  /** One was accepted of which the end was not heard. */
  isRunning(): boolean;
  /** What it waits for, by what was shown last: reasons. */
  waitsFor(): readonly string[];
  resumedAtMs(): number | null;
};

/** Between two times that something is asked for, milliseconds. */
const AGAIN_AFTER_MS = 700;

export function openFlattening(wish: FlattenWish | null, timeline: Timeline): Flattening {
  const stopIds = new Set<string>();
  const ends: FlattenEnd[] = [];
  /** When it was last shown to go on; null while none is known to. */
  let runningMs: number | null = null;
  let waits: readonly string[] = [];
  let resumedAtMs: () => number | null = () => null;

  function begin({ clients, venue, process }: Parameters<Flattening["begin"]>[0]): void {
    if (wish === null) return;
    const { stop, by } = wish;
    const { scope, keepsProtection, key } = stop;
    const askStop = (whenShown: (shown: Shown, turn: Turn) => void) => {
      clients.put(by, key, { kind: "stop", scope, keepsProtection }, (turn) => {
        const shown = shownIn(turn);
        if (shown === null) timeline.after(AGAIN_AFTER_MS, () => askStop(whenShown));
        else whenShown(shown, turn);
      });
    };
    const askFlatten = (id: string, whenAsked: () => void) => {
      clients.put(by, null, { kind: "flatten", id, bps: wish.bps }, (turn) => {
        const { outcome } = turn;
        if (outcome?.kind === "answer" && (outcome.status === 202 || resumedAtMs() !== null)) {
          runningMs = outcome.status === 202 ? turn.askedAtMs : runningMs;
          return whenAsked();
        }
        // What was asked for and lost may have ended before it is asked for again.
        runningMs ??= turn.askedAtMs;
        timeline.after(AGAIN_AFTER_MS, () => askFlatten(id, whenAsked));
      });
    };
    const follow = (id: string, isLast: boolean) =>
      askStop(({ flatten }, { askedAtMs, endedAtMs }) => {
        if (flatten === null) return;
        if (flatten.status === "flattening") {
          runningMs = askedAtMs;
          waits = flatten.waits_for.map(({ reason }) => reason);
          return timeline.after(AGAIN_AFTER_MS, () => follow(id, isLast));
        }
        ends.push({ fromMs: runningMs ?? askedAtMs, toMs: endedAtMs ?? askedAtMs, ...flatten });
        runningMs = null;
        if (flatten.status === "left" && wish.isAskedAgain && !isLast) askFlatten(id, () => follow(id, true));
      });
    const [maker] = STRANGERS;
    if (wish.hasOtherBuyer) venue.act(maker, bid() as unknown as Parameters<Venue["act"]>[1]);
    timeline.after(stop.atMs, () =>
      askStop(({ id }) => {
        stopIds.add(id);
        const whenAsked = () => {
          resumedAtMs = resumeLater(process, timeline, stop);
          follow(id, false);
        };
        timeline.after(wish.afterMs, () => askFlatten(id, whenAsked));
      }),
    );
  }

  const shown = { isRunning: () => runningMs !== null, waitsFor: () => waits };
  return { begin, wish, stopIds, ends, ...shown, resumedAtMs: () => resumedAtMs() };
}

type Shown = {
  id: string;
  flatten: { status: string; left: readonly Left[]; waits_for: readonly { reason: string }[] } | null;
};

function shownIn({ outcome }: Turn): Shown | null {
  if (outcome?.kind !== "answer" || outcome.status >= 300) return null;
  // The gateway's own JSON, read without its types.
  return fieldOf(outcome.body, "id") === null ? null : (JSON.parse(outcome.body) as Shown);
}

/** In the market in which accounts hold something besides. */
function bid() {
  const order = { a: 1, b: true, p: "3195", s: "2", r: false, t: { limit: { tif: "Gtc" as const } }, c: null };
  return { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
}
