// (A) Whole trades: what is told of an entry, its stop and its profit, while answers are lost and every store is late.
import {
  armed,
  held,
  isCancel,
  meet,
  oidOf,
  place,
  placesPlain,
  placesTrigger,
  post,
  read,
  sleep,
  trade,
  until,
} from "./stage.mjs";

export const LONG = {
  market: "ETH",
  side: "buy",
  size: "1",
  entry: { price: "1990" },
  stop_loss: { trigger_price: "1900" },
};
export const tradeOf = (world, id) => read(world, `/v1/trades/${id}`);
const everythingLate = (world, ms, stream = ms) => {
  world.exchange.lag = (store) => (store === "settings" ? 0 : ms);
  for (const socket of world.exchange.sockets) socket.lagMs = stream;
};
export const entryOf = (world, id) => until(async () => (await tradeOf(world, id)).entry?.order);
export const liveOf = (world, orderId) => world.engine.newestByCloid(`0x${orderId.replaceAll("-", "")}`);

// What was held a moment ago has to be covered a while later, by the log alone.
async function coveredWithin(world, coin, rule, withinMs = 30_000) {
  const covered = await until(() => armed(world, coin) >= Math.abs(held(world, coin)) - 1e-9, withinMs);
  world.claim(covered, rule, { held: held(world, coin), armed: armed(world, coin) });
}

// The entry is taken in part, and its cancel is answered, before anything shows the fill.
async function partThenCancel(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  everythingLate(world, 12_000);
  world.engine.hit(liveOf(world, entry).oid, 0.4);
  await post(world, `/v1/trades/${made.answer.id}/cancel`, {});
  for (let k = 0; k < 12; k++) {
    await sleep(1_500);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "what a canceled entry had filled is not protected");
}

// The same, and the answer of the cancel is lost; the gateway is killed meanwhile.
async function partThenLostCancel(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  everythingLate(world, 9_000);
  meet(world, isCancel, { lose: "reset" }, 2);
  world.engine.hit(liveOf(world, entry).oid, 0.4);
  const asked = post(world, `/v1/trades/${made.answer.id}/cancel`, {});
  await sleep(500);
  await world.gateway.kill();
  await world.gateway.start();
  await asked;
  for (let k = 0; k < 8; k++) {
    await sleep(1_500);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "what a canceled entry had filled is not protected");
}

// Somebody takes the stop away at the exchange while the stream is silent: the entry has to end, or be covered again.
async function stopTakenAway(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  world.exchange.isSilent = (channel) => channel === "orderUpdates" || channel === "openOrders";
  const stop = world.engine.live().find((order) => order.trigger);
  world.engine.cancel(stop);
  await sleep(1_000);
  const safe = await until(async () => {
    await tradeOf(world, made.answer.id);
    return armed(world, "ETH") >= 1 || liveOf(world, entry).status !== "open";
  }, 45_000);
  world.claim(
    safe,
    "the stop was taken away, and three quarters of a minute later the entry still waits without one",
    {},
  );
  world.exchange.isSilent = undefined;
}

// The same while it is held.
async function stopTakenWhileHeld(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  world.engine.move("ETH", 1980);
  await until(async () => (await tradeOf(world, made.answer.id)).status === "open");
  world.exchange.isSilent = (channel) => channel === "orderUpdates" || channel === "openOrders";
  world.engine.cancel(world.engine.live().find((order) => order.trigger));
  const since = Date.now();
  await until(async () => armed(world, "ETH") >= 1 || !(await tradeOf(world, made.answer.id)).protected, 45_000);
  world.claim(
    Date.now() - since < 44_000,
    "the stop was taken away from what is held, and it is told to be protected three quarters of a minute long",
    {},
  );
  world.exchange.isSilent = undefined;
}

// The stop fires into an empty book: it is gone, and everything is still held.
async function firesIntoNothing(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  world.engine.move("ETH", 1980);
  await until(async () => (await tradeOf(world, made.answer.id)).status === "open");
  world.engine.depth.set("ETH", { bid: 0, ask: 100 });
  world.engine.move("ETH", 1895);
  await sleep(4_000);
  const told = await tradeOf(world, made.answer.id);
  world.claim(
    !(told.protected && held(world, "ETH") > 0 && armed(world, "ETH") === 0),
    "told to be protected though its stop is gone",
    { told },
  );
  await sleep(10_000);
  await tradeOf(world, made.answer.id);
  world.engine.depth.delete("ETH");
  world.engine.move("ETH", 1880);
  await sleep(15_000);
  const last = await tradeOf(world, made.answer.id);
  world.claim(
    held(world, "ETH") === 0 || armed(world, "ETH") >= held(world, "ETH") || last.protected === false,
    "held without a stop, and told to be protected",
    { last },
  );
}

// Positions are shown as they were before the entry filled, with that time, for twenty seconds.
async function positionBehind(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  const frozenAt = Date.now();
  const thaw = frozenAt + 20_000;
  world.exchange.lag = (store) => (store === "positions" && Date.now() < thaw ? Date.now() - frozenAt : 0);
  world.exchange.isSilent = (channel) => Date.now() < thaw && /clearinghouse/i.test(channel);
  world.engine.move("ETH", 1980);
  for (let k = 0; k < 12; k++) {
    await sleep(1_500);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "held, and its stop went while positions were behind");
  world.exchange.isSilent = undefined;
}

// A buying and a selling trade in one market: the account is flat, and each has filled.
async function opposite(world) {
  const long = await trade(world, LONG);
  await until(async () => (await tradeOf(world, long.answer.id)).status === "entering");
  world.engine.move("ETH", 1985);
  await until(async () => (await tradeOf(world, long.answer.id)).status === "open");
  const short = await trade(world, {
    market: "ETH",
    side: "sell",
    size: "1.5",
    entry: { price: "1990" },
    stop_loss: { trigger_price: "2100" },
  });
  await until(async () => (await tradeOf(world, short.answer.id)).entry?.order, 8_000);
  await sleep(1_000);
  world.engine.move("ETH", 1995);
  for (let k = 0; k < 8; k++) {
    await sleep(1_500);
    for (const { answer } of [long, short]) if (answer.id) await tradeOf(world, answer.id);
  }
  const state = held(world, "ETH");
  const stops = world.engine.live().filter((order) => order.ro && order.trigger);
  const right = stops.filter((order) => order.buy === state < 0).reduce((sum, order) => sum + order.sz, 0);
  world.claim(right >= Math.abs(state) - 1e-9, "two opposite trades leave what is held without a stop", {
    state,
    right,
  });
}

// Other hands are short already: the entry first closes that.
async function againstOthers(world) {
  await place(world, { market: "ETH", side: "sell", size: "0.6", price: "1990", time_in_force: "ioc" });
  const made = await trade(world, LONG);
  await until(async () => (await tradeOf(world, made.answer.id)).entry?.order, 8_000);
  await sleep(1_000);
  world.engine.move("ETH", 1985);
  for (let k = 0; k < 8; k++) {
    await sleep(1_500);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "what an entry holds beyond another's short is not covered");
}

// A stop follows each part that is filled; answers of stops are lost, late, refused in unlisted words.
async function afterFills(world) {
  await place(world, { market: "ETH", side: "buy", size: "0.2", price: "2010", time_in_force: "ioc" });
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  const plans = [
    { lose: "reset" },
    { drop: "hang" },
    { refusal: { words: "The moon is in the wrong house.", burns: true } },
    { runLaterMs: 4_000, lose: "502" },
    { refusal: { words: "Try again in a while.", burns: false }, twiceMs: 3_000 },
  ];
  for (const plan of plans) {
    meet(world, placesTrigger, plan);
    world.engine.hit(liveOf(world, entry).oid, 0.2);
    for (let k = 0; k < 4; k++) {
      await sleep(1_000);
      await tradeOf(world, made.answer.id);
    }
  }
  await sleep(15_000);
  await tradeOf(world, made.answer.id);
  const own = armed(world, "ETH");
  world.claim(own >= 1 - 1e-9, "an entry has filled in parts, and no stop covers them", {
    own,
    held: held(world, "ETH"),
  });
  world.claim(own <= 1 + 1e-9 || own <= held(world, "ETH"), "stops of more than the trade holds are left", {
    own,
    held: held(world, "ETH"),
  });
}

// Each action of a trade in turn is executed, and the gateway killed before it hears of it.
async function killedAtEach(world) {
  for (let step = 0; step < 4; step++) {
    const coin = ["ETH", "SOL", "BTC", "xyz:TSLA"][step];
    const mark = world.engine.mark.get(coin);
    let left = step;
    const fits = ({ type }) => (type === "order" || type === "cancel") && left-- === 0;
    meet(world, fits, async () => {
      setTimeout(() => world.gateway.kill(), 30);
      return { lose: "hang" };
    });
    const at = (part) => String(Number((mark * part).toPrecision(4)));
    const made = await trade(world, {
      market: coin,
      side: "buy",
      size: "1",
      entry: { price: at(0.99) },
      stop_loss: { trigger_price: at(0.9) },
      take_profit: { trigger_price: at(1.1) },
    });
    await sleep(1_200);
    world.engine.move(coin, mark * 0.985);
    await sleep(1_500);
    if (world.gateway.process.signalCode !== null) await world.gateway.start();
    const id = made.answer?.id;
    if (!id) continue;
    await until(
      async () => ["open", "entering", "closed", "rejected"].includes((await tradeOf(world, id)).status),
      15_000,
    );
    await sleep(4_000);
    await tradeOf(world, id);
    await coveredWithin(world, coin, `held without a stop after a kill at step ${step}`);
  }
}

// The client changes the orders of a trade behind its back.
async function partsChanged(world) {
  const made = await trade(world, LONG);
  const entry = await entryOf(world, made.answer.id);
  await until(() => liveOf(world, entry)?.status === "open");
  meet(world, placesTrigger, { waitMs: 4_000 }, 3);
  const bigger = await post(world, `/v1/orders/${entry}/modify`, { size: "3" });
  world.engine.hit(oidOf(bigger.answer), 2.5);
  for (let k = 0; k < 10; k++) {
    await sleep(700);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "an entry was made larger, and its stop was not");
  const { stop_loss: stop } = await tradeOf(world, made.answer.id);
  await post(world, `/v1/orders/${stop.order}/modify`, { size: "0.1", always_place: true });
  for (let k = 0; k < 10; k++) {
    await sleep(700);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "a stop was made smaller, and nothing covers the rest");
}

// The profit takes a part and rests; then the stop fires; then more of both.
async function bothSides(world) {
  const made = await trade(world, {
    ...LONG,
    entry: { price: "2010" },
    take_profit: { trigger_price: "2050", limit_price: "2049" },
  });
  await until(async () => (await tradeOf(world, made.answer.id)).take_profit?.order);
  world.engine.depth.set("ETH", { bid: 0.1, ask: 100 });
  world.engine.move("ETH", 2051);
  everythingLate(world, 4_000);
  await sleep(3_000);
  await tradeOf(world, made.answer.id);
  world.engine.move("ETH", 1895);
  for (let k = 0; k < 8; k++) {
    await sleep(1_500);
    await tradeOf(world, made.answer.id);
  }
  world.engine.depth.delete("ETH");
}

// An entry is executed seconds after its answer was lost, and nothing shows it before it fills.
async function entryLate(world) {
  meet(world, placesPlain, { runLaterMs: 9_000, lose: "reset" });
  const made = await trade(world, { ...LONG, entry: { price: "2010" } });
  for (let k = 0; k < 16; k++) {
    await sleep(1_500);
    await tradeOf(world, made.answer.id);
  }
  await coveredWithin(world, "ETH", "a late entry is not covered");
}

export const scenes = {
  "part-then-cancel": { play: partThenCancel },
  "part-then-lost-cancel": { play: partThenLostCancel },
  "stop-taken-away": { play: stopTakenAway },
  "stop-taken-while-held": { play: stopTakenWhileHeld },
  "fires-into-nothing": { play: firesIntoNothing },
  "position-behind": { play: positionBehind },
  opposite: { play: opposite },
  "against-others": { play: againstOthers },
  "after-fills": { play: afterFills },
  "killed-at-each": { play: killedAtEach },
  "parts-changed": { play: partsChanged },
  "both-sides": { play: bothSides },
  "entry-late": { play: entryLate },
};
