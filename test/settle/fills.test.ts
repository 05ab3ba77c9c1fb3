/** Fills that the exchange shows later than the status: short for good is only said on evidence, and sizes catch up. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import { gatherFillEvidence } from "../../src/settle/evidence/fill-evidence.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";

async function placed(rig: GatewayRig, some = {}): Promise<{ id: string; order: BookOrder }> {
  const answer = await rig.answerOf(rig.place("key-0001", some));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { id: String(answer.order["id"]), order };
}

function shownOf({ store }: GatewayRig, id: string): unknown {
  const order = findOrder(store, id);
  return [order?.status, order?.filledSize, order?.averagePrice];
}

test("an order that closed as filled is told so when its fills are shown", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "0.4");
  rig.venue.fill(order, "0.6");
  const late = order.fills[1];
  if (late !== undefined) late.isShown = false;
  rig.venue.close(order, "filled");
  await rig.clock.advance(1_000);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["unknown", "0.4", "100"]);
  await rig.clock.advance(10_000);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["unknown", "0.4", "100"]);
  if (late !== undefined) late.isShown = true;
  await rig.clock.advance(20_000);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["filled", "1", "100"]);
  expect(rig.log.filter(({ level }) => level === "error")).toEqual([]);
});

test("an order that its record calls filled is unknown until its fills are shown, however long that takes", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "1");
  const [fill] = order.fills;
  if (fill !== undefined) fill.isShown = false;
  rig.venue.close(order, "filled");
  for (const waitMs of [1_000, 60_000, 60_000, 3_600_000]) {
    await rig.clock.advance(waitMs);
    await rig.deps.settling.look(id);
    expect(shownOf(rig, id)).toEqual(["unknown", null, null]);
  }
  const second = await rig.restart();
  await second.deps.settling.look(id);
  expect(shownOf(second, id)).toEqual(["unknown", null, null]);
  if (fill !== undefined) fill.isShown = true;
  await second.clock.advance(1_000);
  await second.deps.settling.look(id);
  expect(shownOf(second, id)).toEqual(["filled", "1", "100"]);
});

test("an ioc whose answer was lost is short when two looks find the position where its fills left it", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "0.25", status: "filled" });
  rig.deliveries.push(DELIVERY.answerLost);
  const { httpStatus, order } = await rig.answerOf(rig.place("key-0001", { timeInForce: "ioc" }));
  expect([httpStatus, order["status"], order["filled_size"]]).toEqual([201, "canceled", "0.25"]);
});

test("an ioc whose fills are late is never told as empty", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "1.0", status: "filled" });
  rig.deliveries.push(DELIVERY.answerLost);
  const { userFillsByTime } = rig.venue.infos;
  rig.exchange.answer("userFillsByTime", () => []);
  const { httpStatus } = await rig.answerOf(rig.place("key-0001", { timeInForce: "ioc" }));
  expect(httpStatus).toBe(202);
  await rig.clock.advance(4_000);
  rig.exchange.answer("userFillsByTime", (request) => userFillsByTime?.(request));
  await rig.clock.advance(12_000);
  const again = await rig.answerOf(rig.place("key-0001", { timeInForce: "ioc" }));
  expect([again.httpStatus, again.order["status"], again.order["filled_size"]]).toEqual([201, "filled", "1"]);
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
  expect(shownOf(rig, id)).toEqual(["unknown", "0.25", "100"]);
  if (late !== undefined) late.isShown = true;
  await rig.clock.advance(1_000);
  await rig.deps.settling.look(id);
  expect(shownOf(rig, id)).toEqual(["filled", "1", "100"]);
});

test("readings of one order say nothing of another, and what they proved stays proven", () => {
  const evidence = gatherFillEvidence();
  const read = (cloid: string, elapsedMs: number) =>
    evidence.judge(cloid, {
      agreement: "untouched",
      filled: decimal("0"),
      elapsedMs,
      sinceCloseMs: 0,
      isWitnessed: false,
      position: "unmoved",
    });
  expect(read("0x1", 3_000)).toBe("open");
  expect(read("0x2", 5_000)).toBe("open");
  expect(read("0x1", 3_500)).toBe("open");
  expect(read("0x2", 5_500)).toBe("open");
  expect(read("0x2", 7_000)).toBe("final");
  expect(read("0x2", 7_500)).toBe("final");
});

/** Each: what a canceled order's record says is left of 1, what was filled, how late that is shown, what is told. */
const CLOSES: [string, { rest: string; filled: string; shownAfterMs: number; positionLags: boolean }][] = [
  ["its fills are 200 ms late", { rest: "0.6", filled: "0.4", shownAfterMs: 200, positionLags: true }],
  ["its fills are 12 s late", { rest: "0.6", filled: "0.4", shownAfterMs: 12_000, positionLags: true }],
  ["its record says that nothing was filled", { rest: "1", filled: "0.4", shownAfterMs: 900, positionLags: true }],
  ["only its position shows the fill", { rest: "1", filled: "0.4", shownAfterMs: 900, positionLags: false }],
];

test.each(CLOSES)("a cancel is told with all that was filled, when %s", async (_name, about) => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, about.filled);
  const [fill] = order.fills;
  if (fill === undefined) throw new Error("nothing filled");
  fill.isShown = false;
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: withRest(recordOf(order), order.status === "open" ? "1" : about.rest),
  }));
  const { clearinghouseState } = rig.venue.infos;
  if (about.positionLags) rig.exchange.answer("clearinghouseState", () => accountBefore(clearinghouseState));
  const asked = rig.cancel("key-0002", id);
  void rig.clock.sleep(about.shownAfterMs).then(() => {
    fill.isShown = true;
    rig.exchange.answer("clearinghouseState", (request) => clearinghouseState?.(request));
  });
  const first = await rig.answerOf(asked);
  const isLate = about.shownAfterMs > 8_000;
  expect(first).toMatchObject({ httpStatus: isLate ? 202 : 200 });
  await rig.clock.advance(60_000);
  const { httpStatus, order: told } = await rig.answerOf(rig.cancel("key-0002", id));
  expect([httpStatus, told["status"], told["filled_size"]]).toEqual([200, "canceled", "0.4"]);
});

function withRest(record: unknown, sz: string): unknown {
  // The record is this venue's own.
  const { order, ...rest } = record as { order: object };
  return { ...rest, order: { ...order, sz } };
}

/** As it was when nothing had been traded yet. */
function accountBefore(read: ((request: InfoRequest) => unknown) | undefined): unknown {
  const state = read?.({ type: "clearinghouseState" });
  return { ...(state as object), assetPositions: [] };
}
