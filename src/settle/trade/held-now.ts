/**
 * What of a trade is held at most, where it is less than its own fills say: by what the account holds, and of a bot by what its books
 * leave the trade. Two readings have to agree. What the books say its bot has sold by other orders stays sold while the trade's own fills
 * go on: books and fills are written together. What an account lacks may be a fill of the trade's own that is told later.
 */
import type { Account } from "../../core/account.ts";
import { compare, type Decimal, isZero, larger, smaller, subtract, ZERO } from "../../core/decimal.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import { onSide, type Trade } from "../../core/trade.ts";
import type { With } from "../../deps.ts";
import { SETTLED_AFTER_MS } from "../evidence/position-check.ts";

/** What an account holds of a market, signed, and when that was so by the exchange's time, unix milliseconds. */
export type ShownPosition = { size: Decimal; timeMs: number };

export type PositionParts = {
  /** Asked anew each time; null where it could not be read. */
  position(account: Account, market: string): Promise<ShownPosition | null>;
  /**
   * What of a trade its bot can still hold at most, by the bot's own books: the rest the bot has sold by other orders. Null where nobody
   * can say, and for a plain key.
   */
  leftToTrade(account: Account, trade: Trade): Decimal | null;
  /** What the fills that are known leave in the market of a trade, signed; null where they do not tell, or are not all known. */
  leftByFills(account: Account, trade: Trade): Decimal | null;
};

/** Losing it costs readings. */
export type HeldMemory = {
  readMs: number;
  /** What it holds by its own fills, and since when, by the exchange's time; 0 before the first. */
  own: Decimal;
  ownSinceMs: number;
  /** What was held at most at the last reading after that; null before it. */
  shown: Decimal | null;
  /** What two such readings agree on at most; null where that is not known to be less than its own fills say. */
  position: Decimal | null;
  /** What its bot has sold of it by other orders, by two such readings of the books. */
  sold: Decimal;
  /** The same at the last one alone. */
  shownSold: Decimal;
  /** Since when readings show less than the known fills leave, elapsed milliseconds; null where the last one does not. */
  againstSinceMs: number | null;
};

export function newHeldMemory(): HeldMemory {
  return {
    readMs: 0,
    own: ZERO,
    ownSinceMs: 0,
    shown: null,
    position: null,
    sold: ZERO,
    shownSold: ZERO,
    againstSinceMs: null,
  };
}

/** Between two readings of the position, milliseconds. */
const READ_EVERY_MS = 10_000;
/** The same after a fill, and while the last reading and what is held to be so do not come to the same, milliseconds. */
const CONFIRM_EVERY_MS = 2_000;

/** Null where nothing is known to be missing of what it holds by its own fills. */
export function heldAtMost({ own, position, sold }: HeldMemory, ownNow: Decimal): Decimal | null {
  if (ownNow === own) return position;
  return isZero(sold) ? null : larger(subtract(ownNow, sold), ZERO);
}

type Reading = { account: Account; trade: Trade; memory: HeldMemory; ownNow(): Decimal };

export async function readHeld(
  world: With<"clock" | "exchange">,
  parts: PositionParts,
  { account, trade, memory, ownNow }: Reading,
): Promise<void> {
  const nowMs = world.clock.elapsedMs();
  const own = ownNow();
  if (own !== memory.own) {
    if (memory.ownSinceMs === 0) memory.sold = soldAtFirst(parts, { account, trade, own });
    const position = heldAtMost(memory, own);
    const ownSinceMs = world.exchange.nowMs();
    Object.assign(memory, { own, ownSinceMs, shown: null, position, readMs: nowMs, againstSinceMs: null });
  }
  if (isZero(own)) return;
  memory.ownSinceMs = keptMoment(memory.ownSinceMs, world.exchange.nowMs());
  const { shown, position } = memory;
  const isSure = shown !== null && smaller(shown, own) === smaller(position ?? own, own);
  if (nowMs - memory.readMs < (isSure ? READ_EVERY_MS : CONFIRM_EVERY_MS)) return;
  memory.readMs = nowMs;
  const read = await parts.position(account, trade.market);
  // A server that is behind shows what was before the last fill, and meanwhile there may have been another.
  if (read === null || read.timeMs <= memory.ownSinceMs || ownNow() !== own) return;
  // Where the books are silent, what they said last stays.
  const left = parts.leftToTrade(account, trade) ?? subtract(own, memory.sold);
  const sold = larger(subtract(own, left), ZERO);
  const shownNow = believedOf(parts, { account, trade, memory, own }, { shown: onSide(trade, read.size), nowMs });
  const held = isZero(sold) ? shownNow : smaller(shownNow, left);
  if (memory.shown !== null) {
    memory.position = larger(memory.shown, held);
    memory.sold = smaller(memory.shownSold, sold);
  }
  memory.shown = held;
  memory.shownSold = sold;
}

type Remembering = First & { memory: HeldMemory };

/**
 * What takes a position away leaves a fill. A store may be behind whatever time its state bears: what it shows less than the fills leave
 * is not missing before a fill says so, or until it has been shown for as long as a market needs that was settled without one.
 */
function believedOf(
  parts: PositionParts,
  { account, trade, memory, own }: Remembering,
  { shown, nowMs }: { shown: Decimal; nowMs: number },
): Decimal {
  const left = parts.leftByFills(account, trade);
  const least = left === null ? own : smaller(onSide(trade, left), own);
  const isAgainst = compare(shown, least) < 0;
  memory.againstSinceMs = isAgainst ? (memory.againstSinceMs ?? nowMs) : null;
  return memory.againstSinceMs !== null && nowMs - memory.againstSinceMs < SETTLED_AFTER_MS ? least : shown;
}

type First = { account: Account; trade: Trade; own: Decimal };

/** Of before a start nothing is kept in mind: no larger guard is placed because of that. An end is told by readings alone. */
function soldAtFirst(parts: PositionParts, { account, trade, own }: First): Decimal {
  const left = parts.leftToTrade(account, trade);
  return left === null || isZero(left) ? ZERO : larger(subtract(own, left), ZERO);
}
