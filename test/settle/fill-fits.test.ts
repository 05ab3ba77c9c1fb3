/** Which fills under a client order id may be its order's, by all that a fill tells. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { fittingFills } from "../../src/settle/fills/fill-fits.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { legRow, placingRows } from "../support/rows.ts";

const NONCE = 100_000;

type Shown = Partial<{ oid: string; coin: string; side: "A" | "B"; timeMs: number; price: string; size: string }>;

function fillsOf(shown: readonly Shown[]) {
  return shown.map(({ price = "100", size = "0.5", ...some }) => ({
    oid: "7",
    coin: "BTC",
    side: "B" as const,
    timeMs: NONCE,
    ...some,
    price: decimal(price),
    size: decimal(size),
  }));
}

test.each<[what: string, shown: Shown[], fitting: number]>([
  ["at the limit, and no more than was asked for", [{}, {}], 2],
  ["more than was asked for, together", [{}, { size: "0.6" }], 0],
  ["as much again under another native id", [{ size: "1" }, { size: "1", oid: "8" }], 2],
  ["more than was asked for under another native id", [{ size: "1" }, { size: "1.1", oid: "8" }], 1],
  ["better than the limit", [{ price: "99" }], 1],
  ["worse than the limit", [{ price: "101" }], 0],
  ["one of them worse than the limit", [{}, { price: "101" }], 0],
  ["in another market", [{ coin: "ETH" }], 0],
  ["on the other side", [{ side: "A" }], 0],
  ["as long before its number as a clock may be ahead", [{ timeMs: NONCE - 5_000 }], 1],
  ["longer before its number", [{ timeMs: NONCE - 5_001 }], 0],
])("fills under the id of a purchase of 1 at 100 that are %s: %#", (_what, shown, fitting) => {
  const store = openMemoryStore();
  const placing = placingRows(1, { nonce: NONCE });
  insertPlacing(store, placing);
  const leg = legRow({ cloid: placing.leg.cloid, orderId: placing.order.id });
  const asked = { market: "BTC", side: "buy" as const, reduceOnly: false, leg };
  expect(fittingFills(store, asked, fillsOf(shown))).toHaveLength(fitting);
});
