/** What carries the native id of an order in another market, or on the other side, is no fill of it. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { parseFills } from "../../src/wire/answer/fills.ts";
import { type BookOrder, fillsOf } from "../support/small-venue.ts";
import { openStage, read, type Stage, USER } from "./feed-stage.ts";

/** The feed and the list of fills show one of 0.4 of the order's own, and one of 0.3 with those members. */
function show({ rig, follower }: Stage, order: BookOrder, other: object): void {
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

test.each<[string, object, string | null]>([
  ["in another market is an alarm", { coin: "ETH" }, "a fill in ETH on the buy side"],
  ["on the other side is one", { side: "A" }, "a fill in BTC on the sell side"],
  ["of its own is none", {}, null],
])("a fill of what was filled at once, by its answer, %s", async (_name, other, words) => {
  const { rig, follower } = await openStage();
  rig.venue.fates.push({ kind: "fills", size: "1.0", status: "filled" });
  const { order: told } = await rig.answerOf(rig.place("key-0001"));
  expect(told["status"]).toBe("filled");
  const [order] = rig.venue.orders;
  const fills = parseFills(
    order === undefined ? null : fillsOf(order).map((row) => ({ ...(row as object), ...other })),
  );
  if (fills === null) throw new Error("the test's own fills cannot be read");
  follower.onEvent(USER, { kind: "fills", fills, isSnapshot: false });
  const { status, error } = findOrder(rig.store, String(told["id"])) ?? {};
  expect([status, error?.startsWith("ALARM") ?? false]).toEqual(["filled", words !== null]);
  if (words !== null) expect(error).toContain(words);
});

test("of both sides of one trade, in an answer that holds another account's too, an order's own is kept (seed 1582640)", async () => {
  const stage = await openStage();
  const { id, order } = await stage.place();
  const { rig, follower } = stage;
  const [own] = fillsOf({ ...order, fills: [{ size: "0.4", atMs: rig.clock.nowMs(), tid: 50, isShown: true }] });
  const fills = parseFills([{ ...own, oid: 77_777, side: "A", cloid: null }, own]);
  if (fills === null) throw new Error("the test's own fills cannot be read");
  follower.onEvent(USER, { kind: "fills", fills, isSnapshot: false });
  await rig.clock.advance(100);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", filledSize: "0.4", averagePrice: "100" });
});
