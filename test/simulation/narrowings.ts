/** Bots that make their own rails tighter, and what they are held to from the answer on, whatever dies: read from what was asked and told. */
import { memberName } from "../../src/core/rails/member-name.ts";
import type { RailsText } from "../../src/core/rails/rails.ts";
import type { Bot } from "./bots.ts";
import { type Chance, openChance } from "./chance.ts";
import type { Clients } from "./clients.ts";
import type { Party } from "./template.ts";
import type { Timeline } from "./timeline.ts";
import { placing, type Wish } from "./wishes.ts";

type Rail = Exclude<keyof RailsText, "bot">;

/** What a bot wants to be held to from now on, and when. */
export type NarrowWish = {
  bot: Bot;
  by: Party;
  rails: Readonly<Partial<Record<Rail, string>>>;
  isToCancel: boolean;
  atMs: number;
};

/** Bits by which the seed of narrowings differs from that of the bots: those are as they were. */
const NARROW_STREAM = 0x0a44_0000;
/** Of the runs with bots. */
const SHARE = 0.35;
const MAX_NARROWINGS = 3;
/** Orders that are asked for after each, at most. */
const MAX_AFTER = 4;

/** Some of them looser than what holds already: then nothing changes. */
const NARROWER: readonly NarrowWish["rails"][] = [
  { maxOrder: "2000 USD" },
  { maxOrder: "20000 USD" },
  { maxPosition: "3000 USD" },
  { maxPosition: "30000 USD" },
  { maxExposure: "3000 USD" },
  { maxTurnoverPerDay: "6000 USD" },
  { maxActionsPerDay: "2" },
  { maxOpenOrders: "1" },
  { maxDistance: "0.1 %" },
  { maxPosition: "5000 USD", maxOrder: "4000 USD" },
  { markets: "ETH" },
  { may: "reduce,cancel" },
  { may: "increase,reduce,cancel" },
  { touches: "own" },
];

export function hasNarrowings(seed: number): boolean {
  return openChance(seed ^ NARROW_STREAM).isLucky(SHARE);
}

/** A stream of its own: runs without them are as they were. */
export function drawNarrowings(
  seed: number,
  { bots, wishes }: { bots: readonly Bot[]; wishes: readonly Wish[] },
  faultsEndMs: number,
): { narrowings: NarrowWish[]; more: Wish[] } {
  const chance = openChance(seed ^ NARROW_STREAM);
  if (bots.length === 0 || !chance.isLucky(SHARE)) return { narrowings: [], more: [] };
  const narrowings: NarrowWish[] = [];
  const more: Wish[] = [];
  for (let left = chance.between(1, MAX_NARROWINGS); left > 0; left -= 1) {
    // The first of a party asks most of what is asked.
    const bot = chance.isLucky(0.7) ? bots[0] : chance.pick(bots);
    if (bot === undefined) throw new Error("bug: bots that are none");
    const atMs = chance.between(0, Math.floor(faultsEndMs * 0.6));
    const { by } = chance.pick(bot.holders);
    narrowings.push({ bot, by, rails: chance.pick(NARROWER), isToCancel: chance.isLucky(0.3), atMs });
    for (let after = chance.between(1, MAX_AFTER); after > 0; after -= 1)
      more.push(later(chance, bot, { number: wishes.length + more.length, atMs, faultsEndMs }));
  }
  return { narrowings, more };
}

type Later = { number: number; atMs: number; faultsEndMs: number };

/** Soon after it, by either of the keys. */
function later(chance: Chance, { party, holders }: Bot, { number, atMs, faultsEndMs }: Later): Wish {
  const { by } = chance.pick(holders);
  const laterMs = Math.min(Math.floor(faultsEndMs * 0.9), atMs + chance.between(0, 6_000));
  return placing(chance, { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by, atMs: laterMs });
}

export type Narrowings = {
  begin(clients: Pick<Clients, "put">): void;
  /** What a bot is held to at this moment of the run, by all that was answered before it. */
  railsOf(bot: Bot, atMs: number): RailsText;
  /** When a bot was answered that what it had out goes. */
  canceled(): { bot: Bot; atMs: number }[];
};

/** Between two times that it is asked for, milliseconds: whoever wants to be held to less does not let go. */
const AGAIN_AFTER_MS = 900;

export function openNarrowings(wishes: readonly NarrowWish[], timeline: Timeline): Narrowings {
  const answered: { wish: NarrowWish; atMs: number }[] = [];
  return {
    begin(clients) {
      for (const wish of wishes) {
        const named = Object.entries(wish.rails).map(([rail, limit]) => [memberName(rail), limit]);
        const ask = { kind: "narrow", rails: Object.fromEntries(named), isToCancel: wish.isToCancel } as const;
        const again = () => {
          clients.put(wish.by, null, ask, ({ outcome, endedAtMs }) => {
            const isAnswered = outcome?.kind === "answer" && outcome.status === 200 && endedAtMs !== null;
            if (isAnswered) answered.push({ wish, atMs: endedAtMs });
            else timeline.after(AGAIN_AFTER_MS, again);
          });
        };
        timeline.after(wish.atMs, again);
      }
    },
    canceled: () => answered.filter(({ wish }) => wish.isToCancel).map(({ wish: { bot }, atMs }) => ({ bot, atMs })),
    railsOf: (bot, atMs) =>
      answered
        .filter(
          ({ wish, atMs: since }) =>
            wish.bot.rails.bot === bot.rails.bot && wish.bot.party === bot.party && since < atMs,
        )
        .reduce((rails, { wish }) => tighter(rails, wish.rails), bot.rails),
  };
}

/** The tighter of both, rail by rail. */
function tighter(rails: RailsText, by: NarrowWish["rails"]): RailsText {
  // Each of these has one text for each of its members.
  const each = Object.entries(rails).map(([rail, limit]) => [rail, tighterOf(rail, limit, by[rail as Rail])]);
  return Object.fromEntries(each) as RailsText;
}

function tighterOf(rail: string, limit: string, other: string | undefined): string {
  if (other === undefined || other === "any") return limit;
  if (limit === "any") return other;
  if (rail === "touches") return limit === "own" ? limit : other;
  if (rail === "may" || rail === "markets") {
    const named = other.split(",");
    return limit
      .split(",")
      .filter((one) => named.includes(one))
      .join(",");
  }
  return Number.parseFloat(limit) < Number.parseFloat(other) ? limit : other;
}
