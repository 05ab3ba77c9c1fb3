/** A record that shows an order open after another one has said that it is over, or that nothing is left of it: it may be of before that. */
import { expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

type Shown = { status: string; sz?: string };

/** An order that rests, its records one after the other, and the list of open orders, which holds it or not. */
async function statusesAfter(
  records: readonly Shown[],
  isListed: boolean,
  told: readonly FeedEvent[] = [],
): Promise<unknown[]> {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const id = String(order["id"]);
  await rig.clock.advance(2_000);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  const record = recordOf(placed) as { order: object; statusTimestamp: number };
  for (const event of [updateOf(record), ...told]) if (told.length > 0) rig.deps.picture.hear(USER, event);
  if (!isListed) rig.exchange.answer("frontendOpenOrders", () => []);
  const statuses: unknown[] = [];
  for (const { status, ...left } of records) {
    rig.exchange.answer("orderStatus", () => ({
      status: "order",
      order: { ...record, status, order: { ...record.order, ...left } },
    }));
    await rig.deps.settling.look(id);
    statuses.push(findOrder(rig.store, id)?.status);
    await rig.clock.advance(2_000);
  }
  return statuses;
}

const OPEN: Shown = { status: "open" };
const USER = ACCOUNT.tradingAddress;

/** That it rests, as its feed tells it. */
function updateOf(record: object): FeedEvent {
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: [record] }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  return { kind: "order_updates", updates: frame.updates };
}

test.each<[string, FeedEvent, string]>([
  ["says so while it goes on telling", { kind: "connected" }, "open"],
  ["says nothing once its connection has ended", { kind: "disconnected", reason: "gone" }, "unknown"],
  ["says nothing once something of it could not be read", { kind: "gap", reason: "cut" }, "unknown"],
])("that its feed had told it open %s", async (_what, since, status) => {
  const over = { status: "canceled" };
  expect((await statusesAfter([OPEN, over, OPEN], false, [since])).at(-1)).toBe(status);
});

test.each<[string, Shown]>([
  ["filled", { status: "filled", sz: "0.0" }],
  ["canceled", { status: "canceled" }],
  ["in a word that is new, with nothing left", { status: "retired", sz: "0.0" }],
])("a record that says it is %s is not outdone by one that shows it open", async (_what, over) => {
  expect(await statusesAfter([OPEN, over, OPEN], false)).toEqual(["open", "unknown", "unknown"]);
});

test("a list that holds it says that it is open", async () => {
  const over = { status: "canceled" };
  expect((await statusesAfter([OPEN, over, OPEN], true)).at(-1)).toBe("open");
});

test("one that nothing has said to be over is open by its record alone", async () => {
  expect(await statusesAfter([OPEN, OPEN], false)).toEqual(["open", "open"]);
});

test.each<[string, Shown, unknown]>([
  ["it was filled, and a list lacks it", { status: "filled", sz: "0.0" }, []],
  ["nothing is left, in a word that is new, and no list can be read", { status: "retired", sz: "0.0" }, "no list"],
])("nor where the answer to its placing was lost: %s", async (_what, over, list) => {
  const rig = openGatewayRig();
  let shown: Shown = over;
  rig.exchange.answer("orderStatus", () => {
    const [placed] = rig.venue.orders;
    if (placed === undefined) return { status: "unknownOid" };
    const record = recordOf(placed) as { order: object };
    const { status, ...left } = shown;
    return { status: "order", order: { ...record, status, order: { ...record.order, ...left } } };
  });
  rig.exchange.answer("frontendOpenOrders", () => (shown === over ? list : []));
  rig.deliveries.push(DELIVERY.answerLost, ...Array.from({ length: 50 }, () => DELIVERY.neverArrived));
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const id = String(order["id"]);
  expect(order["status"]).toBe("unknown");
  shown = OPEN;
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.deps.settling.look(id);
    await rig.clock.advance(2_000);
  }
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
});
