/** S04 and S05: who is throttled, and whose everything is. */
import { type Break, inFile } from "./break.ts";

const BECOME_429 = { test: "test/http/limits.test.ts", title: "become 429, and never stand in the way of a valid key" };
const BY_ADDRESS = { test: "test/http/limits.test.ts", title: "count for one address only, IPv6 by /64" };
const FORWARDED = { test: "test/http/limits.test.ts", title: "the client behind %p, forwarded for %p, is known as %p" };
const THROTTLE_ROWS = {
  test: "test/http/limits.test.ts",
  title: "are written into the audit log, once a minute however many there are",
};
const OWN_BUCKETS = {
  test: "test/http/limits.test.ts",
  title: "of registration and revocation have buckets of their own",
};
const ANY_ID = {
  test: "test/http/access.test.ts",
  title: "neither finds, lists, cancels or adopts an order of the other by any of its ids",
};
const OWN_LISTS = { test: "test/flows/isolation.test.ts", title: "lists show its own and nothing else" };
const LISTED_EVENTS = {
  test: "test/store/account-events.test.ts",
  title: "an account is told the same of its events before and after they come into the list",
};
const OWN_AUDIT = {
  test: "test/http/audit.test.ts",
  title: "each account reads what is its own, newest first, and nobody what was signed or is the machine's",
};
const OTHERS_ORDERS = {
  test: "test/flows/isolation.test.ts",
  title: "the other's orders are nobody's, by any id, for any deed",
};
const OTHERS_OPERATIONS = { test: "test/flows/isolation.test.ts", title: "the other's operations are nobody's" };
const OTHERS_ACCOUNT = {
  test: "test/flows/isolation.test.ts",
  title: "an order for the other's account is refused before it is stored",
};
const OTHERS_STOP = {
  test: "test/flows/isolation.test.ts",
  title: "a stop is its own account's: the other does not find it, and trades on",
};
/** Both halves of what an account was told. */
const EVENTS_LISTED = inFile(
  "src/store/account-events.ts",
  '  eq(listedEvents.accountId, sql.placeholder("accountId")),\n  gt(',
  "  gt(",
);
const EVENTS_NOT_LISTED = inFile(
  "src/store/account-events.ts",
  'const isNotListed = and(gt(events.id, sql.placeholder("after")), eq(events.accountId, sql.placeholder("accountId")));',
  'const isNotListed = gt(events.id, sql.placeholder("after"));',
);
export const WHOSE_BREAKS: readonly Break[] = [
  {
    row: "S04",
    name: "a client that failed too often is kept out with a valid key as well",
    changes: inFile(
      "src/http/visit.ts",
      '  const { account, key } = countingFailures(visit, "authentication", () =>',
      '  visit.limits.chargeFailure(visit.client, "authentication");\n  const { account, key } = countingFailures(visit, "authentication", () =>',
    ),
    seenBy: BECOME_429,
  },
  {
    row: "S04",
    name: "a wrong key is no failure",
    changes: inFile("src/http/visit.ts", '  "invalid_api_key",\n', ""),
    seenBy: BECOME_429,
  },
  {
    row: "S04",
    name: "a request without a key is no failure",
    changes: inFile("src/http/visit.ts", '  "missing_api_key",\n', ""),
    seenBy: BECOME_429,
  },
  {
    row: "S04",
    name: "a revoked key is no failure",
    changes: inFile("src/http/visit.ts", '  "revoked_api_key",\n', ""),
    seenBy: BECOME_429,
  },
  {
    row: "S04",
    name: "a bad signature is no failure",
    changes: inFile("src/http/visit.ts", '  "invalid_signature",\n', ""),
    seenBy: OWN_BUCKETS,
  },
  {
    row: "S04",
    name: "all addresses share one bucket",
    changes: inFile("src/http/limits.ts", "ofAddresses[kind].draw(client, ", 'ofAddresses[kind].draw("", '),
    seenBy: BY_ADDRESS,
  },
  {
    row: "S04",
    name: "IPv6 counts by its whole address",
    changes: inFile("src/http/client-address.ts", 'plain.includes(":") ? `${prefixOf(plain)}::/64` : plain;', "plain;"),
    seenBy: BY_ADDRESS,
  },
  {
    row: "S04",
    name: "IPv6 counts by /48",
    changes: inFile("src/http/client-address.ts", ".slice(0, 4)", ".slice(0, 3)"),
    seenBy: BY_ADDRESS,
  },
  {
    row: "S04",
    name: "anybody's X-Forwarded-For is believed",
    changes: inFile(
      "src/http/client-address.ts",
      "if (!trusted.has(bucketOf(address)) || !isAddress(next))",
      "if (!isAddress(next))",
    ),
    seenBy: FORWARDED,
  },
  {
    row: "S04",
    name: "each refusal is a row of the audit log",
    changes: inFile("src/ops/note-throttled.ts", "elapsedMs - lastMs < ROW_SPACING_MS", "elapsedMs < lastMs"),
    seenBy: THROTTLE_ROWS,
  },
  {
    row: "S04",
    name: "a throttled client is in no row",
    changes: inFile(
      "src/ops/note-throttled.ts",
      "(within) => appendAudit(within, entry)",
      "(within) => [within, appendAudit, entry].length",
    ),
    seenBy: THROTTLE_ROWS,
  },
  {
    row: "S05",
    name: "an order is found by whoever knows its id",
    changes: inFile(
      "src/actions/find-order.ts",
      "order !== null && order.accountId === caller.account.id ? order : null",
      "order",
    ),
    seenBy: ANY_ID,
  },
  {
    row: "S05",
    name: "an order is found by another's native id",
    changes: inFile(
      "src/actions/find-order.ts",
      "const user = caller.account.tradingAddress;",
      'const user = deps.store.$client.query<{ a: string }, []>("SELECT trading_address AS a FROM accounts WHERE id <> \'" + caller.account.id + "\'").get()?.a ?? "";',
    ),
    seenBy: OTHERS_ORDERS,
  },
  {
    row: "S05",
    name: "the list of orders is everybody's",
    changes: inFile(
      "src/actions/list-orders.ts",
      "{ accountId: caller.account.id, status, dex, after, limit }",
      '{ accountId: deps.store.$client.query<{ a: string }, []>("SELECT account_id AS a FROM orders ORDER BY number LIMIT 1").get()?.a ?? caller.account.id, status, dex, after, limit }',
    ),
    seenBy: OWN_LISTS,
  },
  {
    row: "S05",
    name: "an operation is found by whoever knows its id",
    changes: inFile(
      "src/actions/list-operations.ts",
      "operation === null || operation.accountId !== caller.account.id",
      "operation === null",
    ),
    seenBy: OTHERS_OPERATIONS,
  },
  {
    row: "S05",
    name: "stops in force are listed to every account",
    changes: inFile(
      "src/actions/stop-trading.ts",
      ".filter(({ accountId }) => accountId === account.id)",
      '.filter(({ accountId }) => accountId !== "")',
    ),
    seenBy: OTHERS_STOP,
  },
  {
    row: "S05",
    name: "fills are everybody's",
    changes: inFile(
      "src/store/fills.ts",
      '.where(and(eq(fills.accountId, sql.placeholder("accountId")), below))\n    .orderBy(desc(fills.timeMs), desc(fills.id))\n    .limit(sql.placeholder("count"))',
      '.where(sql`${sql.placeholder("accountId")} is not null and ${below}`)\n    .orderBy(desc(fills.timeMs), desc(fills.id))\n    .limit(sql.placeholder("count"))',
    ),
    seenBy: OWN_LISTS,
  },
  { row: "S05", name: "events are everybody's", changes: [...EVENTS_LISTED, ...EVENTS_NOT_LISTED], seenBy: OWN_LISTS },
  { row: "S05", name: "events in the list are everybody's", changes: EVENTS_LISTED, seenBy: LISTED_EVENTS },
  { row: "S05", name: "events of the last seconds are everybody's", changes: EVENTS_NOT_LISTED, seenBy: LISTED_EVENTS },
  {
    row: "S05",
    name: "an order may be placed for another account",
    changes: inFile(
      "src/write/own-account.ts",
      "if (accountId === account.id) return;",
      "if (accountId !== null) return;",
    ),
    seenBy: OTHERS_ACCOUNT,
  },
  {
    row: "S05",
    name: "two that ask the exchange at once are given one answer",
    changes: inFile("src/exchange/shared-info.ts", "const key = writeJson(request);", "const key = request.type;"),
    seenBy: {
      test: "test/exchange/shared-info.test.ts",
      title: "two who ask for different accounts at one moment are each answered",
    },
  },
  {
    row: "S05",
    name: "the audit log is told to every account",
    changes: inFile("src/actions/list-audit.ts", "    accountOf(store, row) === accountId &&\n", ""),
    seenBy: OWN_AUDIT,
  },
];
