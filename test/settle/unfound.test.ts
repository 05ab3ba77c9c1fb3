/** A lost order in an account that does nothing else: what the exchange's own answers to cancels of it prove, and what they do not. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import { raiseAlarm } from "../../src/settle/look/apply-sight.ts";
import { findAttempt } from "../../src/store/attempts.ts";
import { insertFills, setFillCursor } from "../../src/store/fills.ts";
import { listLegs } from "../../src/store/legs.ts";
import { findOrder, insertPlacing } from "../../src/store/orders.ts";
import { fillCursors } from "../../src/store/schema.ts";
import { ACCOUNT, DELIVERY, type Delivery, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { filledByAnswer, fillRow } from "../support/rows.ts";
import type { BookOrder } from "../support/small-venue.ts";

const MINUTE = 60_000;

/** Two markets of spot in which one token is traded. */
const PURR: Market = {
  name: "PURR/USDC",
  kind: "spot",
  dex: "",
  assetId: 10_000,
  sizeDecimals: 0,
  maxLeverage: null,
  marginMode: "any",
  isDelisted: false,
  pairName: "PURR/USDC",
};
const PURR_FOR_USDH: Market = { ...PURR, name: "@150", assetId: 10_150, pairName: "PURR/USDH" };

const FATES: readonly Delivery[] = [DELIVERY.neverArrived, DELIVERY.normal];

/** It never arrives, or does and is gone; the empty action that takes its number does, and its answer is lost. Then it is canceled. */
async function lostAndCanceled(terms: Partial<OrderTerms> = {}, [placing, canceling]: readonly Delivery[] = FATES) {
  const rig = openGatewayRig();
  const universe = buildUniverse(
    [...(rig.deps.markets.current()?.byName.values() ?? []), PURR, PURR_FOR_USDH],
    START_MS,
  );
  rig.deps.markets.current = () => universe;
  rig.deps.markets.refresh = async () => universe;
  const reading = { elapsedMs: rig.clock.elapsedMs() };
  rig.deps.markets.ageMs = () => rig.clock.elapsedMs() - reading.elapsedMs;
  rig.deliveries.push(placing ?? DELIVERY.neverArrived, DELIVERY.answerLost);
  rig.place("key-0001", terms).catch(() => undefined);
  await rig.clock.advance(10_000);
  const id = findAttempt(rig.store, 1)?.resource.id ?? "";
  rig.deliveries.push(canceling ?? DELIVERY.normal);
  rig.cancel("cancel-1", id).catch(() => undefined);
  await rig.clock.advance(10_000);
  return { rig, id, reading };
}

type Lost = Awaited<ReturnType<typeof lostAndCanceled>>;

/** Time goes on, and the list of markets is read every half minute. */
async function goOn({ rig, reading }: Pick<Lost, "reading" | "rig">, forMs: number, isListRead = true): Promise<void> {
  for (let passed = 0; passed < forMs; passed += 10_000) {
    if (isListRead && passed % 30_000 === 0) reading.elapsedMs = rig.clock.elapsedMs();
    await rig.clock.advance(10_000);
  }
}

function statusOf({ rig, id }: Lost): string | undefined {
  return findOrder(rig.store, id)?.status;
}

function cancelsOf(rig: GatewayRig): number {
  return rig.exchange.sent.filter(({ body }) => body.includes('"cancelByCloid"')).length;
}

test("it is over once cancels by newer lists of markets have found nothing for five minutes and the position stands", async () => {
  const lost = await lostAndCanceled();
  await goOn(lost, 4 * MINUTE);
  expect(statusOf(lost)).toBe("unknown");
  await goOn(lost, 5 * MINUTE);
  expect(findOrder(lost.rig.store, lost.id)).toMatchObject({
    status: "canceled",
    filledSize: "0",
    error: expect.stringContaining("nothing to cancel"),
  });
  expect(findAttempt(lost.rig.store, 1)).toMatchObject({ state: "done", seal: "nonce_taken", negatives: 0 });
  // Once a minute is enough, and once it is known there is no more to ask.
  const asked = cancelsOf(lost.rig);
  expect(asked).toBeLessThan(12);
  await goOn(lost, 5 * MINUTE);
  expect(cancelsOf(lost.rig)).toBe(asked);
});

test("that is so by now at the latest, where it was dated by a clock that is contradicted since", async () => {
  const lost = await lostAndCanceled();
  const { exchange } = lost.rig.deps;
  const { nowMs } = exchange;
  await goOn(lost, 4 * MINUTE);
  exchange.nowMs = () => nowMs() + 60 * MINUTE;
  await goOn(lost, 3 * MINUTE);
  expect(statusOf(lost)).toBe("unknown");
  exchange.nowMs = nowMs;
  await goOn(lost, 2 * MINUTE);
  expect(findOrder(lost.rig.store, lost.id)).toMatchObject({ status: "canceled", filledSize: "0" });
});

test.each([
  ["before that is", 0, "unknown"],
  ["after that is not", 60 * MINUTE, "canceled"],
])("by fills that are all known it is over, of which one that was told of what was sent %s", async (...row) => {
  const [, sentAtMs, status] = row;
  const lost = await lostAndCanceled();
  const { rig } = lost;
  rig.venue.failing.add("clearinghouseState");
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 60 * MINUTE);
  const told = filledByAnswer(9, { accountId: ACCOUNT.id, market: "ETH", oid: "99", filled: "1" });
  insertPlacing(rig.store, { ...told, attempt: { ...told.attempt, nonce: START_MS + sentAtMs } });
  await goOn(lost, 15 * MINUTE);
  expect<unknown>(statusOf(lost)).toBe(status);
});

const STAYS: [string, (lost: Lost) => void | Promise<void>][] = [
  [
    "under another number than the one that it was signed with",
    ({ rig }) => {
      const [listed] = [...(rig.deps.markets.current()?.byName.values() ?? [])];
      if (listed === undefined) throw new Error("no market");
      const moved = buildUniverse([{ ...listed, assetId: 5 }], START_MS);
      rig.deps.markets.current = () => moved;
    },
  ],
  [
    "while its market is doubted",
    ({ rig }) => {
      rig.deps.markets.isSuspected = () => true;
    },
  ],
  [
    "while no position can be read",
    ({ rig }) => {
      rig.venue.failing.add("clearinghouseState");
    },
  ],
  [
    "where a fill of nobody may be its own",
    ({ rig }) => {
      // It leaves the position where it is shown.
      const startPosition = decimal("-1");
      const news = { toldFromMs: Number.POSITIVE_INFINITY, atMs: rig.clock.nowMs() };
      insertFills(
        rig.store,
        [fillRow({ accountId: ACCOUNT.id, oid: "777", startPosition, timeMs: rig.clock.nowMs() })],
        news,
      );
    },
  ],
];

test.each(STAYS)("it stays unknown %s", async (_what, begin) => {
  const lost = await lostAndCanceled();
  await begin(lost);
  await goOn(lost, 15 * MINUTE);
  expect(statusOf(lost)).toBe("unknown");
});

test.each([
  ["stays unknown where another's order bears its client order id", false, "unknown"],
  ["ends all the same where an answer was for an order that bears another's", true, "canceled"],
])("it %s", async (_what, isOfAnotherName, status) => {
  const lost = await lostAndCanceled();
  const [leg] = listLegs(lost.rig.store, lost.id);
  if (leg === undefined) throw new Error("no leg");
  const difference = { words: "5 instead of 1", isOtherMarket: false, mayBeOurs: false, isOfAnotherName, oid: "7" };
  raiseAlarm(lost.rig.deps, leg, difference);
  await goOn(lost, 15 * MINUTE);
  expect(statusOf(lost)).toBe(status);
});

test("what cancels can tell is asked for no longer, whatever else is awaited", async () => {
  const lost = await lostAndCanceled();
  lost.rig.venue.failing.add("clearinghouseState");
  await goOn(lost, 15 * MINUTE);
  expect(cancelsOf(lost.rig)).toBeLessThan(10);
});

test("it stays unknown where no newer list of markets is read", async () => {
  const lost = await lostAndCanceled();
  await goOn(lost, 15 * MINUTE, false);
  expect(statusOf(lost)).toBe("unknown");
});

const TRIGGER: Partial<OrderTerms> = { trigger: { price: "90", kind: "stop_loss", market: true } };

test("a trigger is over by the same, and is asked for as seldom", async () => {
  const lost = await lostAndCanceled(TRIGGER);
  await goOn(lost, 4 * MINUTE);
  expect(statusOf(lost)).toBe("unknown");
  await goOn(lost, 6 * MINUTE);
  expect(findOrder(lost.rig.store, lost.id)).toMatchObject({ status: "canceled", filledSize: "0" });
  expect(cancelsOf(lost.rig)).toBeLessThan(12);
});

/** By the owner's own hand: of after the signing and no newer than its end, which would tell it; or of before it. */
function placedByHand({ rig }: Lost, some: Partial<BookOrder> = {}): void {
  const cloid = `0x${"07".repeat(16)}`;
  const terms = { oid: 7, cloid, isBuy: true, price: "50", size: "3", tif: "Gtc", reduceOnly: false, isTrigger: false };
  const times = { placedAtMs: START_MS + 2_000, statusAtMs: START_MS + 2_000 };
  rig.venue.orders.push({ ...terms, status: "open", ...times, fills: [], ...some });
}

test.each<[string, Partial<BookOrder>, string]>([
  ["while an order stands there that it may have placed", {}, "unknown"],
  ["not for one on the other side", { isBuy: false }, "canceled"],
  ["not for one of before it", { placedAtMs: START_MS - MINUTE }, "canceled"],
  ["not for one that is over, and has no fills", { status: "canceled" }, "canceled"],
])("a trigger may have fired under another id %s", async (_what, some, status) => {
  const lost = await lostAndCanceled(TRIGGER);
  placedByHand(lost, some);
  await goOn(lost, 15 * MINUTE);
  expect(statusOf(lost)).toBe(status);
});

const SPOT: Partial<OrderTerms> = { market: "PURR/USDC", size: "3", price: "100" };

/** A fill of ours, or of another's hand, that left a balance. */
function bought(rig: GatewayRig, some: Parameters<typeof fillRow>[0]): void {
  const of = {
    accountId: ACCOUNT.id,
    market: "PURR/USDC",
    size: decimal("10"),
    fee: decimal("0.01"),
    feeToken: "PURR",
  };
  const news = { toldFromMs: Number.POSITIVE_INFINITY, atMs: START_MS };
  insertFills(rig.store, [fillRow({ timeMs: START_MS - MINUTE, ...of, ...some })], news);
}

/** By the answer to an order of ours. */
function toldFilled(rig: GatewayRig, market: string): void {
  insertPlacing(rig.store, filledByAnswer(9, { accountId: ACCOUNT.id, market, oid: "99", filled: "3" }));
}

function holds(rig: GatewayRig, total: string, entryNtl = "120.0"): void {
  rig.venue.balances = [{ coin: "PURR", token: 1, total, hold: "0.0", entryNtl }];
}

test.each<[string, (rig: GatewayRig) => void, string]>([
  ["nothing is held and nothing was ever filled", () => undefined, "canceled"],
  [
    "the balance is what the last fill has left, less its fee",
    (rig) => {
      bought(rig, {});
      holds(rig, "9.99");
    },
    "canceled",
  ],
  [
    "the balance is more",
    (rig) => {
      bought(rig, {});
      holds(rig, "12.99");
    },
    "unknown",
  ],
  ["something is held that no fill accounts for", (rig) => holds(rig, "3.0"), "unknown"],
  ["what is held came by transfers: nothing was paid for it", (rig) => holds(rig, "1000.0", "0.0"), "canceled"],
  [
    "the token was traded in another market since",
    (rig) => {
      bought(rig, {});
      bought(rig, { id: "2", market: "@150", timeMs: START_MS - 1, startPosition: decimal("9.99"), side: "sell" });
      holds(rig, "9.99");
    },
    "unknown",
  ],
  [
    "fills were never read",
    (rig) => {
      rig.store.delete(fillCursors).run();
    },
    "unknown",
  ],
  [
    "more was filled than is listed yet",
    (rig) => {
      toldFilled(rig, "PURR/USDC");
      bought(rig, { oid: "99", size: decimal("1"), fee: decimal("0") });
      holds(rig, "1.0");
    },
    "unknown",
  ],
  [
    "something was filled in another market of its token, and is not listed yet",
    (rig) => toldFilled(rig, "@150"),
    "unknown",
  ],
  ["that is so in a market without its token", (rig) => toldFilled(rig, "BTC"), "canceled"],
  ["no balance can be read", (rig) => rig.venue.failing.add("spotClearinghouseState"), "unknown"],
])("of a lost order on spot, where %s", async (_what, begin, status) => {
  const lost = await lostAndCanceled(SPOT);
  begin(lost.rig);
  await goOn(lost, 16 * MINUTE);
  expect(statusOf(lost)).toBe(status);
});

test("what nothing was paid for may have been sold", async () => {
  const lost = await lostAndCanceled({ ...SPOT, side: "sell" });
  holds(lost.rig, "1000.0", "0.0");
  await goOn(lost, 16 * MINUTE);
  expect(statusOf(lost)).toBe("unknown");
});

test("a balance counts once no server is from before the cancels that found nothing", async () => {
  const lost = await lostAndCanceled(SPOT);
  await goOn(lost, 8 * MINUTE);
  expect(statusOf(lost)).toBe("unknown");
  await goOn(lost, 3 * MINUTE);
  expect(statusOf(lost)).toBe("canceled");
});

test("nobody asks for what nobody wants canceled", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.neverArrived, DELIVERY.answerLost);
  rig.place("key-0001").catch(() => undefined);
  await goOn({ rig, reading: { elapsedMs: 0 } }, 15 * MINUTE);
  const id = findAttempt(rig.store, 1)?.resource.id ?? "";
  expect([findOrder(rig.store, id)?.status, cancelsOf(rig)]).toEqual(["unknown", 0]);
});

test("one that rests unseen, and that the first cancel never reached, is canceled by the next", async () => {
  const unseen: Delivery = (body, venue) => {
    venue.isBlind = true;
    for (const list of ["frontendOpenOrders", "historicalOrders"]) venue.failing.add(list);
    return DELIVERY.answerLost(body, venue);
  };
  const lost = await lostAndCanceled({}, [unseen, DELIVERY.neverArrived]);
  const [order] = lost.rig.venue.orders;
  await goOn(lost, 2 * MINUTE);
  expect(order?.status).toBe("canceled");
});
