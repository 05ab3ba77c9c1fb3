/** Orders of which the exchange keeps no record any more: over for the reasons that prove it, and for no others. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertFills, type StoredFill, setFillCursor } from "../../src/store/fills.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, fillRow } from "../support/rows.ts";
import { answered, type BookOrder, recordOf } from "../support/small-venue.ts";

const KEPT_RECORDS = 2_000;
const STOP = { trigger: { price: "90", kind: "stop_loss", market: true }, side: "sell", price: "80" } as const;

/** An order that rests here, and of which the exchange has forgotten that it has closed. */
async function forgotten(terms: Partial<OrderTerms> = {}): Promise<{ rig: GatewayRig; id: string; order: BookOrder }> {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001", terms));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  await rig.clock.advance(60_000);
  rig.venue.orders.length = 0;
  rig.venue.history = Array.from({ length: KEPT_RECORDS }, (_, nth) =>
    recordOf({
      ...order,
      oid: 5_000 + nth,
      cloid: `0x${nth}`,
      status: "canceled",
      statusAtMs: order.placedAtMs + 30_000,
    }),
  );
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  return { rig, id: String(shown["id"]), order };
}

async function lookSometimes(rig: GatewayRig, id: string, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    await rig.clock.advance(11_000);
    await rig.deps.settling.look(id, "settle");
  }
}

function statusOf(rig: GatewayRig, id: string): unknown {
  return findOrder(rig.store, id)?.status;
}

/** An open order of the account that is newer than the first look that missed the other one. */
function goOn(rig: GatewayRig, order: BookOrder): void {
  const nowMs = rig.clock.nowMs() + 25_000;
  rig.venue.orders.push({ ...order, oid: 9_000, cloid: "0x9", statusAtMs: nowMs, placedAtMs: nowMs });
}

test("two answers that lack it and hold something newer, ten seconds apart, end it", async () => {
  const { rig, id, order } = await forgotten();
  await lookSometimes(rig, id, 3);
  expect(statusOf(rig, id)).toBe("open");
  goOn(rig, order);
  await lookSometimes(rig, id, 1);
  // One such answer: nobody is told any more that it is open.
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", error: expect.stringContaining("no record") });
  await lookSometimes(rig, id, 2);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", filledSize: "0" });
  expect(findOrder(rig.store, id)?.error).toContain("no record of it");
});

test("lists that are read within ten seconds are one answer", async () => {
  const { rig, id, order } = await forgotten();
  goOn(rig, order);
  for (let nth = 0; nth < 9; nth += 1) {
    await rig.clock.advance(1_000);
    await rig.deps.settling.look(id, "settle");
  }
  expect(statusOf(rig, id)).toBe("unknown");
});

test("of several rows of its history the newest tells how it ended", async () => {
  const { rig, id, order } = await forgotten();
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  const rowOf = (status: string, statusAtMs: number) => recordOf({ ...order, status, statusAtMs });
  rig.venue.history.unshift(rowOf("selfTradeCanceled", order.placedAtMs + 30_000), rowOf("open", order.placedAtMs));
  await lookSometimes(rig, id, 2);
  // The history alone tells it, while its list of open orders may be of before its placing.
  expect(statusOf(rig, id)).toBe("unknown");
  await rig.clock.advance(60_000);
  await lookSometimes(rig, id, 3);
  expect(findOrder(rig.store, id)).toMatchObject({
    status: "canceled",
    error: expect.not.stringContaining("no record"),
  });
});

test("a record of its placing that its history still has tells nothing of its end", async () => {
  const { rig, id, order } = await forgotten();
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.venue.history.unshift(recordOf({ ...order, status: "open", statusAtMs: order.placedAtMs }));
  goOn(rig, order);
  await lookSometimes(rig, id, 3);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("a list of another dex that holds something newer says nothing of it", async () => {
  const { rig, id, order } = await forgotten();
  const nowMs = rig.clock.nowMs() + 25_000;
  const { order: elsewhere } = recordOf({ ...order, oid: 9_000, cloid: "0x9", placedAtMs: nowMs }) as { order: object };
  const listed = [{ ...elsewhere, coin: "xyz:GOLD" }];
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "xyz" ? listed : []));
  await lookSometimes(rig, id, 4);
  expect(statusOf(rig, id)).toBe("open");
});

test("so does a short history that has lost it", async () => {
  const { rig, id, order } = await forgotten();
  rig.venue.history.length = 3;
  goOn(rig, order);
  await lookSometimes(rig, id, 4);
  expect(statusOf(rig, id)).toBe("canceled");
});

function wholeFill({ placedAtMs: timeMs, oid }: BookOrder): StoredFill {
  return fillRow({ accountId: ACCOUNT.id, timeMs, oid: String(oid), size: decimal("1") });
}

test("its fills decide how it ended", async () => {
  const { rig, id, order } = await forgotten();
  insertFills(rig.store, [wholeFill(order)], { atMs: rig.clock.nowMs(), toldFromMs: 0 });
  goOn(rig, order);
  await lookSometimes(rig, id, 4);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "filled", filledSize: "1" });
});

test("what was placed longer ago than servers are behind is unknown by the second answer, and open when it is shown again", async () => {
  const { rig, id, order } = await forgotten();
  await rig.clock.advance(200_000);
  await lookSometimes(rig, id, 1);
  expect(statusOf(rig, id)).toBe("open");
  await lookSometimes(rig, id, 1);
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.orders.push(order);
  await lookSometimes(rig, id, 1);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
});

test("what nothing has shown for longer than servers are behind is unknown, and open when it is shown again", async () => {
  const { rig, id, order } = await forgotten();
  await lookSometimes(rig, id, 9);
  expect(statusOf(rig, id)).toBe("open");
  await lookSometimes(rig, id, 6);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", error: expect.stringContaining("no record") });
  rig.venue.orders.push(order);
  await lookSometimes(rig, id, 1);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
});

test("a list that holds an order from after its placing counts, though that is older than the first look that missed it", async () => {
  const { rig, id, order } = await forgotten();
  const nowMs = rig.clock.nowMs() - 30_000;
  rig.venue.orders.push({ ...order, oid: 9_000, cloid: "0x9", statusAtMs: nowMs, placedAtMs: nowMs });
  await lookSometimes(rig, id, 3);
  expect(statusOf(rig, id)).toBe("canceled");
});

const UNPROVEN: [string, (rig: GatewayRig, order: BookOrder) => void][] = [
  ["it is listed as open", ({ venue }, order) => void Object.assign(venue, { orders: [order], isBlind: true })],
  ["no open order is newer", ({ venue }) => void venue.orders.pop()],
  [
    "only its history goes on: its list of open orders may be behind",
    ({ venue, clock }, order) => {
      venue.orders.pop();
      const nowMs = clock.nowMs() + 25_000;
      venue.history.unshift(recordOf({ ...order, oid: 9_000, cloid: "0x9", statusAtMs: nowMs, placedAtMs: nowMs }));
    },
  ],
  ["the open orders cannot be read", ({ venue }) => void venue.failing.add("frontendOpenOrders")],
];

test.each(UNPROVEN)("nothing is concluded while %s", async (_name, arrange) => {
  const { rig, id, order } = await forgotten();
  goOn(rig, order);
  arrange(rig, order);
  await lookSometimes(rig, id, 8);
  expect(statusOf(rig, id)).toBe("open");
});

const SIZES: [string, string | null, (rig: GatewayRig) => void][] = [
  ["fills are read up to then", "0", () => undefined],
  ["they are not, and the position stands where it did", "0", notRead],
  [
    "they are not, and the position has moved",
    null,
    (rig) => {
      notRead(rig);
      const positions = [{ position: { coin: "BTC", szi: "1.0", leverage: { type: "cross", value: 1 } } }];
      const { clearinghouseState } = rig.venue.infos;
      rig.exchange.answer("clearinghouseState", (request) => ({
        ...(clearinghouseState?.(request) as object),
        assetPositions: positions,
      }));
    },
  ],
  [
    "they are not, and the position stands where it did by a server that is behind the end",
    null,
    (rig) => {
      notRead(rig);
      const { clearinghouseState } = rig.venue.infos;
      const time = rig.clock.nowMs();
      rig.exchange.answer("clearinghouseState", (request) => ({ ...(clearinghouseState?.(request) as object), time }));
    },
  ],
  [
    "they are not, and the position cannot be read",
    null,
    (rig) => {
      notRead(rig);
      rig.venue.failing.add("clearinghouseState");
    },
  ],
  [
    "they are not, whatever a live feed says of now",
    null,
    (rig) => {
      notRead(rig);
      rig.deps.feeds.isLive = () => true;
      rig.venue.failing.add("clearinghouseState");
    },
  ],
];

test("fills that are known up to the first miss alone are not all: it may have been filled after that, and before its end", async () => {
  const { rig, id, order } = await forgotten();
  rig.venue.failing.add("clearinghouseState");
  await lookSometimes(rig, id, 1);
  // Of a moment at which it was missed, and lived.
  setFillCursor(rig.store, ACCOUNT.id, rig.clock.nowMs() + 1_000);
  await rig.clock.advance(60_000);
  goOn(rig, order);
  await lookSometimes(rig, id, 4);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: null });
  insertFills(rig.store, [{ ...wholeFill(order), size: decimal("0.4") }], { atMs: rig.clock.nowMs(), toldFromMs: 0 });
  setFillCursor(rig.store, ACCOUNT.id, rig.clock.nowMs());
  await lookSometimes(rig, id, 1);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", filledSize: "0.4" });
});

test("fills that are known up to its end by our own clock alone are not all: that may be wrong by seconds", async () => {
  const { rig, id, order } = await forgotten();
  rig.venue.failing.add("clearinghouseState");
  goOn(rig, order);
  await lookSometimes(rig, id, 1);
  const overMs = rig.clock.nowMs();
  setFillCursor(rig.store, ACCOUNT.id, overMs + 9_999);
  await lookSometimes(rig, id, 3);
  expect(statusOf(rig, id)).toBe("unknown");
  setFillCursor(rig.store, ACCOUNT.id, overMs + 10_000);
  await lookSometimes(rig, id, 1);
  expect(statusOf(rig, id)).toBe("canceled");
});

test("a position that moves between two readings which show it as it was proves no size", async () => {
  const { rig, id, order } = await forgotten();
  notRead(rig);
  goOn(rig, order);
  const { clearinghouseState } = rig.venue.infos;
  let readings = 0;
  rig.exchange.answer("clearinghouseState", (request) => {
    readings += 1;
    const moved = [{ position: { coin: "BTC", szi: "1.0", leverage: { type: "cross", value: 1 } } }];
    return { ...(clearinghouseState?.(request) as object), ...(readings % 2 === 0 ? { assetPositions: moved } : {}) };
  });
  await lookSometimes(rig, id, 10);
  expect([statusOf(rig, id), readings > 4]).toEqual(["unknown", true]);
});

function notRead({ store }: GatewayRig): void {
  setFillCursor(store, ACCOUNT.id, START_MS);
}

test.each(SIZES)("it is over, and its size final or open, when %s", async (_name, filledSize, arrange) => {
  const { rig, id, order } = await forgotten();
  goOn(rig, order);
  arrange(rig);
  await lookSometimes(rig, id, 8);
  const status = filledSize === null ? "unknown" : "canceled";
  expect(findOrder(rig.store, id)).toMatchObject({ status, filledSize });
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  await lookSometimes(rig, id, 1);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("a fill that is shown and not kept yet is part of its size", async () => {
  const { rig, id, order } = await forgotten();
  notRead(rig);
  // What is looked for since then has fills read from then on.
  insertAttempt(rig.store, attemptRow({ state: "ambiguous", nonce: START_MS - 1, cloid: null }));
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.exchange.answer("historicalOrders", () => rig.venue.history);
  goOn(rig, { ...order, fills: [] });
  rig.venue.orders.push(order);
  rig.venue.fill(order, "0.4");
  rig.venue.close(order, "canceled");
  await lookSometimes(rig, id, 8);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: null });
  insertFills(rig.store, [{ ...wholeFill(order), size: decimal("0.4") }], { atMs: rig.clock.nowMs(), toldFromMs: 0 });
  await lookSometimes(rig, id, 3);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", filledSize: "0.4" });
});

test("an order that is not known to have rested is not over because no list holds it", async () => {
  const { rig, id, order } = await forgotten();
  goOn(rig, order);
  rig.store.$client.run(`update orders set leg_state = 'lost' where id = '${id}'`);
  rig.store.$client.run(`update orders set status = 'unknown' where id = '${id}'`);
  await lookSometimes(rig, id, 8);
  expect(statusOf(rig, id)).toBe("unknown");
});

test("a client's read costs no sweep, and readings within ten seconds are one", async () => {
  const { rig, id } = await forgotten();
  for (let nth = 0; nth < 8; nth += 1) {
    await rig.clock.advance(1_100);
    await rig.deps.settling.look(id, "read");
  }
  expect(rig.exchange.asked.filter(({ request }) => request.type === "historicalOrders")).toEqual([]);
  for (let nth = 0; nth < 8; nth += 1) {
    await rig.clock.advance(1_100);
    await rig.deps.settling.look(id, "settle");
  }
  expect(statusOf(rig, id)).toBe("open");
});

test("the cancel of such an order ends", async () => {
  const { rig, id, order } = await forgotten();
  const asked = rig.cancel("key-0002", id);
  expect(await rig.answerOf(asked)).toMatchObject({ httpStatus: 202 });
  goOn(rig, order);
  await rig.clock.advance(120_000);
  expect(await rig.answerOf(rig.cancel("key-0002", id))).toMatchObject({
    httpStatus: 200,
    order: { status: "canceled" },
  });
});

test("the cancel of one that is listed as open goes on, though its record is missing and cancels find nothing", async () => {
  const { rig, id, order } = await forgotten();
  rig.venue.orders.push(order);
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.deliveries.push(...Array.from({ length: 40 }, () => findsNothing));
  await rig.answerOf(rig.cancel("key-0002", id));
  await rig.clock.advance(60_000);
  expect(statusOf(rig, id)).toBe("open");
  rig.deliveries.length = 0;
  await rig.clock.advance(120_000);
  expect(await rig.answerOf(rig.cancel("key-0002", id))).toMatchObject({ order: { status: "canceled" } });
  expect(order.status).toBe("canceled");
});

/** As of an order in a market that has moved in the list. */
function findsNothing(body: string): SendOutcome {
  const error = `Order was never placed, already canceled, or filled. asset=${JSON.parse(body).action.cancels[0].a}`;
  return answered({ status: "ok", response: { type: "cancel", data: { statuses: [{ error }] } } });
}

test.each<[string, Partial<OrderTerms>, boolean, string]>([
  ["an order is over", {}, false, "canceled"],
  ["a trigger is over", STOP, false, "canceled"],
  ["a trigger is not where an order stands that it may have placed,", STOP, true, "unknown"],
])("where nothing newer can be had %s by cancels that find nothing", async (_name, terms, isPerhapsFired, status) => {
  const { rig, id, order } = await forgotten(terms);
  if (isPerhapsFired) rig.venue.orders.push({ ...order, oid: 77, cloid: `0x${"77".repeat(16)}`, isTrigger: false });
  rig.deliveries.push(...Array.from({ length: 60 }, () => findsNothing));
  await rig.answerOf(rig.cancel("key-0002", id));
  await rig.clock.advance(420_000);
  expect(statusOf(rig, id)).toBe(status);
});

test.each<[string, boolean, string]>([
  ["nothing says how it ended", false, "canceled, or refused when it fired"],
  ["a cancel of ours was answered with success", true, "keeps no record of it."],
])("of a trigger that waited is told what is not known: %s", async (_name, isCanceled, words) => {
  const { rig, id, order } = await forgotten({ ...STOP });
  if (isCanceled) {
    insertAttempt(
      rig.store,
      attemptRow({
        kind: "cancel",
        nonce: 9,
        state: "done",
        hasLanded: true,
        cloid: null,
        targetOid: String(order.oid),
        resource: { kind: "order", id },
        action: JSON.stringify({ type: "cancel", cancels: [{ a: 0, o: order.oid }] }),
      }),
    );
  }
  goOn(rig, order);
  await lookSometimes(rig, id, 4);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", error: expect.stringContaining(words) });
});
