/** How an answer to a read is other than the books: what rules make of it. */
import type { RequestFault } from "./faults.ts";

type RecordRow = {
  readonly order: { readonly origSz: string; readonly [member: string]: unknown };
  readonly status: string;
  readonly statusTimestamp: number;
};

export type AnswerToRead = { readonly type: string; readonly value: unknown; readonly nowMs: number };

/** The answer as it is shown; a rule that has nothing to do with this read leaves it as it is. */
export function shownThrough(fault: RequestFault | null, { type, value, nowMs }: AnswerToRead): unknown {
  switch (fault?.kind) {
    case "clock":
      return hasTime(value) ? { ...value, time: value.time + fault.wrongByMs } : value;
    case "short_page":
      return Array.isArray(value) ? firstRows(value, fault.rows) : value;
    case "status_lag":
      return eachRecord(type, value, (row) => (placedMs(row) > nowMs - fault.ms ? null : row), "by id");
    case "forgets":
      return eachRecord(type, value, (row) =>
        isOver(row) && row.statusTimestamp + fault.afterMs <= nowMs ? null : row,
      );
    case "new_word":
      return eachRecord(type, value, (row) => (row.status === fault.status ? { ...row, status: fault.word } : row));
    case "wrong_rest":
      return eachRecord(type, value, (row) =>
        isOver(row) && !row.status.endsWith("Rejected")
          ? { ...row, order: { ...row.order, sz: row.order.origSz } }
          : row,
      );
    default:
      return value;
  }
}

/** Changes every record that the answer shows; null leaves it out, which for a look by id is "unknown". */
function eachRecord(
  type: string,
  value: unknown,
  change: (row: RecordRow) => RecordRow | null,
  which: "all" | "by id" = "all",
): unknown {
  // Shapes of our own readers.
  if (type === "historicalOrders" && which === "all") return (value as RecordRow[]).flatMap((row) => change(row) ?? []);
  if (type !== "orderStatus") return value;
  const { order } = value as { order?: RecordRow };
  if (order === undefined) return value;
  const changed = change(order);
  return changed === null ? { status: "unknownOid" } : { status: "order", order: changed };
}

function isOver({ status }: RecordRow): boolean {
  return status !== "open" && status !== "triggered";
}

function placedMs({ order }: RecordRow): number {
  return Number(order["timestamp"]);
}

function hasTime(value: unknown): value is { time: number } {
  return typeof value === "object" && value !== null && "time" in value && typeof value.time === "number";
}

/** Those of one moment stay together, as they do on a full page. */
function firstRows(rows: readonly unknown[], most: number): unknown[] {
  const last = rows[most - 1];
  if (!hasTime(last)) return rows.slice(0, most);
  return rows.filter((row, at) => at < most || (hasTime(row) && row.time === last.time));
}
