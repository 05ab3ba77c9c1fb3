/** A history of any length: what runs at a start, for an order, or for a page of a list seeks and never scans. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { listEventsAfter, listEventsAnew, newestEventIds } from "../../src/store/account-events.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import {
  deleteAttempt,
  findAttempt,
  findAttemptByCloid,
  firstPlacedAfter,
  insertAttempt,
  listAttemptsOf,
  listOpenAttempts,
  listOpenModifies,
  listOpenModifiesOf,
  markPreparedAmbiguous,
  newestAttemptId,
  updateAttempt,
} from "../../src/store/attempts.ts";
import {
  findListedFill,
  hasFillOfNobody,
  hasSliceOfNobody,
  insertFills,
  listFills,
  listFillsOf,
  lookForFills,
  sumFillsOf,
  sumFillsOfTwap,
} from "../../src/store/fills.ts";
import { deleteKeyRecord, findKeyRecord, passKeyOn, storeAnswer } from "../../src/store/idempotency.ts";
import { listFunding, listTransfers } from "../../src/store/ledger.ts";
import { findLegByCloid, findLegByOid, listLegs, updateLeg } from "../../src/store/legs.ts";
import { lookForOrders } from "../../src/store/listed-orders.ts";
import { listLiveOrdersIn, listProcessing } from "../../src/store/live-orders.ts";
import { takeNonce } from "../../src/store/nonces.ts";
import { closeStore, type Store } from "../../src/store/open.ts";
import { listOpenModified } from "../../src/store/open-modified.ts";
import { listLeverageChanges, listOperations, lookForOperations, twapKeys } from "../../src/store/operations.ts";
import { insertPlacing, listLiveOrders, listOrders } from "../../src/store/orders.ts";
import { countTold, earliestLateMs, listLines, listOwnedFills, listPaidFunding } from "../../src/store/performance.ts";
import { isShortOfFills } from "../../src/store/short-of-fills.ts";
import { unknownOperations, unknownOrders } from "../../src/store/unknowns.ts";
import { listUnusedNumbers, sealUnused } from "../../src/store/unused-numbers.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { attemptRow, legRow, placingRows } from "../support/rows.ts";

const ACCOUNT = "a";
const after = { createdAtMs: 1, id: "1" };

const READS: Record<string, (store: Store) => unknown> = {
  "open attempts": listOpenAttempts,
  "orders that are short of fills": (store) => isShortOfFills(store, ACCOUNT),
  "prepared attempts become ambiguous": markPreparedAmbiguous,
  "orders of which nothing has been heard": listProcessing,
  "open modifies of an account": (store) => listOpenModifies(store, ACCOUNT),
  "open modifies of an order": (store) => listOpenModifiesOf(store, "1"),
  "orders that were modified by their price alone": listOpenModified,
  "numbers that refusals left unused": (store) => listUnusedNumbers(store, ACCOUNT, 1),
  "what is known of a number": (store) => sealUnused(store, { ...placingRows(1).attempt, id: 1 }, "expiry"),
  "live orders": (store) => listLiveOrders(store, ACCOUNT, 10),
  "unknown orders": (store) => unknownOrders(store, ACCOUNT),
  "unknown operations": (store) => unknownOperations(store, ACCOUNT),
  "the order of a fill": orderOfFill,
  "an attempt by its id": (store) => findAttempt(store, 1),
  "changes of leverage": (store) => listLeverageChanges(store, ACCOUNT, 1),
  "attempts of an order": (store) => listAttemptsOf(store, "1"),
  "a change of an attempt": (store) =>
    updateAttempt(store, { ...attemptRow({ kind: "cancel" }), id: 1 }, { state: "done" }),
  "a change of a placing's attempt": (store) =>
    updateAttempt(store, { ...attemptRow({ kind: "place" }), id: 1 }, { state: "done" }),
  "the number of a signer": (store) => takeNonce(store, "1", 1),
  "a number that must not be used yet": (store) => insertAttempt(store, attemptRow()),
  "a placing": (store) => insertPlacing(store, placingRows(1)),
  "a key": (store) => findKeyRecord(store, ACCOUNT, "1"),
  "an answer": (store) => storeAnswer(store, { accountId: ACCOUNT, idempotencyKey: "1" }, { status: 201, body: "{}" }),
  "a leg by its client order id": (store) => findLegByCloid(store, legRow().cloid),
  "legs of an order": (store) => listLegs(store, "1"),
  "a change of a leg": (store) => updateLeg(store, legRow()),
  "the first placing after a start": (store) => firstPlacedAfter(store, 1),
  "an attempt by its client order id": (store) => findAttemptByCloid(store, legRow().cloid),
  "a key that is passed on": (store) => passKeyOn(store, { accountId: ACCOUNT, idempotencyKey: "1" }, "2"),
  "a key that is given back": (store) => deleteKeyRecord(store, ACCOUNT, "1"),
  "an attempt that is taken back": (store) => deleteAttempt(store, { ...attemptRow(), id: 1 }),
  "a placing that is taken back": (store) => deleteAttempt(store, { ...placingRows(1).attempt, id: 1 }),
  "a number below one of a clock that was ahead": nonceInReach,
  "a fill whose order is nobody's": hasFillOfAnybody,
  "a slice whose TWAP is nobody's": (store) => hasSliceOfNobody(store, OF_BTC, { fromMs: 1, toMs: 2 }),
  "a leg by its native id": (store) => findLegByOid(store, ACCOUNT, "1"),
  "a page of orders": (store) => listOrders(store, { accountId: ACCOUNT, status: null, dex: null, after, limit: 10 }),
  "a page of filled orders": (store) =>
    listOrders(store, { accountId: ACCOUNT, status: "filled", dex: null, after, limit: 10 }),
  "a page of operations": (store) =>
    listOperations(store, { accountId: ACCOUNT, action: null, status: null, after, limit: 10 }),
  "a page of fills": (store) => listFills(store, { accountId: ACCOUNT, after: { timeMs: 1, id: "1" }, limit: 10 }),
  "fills of an order": (store) => sumFillsOf(store, ACCOUNT, { oid: "1", market: "BTC", side: "buy" }),
  "each fill of an order": (store) => listFillsOf(store, ACCOUNT, "1"),
  "what only reduces in a market": (store) =>
    listLiveOrdersIn(store, { accountId: ACCOUNT, market: "BTC", reduceOnly: true }),
  "what may increase in a market": (store) =>
    listLiveOrdersIn(store, { accountId: ACCOUNT, market: "BTC", reduceOnly: false }),
  "events of an account": (store) => listEventsAfter(store, { accountId: ACCOUNT, after: -1, limit: 10 }),
  "the newest events of an account": (store) => newestEventIds(store, ACCOUNT, 10),
  "events that come into the list": (store) => listEventsAnew(store, 10),
  "fills of a TWAP": (store) => sumFillsOfTwap(store, ACCOUNT, "1"),
};

const FILTER = { sinceMs: 1, untilMs: 9, market: null, keyHashes: null };
const ORDERS = { accountId: ACCOUNT, status: null, dex: null, after, limit: 10 };
const OPERATIONS = { accountId: ACCOUNT, action: null, status: null, after, limit: 10 };
const FILLS = { accountId: ACCOUNT, after: { timeMs: 1, id: "1" }, limit: 10 };

/** Every list by every filter that has an index, and some by all at once. */
const FILTERED: Record<string, (store: Store) => unknown> = {
  "orders of a time": (store) => lookForOrders(store, { ...ORDERS, filter: FILTER }),
  "orders of a market": (store) => lookForOrders(store, { ...ORDERS, filter: { ...FILTER, market: "BTC" } }),
  "orders of keys": (store) => lookForOrders(store, { ...ORDERS, filter: { ...FILTER, keyHashes: ["1", "2"] } }),
  "orders by all": (store) =>
    lookForOrders(store, {
      ...ORDERS,
      status: "filled",
      dex: "xyz",
      filter: { ...FILTER, market: "BTC", keyHashes: ["1"] },
    }),
  "operations of a time": (store) => lookForOperations(store, { ...OPERATIONS, filter: FILTER }),
  "operations of a market": (store) =>
    lookForOperations(store, { ...OPERATIONS, filter: { ...FILTER, market: "BTC" } }),
  "operations by all": (store) =>
    lookForOperations(store, {
      ...OPERATIONS,
      action: "twap",
      status: "succeeded",
      filter: { ...FILTER, market: "BTC", keyHashes: ["1", "2"] },
    }),
  "fills of a time": (store) => lookForFills(store, { ...FILLS, filter: FILTER }),
  "fills of a market": (store) => lookForFills(store, { ...FILLS, filter: { ...FILTER, market: "BTC" } }),
  "fills of a key": (store) => lookForFills(store, { ...FILLS, filter: { ...FILTER, keyHashes: ["1"] } }),
};

const STRETCH = { accountId: ACCOUNT, afterMs: 1, toMs: 9 };
const AFTER = { atMs: 1, id: "1" };

/** The record behind the page. */
const RECORD: Record<string, (store: Store) => unknown> = {
  "a page of funding": (store) => listFunding(store, { ...FILTER, accountId: ACCOUNT, after: AFTER, limit: 10 }),
  "funding of a market": (store) =>
    listFunding(store, { ...FILTER, accountId: ACCOUNT, market: "BTC", after: null, limit: 10 }),
  "a page of transfers": (store) => listTransfers(store, { ...FILTER, accountId: ACCOUNT, after: AFTER, limit: 10 }),
  "fills that are to be booked": (store) => listOwnedFills(store, STRETCH, 10),
  "funding that is to be booked": (store) => listPaidFunding(store, STRETCH),
  "keys of TWAPs": (store) => twapKeys(store, ACCOUNT, ["1", "2"]),
  "what came late": (store) =>
    earliestLateMs(store, { accountId: ACCOUNT, fromMs: 1, toMs: 1, seenFills: 1, seenFunding: 1 }),
  "how much was told": countTold,
  "lines of a time": (store) => listLines(store, { accountId: ACCOUNT, fromDay: 1, beforeDay: 9 }, 10),
};

const PAGED = new Set([
  "a page of orders",
  "a page of filled orders",
  "a page of operations",
  "a page of fills",
  "a page of funding",
  "a page of transfers",
]);

function nonceInReach(store: Store): unknown {
  insertAttempt(store, attemptRow({ signer: "0xbb", nonce: 10 ** 15 }));
  return takeNonce(store, "0xbb", 1);
}

const OF_BTC = { accountId: ACCOUNT, market: "BTC", side: "buy" } as const;

function hasFillOfAnybody(store: Store): unknown {
  return hasFillOfNobody(store, { ...OF_BTC, sinceMs: 1 });
}

function orderOfFill(store: Store): unknown {
  const ZERO = decimal("0");
  const figures = { price: ZERO, size: ZERO, fee: ZERO, builderFee: null, realizedPnl: ZERO, startPosition: ZERO };
  const names = { accountId: ACCOUNT, id: "1-BTC-1", timeMs: 1, market: "BTC", oid: "1", side: "buy" } as const;
  const rest = { isTaker: true, feeToken: "USDC", direction: "", twapId: null, isLiquidation: false };
  insertFills(store, [{ ...names, ...figures, ...rest, transactionHash: "" }], { atMs: 1, toldFromMs: 1 });
  return findListedFill(store, ACCOUNT, names.id);
}

/** How SQLite goes about each statement that `read` runs, in the words in which it is compiled for good. */
function plansOf(read: (store: Store) => unknown): string[] {
  const first = openMemoryStore();
  read(first);
  closeStore(first);
  const store = openMemoryStore();
  // The accounts are few, and kept in memory.
  listAccounts(store);
  const { $client: client } = store;
  const texts: string[] = [];
  const prepare = client.prepare.bind(client);
  client.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof client.prepare;
  read(store);
  const plans = texts.flatMap((text) => {
    const explained = prepare(`EXPLAIN QUERY PLAN ${text}`);
    const holes = Array.from({ length: explained.paramsCount }, () => 1);
    // Each row of a plan has its words in `detail`.
    return (explained.all(...holes) as { detail: string }[]).map(({ detail }) => detail);
  });
  closeStore(store);
  return plans;
}

/** An index that holds nothing but what is looked for may be read whole, and a constant is no table. */
const MAY_BE_WHOLE = /attempts_(left_)?open|orders_released|json_each|CONSTANT ROW/;

for (const [what, read] of Object.entries({ ...READS, ...FILTERED, ...RECORD })) {
  test(`${what}: found by an index`, () => {
    const plans = plansOf(read);
    expect(plans.length).toBeGreaterThan(0);
    expect(plans.filter((plan) => plan.startsWith("SCAN") && !MAY_BE_WHOLE.test(plan))).toEqual([]);
    expect(plans.filter((plan) => plan.includes("TEMP B-TREE"))).toEqual([]);
    // By the account alone, or by its market, all of its history would be read; a page begins where the one before ended.
    expect(plans.filter((plan) => /\(account_id=\?( AND market=\?)?\)$/.test(plan))).toEqual([]);
    if (PAGED.has(what)) expect(plans.join()).toContain(",id)<(?,?)");
  });
}

test("the newest attempt is read from the ends of the two tables", () => {
  expect(plansOf(newestAttemptId)).toEqual(["MERGE (UNION ALL)", "LEFT", "SCAN attempts", "RIGHT", "SCAN orders"]);
});
