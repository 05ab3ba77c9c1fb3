/** Lists by several filters at once: page by page, each is just what the filters say of all rows. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import { insertFills, lookForFills, type StoredFill } from "../../src/store/fills.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { listOrdersAnew, lookForOrders, type OrderFilter } from "../../src/store/listed-orders.ts";
import { closeStore, type Store } from "../../src/store/open.ts";
import { insertOperation, lookForOperations, type StoredOperation } from "../../src/store/operations.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { orderRow } from "../support/rows.ts";

const ACCOUNT = orderRow().accountId;
const KEYS = ["k1", "k2", null] as const;
const MARKETS = ["BTC", "ETH", "xyz:TSLA"] as const;
const STATUSES = ["open", "filled", "canceled"] as const;

const row = fc.record({
  atMs: fc.integer({ min: 1, max: 9 }),
  market: fc.constantFrom(...MARKETS),
  keyHash: fc.constantFrom(...KEYS),
  status: fc.constantFrom(...STATUSES),
});
type Row = { atMs: number; market: string; keyHash: string | null; status: (typeof STATUSES)[number] };

const time = fc.option(fc.integer({ min: 1, max: 10 }));
const filter = fc.record({
  sinceMs: time,
  untilMs: time,
  market: fc.option(fc.constantFrom(...MARKETS)),
  keyHashes: fc.option(fc.subarray(["k1", "k2"])),
});
const status = fc.option(fc.constantFrom(...STATUSES));
const dex = fc.option(fc.constantFrom("", "xyz"));
const rows = fc.array(row, { maxLength: 24 });
const limit = fc.integer({ min: 1, max: 5 });
/** Rows that one page looks through: some pages are full, some end there, some are empty. */
const most = fc.integer({ min: 1, max: 8 });

/** Orders that have been taken into the list: the newest may not be there yet. */
const listed = fc.integer({ min: 1, max: 30 });
/** Orders beside the list with which it still goes by the list. */
const mostNotListed = fc.constantFrom(0, 5, 5_000);
const asked = fc.record({ rows, filter, status, dex, limit, most, listed, mostNotListed });

type Named = Row & { id: string };
type Asked = { filter: OrderFilter; status: string | null; dex: string | null };

function expected(all: readonly Named[], { filter: by, status: wanted, dex: of }: Asked): string[] {
  return all
    .filter(({ atMs }) => (by.sinceMs === null || atMs >= by.sinceMs) && (by.untilMs === null || atMs < by.untilMs))
    .filter(({ market }) => by.market === null || market === by.market)
    .filter(({ keyHash }) => by.keyHashes === null || (keyHash !== null && by.keyHashes.includes(keyHash)))
    .filter((one) => wanted === null || one.status === wanted)
    .filter(({ market }) => of === null || (market.startsWith("xyz:") ? "xyz" : "") === of)
    .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

function named(all: readonly Row[]): Named[] {
  return all.map((one, nth) => ({ ...one, id: `${one.atMs}-${String(nth).padStart(2, "0")}` }));
}

type Place = { atMs: number; id: string };
type Page = { rows: readonly Place[]; lookedTo: Place | null };

/** As a client does: from each page's cursor to the next. */
function walk(pageLimit: number, ask: (after: Place | null) => Page): string[] {
  const shown: string[] = [];
  for (let after: Place | null = null, pages = 0; ; pages += 1) {
    expect(pages).toBeLessThan(60);
    const { rows: found, lookedTo } = ask(after);
    const page = found.slice(0, pageLimit);
    shown.push(...page.map(({ id }) => id));
    const next: Place | null = found.length > pageLimit ? (page.at(-1) ?? null) : lookedTo;
    if (next === null) return shown;
    after = next;
  }
}

function withStore(use: (store: Store) => void): void {
  const store = openMemoryStore();
  use(store);
  closeStore(store);
}

test("orders", () => {
  fc.assert(
    fc.property(
      asked,
      ({
        rows: made,
        filter: by,
        status: wanted,
        dex: of,
        limit: count,
        most: looked,
        listed: taken,
        mostNotListed: beside,
      }) =>
        withStore((store) => {
          const all = named(made);
          for (const { id, atMs, market, keyHash, status: own } of all) {
            insertOrder(store, orderRow({ id, createdAtMs: atMs, market, keyHash, status: own }));
          }
          insertOrder(store, orderRow({ id: "other", accountId: "another", createdAtMs: 5, keyHash: "k1" }));
          listOrdersAnew(store, taken);
          const shown = walk(count, (after) => {
            const place = after === null ? null : { createdAtMs: after.atMs, id: after.id };
            const page = { accountId: ACCOUNT, status: wanted, dex: of, after: place, limit: count, filter: by };
            const found = lookForOrders(store, page, { most: looked, mostNotListed: beside });
            return {
              rows: found.rows.map(({ id, createdAtMs }) => ({ id, atMs: createdAtMs })),
              lookedTo: found.lookedTo,
            };
          });
          expect(shown).toEqual(expected(all, { filter: by, status: wanted, dex: of }));
        }),
    ),
    { numRuns: 60 },
  );
});

test("operations", () => {
  const statuses = { open: "processing", filled: "succeeded", canceled: "rejected" } as const;
  const plain = { action: "leverage", parameters: "{}", before: null, exchangeId: null, error: null } as const;
  fc.assert(
    fc.property(asked, ({ rows: made, filter: by, status: wanted, limit: count, most: looked }) =>
      withStore((store) => {
        const all = named(made);
        for (const { id, atMs, market, keyHash, status: own } of all) {
          const state = { status: statuses[own], releasedAtMs: null, version: 0, keyHash };
          const operation: StoredOperation = { id, accountId: ACCOUNT, market, createdAtMs: atMs, ...plain, ...state };
          insertOperation(store, operation);
        }
        const shown = walk(count, (after) => {
          const place = after === null ? null : { createdAtMs: after.atMs, id: after.id };
          const state = wanted === null ? null : statuses[wanted];
          const page = { accountId: ACCOUNT, action: null, status: state, after: place, limit: count, filter: by };
          const found = lookForOperations(store, page, looked);
          return {
            rows: found.rows.map(({ id, createdAtMs }) => ({ id, atMs: createdAtMs })),
            lookedTo: found.lookedTo,
          };
        });
        expect(shown).toEqual(expected(all, { filter: by, status: wanted, dex: null }));
      }),
    ),
    { numRuns: 40 },
  );
});

function fillRow({ id, atMs, market }: Named): StoredFill {
  const ZERO = decimal("0");
  const figures = { price: ZERO, size: ZERO, fee: ZERO, builderFee: null, realizedPnl: ZERO, startPosition: ZERO };
  const rest = { isTaker: true, feeToken: "USDC", direction: "", twapId: null, isLiquidation: false } as const;
  return {
    accountId: ACCOUNT,
    id,
    timeMs: atMs,
    market,
    oid: `7${id}`,
    side: "buy",
    ...figures,
    ...rest,
    transactionHash: "",
  };
}

test("fills, of which the order says whose they are", () => {
  fc.assert(
    fc.property(asked, ({ rows: made, filter: by, limit: count, most: looked }) =>
      withStore((store) => {
        const all = named(made);
        for (const one of all) {
          if (one.keyHash === null) continue;
          const order = orderRow({ id: `o${one.id}`, keyHash: one.keyHash, market: one.market });
          const leg = { cloid: `c${one.id}`, orderId: order.id, oid: `7${one.id}`, ordinal: 0, size: decimal("1") };
          const terms = { price: "1", timeInForce: "gtc", trigger: null, state: "filled" } as const;
          const filled = {
            filledSize: decimal("1"),
            filledNotional: decimal("1"),
            reason: null,
            isExchangesWord: true,
            absence: null,
          };
          insertOrder(store, order);
          insertLeg(store, { ...leg, ...terms, ...filled });
        }
        insertFills(store, all.map(fillRow), { atMs: 1, toldFromMs: 99 });
        const shown = walk(count, (after) => {
          const place = after === null ? null : { timeMs: after.atMs, id: after.id };
          const page = { accountId: ACCOUNT, after: place, limit: count, filter: by };
          const found = lookForFills(store, page, looked);
          return { rows: found.rows.map(({ fill }) => ({ id: fill.id, atMs: fill.timeMs })), lookedTo: found.lookedTo };
        });
        expect(shown).toEqual(expected(all, { filter: by, status: null, dex: null }));
      }),
    ),
    { numRuns: 40 },
  );
});
