// The exchange in trouble: each way in which an answer goes wrong, halts and clocks, agents that end, another program with the same key.

import { WAYS } from "./door.mjs";
import { sleep } from "./grain.mjs";

const only = (type, fate) => {
  let count = 0;
  return (envelope) => (envelope.action.type === type && count++ === 0 ? fate : null);
};

async function ways(world, run) {
  await world.open();
  const { callers } = world;
  for (const [i, way] of WAYS.entries()) {
    if (run === "never" && ["cut", "short", "trickle", "text"].includes(way)) continue;
    const caller = callers[i % 3];
    const standing = await world.place(caller, "ETH", "buy", { thousandths: 25 });
    const id = standing.json.id;
    const three = [
      ["order", () => world.place(caller, "BTC", "buy")],
      [
        "batchModify",
        () => caller.insist(`/v1/orders/${id}/modify`, world.name("modify"), { price: world.price("ETH", true, 15) }),
      ],
      ["cancel", () => caller.insist(`/v1/orders/${id}/cancel`, world.name("cancel"), {})],
    ];
    for (const [type, act] of three) {
      world.door.fate = only(type, { run, way });
      const row = await Promise.race([act(), sleep(9500)]);
      world.tape.note("way", { way, type, status: row?.status, told: row?.json?.status });
    }
  }
  await world.rest();
}

/** Blocks stop: what is sent is carried out when they go on, as of the time at which they stood. */
async function halted(world, { isClockGoing }) {
  await world.open();
  const { main, door, venue, deeds } = world;
  await world.place(main, "BTC", "buy");
  const since = Date.now();
  door.lag = (store) => (store === "clock" && isClockGoing ? 0 : Date.now() - since);
  world.feed.lag = () => Date.now() - since;
  world.feed.way = (channel) => (["pong", "subscriptionResponse"].includes(channel) ? [0] : isClockGoing ? [0] : []);
  const queue = [];
  const signerOf = [];
  door.fate = (envelope, signer) => {
    queue.push(envelope);
    signerOf.push(signer);
    return { run: "never", way: "504" };
  };
  const row = main.insist(
    "/v1/orders",
    world.name("halted"),
    { account: main.account, market: "ETH", side: "buy", size: world.size("ETH"), price: "2900" },
    3000,
  );
  const told = await row;
  for (let i = 0; i < 22; i++) {
    await sleep(2000);
    if (told.json?.id) await main.get(`/v1/orders/${told.json.id}`);
  }
  const offset = venue.offsetMs;
  venue.offsetMs = since - Date.now();
  for (const [i, envelope] of queue.entries()) {
    if (envelope.action.type === "order") world.tape.note("landed", { answer: deeds.run(envelope, signerOf[i]) });
  }
  venue.offsetMs = offset;
  await world.rest();
}

/** The agent is replaced by another program's under its name, while what became of an order is open. */
async function revoked(world, { run, isBack = false }) {
  await world.open();
  const { main, door, deeds } = world;
  const old = deeds.agents.get(world.owner).now[0];
  const standing = await world.place(main, "ETH", "buy");
  door.lag = (store) => (["status", "open", "history", "fills"].includes(store) ? 20_000 : 0);
  world.feed.way = (channel) => (["orderUpdates", "openOrders", "userFills"].includes(channel) ? [] : [0]);
  const replace = (answer) => {
    deeds.put(world.owner, { ...old, address: `0x${"99".repeat(20)}` });
    return answer;
  };
  door.fate = only("order", { run, way: "reset", answer: replace });
  const pending = main.post("/v1/orders", world.name("revoked"), {
    account: main.account,
    market: "BTC",
    side: "buy",
    size: world.size("BTC"),
    price: "58000",
  });
  const row = await pending;
  for (let i = 0; i < 16; i++) {
    await main.get(`/v1/orders/${row.json?.id ?? 1}`);
    if (i === 3) await main.post(`/v1/orders/${standing.json.id}/cancel`, world.name("cancel"), {});
    if (i === 5)
      await main.post("/v1/orders", world.name("after"), {
        account: main.account,
        market: "SOL",
        side: "buy",
        size: world.size("SOL"),
        price: "140",
      });
    await sleep(1500);
  }
  world.tape.note("ready", { text: (await main.get("/readyz")).text });
  if (isBack) deeds.put(world.owner, old);
  await world.rest(60_000);
}

/** The agent is gone and the exchange says so: how long is it said that orders are taken? */
async function unseen(world) {
  await world.open({ isAlone: true });
  const { main, deeds } = world;
  const old = deeds.agents.get(world.owner).now[0];
  deeds.put(world.owner, { ...old, address: `0x${"99".repeat(20)}` });
  await sleep(6000);
  const since = Date.now();
  for (let i = 0; i < 30; i++) {
    const body = { account: main.account, market: "SOL", side: "buy", size: world.size("SOL"), price: "140" };
    const row = i % 5 === 0 ? await main.post("/v1/orders", world.name("after"), body) : null;
    const ready = await main.get("/readyz");
    world.tape.note("seen", {
      afterMs: Date.now() - since,
      ready: ready.status,
      order: row?.status,
      says: row?.json?.status ?? row?.json?.error?.code,
      error: row?.json?.error,
    });
    if (ready.status === 503) break;
    if (i === 29) world.find("high", "a minute and six refusals after the agent was replaced /readyz is 200");
    await sleep(2000);
  }
  await world.unknowns();
  world.tape.note("metrics", { text: world.metrics.match(/^postern_(agent_listed|ready|account_ready).*$/gm) });
  deeds.put(world.owner, old);
  await sleep(3000);
  await world.rest(30_000);
}

/** Another program with the same key has used the number before us; or a hundred above it. */
async function burnt(world, { isFlood }) {
  await world.open();
  const { main, door, deeds } = world;
  for (let i = 0; i < 3; i++) {
    let isFirst = true;
    door.fate = (envelope, signer) => {
      if (envelope.action.type !== "order" || !isFirst) return null;
      isFirst = false;
      if (isFlood) for (let k = 1; k <= 100; k++) deeds.burn(signer, envelope.nonce + 1 + k);
      else deeds.burn(signer, envelope.nonce);
      return { run: "done", way: i === 1 ? "reset" : undefined };
    };
    const row = await world.place(world.callers[i], "BTC", "buy");
    world.tape.note("burnt", { told: row.json });
    await sleep(1000);
  }
  const standing = await world.place(main, "ETH", "buy");
  door.fate = (envelope, signer) => {
    if (["cancel", "batchModify", "twapOrder", "updateLeverage"].includes(envelope.action.type))
      deeds.burn(signer, envelope.nonce);
    return null;
  };
  if (standing.json?.id) {
    await main.insist(`/v1/orders/${standing.json.id}/modify`, world.name("modify"), { price: "2950" }, 9000);
    await main.insist(`/v1/orders/${standing.json.id}/cancel`, world.name("cancel"), {}, 9000);
  }
  await main.insist(
    "/v1/twaps",
    world.name("twap"),
    { market: "BTC", side: "buy", size: "0.2", duration_minutes: 30 },
    9000,
  );
  await main.insist("/v1/leverage", world.name("lever"), { market: "BTC", leverage: 9, margin_type: "cross" }, 9000);
  await world.rest();
}

/** Reads trickle for half a minute, hang or are HTML, streams are shut; orders go through, and fill. */
async function slow(world) {
  await world.open();
  const { door, feed, venue, random, callers } = world;
  feed.isShut = true;
  feed.drop();
  door.infoFate = () => random.of(["trickle", "hang", "html", "empty", null]);
  const rows = [];
  for (let i = 0; i < 12; i++) {
    const caller = callers[i % 3];
    const coin = ["BTC", "xyz:GOLD", "abc:GOLD", "@107"][i % 4];
    const row = await Promise.race([world.place(caller, coin, "buy", { thousandths: i % 2 ? -5 : 10 }), sleep(9500)]);
    if (!row?.json?.id) continue;
    rows.push([caller, row]);
    const order = world.orderOf(row);
    if (order && venue.isOpen(order)) venue.take(order, order.size / 2n);
    await Promise.all(
      ["/v1/positions", "/v1/orders?status=open", `/v1/orders/${row.json.id}`, "/v1/account"].map((path) =>
        caller.get(path),
      ),
    );
    if (i === 6) await world.restart();
  }
  for (const [caller, row] of rows)
    await Promise.race([caller.post(`/v1/orders/${row.json.id}/cancel`, world.name("cancel"), {}), sleep(9500)]);
  await world.rest();
}

/** The exchange's clock jumps while an order is on its way. */
async function jumped(world, byMs) {
  await world.open();
  const { main, door, venue } = world;
  door.fate = (envelope) =>
    ["order", "noop"].includes(envelope.action.type)
      ? { run: envelope.action.type === "order" ? "late" : "never", afterMs: 8000, way: "reset" }
      : null;
  const row = await main.post("/v1/orders", world.name("jumped"), {
    account: main.account,
    market: "BTC",
    side: "buy",
    size: world.size("BTC"),
    price: "58000",
  });
  door.skewMs = byMs;
  for (let i = 0; i < 14; i++) {
    if (i === 5) world.nudge();
    await main.get(`/v1/orders/${row.json?.id ?? 1}`);
    await sleep(1000);
  }
  door.skewMs = 0;
  venue.offsetMs = 0;
  await world.rest();
}

export const scenes = {
  "ways-done": (world) => ways(world, "done"),
  "ways-never": (world) => ways(world, "never"),
  "halted-clock-goes": (world) => halted(world, { isClockGoing: true }),
  "halted-clock-stands": (world) => halted(world, { isClockGoing: false }),
  "revoked-done": (world) => revoked(world, { run: "done" }),
  "revoked-never": (world) => revoked(world, { run: "never" }),
  "revoked-back": (world) => revoked(world, { run: "done", isBack: true }),
  unseen,
  slow,
  burnt: (world) => burnt(world, { isFlood: false }),
  flooded: (world) => burnt(world, { isFlood: true }),
  "jumped-ahead": (world) => jumped(world, 120_000),
  "jumped-back": (world) => jumped(world, -120_000),
};
