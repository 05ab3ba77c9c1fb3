/** What changed of an account shortly before a process ended is told by the next one, and nothing by a picture of before it. */
import { expect, test } from "bun:test";
import { ZERO } from "../../src/core/decimal.ts";
import { createPicture } from "../../src/exchange/picture.ts";
import { openAccountTeller } from "../../src/settle/account/tell-account.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { parseClearinghouseState } from "../../src/wire/answer/account.ts";
import { stateOf } from "../http/rails-rig.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";

const START_MS = 1_000_000;

function openStage() {
  const store = openMemoryStore();
  const account = accountRow();
  insertAccount(store, account);
  return { store, account };
}

/** A process that is shown these positions, as of so long after its start. */
function run({ store, account }: ReturnType<typeof openStage>, sizes: Record<string, string>, afterMs: number) {
  const picture = createPicture();
  const clock = stillClock(START_MS);
  const settings = { dexes: [] as string[] };
  const exchange = { nowMs: () => START_MS };
  const world = { store, clock, exchange, picture, settings, log: console } as never;
  const teller = openAccountTeller(world);
  teller.look(account.tradingAddress);
  const positions = Object.entries(sizes).map(([coin, szi]) => ({ coin, szi }));
  const timeMs = START_MS + afterMs;
  const value = parseClearinghouseState(stateOf(positions, timeMs));
  if (value === null) throw new Error("not read");
  picture.take(account.tradingAddress, { part: "state", dex: "", value }, { timeMs, askedAtMs: timeMs });
  teller.look(account.tradingAddress);
  teller.stop();
}

function told({ store, account }: ReturnType<typeof openStage>) {
  return listEventsAfter(store, { accountId: account.id, after: 0, limit: 100 }).map(({ payload }) => {
    const { market, side, size } = JSON.parse(payload ?? "");
    return size === ZERO ? `${market} closed` : `${market} ${side} ${size}`;
  });
}

test.each<[string, Record<string, string>, number, string[]]>([
  ["nothing has changed", { BTC: "0.0003", ETH: "-2" }, 1, []],
  ["one has grown", { BTC: "0.0007", ETH: "-2" }, 1, ["BTC long 0.0007"]],
  ["one has turned", { BTC: "0.0003", ETH: "2" }, 1, ["ETH long 2"]],
  ["one is closed", { BTC: "0.0003" }, 1, ["ETH closed"]],
  ["one was opened", { BTC: "0.0003", ETH: "-2", SOL: "1" }, 1, ["SOL long 1"]],
  ["what is shown is of before the start", { BTC: "0.0001" }, -1, []],
])("at a start: %s", (_what, sizes, afterMs, expected) => {
  const stage = openStage();
  run(stage, { BTC: "0.0003", ETH: "-2" }, 1);
  expect(told(stage)).toEqual(["BTC long 0.0003", "ETH short 2"]);
  run(stage, sizes, afterMs);
  expect(told(stage).slice(2)).toEqual(expected);
});

test("a position that was told as closed is told as closed once", () => {
  const stage = openStage();
  run(stage, { BTC: "1" }, 1);
  run(stage, {}, 1);
  run(stage, {}, 1);
  expect(told(stage)).toEqual(["BTC long 1", "BTC closed"]);
});
