// (D) to (F), and what follows where an outcome cannot be known: a close, a flattening, a stop that wait for ever.
import {
  armed,
  held,
  isCancel,
  isNoop,
  meet,
  place,
  placesPlain,
  placesTrigger,
  post,
  read,
  sleep,
  trade,
  until,
} from "./stage.mjs";

const isReduction = ({ type, orders }) => type === "order" && orders[0].r;

// A stop never arrived, and the empty action that burnt it was executed without an answer: the account is quiet from then on.
async function burnUnheard(world) {
  await place(world, { market: "ETH", side: "buy", size: "0.2", price: "2010", time_in_force: "ioc" });
  meet(world, placesTrigger, { drop: "reset" });
  meet(world, isNoop, { lose: "reset" });
  const made = await trade(world, {
    market: "ETH",
    side: "buy",
    size: "1",
    entry: { price: "2010" },
    stop_loss: { trigger_price: "1900" },
  });
  const since = Date.now();
  const isCovered = await until(
    async () => {
      await read(world, `/v1/trades/${made.answer.id}`);
      return armed(world, "ETH") >= 1;
    },
    150_000,
    2_000,
  );
  world.claim(
    isCovered,
    "the exchange is well again after a second, and two and a half minutes later what a trade holds has no stop",
    {
      held: held(world, "ETH"),
      armed: armed(world, "ETH"),
      afterMs: Date.now() - since,
      told: await read(world, `/v1/trades/${made.answer.id}`),
    },
  );
}

// The same of a close: no other begins, and the position cannot be left through the gateway.
async function closeUnheard(world) {
  await place(world, { market: "ETH", side: "buy", size: "1", price: "2010", time_in_force: "ioc" });
  await sleep(1_500);
  meet(world, isReduction, { drop: "reset" });
  meet(world, isNoop, { lose: "reset" });
  const first = await world.tape.want(world.key, "/v1/positions/close", { account: world.account, market: "ETH" });
  const last = await until(
    async () =>
      ((row) => (row.status === 201 || row.status === 200) && row)(
        await world.tape.ask(
          world.key,
          "POST",
          "/v1/positions/close",
          { account: world.account, market: "ETH" },
          { name: world.tape.name("close") },
        ),
      ),
    150_000,
    5_000,
  );
  world.claim(last, "the exchange is well again after a second, and two and a half minutes later no close is taken", {
    first: first.answer,
    held: held(world, "ETH"),
    last: world.tape.told.filter(({ route }) => route === "/v1/positions/close").at(-1).answer,
  });
}

// The same of a flattening under a stop.
async function flattenUnheard(world) {
  await place(world, { market: "ETH", side: "buy", size: "1", price: "2010", time_in_force: "ioc" });
  await sleep(1_500);
  const stop = await world.tape.want(world.key, "/v1/stop", { scope: "account" });
  meet(world, isReduction, { drop: "reset" });
  meet(world, isNoop, { lose: "reset" });
  await post(world, `/v1/stops/${stop.answer.id}/flatten`, {});
  const end = await until(
    async () => (await read(world, `/v1/stops/${stop.answer.id}`)).flatten?.ended_at,
    150_000,
    2_000,
  );
  world.claim(
    end,
    "the exchange is well again after a second, and two and a half minutes later a flattening has not gone on",
    { held: held(world, "ETH"), told: await read(world, `/v1/stops/${stop.answer.id}`) },
  );
}

// A plain order of elsewhere moves the history; does all of that go on then?
async function burnUnheardThenMoved(world) {
  await place(world, { market: "ETH", side: "buy", size: "0.2", price: "2010", time_in_force: "ioc" });
  meet(world, placesTrigger, { refusal: { words: "The moon is in the wrong house.", burns: true } });
  const made = await trade(world, {
    market: "ETH",
    side: "buy",
    size: "1",
    entry: { price: "2010" },
    stop_loss: { trigger_price: "1900" },
  });
  await sleep(20_000);
  const isCovered = await until(
    async () => {
      await read(world, `/v1/trades/${made.answer.id}`);
      return armed(world, "ETH") >= 1;
    },
    100_000,
    2_000,
  );
  world.claim(
    isCovered,
    "one refusal of a stop in words that are not listed, and two minutes later what a trade holds has no stop",
    { held: held(world, "ETH"), armed: armed(world, "ETH"), told: await read(world, `/v1/trades/${made.answer.id}`) },
  );
}

// Margin moves three times, each without an answer, while fills come in between.
async function marginLost(world) {
  const { tape, engine, key } = world;
  world.wanted = new Map();
  const leverage = await tape.want(key, "/v1/leverage", { market: "SOL", leverage: 5, margin_type: "isolated" });
  world.claim(leverage.answer.status === "succeeded", "the leverage was not set", leverage.answer);
  await place(world, { market: "SOL", side: "buy", size: "20", price: "101", time_in_force: "ioc" });
  const rests = await place(world, { market: "SOL", side: "buy", size: "20", price: "99.5" });
  world.exchange.lag = (store) => (store === "settings" ? 0 : 250 * Math.random());
  const isMargin = ({ type }) => type === "updateIsolatedMargin";
  const plans = [
    { lose: "reset" },
    { drop: "reset" },
    { runLaterMs: 5_000, lose: "502" },
    { refusal: { words: "Temporarily unavailable, please retry.", burns: true } },
    { twiceMs: 500, lose: "hang" },
  ];
  const wishes = plans.map(async (plan, k) => {
    await sleep(k * 700);
    meet(world, isMargin, plan);
    const amount = String(11.11 + k);
    const row = await tape.want(key, "/v1/margin", { market: "SOL", amount });
    if (row.answer.id)
      world.wanted.set(row.answer.id, {
        body: { amount },
        matches: (one) => one.kind === "margin" && Math.abs(one.amount - Number(amount)) < 1e-9,
      });
  });
  for (let k = 0; k < 8; k++) {
    await sleep(600);
    engine.hit(Number(rests.answer.exchange_order_id), 2);
  }
  await Promise.all(wishes);
  await sleep(20_000);
}

// Two equal TWAPs under two names, one of which never arrives; both without an answer. One of elsewhere that is equal as well.
async function twapsAlike(world) {
  const body = { market: "BTC", side: "buy", size: "0.02", duration_minutes: 30 };
  const isTwap = ({ type }) => type === "twapOrder";
  meet(world, isTwap, { lose: "reset" });
  const one = world.tape.want(world.key, "/v1/twaps", body);
  await sleep(200);
  meet(world, isTwap, { drop: "reset" });
  const two = world.tape.want(world.key, "/v1/twaps", body);
  await Promise.all([one, two]);
  await sleep(15_000);
  const told = (await read(world, "/v1/operations")).data.filter(({ action }) => action === "twap");
  const made = world.engine.twaps.size;
  world.claim(
    told.filter(({ status }) => status === "succeeded").length <= made,
    "more TWAPs are told to run than were made",
    { told, made },
  );
  world.claim(
    new Set(told.map(({ exchange_id: id }) => id).filter(Boolean)).size ===
      told.filter(({ exchange_id: id }) => id).length,
    "one TWAP is told to be of two operations",
    { told },
  );
  for (const [id] of world.engine.twaps)
    await world.tape.want(world.key, "/v1/twaps/cancel", { market: "BTC", twap_id: id });
}

// What others and a bot hold on spot: fees are taken in what is bought, so a bot has less than it has bought.
async function spotFee(world) {
  world.engine.spotFeeInBase = true;
  const { tape, account, gateway, key } = world;
  await tape.want(key, "/v1/orders/market", { account, market: "PURR/USDC", side: "buy", size: "10000" });
  const bot = await gateway.limitedKey("spot-bot", { markets: "PURR/USDC", "max-loss-per-day": "any" });
  const bought = await until(
    async () =>
      ((row) => row.status === 201 && row)(
        await tape.ask(
          bot,
          "POST",
          "/v1/orders",
          { account, market: "PURR/USDC", side: "buy", size: "2400", price: "0.2005", time_in_force: "ioc" },
          { name: tape.name("spot") },
        ),
      ),
    420_000,
    10_000,
  );
  world.claim(bought, "a spot bot never came to buy", { last: tape.told.at(-1).answer });
  const others = world.engine.spot.PURR - (2400 - world.engine.fills.at(-1).feeInBase);
  await sleep(1_500);
  await tape.ask(
    bot,
    "POST",
    "/v1/orders",
    { account, market: "PURR/USDC", side: "sell", size: "2400", price: "0.1985", time_in_force: "ioc" },
    { name: tape.name("spot") },
  );
  world.claim(world.engine.spot.PURR >= others - 1, "a bot has sold what others hold on spot", {
    others,
    left: world.engine.spot.PURR,
  });
}

// A batch of all fates, its answer lost, with records that come late and apart.
async function batchLost(world) {
  await place(world, { market: "ETH", side: "buy", size: "0.5", price: "2010", time_in_force: "ioc" });
  world.exchange.lag = (store) => (store === "settings" ? 0 : Math.random() * 6_000);
  for (const plan of [
    { lose: "reset" },
    { runLaterMs: 5_000, lose: "502" },
    { drop: "hang" },
    { twiceMs: 800, lose: "reset" },
  ]) {
    meet(world, ({ type, orders }) => type === "order" && orders.length > 1, plan);
    const orders = [
      { market: "ETH", side: "buy", size: "0.1", price: "1950" },
      { market: "ETH", side: "buy", size: "0.1", price: "2003" },
      { market: "ETH", side: "buy", size: "0.1", price: "2003", time_in_force: "alo" },
      { market: "ETH", side: "buy", size: "0.1", price: "1990", time_in_force: "ioc" },
      { market: "ETH", side: "sell", size: "0.1", price: "2050", reduce_only: true },
    ];
    await post(world, "/v1/orders/batch", { orders });
    const resting = world.engine
      .live()
      .filter(({ buy, trigger }) => buy && !trigger)
      .at(-1);
    if (resting) world.engine.hit(resting.oid, 0.05);
  }
  await sleep(10_000);
}

// Everything is canceled while answers are lost, what rests is being taken, and the gateway dies.
async function cancelAllLost(world) {
  for (let k = 0; k < 6; k++)
    await place(world, {
      market: k % 2 ? "ETH" : "SOL",
      side: "buy",
      size: k % 2 ? "0.1" : "2",
      price: k % 2 ? "1950" : "97",
    });
  meet(world, placesPlain, { runLaterMs: 6_000, lose: "reset" });
  const late = place(world, { market: "ETH", side: "buy", size: "0.1", price: "1960" });
  await sleep(200);
  world.exchange.lag = (store) => (store === "settings" ? 0 : Math.random() * 5_000);
  meet(world, isCancel, { lose: "reset" }, 3);
  const all = await world.tape.want(world.key, "/v1/orders/cancel-all", { account: world.account });
  for (const order of world.engine.live().slice(0, 2)) world.engine.hit(order.oid, order.sz / 2);
  await sleep(300);
  await world.gateway.kill();
  await world.gateway.start();
  const done = await until(
    async () => (await read(world, `/v1/cancel-alls/${all.answer.id}`)).status === "done",
    60_000,
    500,
  );
  world.engine.move("ETH", 1940);
  world.engine.move("SOL", 96);
  await sleep(5_000);
  await read(world, `/v1/cancel-alls/${all.answer.id}`);
  await late;
  world.claim(done, "a cancel-all has not come to its end in a minute", {});
}

// A half, then a half of what is left, while positions are shown late.
async function halves(world) {
  await place(world, { market: "ETH", side: "buy", size: "1", price: "2010", time_in_force: "ioc" });
  await sleep(2_000);
  world.exchange.lag = (store) => (store === "settings" ? 0 : 4_000);
  for (const socket of world.exchange.sockets) socket.lagMs = 4_000;
  for (let k = 0; k < 4; k++) {
    const before = held(world, "ETH");
    const row = await world.tape.want(
      world.key,
      "/v1/positions/close",
      { account: world.account, market: "ETH", fraction: "0.5" },
      { tries: 8 },
    );
    const closed = before - held(world, "ETH");
    world.claim(closed <= before / 2 + 1e-4, "more was closed than was asked for", {
      told: row.answer,
      before,
      closed,
    });
    await sleep(200);
  }
}

// A bot has lost its limit of the day by a mark that moved: nothing of it increases, across a kill, and what it had resting goes.
async function trip(world) {
  const bot = await world.gateway.limitedKey("loser", { markets: "ETH,SOL" });
  await sleep(2_000);
  const buy = (price, extra) => place(world, { market: "ETH", side: "buy", size: "0.24", price, ...extra }, bot);
  await buy("2010", { time_in_force: "ioc" });
  await buy("2010", { time_in_force: "ioc" });
  await place(world, { market: "SOL", side: "buy", size: "2", price: "98.5" }, bot);
  await place(
    world,
    {
      market: "ETH",
      side: "sell",
      size: "0.48",
      price: "1600",
      reduce_only: true,
      trigger: { price: "1700", kind: "stop_loss", market: true },
    },
    bot,
  );
  world.engine.move("ETH", 1870);
  const told = await until(async () => (await read(world, "/v1/whoami", bot)).limits.trip, 15_000);
  world.claim(told, "a bot has lost 62 of 50 USD, and fifteen seconds later it has not tripped", {});
  await world.gateway.kill();
  await world.gateway.start();
  await world.gateway.ready();
  world.engine.move("ETH", 2000);
  await sleep(6_000);
  const again = await buy("2010", { time_in_force: "ioc" });
  world.claim(again.status === 403, "a tripped bot increases after a kill", { told: again.answer });
  world.claim(!world.engine.live().some(({ ro }) => !ro), "a tripped bot's order that increases still rests", {});
  world.claim(
    world.engine.live().some(({ ro }) => ro),
    "a tripped bot's stop went",
    {},
  );
}

export const scenes = {
  "batch-lost": { play: batchLost },
  "cancel-all-lost": { play: cancelAllLost },
  halves: { play: halves },
  trip: { play: trip },
  "margin-lost": { play: marginLost },
  "twaps-alike": { play: twapsAlike },
  "spot-fee": { play: spotFee },
  "burn-unheard": { play: burnUnheard },
  "close-unheard": { play: closeUnheard },
  "flatten-unheard": { play: flattenUnheard },
  "words-unlisted": { play: burnUnheardThenMoved },
};
