/** Which fills under a client order id may be its order's, by all that a fill tells. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";
import { fittingFills } from "../../src/settle/fills/fill-fits.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { legRow, placingRows } from "../support/rows.ts";

const NONCE = 100_000;
const STOP = { price: "90", kind: "stop_loss", market: false } as const;

type Shown = Partial<{
  oid: string;
  coin: string;
  side: "A" | "B";
  timeMs: number;
  price: string;
  size: string;
  crossed: boolean;
}>;

function fillsOf(shown: readonly Shown[]) {
  return shown.map(({ price = "100", size = "0.5", ...some }) => ({
    oid: "7",
    coin: "BTC",
    side: "B" as const,
    timeMs: NONCE,
    crossed: true,
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

test.each<[what: string, of: Partial<Leg>, crossed: boolean, fitting: number]>([
  ["had rested, and the order that never rests was refused", { state: "absent", timeInForce: "ioc" }, false, 0],
  ["took what rested, of one that was refused", { state: "absent", timeInForce: "ioc" }, true, 1],
  [
    "had rested, and what became of the order that never rests is not known",
    { state: "lost", timeInForce: "ioc" },
    false,
    1,
  ],
  ["had rested, of an order that may rest and was refused", { state: "absent", timeInForce: "gtc" }, false, 1],
  ["had rested, of a trigger that was refused", { state: "absent", timeInForce: "ioc", trigger: STOP }, false, 1],
])("a fill under its client order id that %s: %#", (_what, of, crossed, fitting) => {
  const store = openMemoryStore();
  const placing = placingRows(1, { nonce: NONCE });
  insertPlacing(store, placing);
  const leg = legRow({ cloid: placing.leg.cloid, orderId: placing.order.id, ...of });
  const asked = { market: "BTC", side: "buy" as const, reduceOnly: false, leg };
  expect(fittingFills(store, asked, fillsOf([{ crossed }]))).toHaveLength(fitting);
});
