/** A list of open orders that shows an order which was taken for over. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg, LegState } from "../../src/core/order.ts";
import { heedShownSince } from "../../src/settle/cancel/shown-since.ts";
import { openCrossChecks } from "../../src/settle/feed/cross-check.ts";
import { findAttempt, insertAttempt } from "../../src/store/attempts.ts";
import { listEventsAfter, type StoredEvent } from "../../src/store/events.ts";
import { findLegByCloid, findLegByOid, insertLeg } from "../../src/store/legs.ts";
import { findOrder, insertOrder } from "../../src/store/orders.ts";
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

/** An order of which the exchange has told an end, half a minute ago. */
async function told(some: Partial<Leg>) {
  const rig = openGatewayRig();
  const { status = "canceled", ...leg } = { status: some.state as "canceled" | "filled" | "rejected", ...some };
  insertOrder(
    rig.store,
    orderRow({ accountId: ACCOUNT.id, status, seenAtMs: START_MS, exchangeOrderId: leg.oid ?? null }),
  );
  insertLeg(rig.store, legRow({ oid: OID, isExchangesWord: true, ...leg }));
  await rig.clock.advance(60_000);
  const heed = (orders: readonly FrontendOrder[], askedAfterMs = 60_000) =>
    heedShownSince(rig.deps, ACCOUNT, { orders, askedAtMs: START_MS + askedAfterMs });
  const error = () => findOrder(rig.store, orderRow().id)?.error ?? null;
  const state = () => findLegByCloid(rig.store, SHOWN.cloid ?? "")?.state;
  const ofOrder = ({ resourceId }: StoredEvent) => resourceId === orderRow().id;
  const events = () =>
    listEventsAfter(rig.store, { accountId: ACCOUNT.id, after: 0, limit: 10 }).filter(ofOrder).length;
  return { rig, heed, error, state, events };
}

const ENDS: [LegState, Partial<Leg>][] = [
  ["canceled", { reason: "It was canceled by its owner." }],
  ["filled", {}],
  ["rejected", { oid: null, reason: "it was refused" }],
];

test.each(ENDS)(
  "an end that was told, %s, stays, and newer lists that show the order open raise the alarm, once",
  async (state, some) => {
    const about = await told({ state, ...some });
    about.heed([SHOWN]);
    about.heed([SHOWN], 159_999);
    expect([about.error(), about.events()]).toEqual([null, 1]);
    about.heed([SHOWN, NEWER]);
    const words = "ALARM: the exchange shows the order as open, in lists of after the end that it had told,";
    expect(about.error()).toContain(words);
    expect(about.error()?.startsWith(some.reason ?? "ALARM")).toBe(true);
    const before = about.error();
    about.heed([SHOWN, NEWER], 200_000);
    expect([about.state(), about.error(), about.events()]).toEqual([state, before, 2]);
  },
);

test("so does one that is asked for when no server is behind by as much, and none that shows another order", async () => {
  const { heed, error } = await told({ state: "canceled" });
  heed([{ ...SHOWN, limitPrice: decimal("101") }, NEWER]);
  expect(error()).toBeNull();
  heed([SHOWN], 160_000);
  expect(error()).toContain("ALARM");
});

test("the lists that a live feed tells raise it too, with no row live that would have one read", async () => {
  const { rig, error } = await told({ state: "canceled" });
  const list = {
    value: [SHOWN, NEWER],
    timeMs: START_MS,
    heard: 1,
    askedAtMs: null,
    asOfMs: START_MS,
    toldToMs: START_MS,
  };
  let isTold = false;
  const picture = {
    ...rig.deps.picture,
    openOrders: (_user: string, dex: string) => (dex === "" ? { ...list, isTold } : null),
  };
  const feeds = { ...rig.deps.feeds, isLive: () => true };
  const index = { backFill: () => Promise.resolve(true), readToMs: () => START_MS };
  const checks = openCrossChecks({ ...rig.deps, picture, feeds }, index, () => Promise.resolve(true));
  await checks.run(ACCOUNT);
  expect(error()).toBeNull();
  isTold = true;
  await checks.run(ACCOUNT);
  expect(error()).toContain("ALARM");
});

test("what a modify has canceled is not the order any more, and its own look tells of it", async () => {
  const { rig, heed } = await told({ state: "canceled" });
  insertLeg(rig.store, legRow({ cloid: `0x${"b".repeat(32)}`, state: "resting", oid: "78", ordinal: 2 }));
  heed([SHOWN, NEWER]);
  expect(findLegByOid(rig.store, ACCOUNT.id, OID)?.reason).toBeNull();
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
