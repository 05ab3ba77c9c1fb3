/** What the exchange shows under an id of ours is held against what was asked, and a difference is told and believed in nothing. */
import { expect, test } from "bun:test";
import type { OrderTerms } from "../../src/core/order.ts";
import { raiseAlarm } from "../../src/settle/look/apply-sight.ts";
import { findLegByCloid, insertLeg } from "../../src/store/legs.ts";
import { listNotes } from "../../src/store/notes.ts";
import { findOrder, insertOrder } from "../../src/store/orders.ts";
import { type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { legRow, orderRow } from "../support/rows.ts";
import { recordOf } from "../support/small-venue.ts";

/** An order that rests, and a record of it that shows something else. */
async function openStage(terms: Partial<OrderTerms>, shown: object) {
  const rig = openGatewayRig();
  const doubts: unknown[] = [];
  Object.assign(rig.deps.markets, { doubt: (...doubt: unknown[]) => doubts.push(doubt) });
  const { order: told } = await rig.answerOf(rig.place("key-0001", terms));
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: recordWith(rig, shown) }));
  await rig.clock.advance(2_000);
  return { rig, id: String(told["id"]), status: told["status"], doubts };
}

function recordWith({ venue }: GatewayRig, shown: object): unknown {
  const [order] = venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  // The record is this venue's own.
  const record = recordOf({ ...order, status: "canceled", statusAtMs: order.statusAtMs + 1_000 }) as { order: object };
  return { ...record, order: { ...record.order, ...shown } };
}

const PLAIN = {};
const STOP = { trigger: { price: "90", kind: "stop_loss", market: true }, side: "sell", price: "80" } as const;
const TAKE_PROFIT = { ...STOP, trigger: { ...STOP.trigger, kind: "take_profit" } } as const;

const DIFFERENCES: [string, Partial<OrderTerms>, object, string][] = [
  ["another market", PLAIN, { coin: "ETH" }, "the market ETH instead of BTC"],
  ["the other side", PLAIN, { side: "A" }, "a sell instead of a buy"],
  ["a larger size", PLAIN, { origSz: "5.0" }, "5 instead of 1"],
  ["a smaller size", PLAIN, { origSz: "0.5" }, "0.5 instead of 1"],
  ["a larger size of a reduce-only order", { reduceOnly: true }, { origSz: "5.0" }, "5 instead of 1"],
  ["another price", PLAIN, { limitPx: "101.0" }, "the price 101 instead of 100"],
  ["a trigger where none was asked", PLAIN, { orderType: "Stop Market" }, "Stop Market instead of an order without"],
  ["a take-profit for a stop", STOP, { orderType: "Take Profit Market" }, "Take Profit Market instead of a stop"],
  ["a stop for a take-profit", TAKE_PROFIT, { orderType: "Stop Market" }, "Stop Market instead of a take-profit"],
  ["another native id", PLAIN, { oid: 4 }, "the order 4 instead of"],
];

test.each(DIFFERENCES)("%s is an alarm in the order's error, and a doubt about its market", async (_name, ...about) => {
  const [terms, shown, words] = about;
  const { rig, id, status, doubts } = await openStage(terms, shown);
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.deps.settling.look(id);
    await rig.clock.advance(2_000);
  }
  const order = findOrder(rig.store, id);
  // What stands in another market is not what was asked for: whether that is open nobody knows.
  expect<unknown>([order?.status, order?.filledSize]).toEqual("coin" in shown ? ["unknown", null] : [status, "0"]);
  expect(order?.error).toStartWith("ALARM");
  expect(order?.error).toContain(words);
  // Once, however often it is seen.
  expect(doubts).toEqual([["BTC", { because: expect.stringContaining(words), isCertain: "coin" in shown }]]);
  expect(listNotes(rig.store, id).filter(({ what }) => what === "difference")).toHaveLength(1);
});

test("an alarm about an order that was canceled for a reason is raised once", () => {
  const rig = openGatewayRig();
  insertOrder(rig.store, orderRow({ status: "canceled" }));
  insertLeg(rig.store, legRow({ state: "canceled", reason: "a trade with itself" }));
  const { cloid, orderId } = legRow();
  for (let nth = 0; nth < 3; nth += 1) {
    const leg = findLegByCloid(rig.store, cloid);
    if (leg === null) throw new Error("no leg");
    const words = "the order 4 instead of 3";
    raiseAlarm(rig.deps, leg, { words, isOtherMarket: false, mayBeOurs: false, oid: "7" });
  }
  expect(listNotes(rig.store, orderId).filter(({ what }) => what === "difference")).toHaveLength(1);
  const error = findOrder(rig.store, orderId)?.error ?? "";
  expect(error).toStartWith("a trade with itself; ALARM: ");
  expect(error.split("ALARM")).toHaveLength(2);
});

const SAME: [string, Partial<OrderTerms>, object][] = [
  ["as it was asked for", PLAIN, {}],
  ["by another spelling of its figures", PLAIN, { origSz: "1.000", limitPx: "100.00" }],
  ["cut to its position, reduce-only", { reduceOnly: true }, { origSz: "0.5" }],
  ["as the plain order that a trigger became", STOP, { orderType: "Market", limitPx: "81.0" }],
  ["as a market trigger at the exchange's own price", STOP, { limitPx: "79.0" }],
];

test.each(SAME)("an order that is shown %s is believed", async (_name, terms, shown) => {
  const { rig, id, doubts } = await openStage(terms, shown);
  const [order] = rig.venue.orders;
  if (order !== undefined) rig.venue.close(order, "canceled");
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.deps.settling.look(id);
    await rig.clock.advance(2_000);
  }
  expect([findOrder(rig.store, id)?.status, doubts]).toEqual(["canceled", []]);
});
