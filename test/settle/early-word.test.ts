/** What the stream tells of an order before its answer comes is all that it will tell. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { DELIVERY, delayed } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";
import { openStage, USER } from "./feed-stage.ts";

/** An order whose answer is lost after five seconds, while everything that is read is behind; the stream has told those words of it. */
async function lostAfter(words: readonly string[]): Promise<string | undefined> {
  const { rig, follower } = await openStage();
  rig.deliveries.push(
    delayed(5, 5_000, DELIVERY.answerLost),
    ...Array.from({ length: 50 }, () => DELIVERY.neverArrived),
  );
  rig.venue.isBlind = true;
  for (const type of ["frontendOpenOrders", "historicalOrders", "userFillsByTime"]) rig.exchange.answer(type, () => []);
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(100);
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  for (const status of words) {
    // A record as the small venue writes it.
    const data = [{ ...(recordOf(order) as object), status }];
    const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data }));
    if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
    follower.onEvent(USER, { kind: "order_updates", updates: frame.updates });
    await rig.clock.advance(500);
  }
  const { id } = rig.store.$client.query("SELECT id FROM orders").get() as { id: string };
  await rig.clock.advance(1_500);
  expect(findOrder(rig.store, id)?.status).toBe("processing");
  await rig.clock.advance(5_000);
  return findOrder(rig.store, id)?.status;
}

test.each<[string, readonly string[], string]>([
  ["that it rests", ["open"], "open"],
  ["nothing", [], "unknown"],
  ["that it rests, and then that it was canceled", ["open", "canceled"], "unknown"],
])("an order whose answer is lost after the stream has told %s", async (_name, words, status) => {
  expect(await lostAfter(words)).toBe(status);
});
