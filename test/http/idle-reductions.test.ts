/** What only reduces, and has nothing of its bot to reduce any more, goes before it closes what another holds, and nothing else does. */
import { describe, expect, test } from "bun:test";
import { IDLE_WORDS } from "../../src/core/rails/idle-reduction.ts";
import { nameOfPart } from "../../src/core/trade.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertKeyRecord } from "../../src/store/idempotency.ts";
import { findOrder } from "../../src/store/orders.ts";
import { findTrade, putTrade } from "../../src/store/trades.ts";
import { keepFills } from "./flatten-rig.ts";
import {
  type Bot,
  type Held,
  pass,
  protectedBot,
  RESTING,
  runningTwap,
  SIZE,
  sold,
  stopAll,
  WATCHED,
  type Wanted,
  whileItWaits,
} from "./idle-rig.ts";
import { BOT, fillAt, MARK, place, register, textOf } from "./rails-rig.ts";
import { created, guard, silent } from "./trades-rig.ts";

test("what was to be protected is sold, and another holds the same: the stop goes after half a minute, and says why", async () => {
  const bot = await protectedBot({ szi: "0.5" });
  await sold(bot);
  await pass(bot, 30);
  expect(bot.cancels).toHaveLength(0);
  await pass(bot, 15);
  expect(bot.cancels).toHaveLength(1);
  expect(bot.cancels[0]).toContain(bot.stop.exchange_order_id);
  const order = findOrder(bot.rig.deps.store, bot.stop.id);
  expect([order?.status, order?.error]).toEqual(["canceled", IDLE_WORDS]);
});

test("an order that rests and only reduces goes after ten seconds, and says why", async () => {
  const bot = await protectedBot({ szi: "0.5" }, {}, RESTING);
  await sold(bot);
  await pass(bot, 10);
  expect(bot.cancels).toHaveLength(0);
  await pass(bot, 10);
  expect(bot.cancels).toHaveLength(1);
  await pass(bot, 60);
  const order = findOrder(bot.rig.deps.store, bot.stop.id);
  expect([order?.status, order?.error]).toEqual(["canceled", IDLE_WORDS]);
});

test("a TWAP that only reduces goes after ten seconds, once", async () => {
  const bot = await runningTwap({ szi: "0.5" });
  await sold(bot);
  await pass(bot, 10);
  expect(bot.cancels).toHaveLength(0);
  await pass(bot, 10);
  expect(bot.cancels).toHaveLength(1);
  expect(bot.cancels[0]).toContain('"t":7');
  await pass(bot, 60);
  expect(bot.cancels).toHaveLength(1);
});

test.each([
  ["cannot be read", null],
  ["does not show it yet", []],
])("a TWAP that runs goes where the history %s, once, and one that has ended does not", async (_how, history) => {
  const bot = await runningTwap({ szi: "0.5" });
  await sold(bot);
  bot.rig.answers.set("twapHistory", () => history);
  await pass(bot, 60);
  expect(bot.cancels).toHaveLength(1);
  const ended = await runningTwap({ szi: "0.5" });
  await sold(ended);
  const [row] = (ended.rig.answers.get("twapHistory") ?? (() => []))({ type: "twapHistory" }) as [object];
  ended.rig.answers.set("twapHistory", () => [{ ...row, status: { status: "finished" } }]);
  await pass(ended, 60);
  expect(ended.cancels).toHaveLength(0);
});

test("a sale that does not say that it only reduces is left alone", async () => {
  const bot = await protectedBot({ szi: "0.5" }, {}, { ...RESTING, reduce_only: false });
  // Both sales may be filled, and beyond flat others hold the other side: the second one says that it only reduces.
  await sold(bot, { reduce_only: true });
  await pass(bot, 60);
  expect(bot.cancels).toHaveLength(0);
});

const STAYS: [string, Held, (bot: Bot) => Promise<unknown>, Wanted][] = [
  ["the bot holds what it protects", { szi: "0.5" }, async () => undefined, {}],
  ["nobody holds anything", { szi: "0" }, sold, {}],
  ["what another holds is on the other side", { szi: "-0.5" }, sold, {}],
  [
    "an entry of the bot is out",
    { szi: "0.5" },
    async (bot) => {
      await sold(bot);
      await place(bot.rig, { price: "50000" });
    },
    {},
  ],
  ["its key may touch what is others'", { szi: "0.5" }, sold, { touches: "all" }],
  [
    "the account is stopped",
    { szi: "0.5" },
    async (bot) => {
      await sold(bot);
      await stopAll(bot);
    },
    {},
  ],
  [
    "nobody can say what the account holds",
    { szi: "0.5" },
    async (bot) => {
      await sold(bot);
      bot.rig.answers.set("clearinghouseState", () => null);
      await bot.rig.clock.advance(10 * 60_000);
    },
    {},
  ],
];

describe.each(WATCHED)("%s stays where", (_what, made) => {
  test.each(STAYS)("%s", async (_where, held, then, wanted) => {
    const bot = await made(held, wanted);
    await then(bot);
    await pass(bot, 120);
    expect(bot.cancels).toHaveLength(0);
  });
});

test.each(WATCHED.slice(1))("%s stays where the same is bought again within the ten seconds", async (_what, made) => {
  const bot = await made({ szi: "0.5" });
  await sold(bot);
  await pass(bot, 10);
  fillAt(bot.rig, MARK, 90_000);
  await place(bot.rig, { size: SIZE });
  await pass(bot, 60);
  expect(bot.cancels).toHaveLength(0);
});

test("it stays where what it would protect is bought again within the half minute", async () => {
  const bot = await protectedBot({ szi: "0.5" });
  await sold(bot);
  await pass(bot, 25);
  fillAt(bot.rig, MARK, 90_000);
  await place(bot.rig, { size: SIZE });
  await pass(bot, 60);
  expect(bot.cancels).toHaveLength(0);
});

test.each(WATCHED)("%s stays where the same is bought again while its cancel waits for a slot", async (_what, made) => {
  const bot = await made({ szi: "0.5" });
  await sold(bot);
  await pass(bot, 5);
  let isBought = false;
  whileItWaits(bot, async () => {
    const { send } = bot.rig.deps.exchange;
    fillAt(bot.rig, MARK, 90_000);
    isBought = (await place(bot.rig, { size: SIZE })).status === 201;
    bot.rig.deps.exchange.send = send;
  });
  await pass(bot, 60);
  expect([isBought, bot.cancels.length]).toEqual([true, 0]);
});

test("a key of the same bot that is newer says how it is held", async () => {
  const bot = await protectedBot({ szi: "0.5" }, { touches: "all" });
  await sold(bot);
  const apiKey = `api_trade_${"a7".repeat(32)}`;
  await bot.rig.clock.advance(1_000);
  expect((await register(bot.rig, textOf(bot.rig, { touches: "own" }, apiKey))).status).toBe(201);
  await pass(bot, 60);
  expect(bot.cancels).toHaveLength(1);
});

test("what guards a trade is the trade's to cancel", async () => {
  const bot = await protectedBot({ szi: "0.5" });
  await sold(bot);
  keepFills(bot.rig, "0");
  const { store, clock } = bot.rig.deps;
  const { id } = await created(silent(bot.rig), { size: SIZE, stop_loss: guard("59000", "58000") }, { apiKey: BOT });
  const bought = "select id from orders where side = 'buy'";
  const { id: entryId } = store.$client.query<{ id: string }, []>(bought).get() ?? { id: "" };
  const trade = findTrade(store, id);
  if (trade === null) throw new Error("bug: a trade without a row");
  const idempotencyKey = nameOfPart(trade, { as: "stop", number: 1 });
  const kept = {
    accountId: trade.accountId,
    idempotencyKey,
    route: "trade",
    fingerprint: "trade",
    createdAtMs: clock.nowMs(),
  };
  inTransaction(store, () => {
    store.$client.run("delete from idempotency where key = ?", [idempotencyKey]);
    insertKeyRecord(store, { ...kept, resource: { kind: "order", id: bot.stop.id }, answer: null });
    putTrade(store, { ...trade, stops: 1, entryId, isEntryUnwanted: true }, clock.nowMs());
  });
  await pass(bot, 60);
  const count = "select count(*) as n from attempts where idempotency_key like 'idle %'";
  expect(store.$client.query(count).get()).toEqual({ n: 0 });
});
