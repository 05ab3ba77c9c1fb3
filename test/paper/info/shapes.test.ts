/** Every answer to a read, of an account with something of everything, against the SDK's response types. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { infoTypes } from "../../../src/paper/info/types.ts";
import { mismatches } from "../sdk-types.ts";
import { serve, stranger } from "../support.ts";

const bench = serve({ tickMs: 20_000 });
const user = bench.owner.address;
const agent = stranger();
const CLOID = "0xabc000000000000000000000000000a1";
const BUILDER = `0x${"b0".repeat(20)}` as const;
const NOBODY = `0x${"0f".repeat(20)}` as const;
let oid = 0;

beforeAll(async () => {
  const { client } = bench;
  const gtc = { limit: { tif: "Gtc" } } as const;
  const ioc = { limit: { tif: "Ioc" } } as const;
  await client.approveAgent({ agentAddress: agent.address, agentName: "bot" });
  await client.approveAgent({ agentAddress: stranger().address });
  await client.order({ orders: [{ a: 0, b: true, p: "97000", s: "0.01", r: false, t: ioc }], grouping: "na" });
  await client.updateLeverage({ asset: 1, isCross: false, leverage: 5 });
  await client.order({ orders: [{ a: 1, b: false, p: "3000", s: "0.5", r: false, t: ioc }], grouping: "na" });
  await client.order({ orders: [{ a: 110_001, b: true, p: "430", s: "0.1", r: false, t: ioc }], grouping: "na" });
  await client.order({ orders: [{ a: 10_107, b: false, p: "36", s: "3", r: false, t: ioc }], grouping: "na" });
  const rested = await client.order({
    orders: [{ a: 0, b: true, p: "90000", s: "0.01", r: false, t: gtc, c: CLOID }],
    grouping: "na",
  });
  const [status] = rested.response.data.statuses;
  oid = typeof status === "object" && "resting" in status ? status.resting.oid : 0;
  const stop = { trigger: { isMarket: true, triggerPx: "80000", tpsl: "sl" } } as const;
  await client.order({ orders: [{ a: 0, b: false, p: "70000", s: "0.01", r: true, t: stop }], grouping: "na" });
  const target = { trigger: { isMarket: false, triggerPx: "99000", tpsl: "tp" } } as const;
  await client.order({
    orders: [
      { a: 0, b: true, p: "91000", s: "0.01", r: false, t: gtc },
      { a: 0, b: false, p: "99000", s: "0.01", r: true, t: target },
    ],
    grouping: "normalTpsl",
  });
  await client.order({ orders: [{ a: 10_107, b: true, p: "30", s: "3", r: false, t: gtc }], grouping: "na" });
  await client.twapOrder({ twap: { a: 0, b: true, s: "0.02", r: false, m: 5, t: true } });
  await client.usdSend({ destination: NOBODY, amount: "12.5" });
  await client.usdClassTransfer({ amount: "10", toPerp: false });
  bench.pass(3_700_000);
});
afterAll(() => bench.server.stop());

const COIN = { coin: "BTC" };
const FROM = { startTime: 0 };
/** Members of the request beside `type` and `user`. */
const MEMBERS: Readonly<Record<string, object>> = {
  orderStatus: { oid: CLOID },
  l2Book: COIN,
  recentTrades: COIN,
  activeAssetData: { coin: "ETH" },
  candleSnapshot: { req: { ...COIN, interval: "5m", startTime: 0 } },
  fundingHistory: { ...COIN, ...FROM },
  userFunding: FROM,
  userNonFundingLedgerUpdates: FROM,
  userFillsByTime: FROM,
  userTwapSliceFillsByTime: FROM,
  userBorrowLendInterest: FROM,
  maxBuilderFee: { builder: BUILDER },
  marginTable: { id: 56 },
  perpDexLimits: { dex: "xyz" },
  perpDexStatus: { dex: "xyz" },
  preTransferCheck: { source: NOBODY },
  vaultDetails: { vaultAddress: NOBODY },
  perpAnnotation: COIN,
  settledOutcome: { outcome: 1 },
  tokenDetails: { tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054" },
};

/** The SDK's type knows no vault that does not exist, and here none does. */
const TYPED = infoTypes().filter((type) => type !== "vaultDetails");

function typeName(type: string): string {
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}Response`;
}

describe("the SDK's types as checks", () => {
  const order = { coin: "BTC", side: "B", limitPx: "1.0", sz: "1.0", oid: 1, timestamp: 1, origSz: "1.0" };

  // biome-ignore format: one answer a row
  const ANSWERS: readonly [object, string[]][] = [
    [order, []],
    [{ ...order, cloid: CLOID, reduceOnly: true }, []],
    [{ ...order, reduceOnly: false }, ["OpenOrdersResponse[0].reduceOnly: want true"]],
    [{ ...order, cloid: null }, ["OpenOrdersResponse[0].cloid: want a string"]],
    [{ ...order, oid: "1" }, ["OpenOrdersResponse[0].oid: want number"]],
    [{ ...order, side: "S" }, ['OpenOrdersResponse[0].side: want "B"']],
    [{ ...order, more: 1 }, ["OpenOrdersResponse[0].more: not known"]],
    [{ ...order, sz: "1e3" }, ["OpenOrdersResponse[0].sz: 1e3 is not /^[0-9]+(\\.[0-9]+)?$/"]],
  ];
  test.each(ANSWERS)("of %j say %j", (answer, problems) => {
    expect(mismatches("OpenOrdersResponse", [answer])).toEqual(problems);
  });
});

describe("the answer to", () => {
  test.each(TYPED)("%s is as the SDK's types say", async (type) => {
    const answer = await bench.info({ type, user, ...MEMBERS[type] });
    expect(mismatches(typeName(type), answer)).toEqual([]);
  });

  test.each(TYPED)("%s about a stranger is as well", async (type) => {
    const answer = await bench.info({ type, user: NOBODY.replace("0f", "0e"), ...MEMBERS[type] });
    expect(mismatches(typeName(type), answer)).toEqual([]);
  });

  test("tokenDetails tells the prices of the token's own pair, and nothing of a token that is none", async () => {
    const tokenId = "0x0d01dc56dcaaca66ad901c959b4011ec";
    const details = await bench.info({ type: "tokenDetails", tokenId });
    expect(details).toMatchObject({ name: "HYPE", markPx: expect.stringMatching(/^[34][0-9]\.[0-9]+$/) });
    await expect(bench.info({ type: "tokenDetails", tokenId: "0x00" })).rejects.toThrow("500 null");
  });

  test("reads of an account that trades is not empty", async () => {
    const kinds = ["openOrders", "frontendOpenOrders", "historicalOrders", "userFills", "userTwapSliceFills"];
    const more = ["twapHistory", "userFunding", "userNonFundingLedgerUpdates", "extraAgents"];
    for (const type of [...kinds, ...more]) {
      const rows = await bench.info({ type, user, ...MEMBERS[type] });
      expect([type, Array.isArray(rows) ? rows.length > 0 : rows]).toEqual([type, true]);
    }
    expect(await bench.info({ type: "orderStatus", user, oid })).toMatchObject({ status: "order" });
  });
});
