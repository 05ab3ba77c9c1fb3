// What a close, a sale, another's hand and an order of elsewhere leave of somebody's protection.
import { bare, gaps, holders } from "./guard.mjs";
import { is, note, rig, sleep, words } from "./rig.mjs";

const wide = {
  markets: "BTC,ETH,SOL,xyz:TSLA",
  may: "increase,reduce,modify,cancel,twap,stop",
  max_order: "any",
  max_position: "any",
  max_exposure: "any",
  max_turnover_per_day: "any",
};
const held = ({ chain }, coin) => ({ held: chain.position(coin), protection: chain.protection(coin) });
const covered = (world, coin) => world.chain.protection(coin) >= Math.abs(world.chain.position(coin)) - 1e-9;
const buy = (key, coin, size, price) => key.order(coin, "buy", size, price, { time_in_force: "ioc" });

// A bracket of elsewhere, filled in part: its children die with it.
function bracket(chain, size, price, stop) {
  const order = chain.make({ coin: "BTC", side: "B", size, price, tif: "Gtc", reduceOnly: false });
  order.children = [
    {
      ...chain.make({
        coin: "BTC",
        side: "A",
        size,
        price: stop * 0.9,
        tif: null,
        reduceOnly: true,
        trigger: { price: stop, tpsl: "sl", isMarket: true },
      }),
      status: "waiting",
    },
  ];
  chain.orders.push(order);
  chain.update(order, "open");
  chain.changed("outside");
  return order;
}

async function parent(brake, fault, filled) {
  const world = await rig();
  const order = bracket(world.chain, 0.02, 59_000, 57_000);
  await sleep(3000);
  if (fault) world.exchange.feed("silent");
  if (fault === "behind") world.exchange.lag = 60_000;
  if (filled) world.chain.fill(order, 0.01, 59_000);
  if (fault === "never") world.exchange.fate("never", () => true, { times: 4 });
  await brake(world);
  if (fault === "kill") {
    await sleep(400);
    await world.gateway.kill();
    await world.gateway.start();
  }
  await sleep(25_000);
  return { world, order };
}

const stopAll = ({ plain }) => plain.post("/v1/stop", { scope: "account" });
const cancelAll = ({ gateway, plain }) =>
  plain.post("/v1/orders/cancel-all", { account: gateway.account, touches: "all" });

export const closes = {};
for (const [what, brake] of [
  ["stop", stopAll],
  ["cancelAll", cancelAll],
])
  for (const fault of ["", "silent", "behind", "never", "kill"])
    for (const filled of [true, false])
      closes[`parent-${what}-${fault || "none"}-${filled ? "part" : "unfilled"}`] = async () => {
        const { world, order } = await parent(brake, fault, filled);
        const kept = order.status === "open";
        is(
          "2",
          `${what}, ${fault || "no fault"}: a bracket of elsewhere ${filled ? "filled in part stays, or" : ":"} a stop stands for what is filled`,
          kept || covered(world, "BTC"),
          {
            order: order.status,
            ...held(world, "BTC"),
            open: world.chain
              .open("BTC")
              .map(({ side, left, trigger, reduceOnly }) => ({ side, left, trigger, reduceOnly })),
          },
        );
        const list = (await world.plain.get("/v1/stops")).body.data?.[0];
        note("told", { outside: list?.outside, status: list?.status, waits: list?.waits_for });
        if (!filled) {
          await sleep(20_000);
          note(
            "left behind",
            world.chain.open("BTC").map(({ side, left, trigger, reduceOnly }) => ({ side, left, trigger, reduceOnly })),
          );
          is(
            "B",
            "nothing that is left behind can open a position",
            world.chain.open("BTC").every(({ reduceOnly, oid }) => reduceOnly || oid === order.oid),
          );
        }
        return world;
      };

Object.assign(closes, {
  async newStopAfterClose() {
    const world = await holders();
    const { own } = world.bots;
    await own.post(`/v1/orders/${world.rest[0].body.id}/cancel`, {});
    const close = await own.post("/v1/positions/close", { account: world.account, market: "BTC" });
    const next = await own.stopLoss("BTC", "sell", "0.01", "57500", "54000");
    const entry = await buy(own, "BTC", "0.01", "61000");
    note("close, stop, entry", [close.body.status, next.body.status ?? words(next), entry.body.status]);
    await sleep(25_000);
    is(
      "B",
      "a stop that was placed after a close stays for the next entry",
      next.status !== 201 || covered(world, "BTC"),
      held(world, "BTC"),
    );
    return world;
  },

  async reenterAfterClose() {
    const world = await holders();
    const { own } = world.bots;
    await own.post(`/v1/orders/${world.rest[0].body.id}/cancel`, {});
    world.exchange.feed("silent");
    world.exchange.lag = 3000;
    await own.post("/v1/positions/close", { account: world.account, market: "BTC" });
    const entry = await buy(own, "BTC", "0.01", "61000");
    const at = held(world, "BTC");
    await sleep(30_000);
    note("after the entry, and at the end", [
      entry.body.status,
      at,
      held(world, "BTC"),
      world.gateway.events.slice(-6).map(({ type }) => type),
    ]);
    is(
      "B",
      "entered again at once: the stop that stood at that moment stays",
      at.protection === 0 || covered(world, "BTC"),
      { at, now: held(world, "BTC") },
    );
    return world;
  },

  async reenterLost() {
    const world = await holders();
    const { own } = world.bots;
    await own.post(`/v1/orders/${world.rest[0].body.id}/cancel`, {});
    world.exchange.feed("silent");
    world.exchange.lag = 60_000;
    await own.order("BTC", "sell", "0.01", "59500", { time_in_force: "ioc", reduce_only: true });
    world.exchange.fate("lost", ({ type }) => type === "order");
    const entry = await buy(own, "BTC", "0.01", "61000");
    await sleep(50_000);
    note("entry", entry.body);
    is(
      "B",
      "sold, and bought again with its answer lost, feed dead, REST a minute behind: the stop stays",
      covered(world, "BTC"),
      held(world, "BTC"),
    );
    world.exchange.lag = 0;
    world.exchange.feed(false);
    await sleep(15_000);
    is("B", "and stays once all is seen", covered(world, "BTC"), held(world, "BTC"));
    return world;
  },

  async manualRoundTrip() {
    const world = await holders();
    world.chain.outside("BTC", "A", 0.01, 50_000);
    await sleep(800);
    world.chain.outside("BTC", "B", 0.01, 70_000);
    await sleep(50_000);
    note("own says", (await world.bots.own.get("/v1/whoami")).body.limits.use.nets);
    is("B", "sold and bought by hand: the bot's stop is not taken from what is held", covered(world, "BTC"), {
      ...held(world, "BTC"),
      events: world.gateway.events.slice(-5).map(({ type, data }) => [type, data?.data?.status, data?.data?.error]),
    });
    return world;
  },

  async manualRoundTripTrade() {
    const world = await holders();
    world.chain.outside("ETH", "A", 1, 1500);
    await sleep(400);
    world.chain.outside("ETH", "B", 1, 2500);
    await sleep(25_000);
    note("trade", (await world.bots.trade.get(`/v1/trades/${world.trade.id}`)).body);
    note("ETH", held(world, "ETH"));
    return world;
  },

  async twoBotsOneCloses() {
    const world = await holders();
    const two = await world.gateway.bot("two", wide);
    await buy(two, "BTC", "0.02", "61000");
    const guard = await two.stopLoss("BTC", "sell", "0.02", "58000", "55000");
    await world.bots.own.post(`/v1/orders/${world.rest[0].body.id}/cancel`, {});
    await world.bots.own.post("/v1/positions/close", { account: world.account, market: "BTC" });
    await sleep(45_000);
    is(
      "B",
      "one of two bots closes: the other's stop stays",
      guard.status === 201 && covered(world, "BTC"),
      held(world, "BTC"),
    );
    is("B", "and what protects no more goes", world.chain.protection("BTC") <= 0.02 + 1e-9, held(world, "BTC"));
    return world;
  },

  async twapEnds() {
    const world = await holders();
    const { own } = world.bots;
    const { slice } = await import("./acts.mjs");
    await own.post(`/v1/orders/${world.rest[0].body.id}/cancel`, {});
    await own.post("/v1/twaps", { market: "BTC", side: "sell", size: "0.005", duration_minutes: 5, reduce_only: true });
    world.exchange.feed("silent");
    world.exchange.lag = 60_000;
    slice(world.chain, world.chain.twaps[0], 0.0025);
    await sleep(2000);
    slice(world.chain, world.chain.twaps[0], 0.0025);
    await sleep(40_000);
    is(
      "B",
      "a reduce-only TWAP ends while feed and REST are behind: the rest keeps its stop",
      covered(world, "BTC"),
      held(world, "BTC"),
    );
    return world;
  },

  async keepNothing() {
    const world = await holders();
    await world.bots.own.post("/v1/orders/cancel-all", { account: world.account, keep_protection: false });
    await sleep(4000);
    is(
      "clients.md",
      "keep_protection false of one bot leaves the others' protection",
      bare(world.chain).every((line) => line.startsWith("BTC")),
      bare(world.chain),
    );
    note(
      "asked for",
      gaps(world.chain, world.from).map(({ coin }) => coin),
    );
    return world;
  },

  async oneLyingRead() {
    const world = await holders();
    world.exchange.feed("silent");
    let lies = 1;
    world.exchange.twist = (body, view) =>
      body.type === "clearinghouseState" && body.dex !== "xyz" && lies-- > 0 ? { ...view, assetPositions: [] } : view;
    await sleep(40_000);
    is("B", "feed silent, and one reading without positions: no stop goes", bare(world.chain).length === 0, {
      bare: bare(world.chain),
      trade: (await world.bots.trade.get(`/v1/trades/${world.trade.id}`)).body,
    });
    return world;
  },

  async lyingReads() {
    const world = await holders();
    world.exchange.feed("silent");
    world.exchange.twist = (body, view) =>
      body.type === "clearinghouseState" ? { ...view, assetPositions: [] } : view;
    await sleep(60_000);
    is(
      "B",
      "feed silent, and every reading without positions, fills known: no stop goes",
      bare(world.chain).length === 0,
      { bare: bare(world.chain), trade: (await world.bots.trade.get(`/v1/trades/${world.trade.id}`)).body },
    );
    return world;
  },
});
