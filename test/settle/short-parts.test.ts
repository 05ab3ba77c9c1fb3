/** Orders that may end with a part: a part that fills and positions show together for some seconds is not the whole yet. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";

/** An ioc whose answer is lost was filled in two steps. Fills, and positions, show the first of them until `show` is called. */
function filledInTwo(rig: GatewayRig, stamp: (state: State) => State): { show(): void } {
  rig.deliveries.push((body, venue) => {
    venue.take(body);
    const [order] = venue.orders;
    if (order === undefined) throw new Error("nothing placed");
    venue.fill(order, "0.4");
    venue.fill(order, "0.6");
    venue.close(order, "filled");
    const late = order.fills[1];
    if (late !== undefined) late.isShown = false;
    return { kind: "unknown", reason: "the connection was reset" };
  });
  const { clearinghouseState } = rig.venue.infos;
  rig.exchange.answer("clearinghouseState", (request) => {
    const state = clearinghouseState?.(request) as State;
    if (rig.venue.orders[0]?.fills[1]?.isShown !== false) return state;
    for (const { position } of state.assetPositions) position.szi = "0.4";
    return stamp(state);
  });
  return {
    show() {
      const late = rig.venue.orders[0]?.fills[1];
      if (late !== undefined) late.isShown = true;
    },
  };
}

type State = { assetPositions: { position: { szi: string } }[]; time: number };

test.each<[string, number, (state: State) => State]>([
  ["for ten seconds, the positions stamped so", 10_000, (state) => ({ ...state, time: START_MS })],
  ["for three seconds, the positions stamped as if they were not", 3_000, (state) => state],
])("an ioc of which fills and positions show a part %s, is not told to be short", async (_name, behindMs, stamp) => {
  const rig = openGatewayRig();
  const stores = filledInTwo(rig, stamp);
  const asked = rig.place("key-0001", { timeInForce: "ioc" });
  await rig.clock.advance(behindMs);
  stores.show();
  await rig.answerOf(asked);
  await rig.clock.advance(60_000);
  const { order } = await rig.answerOf(rig.place("key-0001", { timeInForce: "ioc" }));
  expect(order).toMatchObject({ status: "filled", filled_size: "1" });
});

test("a reduce-only order that was filled whole in two steps is not told as cut short while stores show the first", async () => {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001", { reduceOnly: true }));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const id = String(shown["id"]);
  await rig.clock.advance(5_000);
  rig.venue.fill(order, "0.4");
  const { clearinghouseState } = rig.venue.infos;
  const behind = JSON.stringify(clearinghouseState?.({ type: "clearinghouseState" }));
  await rig.clock.advance(5_000);
  rig.venue.fill(order, "0.6");
  rig.venue.close(order, "filled");
  const late = order.fills[1];
  if (late === undefined) throw new Error("not filled");
  // Fills and positions stand still between the two for ten seconds; its record does not.
  late.isShown = false;
  rig.exchange.answer("clearinghouseState", () => JSON.parse(behind));
  const told = new Set<string>();
  for (let nth = 0; nth < 5; nth += 1) {
    await rig.clock.advance(2_000);
    await rig.deps.settling.look(id);
    told.add(`${findOrder(rig.store, id)?.status} ${findOrder(rig.store, id)?.error ?? ""}`);
  }
  expect([...told].filter((each) => each.startsWith("canceled"))).toEqual([]);
});
