import { expect, test } from "bun:test";
import { insertFills } from "../../src/store/fills.ts";
import { followGrantedSpot } from "../../src/write/watch-spot.ts";
import { type Body, inSeconds, limitedRig, place, railOf } from "./rails-rig.ts";
import { ACCOUNTS, type Rig } from "./rig.ts";

const PURR = { market: "PURR/USDC", size: "100", price: "1" };

/** A gateway that has followed the market for ten minutes, as it is marked now. */
async function spotRig(mark: { price: string }): Promise<Rig> {
  const rig = await limitedRig({ markets: "PURR/USDC", maxOrder: "100 USD", maxDistance: "2 %" });
  rig.answers.set("spotMetaAndAssetCtxs", () => [
    {},
    [{ coin: "PURR/USDC", markPx: mark.price, dayNtlVlm: "1", prevDayPx: "1" }],
  ]);
  return rig;
}

async function follow(rig: Rig, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 20_000) {
    const following = followGrantedSpot(rig.deps, () => false);
    await rig.clock.advance(20_000);
    await following;
  }
}

function fillWhole(rig: Rig): void {
  let oid = 9_000;
  rig.deps.exchange.send = async (body) => {
    oid += 1;
    const { action } = JSON.parse(body) as { action: { orders: { s: string; c: string }[] } };
    const statuses = action.orders.map(({ s, c }) => ({ filled: { totalSz: s, avgPx: "1", oid, cloid: c } }));
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
}

function buy(rig: Rig, terms: Body): Promise<Response> {
  return inSeconds(rig, place(rig, { ...PURR, ...terms }));
}

test("a spot market is bought when its price of ten minutes is known, and by the worse of that and its mark", async () => {
  const mark = { price: "1" };
  const rig = await spotRig(mark);
  const early = buy(rig, {});
  expect(await railOf(await early)).toStartWith("503 rails_unproven");
  await follow(rig, 600_000);
  expect(await railOf(await buy(rig, {}))).toBe("passed");
  expect(await railOf(await buy(rig, { size: "101" }))).toBe("max_order");
  expect(await railOf(await buy(rig, { price: "1.03", size: "1" }))).toBe("max_distance");
  mark.price = "2";
  await follow(rig, 60_000);
  expect(await railOf(await buy(rig, { price: "1.03", size: "1" }))).toBe("max_distance");
  expect(await railOf(await buy(rig, { size: "51" }))).toBe("max_order");
  expect(await railOf(await buy(rig, { size: "50" }))).toBe("passed");
});

test("a bot sells on spot what it has bought, and nobody else's", async () => {
  const rig = await spotRig({ price: "1" });
  await follow(rig, 600_000);
  expect(await railOf(await buy(rig, { side: "sell", size: "10" }))).toBe("touches");
  expect(rig.sent).toEqual([]);
  fillWhole(rig);
  expect(await railOf(await buy(rig, { size: "50" }))).toBe("passed");
  expect(await railOf(await buy(rig, { side: "sell", size: "51" }))).toBe("touches");
  rig.answers.delete("spotMetaAndAssetCtxs");
  await rig.clock.advance(240_000);
  expect(await railOf(await buy(rig, { side: "sell", size: "50" }))).toBe("passed");
  expect(await railOf(await buy(rig, { side: "sell", size: "1" }))).toBe("touches");
});

/** As the index of fills learns of it. */
function tellFill(rig: Rig, some: { side: "buy" | "sell"; fee: string; feeToken: string }): void {
  const timeMs = rig.clock.nowMs();
  const figures = { price: "1", size: "50", realizedPnl: "0", startPosition: "0", ...some };
  const of = { accountId: ACCOUNTS.main, id: `${timeMs}-${some.side}`, timeMs, market: PURR.market, oid: "9001" };
  const rest = { isTaker: true, builderFee: null, direction: "Buy", twapId: null, isLiquidation: false };
  const row = { ...of, ...figures, ...rest, transactionHash: "0x00" } as unknown as Parameters<typeof insertFills>[1];
  insertFills(rig.deps.store, [row as unknown as (typeof row)[number]], { atMs: timeMs, toldFromMs: 0 });
}

const FEES: readonly [string, Parameters<typeof tellFill>[1], string, string][] = [
  ["paid in what was bought", { side: "buy", fee: "0.05", feeToken: "PURR" }, "49.95", "49.96"],
  ["paid in cash", { side: "buy", fee: "0.05", feeToken: "USDC" }, "50", "50.01"],
];

test.each(FEES)("a bot may sell what it got of a purchase whose fee was %s", async (_how, fill, most, more) => {
  const rig = await spotRig({ price: "1" });
  await follow(rig, 600_000);
  fillWhole(rig);
  expect(await railOf(await buy(rig, { size: "50" }))).toBe("passed");
  rig.deps.store.transaction(() => tellFill(rig, fill));
  expect(await railOf(await buy(rig, { side: "sell", size: more }))).toBe("touches");
  expect(await railOf(await buy(rig, { side: "sell", size: most }))).toBe("passed");
});
