/** Holds what clients were told and what the gateway has stored against the exchange's own log. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { ActionInput } from "../../src/paper/engine/action.ts";
import { type Client, readOrder, type Wish } from "./clients.ts";
import { type ExchangeLog, units } from "./exchange-log.ts";

type AttemptRow = { signer: string; nonce: number; state: string; created_at_ms: number; settled_at_ms: number | null };
type LegRow = { order_id: string; oid: string | null; cloid: string };

export type Rows = { attempts: AttemptRow[]; legs: LegRow[]; keys: Set<string> };

export function readRows(dataDirectory: string): Rows {
  const database = new Database(join(dataDirectory, "postern.db"), { readonly: true });
  database.run("PRAGMA busy_timeout = 5000");
  try {
    return {
      attempts: database.query<AttemptRow, []>("SELECT * FROM attempts").all(),
      legs: database.query<LegRow, []>("SELECT * FROM legs").all(),
      keys: new Set(
        database
          .query<{ key: string }, []>("SELECT key FROM idempotency")
          .all()
          .map(({ key }) => key),
      ),
    };
  } finally {
    database.close();
  }
}

/** What has to hold at every moment, whatever is still open: one sentence for each promise that was broken. */
export function compareNow(wishes: readonly Wish[], log: Pick<ExchangeLog, "actions">, rows: Rows): string[] {
  const recorded = new Set(rows.attempts.map(({ signer, nonce }) => `${signer} ${nonce}`));
  const made = executions(log.actions);
  return [
    ...log.actions.flatMap(({ signer, nonce, action }) =>
      isOurs(action) && !recorded.has(`${signer} ${nonce}`)
        ? [`the exchange took ${action.type} under nonce ${nonce}, which is not recorded`]
        : [],
    ),
    ...wishes.flatMap((wish) => compareWish(wish, made.get(wish.price ?? "") ?? 0, rows)),
  ];
}

/** Approvals are the owner's. */
function isOurs({ type }: ActionInput["action"]): boolean {
  return ["order", "batchModify", "modify", "cancel", "cancelByCloid", "noop"].includes(type);
}

/** Orders and replacements that the exchange took, by their price. */
function executions(actions: readonly ActionInput[]): Map<string, number> {
  const made = new Map<string, number>();
  for (const { action } of actions) {
    const orders =
      action.type === "order"
        ? action.orders
        : action.type === "batchModify"
          ? action.modifies.map(({ order }) => order)
          : [];
    for (const { p } of orders) made.set(p, (made.get(p) ?? 0) + 1);
  }
  return made;
}

function compareWish({ key, kind, heard, lost }: Wish, made: number, rows: Rows): string[] {
  const findings: string[] = [];
  const accepted = heard.filter(({ status }) => status < 300);
  if (made > 1) findings.push(`${key} (${kind}) was executed ${made} times`);
  if (accepted.length > 0 && !rows.keys.has(key)) findings.push(`${key} was accepted and is not stored`);
  if (made > 0 && !rows.keys.has(key)) findings.push(`${key} was executed and is not stored`);
  if (made > 0 && accepted.length === 0 && lost === 0) {
    findings.push(`${key} was executed, and every answer said that nothing was sent: ${heard.at(-1)?.body}`);
  }
  const known = accepted.findIndex(({ status }) => status !== 202);
  const later = known < 0 ? [] : accepted.slice(known);
  for (const { status, body } of later) {
    if (status === 202) continue;
    if (body !== later[0]?.body) findings.push(`${key} was answered ${later[0]?.body} and then ${body}`);
  }
  return findings;
}

/** What has to hold when everything has settled. Every key has been asked for once more by now. */
export async function compareSettled(
  client: Client,
  wishes: readonly Wish[],
  log: ExchangeLog,
  rows: Rows,
): Promise<string[]> {
  const made = executions(log.actions);
  const findings: string[] = [];
  for (const wish of wishes) {
    const last = wish.heard.at(-1);
    if (last === undefined) findings.push(`${wish.key} was never answered`);
    else if (last.status === 202) findings.push(`${wish.key} was never settled: ${last.body}`);
    else if (last.status < 300) findings.push(...compareAnswer(wish, last.body, { made, log, rows }));
  }
  const known = new Set(rows.legs.map(({ cloid }) => cloid));
  for (const { oid, cloid } of log.orders.values()) {
    if (cloid !== null && !known.has(cloid)) findings.push(`order ${oid} of the exchange is not recorded`);
  }
  for (const id of new Set(rows.legs.map(({ order_id }) => order_id))) {
    findings.push(...compareOrder(await readOrder(client, id), { log, rows }));
  }
  return findings;
}

type Truth = { made: Map<string, number>; log: ExchangeLog; rows: Rows };

function compareAnswer({ key, kind, price }: Wish, body: string, { made, log }: Truth): string[] {
  const order = JSON.parse(body);
  if (kind === "place" && order.status !== "rejected" && made.get(price ?? "") !== 1) {
    return [`${key} was answered ${order.status}, and the exchange took it ${made.get(price ?? "") ?? 0} times`];
  }
  const live = log.orders.get(Number(order.exchange_order_id ?? 0));
  if (kind === "cancel" && order.error === null && live?.status === "open") {
    return [`${key} was answered ${body}, and the order is open`];
  }
  return [];
}

/** An order as it is shown, against its legs at the exchange. */
function compareOrder(shown: Record<string, string | null>, { log, rows }: Omit<Truth, "made">): string[] {
  const cloids = new Set(rows.legs.filter(({ order_id }) => order_id === shown["id"]).map(({ cloid }) => cloid));
  const real = [...log.orders.values()].filter(({ cloid }) => cloid !== null && cloids.has(cloid));
  const filled = real.reduce((sum, { oid }) => sum + (log.filled.get(oid) ?? 0n), 0n);
  const findings: string[] = [];
  const isOpen = real.some(({ status }) => status === "open");
  const isTaken = real.some(({ status }) => !status.endsWith("Rejected"));
  const { id, status } = shown;
  if (status === "unknown" || status === "processing") findings.push(`order ${id} is still ${status}`);
  if (units(shown["filled_size"] ?? "0") !== filled) {
    findings.push(`order ${id} is filled by ${filled} and shown with ${shown["filled_size"]}`);
  }
  if (isOpen !== (status === "open"))
    findings.push(`order ${id} is shown as ${status}, open at the exchange: ${isOpen}`);
  if (isTaken === (status === "rejected")) {
    findings.push(`order ${id} is shown as ${status}, at the exchange: ${real.map((one) => one.status).join()}`);
  }
  return findings;
}
