// (B) "Stopped" is a theorem: nothing that was signed here before can increase a position after it was told.
import {
  increases,
  isCancel,
  isNoop,
  meet,
  oidOf,
  place,
  placesPlain,
  post,
  read,
  sleep,
  trade,
  until,
} from "./stage.mjs";

const ORDER = { market: "ETH", side: "buy", size: "0.5", price: "2010" };
const stopNow = (world, body = { scope: "account" }, key = world.key) => world.tape.want(key, "/v1/stop", body);
const stopOf = (world, id) => read(world, `/v1/stops/${id}`);
const watch = async (world, id, forMs, everyMs = 400) => {
  for (const end = Date.now() + forMs; Date.now() < end; await sleep(everyMs)) {
    const stop = await stopOf(world, id);
    if (stop.status === "stopped" && !world.goesOn) return stop;
  }
};

// What was signed after the answer of a stop may not increase; its number tells when that was.
function claimNothingSigned(world, stoppedAt, graceMs = 60) {
  for (const { at, envelope } of world.exchange.arrivals)
    world.claim(
      Math.min(at, envelope.nonce) <= stoppedAt + graceMs || !increases(envelope.action),
      "an action that increases was sent after the answer of a stop",
      { afterMs: at - stoppedAt, action: envelope.action },
    );
}

// Orders are on their way in every state of loss when the stop comes.
async function underWay(world) {
  const plans = [
    { lose: "reset" },
    { drop: "reset" },
    { runLaterMs: 3_000, lose: "hang" },
    { runLaterMs: 7_000, lose: "502" },
    { runLaterMs: 11_000, lose: "reset" },
    { waitMs: 5_000 },
    { refusal: { words: "Not today.", burns: false }, twiceMs: 6_000 },
    { lose: "429" },
  ];
  const wishes = [];
  for (const [k, plan] of plans.entries()) {
    meet(world, placesPlain, plan);
    wishes.push(place(world, { ...ORDER, price: k % 2 ? "1950" : "2010" }));
    await sleep(60);
  }
  await sleep(300);
  const stop = await stopNow(world);
  claimNothingSigned(world, stop.at);
  await watch(world, stop.answer.id, 60_000);
  world.engine.move("ETH", 1940);
  await sleep(6_000);
  await stopOf(world, stop.answer.id);
  claimNothingSigned(world, stop.at);
  await Promise.all(wishes);
}

// The empty actions that burn are lost as well, or executed late, or refused.
async function burnsLost(world) {
  const noops = [
    { drop: "reset" },
    { lose: "502" },
    { runLaterMs: 5_000, lose: "hang" },
    { drop: "hang" },
    { refusal: { words: "Not today.", burns: false } },
    { answer: { status: "ok", response: { type: "default" } }, lose: undefined },
  ];
  for (const plan of noops.slice(0, 5)) meet(world, isNoop, plan);
  meet(world, placesPlain, { runLaterMs: 10_500, lose: "reset" });
  const late = place(world, ORDER);
  meet(world, placesPlain, { lose: "reset" });
  const rests = place(world, { ...ORDER, price: "1950" });
  await sleep(400);
  const stop = await stopNow(world);
  await watch(world, stop.answer.id, 60_000);
  world.engine.move("ETH", 1940);
  await sleep(5_000);
  await stopOf(world, stop.answer.id);
  await Promise.all([late, rests]);
}

// A modify that places in any case, a trigger that increases, a batch and a TWAP: each without an answer.
async function otherKinds(world) {
  const rest = await place(world, { ...ORDER, price: "1980" });
  const trigger = await place(world, {
    ...ORDER,
    price: "2060",
    trigger: { price: "2040", kind: "stop_loss", market: true },
  });
  world.exchange.lag = (store) => (store === "settings" ? 0 : 6_000);
  for (const socket of world.exchange.sockets) socket.lagMs = 6_000;
  meet(world, ({ type }) => type === "batchModify", { runLaterMs: 6_000, lose: "reset" });
  meet(world, ({ type }) => type === "twapOrder", { runLaterMs: 6_500, lose: "reset" }, 1);
  meet(world, ({ type, orders }) => type === "order" && orders.length > 1, { runLaterMs: 7_000, lose: "502" });
  const wishes = [
    post(world, `/v1/orders/${rest.answer.id}/modify`, { price: "1985", always_place: true }),
    world.tape.want(world.key, "/v1/twaps", { market: "BTC", side: "buy", size: "0.05", duration_minutes: 30 }),
    post(world, "/v1/orders/batch", {
      orders: [
        { market: "SOL", side: "buy", size: "2", price: "101" },
        { market: "SOL", side: "buy", size: "2", price: "95" },
      ],
    }),
  ];
  await sleep(500);
  meet(world, isCancel, { lose: "reset" }, 2);
  const stop = await stopNow(world);
  await watch(world, stop.answer.id, 70_000);
  world.engine.move("ETH", 2045);
  world.engine.move("ETH", 1970);
  world.engine.move("SOL", 94);
  await sleep(8_000);
  await stopOf(world, stop.answer.id);
  claimNothingSigned(world, stop.at);
  await Promise.all(wishes);
  world.claim(trigger.status === 201, "the trigger was not placed", {});
}

// A TWAP runs without anybody knowing: its answer is lost, and TWAPs are shown late.
async function twapUnseen(world) {
  world.exchange.lag = (store) => (store === "twaps" ? 15_000 : 0);
  world.exchange.isSilent = (channel) => /twap/i.test(channel);
  meet(world, ({ type }) => type === "twapOrder", { lose: "reset" });
  const wish = world.tape.want(world.key, "/v1/twaps", {
    market: "BTC",
    side: "buy",
    size: "0.05",
    duration_minutes: 30,
  });
  await sleep(300);
  const stop = await stopNow(world);
  await watch(world, stop.answer.id, 70_000);
  await sleep(7_000);
  await stopOf(world, stop.answer.id);
  await wish;
}

// A stop arrives between the two orders of a trade, whose stop's answer is late.
async function amidTrade(world) {
  const made = [];
  for (const [k, waitMs] of [0, 150, 400, 900].entries()) {
    const coin = ["ETH", "SOL", "BTC", "xyz:TSLA"][k];
    const mark = world.engine.mark.get(coin);
    meet(world, ({ type, orders }) => type === "order" && orders[0].r, { answerLaterMs: waitMs });
    made.push(
      trade(world, {
        market: coin,
        side: "buy",
        size: "1",
        entry: { price: String(mark * 1.005), time_in_force: "gtc" },
        stop_loss: { trigger_price: String(mark * 0.9) },
      }),
    );
  }
  await sleep(450);
  const stop = await stopNow(world);
  claimNothingSigned(world, stop.at);
  await watch(world, stop.answer.id, 40_000);
  await sleep(8_000);
  for (const { answer } of await Promise.all(made)) if (answer.id) await read(world, `/v1/trades/${answer.id}`);
  claimNothingSigned(world, stop.at);
}

// Thirty orders and a stop at the same moment, over and over, with a kill in the middle.
async function race(world) {
  const wishes = [];
  for (let k = 0; k < 30; k++)
    wishes.push(
      world.tape.ask(
        world.key,
        "POST",
        "/v1/orders",
        { account: world.account, ...ORDER, size: "0.01", price: k % 2 ? "2010" : "1950" },
        { name: world.tape.name("race") },
      ),
    );
  const stop = await world.tape.ask(
    world.key,
    "POST",
    "/v1/stop",
    { scope: "account" },
    { name: world.tape.name("race") },
  );
  for (let k = 0; k < 20; k++)
    wishes.push(
      world.tape.ask(
        world.key,
        "POST",
        "/v1/orders",
        { account: world.account, ...ORDER, size: "0.01" },
        { name: world.tape.name("race") },
      ),
    );
  if (stop.status !== 200 && stop.status !== 202) return world.claim(false, "a stop was refused", stop);
  await sleep(100);
  await world.gateway.kill();
  await world.gateway.start();
  await Promise.all(wishes);
  const known = await until(() => stopOf(world, stop.answer.id));
  world.claim(known?.id === stop.answer.id, "a stop was forgotten by a kill", { known });
  await watch(world, stop.answer.id, 40_000);
  world.engine.move("ETH", 1940);
  await sleep(3_000);
  claimNothingSigned(world, stop.at);
}

// Flattening while every book and position is late, its orders' answers are lost, and others hold as well.
async function flatten(world) {
  await place(world, { market: "ETH", side: "buy", size: "1", price: "2010", time_in_force: "ioc" });
  await place(world, { market: "xyz:TSLA", side: "sell", size: "3", price: "249", time_in_force: "ioc" });
  const bot = await world.gateway.limitedKey("flat", { markets: "ETH", "max-loss-per-day": "any" });
  await place(world, { market: "ETH", side: "buy", size: "0.2", price: "2010", time_in_force: "ioc" }, bot);
  await sleep(2_000);
  world.exchange.lag = (store) => (store === "settings" ? 0 : 5_000);
  meet(world, ({ type, orders }) => type === "order" && orders[0].r, { lose: "reset" }, 2);
  const own = await stopNow(world, { scope: "bot" }, bot);
  await post(world, `/v1/stops/${own.answer.id}/flatten`, {}, bot);
  await until(async () => (await read(world, `/v1/stops/${own.answer.id}`, bot)).flatten?.ended_at, 50_000);
  world.claim(world.engine.positionOf("ETH").szi >= 1 - 1e-9, "flattening a bot has closed what others hold", {
    held: world.engine.positionOf("ETH").szi,
  });
  const all = await stopNow(world);
  await post(world, `/v1/stops/${all.answer.id}/flatten`, {});
  const end = await until(
    async () => ((stop) => stop.flatten?.ended_at && stop)(await stopOf(world, all.answer.id)),
    60_000,
  );
  if (end?.flatten.status === "flat")
    for (const coin of ["ETH", "xyz:TSLA"])
      world.claim(world.engine.positionOf(coin).szi === 0, "told to be flat, and it is held", {
        coin,
        held: world.engine.positionOf(coin).szi,
        told: end.flatten,
      });
  for (const fill of world.engine.fills.filter(({ ro }) => ro))
    world.claim(Math.sign(fill.start) !== (fill.buy ? 1 : -1), "flattening has turned a position round", fill);
}

// A bot falls silent with orders resting, under way and unknown.
async function silence(world) {
  await world.tape.ask(world.key, "PUT", "/v1/heartbeat", { within_s: 5 });
  const rests = await place(world, { ...ORDER, price: "1950" });
  meet(world, placesPlain, { runLaterMs: 8_000, lose: "reset" });
  const late = place(world, { ...ORDER, price: "1960" });
  meet(world, ({ type }) => type === "twapOrder", { runLaterMs: 4_000, lose: "reset" });
  const twap = world.tape.want(world.key, "/v1/twaps", {
    market: "BTC",
    side: "buy",
    size: "0.05",
    duration_minutes: 30,
  });
  const beat = await until(
    async () => ((one) => one.status === "missed" && one)(await read(world, "/v1/heartbeat")),
    25_000,
  );
  world.claim(beat, "a silence was not heard", {});
  if (beat?.stop) await watch(world, beat.stop, 60_000);
  await sleep(6_000);
  world.engine.move("ETH", 1940);
  await sleep(2_000);
  await Promise.all([late, twap]);
  world.claim(oidOf(rests.answer) > 0, "nothing rested", {});
}

// Stopped, ended by the operator, stopped again: each word is of its own stop.
async function resumed(world) {
  const first = await stopNow(world);
  await watch(world, first.answer.id, 20_000);
  meet(world, placesPlain, { runLaterMs: 8_000, lose: "reset" });
  await world.gateway.command("resume", "--account", world.account, "--passphrase-file", world.gateway.pass);
  await stopOf(world, first.answer.id);
  const late = place(world, ORDER);
  await sleep(500);
  const second = await stopNow(world);
  world.claim(second.answer.id !== first.answer.id, "a stop after its end answers with the old one", {
    second: second.answer,
  });
  await watch(world, second.answer.id, 40_000);
  await sleep(4_000);
  await late;
}

// A relay sends an order twice: the first copy meets a server that does not take the number, the second comes after "stopped".
async function refusedThenTaken(world) {
  const words = [
    "Too many cumulative requests sent (10011 > 10010) for cumulative volume traded $10.0. Place taker orders to free up 1 request per USDC traded.",
    "User or API Wallet 0x1111111111111111111111111111111111111111 does not exist.",
    "Must deposit before performing actions. User: 0x1111111111111111111111111111111111111111",
  ];
  for (const text of words) {
    meet(world, placesPlain, { refusal: { words: text, burns: false }, twiceMs: 7_000 });
    await place(world, ORDER);
  }
  const stop = await stopNow(world);
  await watch(world, stop.answer.id, 6_000);
  await sleep(9_000);
  await stopOf(world, stop.answer.id);
}

export const scenes = {
  "refused-then-taken": { play: refusedThenTaken },
  "under-way": { play: underWay },
  "burns-lost": { play: burnsLost },
  "other-kinds": { play: otherKinds },
  "twap-unseen": { play: twapUnseen },
  "amid-trade": { play: amidTrade },
  race: { play: race },
  flatten: { play: flatten },
  silence: { play: silence },
  resumed: { play: resumed },
};
