/** What was traded in a market, as clients are told: held against what the paper exchange says of it. */
import { describe, expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig, pass } from "../support/paper-rig.ts";

async function quoted(): Promise<PaperRig> {
  const rig = await openPaperRig({ hasSocket: true });
  await rig.trade("sell", "3", "95500");
  return rig;
}

describe("what was traded", () => {
  const CANDLES = "GET /v1/markets/BTC/candles";

  async function traded(): Promise<PaperRig> {
    const rig = await quoted();
    for (const size of ["0.1", "0.2", "0.3"]) {
      const terms = { market: "BTC", side: "buy", size, price: "95500", time_in_force: "ioc", reduce_only: false };
      const body = { account: FIRST.account.id, ...terms };
      const { status } = await rig.answer(FIRST, { route: "POST /v1/orders", key: `takes-${size}`, body });
      expect(status).toBe(201);
      await pass(rig, 61_000);
    }
    await pass(rig, 6_000);
    return rig;
  }

  type Listed = { data: Record<string, unknown>[]; has_more: boolean; next_cursor: string | null };

  async function listOf(rig: PaperRig, route: string): Promise<Listed> {
    const { status, body } = await rig.answer(FIRST, { route });
    expect(status).toBe(200);
    // The status says that it is a list.
    return body as unknown as Listed;
  }

  test("is told as candles, newest first, with the exchange's own figures", async () => {
    const rig = await traded();
    const { data } = await listOf(rig, `${CANDLES}?interval=1m&limit=500`);
    const req = { coin: "BTC", interval: "1m", startTime: 0, endTime: rig.paper.nowMs() };
    const theirs = (await rig.info({ type: "candleSnapshot", req })) as {
      t: number;
      c: string;
      v: string;
      n: number;
    }[];
    expect(data.length).toBeGreaterThanOrEqual(3);
    expect(data.map((candle) => [candle["opened_at"], Number(candle["close"]), Number(candle["volume"])])).toEqual(
      theirs.toReversed().map(({ t, c, v }) => [new Date(t).toISOString(), Number(c), Number(v)]),
    );
    expect(data[0]).toMatchObject({ object: "candle", market: "BTC", interval: "1m", complete: true });
  });

  test("comes in pages that lose no candle and repeat none, within what was asked for", async () => {
    const rig = await traded();
    const whole = await listOf(rig, `${CANDLES}?interval=1m&limit=500`);
    const since = String(whole.data.at(-1)?.["opened_at"]);
    const shown: unknown[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const more = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: Listed = await listOf(rig, `${CANDLES}?interval=1m&limit=1&since=${since}${more}`);
      expect(page.data.length).toBeLessThanOrEqual(1);
      shown.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(shown).toEqual(whole.data);
    const until = await listOf(rig, `${CANDLES}?interval=1m&until=${String(whole.data[0]?.["opened_at"])}`);
    expect(until.data).toEqual(whole.data.slice(1));
  });

  test("is asked once a second at most, however many ask", async () => {
    const rig = await traded();
    rig.asked.length = 0;
    await Promise.all([1, 2, 3].flatMap(() => [listOf(rig, CANDLES), listOf(rig, "GET /v1/markets/BTC/trades")]));
    expect(rig.asked.toSorted()).toEqual(["candleSnapshot", "recentTrades"]);
  });

  test("is told trade by trade, by whoever took the price, with its time", async () => {
    const rig = await traded();
    const { data } = await listOf(rig, "GET /v1/markets/BTC/trades");
    expect(data[0]).toMatchObject({ object: "market_trade", market: "BTC", side: "buy", price: "95500", size: "0.3" });
    expect(Date.parse(String(data[0]?.["created_at"]))).toBeLessThanOrEqual(rig.paper.nowMs());
    expect(data.some((trade) => "users" in trade)).toBeFalse();
  });

  test.each([
    ["?interval=7m", "invalid_parameter"],
    ["?since=yesterday", "invalid_parameter"],
    ["?until=2026-02-30", "invalid_parameter"],
    ["?cursor=x", "invalid_cursor"],
    ["?limit=501", "invalid_limit"],
  ])("is refused for %s", async (query, code) => {
    const rig = await quoted();
    const { status, body } = await rig.answer(FIRST, { route: `${CANDLES}${query}` });
    expect([status, body]).toMatchObject([400, { error: { code } }]);
  });
});
