/** What a feed tells late, or of an ended connection, and what is read of before: none of it takes the place of what is newer. */
import { expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { createPicture, type Picture, type ReadPart } from "../../src/exchange/picture.ts";
import type { Leverage } from "../../src/wire/answer/account.ts";
import type { BasicOrder, FrontendOrder } from "../../src/wire/answer/order-status.ts";
import type { TwapRecord } from "../../src/wire/answer/twap.ts";

const WHO = "0x1";
const DISCONNECTED: FeedEvent = { kind: "disconnected", reason: "cut" };

function heard(...events: FeedEvent[]): Picture {
  const picture = createPicture();
  for (const event of events) picture.hear(WHO, event);
  return picture;
}

function head(serverTimeMs: number): FeedEvent {
  return { kind: "account_part", shown: { part: "head", value: { serverTimeMs, mode: null } } };
}

function update(status: string, statusTimestampMs: number, coin = "BTC"): FeedEvent {
  const order = { oid: "1", cloid: null, coin } as BasicOrder;
  return { kind: "order_updates", updates: [{ order, status, statusTimestampMs }] };
}

test.each<[string, FeedEvent[], { timeMs: number; isOpen: boolean }]>([
  ["open", [update("open", 100)], { timeMs: 100, isOpen: true }],
  ["open, after it has fired", [update("triggered", 200), update("open", 100)], { timeMs: 200, isOpen: false }],
  ["open, after its end", [update("canceled", 100), update("open", 200)], { timeMs: 200, isOpen: false }],
])("an order that is told to be %s is as its newest word says", (_what, events, stands) => {
  expect(heard(head(50), ...events).toldOf(WHO, "1")).toMatchObject(stands);
});

const LEVERAGE: Leverage = { type: "cross", value: 5, rawUsd: null };
const READ: ReadPart[] = [
  { part: "mode", value: "standard" },
  { part: "twaps", value: [] },
  { part: "leverage", market: "BTC", value: LEVERAGE },
];

test.each(READ)("what is read of an earlier time is not taken: %p", (shown) => {
  const picture = heard(head(100));
  const at = (timeMs: number) => picture.take(WHO, shown, { timeMs, askedAtMs: timeMs });
  expect([at(500), at(499), at(500), at(501)]).toEqual([true, false, true, true]);
});

test("records of TWAPs go on from what the same connection began with", () => {
  const record = { timeS: 5, state: { coin: "BTC", timestampMs: 5_000 }, status: "activated", twapId: "7" };
  const told = (isSnapshot: boolean): FeedEvent => ({
    kind: "twap_records",
    records: [record as unknown as TwapRecord],
    isSnapshot,
  });
  expect(heard(told(true)).isTold(WHO)).toBe(false);
  expect(heard(head(1), told(true), told(false)).twaps(WHO)?.value).toHaveLength(2);
  // What came between the two connections is in neither.
  expect(heard(head(1), told(true), DISCONNECTED, head(2), told(false)).twaps(WHO)).toBeNull();
});

test("a list of one dex says nothing of the records of another's orders", () => {
  const picture = heard(head(100), update("open", 110, "xyz:TSLA"));
  picture.takeRecord(WHO, "1", { oid: "1" } as FrontendOrder);
  const recorded = () => picture.toldOpen(WHO).map(({ record }) => record !== null);
  picture.take(WHO, { part: "open", dex: "", value: [] }, { timeMs: 120, askedAtMs: 120 });
  expect(recorded()).toEqual([true]);
  picture.take(WHO, { part: "open", dex: "xyz", value: [] }, { timeMs: 120, askedAtMs: 120 });
  expect(recorded()).toEqual([false]);
});

test("of two fills of one moment the place of the last is told", () => {
  const fills = (timeMs: number) => ({ kind: "fills", fills: [{ timeMs }] }) as unknown as FeedEvent;
  const picture = heard(fills(100), fills(90), fills(100));
  expect([picture.heardFillAt(WHO, 100), picture.heardFillAt(WHO, 90)]).toEqual([3, 2]);
});
