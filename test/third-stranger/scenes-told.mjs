// (A) What is told of a trade while an answer is waited for, or while others hold the other side.
import { entryOf, LONG, liveOf, tradeOf } from "./scenes-trades.mjs";
import { armed, held, meet, place, placesPlain, sleep, trade, until } from "./stage.mjs";

// The profit's answer is late while more of the entry fills: the stop has to follow, and what is told has to be so.
async function profitLate(world) {
  await place(world, { market: "ETH", side: "buy", size: "0.2", price: "2010", time_in_force: "ioc" });
  meet(world, ({ type, orders }) => type === "order" && orders[0].t.trigger?.tpsl === "tp", { lose: "hang" });
  const made = await trade(world, { ...LONG, take_profit: { trigger_price: "2100" } });
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  world.engine.hit(liveOf(world, entry).oid, 0.2);
  await until(() => armed(world, "ETH") >= 0.2);
  await sleep(600);
  world.engine.hit(liveOf(world, entry).oid, 0.7);
  const since = Date.now();
  while (Date.now() - since < 12_000) {
    await sleep(500);
    await tradeOf(world, made.answer.id);
  }
  const stops = () =>
    world.engine
      .live()
      .filter(({ trigger }) => trigger?.tpsl === "sl")
      .reduce((sum, order) => sum + order.sz, 0);
  world.claim(stops() >= 0.9 - 1e-9, "twelve seconds after a fill was told the stop does not cover it", {
    stops: stops(),
  });
}

// The entry's own answer hangs while it fills, and the stream tells of that at once.
async function entryUnanswered(world) {
  await place(world, { market: "ETH", side: "buy", size: "0.2", price: "2010", time_in_force: "ioc" });
  await sleep(500);
  meet(world, placesPlain, { lose: "hang" });
  const made = await trade(world, { ...LONG, entry: { price: "2010" } });
  const since = Date.now();
  let coveredAt;
  while (Date.now() - since < 12_000) {
    await sleep(400);
    await tradeOf(world, made.answer.id);
    if (armed(world, "ETH") >= 1) coveredAt ??= Date.now();
  }
  world.claim(
    coveredAt - since < 3_000,
    "a fill that the stream told at once had no stop for seconds, because the entry's answer was waited for",
    { afterMs: coveredAt - since },
  );
}

// Others are long, and the trade sells less than that: on its own side the account holds nothing at all.
async function absorbed(world) {
  await place(world, { market: "ETH", side: "buy", size: "1", price: "2010", time_in_force: "ioc" });
  await sleep(2_000);
  const entry = { price: "1990", time_in_force: "ioc" };
  const made = await trade(world, {
    market: "ETH",
    side: "sell",
    size: "0.4",
    entry,
    stop_loss: { trigger_price: "2100" },
  });
  let longestMs = 0;
  for (const since = Date.now(); Date.now() - since < 20_000; await sleep(500)) {
    const told = await tradeOf(world, made.answer.id);
    if (Number(told.held_size) > 0) longestMs = Date.now() - since;
  }
  world.claim(longestMs < 2_000, "a trade tells that it holds what the account does not hold on its side", {
    longestMs,
    position: held(world, "ETH"),
  });
}

export const scenes = {
  "profit-late": { play: profitLate },
  "entry-unanswered": { play: entryUnanswered },
  absorbed: { play: absorbed },
};
