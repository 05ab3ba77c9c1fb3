/** Holds the log of events against what is stored: nothing is told that is not stored, and nothing stored is untold. */
import type { Database } from "bun:sqlite";
import { isoTime } from "../../src/core/resource.ts";

type Event = { type: string; account_id: string; resource_id: string; payload: string | null };
type Row = Record<string, string | number | null>;

/** Columns that are shown under the same name. */
const SHOWN = {
  orders: ["status", "exchange_order_id", "filled_size", "average_price", "size", "price", "error", "time_in_force"],
  operations: ["status", "exchange_id", "error"],
} as const;

/** One sentence for each thing that was told otherwise than it is stored. */
export function auditEvents(database: Database): string[] {
  const events = database
    .prepare<Event, []>("select type, account_id, resource_id, payload from events order by id")
    .all();
  // What two orders do to one another shows neither of them.
  const shown = events.filter(({ type }) => type !== "order.self_trade");
  const byResource = Map.groupBy(shown, ({ resource_id: id }) => id);
  return [
    ...auditTable(database, "orders", byResource),
    ...auditTable(database, "operations", byResource),
    ...auditFillEvents(database, byResource),
  ];
}

type ByResource = ReadonlyMap<string, Event[]>;

function auditTable(database: Database, table: keyof typeof SHOWN, byResource: ByResource): string[] {
  const rows = database.prepare<Row, []>(`select * from ${table}`).all();
  const kind = table === "orders" ? "order" : "operation";
  const findings = rows.flatMap((row) => {
    const told = byResource.get(String(row["id"])) ?? [];
    const last = told.at(-1);
    if (last === undefined || told[0]?.type !== `${kind}.created`) return [`${kind} ${row["id"]} was never told`];
    const shown: Row = JSON.parse(last.payload ?? "{}");
    const wrong = SHOWN[table].filter((name) => shown[name] !== row[name]);
    return wrong.map((name) => `${kind} ${row["id"]} was last told with ${name} ${shown[name]}, it is ${row[name]}`);
  });
  const stored = new Set(rows.map(({ id }) => String(id)));
  const gone = [...byResource].filter(([id, told]) => told[0]?.type === `${kind}.created` && !stored.has(id));
  const ghosts = gone.filter(([, told]) => told.at(-1)?.type !== `${kind}.removed`);
  return [...findings, ...ghosts.map(([id]) => `${kind} ${id} was told and is not stored`)];
}

function auditFillEvents(database: Database, byResource: ByResource): string[] {
  type Fill = { id: string; account_id: string; time_ms: number; created_at_ms: number };
  const fills = database
    .prepare<Fill, []>(
      "select f.id, f.account_id, f.time_ms, a.created_at_ms from fills f join accounts a on a.id = f.account_id",
    )
    .all();
  return fills.flatMap(({ id, account_id: accountId, time_ms: timeMs, created_at_ms: fromMs }) => {
    // Both sides of a trade have its id.
    const told = (byResource.get(id) ?? []).filter((event) => event.account_id === accountId).length;
    const wanted = timeMs >= fromMs ? 1 : 0;
    return told === wanted ? [] : [`fill ${id} of ${isoTime(timeMs)} was told ${told} times`];
  });
}
