/** Books of bots that an older version kept in three tables, in the database that this one has made of it. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { addToBotDay, findBotDay, listBotNets } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listDayMarkets } from "../../src/store/day-markets.ts";
import { MIGRATIONS, migrate } from "../../src/store/migrations.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { forget } from "../../src/store/remembered.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const DAY_MS = 86_400_000;
const [YESTERDAY, TODAY] = [20_000, 20_001];
const MERGES = MIGRATIONS.findIndex(({ name }) => name === "0029_merge_bot_books");

const BOT_DAYS = `INSERT INTO bot_days (account_id, bot, day, turnover, actions, fees) VALUES
  ('a', 'grid', ${YESTERDAY}, '1000.5', 3, '0.25'), ('a', 'grid', ${TODAY}, '12', 7, '0'),
  ('a', 'slow', ${YESTERDAY}, '0', 1, '0'), ('b', 'grid', ${TODAY}, '5', 2, '1')`;
const BOT_DAY_MARKETS = `INSERT INTO bot_day_markets
  (account_id, bot, day, market, open_net, open_mark, cash, funding, funding_shown) VALUES
  ('a', 'grid', ${YESTERDAY}, 'BTC', '0', '60000.5', '-1000.5', '0', NULL),
  ('a', 'grid', ${YESTERDAY}, 'xyz:TSLA', '-2', NULL, '0', '0.5', '-3'),
  ('a', 'grid', ${TODAY}, 'BTC', '0.01', NULL, '12', '0', NULL),
  ('b', 'grid', ${TODAY}, '@107', '1', '2', '3', '4', '5'),
  ('b', 'watched', ${TODAY}, 'ETH', '9', '8', '0', '0', '0')`;
const BOT_NETS = `INSERT INTO bot_nets (account_id, bot, market, net) VALUES
  ('a', 'grid', 'BTC', '0.0098'), ('a', 'grid', 'xyz:TSLA', '-2'), ('a', 'grid', 'ETH', '0'),
  ('a', 'slow', 'BTC', '123456789012345678.000000000000000001'), ('b', 'grid', '@107', '1'),
  ('b', 'watched', 'ETH', '9'), ('b', 'dayless', 'BTC', '-7')`;

async function withMerged(check: (store: Store) => void): Promise<void> {
  await inTemporaryDirectory((directory) => {
    const path = join(directory, "postern.db");
    const before = new Database(path);
    migrate(before, null, MIGRATIONS.slice(0, MERGES));
    for (const sql of [BOT_DAYS, BOT_DAY_MARKETS, BOT_NETS]) before.run(sql);
    before.close();
    const store = openStore(path);
    check(store);
    closeStore(store);
  });
}

function held(store: Store, accountId: string, bot: string): Record<string, string> {
  return Object.fromEntries(listBotNets(store, accountId, bot));
}

const HELD: [accountId: string, bot: string, nets: Record<string, string>][] = [
  ["a", "grid", { BTC: "0.0098", "xyz:TSLA": "-2" }],
  ["a", "slow", { BTC: "123456789012345678.000000000000000001" }],
  ["b", "grid", { "@107": "1" }],
  ["b", "watched", { ETH: "9" }],
  ["b", "dayless", { BTC: "-7" }],
  ["b", "slow", {}],
];

test("each bot of each account holds what it held", async () => {
  await withMerged((store) => {
    expect(HELD.map(([accountId, bot]) => [accountId, bot, held(store, accountId, bot)])).toEqual(HELD);
  });
});

const DONE: [accountId: string, bot: string, day: number, done: Record<string, unknown>][] = [
  ["a", "grid", YESTERDAY, { turnover: "1000.5", actions: 3, fees: "0.25" }],
  ["a", "grid", TODAY, { turnover: "12", actions: 7, fees: "0" }],
  ["a", "slow", YESTERDAY, { turnover: "0", actions: 1, fees: "0" }],
  ["a", "slow", TODAY, { turnover: "0", actions: 0, fees: "0" }],
  ["b", "grid", TODAY, { turnover: "5", actions: 2, fees: "1" }],
  ["b", "watched", TODAY, { turnover: "0", actions: 0, fees: "0" }],
];

test("each bot has done on each day what it had done", async () => {
  await withMerged((store) => {
    const done = DONE.map(([accountId, bot, day]) => findBotDay(store, { accountId, bot }, day * DAY_MS));
    expect(done).toEqual(DONE.map(([, , , each]) => each as never));
  });
});

const MARKETS: [accountId: string, bot: string, day: number, markets: unknown[][]][] = [
  [
    "a",
    "grid",
    YESTERDAY,
    [
      ["BTC", "0", "60000.5", "-1000.5", "0", null],
      ["xyz:TSLA", "-2", null, "0", "0.5", "-3"],
    ],
  ],
  ["a", "grid", TODAY, [["BTC", "0.01", null, "12", "0", null]]],
  ["a", "slow", YESTERDAY, []],
  ["b", "grid", TODAY, [["@107", "1", "2", "3", "4", "5"]]],
  ["b", "watched", TODAY, [["ETH", "9", "8", "0", "0", "0"]]],
];

const FIGURES = ["market", "openNet", "openMark", "cash", "funding", "fundingShown"] as const;

test("what a bot loses on a day is worked out from the same in each market", async () => {
  await withMerged((store) => {
    for (const [accountId, bot, day, markets] of MARKETS) {
      const known = listDayMarkets(store, { accountId, bot, day }).map((each) => FIGURES.map((name) => each[name]));
      expect(known).toEqual(markets as never);
    }
  });
});

test("a bot that trades on after the upgrade, on a new day or an old one, holds what it held", async () => {
  await withMerged((store) => {
    for (const [accountId, bot, nets] of HELD) {
      for (const day of [TODAY + 1, YESTERDAY]) {
        const done = { turnover: "1" as never, actions: 1, atMs: day * DAY_MS };
        inTransaction(store, () => addToBotDay(store, { accountId, bot }, done));
      }
      forget(store);
      expect(held(store, accountId, bot)).toEqual(nets);
    }
  });
});
