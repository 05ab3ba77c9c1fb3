/**
 * What of a trade is held at most, where it is less than its own fills say: by what the account holds, and of a bot by what its books
 * leave the trade. Two readings have to agree, and what they found missing stays missing while the trade's own fills go on.
 */
import type { Account } from "../../core/account.ts";
import { type Decimal, isNegative, isZero, larger, negate, smaller, subtract, ZERO } from "../../core/decimal.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import type { Trade } from "../../core/trade.ts";
import type { With } from "../../deps.ts";

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
};

export function newHeldMemory(): HeldMemory {
  return { readMs: 0, own: ZERO, ownSinceMs: 0, shown: null, position: null };
}

/** Between two readings of the position, milliseconds. */
const READ_EVERY_MS = 10_000;
/** The same after a fill, and while the last reading and what is held to be so do not come to the same, milliseconds. */
const CONFIRM_EVERY_MS = 2_000;

/** Null where nothing is known to be missing of what it holds by its own fills. */
export function heldAtMost({ own, position }: HeldMemory, ownNow: Decimal): Decimal | null {
  if (position === null || ownNow === own) return position;
  // What others have closed, or the bot has sold by other orders, comes not back because the entry or a guard fills.
  const missing = subtract(own, smaller(position, own));
  return isZero(missing) ? null : larger(subtract(ownNow, missing), ZERO);
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
    const position = memory.ownSinceMs === 0 ? atFirst(parts, account, trade) : heldAtMost(memory, own);
    Object.assign(memory, { own, ownSinceMs: world.exchange.nowMs(), shown: null, position, readMs: nowMs });
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
  const left = parts.leftToTrade(account, trade);
  const held = left === null ? onSide(trade, read.size) : smaller(onSide(trade, read.size), left);
  memory.position = memory.shown === null ? memory.position : larger(memory.shown, held);
  memory.shown = held;
}

/** Of before a start nothing is kept in mind: no larger guard is placed because of that. Its end is told by readings alone. */
function atFirst(parts: PositionParts, account: Account, trade: Trade): Decimal | null {
  const left = parts.leftToTrade(account, trade);
  return left === null || isZero(left) ? null : left;
}

/** What of a position stands on a trade's side; zero where it is on the other. */
function onSide({ side }: Trade, size: Decimal): Decimal {
  const signed = side === "buy" ? size : negate(size);
  return isNegative(signed) ? ZERO : signed;
}
