/** What a bot reads in `headroom` is what the gateway takes over the paper exchange, to the last step of a size, rail by rail. */
import { expect, test } from "bun:test";
import { compare, type Decimal, decimal, divide, larger } from "../../src/core/decimal.ts";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { grantBody, grantText, signGrant } from "../support/limited-key.ts";
import { DELIVERY, FIRST, openPaperRig, type PaperRig, type Party } from "../support/paper-rig.ts";

const BOT: Party = { ...FIRST, apiKeys: [`api_trade_${"e5".repeat(32)}`, `api_trade_${"f6".repeat(32)}`] };
const OWNERS_KEY = `0x${"41".repeat(32)}`;
const STOP = { reduce_only: true, trigger: { price: "90000", kind: "stop_loss", market: false } };
const STEP = "0.00001";

type Row = Record<string, unknown>;
type Limits = { use: Row & { positions: Row[] }; headroom: Row & { positions: Row[] } };

async function limitsOf(rig: PaperRig): Promise<Limits> {
  return (await rig.answer(BOT, { route: "GET /v1/whoami" })).body["limits"] as Limits;
}

async function grant(rig: PaperRig, wanted: Partial<LimitedGrantText>): Promise<void> {
  const { ownerAddress: owner, tradingAddress, id: account } = FIRST.account;
  const of = { audience: "http://127.0.0.1:8787", account, owner, tradingAddress };
  const may = "increase,reduce,modify,cancel,twap,stop";
  const text = grantText(BOT.apiKeys[0], rig.clock.nowMs(), { ...of, may, ...wanted });
  const body = { grant: grantBody(text), signature: await signGrant(OWNERS_KEY, text) };
  expect((await rig.answer(FIRST, { route: "POST /v1/api-keys/limited", body })).status).toBe(201);
}

/** The status, or the rail that refused. */
async function place(rig: PaperRig, terms: Row): Promise<string> {
  const body = { account: FIRST.account.id, market: "BTC", side: "buy", ...terms };
  const { status, text } = await rig.answer(BOT, { route: "POST /v1/orders", body });
  return /Rail ([a-z_]+) /.exec(text)?.[1] ?? String(status);
}

/** A position, what rests on both sides, protection that waits and that rests, a TWAP, and an order whose answer was lost. */
async function openBook(rig: PaperRig): Promise<void> {
  await rig.trade("sell", "0.02", "95000");
  expect(await place(rig, { size: "0.02", price: "95000" })).toBe("201");
  expect(await place(rig, { size: "0.005", price: "94000" })).toBe("201");
  expect(await place(rig, { side: "sell", size: "0.003", price: "96000" })).toBe("201");
  expect(await place(rig, { ...STOP, side: "sell", size: "0.02", price: "89000" })).toBe("201");
  expect(await place(rig, { reduce_only: true, side: "sell", size: "0.02", price: "97000" })).toBe("201");
  const twap = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 60, randomize: false, reduce_only: false };
  expect((await rig.answer(BOT, { route: "POST /v1/twaps", body: twap })).status).toBe(200);
  for (const read of ["orderStatus", "frontendOpenOrders", "openOrders", "historicalOrders"]) rig.failing.add(read);
  rig.frames = (text, arrive) =>
    /"channel":"(clearinghouseState|allDexsClearinghouseState|pong)"/.test(text) ? arrive() : undefined;
  rig.deliveries.push(DELIVERY.answerLost);
  expect(await place(rig, { size: "0.004", price: "93000" })).toBe("202");
}

function referenceIn(rig: PaperRig): Decimal {
  const known = rig.deps.marketView.peek("mark", "BTC");
  if (known === null) throw new Error("no mark is known");
  const { mark, oracle } = known.value;
  return larger(mark, oracle ?? mark);
}

function leftOf(limits: Limits, rail: string): Decimal {
  const { headroom } = limits;
  const told = rail === "max_position" ? headroom.positions[0]?.["usd"] : headroom[rail];
  return decimal(String(told));
}

test.each<[refused: string, told: string, rails: Partial<LimitedGrantText>, side: "buy" | "sell"]>([
  ["max_position", "max_position", { maxPosition: "9000 USD" }, "buy"],
  ["max_exposure", "exposure", { maxExposure: "9000 USD" }, "buy"],
  ["max_turnover_per_day", "turnover_today", { maxTurnoverPerDay: "9000 USD" }, "buy"],
  ["max_turnover_per_day", "turnover_today", { maxTurnoverPerDay: "9000 USD" }, "sell"],
])("%s: an order of what is left (%s) is taken, and one of a step more is refused", async (rail, told, rails, side) => {
  const rig = await openPaperRig({ hasFeed: true });
  await grant(rig, rails);
  await openBook(rig);
  const price = referenceIn(rig);
  const limits = await limitsOf(rig);
  const fitting = divide(leftOf(limits, told), price, 5);
  expect(compare(fitting, STEP as Decimal)).toBe(1);
  const more = (Number(fitting) + Number(STEP)).toFixed(5);
  expect(await place(rig, { side, size: more, price })).toBe(rail);
  expect(["201", "202"]).toContain(await place(rig, { side, size: fitting, price }));
});

test("of a bot that touches all, what it has out and only reduces counts in what it is told", async () => {
  const rig = await openPaperRig({ hasFeed: true });
  await grant(rig, { touches: "all", maxPosition: "9000 USD" });
  await openBook(rig);
  const limits = await limitsOf(rig);
  // 0.02 held; 0.003 rests to be sold, and 0.02 twice only reduces: up to 0.023 short. 0.039 is the most that it may come to be long.
  expect(limits.use.positions).toMatchObject([{ market: "BTC", worst_case_size: "0.039" }]);
  expect(await place(rig, { reduce_only: true, side: "sell", size: "0.02", price: "97500" })).toBe("201");
  expect((await limitsOf(rig)).use.positions).toMatchObject([{ market: "BTC", worst_case_size: "0.043" }]);
  const price = referenceIn(rig);
  const fitting = divide(leftOf(await limitsOf(rig), "max_position"), price, 5);
  const more = (Number(fitting) + Number(STEP)).toFixed(5);
  expect(await place(rig, { side: "sell", size: more, price })).toBe("max_position");
  expect(["201", "202"]).toContain(await place(rig, { side: "sell", size: fitting, price }));
});

test.each<[refused: string, told: string, rails: Partial<LimitedGrantText>]>([
  ["max_actions_per_day", "actions_today", { maxActionsPerDay: "9" }],
  ["max_open_orders", "open_orders", { maxOpenOrders: "8" }],
])("%s: as many orders as are left are taken, and no further one", async (rail, told, rails) => {
  const rig = await openPaperRig({ hasFeed: true });
  await grant(rig, rails);
  await openBook(rig);
  const limits = await limitsOf(rig);
  const left = Number(limits.headroom[told]);
  expect(left).toBeGreaterThan(0);
  for (let placed = 0; placed < left; placed += 1)
    expect(await place(rig, { size: "0.001", price: "92000" })).toBe("201");
  expect((await limitsOf(rig)).headroom[told]).toBe(0);
  expect(await place(rig, { size: "0.001", price: "92000" })).toBe(rail);
});

test("max_loss_per_day: while anything of it is left orders are taken, and none once nothing is", async () => {
  const rig = await openPaperRig({ hasFeed: true });
  await grant(rig, { maxLossPerDay: "1 USD" });
  expect(leftOf(await limitsOf(rig), "loss_today")).toBe("1" as Decimal);
  await rig.trade("sell", "0.05", "95000");
  // Its fee is more than a dollar.
  expect(await place(rig, { size: "0.05", price: "95000" })).toBe("201");
  for (let waited = 0; waited < 30; waited += 1) await rig.clock.advance(500);
  expect(leftOf(await limitsOf(rig), "loss_today")).toBe("0" as Decimal);
  expect(await place(rig, { size: "0.001", price: "92000" })).toBe("max_loss_per_day");
});
