/** A bot's own resting order is filled, and the position tells it before anything else does: that is no position of others. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertLeg, listLegs } from "../../src/store/legs.ts";
import { insertOrder, listOpenOrders } from "../../src/store/orders.ts";
import { indexFill } from "./flatten-rig.ts";
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

test.each<[string, (rig: Rig) => void]>([
  [
    "the exchange keeps no record of any more",
    (rig) => void rig.answers.set("orderStatus", () => ({ status: "unknownOid" })),
  ],
  ["cannot be looked at", (rig) => void rig.answers.delete("orderStatus")],
  ["is looked at for longer than a close waits", (rig) => lookFor(rig, 2_000)],
])("a bot is not told that it holds nothing beside a resting order that %s", async (_what, hide) => {
  const { rig, positions } = await restingBot();
  positions.push({ coin: "BTC", szi: "0.001" });
  hide(rig);
  expect(await refusalOf(await closing(rig, "close-of-unshown-"))).toStartWith("409 position_unproven");
  // What the known fills explain it has not bought.
  const bought = { id: "fill-1", side: "buy", size: decimal("0.001"), startPosition: decimal("0") } as const;
  indexFill(rig, { ...bought, market: "BTC", timeMs: rig.clock.nowMs() - 9 });
  expect(await refusalOf(await closing(rig, "close-explained--"))).toStartWith("409 nothing_to_close");
});

/** A look takes so long, milliseconds, and shows it open. */
function lookFor(rig: Rig, takesMs: number): void {
  const { settling, clock } = rig.deps;
  rig.deps.settling = {
    ...settling,
    async look() {
      await clock.sleep(takesMs);
      return "open";
    },
  };
}

test("of more resting orders than are looked at, those that are not may have bought what is held", async () => {
  const { rig, positions } = await restingBot();
  const row = listOpenOrders(rig.deps.store, ACCOUNTS.main)[0];
  const [leg] = row === undefined ? [] : listLegs(rig.deps.store, row.id);
  if (row === undefined || leg === undefined) throw new Error("bug: nothing rests");
  // Its own last digit is drawn.
  const digits = [..."12345"].filter((digit) => !row.id.endsWith(digit)).slice(0, 4);
  for (const [index, digit] of digits.entries()) {
    const nth = index + 1;
    const [id, oid] = [`${row.id.slice(0, -1)}${digit}`, String(OID + nth)];
    inTransaction(rig.deps.store, () => {
      insertOrder(rig.deps.store, { ...row, id, exchangeOrderId: oid });
      insertLeg(rig.deps.store, { ...leg, orderId: id, oid, cloid: `0x${String(nth).repeat(32)}` });
    });
  }
  positions.push({ coin: "BTC", szi: "0.001" });
  rig.deps.settling = { ...rig.deps.settling, look: async () => "open" };
  expect(await refusalOf(await closing(rig, "close-of-unshown-"))).toStartWith("409 position_unproven");
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

/** The bot has bought at most so much by what it has sent, and what became of that nobody has told. */
async function unheardBot(ask: (rig: Rig) => Promise<Response>, positions: Position[]): Promise<Rig> {
  const rig = await limitedRig({ may: "increase,reduce,cancel,twap", maxDistance: "3 %" }, positions);
  rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
  await inSeconds(rig, ask(rig));
  return rig;
}

function lost(rig: Rig, terms: Body): Promise<Response> {
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "silence" });
  return place(rig, { time_in_force: "ioc", ...terms });
}

function running(rig: Rig): Promise<Response> {
  const body = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 5, reduce_only: false };
  return rig.ask({ path: "/v1/twaps", apiKey: BOT, idempotencyKey: "twap-of-this-test", body });
}

function closing(rig: Rig, idempotencyKey: string): Promise<Response> {
  const body = { account: ACCOUNTS.main, market: "BTC" };
  return inSeconds(rig, rig.ask({ path: "/v1/positions/close", apiKey: BOT, idempotencyKey, body }));
}

test.each<[string, (rig: Rig) => Promise<Response>, string]>([
  ["an order whose answer was lost", (rig) => lost(rig, {}), "409 position_unproven"],
  ["a sale whose answer was lost has bought nothing", (rig) => lost(rig, { side: "sell" }), "409 nothing_to_close"],
  ["a TWAP whose fills may not have been told", running, "409 position_unproven"],
])("a bot is not told that it holds nothing of what it may have bought: %s", async (_what, ask, told) => {
  const rig = await unheardBot(ask, [{ coin: "BTC", szi: "0.0005" }]);
  expect(await refusalOf(await closing(rig, "close-of-unheard-"))).toStartWith(told);
});

test.each<[string, (rig: Rig) => Promise<Response>]>([
  ["an order whose answer was lost", (rig) => lost(rig, {})],
  ["a TWAP", running],
])("where the account holds nothing on that side, %s is in nobody's way", async (_what, ask) => {
  for (const szi of ["0", "-0.0005"]) {
    const rig = await unheardBot(ask, szi === "0" ? [] : [{ coin: "BTC", szi }]);
    expect(await refusalOf(await closing(rig, "close-of-unheard-"))).toStartWith("409 nothing_to_close");
  }
});

test("what the known fills explain no TWAP of the bot's has bought untold", async () => {
  const rig = await unheardBot(running, [{ coin: "BTC", szi: "0.0005" }]);
  expect(await refusalOf(await closing(rig, "close-of-unheard-"))).toStartWith("409 position_unproven");
  const fill = {
    market: "BTC",
    id: "fill-1",
    side: "buy",
    size: decimal("0.0005"),
    startPosition: decimal("0"),
  } as const;
  indexFill(rig, { ...fill, timeMs: rig.clock.nowMs() - 9 });
  expect(await refusalOf(await closing(rig, "close-explained--"))).toStartWith("409 nothing_to_close");
});

test("and where the position cannot be read nobody says that the bot holds nothing either", async () => {
  const rig = await unheardBot((each) => lost(each, {}), []);
  await rig.clock.advance(10_000);
  rig.answers.delete("clearinghouseState");
  expect(await refusalOf(await closing(rig, "close-of-unheard-"))).toStartWith("409 position_unproven");
});
