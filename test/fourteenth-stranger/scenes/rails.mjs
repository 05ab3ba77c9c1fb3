// Two bots with narrow rails on one account, asking many things at once, before an exchange that answers late, not at all, and tells fills late.
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
  openOrders,
  outside,
  place,
  priceFor,
  report,
  settle,
  sizeFor,
  stop,
  take,
} from "../day.mjs";
import { kill, startProcess, until, wait } from "../gateway.mjs";
import { judgeRails, watch } from "../replay.mjs";

const LIMITS = { order: "300", position: "1000", exposure: "1500", turnover: "9000", open: 12, distance: "0.02" };
const RAILS = {
  markets: "BTC,ETH,xyz:TSLA",
  "max-order": "300 USD",
  "max-position": "1000 USD",
  "max-exposure": "1500 USD",
  "max-turnover-per-day": "9000 USD",
  "max-loss-per-day": "any",
  "max-open-orders": "12",
  "max-distance": "2 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel,leverage",
};
const COINS = ["BTC", "ETH", "xyz:TSLA"];

function late(day, worst) {
  const { venue, dice: d } = day;
  const channels = new Map();
  const draw = () => {
    for (const name of [
      "orderUpdates",
      "userFills",
      "openOrders",
      "clearinghouseState",
      "allDexsClearinghouseState",
      "spotState",
      "twapStates",
      "webData3",
      "userEvents",
    ])
      channels.set(name, d.is(0.5) ? 0 : d.to(worst / 4));
  };
  draw();
  venue.feedLag = (name) => channels.get(name) ?? 0;
  venue.lagOf = () => d.of([0, 0, 300, 1000, worst / 4, worst]);
  venue.fault = (action) => {
    if (action.type === "noop") return null;
    const roll = d.next();
    if (roll < 0.06) return { kind: "lost" };
    if (roll < 0.09) return { kind: "never" };
    if (roll < 0.2) return { before: d.to(1500), after: d.to(1500) };
    return null;
  };
  return draw;
}

async function greedy(day, client, coin) {
  const d = day.dice;
  const roll = d.next();
  const side = d.is(0.7) ? client.side : undefined;
  if (roll < 0.3) return place(day, client, coin, { side, usd: 150 + d.next() * 149 });
  if (roll < 0.42) return modify(day, client);
  if (roll < 0.5) return cancel(day, client);
  if (roll < 0.58) return batch(day, client, coin);
  if (roll < 0.66) return market(day, client, coin);
  if (roll < 0.72) return stop(day, client, coin);
  if (roll < 0.8) return closePosition(day, client, coin);
  if (roll < 0.88)
    return place(day, client, coin, {
      taker: true,
      reduceOnly: true,
      usd: 250,
      side: client.side === "buy" ? "sell" : "buy",
    });
  return swap(day, client, coin);
}

// Takes what rests away and asks for as much again, at the same moment.
async function swap(day, client, coin) {
  const orders = (await openOrders(day, client)).filter(
    (order) => order.market === coin && order.trigger === undefined,
  );
  const mark = markOf(day, coin);
  const gone = orders.map((order) =>
    client.post(`/v1/orders/${order.id}/cancel`).then((answer) => note(day, client, answer, "cancel")),
  );
  const again = orders.map(() => place(day, client, coin, { side: client.side, taker: false, usd: 295 }));
  const up = orders.slice(0, 1).map((order) =>
    client
      .post(`/v1/orders/${order.id}/modify`, {
        size: sizeFor(coin, 299, mark),
        price: priceFor(coin, mark * (client.side === "buy" ? 0.997 : 1.003)),
      })
      .then((answer) => note(day, client, answer, "modify")),
  );
  return Promise.all([...gone, ...again, ...up]);
}

// Every leg that an order has had, so that each fill has its owner.
export async function legs(day) {
  for (const client of Object.values(day.clients)) {
    if (client.name === "reader") continue;
    const hash = client.hash;
    const { rows } = await day.reader.all(`/v1/orders?key_hash=${hash}`);
    for (const order of rows) {
      take(day, client, order);
      const story = (await day.reader.get(`/v1/orders/${order.id}/story`)).data;
      for (const leg of story.legs ?? []) {
        if (leg.exchange_order_id) take(day, client, { id: order.id, exchange_order_id: leg.exchange_order_id });
        if (leg.client_order_id) day.ledger.byCloid.set(leg.client_order_id, client.name);
      }
    }
  }
}

export function bindOrders(day) {
  const { venue, judge } = day;
  judge.orderOf = (oid) => venue.records.find((row) => row.oid === oid)?.order;
}

// Three askers for each bot, the market beside them, and one sudden death.
async function act(day, draw, options) {
  const { clients, gateway } = day;
  const end = Date.now() + (options.ms ?? 60000);
  let isDown = false;
  const asker = async (client) => {
    while (Date.now() < end) {
      if (isDown) await wait(200);
      else
        await greedy(day, client, day.dice.of(COINS)).catch((error) =>
          count(day, `error ${error.message.slice(0, 40)}`),
        );
    }
  };
  const market = async () => {
    while (Date.now() < end) {
      outside(day, COINS, { swing: 0.004, byHand: false });
      if (day.dice.is(0.05)) draw();
      await wait(150 + day.dice.to(400));
    }
  };
  const death = async () => {
    if (options.kill === false) return;
    await wait(30000);
    isDown = true;
    await kill(gateway);
    for (let n = 0; n < 6; n += 1) outside(day, COINS, { swing: 0.004 });
    await startProcess(gateway);
    await until(
      "writes are open",
      () =>
        fetch(`${gateway.url}/readyz`).then(
          (answer) => answer.status === 200,
          () => false,
        ),
      40000,
    );
    isDown = false;
    count(day, "killed");
  };
  const bots = [clients["bot-a"], clients["bot-b"]];
  await Promise.all([...bots, ...bots, ...bots].map(asker).concat(market(), death()));
}

export async function rails(seed = 1, options = {}) {
  const day = await openDay(
    seed,
    { "bot-a": RAILS, "bot-b": RAILS },
    { environment: { POSTERN_ANSWER_DEADLINE_MS: "4000" } },
  );
  const { clients, gateway } = day;
  const events = watch(day.venue);
  const worst = options.worst ?? 20000;
  const draw = late(day, worst);
  bindOrders(day);
  clients["bot-a"].side = "buy";
  clients["bot-b"].side = seed % 2 === 0 ? "buy" : "sell";
  await act(day, draw, options);
  day.venue.fault = null;
  await settle(day, 120000);
  await wait(worst + 5000);
  day.venue.lagOf = () => 0;
  day.venue.feedLag = () => 0;
  await wait(12000);
  await legs(day);
  judgeRails(events, ["bot-a", "bot-b"], LIMITS, day.judge);
  await day.judge.fills(day.reader);
  await day.judge.orders(day.reader);
  await day.judge.positions(day.reader);
  for (const name of ["bot-a", "bot-b"]) await day.judge.use(clients[name], { isAtRest: true });
  const result = report(day, "rails");
  await gateway.end();
  return result;
}
