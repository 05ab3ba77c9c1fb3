// A day of trading: two bots, a plain key, the owner's hand, and the market.

import { dice } from "./dice.mjs";
import { botKey, openGateway, plainKey, until, wait } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { Ledger } from "./ledger.mjs";
import { abs, dec, mul, plain } from "./venue/decimal.mjs";

const STEP = {
  BTC: ["0.00001", 1],
  ETH: ["0.0001", 0.1],
  "xyz:XYZ100": ["0.0001", 1],
  "xyz:TSLA": ["0.001", 0.1],
  "@107": ["0.01", 0.01],
};

export async function openDay(seed, bots, settings = {}) {
  const gateway = await openGateway(settings);
  gateway.legs = new Map();
  gateway.clients = {};
  const ledger = new Ledger(gateway.venue);
  for (const [name, rails] of Object.entries(bots)) {
    gateway.clients[name] = rails === null ? await plainKey(gateway, name) : await botKey(gateway, name, rails);
  }
  const reader = await plainKey(gateway, "reader", ["trading:read"]);
  gateway.clients.reader = reader;
  const judge = new Judge(gateway, ledger);
  const day = {
    gateway,
    venue: gateway.venue,
    ledger,
    judge,
    reader,
    dice: dice(seed),
    clients: gateway.clients,
    answers: [],
    counts: new Map(),
  };
  await wait(1500);
  return day;
}

export function count(day, what) {
  day.counts.set(what, (day.counts.get(what) ?? 0) + 1);
}

export function sizeFor(coin, usd, price) {
  const decimals = STEP[coin][0].split(".")[1].length;
  return (Math.floor((usd / price) * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
}

export function priceFor(coin, price) {
  const step = STEP[coin][1];
  const decimals = step >= 1 ? 0 : String(step).split(".")[1].length;
  return (Math.round(price / step) * step).toFixed(decimals);
}

export function markOf(day, coin) {
  return Number(plain(day.venue.markets.get(coin).mark));
}

// Notes an answer: whose the order is, which legs it has had.
export function note(day, client, answer, what) {
  count(day, `${what} ${answer.status}`);
  const one = answer.data;
  for (const order of one?.orders ?? (one?.object === "order" ? [one] : [])) take(day, client, order);
  if (one?.object === "operation") day.ledger.ownTwap(client.name, one);
  if (one?.order?.object === "order") take(day, client, one.order);
  if (answer.status === 202) day.answers.push({ client, one });
  return answer;
}

export function take(day, client, order) {
  day.ledger.own(client.name, order);
  if (!order.exchange_order_id) return;
  const legs = day.gateway.legs.get(order.id) ?? new Set();
  legs.add(Number(order.exchange_order_id));
  day.gateway.legs.set(order.id, legs);
}

export async function place(day, client, coin, options = {}) {
  const { dice: d } = day;
  const mark = markOf(day, coin);
  const side = options.side ?? d.of(["buy", "sell"]);
  const isTaker = options.taker ?? d.is(0.4);
  const away = isTaker ? 0.005 : -(0.001 + d.next() * 0.008);
  const price = priceFor(coin, mark * (1 + (side === "buy" ? away : -away)));
  const usd = options.usd ?? 20 + d.next() * 400;
  const body = {
    account: day.gateway.account,
    market: coin,
    side,
    size: options.size ?? sizeFor(coin, usd, mark),
    price,
    ...(isTaker && d.is(0.8) ? { time_in_force: "ioc" } : {}),
    ...(options.reduceOnly ? { reduce_only: true } : {}),
  };
  return note(day, client, await client.post("/v1/orders", body, options.key), options.reduceOnly ? "reduce" : "place");
}

export async function stop(day, client, coin) {
  const mark = markOf(day, coin);
  const net = day.ledger.net(client.name, coin);
  if (net === 0n || coin === "@107") return null;
  const side = net > 0n ? "sell" : "buy";
  const factor = net > 0n ? -1 : 1;
  const kind = day.dice.of(["stop_loss", "take_profit"]);
  const way = kind === "stop_loss" ? factor : -factor;
  const trigger = mark * (1 + way * (0.004 + day.dice.next() * 0.02));
  const price = trigger * (1 + factor * 0.05);
  const decimals = STEP[coin][0].split(".")[1].length;
  const size = (Math.floor(Number(plain(abs(net))) * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
  const body = {
    account: day.gateway.account,
    market: coin,
    side,
    size,
    price: priceFor(coin, price),
    reduce_only: true,
    trigger: { kind, price: priceFor(coin, trigger), market: true },
  };
  return note(day, client, await client.post("/v1/orders", body), "trigger");
}

export async function openOrders(day, client) {
  const answer = await client.get("/v1/orders?status=open&limit=500");
  return (answer.data.data ?? []).filter((order) => day.ledger.orders.get(order.id) === client.name);
}

export async function modify(day, client) {
  const orders = (await openOrders(day, client)).filter((order) => order.trigger === undefined);
  if (orders.length === 0) return null;
  const order = day.dice.of(orders);
  const body = {};
  if (day.dice.is(0.6))
    body.price = priceFor(order.market, Number(order.price) * (1 + (day.dice.next() - 0.5) * 0.006));
  if (body.price === undefined || day.dice.is(0.5))
    body.size = sizeFor(
      order.market,
      Number(order.size) * Number(order.price) * (0.5 + day.dice.next() * 1.5),
      Number(order.price),
    );
  if (day.dice.is(0.3)) body.always_place = true;
  return note(day, client, await client.post(`/v1/orders/${order.id}/modify`, body), "modify");
}

export async function cancel(day, client) {
  const orders = await openOrders(day, client);
  if (orders.length === 0) return null;
  return note(day, client, await client.post(`/v1/orders/${day.dice.of(orders).id}/cancel`), "cancel");
}

export async function closePosition(day, client, coin) {
  const body = { account: day.gateway.account, market: coin };
  if (day.dice.is(0.5)) body.fraction = "0.5";
  const answer = await client.post("/v1/positions/close", body);
  note(day, client, answer, "close");
  if (answer.data?.order?.id) take(day, client, answer.data.order);
  return answer;
}

export async function batch(day, client, coin) {
  const mark = markOf(day, coin);
  const orders = [1, 2, 3].map((n) => {
    const side = day.dice.of(["buy", "sell"]);
    return {
      market: coin,
      side,
      size: sizeFor(coin, 25 + day.dice.next() * 100, mark),
      price: priceFor(coin, mark * (side === "buy" ? 1 - n * 0.002 : 1 + n * 0.002)),
    };
  });
  return note(day, client, await client.post("/v1/orders/batch", { account: day.gateway.account, orders }), "batch");
}

export async function market(day, client, coin) {
  const body = {
    account: day.gateway.account,
    market: coin,
    side: day.dice.of(["buy", "sell"]),
    size: sizeFor(coin, 20 + day.dice.next() * 200, markOf(day, coin)),
  };
  return note(day, client, await client.post("/v1/orders/market", body), "market");
}

// One thing that the market, or the owner's hand, does.
export function outside(day, coins, options = {}) {
  const { dice: d, venue } = day;
  const roll = d.next();
  const coin = d.of(coins);
  const open = [...venue.open.values()].filter((order) => order.trigger === null);
  if (roll < 0.45 && open.length > 0) {
    const order = d.of(open);
    const decimals = STEP[order.coin][0].split(".")[1].length;
    const share = d.is(0.5) ? 1 : 0.2 + d.next() * 0.6;
    venue.hit(
      order.oid,
      share === 1
        ? undefined
        : (Math.ceil(Number(plain(order.sz)) * share * 10 ** decimals) / 10 ** decimals).toFixed(decimals),
    );
    return count(day, "hit");
  }
  if (roll < 0.75) {
    const base = Number(venue.markets.get(coin).price);
    venue.setPrice(coin, priceFor(coin, base * (1 + (d.next() - 0.5) * (options.swing ?? 0.01))));
    return count(day, "price");
  }
  if (roll < 0.85) {
    venue.markets.get(coin).depth = d.is(0.5) ? null : dec(sizeFor(coin, 60 + d.next() * 100, markOf(day, coin)));
    return count(day, "depth");
  }
  if (options.byHand && roll < 0.9 && coin !== "@107") {
    venue.byHand(coin, d.is(0.5), sizeFor(coin, 30 + d.next() * 200, markOf(day, coin)));
    return count(day, "by hand");
  }
  if (roll < 0.98) {
    for (const twap of venue.twaps.values())
      venue.slice(twap.id, sizeFor(twap.coin, 15 + d.next() * 30, markOf(day, twap.coin)));
    return count(day, "slice");
  }
  if (options.liquidations && venue.szi(coin) !== 0n) {
    const part = abs(venue.szi(coin)) / 2n;
    const decimals = STEP[coin][0].split(".")[1].length;
    const size = (Math.floor(Number(plain(part)) * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
    if (Number(size) > 0) venue.liquidate(coin, size);
    return count(day, "liquidation");
  }
  return undefined;
}

// What was answered 202 is asked after until it is known.
export async function settle(day, ms = 60000) {
  await until(
    "every answer is known",
    async () => {
      for (const waiting of [...day.answers]) {
        const id = waiting.one.id;
        if (!id) continue;
        const path = waiting.one.object === "operation" ? `/v1/operations/${id}` : `/v1/orders/${id}`;
        const answer = await waiting.client.get(path);
        if (answer.status !== 200 || answer.data.status === "unknown" || answer.data.status === "processing") continue;
        if (answer.data.object === "operation") day.ledger.ownTwap(waiting.client.name, answer.data);
        else take(day, waiting.client, answer.data);
        day.answers.splice(day.answers.indexOf(waiting), 1);
      }
      return day.answers.filter((waiting) => waiting.one.id).length === 0;
    },
    ms,
    1000,
  ).catch((error) =>
    day.judge.hold(
      "answers: become known",
      false,
      `${error.message}: ${JSON.stringify(day.answers.map((one) => one.one).slice(0, 3))}`,
      "",
    ),
  );
}

export function report(day, name) {
  const { judge, venue } = day;
  const checks = [...judge.held.values()].reduce((sum, many) => sum + many, 0);
  const counts = Object.fromEntries(day.counts);
  return {
    scene: name,
    fills: venue.fills.length,
    checks,
    faults: judge.faults,
    counts,
    notModelled: [...venue.notModelled],
    venueFaults: venue.faults ?? [],
  };
}

export { mul };
