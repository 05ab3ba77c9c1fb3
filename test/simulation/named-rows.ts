/**
 * Whose what is listed is: a list of open orders has no order of ours but those that have a row, each once; a fill is no order's that it
 * is not in the end, where the client had been told that this one was over before what was filled was asked for.
 */
import type { Database } from "bun:sqlite";
import { CLOSED } from "./answers.ts";
import type { Turn } from "./clients.ts";
import type { ToldEvent } from "./tellings.ts";
import { START_MS } from "./template.ts";

type Listed = { reads: readonly { turn: Turn }[]; told: readonly ToldEvent[] };

/** A leg as it is stored in the end, and when what placed it was asked for, unix milliseconds. */
type Owned = { oid: string; orderId: string; askedAtMs: number };

export function auditNamedRows(run: Listed, database: Database): string[] {
  const ids = new Set(
    database
      .prepare<{ id: string }, []>("select id from orders")
      .all()
      .map(({ id }) => id),
  );
  const legs = database
    .prepare<Owned, []>(
      `select l.oid, l.order_id as orderId, min(a.created_at_ms) as askedAtMs
         from every_leg l join every_attempt a on a.cloid = l.cloid where l.oid is not null group by l.oid`,
    )
    .all();
  const owners = new Map(legs.map((leg) => [leg.oid, leg]));
  return run.reads.flatMap(({ turn }) => {
    const rows = rowsOf(turn);
    if (turn.ask.kind === "list_open") return auditOpenIds(ids, turn, rows);
    return turn.ask.kind === "fills" ? rows.flatMap((row) => auditOwner(run, owners, { turn, row })) : [];
  });
}

type Row = Record<string, string | null>;

function rowsOf({ outcome }: Turn): readonly Row[] {
  if (outcome?.kind !== "answer" || outcome.status !== 200) return [];
  // The gateway's own JSON, read without its types.
  return (JSON.parse(outcome.body) as { data?: Row[] }).data ?? [];
}

/** Ids of orders that were placed elsewhere are of version 8. */
const VERSION_AT = 14;

function auditOpenIds(ids: ReadonlySet<string>, { askedAtMs }: Turn, rows: readonly Row[]): string[] {
  const listed = rows.map(({ id }) => id ?? "");
  const unknown = listed.filter((id) => id[VERSION_AT] === "7" && !ids.has(id));
  const twice = listed.filter((id, at) => listed.indexOf(id) !== at);
  return [
    ...unknown.map((id) => `at ${askedAtMs} the open orders held ${id}, which no row has`),
    ...twice.map((id) => `at ${askedAtMs} the open orders held ${id} twice`),
  ];
}

function auditOwner(
  { told }: Listed,
  owners: ReadonlyMap<string, Owned>,
  { turn, row }: { turn: Turn; row: Row },
): string[] {
  const { order_id: id, exchange_order_id: oid } = row;
  const owner = owners.get(oid ?? "");
  if (id == null || owner === undefined || owner.orderId === id) return [];
  const wasToldOver = told.some(
    (event) =>
      event.resourceId === id &&
      START_MS + event.atMs < owner.askedAtMs &&
      CLOSED.includes((JSON.parse(event.payload) as Row)["status"] ?? ""),
  );
  return wasToldOver
    ? [`at ${turn.askedAtMs} a fill of ${oid} was ${id}'s, which was over; it is ${owner.orderId}'s`]
    : [];
}
