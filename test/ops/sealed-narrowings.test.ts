/** Who can write the database, and lacks the passphrase, loosens no bot: what narrowed it holds, and its loss holds the bot. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { printRails } from "../../src/core/rails/grammar.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import { findApiKey, insertApiKey } from "../../src/store/api-keys.ts";
import { botOf, listBotGrants } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { haltOf } from "../../src/store/halts.ts";
import { insertNarrowing, railsOf } from "../../src/store/narrowings.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { clearTrips, countDayAsUsed, findTrip } from "../../src/store/trips.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { grantText } from "../support/limited-key.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS } from "./operator.ts";
import { ACCOUNT, fromOutside, makeDirectory, restarted } from "./sealed-directory.ts";

const BOT = { accountId: ACCOUNT, bot: "grid-1" };
const ID = "4d2f7b1e-8a3c-4e5d-9f60-718293a4b5c6";

/** A directory with a bot that may place orders of 500 USD. */
function makeBot(path: string): Store {
  const store = makeDirectory(path);
  const owner = `0x${"1".repeat(40)}`;
  const terms = { audience: "testnet+http://127.0.0.1", account: ACCOUNT, owner, tradingAddress: owner };
  const text = grantText("api_trade_of_grid_1", NOW_MS, { ...terms, network: "testnet", maxOrder: "500 USD" });
  const { keyHash, audience, network } = text;
  const key = { keyHash, accountId: ACCOUNT, issuedAtMs: NOW_MS, registeredAtMs: NOW_MS };
  inTransaction(store, (within) => {
    const proof = { audience, network, expiresAtMs: Date.parse(text.expiresAt), signature: "0x", limited: text };
    insertApiKey(within, { ...key, scopes: ["trading:read", "trading:write"] }, proof);
  });
  return store;
}

function narrow(store: Store): void {
  const row = { id: ID, ...BOT, rails: '{"maxOrder":"100 USD"}', actor: "operator", createdAtMs: NOW_MS };
  inTransaction(store, (within) => insertNarrowing(within, row));
}

function largest(store: Store): string {
  const [grant] = listBotGrants(store, BOT.accountId, BOT.bot);
  return grant === undefined ? "no grant" : printRails(railsOf(store, BOT, grant)).maxOrder;
}

/** The rail that keeps the bot from increasing, whatever it asks for. */
function halted(store: Store): string | null {
  const [grant] = listBotGrants(store, BOT.accountId, BOT.bot);
  return grant === undefined ? "no grant" : (haltOf(store, ACCOUNT, grant.rails, NOW_MS)?.rail ?? null);
}

test.each([
  ["deleted", "DELETE FROM bot_narrowings"],
  ["made wider", `UPDATE bot_narrowings SET rails = '{"maxOrder":"900 USD"}'`],
  ["given to another bot", "UPDATE bot_narrowings SET bot = 'other'"],
  ["made older than the grant", "UPDATE bot_narrowings SET created_at_ms = 1"],
])("a narrowing whose row was %s holds, is told, and nothing increases", async (_what, sql) => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeBot(path);
    expect([largest(store), halted(store)]).toEqual(["500 USD", null]);
    narrow(store);
    expect([largest(store), halted(store)]).toEqual(["100 USD", null]);
    fromOutside(path, sql);
    // What others commit is seen from the next turn on.
    await Promise.resolve();
    expect([largest(store), halted(store)]).toEqual(["100 USD", "may"]);
    expect(listRowFaults(store).map(({ kind }) => kind)).toEqual(["narrowing"]);
    const later = restarted(store, path);
    expect([largest(later.store), halted(later.store)]).toEqual(["100 USD", "may"]);
    expect(later.told.join()).toContain(ID);
    closeStore(later.store);
  });
});

test("by a narrowing that nobody can read nothing passes", () => {
  const store = makeBot(":memory:");
  const row = { id: ID, ...BOT, rails: '{"maxOrder":"a little"}', actor: "operator", createdAtMs: NOW_MS };
  inTransaction(store, (within) => insertNarrowing(within, row));
  const [grant] = listBotGrants(store, BOT.accountId, BOT.bot);
  if (grant === undefined) throw new Error("no grant");
  expect(railsOf(store, BOT, grant)).toMatchObject({ may: [], markets: [] });
  closeStore(store);
});

test("a day that was given back to a bot can be counted as used again", () => {
  const store = makeBot(":memory:");
  const count = (atMs: number) =>
    inTransaction(store, (within) => countDayAsUsed(within, BOT, { atMs, actor: "operator" }));
  count(NOW_MS);
  const trip = findTrip(store, BOT, dayOf(NOW_MS));
  if (trip === null) throw new Error("no trip");
  inTransaction(store, (within) => clearTrips(within, [trip], { actor: "operator", atMs: NOW_MS + 1 }));
  expect(findTrip(store, BOT, dayOf(NOW_MS))).toBeNull();
  count(NOW_MS + 2);
  expect(findTrip(store, BOT, dayOf(NOW_MS))?.cause).toBe("restored");
  closeStore(store);
});

test("what a key has placed stays its bot's, though the key's row was deleted", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeBot(path);
    const hash = keyHash("api_trade_of_grid_1");
    expect(botOf(store, hash)).toBe(BOT.bot);
    fromOutside(path, "DELETE FROM api_keys");
    await Promise.resolve();
    expect([findApiKey(store, hash), botOf(store, hash)]).toEqual([null, BOT.bot]);
    closeStore(store);
  });
});

test("what was narrowed or tripped without the passphrase is sealed by the next start", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    closeStore(makeBot(path));
    const beside = openStore(path);
    narrow(beside);
    inTransaction(beside, (store) => countDayAsUsed(store, BOT, { atMs: NOW_MS, actor: "operator" }));
    const first = restarted(beside, path);
    fromOutside(path, "DELETE FROM bot_narrowings");
    fromOutside(path, "DELETE FROM bot_trips");
    const second = restarted(first.store, path);
    expect(largest(second.store)).toBe("100 USD");
    expect(findTrip(second.store, BOT, dayOf(NOW_MS))?.cause).toBe("restored");
    closeStore(second.store);
  });
});
