// Somebody who holds positions with stops of four kinds, and whether any of them was ever without what it had.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rig, sleep, until } from "./rig.mjs";

const wide = {
  markets: "BTC,ETH,SOL,xyz:TSLA",
  may: "increase,reduce,modify,cancel,twap,stop",
  max_order: "any",
  max_position: "any",
  max_exposure: "any",
  max_turnover_per_day: "any",
};

// A clock that a scene can set, by libfaketime; undefined where that library is not there.
export function clock() {
  const file = join(mkdtempSync(join(tmpdir(), "tenth-clock-")), "now");
  const set = (words) => writeFileSync(file, `${words}\n`);
  set("+0s");
  const env = {
    LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
  return { env, set };
}

export async function holders(settings = {}, rails = {}) {
  const world = await rig(settings);
  const { gateway, chain } = world;
  const bot = (name) => gateway.bot(name, { ...wide, ...rails }, settings.grant);
  const [own, trade, foreign, outside] = [
    await bot("own"),
    await bot("trade"),
    await bot("foreign"),
    await bot("outside"),
  ];
  const helper = await gateway.plain();
  await own.order("BTC", "buy", "0.01", "61000", { time_in_force: "ioc" });
  await own.stopLoss("BTC", "sell", "0.01", "58000", "55000");
  const made = await trade.trade("ETH", "buy", "1", "2020", "1900", { take_profit: { trigger_price: "2200" } });
  await foreign.order("SOL", "buy", "10", "102", { time_in_force: "ioc" });
  await helper.stopLoss("SOL", "sell", "10", "90", "85");
  await outside.order("xyz:TSLA", "buy", "2", "306", { time_in_force: "ioc" });
  chain.outside("xyz:TSLA", "A", 2, 250, {
    reduceOnly: true,
    tif: null,
    trigger: { price: 270, tpsl: "sl", isMarket: true },
  });
  const rest = [
    await own.order("BTC", "buy", "0.001", "58500"),
    await trade.order("ETH", "buy", "0.1", "1950"),
    await foreign.order("SOL", "buy", "1", "97"),
    await outside.order("xyz:TSLA", "buy", "1", "290"),
    await helper.order("SOL", "buy", "1", "96"),
  ];
  await until(
    () =>
      ["BTC", "ETH", "SOL", "xyz:TSLA"].every(
        (coin) => chain.position(coin) > 0 && chain.protection(coin) >= chain.position(coin),
      ),
    15_000,
  );
  await sleep(1500);
  return Object.assign(world, {
    bots: { own, trade, foreign, outside },
    helper,
    keys: [own, trade, foreign, outside, helper],
    rest,
    trade: made.body,
    from: Date.now(),
  });
}

// Intervals in which what protects was less than both what is held and what had protected it before.
export function gaps(chain, from = 0, coins = ["BTC", "ETH", "SOL", "xyz:TSLA"]) {
  const found = [];
  for (const coin of coins) {
    let had = 0;
    let since = null;
    for (const entry of [
      ...chain.log.filter((item) => item.coin === coin),
      { at: Date.now(), coin, size: chain.position(coin), protection: chain.protection(coin), why: "end" },
    ]) {
      const held = Math.abs(entry.size);
      const short = held > 1e-9 && entry.protection < Math.min(held, had) - 1e-9;
      if (entry.at >= from && short && !since) since = entry;
      if (since && (!short || entry.why === "end")) {
        found.push({
          coin,
          ms: entry.at - since.at,
          why: since.why,
          held,
          protection: since.protection,
          ended: entry.why,
        });
        since = null;
      }
      had = held <= 1e-9 ? 0 : Math.max(entry.protection, Math.min(had, held));
    }
  }
  return found.filter(({ ms }) => ms > 0);
}

export const bare = (chain) =>
  ["BTC", "ETH", "SOL", "xyz:TSLA"]
    .filter((coin) => chain.protection(coin) < Math.abs(chain.position(coin)) - 1e-9)
    .map((coin) => `${coin} ${chain.position(coin)} held, ${chain.protection(coin)} protected`);
