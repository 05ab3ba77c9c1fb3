/** Whose a thing is that bears our client order id, and up to when fills are known to be whole. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { legOf } from "../../src/settle/feed/known-leg.ts";
import { withoutCut } from "../../src/settle/fills/fill-pages.ts";
import { openFillIndex } from "../../src/settle/fills/index-fills.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findFillCursor } from "../../src/store/fills.ts";
import { findLegByCloid, insertLeg } from "../../src/store/legs.ts";
import { insertOrder, insertPlacing } from "../../src/store/orders.ts";
import type { Fill } from "../../src/wire/answer/fills.ts";
import type { OrderUpdate } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { legRow, orderRow, placingRows } from "../support/rows.ts";

const OTHER = { ...ACCOUNT, id: "5c0d8a52-6f0e-4f3b-9c55-000000000000" };
const NOBODY = { see: () => undefined };

function lostOrder() {
  const rig = openGatewayRig();
  insertOrder(rig.store, orderRow({ accountId: ACCOUNT.id, status: "unknown" }));
  const leg = legRow({ state: "lost" });
  insertLeg(rig.store, leg);
  return { rig, leg };
}

test("an update under our client order id is of an order of the account that it is told of", () => {
  const { rig, leg } = lostOrder();
  const update = { order: { oid: "77", cloid: leg.cloid } } as OrderUpdate;
  expect([legOf(rig.deps, ACCOUNT, update)?.cloid, legOf(rig.deps, OTHER, update)]).toEqual([leg.cloid, null]);
});

test("a page of the newest fills that is full may lack some of its oldest moment", () => {
  const fills = [3, 2, 1, 1].map((timeMs) => ({ timeMs }) as Fill);
  expect(withoutCut(fills, 4).map(({ timeMs }) => timeMs)).toEqual([3, 2]);
  expect(withoutCut(fills, 5)).toHaveLength(4);
});

test("fills are whole up to the newest of an answer, however late that was asked for", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  rig.venue.fill(order, "0.4");
  const filledMs = rig.clock.nowMs();
  await rig.clock.advance(60_000);
  expect(await openFillIndex(rig.deps, NOBODY).backFill(ACCOUNT)).toBe(true);
  expect([findFillCursor(rig.store, ACCOUNT.id), filledMs < rig.clock.nowMs()]).toEqual([filledMs, true]);
});

test("a fill of another account under our client order id names no order of ours", () => {
  const { rig, leg } = lostOrder();
  const shown = shownFill({ cloid: leg.cloid });
  const index = openFillIndex(rig.deps, NOBODY);
  index.add(OTHER, [shown]);
  expect(findLegByCloid(rig.store, leg.cloid)?.oid).toBeNull();
  index.add(ACCOUNT, [{ ...shown, oid: "78", tid: "2" }]);
  expect(findLegByCloid(rig.store, leg.cloid)?.oid).toBe("78");
});

test.each([
  ["of now is told", 0, 0, 1],
  ["of now is told where the exchange's clock is behind ours", -240_000, -240_000, 1],
  ["of now is told where the exchange's clock is before ours", 240_000, 240_000, 1],
  ["of an hour before is not told, where the exchange's clock is behind ours as well", -240_000, -3_600_000, 0],
])("a fill %s", (_which, offsetMs, datedMs, told) => {
  const { deps, store, clock } = openGatewayRig();
  const exchange = { ...deps.exchange, nowMs: () => clock.nowMs() + offsetMs };
  const account = { ...ACCOUNT, createdAtMs: clock.nowMs() };
  openFillIndex({ ...deps, exchange }, NOBODY).add(account, [shownFill({ timeMs: clock.nowMs() + datedMs })]);
  expect(store.$client.query("select 1 from events where type = 'fill.created'").all()).toHaveLength(told);
});

function shownFill(some: Partial<Fill>): Fill {
  const fill = { oid: "77", cloid: null, coin: "BTC", side: "B", timeMs: START_MS, tid: "1", twapId: null };
  const figures = { price: decimal("100"), size: decimal("1"), fee: decimal("0"), feeToken: "USDC", builderFee: null };
  const rest = { closedPnl: decimal("0"), startPosition: decimal("0"), crossed: true, dir: "Open Long", hash: "0x00" };
  // A whole row; what the index does not read is left out.
  return { ...fill, ...figures, ...rest, direction: "Open Long", liquidation: null, ...some } as unknown as Fill;
}

test.each([
  ["that was signed here for another account", "77", true, 0],
  ["from elsewhere that another account was shown too", "77", false, 1],
  ["of nobody", "78", true, 1],
])(
  "a fill that an answer shows, of an order %s, is kept where it may be the account's",
  (_whose, oid, isSigned, kept) => {
    const rig = openGatewayRig();
    const rows = placingRows(1, { state: "done" });
    const { order, leg } = rows;
    if (isSigned) insertPlacing(rig.store, rows);
    else {
      insertOrder(rig.store, order);
      insertLeg(rig.store, leg);
    }
    const mine = { ...ACCOUNT, id: "5c0d8a52-6f0e-4f3b-9c55-000000000001", tradingAddress: `0x${"8".repeat(40)}` };
    insertAccount(rig.store, { ...mine, ownerAddress: mine.tradingAddress });
    inTransaction(rig.store, () => recordLegEvent(rig.store, leg.cloid, { type: "rested", oid: "77" }, START_MS));
    const index = openFillIndex(rig.deps, NOBODY);
    const count = () => rig.store.$client.query("select id from fills where account_id = ?").all(mine.id).length;
    index.addRead(mine, [shownFill({ oid })]);
    expect(count()).toBe(kept);
    // A feed's frames name their account.
    index.add(mine, [shownFill({ oid })]);
    expect(count()).toBe(1);
  },
);
