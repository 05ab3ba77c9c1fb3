// Every word with which the exchange ends an order, told by the feed alone, by reads alone, and by both; fills of nobody's orders.
import { grains, sleep } from "./grain.mjs";
import { judgePerformance } from "./judge-performance.mjs";
import { WORDS } from "./weather.mjs";

const REFUSED = [
  "tickRejected",
  "perpMarginRejected",
  "reduceOnlyRejected",
  "badTriggerPxRejected",
  "marketOrderNoLiquidityRejected",
  "positionIncreaseAtOpenInterestCapRejected",
  "oracleRejected",
  "perpMaxPositionRejected",
  "tooManyOpenOrdersRejected",
  "minTradeSpotNtlRejected",
];

async function words(world, { coins, hush }) {
  await world.open();
  hush(world);
  const all = [...WORDS, "brandNewCanceled", "somethingElseEntirely"];
  const placed = [];
  for (const [i, word] of all.entries()) {
    const caller = world.callers[i % 3];
    const row = await world.place(caller, coins[i % coins.length], "buy", { thousandths: 10 });
    const order = world.orderOf(row);
    if (i % 2) world.venue.take(order, order.size / 2n);
    placed.push([caller, row.json.id, order, word]);
  }
  await sleep(1500);
  for (const [, , order, word] of placed) world.venue.force(order, word);
  await sleep(3000);
  for (const [caller, id, , word] of placed) {
    const told = await caller.get(`/v1/orders/${id}`);
    world.tape.note("word", { word, status: told.json?.status, error: told.json?.error });
    if (told.json?.status === "canceled" && !told.json.error)
      world.find("soft", `canceled by ${word} without a word about it`, { told: told.json });
  }
  await world.rest(90_000);
}

/** Triggers that the exchange refuses when they fire. */
async function triggers(world) {
  await world.open();
  const { main } = world;
  await world.place(main, "BTC", "buy", { thousandths: -5, time_in_force: "ioc" });
  await world.place(main, "BTC", "buy", { thousandths: -5, time_in_force: "ioc" });
  const rows = [];
  for (const word of REFUSED) {
    const trigger = { price: world.price("BTC", true, 30), kind: "stop_loss", market: word.length % 2 === 0 };
    rows.push([word, await world.place(main, "BTC", "sell", { thousandths: -40, reduce_only: true, trigger })]);
  }
  for (const [word, row] of rows) {
    const order = world.orderOf(row);
    world.venue.become(order, "triggered", world.venue.tick());
    await sleep(30);
    world.venue.become(order, word, world.venue.tick());
  }
  await sleep(2000);
  for (const [word, row] of rows)
    world.tape.note("word", { word, told: (await main.get(`/v1/orders/${row.json.id}`)).json });
  await world.rest(60_000);
}

/** Liquidation and dust: fills under numbers that nobody has asked for, some of them with no number of their own. */
async function liquidated(world) {
  await world.open();
  const { venue } = world;
  for (const caller of world.callers) {
    await world.place(caller, "ETH", "buy", { thousandths: -5, time_in_force: "ioc" });
    const resting = await world.place(caller, "ETH", "buy", { thousandths: 30 });
    const account = world.truth(caller);
    const at = venue.tick();
    const strange = () => ({
      oid: venue.nextOid++,
      cloid: null,
      account: caller.address,
      coin: "ETH",
      isBuy: false,
      fills: [],
    });
    const liquidation = { liquidatedUser: caller.address, markPx: "2900.0", method: "market" };
    venue.force(world.orderOf(resting), "liquidatedCanceled", at);
    const one = strange();
    const half = venue.held(account, "ETH") / 2n;
    venue.fill(one, half, grains("2900"), { at, isTaker: true, more: { liquidation, dir: "Liquidated Cross Long" } });
    venue.fill(one, venue.held(account, "ETH"), grains("2890"), {
      at,
      isTaker: true,
      more: { liquidation, dir: "Liquidated Cross Long" },
    });
    for (const [oid, size] of [
      [venue.nextOid++, "0.001"],
      [venue.nextOid++, "0.001"],
      [venue.nextOid++, "0.002"],
    ]) {
      venue.fill(
        { oid, cloid: null, account: caller.address, coin: "@107", isBuy: false, fills: [] },
        grains(size),
        grains("30"),
        { at: venue.tick(), more: { tid: 0, dir: "Spot Dust Conversion" } },
      );
    }
    await caller.get("/v1/positions");
  }
  await sleep(2000);
  await world.rest(60_000);
  await judgePerformance(world);
}

const ALL = ["BTC", "xyz:GOLD", "abc:GOLD", "@107", "PURR/USDC"];

export const scenes = {
  words: (world) => words(world, { coins: ALL, hush: () => {} }),
  "words-feed": (world) =>
    words(world, {
      coins: ALL,
      hush: (of) => {
        of.door.lag = (store) => (store === "clock" || store === "meta" ? 0 : 60_000);
      },
    }),
  "words-read": (world) =>
    words(world, {
      coins: ALL,
      hush: (of) => {
        of.feed.way = (channel) => (["orderUpdates", "userFills", "user", "openOrders"].includes(channel) ? [] : [0]);
      },
    }),
  triggers,
  liquidated,
};
