/**
 * Orders, fills, operations, funding, transfers and the audit log as one line of time: the page shows it, and the gateway makes files
 * of it, each from the same resources of the interface.
 */
import { type AuditFact, actorWords, factWords, spaced } from "./audit-words.ts";
import type { Side } from "./order.ts";

/** In the order in which lists stand where two things happened at once. */
export const KINDS = ["order", "fill", "operation", "funding", "transfer", "audit"] as const;
export type Kind = (typeof KINDS)[number];

/** What a line says of an order and of a fill: members of the interface's resources. */
type ToldTerms = {
  id: string;
  created_at: string;
  market: string;
  side: Side;
  size: string;
  price: string;
};

export type ToldOrder = ToldTerms & {
  time_in_force: string;
  reduce_only: boolean;
  trigger?: { kind: string; price: string } | undefined;
  status: string;
  error: string | null;
};

export type ToldFill = ToldTerms & {
  liquidity: string;
  liquidation: boolean;
  direction: string;
  key_hash: string | null;
  order_id: string | null;
  fee: string;
  fee_token: string;
  realized_pnl: string;
};

/** Beside `action`, an event tells less of it than the list. */
export type ToldOperation = {
  id: string;
  action: string;
  status: string;
  error: string | null;
  exchange_id: string | null;
  created_at?: string | undefined;
  market?: string | undefined;
  key_hash?: string | null | undefined;
  side?: Side | null | undefined;
  size?: string | null | undefined;
  leverage?: number | null | undefined;
  margin_type?: string | null | undefined;
  amount?: string | null | undefined;
  duration_minutes?: number | null | undefined;
  twap_id?: string | null | undefined;
};

export type ToldFunding = {
  id: string;
  created_at: string;
  market: string;
  amount: string;
  position: string;
  funding_rate: string;
};

export type ToldTransfer = {
  id: string;
  created_at: string;
  type: string;
  token: string | null;
  amount: string | null;
  fee: string | null;
  value: string | null;
  counterparty: string | null;
};

export type ToldAudit = {
  id: string;
  created_at: string;
  actor: string;
  key_hash: string | null;
  event: string;
  reference: string;
  order_id: string | null;
  facts: readonly AuditFact[];
};

export type HistoryEntry = {
  id: string;
  kind: Kind;
  /** ISO 8601, UTC. */
  at: string;
  market: string;
  side: "buy" | "sell" | null;
  size: string | null;
  price: string | null;
  status: string;
  /** Hash of the API key where the list tells it. */
  keyHash: string | null;
  /** What was said of it. */
  words: string;
  /** Of the order whose story it belongs to. */
  orderId: string | null;
  fee: string | null;
  realized: string | null;
};

export function orderEntry(order: ToldOrder, keyHash: string | null): HistoryEntry {
  const { id, created_at: at, market, side, size, price, status, trigger, error } = order;
  const kind = trigger === undefined ? order.time_in_force : `${trigger.kind.replace("_", " ")} ${trigger.price}`;
  const words = [kind, order.reduce_only ? "reduce only" : "", error ?? ""].filter((part) => part !== "").join(", ");
  return {
    id,
    kind: "order",
    at,
    market,
    side,
    size,
    price,
    status,
    keyHash,
    words,
    orderId: id,
    fee: null,
    realized: null,
  };
}

export function fillEntry(fill: ToldFill): HistoryEntry {
  const { id, created_at: at, market, side, size, price, key_hash: keyHash, order_id: orderId } = fill;
  const status = fill.liquidation ? "liquidation" : fill.liquidity;
  const [fee, realized] = [`${fill.fee} ${fill.fee_token}`, fill.realized_pnl];
  const words = fill.direction;
  return { id, kind: "fill", at, market, side, size, price, status, keyHash, words, orderId, fee, realized };
}

export function operationEntry(operation: ToldOperation): HistoryEntry {
  const { id, status, error, exchange_id: exchangeId, market = "", key_hash: keyHash = null, side = null } = operation;
  const parts = [askedWords(operation), exchangeId ?? "", error ?? ""];
  return {
    id,
    kind: "operation",
    at: operation.created_at ?? takenAt(id),
    market,
    side,
    size: operation.size ?? null,
    price: null,
    status,
    keyHash,
    words: parts.filter((part) => part !== "").join(", "),
    orderId: null,
    fee: null,
    realized: null,
  };
}

/** What it did to the account stands where a fill has its profit. */
export function fundingEntry({
  id,
  created_at: at,
  market,
  amount,
  position,
  funding_rate: rate,
}: ToldFunding): HistoryEntry {
  const isPaid = amount.startsWith("-");
  return {
    id,
    kind: "funding",
    at,
    market,
    side: null,
    size: position,
    price: null,
    status: isPaid ? "paid" : "received",
    keyHash: null,
    words: `rate ${rate}`,
    orderId: null,
    fee: null,
    realized: amount,
  };
}

export function transferEntry(transfer: ToldTransfer): HistoryEntry {
  const { id, created_at: at, type, token, amount, fee, value, counterparty } = transfer;
  return {
    id,
    kind: "transfer",
    at,
    market: "",
    side: null,
    size: amount,
    price: null,
    status: type,
    keyHash: null,
    words: [token ?? "", value === null ? "" : `worth ${value} USDC`, counterparty ?? ""]
      .filter((part) => part !== "")
      .join(", "),
    orderId: null,
    fee,
    realized: null,
  };
}

export function auditEntry(entry: ToldAudit): HistoryEntry {
  const { id, created_at: at, actor, key_hash: keyHash, event, reference, order_id: orderId, facts } = entry;
  const market = facts.find(({ name }) => name === "market")?.value ?? "";
  const told = factWords(facts.filter(({ name }) => name !== "account" && name !== "market"));
  return {
    id,
    kind: "audit",
    at,
    market: market === "null" ? "" : market,
    side: null,
    size: null,
    price: null,
    status: spaced(event),
    keyHash,
    words: `${actorWords(actor)}: ${actorWords(reference)}${told === "" ? "" : `, ${told}`}`,
    orderId,
    fee: null,
    realized: null,
  };
}

/** What was asked, as far as it is told: `leverage 5× isolated`. */
export function askedWords({
  action,
  leverage,
  margin_type: type,
  amount,
  duration_minutes: minutes,
  twap_id: id,
}: ToldOperation): string {
  const what = action.replaceAll("_", " ");
  if (typeof leverage === "number") return `${what} ${leverage}× ${type ?? ""}`.trim();
  if (typeof amount === "string") return `${what} ${amount} USDC`;
  if (typeof minutes === "number") return `${what} over ${minutes} min`;
  return typeof id === "string" ? `${what} ${id}` : what;
}

/** The first 48 bits of a UUIDv7 are its time in milliseconds. */
export function takenAt(id: string): string {
  return new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toISOString();
}

/** Each newest first; so is what comes out. Of two at one time the earlier list's is first. */
export function merged(lists: readonly (readonly HistoryEntry[])[]): HistoryEntry[] {
  const places = lists.map(() => 0);
  const all: HistoryEntry[] = [];
  for (;;) {
    let newest: HistoryEntry | undefined;
    let from = -1;
    for (const [index, list] of lists.entries()) {
      const entry = list[places[index] ?? 0];
      if (entry === undefined || (newest !== undefined && entry.at <= newest.at)) continue;
      newest = entry;
      from = index;
    }
    if (newest === undefined) return all;
    all.push(newest);
    places[from] = (places[from] ?? 0) + 1;
  }
}

/** Empty members ask for nothing. `from` and `to` are days of UTC, both included. */
export type Filter = {
  from: string;
  to: string;
  kind: string;
  market: string;
  bot: string;
  status: string;
  text: string;
};

export const NO_FILTER: Filter = { from: "", to: "", kind: "", market: "", bot: "", status: "", text: "" };

/** @param botOf name of the bot, or the hash, that a key is shown by */
export function matches(entry: HistoryEntry, filter: Filter, botOf: (keyHash: string | null) => string): boolean {
  const day = entry.at.slice(0, 10);
  if (filter.from !== "" && day < filter.from) return false;
  if (filter.to !== "" && day > filter.to) return false;
  if (filter.kind !== "" && entry.kind !== filter.kind) return false;
  if (filter.market !== "" && entry.market !== filter.market) return false;
  if (filter.status !== "" && entry.status !== filter.status) return false;
  if (filter.bot !== "" && botOf(entry.keyHash) !== filter.bot) return false;
  const text = filter.text.toLowerCase();
  if (text === "") return true;
  const said = [entry.id, entry.orderId, entry.market, entry.side, entry.size, entry.price, entry.status, entry.words];
  return said.some((part) => part?.toLowerCase().includes(text) === true);
}
