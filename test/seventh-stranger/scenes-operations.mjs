// TWAPs, leverage and margin while answers are lost.
import { brief, expect, nextFate, once } from "./asks.mjs";
import { num, sleep } from "./codec.mjs";
import { nextKey, write } from "./play.mjs";

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
  const fates = ["lost", "htmlAfter", "badGatewayLate", "cutLate", "lostBefore", "truncated"];
  for (const [i, fate] of fates.entries()) {
    const isUsed = new Set();
    world.exchange.fate = (e) => {
      const place = `${e.vaultAddress} ${e.action.asset}`;
      if (e.action.type !== "updateLeverage" || isUsed.has(place)) return "ok";
      isUsed.add(place);
      return { name: fate, seconds: 4 };
    };
    const [refused] = await Promise.all([
      set(main, "SOL", i + 2, "isolated"),
      set(subaccount, "xyz:TSLA", 10 - i, "isolated"),
      set(main, "flx:OIL", i + 1, "cross"),
    ]);
    expect(
      world,
      "CRITICAL: refused because of the position, and told otherwise",
      refused.answer?.status !== "succeeded",
      {
        fate,
        ...brief(refused),
      },
    );
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

export const OPERATION_SCENES = { twaps, twinTwaps, twinsApart, leverages, marginLiquidated };
