/** Holds what clients were told and what the gateway has stored against the exchange's own log. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { ActionInput } from "../../src/paper/engine/action.ts";
import { EVERY_ATTEMPT, EVERY_KEY, EVERY_LEG } from "../support/every-row.ts";
import { type Client, readOrder, readStory } from "./clients.ts";
import { type ExchangeLog, units } from "./exchange-log.ts";
import { marginMark, orderMark, twapMark, type Wish } from "./wishes.ts";

type AttemptRow = {
  idempotency_key: string;
  signer: string;
  nonce: number;
  state: string;
  created_at_ms: number;
  settled_at_ms: number | null;
};
type LegRow = { order_id: string; oid: string | null; cloid: string };

export type Rows = { attempts: AttemptRow[]; legs: LegRow[]; keys: Set<string> };

export function readRows(dataDirectory: string): Rows {
  const database = new Database(join(dataDirectory, "postern.db"), { readonly: true });
  database.run("PRAGMA busy_timeout = 5000");
  try {
    return {
      attempts: database.query<AttemptRow, []>(`SELECT * FROM ${EVERY_ATTEMPT}`).all(),
      legs: database.query<LegRow, []>(`SELECT * FROM ${EVERY_LEG}`).all(),
      keys: new Set(
        database
          .query<{ key: string }, []>(`SELECT key FROM ${EVERY_KEY}`)
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
  const recorded = new Set(rows.attempts.map(nameOf));
  const executed = executionsOf(log.actions, rows);
  return [
    ...log.actions.flatMap((input) =>
      isOurs(input.action) && !recorded.has(nameOf(input))
        ? [`the exchange took ${input.action.type} under nonce ${input.nonce}, which is not recorded`]
        : [],
    ),
    ...wishes.flatMap((wish) => compareWish(wish, executed(wish), rows)),
  ];
}

function nameOf({ signer, nonce }: Pick<AttemptRow, "signer" | "nonce">): string {
  return `${signer} ${nonce}`;
}

/** Approvals are the owner's. */
function isOurs({ type }: ActionInput["action"]): boolean {
  return [
    "order",
    "batchModify",
    "modify",
    "cancel",
    "cancelByCloid",
    "noop",
    "updateLeverage",
    "updateIsolatedMargin",
    "twapOrder",
    "twapCancel",
  ].includes(type);
}

type Executions = (wish: Wish) => number;

/**
 * How often the exchange took what a wish asks for: by what only this action says, in all that the exchange has taken,
 * recorded or not; leverage and cancels, of which there are equal ones, by the attempts of their key.
 */
function executionsOf(actions: readonly ActionInput[], rows: Rows): Executions {
  const byMark = new Map<string, number>();
  const byKey = new Map<string, number>();
  const keys = new Map(rows.attempts.map((attempt) => [nameOf(attempt), attempt.idempotency_key]));
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const input of actions) {
    for (const mark of marksOf(input.action)) count(byMark, mark);
    const key = input.action.type === "noop" ? undefined : keys.get(nameOf(input));
    if (key !== undefined) count(byKey, key);
  }
  return ({ key, mark }) => (mark === null ? byKey.get(key) : byMark.get(mark)) ?? 0;
}

function marksOf(action: ActionInput["action"]): string[] {
  switch (action.type) {
    case "order":
      return action.orders.map(({ p }) => orderMark(p));
    case "batchModify":
      return action.modifies.map(({ order }) => orderMark(order.p));
    case "updateIsolatedMargin":
      return [marginMark(action.ntli)];
    case "twapOrder":
      return [twapMark(action.twap.s)];
    default:
      return [];
  }
}

function compareWish({ key, kind, heard, lost }: Wish, made: number, rows: Rows): string[] {
  const findings: string[] = [];
  const accepted = heard.filter(({ status }) => status < 300);
  // A cancel is signed anew while its order is live, and can only cancel the same order again.
  if (made > 1 && kind !== "cancel") findings.push(`${key} (${kind}) was executed ${made} times`);
  const misused = heard.find(({ status }) => status === 400);
  if (misused !== undefined) findings.push(`${key} (${kind}) is not what a client may ask: ${misused.body}`);
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

/** A setting whose number was taken, perhaps by our own empty action, is proven by nothing but its being in force. */
export function isOfSetting(body: string): boolean {
  const action = actionOf(body);
  return action !== null && action !== "isolated_margin";
}

/** Margin that was moved shows it at once; that it was not counts when no server can be behind any more, which is not waited for here. */
function mayStayUnknown(body: string, made: number): boolean {
  return isOfSetting(body) || (made === 0 && actionOf(body) === "isolated_margin");
}

/** Null for what is no operation. */
function actionOf(body: string): unknown {
  const told: unknown = JSON.parse(body);
  return typeof told === "object" && told !== null && "action" in told ? told.action : null;
}

/** Of an order: what was looked at, and what is waited for. */
async function storyOf(client: Client, body: string): Promise<string> {
  const told: unknown = JSON.parse(body);
  if (typeof told !== "object" || told === null || !("object" in told) || told.object !== "order") return "";
  return "id" in told ? `\n    ${await readStory(client, String(told.id))}` : "";
}

/** What has to hold when everything has settled. Every key has been asked for once more by now. */
export async function compareSettled(
  client: Client,
  wishes: readonly Wish[],
  log: ExchangeLog,
  rows: Rows,
): Promise<string[]> {
  const executed = executionsOf(log.actions, rows);
  const findings: string[] = [];
  for (const wish of wishes) {
    const last = wish.heard.at(-1);
    if (last === undefined) findings.push(`${wish.key} was never answered`);
    else if (last.status === 202 && !mayStayUnknown(last.body, executed(wish)))
      findings.push(`${wish.key} was never settled: ${last.body}${await storyOf(client, last.body)}`);
    else if (last.status === 202) continue;
    else if (last.status < 300) findings.push(...compareAnswer(wish, last.body, { made: executed(wish), log }));
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

type Taken = { made: number; log: ExchangeLog };

function compareAnswer(wish: Wish, body: string, { made, log }: Taken): string[] {
  const shown = JSON.parse(body);
  const { key, kind } = wish;
  const isTrue = isAnswerTrue(wish, shown, { made, log });
  const neverRan = String(shown.error ?? "").startsWith("It was never executed") && made > 0;
  if (isTrue && !neverRan) return [];
  return [`${key} (${kind}) was answered ${body}, and the exchange took it ${made} times`];
}

type Shown = { status: string; error: string | null; exchange_id?: string | null; exchange_order_id?: string | null };

function isAnswerTrue({ kind, mark, target }: Wish, shown: Shown, { made, log }: Taken): boolean {
  const { status, error } = shown;
  switch (kind) {
    case "place":
      return status === "rejected" || made === 1;
    case "modify":
      return true;
    case "cancel":
      return error !== null || log.orders.get(Number(shown.exchange_order_id ?? 0))?.status !== "open";
    case "leverage":
      // In force already is done as well.
      return status === "succeeded" || made === 0 || error !== null;
    case "margin":
      return made === (status === "succeeded" ? 1 : 0);
    case "twap": {
      const twap = log.twaps.get(shown.exchange_id ?? "");
      if (status !== "succeeded") return made === 0;
      return made === 1 && twap !== undefined && units(twap.size) === units(mark?.split(" ").at(-1) ?? "");
    }
    case "twap_cancel": {
      const isTerminated = log.twaps.get(target ?? "")?.status === "terminated";
      // Another cancel of the same TWAP may have come first, or later.
      if (status !== "succeeded") return made === 0 || !isTerminated || /nothing left to cancel/i.test(error ?? "");
      return isTerminated;
    }
  }
}

/** An order as it is shown, against its legs at the exchange. */
function compareOrder(shown: Record<string, string | null>, { log, rows }: { log: ExchangeLog; rows: Rows }): string[] {
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
