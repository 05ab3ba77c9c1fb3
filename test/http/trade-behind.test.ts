/** A store that is behind shows a time of now all the same: what protects is not taken away on its word against known fills. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { findOrder } from "../../src/store/orders.ts";
import { findTrade } from "../../src/store/trades.ts";
import { indexFill, pass } from "./flatten-rig.ts";
import { MARK, openMarketRig, stateOf } from "./rails-rig.ts";
import type { Rig } from "./rig.ts";
import { created, guard } from "./trades-rig.ts";

const SIZE = "0.002";

type Wire = { s: string; c: string; t?: { trigger?: object } };

/** Every order is filled at once but for triggers, which wait. */
function filling(rig: Rig): void {
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...more) => {
    const { action } = JSON.parse(body) as { action: { orders?: Wire[] } };
    const [order] = action.orders ?? [];
    if (order === undefined || order.t?.trigger !== undefined) return send(body, ...more);
    const statuses = [{ filled: { totalSz: order.s, avgPx: MARK, oid: 70_001, cloid: order.c } }];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
}

test("a state of before the entry, of which it says now, ends no trade and takes no guard; the fill that closes it does", async () => {
  const rig = openMarketRig();
  const held = { szi: "0.5" };
  rig.answers.set("clearinghouseState", ({ dex }) =>
    stateOf((dex ?? "") === "" && held.szi !== "0" ? [{ coin: "BTC", szi: held.szi }] : [], rig.clock.nowMs()),
  );
  filling(rig);
  const { id } = await created(rig, { size: SIZE, stop_loss: guard("59000"), take_profit: guard("61000") });
  await pass(rig, 10);
  const trade = () => findTrade(rig.deps.store, id);
  expect(trade()).toMatchObject({ status: "open", heldSize: SIZE, unprotectedSinceMs: null });
  const entry = findOrder(rig.deps.store, trade()?.entryId ?? "");
  const fill = { market: "BTC", price: decimal(MARK), oid: entry?.exchangeOrderId ?? "", size: decimal(SIZE) };
  const timeMs = rig.clock.nowMs();
  indexFill(rig, { ...fill, timeMs, startPosition: decimal("0.5") });
  held.szi = "0";
  const cancels = () => rig.sent.filter((body) => body.includes('"cancel')).length;
  await pass(rig, 120);
  expect([trade()?.status, trade()?.heldSize, cancels()]).toEqual(["open", decimal(SIZE), 0]);
  const sale = { ...fill, side: "sell", oid: "88", size: decimal("0.502") } as const;
  indexFill(rig, { ...sale, timeMs: rig.clock.nowMs(), startPosition: decimal("0.502") });
  await pass(rig, 30);
  expect([trade()?.status, cancels()]).toEqual(["closed_outside", 2]);
});
