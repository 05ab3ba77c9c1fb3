// Each cancel by each brake, under each fault: what does it do to who holds a position?
import { bare, clock, gaps, holders } from "./guard.mjs";
import { is, note, sleep, until } from "./rig.mjs";

const account = async ({ plain }) => (await plain.post("/v1/stop", { scope: "account" })).body;
export const brakes = {
  stopBot: async ({ keys }) =>
    Promise.all(keys.map(async (key) => (await key.post("/v1/stop", { scope: "bot" })).body)),
  stopAccount: account,
  stopCli: async ({ gateway }) => gateway.json("stop"),
  heartbeat: async ({ keys }) => {
    await Promise.all(keys.map((key) => key.put("/v1/heartbeat", { within_s: 5 })));
    await sleep(7000);
  },
  block: async ({ gateway, keys }) => {
    for (const { hash } of keys) await gateway.json("key", "block", hash);
  },
  blockCancel: async ({ gateway, keys }) => {
    for (const { hash } of keys) await gateway.json("key", "block", hash, "--cancel-orders");
  },
  revokeCancel: async ({ gateway, keys }) => {
    for (const { hash } of keys)
      await gateway.post("/v1/api-keys/revocations", {
        account: gateway.account,
        key_hash: hash,
        cancel_orders: true,
        signature: await gateway.sign("ApiKeyRevocation", { account: gateway.account, keyHash: `0x${hash}` }),
      });
  },
  cancelAllOwn: async ({ gateway, keys }) =>
    Promise.all(keys.map((key) => key.post("/v1/orders/cancel-all", { account: gateway.account }))),
  cancelAllAll: async ({ gateway, plain }) =>
    plain.post("/v1/orders/cancel-all", { account: gateway.account, touches: "all" }),
  narrowCancel: async ({ bots }) =>
    Promise.all(
      Object.values(bots).map((bot) =>
        bot.post("/v1/api-keys/self/narrow", { max_order: "1 USD", cancel_orders: true }, null),
      ),
    ),
  tradeCancel: async ({ bots, trade }) => bots.trade.post(`/v1/trades/${trade.id}/cancel`, {}),
  twapHalf: async ({ bots }) =>
    bots.own.post("/v1/twaps", { market: "BTC", side: "sell", size: "0.005", duration_minutes: 10, reduce_only: true }),
  flatten: async (world) => {
    const stop = await account(world);
    return world.plain.post(`/v1/stops/${stop.id}/flatten`, {});
  },
};

export const faults = {
  none: () => {},
  silent: ({ exchange }) => exchange.feed("silent"),
  cut: ({ exchange }) => exchange.feed("cut"),
  behind: ({ exchange }) => {
    exchange.feed("silent");
    exchange.lag = 60_000;
  },
  lost: ({ exchange }) => exchange.fate("lost", () => true, { times: 6 }),
  never: ({ exchange }) => exchange.fate("never", () => true, { times: 6 }),
  late: ({ exchange }) => exchange.fate("late", () => true, { times: 6, ms: 6000 }),
  back: ({ clock: { set } }) => set("-3600s"),
  kill: ({ gateway }) => {
    setTimeout(() => gateway.kill().then(() => gateway.start()), 300);
  },
};

export async function scene(brake, fault) {
  const ticks = fault === "back" ? clock() : null;
  const world = await holders(ticks ? { env: ticks.env } : {});
  const name = `${brake} × ${fault}`;
  try {
    const before = bare(world.chain);
    world.clock = ticks;
    faults[fault](world);
    await brakes[brake](world).catch((error) => note(`${name}: ${error.message}`));
    await sleep(fault === "none" ? 5000 : 16_000);
    const found = gaps(world.chain, world.from);
    is(
      "2",
      `${name}: no position is without the protection that it had`,
      before.length === 0 && (brake === "flatten" || bare(world.chain).length === 0) && found.length === 0,
      { before, after: bare(world.chain), found },
    );
    if (brake === "flatten") {
      const flat = await until(() => Object.keys(world.chain.held).length === 0, 45_000, 500);
      is("2", `${name}: ends flat`, flat || fault === "behind", world.chain.held);
      is(
        "2",
        `${name}: while it was not flat nothing was bare`,
        gaps(world.chain, world.from).length === 0,
        gaps(world.chain, world.from),
      );
    } else if (fault !== "kill" && !["block", "tradeCancel", "twapHalf"].includes(brake)) {
      const gone = await until(
        () =>
          world.chain.open().every((order) => order.reduceOnly || (brake === "narrowCancel" && order.coin === "SOL")),
        30_000,
        500,
      );
      is(
        "2",
        `${name}: what increases goes`,
        gone,
        world.chain
          .open()
          .filter((order) => !order.reduceOnly)
          .map(({ oid, coin, side, left }) => ({ oid, coin, side, left })),
      );
    }
  } catch (error) {
    is("harness", `${name} ran to its end`, false, String(error.stack ?? error));
  } finally {
    await world.end();
  }
}

export async function protection(only = process.env.TENTH_ONLY) {
  const all = Object.keys(brakes)
    .flatMap((brake) => Object.keys(faults).map((fault) => [brake, fault]))
    .filter(([brake, fault]) => !only || `${brake}:${fault}`.match(only));
  const next = async () => {
    for (let pair = all.shift(); pair; pair = all.shift())
      await scene(...pair).catch((error) => is("harness", `${pair.join(" × ")} could be set up`, false, String(error)));
  };
  await Promise.all(Array.from({ length: Number(process.env.TENTH_JOBS ?? 3) }, next));
}
