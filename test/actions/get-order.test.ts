import { expect, test } from "bun:test";
import { getOrder } from "../../src/actions/get-order.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { DELIVERY, delayed, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";

async function placed(rig: GatewayRig): Promise<{ id: string; order: BookOrder }> {
  const answer = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { id: String(answer.order["id"]), order };
}

async function read(rig: GatewayRig, id: string): Promise<{ asOfMs: number | null; order: Record<string, unknown> }> {
  const { body, asOfMs } = await getOrder(rig.deps, rig.caller, id);
  return { asOfMs, order: JSON.parse(body) };
}

function looks({ exchange }: GatewayRig): number {
  return exchange.asked.filter(({ request }) => request.type === "orderStatus").length;
}

test("a living order is looked at, at most once a second, and all who ask share the look", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "0.5");
  const before = looks(rig);
  const answers = await Promise.all([read(rig, id), read(rig, id), read(rig, id)]);
  for (const answer of answers) expect(answer.order).toMatchObject({ status: "open", filled_size: "0.5" });
  await read(rig, id);
  expect(looks(rig) - before).toBe(1);
  await rig.clock.advance(1_000);
  await read(rig, id);
  expect(looks(rig) - before).toBe(2);
});

test("a closed order is answered from the database", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.close(order, "reduceOnlyCanceled");
  await rig.clock.advance(1);
  // Right after its close nobody knows whether all its fills are shown.
  expect((await read(rig, id)).order).toMatchObject({ status: "open" });
  await rig.clock.advance(1_000);
  expect((await read(rig, id)).order).toMatchObject({
    status: "canceled",
    error: "canceled by the exchange: reduce-only, and there is nothing left to reduce (reduceOnlyCanceled)",
  });
  const before = rig.exchange.asked.length;
  await rig.clock.advance(2_000);
  await read(rig, id);
  expect(rig.exchange.asked).toHaveLength(before);
});

const SILENT: [string, (rig: GatewayRig) => void][] = [
  ["cannot be asked", ({ venue }) => void venue.failing.add("orderStatus")],
  ["does not know the order", ({ venue }) => void Object.assign(venue, { isBlind: true })],
];

test.each(SILENT)(
  "an exchange that %s leaves the order as last known, with the time of that",
  async (_name, arrange) => {
    const rig = openGatewayRig();
    const { id } = await placed(rig);
    const knownAtMs = rig.clock.nowMs();
    arrange(rig);
    await rig.clock.advance(5_000);
    const { order, asOfMs } = await read(rig, id);
    expect(order).toMatchObject({ status: "open" });
    expect(asOfMs).toBeLessThanOrEqual(knownAtMs);
    expect(asOfMs).toBeGreaterThan(0);
  },
);

test.each(WALL_CLOCKS)(
  "as last known is of no later than that by the exchange's clock, where ours %s",
  async (_what, before, since) => {
    const rig = openGatewayRig();
    const startMs = rig.deps.exchange.nowMs();
    rig.clock.stepWall(before);
    const { id } = await placed(rig);
    const knownAtMs = rig.deps.exchange.nowMs();
    rig.clock.stepWall(since);
    rig.venue.failing.add("orderStatus");
    await rig.clock.advance(5_000);
    const { asOfMs } = await read(rig, id);
    expect(asOfMs).toBeLessThanOrEqual(knownAtMs);
    expect(asOfMs).toBeGreaterThanOrEqual(startMs);
  },
);

test("a look that does not find a living order proves nothing, and a read signs nothing", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(0, 5_000, DELIVERY.normal));
  rig.venue.isBlind = true;
  const asked = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  for (let look = 0; look < 4; look += 1) {
    await rig.clock.advance(1_000);
    expect((await read(rig, id)).order["status"]).toBe("processing");
  }
  expect(rig.exchange.sent).toHaveLength(1);
  rig.venue.isBlind = false;
  expect((await rig.answerOf(asked)).order["status"]).toBe("open");
});

test("an answer about another order is no answer", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: recordOf({ ...order, oid: 9, cloid: `0x${"ee".repeat(16)}`, status: "canceled" }),
  }));
  await rig.clock.advance(1_000);
  const { order: shown, asOfMs } = await read(rig, id);
  expect(shown).toMatchObject({ status: "open", exchange_order_id: String(order.oid) });
  expect(asOfMs).not.toBeNull();
});

test("a read that sees the order settles a placing that is still on its way, once and for all", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(0, 5_000, DELIVERY.normal));
  const asked = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  expect((await read(rig, id)).order).toMatchObject({ status: "open", exchange_order_id: "1001" });
  const [order] = rig.venue.orders;
  if (order !== undefined) rig.venue.close(order, "canceled");
  for (const status of ["unknown", "canceled"]) {
    await rig.clock.advance(1_000);
    expect((await read(rig, id)).order["status"]).toBe(status);
  }
  // The exchange's own answer, `resting`, arrives last and is older than what has been seen.
  expect((await rig.answerOf(asked)).httpStatus).toBe(201);
  expect((await read(rig, id)).order["status"]).toBe("canceled");
});

test.each(["native id", "client order id", "upper-case UUID"])("an order is found by its %s", async (kind) => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  const given = { "native id": String(order.oid), "client order id": order.cloid.toUpperCase().replace("0X", "0x") };
  const asked =
    kind === "upper-case UUID" ? id.toUpperCase() : (Object.entries(given).find(([name]) => name === kind)?.[1] ?? "");
  expect((await read(rig, asked)).order["id"]).toBe(id);
});

const FOREIGN = "018bcfe5-6800-7008-ae5d-8784c6b6f690";

test.each([
  ["not-an-id", "invalid_id"],
  ["", "invalid_id"],
  ["123456789012345678901", "invalid_id"],
  ["0x12", "invalid_id"],
  ["77777", "order_not_found"],
  ["99999999999999999999", "order_not_found"],
  [FOREIGN, "order_not_found"],
])("the id %j is %s", async (id, code) => {
  const rig = openGatewayRig();
  const error: unknown = await read(rig, id).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code });
  // An id that only a guess could have made costs no request.
  if (id === FOREIGN) expect(rig.exchange.asked).toEqual([]);
});

test("an order placed elsewhere is shown under an id that finds it again, and a read stores nothing", async () => {
  const rig = openGatewayRig();
  const { order } = await placed(rig);
  const elsewhere: BookOrder = { ...order, oid: 77, cloid: `0x${"ee".repeat(16)}`, fills: [], size: "2.50" };
  rig.venue.orders.push(elsewhere);
  rig.venue.fill(elsewhere, "0.5");
  const { order: first } = await read(rig, "77");
  expect(first).toMatchObject({ status: "open", size: "2.5", filled_size: "0.5", exchange_order_id: "77" });
  expect((await read(rig, String(first["id"]))).order).toEqual(first);
  expect(rig.store.$client.prepare("SELECT count(*) AS n FROM orders").get()).toEqual({ n: 1 });
});

test("another account's order is not found", async () => {
  const rig = openGatewayRig();
  const { id } = await placed(rig);
  const stranger = {
    ...rig.caller.account,
    id: "6d1e9b63-7a1f-4a4c-8d66-1f8e2c3b5da1",
    tradingAddress: `0x${"99".repeat(20)}`,
  };
  rig.venue.isBlind = true;
  const error: unknown = await getOrder(rig.deps, { ...rig.caller, account: stranger }, id).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "order_not_found" });
});
