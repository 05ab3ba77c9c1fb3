import { expect, test } from "bun:test";
import { ApiError } from "../../src/core/errors.ts";
import { enter, MAX_IN_FLIGHT, NOTHING_IN_FLIGHT } from "../../src/core/in-flight.ts";
import { openFlightQueue } from "../../src/settle/send/flight-queue.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { ACCOUNT, DELIVERY, type Delivery, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { FIRST, openPaperRig } from "../support/paper-rig.ts";
import { stillClock } from "../support/still-clock.ts";

const LIMIT = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.001", price: "60000" };

test("300 orders at once, arriving in any order and some of them late, are all taken: none is refused for its number", async () => {
  const rig = await openPaperRig();
  let underWay = 0;
  let most = 0;
  rig.deliveries = Array.from({ length: 300 }, (_, nth) => async (arrive, clock) => {
    underWay += 1;
    most = Math.max(most, underWay);
    // Most within a tenth of a second, in an order of their own; now and then one that takes more than a second.
    await clock.sleep(nth % 41 === 7 ? 1_100 : 10 + ((nth * 37) % 90));
    const answer = await arrive();
    underWay -= 1;
    return answer;
  });
  const asked = Array.from({ length: 300 }, (_, nth) =>
    rig.ask(FIRST, { route: "POST /v1/orders", body: LIMIT, key: `burst-order-${nth}` }),
  );
  for (const each of asked) await rig.answerOf(each);
  const answers = await Promise.all(asked);
  const told = answers.map(({ status, body }) => `${status} ${body["status"]} ${body["error"]}`);
  expect([...new Set(told)]).toEqual(["201 open null"]);
  expect(most).toBe(MAX_IN_FLIGHT);
});

/** Sends that are under way until they are let go, oldest first. */
type Held = { letGo: (() => void)[] };

/** So many orders that have been sent and of which nothing has come back. */
async function fill(rig: GatewayRig, count: number, name = "under-way"): Promise<Held> {
  const held: Held = { letGo: [] };
  const hold: Delivery = async (body, venue) => {
    await new Promise<void>((resolve) => held.letGo.push(resolve));
    return venue.take(body);
  };
  rig.deliveries.push(...Array.from({ length: count }, () => hold));
  for (let nth = 0; nth < count; nth += 1) void rig.place(`${name}-${nth}`).catch(() => undefined);
  await rig.clock.advance(0);
  expect(held.letGo).toHaveLength(count);
  return held;
}

function typesSent(rig: GatewayRig): string[] {
  return rig.exchange.sent.map(({ body }) => JSON.parse(body).action.type);
}

test("beside 59 that are under way the next order is sent without any wait; beside 60 it waits for one to end", async () => {
  const rig = openGatewayRig();
  const { letGo } = await fill(rig, MAX_IN_FLIGHT - 1);
  await rig.answerOf(rig.place("number-60"));
  expect(rig.exchange.sent).toHaveLength(MAX_IN_FLIGHT);
  const held = await fill(rig, 1, "one-more");
  const waiting = rig.place("number-61");
  await rig.clock.advance(1_000);
  expect(rig.exchange.sent).toHaveLength(MAX_IN_FLIGHT + 1);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "number-61")).toBeNull();
  letGo.shift()?.();
  expect((await rig.answerOf(waiting)).order["status"]).toBe("open");
  for (const go of [...letGo, ...held.letGo]) go();
});

test("a cancel that waits goes before the orders that came earlier, and these go in their order", async () => {
  const rig = openGatewayRig();
  const first = await rig.answerOf(rig.place("to-cancel"));
  const { letGo } = await fill(rig, MAX_IN_FLIGHT);
  const orders = ["waits-one", "waits-two"].map((key) => rig.place(key, { price: key === "waits-one" ? "91" : "92" }));
  await rig.clock.advance(100);
  const cancel = rig.cancel("waits-three", String(first.order["id"]));
  await rig.clock.advance(100);
  const before = rig.exchange.sent.length;
  for (const go of letGo.splice(0, 3)) go();
  await Promise.all([...orders, cancel].map((each) => rig.answerOf(each)));
  const prices = rig.exchange.sent.slice(before).map(({ body }) => {
    const { action } = JSON.parse(body);
    return action.orders?.[0]?.p ?? action.type;
  });
  expect(prices).toEqual(["cancel", "91", "92"]);
  for (const go of letGo) go();
});

test("an order that has waited for half its time is refused: nothing is stored, nothing is signed, and its key is free", async () => {
  const rig = openGatewayRig();
  const { letGo } = await fill(rig, MAX_IN_FLIGHT);
  const refused = rig.place("waits-long").catch((error: unknown) => error);
  await rig.clock.advance(3_900);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "waits-long")).toBeNull();
  await rig.clock.advance(200);
  const error = await refused;
  expect(error).toBeInstanceOf(ApiError);
  if (!(error instanceof ApiError)) throw error;
  expect([error.code, error.retryAfterS]).toEqual(["exchange_rate_limited", 2]);
  expect(error.message).toContain("under way");
  for (const go of letGo) go();
  await rig.clock.advance(5_000);
  expect(rig.exchange.sent).toHaveLength(MAX_IN_FLIGHT);
  const again = await rig.answerOf(rig.place("waits-long"));
  expect([again.httpStatus, again.isReplay]).toEqual([201, false]);
});

test("a key that is repeated while its order waits places one order, and both are told of it", async () => {
  const rig = openGatewayRig();
  const { letGo } = await fill(rig, MAX_IN_FLIGHT);
  const asked = [rig.place("asked-twice"), rig.place("asked-twice")];
  await rig.clock.advance(500);
  for (const go of letGo.splice(0, 2)) go();
  const answers = await Promise.all(asked.map((each) => rig.answerOf(each)));
  expect(answers.map(({ isReplay }) => isReplay).sort()).toEqual([false, true]);
  expect(new Set(answers.map(({ order }) => order["id"])).size).toBe(1);
  expect(rig.exchange.sent).toHaveLength(MAX_IN_FLIGHT + 1);
  for (const go of letGo) go();
});

test("what was lost is under way until its number is burnt; a cancel that has waited a second passes it", async () => {
  const rig = openGatewayRig();
  const first = await rig.answerOf(rig.place("to-cancel"));
  const lost = Array.from({ length: MAX_IN_FLIGHT }, () => DELIVERY.neverArrived);
  // Then nothing arrives for a while: the empty actions are lost as well.
  rig.deliveries.push(...lost, ...lost);
  for (const nth of lost.keys()) void rig.place(`lost-${nth}`);
  await rig.clock.advance(0);
  const order = rig.place("after-the-lost").catch((error: ApiError) => error.code);
  const cancel = rig.cancel("cancel-past-them", String(first.order["id"]));
  await rig.clock.advance(900);
  expect(typesSent(rig)).not.toContain("cancel");
  await rig.clock.advance(300);
  expect(typesSent(rig)).toContain("cancel");
  expect(await rig.answerOf(cancel).then(({ httpStatus }) => httpStatus)).toBe(200);
  rig.deliveries.splice(0);
  await rig.clock.advance(20_000);
  expect(await Promise.resolve(order)).toBe("exchange_rate_limited");
  expect((await rig.answerOf(rig.place("once-it-is-known"))).httpStatus).toBe(201);
});

test("what an earlier process left open is under way in the next one until it is known", async () => {
  const first = openGatewayRig();
  await fill(first, MAX_IN_FLIGHT);
  const rig = await first.restart();
  expect(listOpenAttempts(rig.store)).toHaveLength(MAX_IN_FLIGHT);
  const waiting = rig.place("after-the-start");
  await rig.clock.advance(1_000);
  expect(rig.exchange.sent).toHaveLength(0);
  void rig.settler.takeUp();
  expect((await rig.answerOf(waiting)).order["status"]).toBe("open");
  expect(typesSent(rig).filter((type) => type === "noop").length).toBeGreaterThan(0);
});

test.each([
  ["has moved in the list", 3, null],
  ["is contradicted by what the exchange shows, and stands where it did", 0, "an order in another market"],
])("an order that waited, and whose market %s meanwhile, is planned again", async (_what, assetId, doubt) => {
  const rig = openGatewayRig();
  const { letGo } = await fill(rig, MAX_IN_FLIGHT);
  const waiting = rig.place("waits-and-moves");
  await rig.clock.advance(1_000);
  const { markets } = rig.deps;
  const before = markets.current();
  if (before === null) throw new Error("no list");
  const moved = new Map([...before.byName].map(([name, market]) => [name, { ...market, assetId }]));
  let isDoubted = doubt !== null;
  let readings = 0;
  Object.assign(markets, {
    current: () => ({ ...before, byName: moved }),
    doubtOf: () => (isDoubted ? doubt : null),
    refresh: async () => {
      readings += 1;
      isDoubted = false;
      return { ...before, byName: moved };
    },
  });
  letGo.shift()?.();
  expect((await rig.answerOf(waiting)).order["status"]).toBe("open");
  const { action } = JSON.parse(rig.exchange.sent.at(-1)?.body ?? "");
  expect([action.orders[0].a, readings]).toEqual([assetId, doubt === null ? 0 : 1]);
  for (const go of letGo) go();
});

test("rows that cannot be read for a moment leave nobody in the line for good", async () => {
  const clock = stillClock(0);
  const slot = { take: () => undefined, leave: () => undefined };
  const faults: unknown[] = [];
  let isLocked = true;
  let looks = 0;
  const queue = openFlightQueue({
    clock,
    open: () => slot,
    look() {
      looks += 1;
      if (isLocked) throw new Error("the database is locked");
      if (looks > 2) queue.set(NOTHING_IN_FLIGHT);
    },
    onFault: (error) => faults.push(String(error)),
  });
  let full = NOTHING_IN_FLIGHT;
  for (let id = 0; id < MAX_IN_FLIGHT; id += 1) full = enter(full, id, "reserved");
  queue.set(full);
  // Somebody who looks in vain while the rows can be read.
  isLocked = false;
  const served = queue.wait("order", 10_000);
  isLocked = true;
  await clock.advance(100);
  isLocked = false;
  await clock.advance(100);
  expect(faults).toEqual(["Error: the database is locked"]);
  expect(await served).toBe(slot);
});
