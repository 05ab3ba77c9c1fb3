// Answers that are no answers: to batches, cancels and closes.

import { brief, expect, nextFate, once, patiently } from "./asks.mjs";
import { sleep } from "./codec.mjs";
import { nextKey, priceAt } from "./play.mjs";

const BENT = [
  "fewer",
  "more",
  "swapped",
  "foreign",
  "otherShape",
  "truncated",
  "htmlAfter",
  "htmlBefore",
  "badGateway",
  "badGatewayBefore",
  "badGatewayLate",
  "endless",
  "gzip",
  "trickled",
  "slow",
  "limited",
  "twice",
  "cutLate",
  "huge",
  "redirect",
  "htmlType",
  "noCloid",
];

async function bentBatch(world, client, fate, group) {
  const size = () => world.size(group);
  const entry = (side, times, more = {}) => ({
    market: group,
    side,
    size: size(),
    price: priceAt(world, group, times),
    ...more,
  });
  const orders = [
    entry("buy", "0.9"),
    entry("buy", "1.01", { time_in_force: "alo" }),
    entry("buy", "1.01", { time_in_force: "ioc" }),
    entry("buy", "0.95"),
  ];
  const body = { account: client.account, orders };
  const key = nextKey(world, `batch-${fate}`);
  for (const o of orders)
    world.intend({
      client: client.name,
      key,
      path: "/v1/orders/batch",
      json: JSON.stringify(body),
      coin: o.market,
      size: o.size,
      side: o.side,
    });
  nextFate(world, "order", fate);
  const first = await patiently(client, "/v1/orders/batch", body, key);
  expect(world, "CRITICAL: a batch that may have left has no 2xx", first.status >= 200 && first.status < 300, {
    fate,
    ...brief(first),
  });
  const again = await patiently(client, "/v1/orders/batch", body, key);
  const other = await client.post("/v1/orders/batch", { account: client.account, orders: [...orders].reverse() }, key);
  expect(world, "CRITICAL: the same key with the entries in another order", other.status === 409, {
    fate,
    ...brief(other),
  });
  expect(world, "a repeat of a batch", again.status >= 200 && again.status < 300, { fate, ...brief(again) });
}

/** Of two entries the first is refused for itself; an answer that has lost the second is no refusal of both. */
async function fewerOfTwo(world) {
  const clients = Object.values(world.clients);
  for (const [i, coin] of ["BTC", "flx:OIL", "@107"].entries()) {
    const client = clients[i];
    for (const first of [
      { time_in_force: "alo", times: "1.01" },
      { time_in_force: "ioc", times: "0.9" },
    ]) {
      const { times, ...more } = first;
      const one = { market: coin, side: "buy", size: world.size(coin), price: priceAt(world, coin, times), ...more };
      const two = { market: coin, side: "buy", size: world.size(coin), price: priceAt(world, coin, "0.9") };
      nextFate(world, "order", "fewer");
      await client.post("/v1/orders/batch", { account: client.account, orders: [one, two] }, nextKey(world, "fewer"));
    }
  }
  await sleep(3000);
}

/** What its owner can do about an order that lives and is told as refused: cancel, cancel all, stop. */
async function liveUnseen(world) {
  const { main } = world.clients;
  const one = {
    market: "BTC",
    side: "buy",
    size: world.size("BTC"),
    price: priceAt(world, "BTC", "1.01"),
    time_in_force: "alo",
  };
  const two = { market: "BTC", side: "buy", size: world.size("BTC"), price: priceAt(world, "BTC", "0.9") };
  nextFate(world, "order", "fewer");
  const placed = await main.post(
    "/v1/orders/batch",
    { account: main.account, orders: [one, two] },
    nextKey(world, "unseen"),
  );
  await sleep(4000);
  const live = () =>
    [...world.chain.accounts.get(main.address).orders.values()].filter((o) => o.status === "open").map((o) => o.oid);
  const id = placed.answer?.orders?.[1]?.id;
  const canceled = await main.post(`/v1/orders/${id}/cancel`, {}, nextKey(world, "unseen"));
  expect(world, "CRITICAL: a cancel has left it live", live().length === 0, { live: live(), ...brief(canceled) });
  for (const touches of ["own", "all"]) {
    const key = nextKey(world, "unseen");
    const body = { account: main.account, touches };
    await main.post("/v1/orders/cancel-all", body, key);
    await sleep(2500);
    const all = await main.post("/v1/orders/cancel-all", body, key);
    expect(
      world,
      `CRITICAL: a cancel-all of ${touches} is done and has left it live`,
      live().length === 0 || all.answer?.status !== "done",
      { live: live(), ...brief(all) },
    );
  }
  const stop = await main.post("/v1/stop", { scope: "account" }, nextKey(world, "unseen"));
  await sleep(5000);
  const told = await main.get(`/v1/stops/${stop.answer?.id}`);
  expect(world, "CRITICAL: stopped, and it is live", live().length === 0 || told.answer?.status !== "stopped", {
    live: live(),
    ...brief(told),
  });
}

async function batches(world) {
  const { main, subaccount, vault } = world.clients;
  const groups = { main: "BTC", subaccount: "flx:OIL", vault: "@107" };
  for (let i = 0; i < BENT.length; i += 3) {
    for (const fate of BENT.slice(i, i + 3)) {
      const client = [main, subaccount, vault][BENT.indexOf(fate) % 3];
      await bentBatch(world, client, fate, groups[client.name]);
    }
    await sleep(500);
  }
}

async function cancels(world) {
  const { main, subaccount, vault } = world.clients;
  for (const fate of BENT) {
    const client = [main, subaccount, vault][BENT.indexOf(fate) % 3];
    const coin = { main: "SOL", subaccount: "xyz:XYZ100", vault: "@142" }[client.name];
    world.exchange.fate = () => "ok";
    const placed = await once(world, client, [coin, "buy", "0.9"]);
    nextFate(world, null, fate);
    if (placed.answer?.id)
      await client.post(`/v1/orders/${placed.answer.id}/cancel`, {}, nextKey(world, `cancel-${fate}`));
  }
  world.exchange.fate = () => "ok";
}

async function cancelAlls(world) {
  for (const [i, fate] of BENT.entries()) {
    const client = Object.values(world.clients)[i % 3];
    const coin = ["ETH", "flx:OIL", "PURR/USDC"][i % 3];
    world.exchange.fate = () => "ok";
    for (const times of ["0.9", "0.91", "0.92"]) await once(world, client, [coin, "buy", times]);
    nextFate(world, "cancel", fate);
    const body = { account: client.account, market: coin };
    const key = nextKey(world, `all-${fate}`);
    const all = await client.post("/v1/orders/cancel-all", body, key);
    if (all.answer?.status !== "done") continue;
    const account = world.chain.accounts.get(client.address);
    const live = [...account.orders.values()].filter((o) => o.status === "open" && o.market.name === coin);
    expect(world, "CRITICAL: a cancel-all is done and its orders are live", live.length === 0, {
      fate,
      live: live.map((o) => o.oid),
      ...brief(all),
    });
  }
  await sleep(2000);
}

/** One lost cancel-all before records that are four seconds behind, and then orders: how long is none taken? */
async function lostCancelAll(world) {
  const { main, subaccount } = world.clients;
  for (const times of ["0.9", "0.91", "0.92"]) await once(world, main, ["ETH", "buy", times]);
  clearInterval(world.timers[2]);
  for (const server of world.stores.list) server.lag.records = 4000;
  nextFate(world, "cancel", "lost");
  await main.post("/v1/orders/cancel-all", { account: main.account }, nextKey(world, "lost"));
  const refused = [];
  for (let i = 0; i < 15; i++) {
    const body = {
      account: subaccount.account,
      market: "xyz:XYZ100",
      side: "buy",
      size: world.size("xyz:XYZ100"),
      price: priceAt(world, "xyz:XYZ100", "0.9"),
    };
    const entry = await subaccount.post("/v1/orders", body, nextKey(world, "after"));
    if (entry.status >= 300)
      refused.push(`${new Date(entry.t).toISOString()} ${entry.status} ${entry.raw?.slice(0, 200)}`);
    await sleep(1500);
  }
  expect(world, "soft: orders of another account were refused after a lost cancel", refused.length < 3, {
    id: refused.length,
    refused,
  });
}

async function closes(world) {
  const { main, subaccount } = world.clients;
  for (const [i, fate] of BENT.entries()) {
    const client = [main, subaccount][i % 2];
    const coin = ["BTC", "flx:OIL", "ETH", "xyz:XYZ100"][i % 4];
    world.exchange.fate = () => "ok";
    await once(world, client, [coin, i % 3 === 0 ? "sell" : "buy", i % 3 === 0 ? "0.99" : "1.01"], {
      time_in_force: "ioc",
    });
    await sleep(1200);
    nextFate(world, "order", fate);
    const body = { account: client.account, market: coin };
    const key = nextKey(world, `close-${fate}`);
    const [first] = await Promise.all([
      client.post("/v1/positions/close", body, key),
      client.post("/v1/positions/close", body, key),
    ]);
    const second = await client.post("/v1/positions/close", body, nextKey(world, `close-again-${fate}`));
    const account = world.chain.accounts.get(client.address);
    const closesDone = [...account.orders.values()].filter((o) => o.reduceOnly && o.market.name === coin);
    expect(
      world,
      "CRITICAL: a close has opened a position",
      closesDone.every((o) => !/Open|>/.test(String(o.dir))),
      { fate, ...brief(first), second: brief(second) },
    );
  }
}

export const ANSWER_SCENES = { fewerOfTwo, liveUnseen, batches, cancels, cancelAlls, lostCancelAll, closes };
