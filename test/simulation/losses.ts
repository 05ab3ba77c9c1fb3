/** Bots that are held to a loss of the day, in a market that moves: what a trip has to keep from them, and a loss that has to trip. */
import { inGrantOrder } from "../../src/core/rails/limited-grant.ts";
import type { Bot } from "./bots.ts";
import { type Chance, openChance } from "./chance.ts";
import { fieldOf } from "./clients.ts";
import type { ToldEvent } from "./tellings.ts";
import type { Timeline } from "./timeline.ts";
import { units } from "./truth.ts";
import type { Venue } from "./venue.ts";
import { MIDDLE, placing, type Wish } from "./wishes.ts";
import { increasesOf, takenOf, type Withdrawing } from "./withdrawn.ts";

/** Bits by which the seed of losses differs from that of the bots: those are as they were. */
const LOSS_STREAM = 0x1055_0000;
/** Of the runs with bots. */
const SHARE = 0.3;
const MAX_ORDERS = 6;
const MAX_MOVES = 4;

/** When the mark goes where; dollars. */
export type MarkMove = { atMs: number; price: number };

type WithBots = { bots: readonly Bot[]; wishes: readonly Wish[] };

export function hasLosses(seed: number): boolean {
  return openChance(seed ^ LOSS_STREAM).isLucky(SHARE);
}

/** A stream of its own: runs without them are as they were. */
export function drawLosses(
  seed: number,
  { bots, wishes }: WithBots,
  faultsEndMs: number,
): { bots: readonly Bot[]; more: Wish[]; marks: MarkMove[] } {
  const chance = openChance(seed ^ LOSS_STREAM);
  const [first] = bots;
  if (first === undefined || !chance.isLucky(SHARE)) return { bots, more: [], marks: [] };
  const maxLossPerDay = chance.pick(["2 USD", "2 USD", "6 USD", "20 USD"]);
  const more = Array.from({ length: chance.between(3, MAX_ORDERS) }, (_, nth) =>
    order(chance, first, { number: wishes.length + nth, faultsEndMs }),
  );
  const marks = Array.from({ length: chance.between(1, MAX_MOVES) }, () => ({
    atMs: chance.between(0, Math.floor(faultsEndMs * 0.8)),
    price: MIDDLE + chance.pick([-900, -600, 600, 900]),
  }));
  return { bots: bots.map((bot) => (bot === first ? heldTo(bot, maxLossPerDay) : bot)), more, marks };
}

/** What is asked for names whoever holds the key, and the bot keeps its keys. */
function heldTo({ party, rails, holders }: Bot, maxLossPerDay: string): Bot {
  const texts = holders.map((each) => ({ ...each, text: inGrantOrder({ ...each.text, maxLossPerDay }) }));
  return { party, rails: { ...rails, maxLossPerDay }, holders: texts };
}

function order(
  chance: Chance,
  { party, holders }: Bot,
  { number, faultsEndMs }: { number: number; faultsEndMs: number },
): Wish {
  const { by } = chance.pick(holders);
  const atMs = chance.between(0, Math.floor(faultsEndMs * 0.85));
  const base = { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by, atMs };
  if (chance.isLucky(0.5)) return placing(chance, base);
  const side = chance.pick(["buy", "sell"] as const);
  const price = String(MIDDLE + (side === "buy" ? 300 + number : -300 - number));
  const size = `0.0${chance.between(1, 3)}${chance.between(100, 999)}`;
  const plain = { kind: "place", market: "BTC", side, size, price, timeInForce: "gtc", trigger: null } as const;
  return { ...base, kind: "place", ask: () => ({ ...plain, reduceOnly: false }), target: null, price };
}

export function moveMarks(marks: readonly MarkMove[], venue: Venue, timeline: Timeline): void {
  for (const { atMs, price } of marks) timeline.after(atMs, () => venue.setPrice("BTC", BigInt(price) * 100_000_000n));
}

export type Losing = Withdrawing & {
  isClockRight: boolean;
  /** Since when a gateway is ready and lives, and the end of the run, milliseconds. */
  readySinceMs: number;
  nowMs: number;
};

/** When each bot was told to have lost its limit. */
export function tripsOf({
  bots,
  told,
}: {
  bots: readonly Bot[];
  told: readonly ToldEvent[];
}): { bot: Bot; atMs: number }[] {
  return told.flatMap(({ type, payload, atMs }) => {
    if (type !== "rail.tripped" || fieldOf(payload, "cleared_at") !== null) return [];
    const bot = bots.find(
      ({ rails, party }) => rails.bot === fieldOf(payload, "bot") && party.account.id === fieldOf(payload, "account"),
    );
    return bot === undefined ? [] : [{ bot, atMs }];
  });
}

/** One sentence for each increase of a bot that had tripped, and for each that ought to have. */
export function auditLosses(run: Losing): string[] {
  // Another day forgets.
  if (!run.isClockRight) return [];
  const trips = tripsOf(run);
  const increased = trips.flatMap(({ bot, atMs }) =>
    increasesOf(run, bot)
      .filter(({ sentAtMs }) => sentAtMs > atMs)
      .map(
        ({ oid, twapId }) => `bot ${bot.rails.bot} tripped at ${atMs}, and increased after that by ${oid ?? twapId}`,
      ),
  );
  const untripped = run.bots.filter((bot) => !trips.some((trip) => trip.bot === bot));
  return [...increased, ...untripped.flatMap((bot) => auditUntripped(run, bot))];
}

/** In 10^-16 dollars, and so much that nothing of best effort explains it. */
const ONE_DOLLAR = 10n ** 16n;
/** A gateway that has lived for so long has looked, milliseconds. */
const LOOKED_WITHIN_MS = 60_000;

function auditUntripped(run: Losing, bot: Bot): string[] {
  const { maxLossPerDay } = bot.rails;
  if (maxLossPerDay === "any" || run.nowMs - run.readySinceMs < LOOKED_WITHIN_MS || run.hasUnsettled()) return [];
  const lost = lossOf(run, bot);
  const limit = units(maxLossPerDay.replace(" USD", "")) * 100_000_000n;
  return lost > (limit * 5n) / 4n + ONE_DOLLAR
    ? [
        `bot ${bot.rails.bot} of ${bot.party.account.label} has lost ${lost}, and a loss of ${maxLossPerDay} never tripped`,
      ]
    : [];
}

/** By its fills of now and the mark, without fees; what only reduces and was filled beyond its flat is a short of its own. */
function lossOf(run: Losing, bot: Bot): bigint {
  const { venue } = run;
  const taken = takenOf(run, bot);
  const orders = new Set(taken.map(({ oid }) => oid));
  const twaps = new Set(taken.map(({ twapId }) => twapId));
  const nets = new Map<number, bigint>();
  let cash = 0n;
  for (const { asset, oid, twapId, size, price, isBuy } of venue.fillsOf(bot.party.account.tradingAddress)) {
    if (!orders.has(oid) && (twapId === null || !twaps.has(twapId))) continue;
    nets.set(asset, (nets.get(asset) ?? 0n) + (isBuy ? size : -size));
    cash += isBuy ? -size * price : size * price;
  }
  const { markets } = venue.runtime.world.venue;
  return -[...nets].reduce((sum, [asset, net]) => sum + net * (markets.get(asset)?.markPrice ?? 0n), cash);
}
