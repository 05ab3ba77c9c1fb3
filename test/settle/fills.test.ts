/** Fills that the exchange shows later than the status: short for good is only said on evidence, and sizes catch up. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { gatherFillEvidence } from "../../src/settle/fill-evidence.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import type { VenueOrder } from "../support/small-venue.ts";

async function placed(rig: GatewayRig, some = {}): Promise<{ id: string; order: VenueOrder }> {
  const answer = await rig.answerOf(rig.place("key-0001", some));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { id: String(answer.order["id"]), order };
}

function shownOf({ store }: GatewayRig, id: string): unknown {
  const order = findOrder(store, id);
  return [order?.status, order?.filledSize, order?.averagePrice];
}

test("an order that closed as filled before its fills are shown is filled at once, and its size catches up", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "0.4");
  rig.venue.fill(order, "0.6");
  const late = order.fills[1];
  if (late !== undefined) late.isShown = false;
  rig.venue.close(order, "filled");
  await rig.clock.advance(1_000);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["filled", "0.4", "100"]);
  await rig.clock.advance(10_000);
  expect(shownOf(rig, id)).toEqual(["filled", "0.4", "100"]);
  if (late !== undefined) late.isShown = true;
  await rig.clock.advance(20_000);
  expect(shownOf(rig, id)).toEqual(["filled", "1", "100"]);
  expect(rig.log.filter(({ level }) => level === "error")).toEqual([]);
  const asked = rig.exchange.asked.length;
  await rig.clock.advance(120_000);
  expect(rig.exchange.asked).toHaveLength(asked);
});

test("a size that does not catch up within a minute is an alarm, once", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.close(order, "filled");
  await rig.clock.advance(1_000);
  await rig.deps.settling.look(id);
  await rig.clock.advance(59_000);
  expect(rig.log.filter(({ level }) => level === "error")).toEqual([]);
  await rig.clock.advance(120_000);
  expect(rig.log.filter(({ level }) => level === "error").map(({ fields }) => fields)).toEqual([
    { order_id: id, filled: "0", size: "1" },
  ]);
  expect(shownOf(rig, id)).toEqual(["filled", "0", null]);
});

test("a start takes up sizes that had not caught up", async () => {
  const first = openGatewayRig();
  const { id, order } = await placed(first);
  first.venue.fill(order, "1.0");
  const [fill] = order.fills;
  if (fill !== undefined) fill.isShown = false;
  first.venue.close(order, "filled");
  await first.clock.advance(1_000);
  await first.deps.settling.look(id);
  const second = await first.restart();
  if (fill !== undefined) fill.isShown = true;
  await second.settler.takeUp();
  await second.clock.advance(2_000);
  expect(shownOf(second, id)).toEqual(["filled", "1", "100"]);
});

test("an ioc whose answer was lost keeps its status until two equal readings, the first three seconds after its close", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "0.25", status: "filled" });
  rig.deliveries.push(DELIVERY.answerLost);
  const asked = rig.place("key-0001", { timeInForce: "ioc" });
  await rig.clock.advance(4_900);
  const id = String(rig.venue.orders[0]?.cloid)
    .slice(2)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: "0.25" });
  const answer = await rig.answerOf(asked);
  const settled = answer.httpStatus === 201 ? answer : await later(rig);
  expect(settled.order).toMatchObject({ status: "canceled", filled_size: "0.25" });
});

async function later(rig: GatewayRig): ReturnType<GatewayRig["answerOf"]> {
  await rig.clock.advance(10_000);
  return rig.answerOf(rig.place("key-0001", { timeInForce: "ioc" }));
}

test("only fills read from a node that shows the close are evidence that an order is short", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig, { timeInForce: "ioc" });
  rig.venue.fill(order, "1.0");
  rig.venue.close(order, "filled");
  const { info } = rig.exchange;
  // Every read that is not made in turn with the status meets a node that has not seen the fill.
  rig.exchange.info = async (request, options) =>
    request.type === "userFillsByTime" ? { kind: "ok", json: [] } : info(request, options);
  for (let look = 0; look < 4; look += 1) {
    await rig.clock.advance(3_500);
    await rig.deps.settling.look(id);
  }
  expect(shownOf(rig, id)).toEqual(["filled", "1", "100"]);
});

test("a fill that is shown between two readings starts the evidence anew", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig, { timeInForce: "ioc" });
  rig.venue.fill(order, "0.25");
  rig.venue.fill(order, "0.75");
  const late = order.fills[1];
  if (late !== undefined) late.isShown = false;
  rig.venue.close(order, "filled");
  await rig.clock.advance(3_500);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["open", "0.25", "100"]);
  if (late !== undefined) late.isShown = true;
  await rig.clock.advance(1_000);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["filled", "1", "100"]);
});

type Reading = [atMs: number, sum: string, isComplete: boolean];

const READINGS: [string, Reading[]][] = [
  [
    "two seconds apart and three after the close",
    [
      [3_000, "1", false],
      [5_000, "1", true],
    ],
  ],
  [
    "less than two seconds apart",
    [
      [3_000, "1", false],
      [4_999, "1", false],
    ],
  ],
  [
    "the first too soon after the close",
    [
      [2_999, "1", false],
      [4_998, "1", false],
      [6_998, "1", true],
    ],
  ],
  [
    "not equal",
    [
      [3_000, "1", false],
      [5_000, "2", false],
      [6_999, "2", false],
      [7_000, "2", true],
    ],
  ],
  [
    "back to an older sum",
    [
      [3_000, "1", false],
      [5_000, "2", false],
      [7_000, "1", false],
      [9_000, "1", true],
    ],
  ],
];

test.each(READINGS)("readings that are %s", (_name, readings) => {
  const evidence = gatherFillEvidence(() => undefined);
  for (const [exchangeNowMs, sum, isComplete] of readings) {
    const reading = { cloid: "0x1", sum: decimal(sum), closedAtMs: 0, exchangeNowMs };
    expect(evidence.isComplete(reading)).toBe(isComplete);
  }
});

test("readings of one order say nothing of another, and forgotten ones count for nothing", () => {
  const evidence = gatherFillEvidence(() => undefined);
  const read = (cloid: string, exchangeNowMs: number) =>
    evidence.isComplete({ cloid, sum: decimal("1"), closedAtMs: 0, exchangeNowMs });
  expect(read("0x1", 3_000)).toBe(false);
  expect(read("0x2", 5_000)).toBe(false);
  evidence.forget("0x1");
  expect(read("0x1", 6_000)).toBe(false);
  expect(read("0x2", 7_000)).toBe(true);
});
