/** What an account's feed has shown and a list lacks: the server that answered may be behind it. */
import { expect, test } from "bun:test";
import { cancelOutside } from "../../src/actions/cancel-outside.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertStop, listOutside } from "../../src/store/stops.ts";
import { parseFrontendOpenOrders } from "../../src/wire/answer/open-orders.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { STOP } from "./bracket-of-elsewhere.ts";

const ORDER = {
  coin: "BTC",
  side: "B",
  limitPx: "100.0",
  sz: "1.0",
  oid: 4242,
  timestamp: START_MS,
  triggerCondition: "N/A",
  isTrigger: false,
  triggerPx: "0.0",
  children: [],
  isPositionTpsl: false,
  reduceOnly: false,
  orderType: "Limit",
  origSz: "1.0",
  tif: "Gtc",
  cloid: null,
};

function recordOf(status: string) {
  return { status: "order", order: { order: ORDER, status, statusTimestamp: START_MS } };
}

test.each<[string, unknown, string[]]>([
  ["goes, where the server knows nothing of it", { status: "unknownOid" }, ["canceled"]],
  ["goes, where its record is open", recordOf("open"), ["canceled"]],
  ["is left alone, where its record says that it is over", recordOf("canceled"), []],
])("it %s", async (_what, record, told) => {
  const rig = openGatewayRig();
  inTransaction(rig.store, () => insertStop(rig.store, STOP, { actor: "operator", idempotencyKey: null }));
  const value = parseFrontendOpenOrders([ORDER]);
  if (value === null) throw new Error("not read");
  const mark = { timeMs: START_MS, askedAtMs: START_MS };
  rig.deps.picture.take(ACCOUNT.tradingAddress, { part: "open", dex: "", value }, mark);
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.exchange.answer("orderStatus", () => record);
  const canceling = cancelOutside(rig.deps, STOP, ACCOUNT);
  await rig.clock.advance(10_000);
  expect(await canceling).toBe(true);
  expect(listOutside(rig.store, STOP.id).map(({ outcome }) => outcome)).toEqual(told as never);
  expect(rig.exchange.sent.some(({ body }) => body.includes('"cancel"'))).toBe(told.length > 0);
});
