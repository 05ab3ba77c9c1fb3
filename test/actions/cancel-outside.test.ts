/** What was placed elsewhere goes under a stop of the account, but nothing that it has filled is left without protection. */
import { expect, test } from "bun:test";
import { adoptOutside } from "../../src/actions/adopt-outside.ts";
import { cancelOutside } from "../../src/actions/cancel-outside.ts";
import { openStandIns } from "../../src/actions/stand-in.ts";
import { decimal } from "../../src/core/decimal.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { insertOrder, type StoredOrder } from "../../src/store/orders.ts";
import { markRestored } from "../../src/store/restores.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, START_MS } from "../support/gateway-rig.ts";
import { fillRow, legRow, orderRow } from "../support/rows.ts";
import {
  CANCEL_ALL,
  child,
  goOn,
  OID,
  openWithBracket,
  outcomes,
  placeStandIn,
  STOP,
  sent,
  shared,
} from "./bracket-of-elsewhere.ts";
import { showRecord } from "./shown-record.ts";

const FILL = fillRow({ timeMs: START_MS, oid: String(OID), size: decimal("0.4") });

test("it is kept where fills are known that no list shows yet, also by a cancel-all", async () => {
  const { rig } = openWithBracket();
  insertFills(rig.store, [FILL], { atMs: START_MS, toldFromMs: 0 });
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect(await goOn(rig, adoptOutside(rig.deps, CANCEL_ALL, ACCOUNT))).toEqual({
    orderIds: [],
    isWhole: true,
  });
  expect([rig.exchange.sent.length, outcomes(rig)]).toEqual([0, ["kept"]]);
});

test("what was kept stays kept, whatever a list from before shows after it", async () => {
  const { rig, now } = openWithBracket();
  now.left = "0.6";
  await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT));
  now.left = "1.0";
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect([rig.exchange.sent.length, outcomes(rig)]).toEqual([0, ["kept"]]);
});

test.each<[string, (rig: GatewayRig) => Promise<unknown>, unknown]>([
  ["a stop", (rig) => cancelOutside(rig.deps, STOP, ACCOUNT), false],
  ["a cancel-all", (rig) => adoptOutside(rig.deps, CANCEL_ALL, ACCOUNT), { orderIds: [], isWhole: false }],
])("%s cancels it only once a stop of ours is known to stand in for its own", async (_who, ask, notYet) => {
  const { rig } = openWithBracket();
  rig.deliveries.push(DELIVERY.neverArrived, DELIVERY.neverArrived);
  expect(await goOn(rig, ask(rig))).toEqual(notYet);
  expect([sent(rig, '"tpsl":"sl"'), sent(rig, '"type":"cancel"'), outcomes(rig)]).toEqual([1, 0, []]);
  expect(rig.exchange.sent[0]?.body).toContain('"p":"70","s":"1","r":true');
});

test.each<[string, (rig: GatewayRig) => Promise<unknown>]>([
  ["a stop", (rig) => cancelOutside(rig.deps, STOP, ACCOUNT)],
  ["a cancel-all", (rig) => adoptOutside(rig.deps, CANCEL_ALL, ACCOUNT)],
])("%s takes it up with the fills that were told of it before", async (_who, ask) => {
  const { rig } = openWithBracket([]);
  insertFills(rig.store, [FILL], { atMs: START_MS, toldFromMs: 0 });
  await goOn(rig, ask(rig));
  const created = listEventsAfter(rig.store, { accountId: ACCOUNT.id, after: 0, limit: 10 }).filter(
    ({ type }) => type === "order.created",
  );
  expect(created.map(({ payload }) => JSON.parse(payload ?? "{}").filled_size)).toEqual(["0.4"]);
});

test("a stop that stands in is of the whole size of its order, though what it stands in for has none yet", async () => {
  const { rig } = openWithBracket([{ ...child, sz: "0.0", origSz: "0.0" }]);
  await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT));
  expect(rig.exchange.sent[0]?.body).toContain('"p":"70","s":"1","r":true');
});

test("what is asked for twice at once has one stop that stands in", async () => {
  const { rig } = openWithBracket();
  const asked = [1, 2].map(() => cancelOutside(rig.deps, STOP, ACCOUNT));
  await goOn(rig, Promise.all(asked));
  expect(sent(rig, '"tpsl":"sl"')).toBe(1);
});

test("nothing stands in, and nothing goes, before what a lost machine had signed is known", async () => {
  const { rig } = openWithBracket();
  inTransaction(rig.store, (store) => markRestored(store, START_MS));
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(false);
  expect([rig.exchange.sent.length, outcomes(rig)]).toEqual([0, []]);
});

const PROFIT = { ...child, triggerPx: "120.0", triggerCondition: "Price above 120", orderType: "Take Profit Market" };

test.each([
  ["without children", []],
  ["with a take-profit alone", [PROFIT]],
])("one %s goes at once", async (_what, children) => {
  const { rig } = openWithBracket(children);
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect([sent(rig, '"tpsl"'), sent(rig, `"o":${OID}`) > 0, outcomes(rig)]).toEqual([0, true, ["canceled"]]);
});

test("where everything is to go, nothing stands in", async () => {
  const { rig } = openWithBracket();
  const everything = { ...STOP, keepsProtection: false };
  expect(await goOn(rig, cancelOutside(rig.deps, everything, ACCOUNT))).toBe(true);
  expect([sent(rig, '"tpsl"'), sent(rig, `"o":${OID}`) > 0]).toEqual([0, true]);
});

test("an order whose stand-in somebody has canceled stays with its own stop", async () => {
  const { rig } = openWithBracket();
  placeStandIn(rig, true);
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect([rig.exchange.sent.length, outcomes(rig)]).toEqual([0, ["kept"]]);
});

test("an order that is kept after all has its own stop alone", async () => {
  const { rig, now } = openWithBracket();
  placeStandIn(rig);
  now.left = "0.6";
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect([sent(rig, `"o":99}`) > 0, sent(rig, `"o":${OID}`), outcomes(rig)]).toEqual([true, 0, ["kept"]]);
});

test.each<[string, Partial<StoredOrder>, boolean]>([
  ["rests, and nothing of it is filled", { status: "open", filledSize: decimal("0") }, false],
  ["is over, and something of it was filled", { status: "canceled", filledSize: decimal("0.4") }, false],
  ["is over, and nobody knows what was filled of it", { status: "canceled", filledSize: null }, false],
  ["is over, and nothing of it was filled", { status: "canceled", filledSize: decimal("0") }, true],
  ["was refused", { status: "rejected", filledSize: null }, true],
])("whether a stop that stands in goes where its order %s", async (_what, parent, goes) => {
  const { rig } = openWithBracket();
  placeStandIn(rig);
  const order = orderRow({ exchangeOrderId: String(OID), ...parent });
  inTransaction(rig.store, () => {
    insertOrder(rig.store, order);
    insertLeg(rig.store, legRow({ orderId: order.id, oid: String(OID) }));
  });
  await goOn(rig, openStandIns(rig.deps).look());
  expect(sent(rig, '"o":99}') > 0).toBe(goes);
});

/** The order of which nobody knows whether its stop stands: its status, its rest, and whether a list holds it whatever its record says. */
function showOrder(rig: GatewayRig, shown: string): void {
  const [status = "", left = "", listed = ""] = shown.split(" ");
  const plain = { triggerCondition: "N/A", isTrigger: false, triggerPx: "0.0", reduceOnly: false, orderType: "Limit" };
  const terms = { side: "B", limitPx: "100.0", sz: left, oid: OID, children: [], origSz: "1.0", tif: "Gtc" };
  showRecord(rig, { ...shared, ...plain, ...terms }, status, status === "open" || listed === "listed");
}

test.each<[string, string, boolean]>([
  ["is open", "open 1.0", false],
  ["was filled", "filled 0.0", false],
  ["was canceled with a part of it filled, of which another stands", "canceled 0.6", true],
  ["was canceled unfilled", "canceled 1.0", true],
  ["is canceled by its record, and listed as open", "canceled 1.0 listed", false],
])(
  "whether a stop goes that stands in for one of an order without a row here, which %s",
  async (_what, shown, goes) => {
    const { rig } = openWithBracket();
    placeStandIn(rig);
    showOrder(rig, shown);
    const filled = 1 - Number(shown.split(" ")[1]);
    if (filled > 0)
      insertFills(rig.store, [{ ...FILL, size: decimal(String(filled)) }], { atMs: START_MS, toldFromMs: 0 });
    const watch = openStandIns(rig.deps);
    for (let times = 0; times < 8; times += 1) await goOn(rig, watch.look());
    expect(sent(rig, '"o":99}') > 0).toBe(goes);
  },
);

/** Refused in words of the exchange's list, its number being used. */
function refused(): GatewayRig["deliveries"][number] {
  const statuses = [{ error: "Insufficient margin to place order. asset=0" }];
  const response = { type: "order", data: { statuses } };
  return () => ({ kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) });
}

/** A stop of the whole stands in for that of an order which is over, with 0.4 of 1 filled. */
function openWithPartFilled(): GatewayRig {
  const { rig } = openWithBracket();
  placeStandIn(rig);
  const over = { status: "canceled", filledSize: decimal("0.4"), size: "1" } as const;
  const order = orderRow({ exchangeOrderId: String(OID), ...over });
  inTransaction(rig.store, () => {
    insertOrder(rig.store, order);
    insertLeg(rig.store, legRow({ orderId: order.id, oid: String(OID) }));
  });
  return rig;
}

test("a stop that stands in gives way to one of just what was filled, which is known to stand before it goes", async () => {
  const rig = openWithPartFilled();
  const watch = openStandIns(rig.deps);
  rig.deliveries.push(DELIVERY.neverArrived);
  for (let times = 0; times < 2; times += 1) {
    const looked = watch.look();
    await rig.clock.advance(1_000);
    await looked;
  }
  expect(rig.exchange.sent[0]?.body).toContain('"p":"70","s":"0.4","r":true');
  expect([sent(rig, '"tpsl":"sl"'), sent(rig, '"o":99}')]).toEqual([1, 0]);
});

test("where that is refused it is tried three times, and the larger one stays", async () => {
  const rig = openWithPartFilled();
  const watch = openStandIns(rig.deps);
  rig.deliveries.push(...[1, 2, 3, 4, 5].map(() => refused()));
  for (let times = 0; times < 10; times += 1) await goOn(rig, watch.look());
  expect([sent(rig, '"tpsl":"sl"'), sent(rig, '"o":99}')]).toEqual([3, 0]);
});

test("an order stays until its stop that stands in, refused once, is taken; and where it is refused again and again", async () => {
  const { rig } = openWithBracket();
  rig.deliveries.push(refused());
  const asked = cancelOutside(rig.deps, STOP, ACCOUNT);
  await rig.clock.advance(1_000);
  expect(await asked).toBe(false);
  const tooSoon = cancelOutside(rig.deps, STOP, ACCOUNT);
  await rig.clock.advance(1_000);
  expect([await tooSoon, sent(rig, '"tpsl":"sl"')]).toEqual([false, 1]);
  await rig.clock.advance(10_000);
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect([sent(rig, '"tpsl":"sl"'), outcomes(rig)]).toEqual([2, ["canceled"]]);
  const { rig: again } = openWithBracket();
  again.deliveries.push(refused(), refused(), refused());
  for (let times = 0; times < 3; times += 1) {
    await goOn(again, cancelOutside(again.deps, STOP, ACCOUNT));
    await again.clock.advance(10_000);
  }
  expect([sent(again, '"tpsl":"sl"'), sent(again, `"o":${OID}`), outcomes(again)]).toEqual([3, 0, ["kept"]]);
});

test("a stop that stands in and was refused does not wait for a clock that is set back", async () => {
  const { rig } = openWithBracket();
  rig.deliveries.push(refused());
  await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT));
  rig.clock.stepWall(-3_600_000);
  expect(await goOn(rig, cancelOutside(rig.deps, STOP, ACCOUNT))).toBe(true);
  expect([sent(rig, '"tpsl":"sl"'), outcomes(rig)]).toEqual([2, ["canceled"]]);
});

test("the order of a stop that stands in is asked for twice a minute at most", async () => {
  const { rig } = openWithBracket();
  placeStandIn(rig);
  showOrder(rig, "open 1.0");
  const watch = openStandIns(rig.deps);
  const asked = () => rig.exchange.asked.filter((body) => JSON.stringify(body).includes(String(OID))).length;
  for (let times = 0; times < 12; times += 1) await goOn(rig, watch.look());
  expect(asked()).toBeLessThanOrEqual(5);
});

test("no stop that stands in goes before the start has looked at what was open", async () => {
  const { rig } = openWithBracket();
  placeStandIn(rig);
  const order = orderRow({ exchangeOrderId: String(OID), status: "canceled", filledSize: decimal("0") });
  inTransaction(rig.store, () => {
    insertOrder(rig.store, order);
    insertLeg(rig.store, legRow({ orderId: order.id, oid: String(OID) }));
  });
  rig.deps.state.phase = "starting";
  await goOn(rig, openStandIns(rig.deps).look());
  expect(rig.exchange.sent.length).toBe(0);
});

/** Its order is over and was filled whole; `closings` are fills of others on the other side, as the index has them. */
async function lookAfterFill(
  closings: readonly { size: string; startPosition: string }[],
  begin?: (rig: GatewayRig) => void,
) {
  const { rig } = openWithBracket();
  placeStandIn(rig);
  const order = orderRow({ exchangeOrderId: String(OID), status: "filled", size: "1", filledSize: decimal("1") });
  const closed = closings.map(({ size, startPosition }, nth) =>
    fillRow({
      accountId: ACCOUNT.id,
      id: `closing-${nth}`,
      oid: `9${nth}`,
      side: "sell",
      size: decimal(size),
      startPosition: decimal(startPosition),
      timeMs: START_MS + 1 + nth,
    }),
  );
  inTransaction(rig.store, () => {
    insertOrder(rig.store, order);
    insertLeg(rig.store, legRow({ orderId: order.id, oid: String(OID) }));
    insertFills(rig.store, [{ ...FILL, size: decimal("1") }, ...closed], { atMs: START_MS, toldFromMs: 0 });
  });
  begin?.(rig);
  const watch = openStandIns(rig.deps);
  for (let times = 0; times < 14; times += 1) await goOn(rig, watch.look());
  return sent(rig, '"o":99}') > 0;
}

test("once others have closed what its order had filled, by fills and positions, a stop that stands in goes", async () => {
  expect(await lookAfterFill([{ size: "1", startPosition: "1" }])).toBe(true);
});

/** The position that the exchange shows: of this order nothing but its fills is asked. */
function holds(size: string): (rig: GatewayRig) => void {
  return ({ venue }) => {
    const fills = [{ size, atMs: START_MS, tid: 7, isShown: false }];
    venue.orders.push({ oid: 7, cloid: "0x7", isBuy: true, fills } as unknown as (typeof venue.orders)[number]);
  };
}

test("while anything is held on its side, or nobody can say, it stays", async () => {
  expect(await lookAfterFill([], holds("1"))).toBe(false);
  expect(await lookAfterFill([{ size: "0.5", startPosition: "1" }], holds("0.5"))).toBe(false);
  const closed = [{ size: "1", startPosition: "1" }];
  expect(await lookAfterFill(closed, ({ venue }) => void venue.failing.add("clearinghouseState"))).toBe(false);
  // Somebody has bought again, which no fill tells yet.
  expect(await lookAfterFill(closed, holds("0.3"))).toBe(false);
});
