/** From an intent to at most one order, whatever is lost between. */
import { type Intent, type Intents, isLive } from "./intents.ts";
import { isObject } from "./json-rpc.ts";

export type Asked = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
};

/** Null where no answer of the gateway came: that says nothing of what happened. */
export type Ask = (asked: Asked) => Promise<{ readonly status: number; readonly body: Record<string, unknown> } | null>;

export type ToPlace = {
  readonly ask: Ask;
  readonly intents: Intents;
  readonly account: string;
  /** Null for a plain key: then every order of the account counts. */
  readonly bot: string | null;
  nowMs(): number;
};

export type Placed =
  | { readonly outcome: "order"; readonly order: Record<string, unknown> }
  | { readonly outcome: "unknown" | "no_such_intent" | "not_yet_placed" | "not_placed" | "not_reached" }
  | { readonly outcome: "unsettled"; readonly orders: readonly unknown[] }
  | { readonly outcome: "refused"; readonly code: string };

/** After this long no request of a process that has died is on its way any more, milliseconds past the intent's end. */
const LATE_MS = 30_000;

export async function place(deps: ToPlace, id: string): Promise<Placed> {
  const intent = deps.intents.find(id);
  if (intent === null) return { outcome: "no_such_intent" };
  if (intent.isSent) return placeAgain(deps, intent);
  if (!isLive(intent.proposedAtMs, deps.nowMs())) return findPlaced(deps, id);
  const obstacle = intent.order.reduce_only === true ? null : await unsettledIn(deps, intent.order.market);
  if (obstacle !== null) return obstacle;
  deps.intents.markSent(id);
  const answer = await send(deps, intent);
  if (answer.outcome === "refused") deps.intents.unmark(id);
  return answer;
}

/** A refusal of this request says nothing of the one before. */
async function placeAgain(deps: ToPlace, intent: Intent): Promise<Placed> {
  if (!mayBeOnItsWay(intent, deps.nowMs())) return findPlaced(deps, intent.id);
  const answer = await send(deps, intent);
  return answer.outcome === "refused" ? { outcome: "unknown" } : answer;
}

function mayBeOnItsWay({ proposedAtMs, isSent }: Intent, nowMs: number): boolean {
  return isSent && (isLive(proposedAtMs, nowMs) || isLive(proposedAtMs, nowMs - LATE_MS));
}

/** What became of it, placing nothing: long after it was proposed nothing is placed any more. */
export async function findPlaced({ ask, intents, nowMs }: ToPlace, id: string): Promise<Placed> {
  const intent = intents.find(id);
  if (intent === null) return { outcome: "no_such_intent" };
  const answer = await ask({ method: "GET", path: `/v1/orders?idempotency_key=${keyOf(id)}` });
  const rows = answer?.status === 200 ? answer.body["data"] : null;
  if (!Array.isArray(rows)) return { outcome: "unknown" };
  const [order] = rows;
  if (isObject(order)) return { outcome: "order", order };
  if (mayBeOnItsWay(intent, nowMs())) return { outcome: "unknown" };
  return { outcome: isLive(intent.proposedAtMs, nowMs()) ? "not_yet_placed" : "not_placed" };
}

async function send({ ask, account }: ToPlace, { id, order }: Intent): Promise<Placed> {
  const body = { account, ...order };
  const answer = await ask({ method: "POST", path: "/v1/orders", body, idempotencyKey: keyOf(id) });
  if (answer === null) return { outcome: "unknown" };
  if (answer.status >= 200 && answer.status < 300) return { outcome: "order", order: answer.body };
  const code = codeOf(answer.body);
  const isKnown = answer.status < 500 || answer.status === 503;
  if (code === null || !isKnown || code === "idempotency_in_progress") return { outcome: "unknown" };
  return { outcome: "refused", code };
}

/** One that is not settled may still fill: until then nothing is added in its market. */
async function unsettledIn(deps: ToPlace, market: string): Promise<Placed | null> {
  for (const status of ["unknown", "processing"]) {
    const found = await ordersIn(deps, { market, status });
    if (found === null) return { outcome: "not_reached" };
    if (found.length > 0) return { outcome: "unsettled", orders: found };
  }
  return null;
}

/** A page may be empty and not the last. */
const MAX_PAGES = 50;

/** Null where it cannot be known. */
async function ordersIn({ ask, bot }: ToPlace, which: Record<string, string>): Promise<readonly unknown[] | null> {
  const query = new URLSearchParams({ ...which, ...(bot === null ? {} : { bot }) });
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask({ method: "GET", path: `/v1/orders?${query}` });
    const rows = answer?.status === 200 ? answer.body["data"] : null;
    if (answer === null || !Array.isArray(rows)) return null;
    if (rows.length > 0) return rows;
    if (answer.body["has_more"] !== true) return [];
    const cursor = answer.body["next_cursor"];
    if (typeof cursor !== "string") return null;
    query.set("cursor", cursor);
  }
  return null;
}

export function codeOf(body: Record<string, unknown>): string | null {
  const { error } = body;
  return isObject(error) && typeof error["code"] === "string" ? error["code"] : null;
}

export function keyOf(intentId: string): string {
  return `mcp-${intentId}`;
}
