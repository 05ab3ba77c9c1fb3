/** What protects a position is gone by the list of a feed, while the channel of its end is silent. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrontendOpenOrders } from "../../src/wire/answer/open-orders.ts";
import type { FrontendOrder } from "../../src/wire/answer/order-status.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";
import { openStage, USER } from "./feed-stage.ts";

function listOf(orders: readonly BookOrder[]): FrontendOrder[] {
  const rows = orders.map((order) => (recordOf(order) as { order: unknown }).order);
  return parseFrontendOpenOrders(rows) ?? [];
}

/** Its status three seconds after a list of the feed has lacked it, for the first time. */
async function unlisted(isEnded: boolean): Promise<string | undefined> {
  const { rig, follower, voice, place } = await openStage();
  const { id, order } = await place();
  const tell = (orders: readonly BookOrder[]) => {
    const event = { kind: "account_part", shown: { part: "open", dex: "", value: listOf(orders) } } as const;
    rig.deps.picture.hear(USER, event);
    follower.onEvent(USER, event);
  };
  tell([order]);
  voice.orders = false;
  if (isEnded) rig.venue.close(order, "marginCanceled");
  tell([]);
  await rig.clock.advance(3_000);
  return findOrder(rig.store, id)?.status;
}

test.each([
  ["one that has ended", true, "canceled"],
  ["one that lives, by a list that is behind", false, "open"],
] as const)("a list of the feed lacks %s", async (_name, isEnded, status) => {
  expect(await unlisted(isEnded)).toBe(status);
});
