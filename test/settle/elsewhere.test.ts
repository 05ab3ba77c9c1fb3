/** An order that the exchange's answer names stands in another market: the list of markets has moved under it. */
import { expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { openMarkets } from "../../src/exchange/markets.ts";
import { raiseAlarm } from "../../src/settle/look/apply-sight.ts";
import { newOrder } from "../../src/settle/place/new-order.ts";
import { placeOwn, storeOwnOrder } from "../../src/settle/place/place-own.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listLegs } from "../../src/store/legs.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { openFollowing } from "../support/following.ts";
import {
  ACCOUNT,
  AGENT_ADDRESS,
  DELIVERY,
  type Delivery,
  type GatewayRig,
  openGatewayRig,
  type Shown,
} from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";
import { openStage } from "./feed-stage.ts";

/** What becomes of an order, and what is told of it. */
type Rig = GatewayRig & {
  updateIn(coin: string): FeedEvent;
  tellFeed(coin: string): void;
  showRecord(coin: string): void;
};

/** Nothing has confirmed a market yet. */
function openRig({ isFed }: { isFed: boolean }): Rig {
  const rig = openGatewayRig();
  const { confirm, heedSilence, isWordDue } = openMarkets({ exchange: rig.exchange, dexes: [], clock: rig.clock });
  Object.assign(rig.deps.markets, { confirm, heedSilence, isWordDue });
  if (isFed) Object.assign(rig.deps.feeds, { isLive: () => true });
  const shownIn = (coin: string) => {
    const record = recordOf(rig.venue.orders.at(-1) ?? fail()) as { order: object };
    return { ...record, order: { ...record.order, coin } };
  };
  const show = (coin: string) => {
    rig.exchange.answer("orderStatus", () => ({ status: "order", order: shownIn(coin) }));
    rig.exchange.answer("frontendOpenOrders", () => [shownIn(coin).order]);
    rig.exchange.answer("historicalOrders", () => [shownIn(coin)]);
  };
  const updateIn = (coin: string): FeedEvent => {
    const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: [shownIn(coin)] }));
    if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
    return { kind: "order_updates", updates: frame.updates };
  };
  return {
    ...rig,
    showRecord: show,
    updateIn,
    tellFeed(coin) {
      show(coin);
      rig.deps.picture.hear(ACCOUNT.tradingAddress, updateIn(coin));
    },
  };
}

function fail(): never {
  throw new Error("nothing placed");
}

/** When the market is told: before the exchange's answer, after it, or only by a record. */
const WORDS = {
  "the feed, before the answer":
    (rig: Rig, coin: string): Delivery =>
    (body, venue) => {
      const outcome = venue.take(body);
      rig.tellFeed(coin);
      return outcome;
    },
  "the feed, 100 ms after the answer":
    (rig: Rig, coin: string): Delivery =>
    (body, venue, clock) => {
      void clock.sleep(100).then(() => rig.tellFeed(coin));
      return venue.take(body);
    },
  "a record, where there is no feed":
    (rig: Rig, coin: string): Delivery =>
    (body, venue) => {
      const outcome = venue.take(body);
      rig.showRecord(coin);
      return outcome;
    },
} as const;

async function placeWith(words: keyof typeof WORDS, coin: string): Promise<{ rig: Rig; said: Shown; tookMs: number }> {
  const rig = openRig({ isFed: words !== "a record, where there is no feed" });
  rig.deliveries.push(WORDS[words](rig, coin));
  const startMs = rig.clock.elapsedMs();
  const said = await rig.answerOf(rig.place("key-0001"));
  return { rig, said, tookMs: rig.clock.elapsedMs() - startMs };
}

const ROWS = Object.keys(WORDS) as (keyof typeof WORDS)[];

test.each(ROWS)("an order that is told to stand in another market by %s is never told as open", async (words) => {
  const { rig, said, tookMs } = await placeWith(words, "ETH");
  // Nobody waits for a better word.
  expect(tookMs).toBeLessThanOrEqual(200);
  const alarm = "ALARM: the exchange shows the market ETH instead of BTC";
  expect([said.httpStatus, said.order["status"]]).toEqual([202, "unknown"]);
  expect(said.order["error"]).toStartWith(alarm);
  const repeated = await rig.answerOf(rig.place("key-0001"));
  expect([repeated.httpStatus, repeated.order["status"], repeated.isReplay]).toEqual([202, "unknown", true]);
  expect(repeated.order["error"]).toStartWith(alarm);
  expect(findOrder(rig.store, String(said.order["id"]))).toMatchObject({ status: "unknown" });
});

test.each(ROWS)("one that is told to stand in its market by %s is answered as soon as that is told", async (words) => {
  const { said, tookMs } = await placeWith(words, "BTC");
  expect([said.httpStatus, said.order["status"], said.order["error"]]).toEqual([201, "open", null]);
  expect(tookMs).toBeLessThanOrEqual(100);
});

test("an order that nobody asks for just then is pursued at once where its answer names another market", async () => {
  const rig = openRig({ isFed: true });
  rig.deliveries.push(WORDS["the feed, before the answer"](rig, "ETH"));
  const market = rig.deps.markets.current()?.byName.get("BTC");
  if (market === undefined) throw new Error("the test has no market");
  const terms = { side: "sell", size: "0.01", price: "59000", timeInForce: "ioc", reduceOnly: true } as const;
  const idempotencyKey = "gateway-own-1";
  const about = { accountId: ACCOUNT.id, market, terms: { ...terms, trigger: null }, idempotencyKey, keyHash: null };
  const pursued: number[] = [];
  const settling = { pursue: async (id: number) => void pursued.push(id) };
  const own = placeOwn(rig.deps, settling, {
    account: ACCOUNT,
    store: (slot) =>
      inTransaction(rig.store, () =>
        storeOwnOrder(rig.deps, ACCOUNT, newOrder(rig.deps, about), { route: "own", signer: AGENT_ADDRESS, slot }),
      ),
  });
  await rig.clock.advance(1_000);
  await own;
  expect(pursued).toEqual(listOpenAttempts(rig.store).map(({ id }) => id));
  expect(pursued).toHaveLength(1);
});

test("an answer waits for the word on its market no longer than 400 ms, and once a minute, heard or not", async () => {
  const rig = openRig({ isFed: true });
  const waits: number[] = [];
  const placeOnce = async (delivery: Delivery) => {
    rig.deliveries.push(delivery);
    const startMs = rig.clock.elapsedMs();
    expect((await rig.answerOf(rig.place(`key-000${waits.length}`))).order["status"]).toBe("open");
    waits.push(rig.clock.elapsedMs() - startMs);
  };
  await placeOnce(DELIVERY.normal);
  await placeOnce(DELIVERY.normal);
  await rig.clock.advance(60_000);
  await placeOnce(WORDS["the feed, before the answer"](rig, "BTC"));
  await placeOnce(DELIVERY.normal);
  await rig.clock.advance(60_000);
  await placeOnce(DELIVERY.normal);
  // The stage looks every 100 ms.
  expect(waits).toEqual([400, 100, 100, 100, 400]);
});

test("a word that comes after the answer is in every repeat of its key, and in what is read", async () => {
  const rig = openRig({ isFed: true });
  const said = await rig.answerOf(rig.place("key-0001"));
  expect([said.httpStatus, said.order["status"]]).toEqual([201, "open"]);
  rig.showRecord("ETH");
  await rig.deps.settling.look(String(said.order["id"]));
  const order = findOrder(rig.store, String(said.order["id"]));
  expect(order).toMatchObject({ status: "unknown", error: expect.stringContaining("ALARM") });
  const repeated = await rig.answerOf(rig.place("key-0001"));
  expect([repeated.httpStatus, repeated.isReplay, repeated.order["status"], repeated.order["error"]]).toEqual([
    202,
    true,
    "unknown",
    order?.error,
  ]);
  rig.showRecord("BTC");
  await rig.clock.advance(2_000);
  await rig.deps.settling.look(String(said.order["id"]));
  const again = await rig.answerOf(rig.place("key-0001"));
  expect([again.httpStatus, again.order["status"], again.order["error"]]).toEqual([201, "open", null]);
});

test("an alarm that the feed gave before the answer was lost stands beside that", async () => {
  const rig = openRig({ isFed: true });
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  rig.deliveries.push((body, venue) => {
    const outcome = DELIVERY.answerLost(body, venue);
    follower.onEvent(ACCOUNT.tradingAddress, rig.updateIn("ETH"));
    rig.venue.failing.add("orderStatus");
    return outcome;
  });
  const { order } = await rig.answerOf(rig.place("key-0001"));
  expect([order["status"], String(order["error"]).slice(0, 6)]).toEqual(["unknown", "ALARM:"]);
});

test("a list of open orders that holds it in another market tells it, where the feed has told nothing", async () => {
  const stage = await openStage();
  const { id } = await stage.place();
  const { rig } = stage;
  const record = recordOf(rig.venue.orders.at(-1) ?? fail()) as { order: object };
  rig.exchange.answer("frontendOpenOrders", () => [{ ...record.order, coin: "ETH" }]);
  await stage.follower.resync("all");
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", error: expect.stringContaining("ALARM") });
});

test.each([
  ["its own native id moves it", 0, "closing"],
  ["another native id, beside our client order id, leaves it where it is", 1, "resting"],
])("what is shown in another market under %s", async (_name, beyond, state) => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const [leg] = listLegs(rig.store, String(order["id"]));
  if (leg === undefined) throw new Error("nothing placed");
  const oid = String(Number(leg.oid) + beyond);
  raiseAlarm(rig.deps, leg, { words: "ETH instead of BTC", isOtherMarket: true, mayBeOurs: true, oid });
  expect(listLegs(rig.store, leg.orderId)[0]?.state).toBe(state as typeof leg.state);
});
