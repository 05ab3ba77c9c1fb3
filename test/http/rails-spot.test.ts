import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { expectBotTwap, heedTwapNews } from "../../src/store/bot-twaps.ts";
import { listBotNets } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { listLegs, updateLeg } from "../../src/store/legs.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { listOrders } from "../../src/store/orders.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { followGrantedSpot } from "../../src/write/watch-spot.ts";
import { BOT, type Body, inSeconds, limitedRig, place, railOf } from "./rails-rig.ts";
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

type FillTold = Pick<StoredFill, "side"> & { fee: string; feeToken: string; twapId?: string; oid?: string };

/** As the index of fills learns of it. */
function tellFill(rig: Rig, some: FillTold): void {
  const figures = { price: "1", size: "50", realizedPnl: "0", startPosition: "0", twapId: null, oid: "9001", ...some };
  const of = { accountId: ACCOUNTS.main, id: `9-${figures.oid}`, timeMs: rig.clock.nowMs(), market: PURR.market };
  const rest = { isTaker: true, builderFee: null, direction: "Buy", isLiquidation: false, transactionHash: "0x00" };
  const row = { ...of, ...figures, ...rest } as unknown as StoredFill;
  const { store } = rig.deps;
  inTransaction(store, () => insertFills(store, [row], { atMs: row.timeMs, toldFromMs: 0 }));
}

const FEES: readonly [string, FillTold, string, string][] = [
  ["paid in what was bought", { side: "buy", fee: "0.05", feeToken: "PURR" }, "49.95", "49.96"],
  ["paid in cash", { side: "buy", fee: "0.05", feeToken: "USDC" }, "50", "50.01"],
];

test.each(FEES)("a bot may sell what it got of a purchase whose fee was %s", async (_how, fill, most, more) => {
  const rig = await spotRig({ price: "1" });
  await follow(rig, 600_000);
  fillWhole(rig);
  expect(await railOf(await buy(rig, { size: "50" }))).toBe("passed");
  tellFill(rig, fill);
  expect(await railOf(await buy(rig, { side: "sell", size: more }))).toBe("touches");
  expect(await railOf(await buy(rig, { side: "sell", size: most }))).toBe("passed");
});

const IN_KIND: FillTold = { side: "buy", fee: "0.05", feeToken: "PURR" };

/** A bot whose purchase has its fill told first, and then its answer, if at all. */
async function boughtAfterItsFill(answer: "comes" | "is lost"): Promise<Rig> {
  const rig = await spotRig({ price: "1" });
  await follow(rig, 600_000);
  fillWhole(rig);
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (...asked) => {
    tellFill(rig, IN_KIND);
    return answer === "comes" ? send(...asked) : { kind: "unknown", reason: "the connection was reset" };
  };
  await buy(rig, { size: "50" });
  return rig;
}

function netOf(store: Store): string | undefined {
  return listBotNets(store, ACCOUNTS.main, "grid-1").get(PURR.market);
}

test("a fee is booked where the fill is told before the answer to its order", async () => {
  const rig = await boughtAfterItsFill("comes");
  expect(netOf(rig.deps.store)).toBe("49.95");
  expect(await railOf(await buy(rig, { side: "sell", size: "49.96" }))).toBe("touches");
});

/** The leg of the one order. */
function legOf({ deps: { store } }: Rig): Leg {
  const [order] = listOrders(store, { accountId: ACCOUNTS.main, status: null, dex: null, after: null, limit: 1 });
  const [leg] = listLegs(store, order?.id ?? "");
  if (leg === undefined) throw new Error("no order");
  return leg;
}

test("a fee is booked where the answer was lost and the order is named later", async () => {
  const rig = await boughtAfterItsFill("is lost");
  const { store, clock } = rig.deps;
  expect(netOf(store)).toBeUndefined();
  const filled = { size: decimal("50"), notional: decimal("50") };
  const name = () =>
    inTransaction(store, () =>
      recordLegEvent(store, legOf(rig).cloid, { type: "filled", oid: "9001", filled }, clock.nowMs()),
    );
  name();
  expect(netOf(store)).toBe("49.95");
  name();
  expect(netOf(store)).toBe("49.95");
});

test("a fee that is booked once stays so, whatever is told again, and after a restart", async () => {
  const rig = await boughtAfterItsFill("comes");
  tellFill(rig, IN_KIND);
  const directory = mkdtempSync(join(tmpdir(), "spot-fees-"));
  try {
    const file = join(directory, "copy.db");
    rig.deps.store.$client.run(`vacuum into '${file}'`);
    const store = openStore(file);
    expect(netOf(store)).toBe("49.95");
    const again = { ...rig, deps: { ...rig.deps, store } };
    tellFill(again, IN_KIND);
    inTransaction(store, () => updateLeg(store, legOf(again)));
    expect(netOf(store)).toBe("49.95");
    closeStore(store);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a fee is taken back where the native id turns out to be another's, and booked under the right one", async () => {
  const rig = await boughtAfterItsFill("comes");
  const { store } = rig.deps;
  tellFill(rig, { ...IN_KIND, oid: "77", fee: "0.03" });
  const rename = (oid: string | null) => inTransaction(store, () => updateLeg(store, { ...legOf(rig), oid }));
  const nets = [null, "77", "9001"].map((oid) => {
    rename(oid);
    return netOf(store);
  });
  expect(nets).toEqual(["50", "49.97", "49.95"]);
});

test.each(["fill", "TWAP"])("of a slice the fee is booked once where its %s is known first", async (first) => {
  const rig = await spotRig({ price: "1" });
  const { store } = rig.deps;
  const parameters = JSON.stringify({ side: "buy", size: "50", duration_minutes: 5, reduce_only: false });
  const of = { id: "twap", accountId: ACCOUNTS.main, action: "twap", market: PURR.market, createdAtMs: 0 } as const;
  inTransaction(store, () => expectBotTwap(store, { ...of, parameters, keyHash: keyHash(BOT) }));
  const tell = () => tellFill(rig, { ...IN_KIND, twapId: "5" });
  const name = () =>
    inTransaction(store, () => heedTwapNews(store, { id: "twap", status: "succeeded", exchangeId: "5" }));
  for (const step of first === "fill" ? [tell, name, tell, name] : [name, tell, name, tell]) step();
  expect(netOf(store)).toBe("49.95");
});
