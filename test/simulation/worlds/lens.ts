/** How the exchange's answers to reads are other than its books: each world of this folder that changes them is a lens. */

export type Request = { readonly type: string; readonly [member: string]: unknown };

/**
 * Gives the answer as it is shown. `node`: the server that was asked. Answers are fresh objects in the exchange's own shape; a lens makes
 * new ones of what it changes.
 */
export type Lens = (request: Request, answer: unknown, node: number) => unknown;

/** An order as `orderStatus` and `historicalOrders` show it. */
export type RecordRow = {
  order: { oid: number; sz: string; origSz: string; cloid: string | null; [member: string]: unknown };
  status: string;
  statusTimestamp: number;
};

/** Changes every record that an answer shows; null leaves it out, which for a look by id is "unknown". */
export function eachRecord(change: (row: RecordRow, request: Request) => RecordRow | null): Lens {
  return (request, answer) => {
    // Shapes of the paper exchange's own readers.
    if (request.type === "historicalOrders")
      return (answer as RecordRow[]).flatMap((row) => change(row, request) ?? []);
    if (request.type !== "orderStatus") return answer;
    const { order } = answer as { order?: RecordRow };
    if (order === undefined) return answer;
    const changed = change(order, request);
    return changed === null ? { status: "unknownOid" } : { status: "order", order: changed };
  };
}

export function isOver({ status }: RecordRow): boolean {
  return status !== "open" && status !== "triggered";
}
