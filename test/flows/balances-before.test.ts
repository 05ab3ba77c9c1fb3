/** Without a feed: balances of before something that was told are told to nobody, and what is known to have moved them is told at once. */
import { expect, test } from "bun:test";
import { add, decimal, subtract, sum } from "../../src/core/decimal.ts";
import { FIRST, limitOrder, openPaperRig, type PaperRig } from "../support/paper-rig.ts";
import { offerBoth, takes } from "./liquid-rig.ts";

const SECOND = 1_000;
const MINE = FIRST.account.tradingAddress;

type Fill = { time: number; closedPnl: string; fee: string };

/** A unified account: its one balance as of after so many fills, with what else has come. */
type Bank = { shown: () => { fills: number; more: string }; ledger: object[]; lateMs: number };

async function open(): Promise<{ rig: PaperRig; bank: Bank }> {
  const rig = await openPaperRig();
  await offerBoth(rig);
  const bank: Bank = { shown: () => ({ fills: 99, more: "0" }), ledger: [], lateMs: 0 };
  const filled = async () => ((await rig.info({ type: "userFills", user: MINE })) as Fill[]).toReversed();
  rig.interfere = async (request) => {
    if (request["user"] !== MINE) return undefined;
    switch (request["type"]) {
      case "userAbstraction":
        return "unifiedAccount";
      case "userNonFundingLedgerUpdates":
        return bank.ledger;
      case "userFillsByTime":
        return (await filled()).filter(({ time }) => time <= rig.clock.nowMs() - bank.lateMs);
      case "spotClearinghouseState": {
        const { fills, more } = bank.shown();
        const paid = (await filled()).slice(0, fills).map((fill) => subtract(pnlOf(fill), decimal(fill.fee)));
        const total = add(add(decimal("20000"), decimal(more)), sum(paid));
        return { balances: [{ coin: "USDC", token: 0, total, hold: "0.0", entryNtl: "0.0" }] };
      }
      default:
        return undefined;
    }
  };
  await rig.clock.advance(20 * SECOND);
  return { rig, bank };
}

function pnlOf({ closedPnl }: Fill) {
  return decimal(closedPnl.replace(/\.0+$/, ""));
}

/** What is told to be held in all, or the word of the refusal, and how long that took. */
async function told(rig: PaperRig): Promise<{ total: unknown; tookMs: number }> {
  const beganMs = rig.clock.nowMs();
  const { status, body } = await rig.answer(FIRST, { route: "GET /v1/account" });
  const spot = body["spot"] as { total: string }[] | undefined;
  const total = status === 200 ? spot?.[0]?.total : (body["error"] as { code: string }).code;
  return { total, tookMs: rig.clock.nowMs() - beganMs };
}

const FEE = "0.270045";
const BOUGHT = subtract(decimal("20000"), decimal(FEE));
const TWICE = subtract(BOUGHT, decimal(FEE));

/** As after so many fills until then, and whole from then on. */
function behind(rig: PaperRig, bank: Bank, { fills, more = "0", now = more, forMs }: Behind): number {
  const untilMs = rig.clock.nowMs() + forMs;
  bank.shown = () => (rig.clock.nowMs() < untilMs ? { fills, more } : { fills: 99, more: now });
  return untilMs;
}

type Behind = { fills: number; more?: string; now?: string; forMs: number };

test("what stood between two own fills, and was never shown, is not told as of after both", async () => {
  const { rig, bank } = await open();
  expect(await told(rig)).toMatchObject({ total: "20000" });
  await takes(rig, "buy");
  await takes(rig, "buy");
  const untilMs = behind(rig, bank, { fills: 1, forMs: 4 * SECOND });
  expect(await told(rig)).toMatchObject({ total: TWICE });
  expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
});

test("what an honest exchange shows is told as soon as it lists the fill, and no later than it did before where nothing was filled", async () => {
  const { rig, bank } = await open();
  expect(await told(rig)).toEqual({ total: "20000", tookMs: expect.any(Number) });
  await takes(rig, "buy");
  const { total, tookMs } = await told(rig);
  expect([total, tookMs <= SECOND]).toEqual([BOUGHT, true]);
  bank.lateMs = 2 * SECOND;
  await takes(rig, "buy");
  const later = await told(rig);
  expect([later.total, later.tookMs < 5 * SECOND]).toEqual([TWICE, true]);
});

test("what stood between a deposit and an own fill, and was never shown, is not told as of after both", async () => {
  const { rig, bank } = await open();
  expect(await told(rig)).toMatchObject({ total: "20000" });
  const time = rig.clock.nowMs();
  await rig.clock.advance(100);
  await takes(rig, "buy");
  bank.ledger = [{ time, hash: `0x${"d".repeat(64)}`, delta: { type: "deposit", usdc: "33.0" } }];
  const untilMs = behind(rig, bank, { fills: 0, more: "33", forMs: 4 * SECOND });
  expect(await told(rig)).toMatchObject({ total: add(BOUGHT, decimal("33")) });
  expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
});

test("a deposit beside an own fill is told within a second where the ledger has it, and else when no server can be behind any more", async () => {
  const { rig, bank } = await open();
  expect(await told(rig)).toMatchObject({ total: "20000" });
  const time = rig.clock.nowMs();
  await rig.clock.advance(100);
  await takes(rig, "buy");
  bank.shown = () => ({ fills: 99, more: "33" });
  bank.ledger = [{ time, hash: `0x${"d".repeat(64)}`, delta: { type: "deposit", usdc: "33.0" } }];
  const known = await told(rig);
  expect([known.total, known.tookMs <= 2 * SECOND]).toEqual([add(BOUGHT, decimal("33")), true]);
  // Another that nothing lists.
  bank.shown = () => ({ fills: 99, more: "40" });
  await takes(rig, "buy");
  expect(await told(rig)).toMatchObject({ total: "exchange_unreachable" });
  await rig.clock.advance(14 * SECOND);
  expect(await told(rig)).toMatchObject({ total: add(TWICE, decimal("40")) });
});

test("what was filled by hand is told once its fill is listed, beside an own one", async () => {
  const { rig } = await open();
  expect(await told(rig)).toMatchObject({ total: "20000" });
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
  await takes(rig, "buy");
  const { total, tookMs } = await told(rig);
  expect([total, tookMs <= SECOND]).toEqual([TWICE, true]);
});

test("a bot that has traded since the start, and was never shown what it holds, is told it after its next fill at the latest", async () => {
  const { rig } = await open();
  await takes(rig, "buy");
  // What others have asked for within a second is shared.
  await rig.clock.advance(2 * SECOND);
  rig.store.memory.shownBalances.clear();
  expect(await told(rig)).toMatchObject({ total: "exchange_unreachable" });
  await takes(rig, "buy", "0.02");
  const { total, tookMs } = await told(rig);
  expect([total, tookMs <= 2 * SECOND]).toEqual([subtract(TWICE, decimal(FEE)), true]);
});

test("what an order held back that is canceled by hand is told free as soon as a look at the order shows that", async () => {
  const rig = await openPaperRig();
  await rig.clock.advance(20 * SECOND);
  const body = { account: FIRST.account.id, market: "PURR/USDC", side: "buy", size: "300", price: "0.1" };
  const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body });
  expect(placed.body["status"]).toBe("open");
  await rig.clock.advance(2 * SECOND);
  expect(await holding(rig)).toEqual(["30", true]);
  const oid = BigInt(String(placed.body["exchange_order_id"]));
  await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 10_000, o: oid }] });
  await rig.clock.advance(3 * SECOND);
  expect(await holding(rig)).toEqual(["0", true]);
});

/** What of USDC is told to be held back, and whether that took no longer than two seconds. */
async function holding(rig: PaperRig): Promise<[held: unknown, isSoon: boolean]> {
  const beganMs = rig.clock.nowMs();
  const { body } = await rig.answer(FIRST, { route: "GET /v1/account" });
  const spot = body["spot"] as { token: string; hold: string }[] | undefined;
  return [spot?.find(({ token }) => token === "USDC")?.hold ?? body, rig.clock.nowMs() - beganMs <= 2 * SECOND];
}
