// The scenes: what is spoilt (`world`), and what is played (`play`). The draws are inside; `most` is the longest lag of the run, in ms.

import { setTimeout as sleep } from "node:timers/promises";
import { part } from "./exchange.mjs";
import { COINS, MARKETS } from "./markets.mjs";

const PERPS = COINS.filter((coin) => MARKETS[coin].kind === "perp");
const NATIVE = ["BTC", "ETH", "SOL"];
const STRANGE = COINS.filter((coin) => MARKETS[coin].kind === "spot" || MARKETS[coin].dex === "xyz");

/** Each store and channel has a most of its own, from nothing to `most`. */
export function drawnLags(random, most) {
  const one = () => random.pick([0, 0.2, 0.6, 1]) * most;
  return {
    lagMs: { record: one(), list: one(), history: one(), fills: one(), positions: one(), balances: one() },
    streamLagMs: {
      orders: random.pick([0, 0, 0.3, 1]) * Math.min(most, 8000),
      fills: one(),
      states: random.pick([0, 0.3, 1]) * Math.min(most, 8000),
    },
  };
}

/** Just before it is canceled, in the same block or one before, some of an order is filled. */
function fillsBeforeEnd({ ledger, random }, { some = 0.3, all = 0.1 } = {}) {
  return (order) => {
    if (random.chance(all)) ledger.fill(order, order.size);
    else if (random.chance(some)) ledger.fill(order, part(order, random.between(0.1, 0.8)));
  };
}

async function rest(stage, coins, count) {
  const { client, random } = stage;
  const bodies = Array.from({ length: count }, () =>
    client.body(random.pick(coins), random.chance(0.5), { factor: random.whole(1, 5) }),
  );
  const orders = await placeAll(client, bodies);
  await sleep(random.between(0, 1500));
  return orders;
}

/** A batch is of spot, or of perpetuals of one dex. */
async function placeAll(client, bodies) {
  const orders = [];
  const groups = new Map();
  for (const body of bodies) {
    const { kind, dex } = MARKETS[body.market];
    groups.set(kind + dex, [...(groups.get(kind + dex) ?? []), body]);
  }
  for (const group of groups.values()) {
    for (let from = 0; from < group.length; from += 30)
      orders.push(...(await client.placeBatch(group.slice(from, from + 30))));
  }
  return orders;
}

function cancelEach({ client, random }, orders, spreadMs) {
  return Promise.all(
    orders.map(async ({ id }) => {
      await sleep(random.between(0, spreadMs));
      return client.cancel(id);
    }),
  );
}

/** Another hand of the same account: an order of its own that is filled at once, without a client order id. */
function otherHand({ ledger }, coin, isBuy, size) {
  const px = String(MARKETS[coin].mid);
  return ledger.fill(ledger.place({ coin, isBuy, px, sz: size, tif: "Ioc", rests: false }), 10n ** 20n);
}

const each = {
  about: "each is canceled by itself, all at once; some have been filled just before",
  setUp: (stage) => {
    stage.world.beforeCancel = fillsBeforeEnd(stage);
  },
  async play(stage) {
    const orders = await rest(stage, COINS, stage.random.whole(40, stage.count));
    await cancelEach(stage, orders, stage.random.pick([0, 200, 2000]));
  },
};

const all = {
  about: "cancel-all, of a market and of the account",
  setUp: (stage) => {
    stage.world.beforeCancel = fillsBeforeEnd(stage);
  },
  async play(stage) {
    await rest(stage, COINS, stage.random.whole(40, stage.count));
    await Promise.all([stage.client.cancelAll({ market: "BTC" }), stage.client.cancelAll()]);
  },
};

const elsewhere = {
  about: "many end in one block by no cancel of ours: another hand, the margin; some filled before",
  setUp: () => {},
  async play(stage) {
    const { ledger, random } = stage;
    const orders = await rest(stage, COINS, random.whole(40, stage.count));
    const legs = [...ledger.orders.values()].filter((order) => order.owner === "gateway" && ledger.isOpen(order));
    const status = random.pick(["canceled", "marginCanceled", "canceled"]);
    const before = fillsBeforeEnd(stage);
    if (random.chance(0.5)) {
      ledger.block(() => {
        for (const leg of legs) before(leg);
      });
      await sleep(random.between(0, 800));
    }
    ledger.block(() =>
      legs
        .filter((leg) => ledger.isOpen(leg))
        .forEach((leg) => {
          if (random.chance(0.2)) ledger.fill(leg, part(leg, 0.3));
          ledger.end(leg, status);
        }),
    );
    if (random.chance(0.5)) await cancelEach(stage, orders.slice(0, orders.length / 2), 500);
  },
};

const madeUp = {
  about: "a buy and a sell of one market are filled by as much, and canceled: the position has not moved",
  setUp(stage) {
    const { world, random } = stage;
    const start = Date.now();
    const isSilent = random.chance(0.5);
    world.isFillsSilent = () => isSilent && Date.now() > start + 3000;
    world.lagMs.positions = random.pick([0, 500]);
    world.lagMs.fills = stage.most;
  },
  async play(stage) {
    const { client, ledger, random } = stage;
    const coins = random.pick([NATIVE, PERPS, ["BTC"]]);
    const pairs = random.whole(5, 25);
    const bodies = Array.from({ length: pairs }, () => random.pick(coins)).flatMap((coin) => {
      const factor = random.whole(2, 6);
      return [client.body(coin, true, { factor }), client.body(coin, false, { factor })];
    });
    const orders = await placeAll(client, bodies);
    await sleep(random.between(300, 2500));
    // Buys and sells of one market and size, two by two.
    const legs = [...ledger.orders.values()].filter((order) => order.owner === "gateway");
    const how = random.pick(["before", "within"]);
    const meets = (one) => {
      const other = legs[legs.indexOf(one) ^ 1];
      if (!other || !ledger.isOpen(one) || !ledger.isOpen(other) || one.filled) return;
      const size = part(one, 0.4);
      ledger.fill(one, size);
      ledger.fill(other, size);
    };
    if (how === "within") stage.world.beforeCancel = meets;
    else {
      ledger.block(() => {
        for (const [index, leg] of legs.entries()) if (index % 2 === 0 && random.chance(0.6)) meets(leg);
      });
    }
    await cancelEach(stage, orders, random.pick([0, 300]));
  },
};

const others = {
  about: "another hand of the account trades the same market in the same blocks, also by just what was filled",
  setUp(stage) {
    const { ledger, random, world } = stage;
    world.lagMs.positions = random.pick([0, 1000]);
    world.beforeCancel = (order) => {
      if (!random.chance(0.5)) return;
      const filled = ledger.fill(order, part(order, random.between(0.1, 0.9)));
      const isBack = random.chance(0.7);
      if (filled)
        otherHand(stage, order.coin, !order.isBuy, isBack ? Number(filled.sz) / 1e8 : MARKETS[order.coin].lot);
    };
  },
  async play(stage) {
    const orders = await rest(stage, PERPS, stage.random.whole(20, stage.count / 2));
    const trading = setInterval(
      () =>
        stage.ledger.block(() =>
          otherHand(stage, stage.random.pick(NATIVE), stage.random.chance(0.5), MARKETS.SOL.lot),
        ),
      150,
    );
    await cancelEach(stage, orders, 1500);
    clearInterval(trading);
  },
};

const hang = {
  about: "readings of positions and of fills hang for seconds and come with what was so before",
  setUp(stage) {
    const longest = Math.min(9000, stage.most);
    stage.world.hang = {
      clearinghouseState: { share: 0.6, ms: [longest / 3, longest] },
      ...(stage.random.chance(0.5) ? { userFillsByTime: { share: 0.5, ms: [longest / 4, longest] } } : {}),
    };
    stage.world.beforeCancel = fillsBeforeEnd(stage, { some: 0.4 });
  },
  play: async (stage) => {
    const orders = await rest(stage, PERPS, stage.random.whole(30, stage.count));
    await cancelEach(stage, orders, stage.random.pick([0, 1000, 4000]));
  },
};

const mixed = {
  about: "orders are placed and modified in the markets in which others end and are filled",
  setUp: (stage) => {
    stage.world.beforeCancel = fillsBeforeEnd(stage, { some: 0.3, all: 0.08 });
    stage.world.onPlaced = (order) =>
      order.tif === "Ioc" ? { fill: stage.random.chance(0.8) ? part(order, stage.random.between(0.2, 1)) : 0n } : null;
  },
  async play(stage) {
    const { client, random } = stage;
    const coins = random.pick([["BTC", "xyz:TSLA"], NATIVE, COINS]);
    const orders = await rest(stage, coins, random.whole(30, stage.count / 2));
    await Promise.all(
      orders.map(async (order, index) => {
        await sleep(random.between(0, 3000));
        if (index % 3 === 0) await client.modify(order);
        if (index % 3 === 1)
          await client.place(
            random.pick(coins),
            random.chance(0.5),
            random.chance(0.5) ? { time_in_force: "ioc" } : {},
          );
        if (index % 3 !== 0 || random.chance(0.7)) await client.cancel(order.id);
      }),
    );
    await client.cancelAll();
  },
};

const feed = {
  about: "the feed tells an end twice, late, after a later `open`, for another user, and is cut again and again",
  setUp(stage) {
    stage.world.feed = { twice: 0.4, lateOpen: 0.3, foreign: 0.3 };
    stage.world.cutEveryMs = stage.random.pick([0, 1500, 4000]);
    stage.world.beforeCancel = fillsBeforeEnd(stage);
  },
  async play(stage) {
    const orders = await rest(stage, COINS, stage.random.whole(40, stage.count));
    const legs = [...stage.ledger.orders.values()].filter(
      (order) => order.owner === "gateway" && stage.random.chance(0.3),
    );
    stage.ledger.block(() => {
      for (const leg of legs) if (stage.ledger.isOpen(leg)) stage.ledger.end(leg);
    });
    await cancelEach(stage, orders, 2500);
  },
};

/** So long the stream leaves fills out, from before the gateway is started on. */
const PAGES_MS = 25_000;

const page = {
  about: "a fill of a canceled order stands after more than two thousand others of the same seconds",
  setUp: (stage) => {
    const start = Date.now();
    stage.world.isFillsSilent = () => stage.random.chance(0.5) && Date.now() < start + PAGES_MS;
  },
  async play(stage) {
    const { ledger, random } = stage;
    const orders = await rest(stage, ["BTC", "ETH"], random.whole(10, 30));
    for (let block = 0; block < 30; block += 1) {
      ledger.block(() => {
        for (let one = 0; one < 75; one += 1) otherHand(stage, "BTC", one % 2 === 0, "0.001");
      });
      await sleep(20);
    }
    stage.world.beforeCancel = fillsBeforeEnd(stage, { some: 0.6, all: 0.1 });
    await cancelEach(stage, orders, 200);
  },
};

const killed = {
  about: "the gateway is killed amid the ends, and started again",
  setUp: (stage) => {
    stage.world.beforeCancel = fillsBeforeEnd(stage);
  },
  async play(stage) {
    const { random, gateway } = stage;
    const orders = await rest(stage, COINS, random.whole(40, stage.count));
    const ends = random.chance(0.5) ? cancelEach(stage, orders, 1500) : stage.client.cancelAll();
    await sleep(random.between(50, 2000));
    await gateway.kill();
    await gateway.start();
    await ends;
    await cancelEach(stage, orders, 500);
  },
};

const weight = {
  about: "many are modified again and again, near the weight of a minute, and end in the midst of it",
  setUp: (stage) => {
    stage.world.weightLimit = 1200;
    stage.world.beforeCancel = (order) => {
      if (stage.random.chance(0.03)) stage.ledger.fill(order, part(order, 0.3));
    };
  },
  async play(stage) {
    const { client, random } = stage;
    const orders = await rest(stage, PERPS, 30);
    const until = Date.now() + stage.playMs;
    await Promise.all(
      orders.map(async (order) => {
        let newest = order;
        while (Date.now() < until) {
          const answer = await client.modify(newest);
          newest = answer.body?.object === "order" ? answer.body : newest;
          if (!["open", "unknown"].includes(newest.status)) return;
          await sleep(random.between(500, 2500));
        }
        await client.cancel(order.id);
      }),
    );
  },
};

const strange = {
  about: "a builder's dex and spot alone, where a position is read apart or is none",
  setUp: (stage) => {
    stage.world.beforeCancel = fillsBeforeEnd(stage, { some: 0.4, all: 0.15 });
  },
  async play(stage) {
    const orders = await rest(stage, STRANGE, stage.random.whole(30, stage.count));
    await cancelEach(stage, orders, stage.random.pick([0, 1500]));
  },
};

const lost = {
  about: "of placings, cancels and modifies some answers are lost",
  setUp: (stage) => {
    stage.world.lost = 0.2;
    stage.world.beforeCancel = fillsBeforeEnd(stage);
  },
  async play(stage) {
    const orders = [];
    await Promise.all(
      Array.from({ length: Math.min(40, stage.count) }, async () => {
        const order = await stage.client.place(stage.random.pick(COINS), stage.random.chance(0.5), {
          factor: stage.random.whole(1, 4),
        });
        if (order) orders.push(order);
      }),
    );
    await cancelEach(stage, orders, 1500);
  },
};

export const SCENES = { each, all, elsewhere, madeUp, others, hang, mixed, feed, page, killed, weight, strange, lost };
