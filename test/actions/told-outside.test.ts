/** What is known of an order of elsewhere beside the record that one server shows. */
import { expect, test } from "bun:test";
import { isWhole, listedRecord, mostFilled, wasToldLately, withToldEnd } from "../../src/actions/told-outside.ts";
import { decimal } from "../../src/core/decimal.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import { insertFills } from "../../src/store/fills.ts";
import type { FrontendOrder, OrderRecord } from "../../src/wire/answer/order-status.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { fillRow } from "../support/rows.ts";

const OID = "4242";
const USER = ACCOUNT.tradingAddress;

const ORDER: FrontendOrder = {
  coin: "BTC",
  side: "B",
  limitPrice: decimal("100"),
  size: decimal("1"),
  originalSize: decimal("1"),
  oid: OID,
  cloid: null,
  timestampMs: START_MS,
  isTrigger: false,
  triggerPrice: null,
  triggerCondition: null,
  isPositionTpsl: false,
  reduceOnly: false,
  orderType: "Limit",
  tif: "Gtc",
  children: [],
};

/** As the account's feed tells it. */
function tell(rig: GatewayRig, status: string, sz: string): void {
  const order = { coin: "BTC", side: "B", limitPx: "100", sz, oid: Number(OID), timestamp: START_MS, origSz: "1" };
  const data = [{ order, status, statusTimestamp: START_MS + 1 }];
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  rig.deps.picture.hear(USER, { kind: "order_updates", updates: frame.updates });
}

function list(rig: GatewayRig, dex: string, agoMs: number): void {
  const timeMs = rig.deps.exchange.nowMs() - agoMs;
  rig.deps.picture.take(USER, { part: "open", dex, value: [ORDER] }, { timeMs, askedAtMs: timeMs });
}

test.each(["open", "triggered"])(
  "a record that says %s, of an order whose end was told, is from before that",
  (status) => {
    const rig = openGatewayRig();
    const record: OrderRecord = { order: ORDER, status, statusTimestampMs: START_MS };
    expect(withToldEnd(rig.deps, ACCOUNT, record)).toBe(record);
    tell(rig, "canceled", "0.4");
    expect(withToldEnd(rig.deps, ACCOUNT, record)).toMatchObject({
      status: "canceled",
      statusTimestampMs: START_MS + 1,
      order: { size: decimal("0.4"), originalSize: decimal("1") },
    });
  },
);

test("a record that says how it ended stands beside what was told", () => {
  const rig = openGatewayRig();
  tell(rig, "canceled", "0.4");
  const record: OrderRecord = { order: ORDER, status: "filled", statusTimestampMs: START_MS };
  expect(withToldEnd(rig.deps, ACCOUNT, record)).toBe(record);
});

test.each(["", "xyz"])("an order is listed by a list of now of the dex %p, and by none from before", (dex) => {
  const rig = openGatewayRig();
  const deps = { ...rig.deps, settings: { ...rig.deps.settings, dexes: ["xyz"] } };
  const { maxReadAgeMs } = deps.settings.timings;
  list(rig, dex, maxReadAgeMs + 1);
  expect(listedRecord(deps, ACCOUNT, OID)).toBeNull();
  list(rig, dex, 0);
  expect(listedRecord(deps, ACCOUNT, OID)).toMatchObject({ status: "open", order: { oid: OID } });
  expect(listedRecord(deps, ACCOUNT, "1")).toBeNull();
});

test("an order that was told open is open where no list shows it, once its record was read", () => {
  const rig = openGatewayRig();
  tell(rig, "open", "1");
  expect(listedRecord(rig.deps, ACCOUNT, OID)).toBeNull();
  rig.deps.picture.takeRecord(USER, OID, ORDER);
  expect(listedRecord(rig.deps, ACCOUNT, OID)).toMatchObject({ status: "open", order: { oid: OID } });
});

test("what was told of an order outweighs a server for as long as that may be behind, and no longer", async () => {
  const rig = openGatewayRig();
  expect(wasToldLately(rig.deps, ACCOUNT, OID)).toBe(false);
  tell(rig, "open", "1");
  expect(wasToldLately(rig.deps, ACCOUNT, OID)).toBe(true);
  await rig.clock.advance(BEHIND_MS + 1_000);
  expect(wasToldLately(rig.deps, ACCOUNT, OID)).toBe(false);
});

test("an order is whole by all that it asked for, not by what is left of it", () => {
  const filled = (size: string) => ({ size: decimal(size), notional: decimal("0") });
  const left = { ...ORDER, size: decimal("0.4") };
  expect([isWhole(left, filled("0.4")), isWhole(left, filled("1"))]).toEqual([false, true]);
  expect(isWhole({ ...left, originalSize: null }, filled("0.4"))).toBe(true);
});

test("of fills that were read and fills that are indexed the more count, and alone the indexed, where there are any", () => {
  const rig = openGatewayRig();
  const read = (size: string) => ({ size: decimal(size), notional: decimal("0") });
  const most = (found: ReturnType<typeof read> | null) => mostFilled(rig.deps, ACCOUNT, ORDER, found)?.size ?? null;
  const index = (id: string, size: string) =>
    insertFills(rig.store, [fillRow({ id, oid: OID, size: decimal(size) })], { atMs: START_MS, toldFromMs: 0 });
  expect(most(null)).toBeNull();
  index("1-BTC-1", "0.4");
  expect([most(read("0.3")), most(read("0.5")), most(null)]).toEqual(["0.4", "0.5", "0.4"].map(decimal));
  index("1-BTC-2", "0.6");
  expect(most(null)).toBe(decimal("1"));
});
