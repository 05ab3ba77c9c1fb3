/** Without a feed: what an isolated position takes out of the one balance of an account makes no honest exchange one that is behind, nor one of before one of now. */
import { expect, test } from "bun:test";
import { FIRST, limitOrder, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const SECOND = 1_000;
const MINE = FIRST.account.tradingAddress;
const MARKET = "xyz:TSLA";

async function openUnified(): Promise<{ rig: PaperRig; assetId: number }> {
  const rig = await openPaperRig();
  rig.paper.happen({
    kind: "action",
    input: {
      action: { type: "userSetAbstraction", user: MINE, abstraction: "unifiedAccount" },
      signer: MINE,
      vaultAddress: null,
      nonce: rig.clock.nowMs(),
      expiresAfter: null,
      nowMs: rig.clock.nowMs(),
    },
  });
  const assetId = rig.deps.markets.current()?.byName.get(MARKET)?.assetId ?? -1;
  await rig.trade("sell", "50", "400.1", assetId);
  await rig.trade("buy", "50", "399.9", assetId);
  await rig.clock.advance(20 * SECOND);
  return { rig, assetId };
}

async function take(rig: PaperRig, side: "buy" | "sell", market = MARKET): Promise<void> {
  const [size, price] = market === MARKET ? ["1", side === "buy" ? "404" : "396"] : ["0.001", "60600"];
  const terms = { market, side, size, price, time_in_force: "ioc" };
  const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body: { account: FIRST.account.id, ...terms } });
  expect(placed.body["status"]).toBe("filled");
}

async function give(rig: PaperRig, amount: string): Promise<void> {
  const done = await rig.answer(FIRST, { route: "POST /v1/margin", body: { market: MARKET, amount } });
  expect(done.body["status"]).toBe("succeeded");
}

/** What of USDC is told, or the word of the refusal, and how long that took. */
async function told(rig: PaperRig): Promise<{ total: unknown; tookMs: number }> {
  const beganMs = rig.clock.nowMs();
  const { status, body } = await rig.answer(FIRST, { route: "GET /v1/account" });
  const spot = body["spot"] as { token: string; total: string }[] | undefined;
  const total = status === 200 ? Number(spot?.find(({ token }) => token === "USDC")?.total) : body["error"];
  return { total, tookMs: rig.clock.nowMs() - beganMs };
}

type Spot = { balances: { coin: string; total: string }[] };

async function spotNow(rig: PaperRig): Promise<{ whole: Spot; total: number }> {
  const whole = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
  return { whole, total: Number(whole.balances.find(({ coin }) => coin === "USDC")?.total) };
}

test("a unified account is told its balance after each fill of an isolated position", async () => {
  const { rig } = await openUnified();
  const read = async () => (await rig.answer(FIRST, { route: "GET /v1/account" })).status;
  const answers = [await read()];
  for (const side of ["sell", "sell", "buy", "buy", "buy"] as const) {
    await take(rig, side);
    answers.push(await read());
  }
  expect(answers).toEqual([200, 200, 200, 200, 200, 200]);
});

test("and beside one that a hand has filled since the positions were read", async () => {
  const { rig, assetId } = await openUnified();
  await rig.trade("sell", "1", "60000", 0);
  await take(rig, "buy");
  await rig.clock.advance(3 * SECOND);
  await told(rig);
  await rig.elsewhere(FIRST, limitOrder({ assetId, side: "buy", size: "1", price: "404" }));
  await take(rig, "buy", "BTC");
  const now = await spotNow(rig);
  const answer = await told(rig);
  expect(answer.total).toBeCloseTo(now.total, 6);
  expect(answer.tookMs).toBeLessThanOrEqual(2 * SECOND);
});

test("nor is less held back than an own order does where a hand has reduced a cross position since the positions were read", async () => {
  const { rig } = await openUnified();
  await rig.trade("sell", "1", "60000", 0);
  await rig.trade("buy", "1", "59990", 0);
  await take(rig, "buy", "BTC");
  await rig.clock.advance(30 * SECOND);
  const terms = { market: "PURR/USDC", side: "buy", size: "200", price: "0.1" };
  const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body: { account: FIRST.account.id, ...terms } });
  expect(placed.body["status"]).toBe("open");
  await rig.clock.advance(3 * SECOND);
  await told(rig);
  // A balance that is asked for now is of now, while these positions still stand.
  await rig.clock.advance(1_200);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "sell", size: "0.0005", price: "59000" }));
  await take(rig, "buy");
  const now = await spotNow(rig);
  const answer = await told(rig);
  expect(answer.total).toBeCloseTo(now.total, 6);
  expect(answer.tookMs).toBeLessThanOrEqual(2 * SECOND);
});

/** Margin, and what else has moved the balance just before it. */
test.each([
  ["10", "nothing else"],
  ["12", "margin that was given"],
  ["10", "a fill of the position"],
] as const)(
  "a balance of before own margin of %s is not told where %s has moved it, and one of now is",
  async (amount, before) => {
    const { rig } = await openUnified();
    await take(rig, "buy");
    if (before !== "a fill of the position") await rig.clock.advance(30 * SECOND);
    if (before === "margin that was given") await give(rig, "30");
    await told(rig);
    const { whole, total } = await spotNow(rig);
    await give(rig, amount);
    const honest = await told(rig);
    expect(honest.total).toBeCloseTo(total - Number(amount), 6);
    expect(honest.tookMs).toBeLessThanOrEqual(SECOND);
    await rig.clock.advance(3 * SECOND);
    const untilMs = rig.clock.nowMs() + 3 * SECOND;
    rig.interfere = ({ type, user }) =>
      type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? whole : undefined;
    const late = await told(rig);
    expect(late.total).toBeCloseTo(total - Number(amount), 6);
    expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
  },
);
