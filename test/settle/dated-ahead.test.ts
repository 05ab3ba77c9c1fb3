/** What was dated by a clock that ran ahead: it was by now, at the latest, once that is contradicted. */
import { expect, test } from "bun:test";
import { openClosedByOthers } from "../../src/actions/closed-by-others.ts";
import { decimal } from "../../src/core/decimal.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertLeg, listLegs } from "../../src/store/legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { filledByAnswer, fillRow, legRow, orderRow } from "../support/rows.ts";

const HOUR_MS = 3_600_000;

/** While this is done the exchange's time is an hour later than it is. */
async function ahead({ deps: { exchange } }: GatewayRig, run: () => Promise<unknown>): Promise<void> {
  const { nowMs } = exchange;
  exchange.nowMs = () => nowMs() + HOUR_MS;
  await run();
  exchange.nowMs = nowMs;
}

test("of a stop that is left over positions of after now count", async () => {
  const rig = openGatewayRig({ areFillsRead: true });
  const { order: parent } = filledByAnswer(1, { accountId: ACCOUNT.id, market: "BTC", oid: "77", filled: "1" });
  const order = orderRow({ accountId: ACCOUNT.id, side: "sell", reduceOnly: true });
  const bought = fillRow({ accountId: ACCOUNT.id, timeMs: START_MS });
  const sold = {
    ...bought,
    id: "2",
    oid: "78",
    side: "sell" as const,
    timeMs: START_MS + 1,
    startPosition: decimal("1"),
  };
  insertFills(rig.store, [bought, sold], { atMs: START_MS, toldFromMs: Number.POSITIVE_INFINITY });
  const closed = openClosedByOthers(rig.deps);
  const look = () => closed.isClosed({ account: ACCOUNT, order, parent });
  await ahead(rig, look);
  const seen: boolean[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.clock.advance(31_000);
    seen.push(await look());
  }
  expect(seen).toEqual([false, false, true]);
});

test("of an order that was placed elsewhere a list counts that holds one of after now", async () => {
  const rig = openGatewayRig({ areFillsRead: true });
  const order = orderRow({ accountId: ACCOUNT.id, status: "open", exchangeOrderId: "77" });
  const leg = legRow({ orderId: order.id, state: "resting", oid: "77" });
  inTransaction(rig.store, () => {
    insertOrder(rig.store, order);
    insertLeg(rig.store, leg);
  });
  expect(listLegs(rig.store, order.id)).toHaveLength(1);
  const { vanished } = rig.settler.tools;
  const sought = {
    leg,
    market: "BTC",
    side: "buy",
    reduceOnly: false,
    user: ACCOUNT.tradingAddress,
    accountId: ACCOUNT.id,
  } as const;
  await ahead(rig, () => vanished.look(sought));
  const newer = { ...NEWER, placedAtMs: rig.clock.nowMs() + 25_000, statusAtMs: rig.clock.nowMs() + 25_000 };
  rig.venue.orders.push(newer);
  await rig.clock.advance(11_000);
  expect((await vanished.look(sought)).kind).toBe("unfinished");
});

const NEWER = {
  oid: 9_000,
  cloid: `0x${"09".repeat(16)}`,
  isBuy: true,
  price: "50",
  size: "3",
  tif: "Gtc",
  reduceOnly: false,
  isTrigger: false,
  status: "open",
  fills: [],
};
