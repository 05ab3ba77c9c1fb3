/** A list of open orders that shows an order which was taken for over. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";
import { heedShownSince } from "../../src/settle/cancel/shown-since.ts";
import { findAttempt, insertAttempt } from "../../src/store/attempts.ts";
import { findLegByOid, insertLeg } from "../../src/store/legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import type { FrontendOrder } from "../../src/wire/answer/order-status.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";

const OID = "77";

const SHOWN: FrontendOrder = {
  coin: "BTC",
  side: "B",
  limitPrice: decimal("100"),
  size: decimal("1"),
  originalSize: decimal("1"),
  oid: OID,
  cloid: legRow().cloid,
  timestampMs: START_MS,
  isTrigger: false,
  triggerPrice: null,
  triggerCondition: null,
  isPositionTpsl: false,
  reduceOnly: false,
  orderType: "Limit",
  tif: "Gtc",
  children: [],
};

/** Placed a minute after the order was taken for over. */
const NEWER: FrontendOrder = { ...SHOWN, oid: "99", cloid: null, timestampMs: START_MS + 60_000 };

/** An order that cancels are said to have closed, each of them by the native id that it names. */
async function takenForOver(some: Partial<Leg> = {}, canceled: readonly string[] = [OID], canceledAtMs = 0) {
  const rig = openGatewayRig();
  insertOrder(rig.store, orderRow({ accountId: ACCOUNT.id, status: "unknown", seenAtMs: START_MS }));
  insertLeg(rig.store, legRow({ state: "closing", oid: OID, isExchangesWord: true, ...some }));
  const cancels = canceled.map((targetOid, nth) => {
    const own = { nonce: canceledAtMs + nth + 1, createdAtMs: START_MS, targetOid, cloid: null, hasLanded: true };
    return insertAttempt(rig.store, attemptRow({ kind: "cancel", accountId: ACCOUNT.id, state: "ambiguous", ...own }));
  });
  await rig.clock.advance(60_000);
  const heed = (orders: readonly FrontendOrder[], askedAfterMs = 60_000) =>
    heedShownSince(rig.deps, ACCOUNT, { orders, askedAtMs: START_MS + askedAfterMs });
  const state = () => findLegByOid(rig.store, ACCOUNT.id, OID)?.state;
  const landed = () => cancels.map(({ id }) => findAttempt(rig.store, id)?.hasLanded);
  return { heed, state, landed };
}

test("it lives again by a list that holds a newer one, and by no other", async () => {
  const { heed, state, landed } = await takenForOver();
  heed([SHOWN]);
  expect([state(), landed()]).toEqual(["closing", [true]]);
  heed([SHOWN, NEWER]);
  expect([state(), landed()]).toEqual(["resting", [false]]);
});

test("where nothing newer is placed, it lives by a list that is asked for when no server is behind by as much", async () => {
  const { heed, state, landed } = await takenForOver();
  heed([SHOWN], 159_999);
  expect([state(), landed()]).toEqual(["closing", [true]]);
  heed([SHOWN], 160_000);
  expect([state(), landed()]).toEqual(["resting", [false]]);
});

test("an order of another dex makes no list newer", async () => {
  const { heed, state } = await takenForOver();
  heed([SHOWN, { ...NEWER, coin: "xyz:GOLD" }]);
  expect(state()).toBe("closing");
});

test("what was said of cancels of its other legs stands", async () => {
  const { heed, landed } = await takenForOver({}, [OID, "55"]);
  heed([SHOWN, NEWER]);
  expect(landed()).toEqual([false, true]);
});

test("a trigger that is listed waits", async () => {
  const trigger = { price: "90", kind: "stop_loss", market: true } as const;
  const { heed, state } = await takenForOver({ trigger });
  const waits = { isTrigger: true, triggerPrice: decimal("90"), triggerCondition: "Price below 90", tif: null };
  heed([{ ...SHOWN, ...waits, orderType: "Stop Market" }, NEWER]);
  expect(state()).toBe("armed");
});

test("our wall clock was set ahead since: what was placed before the conclusion makes no list newer", async () => {
  const { heed, state } = await takenForOver({}, [OID], START_MS + 100_000);
  heed([SHOWN, NEWER]);
  expect(state()).toBe("closing");
  heed([SHOWN, { ...NEWER, timestampMs: START_MS + 111_000 }]);
  expect(state()).toBe("resting");
});

const NOT_FOUND = "Order was never placed, already canceled, or filled. asset=0";

const LISTS: [string, readonly FrontendOrder[], number][] = [
  ["that may be from before a cancel did not find it contradicts no list of markets", [SHOWN], 0],
  ["that holds a newer one contradicts the list of markets", [SHOWN, NEWER], 1],
];

test.each(LISTS)("a list of open orders %s", async (_name, orders, doubts) => {
  const rig = openGatewayRig();
  insertOrder(rig.store, orderRow({ accountId: ACCOUNT.id, status: "open", market: "BTC", assetId: 0 }));
  insertLeg(rig.store, legRow({ state: "resting", oid: OID }));
  const action = JSON.stringify({ type: "cancel", cancels: [{ a: 0, o: Number(OID) }] });
  const own = { targetOid: OID, cloid: null, answerText: NOT_FOUND, action, expiresAtMs: START_MS + 10_000 };
  insertAttempt(rig.store, attemptRow({ kind: "cancel", accountId: ACCOUNT.id, state: "ambiguous", ...own }));
  const doubted: string[] = [];
  Object.assign(rig.deps.markets, { doubt: (name: string) => doubted.push(name) });
  heedShownSince(rig.deps, ACCOUNT, { orders, askedAtMs: START_MS });
  expect(doubted.length).toBe(doubts);
});
