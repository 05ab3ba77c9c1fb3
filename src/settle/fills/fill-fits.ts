import { compare } from "../../core/decimal.ts";
import type { Filled } from "../../core/order.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { listFillsOf } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import type { AskedOrder } from "../evidence/difference.ts";
import { sumFills } from "./fill-pages.ts";

/** What is compared of a fill, as it is read or as it is kept. */
type ComparedFill = Pick<Fill, "oid" | "coin" | "side" | "timeMs" | "price" | "size" | "crossed">;

/** An action is signed by our idea of the exchange's time, which may be ahead by this much, milliseconds. */
const SIGNED_EARLY_MS = 5_000;

/**
 * Of fills under a client order id those that may be the order's, by all that a fill tells: market, side, a price that is not
 * worse than the limit, a time that is not before the send, and in sum, by native id, not more than was asked for; and where the
 * order is said to have done nothing, that it took what is offered if it could only do that. Somebody else may have used the id, so
 * that none of this says that they are.
 */
export function fittingFills<F extends ComparedFill>(store: Store, asked: AskedOrder, fills: readonly F[]): F[] {
  const sentAtMs = (findAttemptByCloid(store, asked.leg.cloid)?.nonce ?? 0) - SIGNED_EARLY_MS;
  const byOid = Map.groupBy(fills, ({ oid }) => oid);
  return [...byOid.values()].flatMap((ofOne) => {
    const isFitting = ofOne.every(
      (fill) => fill.timeMs >= sentAtMs && fitsTerms(asked, fill) && !contradicts(asked, fill),
    );
    return isFitting && compare(sumFills(ofOne).size, asked.leg.size) <= 0 ? ofOne : [];
  });
}

/** Fills that are known under the native id of an order, where they may be its own and are just the whole of it; else null. */
export function wholeOf(store: Store, asked: AskedOrder & { accountId: string }): Filled | null {
  const { accountId, leg } = asked;
  if (leg.oid === null) return null;
  const known = listFillsOf(store, accountId, leg.oid).map((fill) => ({
    ...fill,
    coin: fill.market,
    side: fill.side === "buy" ? ("B" as const) : ("A" as const),
    crossed: fill.isTaker,
  }));
  const filled = sumFills(fittingFills(store, asked, known));
  return compare(filled.size, leg.size) === 0 ? filled : null;
}

/** What never rests is filled by what rests: a fill that had rested overrules no word that such an order did nothing. */
function contradicts({ leg }: AskedOrder, fill: ComparedFill): boolean {
  return leg.state === "absent" && leg.trigger === null && leg.timeInForce === "ioc" && !fill.crossed;
}

function fitsTerms({ market, side, leg }: AskedOrder, fill: ComparedFill): boolean {
  if (fill.coin !== market || (fill.side === "B") !== (side === "buy")) return false;
  // The exchange gives a market order that fires a price of its own.
  if (leg.trigger?.market === true) return true;
  const isAbove = compare(fill.price, leg.price as typeof fill.price);
  return side === "buy" ? isAbove <= 0 : isAbove >= 0;
}
