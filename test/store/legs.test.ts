/** The first leg of a placing stands in its order's row, all others in rows of their own: nobody can tell from outside. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";
import { markInterrupted } from "../../src/settle/start-up.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { findListedFill, insertFills } from "../../src/store/fills.ts";
import { findLegByCloid, findLegByOid, insertLeg, listLegs, moveLeg, updateLeg } from "../../src/store/legs.ts";
import type { Store } from "../../src/store/open.ts";
import { deleteOrder, findOrder, insertOrder, insertPlacing } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, legRow, placingRows } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";

const { order, leg } = placingRows(1);

const PLACES: Record<string, (store: Store, leg: Leg) => void> = {
  "in its order's row": (store, first) => void insertPlacing(store, { ...placingRows(1), leg: first }),
  "in a row of its own": (store, first) => {
    insertOrder(store, order);
    insertLeg(store, first);
  },
};

const TRIGGER = { price: "9.50", kind: "stop_loss", market: true } as const;
const CHANGED: Leg = {
  ...leg,
  oid: "77",
  size: decimal("2"),
  price: "9",
  timeInForce: "alo",
  trigger: TRIGGER,
  state: "canceled",
  filledSize: decimal("0.5"),
  filledNotional: decimal("4.5"),
  reason: "said",
  isExchangesWord: true,
  absence: null,
};

for (const [place, insert] of Object.entries(PLACES)) {
  const open = (first: Leg = leg) => {
    const store = openMemoryStore();
    insertAccount(store, accountRow());
    insert(store, first);
    return store;
  };

  test(`${place}: a leg comes back as it was stored, and as it was changed`, () => {
    for (const before of [leg, { ...CHANGED, oid: null }, { ...leg, trigger: TRIGGER }]) {
      const store = open(before);
      expect([findLegByCloid(store, leg.cloid), ...listLegs(store, order.id)]).toEqual([before, before]);
      updateLeg(store, CHANGED);
      expect([findLegByCloid(store, leg.cloid), ...listLegs(store, order.id)]).toEqual([CHANGED, CHANGED]);
      expect(findOrder(store, order.id)).toEqual(order);
    }
  });

  test(`${place}: a later leg comes after it, and changes alone`, () => {
    const store = open();
    const later = legRow({ orderId: order.id, ordinal: 1, oid: "78" });
    insertLeg(store, later);
    updateLeg(store, { ...later, state: "resting" });
    expect(listLegs(store, order.id)).toEqual([leg, { ...later, state: "resting" }]);
    updateLeg(store, CHANGED);
    expect(listLegs(store, order.id)).toEqual([CHANGED, { ...later, state: "resting" }]);
    // As a replacement that turns out to be an order of its own.
    moveLeg(store, later.cloid, { orderId: "own", ordinal: 0 });
    expect([listLegs(store, order.id), listLegs(store, "own")]).toMatchObject([[CHANGED], [{ ordinal: 0 }]]);
  });

  test(`${place}: a native id is found for its own account only`, () => {
    const store = open({ ...leg, oid: "77" });
    expect(findLegByOid(store, order.accountId, "77")?.cloid).toBe(leg.cloid);
    expect(findLegByOid(store, "another", "77")).toBeNull();
    expect(findLegByOid(store, order.accountId, "78")).toBeNull();
  });

  test(`${place}: a fill is its order's, in its own account only`, () => {
    const store = open({ ...leg, oid: "77" });
    for (const accountId of [order.accountId, "another"]) insertFills(store, [fillOf(accountId)], NOBODY_IS_TOLD);
    expect(findListedFill(store, order.accountId, fillOf("").id)?.orderId).toBe(order.id);
    expect(findListedFill(store, "another", fillOf("").id)?.orderId).toBeNull();
  });

  test(`${place}: at a start a leg that was on its way is lost, one that was known stays`, () => {
    const sent = open();
    expect(markInterrupted({ store: sent, clock: stillClock(2_000) }).orders).toBe(1);
    const reason = expect.stringContaining("the gateway was stopped");
    expect(listLegs(sent, order.id)).toEqual([{ ...leg, state: "lost", reason }]);
    const armed = open({ ...leg, state: "armed" });
    markInterrupted({ store: armed, clock: stillClock(2_000) });
    expect(listLegs(armed, order.id)).toEqual([{ ...leg, state: "armed" }]);
  });

  test(`${place}: a leg goes with its order`, () => {
    const store = open();
    deleteOrder(store, order.id, 2_000);
    expect([findLegByCloid(store, leg.cloid), ...listLegs(store, order.id)]).toEqual([null]);
  });
}

test("what an order's row could not say of its leg is not stored there", () => {
  const store = openMemoryStore();
  const others: Partial<Leg>[] = [{ cloid: legRow().cloid }, { orderId: "another" }, { ordinal: 1 }];
  for (const some of others) {
    expect(() => insertPlacing(store, { ...placingRows(1), leg: { ...leg, ...some } })).toThrow(
      "bug: not the first leg",
    );
  }
  expect(findOrder(store, order.id)).toBeNull();
});

const NOBODY_IS_TOLD = { atMs: 1, toldFromMs: Number.POSITIVE_INFINITY };

function fillOf(accountId: string): Parameters<typeof insertFills>[1][number] {
  const zero = decimal("0");
  const figures = { price: zero, size: zero, fee: zero, builderFee: null, realizedPnl: zero, startPosition: zero };
  const names = { accountId, id: "1-BTC-1", timeMs: 1, market: "BTC", oid: "77", side: "buy" } as const;
  const rest = { isTaker: true, feeToken: "USDC", direction: "", twapId: null, isLiquidation: false };
  return { ...names, ...figures, ...rest, transactionHash: "" };
}
