/** What carries the native id of an order in another market, or on the other side, is no fill of it. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { parseFills } from "../../src/wire/answer/fills.ts";
import { fillsOf, type VenueOrder } from "../support/small-venue.ts";
import { openStage, read, type Stage, USER } from "./feed-stage.ts";

/** The feed and the list of fills show one of 0.4 of the order's own, and one of 0.3 with those members. */
function show({ rig, follower }: Stage, order: VenueOrder, other: object): void {
  const nowMs = rig.clock.nowMs();
  const [own, another] = [0.4, 0.3].flatMap((size, nth) =>
    fillsOf({ ...order, fills: [{ size: String(size), atMs: nowMs, tid: 50 + nth, isShown: true }] }),
  ) as [object, object];
  const rows = [own, { ...another, ...other }];
  rig.exchange.answer("userFillsByTime", () => rows);
  const fills = parseFills(rows);
  if (fills === null) throw new Error("the test's own fills cannot be read");
  follower.onEvent(USER, { kind: "fills", fills, isSnapshot: false });
}

const OTHERS: [string, object][] = [
  ["in another market", { coin: "ETH" }],
  ["on the other side", { side: "A" }],
];

test.each(OTHERS)("an order that is open is not told as filled by one %s", async (_name, other) => {
  const stage = await openStage();
  const { id, order } = await stage.place();
  show(stage, order, other);
  await stage.rig.clock.advance(1_000);
  expect((await read(stage, id)).order).toMatchObject({ status: "open", filled_size: "0.4" });
  Object.assign(stage.voice, { fills: false, orders: false });
  stage.garble();
  await stage.rig.clock.advance(60_000);
  expect((await read(stage, id)).order).toMatchObject({ status: "open", filled_size: "0.4" });
});

test.each(OTHERS)("nor is one that was canceled, by one %s", async (_name, other) => {
  const stage = await openStage();
  const { id, order } = await stage.place();
  show(stage, order, other);
  Object.assign(order, { status: "canceled", statusAtMs: stage.rig.clock.nowMs() });
  for (let nth = 0; nth < 12; nth += 1) {
    await stage.rig.clock.advance(10_000);
    await stage.rig.deps.settling.look(id);
  }
  expect(String(findOrder(stage.rig.store, id)?.filledSize)).toBe("0.4");
});
