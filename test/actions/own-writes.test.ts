import { expect, test } from "bun:test";
import { openOwnWrites } from "../../src/actions/own-writes.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { appendEvent } from "../../src/store/events.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";

test.each([
  ["processing", null, 0],
  ["unknown", null, 0],
  ["unknown", "0", 0],
  ["unknown", "0.4", 1],
  ["processing", "0.4", 1],
  ["open", "0", 1],
  ["filled", "1", 1],
])("an order that was told %s with %p filled is %i changes that reads have to hold", (status, filled, count) => {
  const rig = openGatewayRig();
  rig.deps.ownWrites.told(ACCOUNT, { dex: "" });
  const order = { object: "order", market: "BTC", status, exchange_order_id: "7", filled_size: filled };
  appendEvent(rig.store, {
    accountId: ACCOUNT.id,
    atMs: rig.clock.nowMs(),
    type: "order.updated",
    resourceId: "an-order",
    payload: JSON.stringify(order),
  });
  expect(rig.deps.ownWrites.told(ACCOUNT, { dex: "" })()).toHaveLength(count);
});

test("what was told before a start has to be held after it, whatever was in flight then", () => {
  const rig = openGatewayRig();
  const { store, picture, exchange } = rig.deps;
  const tell = (nth: number, status: string) =>
    appendEvent(store, {
      accountId: ACCOUNT.id,
      atMs: rig.clock.nowMs(),
      type: "order.updated",
      resourceId: `order-${nth}`,
      payload: JSON.stringify({ object: "order", market: "BTC", status, exchange_order_id: null, filled_size: null }),
    });
  tell(0, "filled");
  const filledAtMs = rig.clock.nowMs();
  for (let nth = 1; nth <= 600; nth += 1) tell(nth, "unknown");
  const writes = openOwnWrites({ store, clock: rig.clock, exchange, picture });
  expect(writes.told(ACCOUNT, { dex: "" })()).toMatchObject([{ kind: "noted", timeMs: filledAtMs }]);
});

/** By how much our wall clock, and the exchange's time, moved against our monotonic clock. */
type Moved = { stepMs: number; mendMs: number; isSleep?: boolean };

test.each<[string, Moved]>([
  ["as it was, the exchange's time is set right by what is noted of its servers", { stepMs: 0, mendMs: 2_780 }],
  ["set by 43 seconds meanwhile, it is all the same (seed 382)", { stepMs: 43_000, mendMs: 2_780 }],
  ["as it was, one server's clock is believed no more (seed 2209624)", { stepMs: 0, mendMs: -600_000 }],
  ["as it was, a server that stands still is believed no more (seed 122801)", { stepMs: 0, mendMs: 5_080 }],
  ["that went on while the machine slept, it is all of its time", { stepMs: 60_000, mendMs: 60_000, isSleep: true }],
])("with a wall clock %s, and so is what was told", (_name, { stepMs, mendMs, isSleep = false }: Moved) => {
  const rig = openGatewayRig();
  const at = { exchangeMs: 1_700_000_010_000, elapsedMs: 5_000, wallMs: 1_700_000_012_780 };
  const clock = { ...rig.clock, nowMs: () => at.wallMs, elapsedMs: () => at.elapsedMs };
  const { store, picture } = rig.deps;
  const writes = openOwnWrites({ store, clock, exchange: { nowMs: () => at.exchangeMs }, picture });
  writes.told(ACCOUNT, { dex: "" });
  const order = { object: "order", market: "BTC", status: "filled", exchange_order_id: "7", filled_size: "1" };
  const payload = JSON.stringify(order);
  appendEvent(store, {
    accountId: ACCOUNT.id,
    atMs: at.wallMs,
    type: "order.updated",
    resourceId: "an-order",
    payload,
  });
  const told = writes.told(ACCOUNT, { dex: "" });
  expect(told()).toMatchObject([{ kind: "noted", timeMs: at.exchangeMs }]);
  const trueMs = isSleep ? at.exchangeMs : at.exchangeMs + mendMs;
  at.elapsedMs += 4_000;
  at.wallMs += 4_000 + stepMs;
  at.exchangeMs += 4_000 + mendMs;
  expect(told()).toMatchObject([{ kind: "noted", timeMs: trueMs }]);
});

test("what was told between two steps of our wall clock is of no earlier than it was (seed 163574)", () => {
  const rig = openGatewayRig();
  const { store, picture, exchange } = rig.deps;
  const writes = openOwnWrites({ store, clock: rig.clock, exchange, picture });
  writes.told(ACCOUNT, { dex: "" });
  rig.clock.stepWall(-459_000);
  const toldAtMs = exchange.nowMs();
  const order = { object: "order", market: "BTC", status: "filled", exchange_order_id: "7", filled_size: "1" };
  const event = {
    accountId: ACCOUNT.id,
    atMs: rig.clock.nowMs(),
    type: "order.updated",
    resourceId: "an-order",
    payload: JSON.stringify(order),
  } as const;
  inTransaction(store, () => appendEvent(store, event));
  rig.clock.stepWall(86_000);
  const [told] = writes.told(ACCOUNT, { dex: "" })();
  expect(told?.timeMs).toBeGreaterThanOrEqual(toldAtMs);
  expect(told?.timeMs).toBeLessThanOrEqual(exchange.nowMs());
});

test.each([
  ["forth", 18_925_000],
  ["back", -459_000],
])(
  "what was told before a start is of no earlier than it was, with a wall clock set %s since (seed 1134775)",
  async (_name, stepMs) => {
    const rig = openGatewayRig();
    const { store, picture, exchange } = rig.deps;
    const sentAtMs = exchange.nowMs();
    await rig.answerOf(rig.place("key-0001"));
    const writes = openOwnWrites({ store, clock: rig.clock, exchange, picture });
    rig.clock.stepWall(stepMs);
    const last = writes.told(ACCOUNT, { dex: "" })().at(-1);
    expect(last?.timeMs).toBeGreaterThanOrEqual(sentAtMs);
    expect(last?.timeMs).toBeLessThanOrEqual(exchange.nowMs());
  },
);
