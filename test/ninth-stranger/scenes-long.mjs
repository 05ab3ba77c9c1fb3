// Long lives: sixty in flight over deaths, fills amid modifies and cancels, closes whose fills are late, lists of markets that move.
import { grains, sleep } from "./grain.mjs";
import { WORDS } from "./weather.mjs";

/** Sixty and more in flight while the answers are lost; killed amid them, three times. */
async function sixty(world) {
  await world.open();
  const { door, random, callers, venue } = world;
  door.fate = (envelope) =>
    envelope.action.type === "order"
      ? random.of([
          { run: "done", way: "reset" },
          { run: "late", afterMs: random.between(500, 9000), way: "504" },
          { run: "never", way: "hang" },
          { run: "done", way: "trickle" },
          null,
        ])
      : null;
  door.lag = (store) => (["status", "open", "history", "fills"].includes(store) ? random.between(0, 4000) : 0);
  const bodies = [];
  for (let i = 0; i < 66; i++) {
    const caller = callers[i % 3];
    const coin = ["BTC", "ETH", "xyz:GOLD", "abc:GOLD"][i % 4];
    bodies.push([
      caller,
      world.name("sixty"),
      {
        account: caller.account,
        market: coin,
        side: i % 2 ? "buy" : "sell",
        size: world.size(coin),
        price: world.price(coin, i % 2 === 1, 20),
      },
    ]);
  }
  const waves = (path) => Promise.all(bodies.map(([caller, name, body]) => caller.post(path, name, body)));
  const first = waves("/v1/orders");
  await sleep(900);
  await world.restart();
  await first;
  const second = waves("/v1/orders");
  await sleep(400);
  await world.restart();
  await second;
  for (const order of venue.orders.filter((of) => of.by && venue.isOpen(of)).slice(0, 20))
    venue.take(order, order.size / 2n);
  await waves("/v1/orders");
  await world.restart();
  await waves("/v1/orders");
  await world.rest();
  await waves("/v1/orders");
}

/** A resting order is filled in part at the very moment of each of its modifies and of its cancel. */
async function races(world, { isLost }) {
  await world.open();
  const { door, venue, callers } = world;
  const target = (envelope) => {
    const { action } = envelope;
    if (action.type === "batchModify") return venue.byOid.get(action.modifies[0].oid);
    if (action.type === "cancel") return venue.byOid.get(action.cancels[0].o);
    return null;
  };
  let count = 0;
  door.fate = (envelope) => {
    const order = target(envelope);
    if (!order) return null;
    count++;
    const steps = [order.size / 4n, order.size / 3n, order.size];
    venue.take(order, whole(venue, order, steps[count % (count % 5 === 0 ? 3 : 2)]));
    return isLost && count % 2 ? { run: "done", way: ["reset", "html", "cut", "empty"][count % 4] } : null;
  };
  door.lag = (store) => (store === "fills" ? 15_000 : store === "status" ? 2000 : 0);
  for (let i = 0; i < 9; i++) {
    const caller = callers[i % 3];
    const coin = ["BTC", "ETH", "abc:GOLD"][i % 3];
    const row = await world.place(caller, coin, "buy", { thousandths: 20 });
    const path = `/v1/orders/${row.json.id}`;
    const size = row.json.size;
    await caller.insist(`${path}/modify`, world.name("modify"), { price: world.price(coin, true, 15) }, 9000);
    await caller.insist(`${path}/modify`, world.name("modify"), { size, price: world.price(coin, true, 12) }, 9000);
    await Promise.all([
      caller.insist(`${path}/modify`, world.name("modify"), { price: world.price(coin, true, 11) }, 9000),
      sleep(100).then(() => caller.insist(`${path}/cancel`, world.name("cancel"), {}, 9000)),
    ]);
    await caller.get(path);
    await caller.get("/v1/positions");
    if (i === 5) await world.restart();
  }
  await world.rest();
}
const whole = (venue, order, size) => {
  const step = 10n ** BigInt(8 - venue.market(order.coin).szDecimals.now);
  return (size / step || 1n) * step;
};

/** An ioc that fills in part, its answer lost, its fills two minutes late. */
async function partial(world) {
  await world.open();
  const { main, door, venue } = world;
  for (const coin of ["SOL", "BTC", "ETH", "xyz:GOLD"]) venue.market(coin).depth = grains("0.001");
  door.lag = (store) => (store === "fills" ? 100_000 : 0);
  world.feed.way = (channel) =>
    ["userFills", "user", "clearinghouseState", "allDexsClearinghouseState"].includes(channel) ? [] : [0];
  let count = 0;
  door.fate = (envelope) =>
    envelope.action.type === "order" && count++ % 2 === 0 ? { run: "done", way: "reset" } : null;
  const rows = [];
  for (const coin of ["SOL", "BTC", "ETH", "xyz:GOLD"])
    for (const more of [{ time_in_force: "ioc" }, {}])
      rows.push(await world.place(main, coin, "buy", { thousandths: -5, ...more }));
  for (let i = 0; i < 8; i++) {
    for (const row of rows) await main.get(`/v1/orders/${row.json.id}`);
    await main.get("/v1/positions");
    if (i === 4) await main.post("/v1/positions/close", world.name("close"), { account: main.account, market: "BTC" });
    if (i === 5) await world.restart();
    await sleep(2000);
  }
  await world.rest();
}

/** Decimals change, a market is delisted, a dex is halted, while orders stand there. */
async function moving(world) {
  await world.open();
  const { venue, callers } = world;
  const rows = [];
  for (const caller of callers)
    for (const coin of ["xyz:GOLD", "abc:GOLD", "ETH", "SOL"])
      rows.push([caller, coin, await world.place(caller, coin, "buy", { thousandths: 10 })]);
  for (const [, , row] of rows)
    venue.take(world.orderOf(row), whole(venue, world.orderOf(row), world.orderOf(row).size / 3n));
  const at = venue.tick();
  venue.market("ETH").szDecimals.set(at, 2);
  venue.market("SOL").szDecimals.set(at, 3);
  venue.market("xyz:GOLD").isDelisted.set(at, true);
  venue.market("abc:GOLD").isHalted = true;
  for (const order of venue.orders.filter((of) => of.coin === "xyz:GOLD" && venue.isOpen(of)))
    venue.force(order, "delistedCanceled");
  for (const [caller, coin, row] of rows) {
    const path = `/v1/orders/${row.json.id}`;
    await caller.insist(`${path}/modify`, world.name("modify"), { price: world.price(coin, true, 12) }, 6000);
    await caller.insist(
      "/v1/orders",
      world.name("place"),
      {
        account: caller.account,
        market: coin,
        side: "buy",
        size: world.size(coin),
        price: world.price(coin, true, 20),
      },
      6000,
    );
    await caller.insist(
      "/v1/positions/close",
      world.name("close"),
      { account: caller.account, market: coin, fraction: "0.5" },
      6000,
    );
  }
  for (const caller of callers)
    await caller.insist("/v1/orders/cancel-all", world.name("all"), { account: caller.account, touches: "all" }, 9000);
  venue.market("abc:GOLD").isHalted = false;
  await world.rest();
}

/** Cancel-all of forty, while they fill and are taken away by the exchange, and the answer is lost. */
async function allGone(world) {
  await world.open();
  const { door, venue, random, callers } = world;
  for (const caller of callers) {
    for (let batch = 0; batch < 2; batch++) {
      const orders = Array.from({ length: 20 }, (_, i) => {
        const coin = ["BTC", "ETH", "xyz:GOLD", "@107"][i % 4];
        return { market: coin, side: "buy", size: world.size(coin), price: world.price(coin, true, 5 + i) };
      });
      await caller.insist("/v1/orders/batch", world.name("batch"), { account: caller.account, orders });
    }
  }
  door.lag = (store) => (["fills", "open", "status"].includes(store) ? random.between(0, 8000) : 0);
  door.fate = (envelope) => {
    if (envelope.action.type !== "cancel" && envelope.action.type !== "cancelByCloid") return null;
    for (const { o } of envelope.action.cancels) {
      const order = venue.byOid.get(o);
      if (order && random.chance(0.4))
        venue.take(order, random.chance(0.5) ? order.size : whole(venue, order, order.size / 3n));
      else if (order && random.chance(0.2)) venue.force(order, random.of(WORDS));
    }
    return random.chance(0.5) ? { run: "done", way: random.of(["reset", "html", "cut", "504"]) } : null;
  };
  const names = callers.map((caller) => [caller, world.name("all")]);
  const ask = () =>
    Promise.all(
      names.flatMap(([caller, name]) =>
        Array.from({ length: 4 }, () => caller.post("/v1/orders/cancel-all", name, { account: caller.account })),
      ),
    );
  const first = ask();
  await sleep(700);
  await world.restart();
  await first;
  await ask();
  await sleep(3000);
  const ids = await ask();
  for (const row of ids) if (row.json?.id) await row_(world, row);
  await world.rest();
  for (const row of ids) if (row.json?.id) await row_(world, row);
}
async function row_(world, row) {
  const caller = world.callers.find((of) => of.account === row.account);
  const told = await caller.get(`/v1/cancel-alls/${row.json.id}`);
  for (const of of told.json?.results ?? []) {
    const order = world.venue.orders.find((one) => one.cloid === `0x${of.order_id.replaceAll("-", "")}`);
    if (!order) continue;
    const filled = world.venue.filled(order);
    if (["filled", "canceled", "rejected"].includes(of.status) && world.venue.isOpen(order))
      world.find("CRITICAL", `cancel-all told ${of.status}, truly open`, { of });
    if (world.restMs && of.filled_size !== null && grains(of.filled_size) !== filled)
      world.find("high", `cancel-all told filled ${of.filled_size}, truly ${filled}`, { of });
  }
}

export const scenes = {
  sixty,
  races: (world) => races(world, { isLost: false }),
  "races-lost": (world) => races(world, { isLost: true }),
  partial,
  moving,
  "all-gone": allGone,
};
