/** Rows of before conclusions had a column: their words are judged once, when the database is brought up to date. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { MIGRATIONS, migrate } from "../../src/store/migrations.ts";

const KEEPS = MIGRATIONS.findIndex(({ name }) => name === "0031_keep_conclusions");

/** As they were written then: these words are never changed here. */
const WORDS: [absence: string | null, state: string, reason: string | null, isExchangesWord: 0 | 1][] = [
  [
    "never_ran",
    "absent",
    "The order was never executed and no longer can be: an empty action has taken its number.",
    0,
  ],
  [
    "never_ran",
    "absent",
    "The order was never executed and no longer can be: an empty action has taken its number. The exchange had answered: Late",
    0,
  ],
  [
    "refused",
    "absent",
    "The exchange refused it, in words that are new to this gateway. The exchange had answered: No",
    0,
  ],
  ["replaced_nothing", "absent", "The order had ended before it could be replaced, and then nothing is placed.", 0],
  ["replaced_nothing", "absent", "The order was filled before it could be replaced.", 0],
  [
    "left_out",
    "absent",
    "It left no order: the exchange shows other orders of its batch, which ran as one action, and none of this one. It was refused when it arrived.",
    0,
  ],
  [
    "left_nothing",
    "absent",
    "It left no order: the exchange's history has gone on past its end without it. It was refused when it arrived, or never arrived.",
    0,
  ],
  ["not_sent", "absent", "The order was never sent: no route.", 0],
  [
    "outlived",
    "absent",
    "The exchange keeps no record that old: what was to replace the order is not open and had no fills; it was canceled, or never placed.",
    0,
  ],
  [
    "unfound",
    "absent",
    "By the exchange's own answers to cancels of it, what was to replace the order is not open, and it had no fills: it was canceled, or never placed.",
    0,
  ],
  [
    "outlived",
    "canceled",
    "The exchange keeps no record that old: it is not open and had no fills; it was canceled, or refused when it arrived.",
    1,
  ],
  [
    "unfound",
    "canceled",
    "By the exchange's own answers to cancels of it there is nothing to cancel, and it had no fills: it was canceled, refused when it arrived, or never arrived.",
    1,
  ],
  [null, "absent", "Insufficient margin to place order.", 1],
  [null, "canceled", "canceled because it only reduces", 1],
  [null, "canceled", null, 1],
  [null, "rejected", "The order was never sent: in words of another.", 1],
  [null, "filled", null, 1],
];

/** A row with something in every column that has to have something. */
function put(client: Database, table: string, given: Record<string, string | number | null>): void {
  const columns = client
    .prepare<{ name: string; type: string; notnull: number; dflt_value: string | null }, []>(
      `PRAGMA table_info(${table})`,
    )
    .all();
  const values = columns
    .filter(({ name, notnull, dflt_value }) => name in given || (notnull === 1 && dflt_value === null))
    .map(({ name, type }) => [name, name in given ? (given[name] ?? null) : type.startsWith("int") ? 0 : "x"] as const);
  const names = values.map(([name]) => `"${name}"`).join(", ");
  const places = values.map(() => "?").join(", ");
  client.prepare(`INSERT INTO ${table} (${names}) VALUES (${places})`).run(...values.map(([, value]) => value));
}

function broughtUpToDate(fill: (client: Database) => void): Database {
  const client = new Database(":memory:");
  migrate(client, null, MIGRATIONS.slice(0, KEEPS));
  fill(client);
  migrate(client, null, MIGRATIONS.slice(0, KEEPS + 1));
  return client;
}

test.each(["legs", "orders"])("what the rows of %s were concluded by is told by their words once", (table) => {
  const client = broughtUpToDate((before) => {
    WORDS.forEach(([, state, reason, isWord], number) => {
      const leg = { cloid: String(number), state, reason, is_exchanges_word: isWord };
      const placing = { id: String(number), leg_state: state, leg_reason: reason, leg_is_exchanges_word: isWord };
      if (table === "legs") put(before, "legs", leg);
      else put(before, "orders", { ...placing, number, account_id: String(number) });
    });
  });
  const column = table === "legs" ? "absence" : "leg_absence";
  const kept = client
    .prepare<{ kept: string | null }, []>(`SELECT ${column} AS kept FROM ${table} ORDER BY rowid`)
    .all();
  expect(kept.map((row) => row.kept)).toEqual(WORDS.map(([absence]) => absence));
});

test("an alert that waited through a stop stays held back; one that ended with words, or waits without any, is not", () => {
  const client = broughtUpToDate((before) => {
    put(before, "hook_deliveries", { id: 1, status: "accepted", reason: "trading was stopped while it waited" });
    put(before, "hook_deliveries", { id: 2, status: "accepted", reason: null });
    put(before, "hook_deliveries", { id: 3, status: "refused", reason: "no such market" });
  });
  const rows = client.prepare<{ is_held_back: number }, []>("SELECT is_held_back FROM hook_deliveries ORDER BY id");
  expect(rows.all().map(({ is_held_back }) => is_held_back)).toEqual([1, 0, 0]);
});
