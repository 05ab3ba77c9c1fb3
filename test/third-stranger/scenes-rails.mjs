// (C) What a stolen key with rails can lose, against what its owner was told before signing.
import { held, place, post, read, sleep, trade } from "./stage.mjs";

const lossByPrice = (world, marks) =>
  world.engine.fills.reduce((sum, fill) => sum + (fill.buy ? 1 : -1) * (fill.px - marks[fill.coin]) * fill.sz, 0);
const traded = (world) => world.engine.fills.reduce((sum, fill) => sum + fill.px * fill.sz, 0);
const boundOf = ({ bound }) => Number(/at most (\d+) USD by bad prices/.exec(bound)[1]);

// The market moves by a tenth of a percent, and the bids are thin: what is bought is sold 10 % below by a stop of the thief's.
async function thiefStops(world) {
  const { engine, gateway } = world;
  const key = await gateway.limitedKey("thief-1", { markets: "ETH", "max-loss-per-day": "any" });
  engine.gap.set("ETH", { bid: 0.095, ask: 0 });
  await sleep(1_000);
  for (let k = 0; k < 8; k++) {
    const bought = await place(
      world,
      { market: "ETH", side: "buy", size: "0.24", price: "2010", time_in_force: "ioc" },
      key,
    );
    if (bought.status !== 201) break;
    await place(
      world,
      {
        market: "ETH",
        side: "sell",
        size: "0.24",
        price: "1800",
        reduce_only: true,
        trigger: { price: "1999", kind: "stop_loss", market: true },
      },
      key,
    );
    engine.move("ETH", 1998);
    engine.move("ETH", 2000);
    await sleep(700);
  }
  const loss = lossByPrice(world, { ETH: 2000 });
  world.claim(loss <= boundOf(key), "a thief loses more by bad prices than the owner was told before signing", {
    told: key.bound,
    loss,
    traded: traded(world),
  });
}

// The turnover of the day is used up while much is held, and what is held is then sold beyond it.
async function thiefReduces(world) {
  const { engine, gateway } = world;
  const key = await gateway.limitedKey("thief-2", { markets: "ETH,SOL", "max-loss-per-day": "any" });
  for (const coin of ["ETH", "SOL"]) engine.gap.set(coin, { bid: 0.0195, ask: 0.0195 });
  await sleep(1_000);
  const sol = { market: "SOL", size: "4.8", time_in_force: "ioc" };
  const eth = { market: "ETH", size: "0.24", time_in_force: "ioc" };
  const buy = (one) => place(world, { ...one, side: "buy", price: one.market === "SOL" ? "102" : "2040" }, key);
  const sell = (one) =>
    place(world, { ...one, side: "sell", price: one.market === "SOL" ? "98" : "1960", reduce_only: true }, key);
  await buy(sol);
  await buy(sol);
  for (let k = 0; k < 8; k++) {
    if ((await buy(eth)).status !== 201) break;
    await sell(eth);
    await sleep(300);
  }
  await sell(sol);
  await sell(sol);
  const loss = lossByPrice(world, { ETH: 2000, SOL: 100 });
  world.claim(
    loss <= boundOf(key),
    "a thief trades beyond the turnover, and loses more by bad prices than the owner was told",
    { told: key.bound, loss, traded: traded(world) },
  );
}

// Others hold the position; the bot may reduce its own part alone, though all that it is told is late.
async function othersPosition(world) {
  const { gateway, exchange } = world;
  await place(world, { market: "SOL", side: "buy", size: "100", price: "100.5", time_in_force: "ioc" });
  const key = await gateway.limitedKey("reducer", { markets: "SOL", "max-loss-per-day": "any" });
  await sleep(6_000);
  exchange.lag = (store) => (store === "settings" ? 0 : 5_000);
  await place(world, { market: "SOL", side: "buy", size: "4.9", price: "100.5", time_in_force: "ioc" }, key);
  const asked = [];
  for (let k = 0; k < 4; k++) {
    asked.push(
      place(
        world,
        { market: "SOL", side: "sell", size: "4.9", price: "99.5", time_in_force: "ioc", reduce_only: true },
        key,
      ),
    );
    asked.push(
      world.tape.ask(
        key,
        "POST",
        "/v1/positions/close",
        { account: world.account, market: "SOL" },
        { name: world.tape.name("close") },
      ),
    );
    await sleep(150);
  }
  await Promise.all(asked);
  world.claim(held(world, "SOL") >= 100 - 1e-9, "a bot has reduced what others hold", { held: held(world, "SOL") });
}

// A bid that rests, and is never filled, lets a bot sell what others hold, over and over.
async function bidAndReduce(world) {
  const { gateway, engine } = world;
  await place(world, { market: "ETH", side: "buy", size: "3", price: "2010", time_in_force: "ioc" });
  const key = await gateway.limitedKey("bidder", { markets: "ETH", "max-loss-per-day": "any" });
  await sleep(2_000);
  await place(world, { market: "ETH", side: "buy", size: "0.24", price: "1965" }, key);
  for (let k = 0; k < 14 && held(world, "ETH") > 0; k++) {
    await place(
      world,
      { market: "ETH", side: "sell", size: "0.24", price: "1970", time_in_force: "ioc", reduce_only: true },
      key,
    );
    await sleep(250);
  }
  const who = await read(world, "/v1/whoami", key);
  world.claim(held(world, "ETH") >= 3 - 1e-9, "a bot has sold what others hold", {
    told: who.limits.use,
    othersHad: 3,
    held: held(world, "ETH"),
    sold: engine.fills.filter(({ buy }) => !buy).length,
  });
}

// The same with a TWAP that has bought nothing yet.
async function twapAndReduce(world) {
  const { gateway, tape } = world;
  await place(world, { market: "ETH", side: "buy", size: "3", price: "2010", time_in_force: "ioc" });
  const key = await gateway.limitedKey("twapper", {
    markets: "ETH",
    "max-loss-per-day": "any",
    may: "increase,reduce,modify,cancel,twap",
    "max-distance": "3 %",
  });
  await sleep(2_000);
  await tape.want(key, "/v1/twaps", { market: "ETH", side: "buy", size: "0.06", duration_minutes: 10 });
  for (let k = 0; k < 8; k++)
    await place(
      world,
      { market: "ETH", side: "sell", size: "0.06", price: "1965", time_in_force: "ioc", reduce_only: true },
      key,
    );
  world.claim(held(world, "ETH") >= 3 - 0.06, "a bot has sold what others hold", { held: held(world, "ETH") });
}

// Everything of others that the interface names, asked for by a bot that touches its own alone.
async function othersThings(world) {
  const { gateway, tape, account, engine } = world;
  await place(world, { market: "ETH", side: "buy", size: "3", price: "2010", time_in_force: "ioc" });
  const stop = await place(world, {
    market: "ETH",
    side: "sell",
    size: "3",
    price: "1710",
    reduce_only: true,
    trigger: { price: "1900", kind: "stop_loss", market: true },
  });
  const profit = await place(world, { market: "ETH", side: "sell", size: "3", price: "2035", reduce_only: true });
  const made = await trade(world, {
    market: "SOL",
    side: "buy",
    size: "5",
    entry: { price: "95" },
    stop_loss: { trigger_price: "90" },
  });
  const twap = await tape.want(world.key, "/v1/twaps", {
    market: "BTC",
    side: "buy",
    size: "0.02",
    duration_minutes: 60,
  });
  const bot = await gateway.limitedKey("meddler", {
    markets: "ETH,SOL,BTC",
    "max-loss-per-day": "any",
    may: "increase,reduce,modify,cancel,leverage,margin,twap,stop",
    "max-distance": "3 %",
  });
  await sleep(2_500);
  const ids = (await read(world, `/v1/trades/${made.answer.id}`)).entry.order;
  const ask = (route, body) => tape.ask(bot, "POST", route, body, { name: tape.name("meddle") });
  const doors = [
    ["cancel of another's stop", `/v1/orders/${stop.answer.id}/cancel`, {}],
    ["cancel by native id", `/v1/orders/${stop.answer.exchange_order_id}/cancel`, {}],
    ["cancel by client order id", `/v1/orders/0x${stop.answer.id.replaceAll("-", "")}/cancel`, {}],
    ["modify of another's stop", `/v1/orders/${stop.answer.id}/modify`, { size: "0.1", always_place: true }],
    ["modify of an entry", `/v1/orders/${ids}/modify`, { price: "99.5" }],
    ["cancel of another's trade", `/v1/trades/${made.answer.id}/cancel`, {}],
    ["modify of another's trade", `/v1/trades/${made.answer.id}/modify`, { stop_loss: { trigger_price: "50" } }],
    ["cancel of another's TWAP", "/v1/twaps/cancel", { market: "BTC", twap_id: Number(twap.answer.exchange_id) }],
    ["cancel-all of all", "/v1/orders/cancel-all", { account, touches: "all", keep_protection: false }],
    ["cancel-all", "/v1/orders/cancel-all", { account, keep_protection: false }],
    ["close of all", "/v1/positions/close", { account, market: "ETH", touches: "all" }],
    ["close", "/v1/positions/close", { account, market: "ETH" }],
    ["stop of the account", "/v1/stop", { scope: "account", keep_protection: false }],
    ["leverage", "/v1/leverage", { market: "ETH", leverage: 25, margin_type: "cross" }],
    [
      "a price that meets another's profit",
      "/v1/orders",
      { account, market: "ETH", side: "buy", size: "0.1", price: "2036", time_in_force: "ioc" },
    ],
  ];
  for (const [name, route, body] of doors) {
    const live =
      engine.live().length + [...engine.twaps.values()].filter(({ status }) => status === "activated").length;
    const position = held(world, "ETH");
    const row = await ask(route, body);
    await sleep(400);
    const after =
      engine.live().length + [...engine.twaps.values()].filter(({ status }) => status === "activated").length;
    world.claim(
      after >= live &&
        held(world, "ETH") >= position - 1e-9 &&
        (row.status >= 400 || name === "cancel-all" || name.startsWith("a price")),
      `a bot did something to another: ${name}`,
      { told: row.answer, status: row.status, live, after },
    );
  }
  // The bid trick again, with an order that rests: does it displace another's?
  await place(world, { market: "ETH", side: "buy", size: "0.24", price: "1965" }, bot);
  await place(world, { market: "ETH", side: "sell", size: "0.24", price: "2030", reduce_only: true }, bot);
  await sleep(500);
  world.claim(
    engine.orders.get(Number(profit.answer.exchange_order_id)).status === "open",
    "a bot has displaced another's order on the book",
    { status: engine.orders.get(Number(profit.answer.exchange_order_id)).status },
  );
  // Its owner stops the account; the bot has that flattened.
  const all = await tape.want(world.key, "/v1/stop", { scope: "account" });
  await ask(`/v1/stops/${all.answer.id}/flatten`, { max_slippage_bps: 500 });
  await sleep(9_000);
  world.claim(held(world, "ETH") >= 3 - 1e-9, "a bot had the owner's positions flattened", {
    held: held(world, "ETH"),
    told: tape.told.filter(({ route }) => route?.endsWith("/flatten")).at(-1),
  });
}

// Two keys of one bot, everything at once.
async function crowd(world) {
  const { gateway, engine } = world;
  const options = { markets: "SOL,ETH,BTC,xyz:TSLA", "max-loss-per-day": "any", "max-turnover-per-day": "3000 USD" };
  const one = await gateway.limitedKey("crowd", options);
  const two = await gateway.limitedKey("crowd", options);
  await sleep(1_000);
  const wishes = [];
  for (let k = 0; k < 24; k++) {
    const key = k % 2 ? one : two;
    const coins = [
      ["SOL", "4.9", "100.5"],
      ["ETH", "0.24", "2010"],
      ["BTC", "0.008", "60100"],
      ["xyz:TSLA", "1.9", "251"],
    ];
    const [market, size, price] = coins[k % 4];
    if (k % 6 === 5)
      wishes.push(
        trade(
          world,
          {
            market,
            side: "buy",
            size,
            entry: { price, time_in_force: "ioc" },
            stop_loss: { trigger_price: String(Math.round(Number(price) * 0.9)) },
          },
          key,
        ),
      );
    else wishes.push(place(world, { market, side: "buy", size, price, time_in_force: "ioc" }, key));
  }
  await Promise.all(wishes);
  await sleep(3_000);
  const nets = ["SOL", "ETH", "BTC", "xyz:TSLA"].map((coin) => held(world, coin) * engine.mark.get(coin));
  world.claim(
    nets.every((net) => net <= 1_005),
    "a market's rail was passed by many at once",
    { nets },
  );
  world.claim(nets.reduce((sum, net) => sum + net, 0) <= 1_508, "the exposure's rail was passed by many at once", {
    nets,
  });
}

// What rested was taken, and canceled, before anything shows it; then the next, and so on.
async function freed(world) {
  const { gateway, engine, exchange } = world;
  const key = await gateway.limitedKey("freed", {
    markets: "SOL",
    "max-loss-per-day": "any",
    "max-turnover-per-day": "any",
  });
  await sleep(1_000);
  exchange.lag = (store) => (store === "settings" ? 0 : 8_000);
  for (const socket of exchange.sockets) socket.lagMs = 8_000;
  for (let k = 0; k < 8; k++) {
    const rests = await place(world, { market: "SOL", side: "buy", size: "4.9", price: "99.5" }, key);
    if (rests.status !== 201) continue;
    engine.hit(Number(rests.answer.exchange_order_id), 4.85);
    await Promise.all([post(world, `/v1/orders/${rests.answer.id}/cancel`, {}, key), sleep(200)]);
  }
  world.claim(held(world, "SOL") * 100 <= 1_005, "canceled orders freed what they had filled", {
    held: held(world, "SOL"),
  });
  await read(world, "/v1/whoami", key);
}

export const scenes = {
  "thief-stops": { play: thiefStops },
  "thief-reduces": { play: thiefReduces },
  "others-position": { play: othersPosition },
  "bid-and-reduce": { play: bidAndReduce },
  "twap-and-reduce": { play: twapAndReduce },
  "others-things": { play: othersThings },
  crowd: { play: crowd },
  freed: { play: freed },
};
