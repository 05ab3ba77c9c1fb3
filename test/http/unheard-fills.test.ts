/** A bot's own resting order is filled, and the position tells it before anything else does: that is no position of others. */
import { expect, test } from "bun:test";
import {
  BOT,
  type Body,
  fillAt,
  inSeconds,
  limitedRig,
  MARK,
  type Position,
  place,
  railOf,
  refusalOf,
  stateOf,
} from "./rails-rig.ts";
import { ACCOUNTS, type Rig } from "./rig.ts";

const OID = 7_001;
const SALE = { side: "sell", time_in_force: "ioc", price: "59500" };

type Resting = { coin: string; side: string; limitPx: string; sz: string; origSz: string; cloid: string };

/** The bot has one purchase at rest. */
async function restingBot() {
  const positions: Position[] = [];
  const rig = await limitedRig({});
  rig.answers.set("clearinghouseState", () => stateOf(positions, rig.clock.nowMs()));
  let cloid = "";
  rig.deps.exchange.send = async (body) => {
    cloid = (JSON.parse(body) as { action: { orders: { c: string }[] } }).action.orders[0]?.c ?? "";
    const response = { type: "order", data: { statuses: [{ resting: { oid: OID, cloid } }] } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  const placedMs = rig.clock.nowMs();
  expect((await place(rig, { price: "59900" })).status).toBe(201);
  const order = { coin: "BTC", side: "B", limitPx: "59900", sz: "0.001", origSz: "0.001", cloid };
  showRecord(rig, order, { status: "open", placedMs });
  fillAt(rig, MARK);
  await rig.clock.advance(10_000);
  return { rig, positions, fill: () => fillOf(rig, order, placedMs) };
}

function showRecord(rig: Rig, order: Resting, { status, placedMs }: { status: string; placedMs: number }): void {
  const plain = { triggerCondition: "N/A", isTrigger: false, triggerPx: "0.0", children: [], isPositionTpsl: false };
  const shown = {
    ...order,
    ...plain,
    oid: OID,
    timestamp: placedMs,
    reduceOnly: false,
    orderType: "Limit",
    tif: "Gtc",
  };
  const statusTimestamp = rig.clock.nowMs();
  rig.answers.set("orderStatus", () => ({ status: "order", order: { order: shown, status, statusTimestamp } }));
}

/** Record and fills tell it from now on, if they are asked. */
function fillOf(rig: Rig, order: Resting, placedMs: number): void {
  showRecord(rig, { ...order, sz: "0.0" }, { status: "filled", placedMs });
  const { coin, side, limitPx, cloid } = order;
  const terms = { coin, side, px: limitPx, sz: "0.001", startPosition: "0.0", dir: "Open Long", cloid };
  const rest = { closedPnl: "0.0", hash: `0x${"1".repeat(64)}`, crossed: false, fee: "0.01", feeToken: "USDC" };
  const fill = { ...terms, ...rest, time: rig.clock.nowMs(), oid: OID, tid: 5, twapId: null };
  rig.answers.set("userFillsByTime", () => [fill]);
}

test.each<[string, Body]>([
  ["a sale", SALE],
  ["a sale that only reduces", { ...SALE, reduce_only: true }],
])("%s of what its own resting order has just bought passes", async (_what, terms) => {
  const { rig, positions, fill } = await restingBot();
  positions.push({ coin: "BTC", szi: "0.001" });
  fill();
  expect(await railOf(await inSeconds(rig, place(rig, terms)))).toBe("passed");
});

test("a close of what its own resting order has just bought is an order", async () => {
  const { rig, positions, fill } = await restingBot();
  const levels = [[{ px: "59990", sz: "5", n: 1 }], [{ px: "60010", sz: "5", n: 1 }]];
  rig.answers.set("l2Book", () => ({ coin: "BTC", time: rig.clock.nowMs(), levels }));
  positions.push({ coin: "BTC", szi: "0.001" });
  const body = { account: ACCOUNTS.main, market: "BTC" };
  const close = (idempotencyKey: string) =>
    inSeconds(rig, rig.ask({ path: "/v1/positions/close", apiKey: BOT, idempotencyKey, body }));
  expect(await refusalOf(await close("close-of-nothing-"))).toStartWith("409 nothing_to_close");
  fill();
  await rig.clock.advance(5_000);
  const closed = await close("close-of-the-fill");
  expect([closed.status, ((await closed.json()) as { size?: string }).size]).toEqual([201, "0.001"]);
});

test("and where that has bought nothing, others hold what the account holds, or it is not shown yet", async () => {
  const { rig, positions } = await restingBot();
  positions.push({ coin: "BTC", szi: "0.001" });
  const refused = await inSeconds(rig, place(rig, SALE));
  expect(await refused.clone().text()).toContain("or orders of this bot were filled and it is not shown yet");
  expect(await railOf(refused)).toBe("opposite_position");
});

test("more than it could have bought is others' without a doubt", async () => {
  const { rig, positions } = await restingBot();
  positions.push({ coin: "BTC", szi: "0.002" });
  const refused = await inSeconds(rig, place(rig, SALE));
  expect(await refused.text()).toContain("limit others hold the other side of BTC, use");
});
