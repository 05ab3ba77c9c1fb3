/** A record of an end that its feed tells too is not read twice; any other is. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { keepAgreedEnds, type RecordAnswer } from "../../src/settle/evidence/agreed-ends.ts";
import { FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const ORDER: RecordAnswer["order"] = {
  coin: "BTC",
  side: "B",
  limitPrice: decimal("90000"),
  size: decimal("1"),
  originalSize: decimal("1"),
  oid: "7",
  timestampMs: 1_000,
  cloid: "0x01",
  reduceOnly: false,
  isTrigger: false,
  triggerPrice: null,
  triggerCondition: null,
  orderType: "Limit",
  tif: "Gtc",
  isPositionTpsl: false,
  children: [],
};

function end(some: Partial<RecordAnswer> = {}, order: Partial<RecordAnswer["order"]> = {}): RecordAnswer {
  return { kind: "order", status: "canceled", statusTimestampMs: 5_000, order: { ...ORDER, ...order }, ...some };
}

const TOLD = end();

test.each<[string, told: RecordAnswer | null, sinceMs: number, isRead: boolean]>([
  ["of which its feed tells the same", TOLD, 2_999, false],
  ["that was read too long ago", TOLD, 3_000, true],
  ["of which its feed tells nothing", null, 0, true],
  ["of which its feed has another word", end({ status: "filled" }), 0, true],
  ["of which its feed has another time", end({ statusTimestampMs: 5_001 }), 0, true],
  ["of which its feed has another rest", end({}, { size: decimal("0.5") }), 0, true],
  ["of another order than its feed's", end({}, { oid: "8" }), 0, true],
])("a record %s", (_name, told, sinceMs, isRead) => {
  const ends = keepAgreedEnds();
  ends.note("0x01", told, end(), 10_000);
  expect(ends.find("0x01", told, 10_000 + sinceMs)).toEqual(isRead ? null : end());
});

test("a record of a moment ago is read again once its feed, or the record, tells otherwise", () => {
  const ends = keepAgreedEnds();
  ends.note("0x01", TOLD, end(), 0);
  expect(ends.find("0x01", end({ status: "marginCanceled" }), 1)).toBe(null);
  expect(ends.find("0x01", null, 1)).toBe(null);
  expect(ends.find("0x02", TOLD, 1)).toBe(null);
  ends.note("0x01", TOLD, end({ status: "open" }), 2);
  expect(ends.find("0x01", TOLD, 3)).toBe(null);
});

/** How often the exchange was asked for each thing while an order was canceled. */
async function askedInCancel(hasFeed: boolean, interfere?: PaperRig["interfere"]): Promise<Record<string, number>> {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200, hasFeed });
  for (let step = 0; step < 170; step += 1) await rig.clock.advance(100);
  const body = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "90000" };
  const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body });
  await rig.clock.advance(2_000);
  const asked: Record<string, number> = {};
  rig.interfere = (request) => {
    const type = String(request["type"]);
    asked[type] = (asked[type] ?? 0) + 1;
    return interfere?.(request);
  };
  const route = `POST /v1/orders/${String(placed.body["id"])}/cancel`;
  const canceled = await rig.answer(FIRST, { route, body: {} });
  expect(canceled.body).toMatchObject({ status: "canceled", filled_size: "0" });
  return asked;
}

test("a cancel that the feed tells reads the record once, and the position until two of after it are a second apart", async () => {
  expect(await askedInCancel(true)).toMatchObject({ orderStatus: 1, clearinghouseState: 3 });
});

test("a cancel that no feed tells reads the record each time", async () => {
  const asked = await askedInCancel(false);
  expect(asked).toMatchObject({ orderStatus: 3, clearinghouseState: 3, userFillsByTime: 3 });
});
