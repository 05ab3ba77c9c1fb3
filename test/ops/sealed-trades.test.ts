/** Who can write the database, and lacks the passphrase, takes no protection away and enters nothing. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import type { Trade } from "../../src/core/trade.ts";
import { stopByOperator } from "../../src/ops/stop-trading.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { findTrade, insertTrade, listOpenTrades, listReservedLegs, putTrade } from "../../src/store/trades.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS } from "./operator.ts";
import { ACCOUNT, fromOutside, makeDirectory, operatorOf, restarted } from "./sealed-directory.ts";

const TRADE: Trade = {
  id: "4d2f7b1e-8a3c-4e5d-9f60-718293a4b5c6",
  accountId: ACCOUNT,
  keyHash: "ab".repeat(32),
  market: "BTC",
  side: "buy",
  size: "0.01",
  price: "60000",
  timeInForce: "gtc",
  stopLoss: { triggerPrice: "58000", price: "52200", isMarket: true },
  takeProfit: null,
  createdAtMs: NOW_MS,
  path: "stop_first",
  status: "arming",
  isEntryUnwanted: false,
  entryId: null,
  stops: 1,
  profits: 0,
  stopId: null,
  profitId: null,
  filledSize: ZERO,
  heldSize: ZERO,
  unprotectedSinceMs: null,
  unprotectedBecause: null,
  error: null,
  endedAtMs: null,
};

function begun(path: string): Store {
  const store = makeDirectory(path);
  inTransaction(store, (within) => insertTrade(within, TRADE));
  return store;
}

function set(member: string, value: string): string {
  return `UPDATE trades SET trade = json_set(trade, '$.${member}', ${value})`;
}

const ENDED = `UPDATE trades SET ended_at_ms = 1, trade = json_set(trade, '$.endedAtMs', 1)`;

test.each([
  ["deleted", "DELETE FROM trades"],
  ["marked as ended", ENDED],
  ["marked as ended in its column alone", "UPDATE trades SET ended_at_ms = 1"],
  ["given another stop", set("stopLoss.triggerPrice", "'10'")],
  ["made larger", set("size", "'10'")],
  ["told that its stop was never placed", set("stops", "0")],
  ["given to another account", "UPDATE trades SET account_id = 'x', trade = json_set(trade, '$.accountId', 'x')"],
  ["made unreadable", "UPDATE trades SET trade = 'none'"],
])("a trade whose row was %s goes on as it was asked for, and is told", async (_what, sql) => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = begun(path);
    fromOutside(path, sql);
    expect(listOpenTrades(store)).toEqual([TRADE]);
    expect(listRowFaults(store).map(({ kind }) => kind)).toEqual(["trade"]);
    const later = restarted(store, path);
    expect(listOpenTrades(later.store)).toEqual([TRADE]);
    expect(later.told.join()).toContain(TRADE.id);
    // The next step of it writes it anew.
    inTransaction(later.store, (within) => putTrade(within, { ...TRADE, stops: 2 }, NOW_MS));
    expect(listRowFaults(later.store)).toEqual([]);
    closeStore(later.store);
  });
});

test("a trade that nobody has sealed enters nothing, and is told", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = begun(path);
    const other = "5d2f7b1e-8a3c-4e5d-9f60-718293a4b5c7";
    const copied = `'${other}', account_id, market, created_at_ms, ended_at_ms, json_set(trade, '$.id', '${other}')`;
    fromOutside(path, `INSERT INTO trades SELECT ${copied} FROM trades`);
    const seen = (each: Store) => [
      listOpenTrades(each),
      listReservedLegs(each, ACCOUNT).length,
      findTrade(each, other),
    ];
    expect(seen(store)).toEqual([[TRADE], 1, null]);
    expect(listRowFaults(store).map(({ id }) => id)).toEqual([other]);
    const later = restarted(store, path);
    expect(seen(later.store)).toEqual([[TRADE], 1, null]);
    expect(later.told.join()).toContain(other);
    closeStore(later.store);
  });
});

test("one that has ended is not brought back", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = begun(path);
    const over: Trade = { ...TRADE, status: "canceled", endedAtMs: NOW_MS };
    inTransaction(store, (within) => putTrade(within, over, NOW_MS));
    expect([findTrade(store, TRADE.id), listRowFaults(store)]).toEqual([over, []]);
    fromOutside(path, "UPDATE trades SET ended_at_ms = null, trade = json_set(trade, '$.endedAtMs', null)");
    expect([listOpenTrades(store), findTrade(store, TRADE.id)]).toEqual([[], null]);
    const later = restarted(store, path);
    expect(listOpenTrades(later.store)).toEqual([]);
    expect(later.told.join()).toContain("enters nothing");
    closeStore(later.store);
  });
});

test("that no more is to be entered is obeyed, whoever has written it", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = begun(path);
    fromOutside(path, set("isEntryUnwanted", "json('true')"));
    expect(listOpenTrades(store)).toEqual([{ ...TRADE, isEntryUnwanted: true }]);
    expect(listReservedLegs(store, ACCOUNT)).toEqual([]);
    closeStore(store);
  });
});

test("a stop that is made without the passphrase leaves the trade as it was sealed, and nobody is told of a stranger", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    closeStore(begun(path));
    const beside = openStore(path);
    const stopped = { accountId: ACCOUNT, keyHash: null, keepsProtection: true };
    stopByOperator(operatorOf(beside), stopped);
    const later = restarted(beside, path);
    expect([listOpenTrades(later.store), listRowFaults(later.store), later.told]).toEqual([[TRADE], [], []]);
    // With it the trade says so itself.
    stopByOperator(operatorOf(later.store), { ...stopped, keepsProtection: false });
    expect(listOpenTrades(later.store)).toMatchObject([{ isEntryUnwanted: true }]);
    expect(listRowFaults(later.store)).toEqual([]);
    closeStore(later.store);
  });
});

test("what is worked out of its orders is written without a seal of its own", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = begun(path);
    const before = store.$client.query("select mac from audit_seal").get();
    const shown: Trade = { ...TRADE, status: "entering", filledSize: decimal("0.001"), heldSize: decimal("0.001") };
    inTransaction(store, (within) => putTrade(within, shown, NOW_MS + 1));
    expect(store.$client.query("select mac from audit_seal").get()).toEqual(before);
    expect([findTrade(store, TRADE.id), listRowFaults(store)]).toEqual([shown, []]);
    closeStore(store);
  });
});
