// An older database is put back while what was done since lives on at the exchange; and two machines with one key.
import { createHash } from "node:crypto";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "./client.mjs";
import { dec } from "./codec.mjs";
import { Gateway } from "./gateway.mjs";
import { sleep } from "./world.mjs";

const ioc = (market, side, size, price) => ({ market, side, size, price, time_in_force: "ioc" });

/** Everything moves to the restored machine: the client as well. */
async function moveTo(world, other, { keep = true } = {}) {
  world.judge.restores.push({ from: world.backedUpAt, to: Date.now() });
  world.more.push(world.gateway);
  world.gateway = other;
  world.client.gateway = other;
  const rotated = await other.command(["agent", "rotate"]);
  await other.approve(rotated.agent?.address ?? rotated.agent);
  await other.start();
  const hash = createHash("sha256").update(world.client.key).digest("hex");
  const from = Date.now();
  for (let left = 20; keep && left > 0; left--) {
    const kept = await other.command(["key", "keep", hash]).catch((error) => error);
    world.note(`key keep ${Date.now() - from} ms after the start: ${kept.stderr ?? JSON.stringify(kept)}`);
    if (!(kept instanceof Error)) break;
    await sleep(500);
  }
}

async function ready(world, most = 60_000) {
  const from = Date.now();
  while (Date.now() - from < most) {
    const row = await world.client.get("/v1/status");
    if (row.status === 200 && row.body.orders.are_taken)
      return world.note(`writes are taken after ${Date.now() - from} ms`);
    await sleep(1000);
  }
  const row = await world.client.get("/v1/status");
  world.judge.find(
    "high",
    `no writes ${most} ms after a restore`,
    JSON.stringify(row.body?.orders ?? row.body),
    JSON.stringify(row.body?.restore ?? null),
  );
}

/** A backup of now, half a dozen orders more, and the same keys on another machine. */
async function move(world) {
  world.calm();
  await sleep(1000);
  world.backedUpAt = Date.now();
  const file = await world.gateway.backup();
  for (let at = 0; at < 6; at++)
    await world.client.order({
      market: "BTC",
      side: "buy",
      size: `0.0071${at}`,
      price: at % 2 ? "50007" : "63000",
      time_in_force: at % 2 ? "gtc" : "ioc",
    });
  await world.gateway.kill();
  await moveTo(world, await world.gateway.restoreElsewhere(file));
  await ready(world);
}

/** Orders that were closed, filled, changed after the backup, and orders made after it. */
async function restored(world) {
  const { client, exchange, account } = world;
  const made = {};
  for (const [name, price] of [
    ["filled", "55001"],
    ["part", "55002"],
    ["canceled", "55003"],
    ["modified", "55004"],
    ["twice", "55005"],
    ["elsewhere", "55006"],
    ["alive", "55007"],
    ["modifiedFilled", "55008"],
  ]) {
    made[name] = world.show(await client.order({ market: "BTC", side: "buy", size: "0.004", price })).body;
  }
  world.backedUpAt = Date.now();
  const file = await world.gateway.backup();
  const at = (name) => account.orders.get(Number(made[name].exchange_order_id));
  exchange.book.hit(account, at("filled"), dec("1"));
  exchange.book.hit(account, at("part"), dec("0.001"));
  world.show(await client.insist(`/v1/orders/${made.canceled.id}/cancel`, {}));
  world.show(await client.insist(`/v1/orders/${made.modified.id}/modify`, { price: "54004" }));
  for (const price of ["54005", "53005"])
    world.show(await client.insist(`/v1/orders/${made.twice.id}/modify`, { price }));
  world.show(await client.insist(`/v1/orders/${made.modifiedFilled.id}/modify`, { price: "54008" }));
  exchange.book.hit(
    account,
    exchange.truth.live(account).find((order) => order.limitPx === dec("54008")),
    dec("0.002"),
  );
  exchange.book.end(account, at("elsewhere"), "canceled");
  for (const fields of [
    ioc("BTC", "buy", "0.00123", "61000"),
    { market: "BTC", side: "buy", size: "0.00124", price: "50001" },
    ioc("@107", "buy", "1.23", "42"),
    { market: "PURR/USDC", side: "buy", size: "123", price: "0.1" },
    ioc("xyz:TSLA", "buy", "1.5", "420"),
    { market: "BTC", side: "buy", size: "0.00001", price: "50001" },
  ])
    world.show(await client.order(fields));
  world.show(
    await client.insist("/v1/orders/batch", {
      account: world.gateway.account,
      orders: [
        { market: "ETH", side: "buy", size: "0.0101", price: "2500" },
        { market: "ETH", side: "buy", size: "0.0102", price: "2501" },
      ],
    }),
  );
  world.show(
    await client.insist("/v1/orders/market", {
      account: world.gateway.account,
      market: "ETH",
      side: "buy",
      size: "0.0103",
    }),
  );
  await world.gateway.kill();
  const other = await world.gateway.restoreElsewhere(file);
  await moveTo(world, other);
  await ready(world);
  for (const key of client.wants.keys()) world.show(await client.repeat(key));
  await sleep(1500);
}

/** The lost machine's last orders land late, while the new one starts. */
async function restoredLate(world) {
  const { client, exchange } = world;
  world.backedUpAt = Date.now();
  const file = await world.gateway.backup();
  world.next("order", "late:hang:9000");
  const lost = client.write("/v1/orders", {
    account: world.gateway.account,
    market: "BTC",
    side: "buy",
    size: "0.00131",
    price: "52001",
  });
  await sleep(300);
  await world.gateway.kill();
  await lost;
  exchange.fate = () => "well";
  exchange.lag.fixed = { order: 2500, open: 4000, history: 6000, fills: 3000 };
  await moveTo(world, await world.gateway.restoreElsewhere(file));
  const key = [...client.wants.keys()].at(-1);
  for (let at = 0; at < 25; at++) {
    const row = world.show(await client.repeat(key));
    if (row.status < 300) break;
    await sleep(1500);
  }
}

/** A trade made before the backup goes on after it: filled, its stop moved; another is made after it. */
async function restoredTrade(world) {
  const { client, exchange, account } = world;
  const trade = (market, size, entry, [stop, profit]) => ({
    account: world.gateway.account,
    market,
    side: "buy",
    size,
    entry: { price: entry },
    stop_loss: { trigger_price: stop },
    take_profit: { trigger_price: profit },
  });
  const first = world.show(await client.insist("/v1/trades", trade("BTC", "0.004", "59000", ["57000", "66000"]))).body;
  await sleep(1500);
  world.backedUpAt = Date.now();
  const file = await world.gateway.backup();
  for (const order of exchange.truth.live(account, "BTC").filter((one) => one.side === "B"))
    exchange.book.hit(account, order, dec("0.003"));
  await sleep(2500);
  world.show(await client.insist(`/v1/trades/${first.id}/modify`, { stop_loss: { trigger_price: "57500" } }));
  await sleep(1500);
  world.show(await client.insist("/v1/trades", trade("ETH", "0.05", "2950", ["2800", "3500"])));
  await sleep(1500);
  for (const order of exchange.truth.live(account, "ETH").filter((one) => one.side === "B" && !one.trigger))
    exchange.book.hit(account, order, dec("0.02"));
  await sleep(1500);
  world.show(await client.get(`/v1/trades/${first.id}`));
  await world.gateway.kill();
  await moveTo(world, await world.gateway.restoreElsewhere(file));
  await ready(world);
  for (const key of client.wants.keys()) world.show(await client.repeat(key));
  await sleep(12_000);
  world.show(await client.get(`/v1/trades/${first.id}`));
  world.show(await client.get("/v1/trades"));
  for (const order of exchange.truth.live(account))
    world.note(
      `live: ${exchange.truth.describe(order)} ${order.trigger ? `trigger ${order.trigger.px}` : ""} ro ${order.reduceOnly}`,
    );
  world.note(`held BTC ${world.size("BTC")} ETH ${world.size("ETH")}`);
}

/** The restored machine and the lost one live at the same time; the lost one has been cut off by the rotation. */
async function twoMachines(world) {
  const { client } = world;
  world.show(await client.order({ market: "BTC", side: "buy", size: "0.00141", price: "52001" }));
  world.backedUpAt = Date.now();
  const file = await world.gateway.backup();
  const old = world.gateway;
  const former = new Client(old, { log: [] });
  former.key = client.key;
  await moveTo(world, await old.restoreElsewhere(file));
  world.show(
    await former.write("/v1/orders", {
      account: old.account,
      market: "BTC",
      side: "buy",
      size: "0.00142",
      price: "52002",
    }),
  );
  await ready(world);
  world.show(await client.order({ market: "BTC", side: "buy", size: "0.00143", price: "52003" }));
  world.show(
    await former.write("/v1/orders", {
      account: old.account,
      market: "BTC",
      side: "buy",
      size: "0.00144",
      price: "52004",
    }),
  );
  await sleep(4000);
}

/** Two copies of one directory, one agent key: what the documents say is that the later one stops. */
async function twoCopies(world) {
  const { client, gateway } = world;
  world.show(await client.order({ market: "BTC", side: "buy", size: "0.00151", price: "52001" }));
  await gateway.kill();
  const copy = new Gateway({
    binary: gateway.binary,
    exchange: world.exchange,
    owner: gateway.owner,
    logFile: gateway.logFile,
  });
  await copy.prepare();
  await cp(gateway.data, copy.data, { recursive: true, filter: (from) => !from.endsWith(".sock") });
  copy.passphrase = join(gateway.root, "passphrase");
  copy.audience = gateway.url;
  copy.account = gateway.account;
  world.more.push(copy);
  await gateway.start();
  await copy.start();
  const second = new Client(copy, { log: world.log });
  second.key = client.key;
  world.copy = second;
  await gateway.answering("/readyz");
  world.show(await client.order({ market: "BTC", side: "buy", size: "0.00152", price: "52002" }));
  world.show(
    await second.write("/v1/orders", {
      account: gateway.account,
      market: "BTC",
      side: "buy",
      size: "0.00153",
      price: "52003",
    }),
  );
  for (let at = 0; at < 10; at++) {
    await sleep(3000);
    const [mine, theirs] = [await client.get("/v1/status"), await second.get("/v1/status")];
    world.note(
      `first: ${JSON.stringify(mine.body?.orders)} ${mine.body?.writes_stopped_because}; copy: ${JSON.stringify(theirs.body?.orders)} ${theirs.body?.writes_stopped_because}`,
    );
    if (theirs.body?.orders.are_taken === false) break;
  }
  world.show(
    await second.write("/v1/orders", {
      account: gateway.account,
      market: "BTC",
      side: "buy",
      size: "0.00154",
      price: "52004",
    }),
  );
  world.show(await client.order({ market: "BTC", side: "buy", size: "0.00155", price: "52005" }));
  await copy.kill();
}

/** What is sized by the moment, and what places beside: closes, market orders, `always_place`, cancel-alls. */
async function restoredCloses(world) {
  const { client, exchange, account } = world;
  const own = { account: world.gateway.account };
  for (const [coin, size, price] of [
    ["BTC", "0.02", "61000"],
    ["ETH", "0.8", "3100"],
    ["xyz:TSLA", "4.4", "420"],
  ])
    world.show(await client.order(ioc(coin, "buy", size, price)));
  const gone = world.show(await client.order({ market: "BTC", side: "buy", size: "0.00501", price: "52001" })).body;
  const stays = world.show(await client.order({ market: "BTC", side: "buy", size: "0.00502", price: "52002" })).body;
  const stop = world.show(
    await client.order({
      market: "BTC",
      side: "sell",
      size: "0.005",
      price: "50000",
      reduce_only: true,
      trigger: { price: "55000", kind: "stop_loss", market: true },
    }),
  ).body;
  world.backedUpAt = Date.now();
  const file = await world.gateway.backup();
  world.show(await client.insist("/v1/positions/close", { ...own, market: "BTC", fraction: "0.5" }));
  world.show(await client.insist("/v1/positions/close", { ...own, market: "xyz:TSLA", fraction: "0.25" }));
  world.show(
    await client.insist("/v1/orders/market", { ...own, market: "ETH", side: "sell", size: "0.2", reduce_only: true }),
  );
  exchange.book.end(account, account.orders.get(Number(gone.exchange_order_id)), "canceled");
  world.show(
    await client.insist(`/v1/orders/${gone.id}/modify`, { price: "52003", size: "0.00503", always_place: true }),
  );
  world.show(
    await client.insist(`/v1/orders/${stays.id}/modify`, { price: "61000", size: "0.00504", always_place: true }),
  );
  world.show(
    await client.insist(`/v1/orders/${stop.id}/modify`, {
      trigger: { price: "54000", kind: "stop_loss", market: true },
      always_place: true,
    }),
  );
  world.show(await client.order({ market: "SOL", side: "buy", size: "1.11", price: "120" }));
  world.show(await client.insist("/v1/orders/cancel-all", { ...own, market: "SOL" }));
  const before = ["BTC", "ETH", "xyz:TSLA"].map((coin) => world.size(coin)).join(" ");
  const orders = account.orders.size;
  await world.gateway.kill();
  await moveTo(world, await world.gateway.restoreElsewhere(file));
  await ready(world);
  world.show(await client.order({ market: "SOL", side: "buy", size: "1.12", price: "121" }));
  for (const key of client.wants.keys()) world.show(await client.repeat(key));
  await sleep(2500);
  const after = ["BTC", "ETH", "xyz:TSLA"].map((coin) => world.size(coin)).join(" ");
  if (before !== after) world.judge.find("CRITICAL", "repeated keys have traded again", after, before);
  if (account.orders.size !== orders + 1)
    world.judge.find(
      "CRITICAL",
      "repeated keys have placed",
      [...account.orders.values()]
        .slice(orders)
        .map((order) => exchange.truth.describe(order))
        .join("; "),
      "",
    );
}

export const restoreScenes = {
  "restored-closes": { play: restoredCloses, setup: { grace: 8000 } },
  restored: { play: restored, move, setup: { grace: 8000 } },
  "restored-late": { play: restoredLate, setup: { grace: 9000 } },
  "restored-trade": { play: restoredTrade, setup: { grace: 8000 } },
  "two-machines": { play: twoMachines },
  "two-copies": { play: twoCopies },
};
