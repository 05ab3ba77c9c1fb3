// Some hundreds of orders by every door, over five markets; then all books are compared with our own.
import {
  batch,
  cancel,
  closePosition,
  count,
  market,
  markOf,
  modify,
  note,
  openDay,
  outside,
  place,
  report,
  settle,
  sizeFor,
  stop,
} from "../day.mjs";
import { wait } from "../gateway.mjs";

const RAILS = {
  "max-order": "600 USD",
  "max-position": "4000 USD",
  "max-exposure": "9000 USD",
  "max-turnover-per-day": "500000 USD",
  "max-loss-per-day": "any",
  "max-distance": "4 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel,twap,leverage",
};
const COINS = ["BTC", "ETH", "xyz:XYZ100", "xyz:TSLA"];

export async function trade(day, client, coins) {
  const d = day.dice;
  const coin = d.of(coins);
  const roll = d.next();
  if (roll < 0.4) return place(day, client, coin);
  if (roll < 0.52) return modify(day, client);
  if (roll < 0.62) return cancel(day, client);
  if (roll < 0.7) return stop(day, client, coin);
  if (roll < 0.78) return market(day, client, coin);
  if (roll < 0.86) return batch(day, client, coin);
  if (roll < 0.94) return coin === "@107" ? null : closePosition(day, client, coin);
  if (coin === "@107") return null;
  const body = {
    market: coin,
    side: d.of(["buy", "sell"]),
    size: sizeFor(coin, 120, markOf(day, coin)),
    duration_minutes: 5,
  };
  return note(day, client, await client.post("/v1/twaps", body), "twap");
}

export async function books(seed = 1, options = {}) {
  const day = await openDay(
    seed,
    { "bot-a": { ...RAILS, markets: "BTC,ETH,xyz:*" }, "bot-b": { ...RAILS, markets: "BTC,ETH,xyz:*" }, plain: null },
    options,
  );
  const { clients } = day;
  const end = Date.now() + (options.ms ?? 60000);
  while (Date.now() < end) {
    const client = clients[day.dice.of(["bot-a", "bot-b", "plain"])];
    const coins = client.name === "plain" ? [...COINS, "@107", "@107"] : COINS;
    await trade(day, client, coins);
    if (day.dice.is(0.6)) outside(day, COINS, { byHand: true, liquidations: true, swing: 0.01 });
    if (day.dice.is(0.05)) count(day, "rounds");
  }
  await settle(day);
  await wait(12000);
  await compare(day);
  const result = report(day, "books");
  await day.gateway.end();
  return result;
}

export async function compare(day, isAtRest = true) {
  const { judge, reader, clients } = day;
  const rows = await judge.fills(reader);
  await judge.orders(reader);
  await judge.positions(reader);
  for (const name of ["bot-a", "bot-b"]) if (clients[name]) await judge.use(clients[name], { isAtRest });
  await judge.performance(reader);
  await judge.roads(reader, rows);
  await judge.events(reader);
}
