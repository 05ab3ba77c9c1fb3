import { type Decimal, divide, larger, subtract, truncate, ZERO } from "../decimal.ts";
import { isSpot } from "../market.ts";
import { type Reference, unitPriceOf } from "./exposure.ts";
import type { RailName } from "./rails.ts";
import type { Ordered } from "./wish.ts";

export type RailVerdict =
  | { kind: "allowed" }
  | { kind: "refused"; rail: RailName | "opposite_position"; limit: string; use: string; largest: string | null }
  /** What cannot be shown to be within the rails for want of this. `isToRead`: the account's position, read once more, tells. */
  | { kind: "unproven"; missing: string; isToRead?: true };

export type RailRefusal = Exclude<RailVerdict, { kind: "allowed" }>;

/** What increases without a price is refused. */
export function priceless(market: string): RailRefusal {
  const now = `a price of ${market} from the last 5 seconds`;
  if (!isSpot(market)) return { kind: "unproven", missing: now };
  return { kind: "unproven", missing: `${now} and those of ten minutes, half of which have to be known` };
}

/** What a position of after all fills that were told says, and one of before does not. */
export function unread(market: string): RailRefusal {
  const missing = `a position in ${market} that is told of after what was filled last`;
  return { kind: "unproven", missing, isToRead: true };
}

/** What a unit of the wish is valued at. */
export function priceOf({ leg }: Ordered, reference: Reference): Decimal {
  return unitPriceOf(leg, reference);
}

type OverUsd = { limit: Decimal; use: Decimal; wish: Ordered; reference: Reference; others: Decimal };

export function usdRefusal(rail: RailName, { limit, use, wish, reference, others }: OverUsd): RailRefusal {
  const room = larger(subtract(limit, others), ZERO);
  const largest = divide(room, priceOf(wish, reference), wish.sizeDecimals);
  return refusal(rail, { limit: `${limit} USD`, use: `${use} USD`, largest });
}

/** `isMost`: so much may be its own, and it may be less. */
type OverSize = { limit: Decimal; isMost: boolean; use: Decimal; unit: string; wish: Ordered; largest: Decimal };

export function sizeRefusal(rail: RailName, { limit, isMost, use, unit, wish, largest }: OverSize): RailRefusal {
  const fitting = truncate(larger(largest, ZERO), wish.sizeDecimals);
  const most = isMost ? `at most ${limit}` : limit;
  return refusal(rail, { limit: `${most} ${unit} of its own`, use: `${use} ${unit}`, largest: fitting });
}

export function refusal(
  rail: RailName | "opposite_position",
  { limit, use, largest = null }: { limit: string; use: string; largest?: Decimal | null },
): RailRefusal {
  return { kind: "refused", rail, limit, use, largest };
}
