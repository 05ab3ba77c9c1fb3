// Answers that are no answers: to batches, cancels, closes, TWAPs, leverage and margin.

import { brief, expect, once, patiently } from "./asks.mjs";
import { num, sleep } from "./codec.mjs";
import { nextKey, priceAt, write } from "./play.mjs";

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
];

/** The fate of the next action of a type; the others are well. */
function nextFate(world, type, name, seconds = 5) {
  let isUsed = false;
  world.exchange.fate = (envelope) => {
    if (isUsed || (type && envelope.action.type !== type)) return "ok";
    isUsed = true;
    return { name, seconds };
  };
}

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

// ---- TWAPs, leverage, margin

const operation = (world, client, what) => {
  const { path, body, name, matches, same } = what;
  return write(world, client, { path, body, key: nextKey(world, name), intent: { operation: name, matches, same } });
};

async function twaps(world) {
  const { main, subaccount } = world.clients;
  world.chain.twapSlices = 2;
  for (const [i, fate] of [
    "lost",
    "htmlAfter",
    "badGatewayLate",
    "truncated",
    "otherShape",
    "twice",
    "slow",
    "endless",
    "lostBefore",
    "limited",
  ].entries()) {
    const client = [main, subaccount][i % 2];
    const coin = ["BTC", "flx:OIL"][i % 2];
    const size =
      String((num(world.size(coin)) * 5n) / 10n ** 7n / 10n ** 5n) === "0"
        ? (Number(world.size(coin)) * 5).toFixed(4)
        : (Number(world.size(coin)) * 5).toFixed(2);
    const asset = world.chain.lists.idOf(world.chain.lists.coin(coin));
    const matches = (a) => a.type === "twapOrder" && a.twap.a === asset && Number(a.twap.s) === Number(size);
    nextFate(world, "twapOrder", fate);
    const started = await operation(world, client, {
      path: "/v1/twaps",
      body: { market: coin, side: "buy", size: String(Number(size)), duration_minutes: 5 },
      name: `twap-${fate}`,
      matches,
      same: `twap ${coin} ${size}`,
    });
    world.exchange.fate = () => "ok";
    const running = [...world.chain.accounts.get(client.address).twaps.values()].filter((t) => t.running);
    for (const t of running) {
      nextFate(world, "twapCancel", ["lost", "otherShape", "htmlAfter", "truncated"][i % 4]);
      const same = (a) => a.type === "twapCancel" && a.t === t.id;
      await sleep(world.draw.between(0, 3000));
      await operation(world, client, {
        path: "/v1/twaps/cancel",
        body: { market: coin, twap_id: t.id },
        name: "twap_cancel",
        matches: same,
        same: `untwap ${t.id}`,
      });
    }
    expect(world, "soft: a TWAP has no 2xx", started.status >= 200 && started.status < 300, {
      fate,
      ...brief(started),
    });
  }
}

/** Two that are equal, both answers lost; and one canceled in the moment in which it ends. */
async function twinTwaps(world) {
  const { main } = world.clients;
  world.chain.twapSlices = 3;
  world.exchange.fate = (e) => (e.action.type === "twapOrder" ? "lost" : "ok");
  const body = { market: "ETH", side: "buy", size: "0.2", duration_minutes: 5 };
  const keys = [nextKey(world, "twin"), nextKey(world, "twin")];
  await Promise.all(keys.map((key) => main.post("/v1/twaps", body, key)));
  world.exchange.fate = () => "ok";
  await sleep(25000);
  const answers = await Promise.all(keys.map((key) => main.post("/v1/twaps", body, key)));
  const ids = answers.map((a) => a.answer?.exchange_id).filter(Boolean);
  const made = [...world.chain.accounts.get(main.address).twaps.values()];
  expect(world, "CRITICAL: two TWAPs have one number", new Set(ids).size === ids.length, {
    ids,
    made: made.map((t) => t.id),
  });
  const isFalse = answers.filter((a) => a.answer?.status === "rejected").length > 2 - made.length;
  expect(world, "CRITICAL: a TWAP that runs is told as rejected", !isFalse, {
    made: made.map((t) => t.id),
    answers: answers.map(brief),
  });
  for (const t of made) {
    const entry = await main.post("/v1/twaps/cancel", { market: "ETH", twap_id: t.id }, nextKey(world, "late"));
    expect(
      world,
      "cancel of a TWAP that has ended",
      entry.answer?.status === (t.status.status === "terminated" ? "succeeded" : "rejected"),
      { truth: t.status, ...brief(entry) },
    );
  }
}

/** The second of two equal ones a moment after the first, whose answer is lost: it waits, and both are known in the end. */
async function twinsApart(world) {
  const { main } = world.clients;
  world.exchange.fate = (e) => (e.action.type === "twapOrder" ? "lost" : "ok");
  const body = { market: "ETH", side: "buy", size: "0.3", duration_minutes: 5 };
  const first = main.post("/v1/twaps", body, nextKey(world, "apart"));
  await sleep(1000);
  const second = main.post("/v1/twaps", body, nextKey(world, "apart"));
  await Promise.all([first, second]);
  const sent = world.exchange.sent.filter((e) => e.type === "twapOrder").map((e) => e.t);
  expect(world, "soft: the second TWAP did not wait", sent.length < 2 || sent[1] - sent[0] > 1500, { id: sent });
}

async function leverages(world) {
  const { main, subaccount } = world.clients;
  const set = (client, coin, leverage, margin_type) => {
    const asset = world.chain.lists.idOf(world.chain.lists.coin(coin));
    const matches = (a) =>
      a.type === "updateLeverage" &&
      a.asset === asset &&
      a.leverage === leverage &&
      a.isCross === (margin_type === "cross");
    return operation(world, client, {
      path: "/v1/leverage",
      body: { market: coin, leverage, margin_type },
      name: "leverage",
      matches,
      same: `leverage ${coin} ${leverage} ${margin_type}`,
    });
  };
  await once(world, main, ["SOL", "buy", "1.01"], { time_in_force: "ioc" });
  await once(world, subaccount, ["xyz:TSLA", "buy", "1.01"], { time_in_force: "ioc" });
  for (const [i, fate] of [
    "lost",
    "htmlAfter",
    "badGatewayLate",
    "cutLate",
    "lostBefore",
    "twice",
    "truncated",
    "limitedBefore",
  ].entries()) {
    nextFate(world, "updateLeverage", fate);
    const refused = await set(main, "SOL", i + 2, "isolated");
    expect(
      world,
      "CRITICAL: refused because of the position, and told otherwise",
      refused.answer?.status !== "succeeded",
      { fate, ...brief(refused) },
    );
    nextFate(world, "updateLeverage", fate);
    await set(subaccount, "xyz:TSLA", 10 - i, "isolated");
    nextFate(world, "updateLeverage", fate);
    await set(main, "flx:TSLA", i + 1, "cross");
  }
}

/** Margin is added, the answer is lost, and a liquidation takes position and margin before anybody looks. */
async function marginLiquidated(world) {
  const { main, vault } = world.clients;
  for (const [client, coin, fate] of [
    [main, "flx:TSLA", "lost"],
    [vault, "xyz:TSLA", "badGateway"],
    [vault, "flx:TSLA", "lostBefore"],
    [main, "xyz:TSLA", "cutLate"],
  ]) {
    world.exchange.fate = () => "ok";
    await once(world, client, [coin, "buy", "1.01"], { time_in_force: "ioc" });
    const amount = `5.00${world.draw.between(1000, 9999)}`;
    const asset = world.chain.lists.idOf(world.chain.lists.coin(coin));
    const matches = (a) =>
      a.type === "updateIsolatedMargin" && a.asset === asset && BigInt(a.ntli) * 1_000_000n === num(amount);
    nextFate(world, "updateIsolatedMargin", fate, 4);
    const sent = operation(world, client, {
      path: "/v1/margin",
      body: { market: coin, amount },
      name: "margin",
      matches,
      same: `margin ${coin} ${amount}`,
    });
    await sleep(700);
    world.chain.liquidate(world.chain.accounts.get(client.address), coin);
    await sent;
  }
}

export const ANSWER_SCENES = {
  fewerOfTwo,
  batches,
  cancels,
  cancelAlls,
  closes,
  twaps,
  twinTwaps,
  twinsApart,
  leverages,
  marginLiquidated,
};
