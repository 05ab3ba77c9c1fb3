/** A trigger that is left over in a market which the exchange has settled: no record, and no position that fills would explain. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Market } from "../../src/core/market.ts";
import { insertFills } from "../../src/store/fills.ts";
import { findOrder } from "../../src/store/orders.ts";
import { stateOf } from "../http/rails-rig.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";
import { fillRow } from "../support/rows.ts";

const STOP = { trigger: { price: "90", kind: "stop_loss", market: true }, side: "sell", price: "80" } as const;

type Settled = { isDelisted?: boolean; held?: string; minutes?: number; ownFill?: boolean };

/** It waits, its market ends, and nothing shows it any more while the account goes on elsewhere. */
async function leftOver({ isDelisted = true, held = "0", minutes = 13, ownFill = false }: Settled) {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001", { ...STOP, reduceOnly: true }));
  const id = String(shown["id"]);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  const bought = fillRow({ accountId: ACCOUNT.id, oid: "1", timeMs: rig.clock.nowMs(), size: decimal("2") });
  insertFills(rig.store, [bought], { atMs: rig.clock.nowMs(), toldFromMs: 0 });
  await rig.clock.advance(60_000);
  const market = rig.deps.markets.current()?.byName.get("BTC") as Market;
  Object.assign(market, { isDelisted });
  rig.venue.orders.length = 0;
  rig.venue.history = [];
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  const newerMs = rig.clock.nowMs() + 25_000;
  rig.venue.orders.push({ ...placed, oid: 9_000, cloid: "0x9", isBuy: true, statusAtMs: newerMs, placedAtMs: newerMs });
  const positions = held === "0" ? [] : [{ coin: "BTC", szi: held }];
  rig.exchange.answer("clearinghouseState", () => stateOf(positions, rig.clock.nowMs()));
  const own = {
    id: "2",
    oid: String(placed.oid),
    side: "sell",
    size: decimal("0.5"),
    startPosition: decimal("2"),
  } as const;
  const soldAtMs = bought.timeMs + 1_000;
  if (ownFill) insertFills(rig.store, [{ ...bought, ...own, timeMs: soldAtMs }], { atMs: soldAtMs, toldFromMs: 0 });
  for (let look = 0; look < minutes * 5; look += 1) {
    await rig.clock.advance(12_000);
    await rig.deps.settling.look(id, "settle");
  }
  Object.assign(market, { isDelisted: false });
  return findOrder(rig.store, id);
}

test("it is over once that is shown for ten minutes, with what the known fills say of it", async () => {
  expect(await leftOver({})).toMatchObject({ status: "canceled", filledSize: "0" });
  expect(await leftOver({ ownFill: true })).toMatchObject({ status: "canceled", filledSize: "0.5" });
});

test.each<[string, Settled]>([
  ["before ten minutes have passed", { minutes: 8 }],
  ["while the market is listed: what is missing may be a fill of it", { isDelisted: false }],
  ["while something is held there", { held: "1.5" }],
])("it is unknown %s", async (_what, settled) => {
  expect(await leftOver(settled)).toMatchObject({ status: "unknown" });
});
