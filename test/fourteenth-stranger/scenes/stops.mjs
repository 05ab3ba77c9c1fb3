// Trades with protection, partial fills, then STOP and flatten, while each read comes from a server that is up to two minutes behind.
import { markOf, note, openDay, outside, place, priceFor, report, settle, sizeFor, stop, take } from "../day.mjs";
import { until, wait } from "../gateway.mjs";
import { abs, dec, plain } from "../venue/decimal.mjs";

const COINS = ["BTC", "ETH", "xyz:TSLA"];
const RAILS = {
  markets: "BTC,ETH,xyz:TSLA",
  "max-order": "900 USD",
  "max-position": "5000 USD",
  "max-exposure": "9000 USD",
  "max-turnover-per-day": "90000 USD",
  "max-loss-per-day": "any",
  "max-distance": "5 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel,stop",
};

export function servers(day, lags, feed) {
  day.venue.lagOf = () => day.dice.of(lags);
  const channels = new Map();
  day.venue.feedLag = (name) => {
    if (!channels.has(name)) channels.set(name, day.dice.of(feed));
    return channels.get(name);
  };
}

async function trade(day, client, coin, isTaker) {
  const mark = markOf(day, coin);
  const side = day.dice.is(0.5) ? "buy" : "sell";
  const way = side === "buy" ? 1 : -1;
  const body = {
    account: day.gateway.account,
    market: coin,
    side,
    size: sizeFor(coin, 300, mark),
    entry: { price: priceFor(coin, mark * (1 + way * (isTaker ? 0.003 : -0.003))) },
    stop_loss: { trigger_price: priceFor(coin, mark * (1 - way * 0.02)) },
    take_profit: { trigger_price: priceFor(coin, mark * (1 + way * 0.03)) },
  };
  const answer = await client.post("/v1/trades", body);
  note(day, client, { status: answer.status, data: null }, "trade");
  return answer.data;
}

// What stands at the exchange against what is held in a market: the sum of reduce-only stops.
function stopsAt(day, coin, isLong) {
  const szi = day.venue.szi(coin);
  let sum = 0n;
  for (const order of day.venue.open.values()) {
    if (order.coin === coin && order.reduceOnly && order.trigger?.tpsl === "sl" && order.isBuy !== isLong)
      sum += order.sz;
  }
  return { szi, sum };
}

// While a trade says `protected`, stops for what it holds stand at the exchange, before and after the question.
async function watchProtection(day, client, trades) {
  for (const trade of trades) {
    const before = stopsAt(day, trade.market, trade.side === "buy");
    const now = (await client.get(`/v1/trades/${trade.id}`)).data;
    const after = stopsAt(day, trade.market, trade.side === "buy");
    if (now.object !== "trade" || !now.protected || Number(now.held_size) === 0) continue;
    const isMoved = before.szi !== after.szi || before.sum !== after.sum;
    if (isMoved) continue;
    day.judge.hold(
      "trade: protected is true",
      after.sum >= dec(now.held_size) || after.szi === 0n || after.szi > 0n !== (trade.side === "buy"),
      `${trade.id} ${trade.side} ${trade.market} held ${now.held_size} protected, ${now.status}`,
      `position ${plain(after.szi)}, stops ${plain(after.sum)}`,
    );
  }
}

async function flattenIt(day, operator, events) {
  const { venue, judge } = day;
  const stopped = (await operator.post("/v1/stop", { scope: "account" })).data;
  let toldStopped = null;
  let fillsThen = 0;
  await operator.post(`/v1/stops/${stopped.id}/flatten`, {});
  const end = Date.now() + 150000;
  for (;;) {
    const before = venue.fills.length;
    const now = (await operator.get(`/v1/stops/${stopped.id}`)).data;
    if (now.status === "stopped" && toldStopped === null) {
      toldStopped = Date.now();
      fillsThen = before;
      const left = [...venue.open.values()].filter((order) => !order.reduceOnly);
      judge.hold(
        "stop: nothing that increases is open when told stopped",
        left.length === 0,
        JSON.stringify(now.remaining),
        left.map((order) => [order.oid, order.coin, plain(order.sz)]),
      );
    }
    if (now.flatten?.status === "flat" || now.flatten?.status === "left") {
      const held = [...venue.positions].map(([coin, position]) => `${coin} ${plain(position.szi)}`);
      if (now.flatten.status === "flat")
        judge.hold("flatten: flat is flat", held.length === 0, "flat", held.join(", "));
      else
        judge.hold(
          "flatten: what is left is what is held",
          now.flatten.left.length === held.length,
          JSON.stringify(now.flatten.left),
          held.join(", "),
        );
      events.push(`flatten ${now.flatten.status} ${JSON.stringify(now.flatten.left)}`);
      break;
    }
    if (Date.now() > end) {
      events.push(
        `flatten ${now.flatten?.status} waits ${JSON.stringify(now.flatten?.waits_for)} ${JSON.stringify(now.waits_for)}`,
      );
      break;
    }
    if (day.dice.is(0.3)) outside(day, COINS, { swing: 0.004 });
    await wait(700);
  }
  return { stopped, fillsThen };
}

export async function stops(seed = 1, options = {}) {
  const day = await openDay(seed, { "bot-a": RAILS, "bot-b": RAILS, operator: null });
  const { clients, venue, judge, reader } = day;
  servers(day, options.lags ?? [0, 1000, 8000, 45000, 120000], options.feed ?? [0, 0, 400, 3000, 20000]);
  const trades = [];
  const said = [];
  const end = Date.now() + (options.ms ?? 50000);
  while (Date.now() < end) {
    const client = clients[day.dice.of(["bot-a", "bot-b"])];
    const coin = day.dice.of(COINS);
    const roll = day.dice.next();
    if (roll < 0.4) {
      const made = await trade(day, client, coin, day.dice.is(0.5));
      if (made.object === "trade") trades.push({ ...made, client });
    } else if (roll < 0.6) await place(day, client, coin, { usd: 200 });
    else if (roll < 0.7) await stop(day, clients.operator, coin);
    for (let n = 0; n < 2; n += 1) outside(day, COINS, { swing: 0.006 });
    await watchProtection(day, reader, trades);
    await wait(300);
  }
  const { fillsThen } = await flattenIt(day, clients.operator, said);
  await wait(20000);
  const late =
    fillsThen === 0
      ? []
      : venue.fills
          .slice(fillsThen)
          .filter((row) => venue.records.find((one) => one.oid === row.wire.oid && !one.order.reduceOnly));
  judge.hold(
    "stop: nothing increases after stopped",
    late.length === 0,
    late.map((row) => JSON.stringify(row.wire)).join(" "),
    "",
  );
  servers(day, [0], [0]);
  venue.dropFeeds();
  await settle(day);
  await wait(15000);
  const positions = await reader.get("/v1/positions");
  judge.hold(
    "positions: at the end",
    (positions.data.data ?? []).length === venue.positions.size,
    JSON.stringify(positions.data).slice(0, 400),
    venue.positions.size,
  );
  const result = report(day, "stops");
  await day.gateway.end();
  return { ...result, said, trades: trades.length };
}
export { abs, report, take, until };
