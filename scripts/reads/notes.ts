/** What was seen of answers: their statuses, and how old what they said was. */

import { type Decimal, decimal, negate, subtract } from "../../src/core/decimal.ts";
import type { Asked, Timeline } from "./timeline.ts";

export type Part = "open orders" | "fills" | "position sizes" | "balances" | "TWAPs" | "margin and marks";

/** So old may be shown as current, milliseconds. */
export const AS_NOW_MS: Readonly<Record<Part, number>> = {
  "open orders": 1_000,
  fills: 1_000,
  "position sizes": 1_000,
  balances: 1_000,
  TWAPs: 1_000,
  "margin and marks": 6_000,
};

/** `ageMs` null: it was never true. */
export type Aged = { part: Part; ageMs: number | null; asOfMs: number | null; fact: string } & Asked;

export type Answered = Asked & { method: string; status: number; headers: Headers; body: Record<string, unknown> };

export type Refused = { path: string; atMs: number; text: string };

export type Notes = {
  /** By status, code, and whether it says when to come again. */
  statuses: Map<string, number>;
  /** Refusals that should say when to come again, and do not. */
  silent: number;
  aged: Aged[];
  refused: Refused[];
  /** Orders shown open with nothing left. */
  spent: string[];
  note(path: string, answered: Answered): void;
  shown(order: Row, where: string): void;
};

export type Row = Record<string, unknown>;

/** Facts that have ended are looked for in an answer for so long, milliseconds. */
const LOOKED_BACK_MS = 60_000;

export function openNotes(truth: Timeline): Notes {
  const notes: Notes = {
    statuses: new Map(),
    silent: 0,
    aged: [],
    refused: [],
    spent: [],
    note(path, answered) {
      const { status, headers, body } = answered;
      const retry = headers.get("retry-after");
      // The body of every refusal.
      const code = status < 400 ? "" : ` ${(body["error"] as { code?: string } | undefined)?.code}`;
      const isRetried = status < 429 || status === 500 || retry !== null;
      const word = `${status}${code}${isRetried ? "" : " without Retry-After"}`;
      notes.statuses.set(word, (notes.statuses.get(word) ?? 0) + 1);
      if ((status === 429 || status === 503) && retry === null) notes.silent += 1;
      if (status >= 400) notes.refused.push({ path, atMs: answered.toMs, text: JSON.stringify(body["error"]) });
      if (status === 200 && answered.method === "GET") notes.aged.push(...agesOf(truth, path, answered));
      if (status === 200 && path.startsWith("/v1/orders?")) for (const row of rowsOf(body)) notes.shown(row, path);
    },
    shown(order, where) {
      const { status, size, filled_size: filled, exchange_order_id: oid } = order;
      if (status === "open" && size === filled) notes.spent.push(`${where}: order ${oid} open, ${filled} of ${size}`);
    },
  };
  return notes;
}

function rowsOf(body: Record<string, unknown>): Row[] {
  // Every list of ours.
  return (body["data"] ?? []) as Row[];
}

/** The oldest fact of each part of the answer. */
function agesOf(truth: Timeline, path: string, { fromMs, toMs, headers, body }: Answered): Aged[] {
  const asOf = headers.get("x-data-as-of");
  const oldest = (part: Part, shown: ReadonlyMap<string, string>): Aged => {
    const ages = [...shown].map(([fact, value]) => ({
      fact: value === "" ? `no ${fact}` : `${fact} = ${value}`,
      ageMs: truth.ageMs(fact, value, { fromMs, toMs }),
    }));
    const worst = ages.sort((a, b) => (b.ageMs ?? Infinity) - (a.ageMs ?? Infinity))[0] ?? { fact: "", ageMs: 0 };
    return { part, ...worst, asOfMs: asOf === null ? null : Date.parse(asOf), fromMs, toMs };
  };
  const absent = (prefix: string, shown: ReadonlyMap<string, string>) =>
    new Map([...truth.named(prefix, fromMs - LOOKED_BACK_MS).map((fact) => [fact, ""] as const), ...shown]);
  // A page holds the newest, and what is missing for good is missing within the first minute.
  const lately = (prefix: string, shown: ReadonlyMap<string, string>) =>
    new Map([...truth.changed(prefix, fromMs - LOOKED_BACK_MS).map((fact) => [fact, ""] as const), ...shown]);
  const [route = ""] = path.split("?");
  switch (route) {
    case "/v1/account":
      return [oldest("balances", absent("spot ", spotOf(body))), oldest("margin and marks", marginOf(body))];
    case "/v1/positions":
      return [
        oldest("position sizes", absent("position ", sizesOf(rowsOf(body)))),
        oldest("margin and marks", said(rowsOf(body), "value", "market", "position_value")),
      ];
    case "/v1/twaps":
      return [oldest("TWAPs", absent("twap ", said(rowsOf(body), "twap", "exchange_id", "status")))];
    case "/v1/fills":
      return [oldest("fills", lately("fill ", fillsOf(rowsOf(body))))];
    case "/v1/orders":
      return path.includes("status=open") ? [oldest("open orders", absent("order ", leftOf(rowsOf(body))))] : [];
    default:
      return [];
  }
}

function said(rows: readonly Row[], kind: string, name: string, value: string): Map<string, string> {
  return new Map(rows.map((row) => [`${kind} ${row[name]}`, String(row[value])]));
}

function spotOf(body: Row): Map<string, string> {
  return said(body["spot"] as Row[], "spot", "token", "total");
}

function marginOf(body: Row): Map<string, string> {
  const rows = body["perpetuals"] as Row[];
  return new Map([...said(rows, "equity", "dex", "equity"), ...said(rows, "used", "dex", "margin_used")]);
}

function sizesOf(rows: readonly Row[]): Map<string, string> {
  return new Map(
    rows.map(({ market, side, size }) => {
      const signed = decimal(String(size));
      return [`position ${market}`, side === "short" ? negate(signed) : signed];
    }),
  );
}

/** The last part of a fill's id is the exchange's number of the trade. */
function fillsOf(rows: readonly Row[]): Map<string, string> {
  return new Map(rows.map(({ id }) => [`fill ${String(id).split("-").at(-1)}`, "told"]));
}

function leftOf(rows: readonly Row[]): Map<string, string> {
  return new Map(
    rows.map(({ exchange_order_id: oid, size, filled_size: filled }) => {
      const left: Decimal = subtract(decimal(String(size)), decimal(String(filled ?? "0")));
      return [`order ${oid}`, left];
    }),
  );
}
