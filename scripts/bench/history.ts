/**
 * A long history in a moment: the rows of one order that the gateway itself has placed, and of a fill, written again and
 * again with ids, times and numbers of their own. Whatever columns the tables have, they hold what they really hold.
 */
import type { Database } from "bun:sqlite";
import { decimal } from "../../src/core/decimal.ts";
import { insertFills } from "../../src/store/fills.ts";
import { changeDatabase, type Scene } from "./scene.ts";

const FILLS_AN_ORDER = 3;
/** Apart from each other, milliseconds. */
const ORDER_SPACING_MS = 1_000;
/** Native ids of the history; far below those that the exchange of the bench gives. */
const FIRST_OID = 1_000_000_000;

/** What stands in a copy, as SQL over the template `t` and the copy's number `n`; other columns stay. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  orders: {
    id: "uuid(n)",
    created_at_ms: "time(n)",
    seen_at_ms: "time(n)",
    exchange_order_id: "oid(n)",
    leg_oid: "oid(n)",
    // The one order there is has the first.
    number: "n + 1",
    idempotency_key: "'history-' || n",
    answer_body: "replace(t.answer_body, t.id, uuid(n))",
    nonce: "time(n)",
    attempted_at_ms: "time(n)",
    action: "replace(t.action, '0x' || replace(t.id, '-', ''), cloid(n))",
  },
  // Their chain is not one: `postern audit verify` would say so.
  audit: { id: "null", at_ms: "time(n)", reference: "uuid(n)", chain: "lower(hex(randomblob(32)))" },
  fills: {
    id: "time(n) || '-BTC-' || n",
    time_ms: `time(n / ${FILLS_AN_ORDER})`,
    oid: `oid(n / ${FILLS_AN_ORDER})`,
    transaction_hash: "'0x' || lower(hex(randomblob(32)))",
  },
};

/** Where the first row of a table is of something else. */
const TEMPLATE: Readonly<Record<string, string>> = { audit: "WHERE event = 'sign_place'" };

/** The expressions above, written out. Orders end before now, so that what is placed later is newest. */
function spelled(expression: string, firstMs: number): string {
  const time = (n: string) => `(${firstMs} + (${n}) * ${ORDER_SPACING_MS})`;
  const hex = (n: string) => `printf('%012x', ${time(n)})`;
  const uuid = `substr(${hex("n")}, 1, 8) || '-' || substr(${hex("n")}, 9) || printf('-7abc-8%03x-%012x', n % 4096, n * 40503)`;
  return expression
    .replaceAll("cloid(n)", `'0x' || replace(${uuid}, '-', '')`)
    .replaceAll("uuid(n)", uuid)
    .replaceAll(/time\((n[^)]*)\)/g, (_, n: string) => time(n))
    .replaceAll(/oid\((n[^)]*)\)/g, (_, n: string) => `cast(${FIRST_OID} + ${n} as text)`);
}

function copyRows(client: Database, table: string, { count, firstMs }: { count: number; firstMs: number }): void {
  const columns = client.query<{ name: string }, []>(`PRAGMA table_info(${table})`).all();
  const own = OWN[table] ?? {};
  const values = columns.map(({ name }) => (own[name] === undefined ? `t.${name}` : spelled(own[name], firstMs)));
  const names = columns.map(({ name }) => name).join(", ");
  client.run(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
     INSERT INTO ${table} (${names}) SELECT ${values.join(", ")} FROM numbers, (SELECT * FROM ${table} ${TEMPLATE[table] ?? ""} LIMIT 1) AS t`,
  );
}

export type History = { orders: number; bytesAnOrder: number; deepCursor: string };

/** The directory of `scene` must hold exactly one order, and no gateway may run on it. */
export function makeHistory(scene: Scene, orders: number): History {
  const firstMs = Date.now() - (orders + 1) * ORDER_SPACING_MS;
  const made: History = { orders, bytesAnOrder: 0, deepCursor: "" };
  changeDatabase(scene.dataDirectory, (store) => {
    const { $client: client } = store;
    const before = bytesOf(client);
    insertFills(store, [templateFill(scene, firstMs)], { atMs: 0, toldFromMs: Number.POSITIVE_INFINITY });
    // The one place where nothing waits for the disk: what is measured comes after it.
    client.run("PRAGMA synchronous = OFF");
    for (const table of Object.keys(OWN)) {
      copyRows(client, table, { count: table === "fills" ? orders * FILLS_AN_ORDER : orders, firstMs });
      client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    made.bytesAnOrder = Math.round((bytesOf(client) - before) / orders);
    const middle = client
      .query<{ id: string }, [number]>("SELECT id FROM orders ORDER BY created_at_ms LIMIT 1 OFFSET ?")
      .get(Math.floor(orders / 2));
    made.deepCursor = middle?.id ?? "";
  });
  return made;
}

function bytesOf(client: Database): number {
  const pages = client.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
  return pages * (client.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0);
}

function templateFill(scene: Scene, timeMs: number) {
  const amounts = {
    price: decimal("30000.0"),
    size: decimal("0.0003"),
    fee: decimal("0.009"),
    startPosition: decimal("0"),
  };
  return {
    accountId: scene.account,
    id: `${timeMs}-BTC-0`,
    timeMs,
    market: "BTC",
    oid: "0",
    side: "buy" as const,
    ...amounts,
    isTaker: true,
    feeToken: "USDC",
    builderFee: null,
    realizedPnl: decimal("0"),
    direction: "Open Long",
    twapId: null,
    isLiquidation: false,
    transactionHash: `0x${"0".repeat(64)}`,
  };
}
