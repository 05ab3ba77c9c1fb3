/** A feed is live only while it agrees with what reads show, and what is told of an order is right soon after. */
import { expect, test } from "bun:test";
import { listOrders } from "../../src/actions/list-orders.ts";
import { listPositions } from "../../src/actions/list-positions.ts";
import type { InfoOptions, InfoRequest, Purpose } from "../../src/exchange/exchange.ts";
import { CROSS_CHECK_MS } from "../../src/settle/feed/cross-check.ts";
import { findOrder } from "../../src/store/orders.ts";
import { unanswered } from "../support/scripted-exchange.ts";
import { recordOf } from "../support/small-venue.ts";
import { filledSize, openStage, RESYNC_MS, read, SECOND, USER, type Voice, warnings } from "./feed-stage.ts";

/** From the fill to the end of the feed's being live: a check, and the time that it has to tell. */
const NOTICED_WITHIN_MS = CROSS_CHECK_MS + 5 * SECOND;

test("a feed that pings and tells no fills is not live within 20 s, and the size is right before that", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { id, order } = await stage.place();
  expect(stage.isLive()).toBe(true);
  Object.assign(voice, { fills: false, orders: false });
  stage.fill(order, "0.4");
  await rig.clock.advance(CROSS_CHECK_MS + SECOND);
  expect(filledSize(stage, id)).toBe("0.4");
  await rig.clock.advance(NOTICED_WITHIN_MS - CROSS_CHECK_MS);
  expect(stage.isLive()).toBe(false);
  expect(warnings(stage)).toEqual([expect.stringMatching(/^it did not tell fill [0-9]+-BTC-/)]);
  expect(rig.deps.feeds.whyNotLive(USER)).toContain("it did not tell fill");
  expect(rig.deps.feeds.distrusts(USER)).toBe(1);
});

test("a silent feed is connected anew, and believed when it tells something as new as what it left out", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { order } = await stage.place();
  voice.fills = false;
  stage.fill(order, "0.4");
  await rig.clock.advance(120 * SECOND);
  expect([stage.connections() > 1, stage.isLive()]).toEqual([true, false]);
  voice.fills = true;
  stage.fill(order, "0.2");
  await rig.clock.advance(SECOND);
  // Back-filled since it was connected.
  expect(stage.isLive()).toBe(true);
  await rig.clock.advance(600 * SECOND);
  expect(stage.isLive()).toBe(true);
});

test("a feed that left out one fill is live again once its snapshot holds it", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { order } = await stage.place();
  voice.fills = false;
  stage.fill(order, "0.4");
  voice.fills = true;
  await rig.clock.advance(60 * SECOND);
  expect([warnings(stage).length, stage.connections(), stage.isLive()]).toEqual([1, 2, true]);
});

test("a connection is not live before what happened meanwhile was read", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { order } = await stage.place();
  voice.fills = false;
  stage.fill(order, "0.4");
  voice.fills = true;
  while (warnings(stage).length === 0) await rig.clock.advance(100);
  rig.venue.failing.add("userFillsByTime");
  await rig.clock.advance(60 * SECOND);
  expect([stage.connections(), stage.isLive()]).toEqual([2, false]);
  expect(rig.deps.feeds.whyNotLive(USER)).toContain("not read yet");
  rig.venue.failing.clear();
  await rig.clock.advance(60 * SECOND);
  expect(stage.isLive()).toBe(true);
});

test("a reading that was begun before the connection makes no connection live", async () => {
  const stage = await openStage();
  const { rig } = stage;
  const before = rig.deps.feeds.connectionOf(USER);
  rig.venue.failing.add("userFillsByTime");
  stage.garble();
  await rig.clock.advance(100);
  rig.deps.feeds.caughtUp(USER, before);
  expect(stage.isLive()).toBe(false);
  rig.deps.feeds.caughtUp(USER, rig.deps.feeds.connectionOf(USER));
  expect(stage.isLive()).toBe(true);
});

test("a frame that cannot be read ends the feed's being live until everything was read again", async () => {
  const stage = await openStage();
  const { rig } = stage;
  expect(stage.isLive()).toBe(true);
  stage.garble();
  expect(stage.isLive()).toBe(false);
  await rig.clock.advance(SECOND);
  expect([stage.isLive(), stage.connections()]).toEqual([true, 1]);
});

test("a record that tells of more than the feed has the fills read for the same answer", async () => {
  const stage = await openStage();
  const { id, order } = await stage.place();
  // The next reading of the index is 5 s away.
  stage.follower.checkFills(USER);
  stage.voice.fills = false;
  stage.fill(order, "0.4");
  expect((await read(stage, id)).order.filled_size).toBe("0.4");
});

test("a client's list of open orders is held against the feed as well", async () => {
  const stage = await openStage();
  const { rig } = stage;
  stage.voice.orders = false;
  await rig.clock.advance(3 * SECOND);
  const { order } = await stage.place();
  await listOrders(rig.deps, rig.caller, { status: "open", dex: null, cursor: null, limit: 50 });
  await rig.clock.advance(2 * SECOND);
  expect(warnings(stage)).toEqual([`it did not tell the open order ${order.oid}`]);
});

test("a position that is read for the size of a canceled order is held against the feed as well", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { id, order } = await stage.place();
  await listPositions(rig.deps, rig.caller, { dex: null, cursor: null, limit: 50 });
  voice.fills = false;
  stage.fill(order, "0.4");
  for (const fill of order.fills) fill.isShown = false;
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: recordOf({ ...order, fills: [] }) }));
  stage.close(order, "marginCanceled");
  await rig.clock.advance(6_500);
  expect(warnings(stage)).toContain("it did not tell what moved the position in BTC");
  expect(findOrder(rig.store, id)?.status).not.toBe("canceled");
});

test("nothing is read after the gateway has stopped, whatever was about to be", async () => {
  const stage = await openStage();
  const { rig, follower } = stage;
  await rig.clock.advance(CROSS_CHECK_MS);
  follower.checkFills(USER);
  await rig.clock.advance(SECOND);
  follower.checkFills(USER);
  rig.exchange.asked.length = 0;
  follower.stop();
  await rig.clock.advance(20 * SECOND);
  await follower.crossCheck();
  expect([rig.exchange.asked, rig.log]).toEqual([[], []]);
});

test("fills that could not be read for longer than a check are read with the weight of settling", async () => {
  const stage = await openStage();
  const { rig } = stage;
  await stage.place();
  rig.venue.failing.add("userFillsByTime");
  const purposes = async (durationMs: number) => {
    rig.exchange.asked.length = 0;
    await rig.clock.advance(durationMs);
    const fills = rig.exchange.asked.filter(({ request }) => request.type === "userFillsByTime");
    return new Set(fills.map(({ options }) => options.purpose));
  };
  expect(await purposes(60 * SECOND)).toEqual(new Set(["read"]));
  await rig.clock.advance(30 * SECOND);
  expect(await purposes(60 * SECOND)).toEqual(new Set(["settle"]));
});

test("fills of an account without a live order for which there was no weight are asked for with the next check", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  await rig.clock.advance(CROSS_CHECK_MS + SECOND);
  voice.fills = false;
  // As where another has used it up: all of the time at which the next check is due.
  const { info } = rig.exchange;
  const refused: string[] = [];
  Object.assign(rig.exchange, {
    info: (request: InfoRequest, options: InfoOptions) => {
      if (request.type !== "userFillsByTime" || options.purpose !== "read") return info(request, options);
      refused.push(request.type);
      return unanswered("our weight towards the exchange is used up", true);
    },
  });
  await rig.clock.advance(4 * CROSS_CHECK_MS);
  expect(refused.length).toBe(1);
  rig.exchange.asked.length = 0;
  await rig.clock.advance(CROSS_CHECK_MS);
  const asked = rig.exchange.asked.filter(({ request }) => request.type === "userFillsByTime");
  expect(asked.map(({ options }) => options.purpose)).toEqual(["settle"]);
});

test("what a new connection may have missed is read when there is weight beside what is unknown, and then whole", async () => {
  const stage = await openStage();
  const { rig } = stage;
  await stage.place();
  let isFull = true;
  Object.assign(rig.exchange, {
    budgetWaitS: (purpose: Purpose, requests?: readonly InfoRequest[]) =>
      isFull && purpose === "catch_up" && (requests?.length ?? 0) > 1 ? 7 : 0,
  });
  const asked = () => rig.exchange.asked.splice(0).map(({ request, options }) => [request.type, options.purpose]);
  asked();
  void stage.follower.resync("all");
  await rig.clock.advance(6 * SECOND);
  expect(asked().filter(([, purpose]) => purpose !== "read")).toEqual([]);
  isFull = false;
  await rig.clock.advance(2 * SECOND);
  const whole = [["userFillsByTime", "catch_up"], ...["", "xyz"].map(() => ["frontendOpenOrders", "catch_up"])];
  expect(asked().filter(([, purpose]) => purpose !== "read")).toEqual(whole);
  // In the end it is dearer that nothing is told by the feed.
  isFull = true;
  void stage.follower.resync("all");
  await rig.clock.advance(52 * SECOND);
  expect(new Set(asked().flatMap(([, purpose]) => (purpose === "read" ? [] : purpose)))).toEqual(new Set(["settle"]));
});

test("a list of open orders that could not be read is asked for with the next check", async () => {
  const stage = await openStage();
  const { rig } = stage;
  await stage.place();
  await rig.clock.advance(4 * CROSS_CHECK_MS);
  rig.venue.failing.add("frontendOpenOrders");
  rig.exchange.asked.length = 0;
  await rig.clock.advance(4 * CROSS_CHECK_MS);
  const asked = rig.exchange.asked.filter(({ request }) => request.type === "frontendOpenOrders");
  expect(asked.length).toBeGreaterThanOrEqual(3);
});

test("a feed that leaves out the end of an order is not live once a record shows the end", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { id, order } = await stage.place();
  voice.orders = false;
  stage.close(order, "marginCanceled");
  await rig.clock.advance(10 * SECOND);
  await read(stage, id);
  await rig.clock.advance(6 * SECOND);
  expect(stage.isLive()).toBe(false);
  expect(warnings(stage)).toEqual([`it did not tell the end of order ${order.oid}`]);
});

test("a feed that does not tell an order is not live once a list shows it", async () => {
  const stage = await openStage();
  stage.voice.orders = false;
  await stage.rig.clock.advance(3 * SECOND);
  const { order } = await stage.place();
  await stage.rig.clock.advance(RESYNC_MS + CROSS_CHECK_MS + 2 * SECOND);
  expect(warnings(stage)).toContain(`it did not tell the open order ${order.oid}`);
});

test("a list that shows a part of which no fill tells, by whatever store, ends the feed's being live", async () => {
  const stage = await openStage();
  const { rig } = stage;
  const { order } = await stage.place();
  rig.venue.fill(order, "0.4");
  for (const fill of order.fills) fill.isShown = false;
  await rig.clock.advance(RESYNC_MS + CROSS_CHECK_MS + 6 * SECOND);
  expect(warnings(stage)).toContain(`it did not tell a part of order ${order.oid} that is filled`);
});

test("a position that moved and of which no fill tells, by whatever store, ends the feed's being live", async () => {
  const stage = await openStage();
  const { rig } = stage;
  const { order } = await stage.place();
  const wanted = { dex: null, cursor: null, limit: 50 };
  await listPositions(rig.deps, rig.caller, wanted);
  await rig.clock.advance(2 * SECOND);
  rig.venue.fill(order, "0.4");
  for (const fill of order.fills) fill.isShown = false;
  await listPositions(rig.deps, rig.caller, wanted);
  await rig.clock.advance(6 * SECOND);
  expect(warnings(stage)).toContain("it did not tell what moved the position in BTC");
});

test("a position that moved has the fills read at once", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { id, order } = await stage.place();
  const wanted = { dex: null, cursor: null, limit: 50 };
  await listPositions(rig.deps, rig.caller, wanted);
  await rig.clock.advance(CROSS_CHECK_MS - 3 * SECOND);
  voice.fills = false;
  stage.fill(order, "0.4");
  await listPositions(rig.deps, rig.caller, wanted);
  // The regular check was 3 s ago.
  await rig.clock.advance(3 * SECOND);
  expect(filledSize(stage, id)).toBe("0.4");
});

test("a feed that goes on leaving things out is connected anew with growing pauses", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { order } = await stage.place();
  voice.fills = false;
  for (let nth = 0; nth < 60; nth += 1) {
    stage.fill(order, "0.01");
    await rig.clock.advance(10 * SECOND);
  }
  expect(stage.connections()).toBeGreaterThan(5);
  // At most one a minute in the end.
  expect(stage.connections()).toBeLessThan(20);
});

const HONEST: [string, Partial<Voice>, number][] = [
  ["tells at once", {}, 3],
  ["is 2 s late", { lateMs: 2 * SECOND }, 3],
  ["is 4 s late", { lateMs: 4 * SECOND }, 3],
  ["has nothing to tell", {}, 0],
];

test.each(HONEST)("a feed that %s stays live for ten minutes, over one connection", async (_name, some, fills) => {
  const stage = await openStage();
  const { rig, voice } = stage;
  Object.assign(voice, some);
  const { id, order } = await stage.place();
  for (let nth = 0; nth < fills; nth += 1) {
    stage.fill(order, "0.1");
    for (let reading = 0; reading < 5; reading += 1) {
      await rig.clock.advance(3 * SECOND);
      await read(stage, id);
    }
  }
  for (let reading = 0; reading < 20; reading += 1) {
    await rig.clock.advance(30 * SECOND);
    expect(stage.isLive()).toBe(true);
  }
  expect([warnings(stage), stage.connections()]).toEqual([[], 1]);
});

test("what a feed tells of an order is told as of the last reading of the fills", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { id, order } = await stage.place();
  // A record shows the size of the last status.
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: recordOf({ ...order, fills: [] }) }));
  voice.fills = false;
  stage.fill(order, "0.4");
  await rig.clock.advance(SECOND);
  const { order: told, ageS } = await read(stage, id);
  expect(told).toMatchObject({ status: "open", filled_size: "0" });
  expect(ageS).toBeGreaterThan(SECOND / 1_000);
  await rig.clock.advance(NOTICED_WITHIN_MS + 5 * SECOND);
  expect((await read(stage, id)).order.filled_size).toBe("0.4");
});

test("with no feed live a resting order's size is at most half a minute old, and a read is of now", async () => {
  const stage = await openStage();
  const { rig, voice } = stage;
  const { id, order } = await stage.place();
  voice.fills = false;
  stage.fill(order, "0.1");
  await rig.clock.advance(NOTICED_WITHIN_MS + RESYNC_MS);
  for (const total of ["0.2", "0.3", "0.4"]) {
    stage.fill(order, "0.1");
    await rig.clock.advance(RESYNC_MS + SECOND);
    expect([stage.isLive(), filledSize(stage, id)]).toEqual([false, total]);
  }
  stage.fill(order, "0.1");
  const { order: told, ageS } = await read(stage, id);
  expect([told.filled_size, ageS]).toEqual(["0.5", null]);
});

test("while an order is live its fills are checked four times a minute, else once", async () => {
  const stage = await openStage();
  const { rig } = stage;
  const { order } = await stage.place();
  const asked = (type: string) => rig.exchange.asked.filter(({ request }) => request.type === type).length;
  const spent = async (durationMs: number) => {
    rig.exchange.asked.length = 0;
    await rig.clock.advance(durationMs);
    return [asked("userFillsByTime"), asked("frontendOpenOrders")];
  };
  // The open orders of two dexes each time.
  expect(await spent(40 * CROSS_CHECK_MS)).toEqual([40, 40]);
  stage.close(order, "marginCanceled");
  await rig.clock.advance(4 * CROSS_CHECK_MS);
  expect(await spent(40 * CROSS_CHECK_MS)).toEqual([10, 0]);
});
