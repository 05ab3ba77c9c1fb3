// The feed: answered for another user, refused, late snapshots, old words after new ones, right while reads are behind and the reverse.
import { grains, sleep } from "./grain.mjs";
import { judgePerformance } from "./judge-performance.mjs";

/** The exchange's clock is off by so much: fills are told all the same. */
async function clock(world, offsetMs, kills = 0) {
  await world.open({ offsetMs });
  for (let i = 0; i < 6; i++) {
    const caller = world.callers[i % 3];
    await world.place(caller, "ETH", "buy", { thousandths: -5, time_in_force: "ioc" });
    if (i === 3 && kills) await world.restart();
    await sleep(9000);
    const told = world.tape.of("event").filter((of) => of.type === "fill.created").length;
    world.tape.note("fills", { truly: i + 1, told });
    for (const path of ["/v1/positions", "/v1/account", "/v1/orders?status=open", "/v1/twaps"]) {
      const row = await caller.get(path);
      const asOf = row.headers["x-data-as-of"];
      world.tape.note("read", { path, status: row.status, asOf, text: row.text.slice(0, 200) });
      if (row.status !== 200)
        world.find("high", `${path} is ${row.status} ${row.json?.error?.code} while all is well but the clock`, {
          told: row.text,
        });
      if (asOf && Math.abs(Date.parse(asOf) - row.answered) > 20_000)
        world.find("soft", `${path} says ${asOf}, asked at ${new Date(row.answered).toISOString()}`);
    }
  }
  await world.rest(30_000);
  await judgePerformance(world);
}

/** What the feed tells is right; reads are two minutes behind: a partly filled order, a death, an end. */
async function readsBehind(world, { isFeedDead }) {
  await world.open();
  const { main, venue, door, feed } = world;
  const row = await world.place(main, "BTC", "buy", { thousandths: 10 });
  const other = await world.place(main, "ETH", "buy", { thousandths: 10 });
  await sleep(1000);
  door.lag = (store) => (["clock", "meta", "agents", "other"].includes(store) ? 0 : 120_000);
  const order = world.orderOf(row);
  venue.take(order, order.size / 2n);
  await sleep(1500);
  await main.get(`/v1/orders/${row.json.id}`);
  await main.get("/v1/positions");
  await world.restart();
  if (isFeedDead) feed.isShut = true;
  await world.gateway.ready(20_000);
  for (let i = 0; i < 5; i++) {
    await main.get(`/v1/orders/${row.json.id}`);
    await main.get("/v1/positions");
    await main.get("/v1/orders?status=open");
    await main.get("/v1/fills");
    await sleep(1000);
  }
  venue.take(order, order.size);
  venue.cancel(world.truth(main), world.orderOf(other), venue.tick());
  await sleep(1500);
  await main.get(`/v1/orders/${row.json.id}`);
  const closed = main.post("/v1/positions/close", world.name("close"), { account: main.account, market: "BTC" });
  const again = main.post("/v1/positions/close", world.name("close"), { account: main.account, market: "BTC" });
  await Promise.all([closed, again]);
  await main.get("/v1/positions");
  await main.insist("/v1/orders/cancel-all", world.name("all"), { account: main.account }, 8000);
  await world.restart();
  for (let i = 0; i < 6; i++) {
    await main.get("/v1/positions");
    await main.get(`/v1/orders/${other.json.id}`);
    await main.get("/v1/orders?status=open");
    await sleep(1500);
  }
  await world.rest(60_000);
}

/** A position changes while the gateway runs, which dies before a frame of positions comes: do the events say so afterwards? */
async function lastWords(world) {
  await world.open({ isAlone: true });
  const { main, venue, feed } = world;
  const row = await world.place(main, "BTC", "buy", { thousandths: 10 });
  venue.take(world.orderOf(row), grains("0.0003"));
  await sleep(6000);
  feed.way = (channel) => (["clearinghouseState", "allDexsClearinghouseState"].includes(channel) ? [3000] : [0]);
  await sleep(3500);
  venue.take(world.orderOf(row), grains("0.0004"));
  await sleep(1500);
  world.tape.note("told", {
    order: (await main.get(`/v1/orders/${row.json.id}`)).json?.filled_size,
    positions: (await main.get("/v1/positions")).text.slice(0, 300),
  });
  await world.restart();
  await world.rest(30_000);
}

/** The stream is away for a while, and the gateway lives on: what changed meanwhile is told when it is back. */
async function deaf(world) {
  await world.open({ isAlone: true });
  const { main, venue, feed } = world;
  const row = await world.place(main, "BTC", "buy", { thousandths: 10 });
  venue.take(world.orderOf(row), grains("0.0003"));
  await sleep(5000);
  feed.isShut = true;
  feed.drop();
  await sleep(1000);
  venue.take(world.orderOf(row), grains("0.0004"));
  await world.place(main, "ETH", "buy", { thousandths: -5, time_in_force: "ioc" });
  await world.place(main, "@107", "buy", { thousandths: -5, time_in_force: "ioc" });
  await sleep(4000);
  await main.get("/v1/positions");
  await world.rest(30_000);
  await sleep(8000);
  for (const of of world.tape.of("event"))
    if (of.type === "balance.updated") world.tape.note("balance", { data: of.data.data });
}

/** Subscriptions are refused, or answered for another user, or not at all. */
async function unwelcome(world, fate) {
  await world.open();
  world.feed.welcome = (of) => (of.user ? fate : null);
  await world.restart();
  await world.gateway.ready(20_000);
  for (const caller of world.callers) {
    const row = await world.place(caller, "BTC", "buy", { thousandths: 10 });
    await sleep(500);
    world.venue.take(world.orderOf(row), grains("0.0003"));
    const second = await world.place(caller, "ETH", "buy", { thousandths: -5, time_in_force: "ioc" });
    for (let i = 0; i < 5; i++) {
      await caller.get("/v1/positions");
      await caller.get(`/v1/orders/${row.json.id}`);
      await caller.get("/v1/orders?status=open");
      await sleep(900);
    }
    world.tape.note("told", { status: (await caller.get("/v1/status")).json, second: second.json });
  }
  await world.rest(60_000);
}

/** Updates of one account come on the line of another: they name no user. */
async function crossed(world) {
  await world.open();
  const { feed, callers } = world;
  const send = feed.send.bind(feed);
  feed.send = (line, channel, data) => {
    send(line, channel, data);
    if (channel === "orderUpdates" || channel === "user")
      for (const of of feed.lines)
        if (of !== line && [...of.subs.values()].some((sub) => sub.type === "orderUpdates")) send(of, channel, data);
  };
  for (let i = 0; i < 9; i++) {
    const row = await world.place(callers[i % 3], ["BTC", "xyz:GOLD", "@107"][i % 3], "buy", {
      thousandths: i % 2 ? -5 : 10,
    });
    await sleep(200);
    if (i % 2 === 0) world.venue.take(world.orderOf(row), world.orderOf(row).size / 2n);
    for (const caller of callers) await caller.get("/v1/positions");
  }
  await sleep(2000);
  await world.rest(60_000);
}

/** Old words come again after new ones, whole: what was open, then canceled, then open; snapshots late and of before. */
async function replayed(world) {
  await world.open();
  const { feed, main, venue } = world;
  const heard = [];
  feed.way = (channel, frame) => {
    if (
      [
        "orderUpdates",
        "userFills",
        "openOrders",
        "userTwapHistory",
        "twapStates",
        "allDexsClearinghouseState",
        "spotState",
      ].includes(channel)
    )
      heard.push(frame);
    return [0];
  };
  feed.snapshotAfterMs = 4000;
  const rows = [];
  for (let i = 0; i < 6; i++)
    rows.push(await world.place(main, ["BTC", "xyz:GOLD", "@107"][i % 3], "buy", { thousandths: 10 }));
  await main.insist("/v1/twaps", world.name("twap"), {
    market: "BTC",
    side: "buy",
    size: "0.0009",
    duration_minutes: 30,
  });
  for (const [i, row] of rows.entries()) {
    const order = world.orderOf(row);
    venue.take(order, order.size / 2n);
    if (i % 2) venue.take(order, order.size);
    else await main.insist(`/v1/orders/${row.json.id}/cancel`, world.name("cancel"), {});
  }
  for (let i = 0; i < 3; i++) world.deeds.slice(world.truth(main).twaps[0], grains("0.0003"));
  await sleep(1000);
  for (let round = 0; round < 3; round++) {
    const old = [...heard];
    feed.way = () => [0];
    for (const line of feed.lines)
      for (const frame of round === 1 ? old.reverse() : old) line.socket.send(JSON.stringify(frame));
    await sleep(200);
    for (const row of rows) await main.get(`/v1/orders/${row.json.id}`);
    await main.get("/v1/orders?status=open");
    await main.get("/v1/positions");
    await main.get("/v1/twaps");
    if (round === 1) feed.drop();
    await sleep(1500);
  }
  await world.rest(60_000);
}

export const scenes = {
  "clock-behind": (world) => clock(world, -60_000),
  "clock-behind-killed": (world) => clock(world, -60_000, 1),
  "clock-far-behind": (world) => clock(world, -900_000),
  "clock-far-ahead": (world) => clock(world, 900_000, 1),
  "clock-ahead": (world) => clock(world, 150_000, 1),
  "reads-behind": (world) => readsBehind(world, { isFeedDead: false }),
  "reads-behind-no-feed": (world) => readsBehind(world, { isFeedDead: true }),
  "welcome-other": (world) => unwelcome(world, "other"),
  "welcome-refused": (world) => unwelcome(world, "refuse"),
  "welcome-silent": (world) => unwelcome(world, "silent"),
  "last-words": lastWords,
  deaf,
  crossed,
  replayed,
};
