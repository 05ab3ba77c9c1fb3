/** When an order can have done nothing more, whatever is known of it. */
import { expect, test } from "bun:test";
import { EXPIRY_MARGIN_MS } from "../../src/core/attempt.ts";
import { mayStillExecute } from "../../src/settle/unsettled.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertPlacing, type StoredOrder } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, placingRows } from "../support/rows.ts";

const EXPIRES_MS = 20_000;
const BEFORE = EXPIRES_MS + EXPIRY_MARGIN_MS;
const AFTER = BEFORE + 1;
const TRIGGER = { price: "90", kind: "stop_loss", market: true } as const;

// biome-ignore format: one order a row
const ROWS: readonly [string, Partial<StoredOrder>, ["ambiguous" | "done", number], boolean][] = [
  ["one that executes at once, while it could arrive", { timeInForce: "ioc" }, ["ambiguous", BEFORE], true],
  ["one that executes at once, after that", { timeInForce: "ioc" }, ["ambiguous", AFTER], false],
  ["one that was answered, and whose size is not known, while it could have arrived", { timeInForce: "ioc" }, ["done", BEFORE], true],
  ["one that was answered, after that", { timeInForce: "ioc" }, ["done", AFTER], false],
  ["one that may rest", { timeInForce: "gtc" }, ["ambiguous", AFTER], true],
  ["one that waits for the mark", { timeInForce: "ioc", trigger: TRIGGER }, ["ambiguous", AFTER], true],
  ["one that the exchange shows as open", { timeInForce: "ioc", status: "open" }, ["done", AFTER], true],
  ["one that is over, and settled", { timeInForce: "ioc", status: "canceled" }, ["done", BEFORE], false],
];

test.each(ROWS)("%s", (_what, some, [state, exchangeMs], may) => {
  const store = openMemoryStore();
  insertAccount(store, accountRow());
  const rows = placingRows(1, { state, expiresAtMs: EXPIRES_MS });
  const order = { ...rows.order, status: "unknown", ...some } as const;
  insertPlacing(store, { ...rows, order });
  expect(mayStillExecute({ store }, order, exchangeMs)).toBe(may);
});
