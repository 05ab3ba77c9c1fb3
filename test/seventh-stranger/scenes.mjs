// Played by hand, by name: each is a world of its own, healed and compared at its end.

import { brief, expect, once } from "./asks.mjs";
import { cut, mul, num, plain, sleep } from "./codec.mjs";
import { nextKey, priceAt, write } from "./play.mjs";
import { ANSWER_SCENES } from "./scenes-answers.mjs";
import { BODY_SCENES } from "./scenes-bodies.mjs";
import { DOOR_SCENES } from "./scenes-door.mjs";
import { LIST_SCENES } from "./scenes-lists.mjs";
import { OPERATION_SCENES } from "./scenes-operations.mjs";
import { WEIGHT_SCENES } from "./scenes-weight.mjs";
import { compare, keep, makeWorld, settle } from "./world.mjs";

// ---- accounts

async function accountsApart(world) {
  const { main, subaccount, vault } = world.clients;
  const placed = {};
  const shared = nextKey(world, "apart");
  for (const client of [main, subaccount, vault])
    placed[client.name] = await once(world, client, ["BTC", "buy", "0.9"], { key: shared });
  for (const [owner, entry] of Object.entries(placed)) {
    expect(world, "a key of one account is free in another", entry.status === 201, brief(entry));
    for (const client of [main, subaccount, vault].filter((c) => c.name !== owner))
      await strangers(world, client, entry.answer);
  }
  world.exchange.fate = () => "lost";
  const lost = nextKey(world, "apart");
  await Promise.all(
    [main, subaccount, vault].map((client) => once(world, client, ["xyz:XYZ100", "buy", "0.9"], { key: lost })),
  );
  world.exchange.fate = () => "ok";
  const all = await vault.post(
    "/v1/orders/cancel-all",
    { account: vault.account, touches: "all" },
    nextKey(world, "all"),
  );
  expect(world, "cancel-all is taken", all.status < 300, brief(all));
  await sleep(6000);
  const left = (name) =>
    [...world.chain.accounts.get(world.clients[name].address).orders.values()].filter((o) => o.status === "open")
      .length;
  expect(
    world,
    "CRITICAL: the cancel-all of one account has touched another",
    left("main") >= 2 && left("subaccount") >= 2,
    { id: `${left("main")} ${left("subaccount")}` },
  );
}

async function strangers(world, client, foreign) {
  for (const id of [foreign.id, foreign.exchange_order_id, `0x${foreign.id.replaceAll("-", "")}`]) {
    for (const [method, path, body] of [
      ["GET", `/v1/orders/${id}`],
      ["GET", `/v1/orders/${id}/story`],
      ["POST", `/v1/orders/${id}/cancel`, {}],
      ["POST", `/v1/orders/${id}/modify`, { price: "50000" }],
    ]) {
      const entry = await client.ask(method, path, body, body && nextKey(world, "stranger"));
      expect(world, "CRITICAL: an order of another account was found", entry.status === 404, {
        of: client.name,
        ...brief(entry),
      });
    }
  }
  const other = await client.post(
    "/v1/orders",
    { account: foreign.account, market: "BTC", side: "buy", size: "0.001", price: "50000" },
    nextKey(world, "stranger"),
  );
  expect(world, "CRITICAL: an order for another account", other.status === 403, brief(other));
}

async function twapOfAnother(world) {
  const { main, subaccount } = world.clients;
  const started = await main.post(
    "/v1/twaps",
    { market: "ETH", side: "buy", size: "0.5", duration_minutes: 5 },
    nextKey(world, "twap"),
  );
  const stolen = await subaccount.post(
    "/v1/twaps/cancel",
    { market: "ETH", twap_id: Number(started.answer.exchange_id) },
    nextKey(world, "twap"),
  );
  expect(
    world,
    "CRITICAL: a TWAP of another account was canceled",
    stolen.answer?.status === "rejected",
    brief(stolen),
  );
  const seen = await subaccount.get(`/v1/operations/${started.answer.id}`);
  expect(world, "CRITICAL: an operation of another account was told", seen.status === 404, brief(seen));
  await sleep(9000);
}

// ---- spot

async function spotRest(world) {
  const { main } = world.clients;
  world.isMoving = false;
  for (const coin of ["@107", "PURR/USDC", "@142", "@232"]) {
    const bought = await once(world, main, [coin, "buy", "1.01"], { time_in_force: "ioc" });
    expect(world, "bought", bought.answer?.status === "filled", brief(bought));
    const market = world.chain.lists.coin(coin);
    const token = world.chain.lists.token(market.tokens[0]).name;
    const account = await main.get("/v1/account");
    const held = account.answer?.spot?.find((b) => b.token === token)?.available;
    const truth = plain(world.chain.accounts.get(main.address).spot.get(token));
    expect(world, "CRITICAL: what was bought less its fee", account.status !== 200 || held === truth, {
      id: coin,
      held,
      truth,
      asOf: account.asOf,
    });
    const whole = await once(world, main, [coin, "sell", "0.99"], { time_in_force: "ioc", size: bought.answer?.size });
    const isHeld = num(truth) >= num(bought.answer?.size ?? "0");
    expect(world, "more than is held was sold", isHeld || whole.answer?.status === "rejected", brief(whole));
    if (isHeld) continue;
    const lots = plain(cut(num(truth), market.szDecimals));
    await write(world, main, {
      path: "/v1/orders",
      body: {
        account: main.account,
        market: coin,
        side: "sell",
        size: lots,
        price: priceAt(world, coin, "0.99"),
        time_in_force: "ioc",
      },
      key: nextKey(world, "rest"),
    });
    const dust = await once(world, main, [coin, "sell", "0.99"], {
      time_in_force: "ioc",
      size: plain(10n ** BigInt(12 - market.szDecimals)),
    });
    expect(world, "dust was sold", dust.answer?.status === "rejected", brief(dust));
  }
  for (const name of ["HYPE/USDC", "UBTC/USDC", "HYPE/USDH", "@107"]) {
    const entry = await once(world, main, ["@107", "buy", "0.9"], {
      market: name,
      price: name.startsWith("UBTC") ? "50000" : "36",
      size: name.startsWith("UBTC") ? "0.001" : "1.5",
    });
    expect(world, "a pair by its name", entry.status === 201, brief(entry));
  }
}

/** Sold in part while the answer is lost; the rest is what the balance says, never what was hoped. */
async function spotLost(world) {
  const { vault } = world.clients;
  world.stores.list.forEach((s) => {
    s.lag.spot = 5000;
  });
  const account = world.chain.accounts.get(vault.address);
  for (const fate of ["lost", "cutLate", "htmlAfter", "badGatewayLate"]) {
    world.exchange.fate = () => ({ name: fate, seconds: 4 });
    const bought = once(world, vault, ["@107", "buy", "1.01"], { time_in_force: "ioc" });
    for (let i = 0; i < 8; i++) {
      await sleep(800);
      const before = plain(account.spot.get("HYPE") ?? 0n);
      const told = await vault.get("/v1/account");
      const held = told.answer?.spot?.find((b) => b.token === "HYPE")?.total ?? "0";
      if (told.status === 200 && !told.asOf && held !== before) await sleep(0);
    }
    await bought;
    world.exchange.fate = () => "ok";
    const market = world.chain.lists.coin("@107");
    const size = plain(cut(account.spot.get("HYPE") ?? 0n, market.szDecimals));
    if (size !== "0")
      await write(world, vault, {
        path: "/v1/orders",
        body: {
          account: vault.account,
          market: "@107",
          side: "sell",
          size,
          price: priceAt(world, "@107", "0.99"),
          time_in_force: "ioc",
        },
        key: nextKey(world, "rest"),
      });
  }
}

/** What was made of each market, at the mark that the record names, is what the fills come to: fees in bought coins too. */
async function record(world) {
  const { main } = world.clients;
  for (const coin of ["@107", "@232", "PURR/USDC", "flx:OIL", "xyz:TSLA"]) {
    await once(world, main, [coin, "buy", "1.01"], { time_in_force: "ioc" });
    await once(world, main, [coin, "buy", "1.01"], { time_in_force: "ioc" });
    const market = world.chain.lists.coin(coin);
    const half = plain(cut(num(world.size(coin)) / 2n, market.szDecimals));
    await once(world, main, [coin, "sell", "0.99"], { time_in_force: "ioc", size: half });
  }
  await settle(world);
  await sleep(9000);
  const { answer } = await main.surely("/v1/performance?group_by=market");
  const fills = world.chain.accounts.get(main.address).fills.map((f) => f.fill);
  for (const line of answer?.data ?? []) {
    const mine = fills.filter((f) => f.coin === line.market);
    const held = answer.positions.filter((p) => p.market === line.market);
    const mark = num(held[0]?.mark_price ?? "0");
    const isSpot = world.chain.lists.coin(line.market).kind === "spot";
    const made = mine.reduce((sum, f) => sum + worth(f, mark, isSpot), 0n);
    const told = held.reduce((sum, p) => sum + num(p.unrealized_pnl ?? "0"), num(line.net_pnl));
    const apart = made > told ? made - told : told - made;
    expect(world, "the record does not add up", line.fills === mine.length && apart < num("0.01"), {
      id: line.market,
      made: plain(made),
      told: plain(told),
      fills: mine.length,
      line,
      held,
    });
  }
}

/** What one fill has made at a mark. */
function worth(fill, mark, isSpot) {
  const [sz, px, fee] = [num(fill.sz), num(fill.px), num(fill.fee)];
  if (fill.side === "A") return mul(sz, px - mark) - fee;
  return isSpot ? mul(sz - fee, mark) - mul(sz, px) : mul(sz, mark - px) - fee;
}

// ---- lists that change

async function listsMove(world) {
  const { main, subaccount } = world.clients;
  const { lists } = world.chain;
  lists.list("xyz", "xyz:NEW", { ...lists.coin("xyz:GOLD"), price: num("50") });
  lists.pairs.push({ kind: "spot", name: "@300", index: 300, tokens: [197, 360], price: num("60010"), szDecimals: 5 });
  const fresh = await once(world, main, ["xyz:NEW", "buy", "0.9"]);
  expect(world, "soft: a market that is new is found", fresh.status === 201 || fresh.status === 400, brief(fresh));
  const pair = await once(world, main, ["@300", "buy", "0.9"]);
  expect(world, "soft: a pair that is new is found", pair.status === 201 || pair.status === 400, brief(pair));
  lists.coin("flx:OIL").szDecimals = 1;
  const finer = await once(world, subaccount, ["flx:OIL", "buy", "0.9"], { size: "1.23" });
  expect(
    world,
    "a size finer than the new step was taken",
    finer.answer?.status === "rejected" || finer.status >= 400,
    brief(finer),
  );
  lists.coin("xyz:GOLD").more.isDelisted = true;
  const gone = await once(world, main, ["xyz:GOLD", "buy", "0.9"]);
  expect(world, "answered", gone.status > 0, brief(gone));
  const noSuch = await once(world, main, ["BTC", "buy", "0.9"], { market: "xyz:NOPE" });
  expect(world, "no such market", noSuch.status === 400, brief(noSuch));
  const noDex = await once(world, main, ["BTC", "buy", "0.9"], { market: "abc:BTC" });
  expect(world, "no such dex", noDex.status === 400, brief(noDex));
  await sleep(31000);
  for (const coin of ["xyz:NEW", "@300"]) {
    const later = await once(world, main, [coin, "buy", "0.9"]);
    expect(world, "a market that is new is not found after half a minute", later.status === 201, brief(later));
  }
}

export const SCENES = {
  accountsApart,
  twapOfAnother,
  spotRest,
  spotLost,
  record,
  listsMove,
  ...LIST_SCENES,
  ...ANSWER_SCENES,
  ...OPERATION_SCENES,
  ...DOOR_SCENES,
  ...BODY_SCENES,
  ...WEIGHT_SCENES,
};

export async function scene(binary, name, options) {
  const world = await makeWorld(binary, 1000 + Object.keys(SCENES).indexOf(name), SCENES[name].settings);
  world.note = SCENES[name].name;
  try {
    await SCENES[name](world);
    const left = await settle(world);
    for (const line of left)
      world.judge.say(line.startsWith("soft") ? "soft" : "high", "not known a minute after all is well", { id: line });
    await compare(world);
  } finally {
    if (options.keep) keep(world, `${options.keep}/scene-${name}.jsonl`);
    world.end();
  }
  return world;
}
