/** Every action that a trading client sends, by the SDK over HTTP: the reply's type, or the exchange's words. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ApiRequestError } from "@nktkas/hyperliquid";
import type { OrderParameters } from "@nktkas/hyperliquid/api/exchange";
import { mismatches } from "./sdk-types.ts";
import { type Served, serve, stranger } from "./support.ts";

const bench = serve();
const { client, infoClient, owner } = bench;
const user = owner.address;
const friend = stranger();
const agent = stranger();
afterAll(() => bench.server.stop());

const GTC = { limit: { tif: "Gtc" as const } };
const IOC = { limit: { tif: "Ioc" as const } };
const CLOID = "0xabc000000000000000000000000000c1";
const HYPE = "HYPE:0x0d01dc56dcaaca66ad901c959b4011ec";

function limit(a: number, p: string, s: string, rest: object = {}): OrderParameters {
  return { orders: [{ a, b: true, p, s, r: false, t: GTC, ...rest }], grouping: "na" };
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(
    () => new Error("accepted"),
    (error: unknown) => error,
  );
  if (!(failure instanceof ApiRequestError)) throw failure;
  return failure.message;
}

async function oidOf(promise: Promise<{ response: { data: { statuses: unknown[] } } }>): Promise<number> {
  const [status] = (await promise).response.data.statuses;
  if (status === null || typeof status !== "object" || !("resting" in status)) throw new Error("did not rest");
  // The SDK's own type of a resting status.
  return (status.resting as { oid: number }).oid;
}

beforeAll(async () => {
  bench.paper.fund(friend.address);
  await client.approveAgent({ agentAddress: agent.address, agentName: "bot" });
  await client.order(limit(0, "97000", "0.1", { t: IOC }));
  await client.order(limit(110_001, "430", "1", { t: IOC }));
});

type Call = (served: Served) => Promise<unknown>;

// biome-ignore format: one action a row: what it is, the SDK's type of the reply, the call
const ACCEPTED: readonly [string, string, Call][] = [
  ["a priority fee of nothing", "OrderResponse", () => client.order({ ...limit(0, "90000", "0.001"), grouping: { p: 0 } })],
  ["a resting order", "OrderResponse", () => client.order(limit(0, "90000", "0.001", { c: CLOID }))],
  ["a cancel by cloid", "CancelResponse", () => client.cancelByCloid({ cancels: [{ asset: 0, cloid: CLOID }] })],
  ["a post-only order", "OrderResponse", () => client.order(limit(0, "90000", "0.001", { t: { limit: { tif: "Alo" } } }))],
  ["a market order of the frontend", "OrderResponse", () => client.order(limit(0, "97000", "0.001", { t: { limit: { tif: "FrontendMarket" } } }))],
  ["a reduce-only order", "OrderResponse", () => client.order(limit(0, "99000", "0.001", { b: false, r: true }))],
  ["a stop", "OrderResponse", () => client.order(limit(0, "80000", "0.01", { b: false, r: true, t: { trigger: { isMarket: true, triggerPx: "85000", tpsl: "sl" } } }))],
  ["a take-profit of the whole position", "OrderResponse", () => client.order({ orders: [{ a: 0, b: false, p: "105000", s: "0", r: true, t: { trigger: { isMarket: false, triggerPx: "105000", tpsl: "tp" } } }], grouping: "positionTpsl" })],
  ["an order with a builder that was approved", "OrderResponse", async () => {
    await client.approveBuilderFee({ builder: friend.address, maxFeeRate: "0.01%" });
    return client.order({ ...limit(0, "90000", "0.001"), builder: { b: friend.address, f: 5 } });
  }],
  ["a modify", "ModifyResponse", async () => client.modify({ oid: await oidOf(client.order(limit(0, "90000", "0.001"))), order: limit(0, "89000", "0.001").orders[0] as never })],
  ["a modify that may cross", "BatchModifyResponse", async () => {
    const oid = await oidOf(client.order(limit(1, "2900", "0.1")));
    const [order] = limit(1, "3300", "0.1", { t: IOC }).orders;
    return client.batchModify({ modifies: [{ oid, order: order as never }], a: true });
  }],
  ["a cross leverage", "UpdateLeverageResponse", () => client.updateLeverage({ asset: 0, isCross: true, leverage: 25 })],
  ["an isolated leverage", "UpdateLeverageResponse", () => client.updateLeverage({ asset: 5, isCross: false, leverage: 5 })],
  ["isolated margin", "UpdateIsolatedMarginResponse", () => client.updateIsolatedMargin({ asset: 110_001, isBuy: true, ntli: 1_000_000 })],
  ["a top-up of a strictly isolated position", "TopUpIsolatedOnlyMarginResponse", () => client.topUpIsolatedOnlyMargin({ asset: 110_001, leverage: "0.9" })],
  ["a TWAP", "TwapOrderResponse", () => client.twapOrder({ twap: { a: 0, b: true, s: "0.05", r: false, m: 30, t: true } })],
  ["the end of a TWAP", "TwapCancelResponse", async () => {
    const { response } = await client.twapOrder({ twap: { a: 0, b: true, s: "0.05", r: false, m: 30, t: true } });
    return client.twapCancel({ a: 0, t: response.data.status.running.twapId });
  }],
  ["a noop", "NoopResponse", () => client.noop({ nonce: bench.nowMs + 5_000 })],
  ["more requests", "ReserveRequestWeightResponse", () => client.reserveRequestWeight({ weight: 100 })],
  ["a referrer", "SetReferrerResponse", () => client.setReferrer({ code: "FRIEND" })],
  ["a fee for a builder", "ApproveBuilderFeeResponse", () => client.approveBuilderFee({ builder: friend.address, maxFeeRate: "0.02%" })],
  ["a transfer to spot", "UsdClassTransferResponse", () => client.usdClassTransfer({ amount: "100", toPerp: false })],
  ["dollars for a friend", "UsdSendResponse", () => client.usdSend({ destination: friend.address, amount: "10" })],
  ["tokens for a friend", "SpotSendResponse", () => client.spotSend({ destination: friend.address, token: HYPE, amount: "1" })],
  ["collateral for another dex", "SendAssetResponse", () => client.sendAsset({ destination: user, sourceDex: "", destinationDex: "xyz", token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", amount: "10" })],
  ["a withdrawal", "Withdraw3Response", () => client.withdraw3({ destination: user, amount: "10" })],
  ["the unified mode", "UserSetAbstractionResponse", () => bench.clientOf(friend).userSetAbstraction({ user: friend.address, abstraction: "unifiedAccount" })],
];

describe("the exchange takes", () => {
  test.each(ACCEPTED)("%s and answers with %s", async (_what, type, call) => {
    const reply = await call(bench);
    expect(mismatches(type, reply)).toEqual([]);
    expect(reply).toHaveProperty("status", "ok");
  });

  test("children of an order, which wait for its fill", async () => {
    const trigger = (triggerPx: string, tpsl: "tp" | "sl") => ({ trigger: { isMarket: true, triggerPx, tpsl } });
    const reply = await client.order({
      orders: [
        { a: 1, b: true, p: "2900", s: "0.1", r: false, t: GTC },
        { a: 1, b: false, p: "4000", s: "0.1", r: true, t: trigger("4000", "tp") },
        { a: 1, b: false, p: "2000", s: "0.1", r: true, t: trigger("2500", "sl") },
      ],
      grouping: "normalTpsl",
    });
    expect(mismatches("OrderResponse", reply)).toEqual([]);
    expect(reply.response.data.statuses.slice(1)).toEqual(["waitingForFill", "waitingForFill"]);
    const open = await infoClient.frontendOpenOrders({ user });
    expect(open.find((order) => order.coin === "ETH" && order.children.length > 0)?.children).toHaveLength(2);
  });

  test("a sub-account, its money and its orders", async () => {
    const rich = serve({ tickMs: 60_000 });
    const made = await rich.client.createSubAccount({ name: "second" }).catch((failure: unknown) => failure);
    if (made instanceof ApiRequestError) {
      // The exchange wants $100,000 of volume first.
      expect(made.message).toContain("Cannot create sub-accounts until enough volume traded.");
      for (let turn = 0; turn < 8; turn += 1) {
        await rich.client.order({
          orders: [{ a: 0, b: turn % 2 === 0, p: turn % 2 === 0 ? "97000" : "93000", s: "0.15", r: false, t: IOC }],
          grouping: "na",
        });
        rich.pass(60_000);
      }
    }
    const { response } = await rich.client.createSubAccount({ name: "second" });
    const subAccount = response.data;
    await rich.client.subAccountTransfer({ subAccountUser: subAccount, isDeposit: true, usd: 1_000_000_000 });
    const order = await rich.client.order(limit(0, "90000", "0.001"), { vaultAddress: subAccount });
    expect(order.response.data.statuses[0]).toHaveProperty("resting");
    expect(await rich.infoClient.openOrders({ user: subAccount })).toHaveLength(1);
    expect(mismatches("SubAccountsResponse", await rich.infoClient.subAccounts({ user: rich.owner.address }))).toEqual(
      [],
    );
    await rich.server.stop();
  });
});

const asAgent = bench.clientOf(agent);
const STRANGER = stranger();

// biome-ignore format: one refusal a row: what it is, the call, the words
const REFUSED: readonly [string, Call, string | RegExp][] = [
  ["less than ten dollars", () => client.order(limit(0, "90000", "0.0001")), "Order must have minimum value of $10. asset=0"],
  ["a price between two ticks", () => client.order(limit(0, "90000.55", "0.001")), "Price must be divisible by tick size. asset=0"],
  ["a size between two lots", () => client.order(limit(1, "3000", "0.00001")), "Order has invalid size."],
  ["a price far from the market", () => client.order(limit(0, "1000", "1")), /^order 0: Order price cannot be more than [0-9]+% away from the reference price$/],
  ["more than there is margin for", () => client.order(limit(0, "90000", "1000")), "Insufficient margin to place order. asset=0"],
  ["a reduce-only order on the wrong side", () => client.order(limit(0, "90000", "0.001", { r: true })), "Reduce only order would increase position. asset=0"],
  ["a post-only order that crosses", () => client.order(limit(0, "97000", "0.001", { t: { limit: { tif: "Alo" } } })), /Post only order would have immediately matched, bbo was [0-9.]+@[0-9.]+\. asset=0/],
  ["an immediate order that finds nobody", () => client.order(limit(0, "90000", "0.001", { t: IOC })), "Order could not immediately match against any resting orders. asset=0"],
  ["a cancel of nothing", () => client.cancel({ cancels: [{ a: 0, o: 1 }] }), "Order was never placed, already canceled, or filled. asset=0"],
  ["a modify of nothing", () => client.modify({ oid: 1, order: limit(0, "90000", "0.001").orders[0] as never }), "Cannot modify canceled or filled order"],
  ["a builder that was never approved", () => client.order({ ...limit(0, "90000", "0.001"), builder: { b: STRANGER.address, f: 5 } }), "Builder fee has not been approved."],
  ["a leverage that is too high", () => client.updateLeverage({ asset: 0, isCross: true, leverage: 41 }), "Invalid leverage value"],
  ["cross margin where there is none", () => client.updateLeverage({ asset: 110_001, isCross: true, leverage: 5 }), "Cross margin is not allowed for this asset."],
  ["isolated margin of a cross position", () => client.updateIsolatedMargin({ asset: 0, isBuy: true, ntli: 1 }), "Position does not use isolated margin."],
  ["to take strictly isolated margin away", () => client.updateIsolatedMargin({ asset: 110_001, isBuy: true, ntli: -1_000_000 }), "Cannot remove isolated margin for this asset. To remove margin, reduce the position."],
  ["a small TWAP", () => client.twapOrder({ twap: { a: 0, b: true, s: "0.0001", r: false, m: 30, t: true } }), /TWAP order value too small\. Min is \$100\./],
  ["the end of no TWAP", () => client.twapCancel({ a: 0, t: 999 }), "TWAP was never placed, already canceled, or filled."],
  ["a scheduled cancel without volume", () => bench.clientOf(friend).scheduleCancel({ time: bench.nowMs + 10_000 }), /^Cannot set scheduled cancel time until enough volume traded\. Required: \$1000000\. Traded: \$[0-9.]+\.$/],
  ["an expired action", () => client.order(limit(0, "90000", "0.001"), { expiresAfter: bench.nowMs - 1 }), "Action already expired"],
  ["a vault that is none", () => client.order(limit(0, "90000", "0.001"), { vaultAddress: STRANGER.address }), `Vault not registered: ${STRANGER.address.toLowerCase()}`],
  ["an agent's approval of an agent", () => asAgent.approveAgent({ agentAddress: STRANGER.address, agentName: "x" }), `Must deposit before performing actions. User: ${agent.address.toLowerCase()}`],
  ["an agent that is used already", () => client.approveAgent({ agentAddress: agent.address, agentName: "again" }), "Extra agent already used."],
  ["an agent that has expired already", () => client.approveAgent({ agentAddress: STRANGER.address, agentName: `x valid_until ${bench.nowMs - 1}` }), "Agent valid_until already expired."],
  ["to move dollars between the pools of a unified account", () => bench.clientOf(friend).usdClassTransfer({ amount: "1", toPerp: true }), "Action disabled when unified account is active"],
  ["a vault of its own", () => client.createVault({ name: "a vault", description: "what it is for", initialUsd: 100_000_000 }), "Action is not available on the paper exchange."],
  ["to change a vault that is none", () => client.vaultModify({ vaultAddress: STRANGER.address, allowDeposits: true }), `Vault not registered: ${STRANGER.address.toLowerCase()}`],
  ["to empty a vault that is none", () => client.vaultDistribute({ vaultAddress: STRANGER.address, usd: 1 }), `Vault not registered: ${STRANGER.address.toLowerCase()}`],
  ["a priority fee without stake", () => client.order({ ...limit(0, "90000", "0.001"), grouping: { p: 5 } }), "Insufficient delegatable balance for priority order"],
  ["what there is not", () => client.vaultTransfer({ vaultAddress: STRANGER.address, isDeposit: true, usd: 10 }), `Vault not registered: ${STRANGER.address.toLowerCase()}`],
];

describe("the exchange refuses", () => {
  test.each(REFUSED)("%s in its own words", async (_what, call, words) => {
    const text = await refusal(call(bench));
    if (typeof words === "string") expect(text.replace(/^(order|cancel) 0: /, "")).toBe(words);
    else expect(text).toMatch(words);
  });

  test("the same nonce twice, and one that is too old or too far ahead", async () => {
    const nonce = bench.nowMs + 7_777;
    await client.noop({ nonce });
    expect(await refusal(client.noop({ nonce }))).toBe(`Invalid nonce: duplicate nonce ${nonce}`);
    expect(await refusal(client.noop({ nonce: 1 }))).toMatch(/^Invalid nonce: nonce too low 1 < [0-9]+$/);
    const far = bench.nowMs + 3 * 86_400_000;
    expect(await refusal(client.noop({ nonce: far }))).toMatch(/^Invalid nonce: nonce too high [0-9]+ > [0-9]+$/);
    expect(await refusal(client.noop({ nonce: 2 ** 53 - 1 }))).toMatch(/^Invalid nonce: nonce too high/);
  });
});
