/**
 * Why a request that fits the description may be refused all the same: it names something that only the gateway's state
 * can tell. This list is complete; every refusal is checked against its rule's own condition.
 */
import type { ErrorCode } from "../../src/core/errors.ts";
import { LIMITED_GRANT_MEMBERS, type LimitedGrantText, parseLimitedGrant } from "../../src/core/rails/limited-grant.ts";
import { memberName } from "../../src/core/rails/member-name.ts";
import { type Case, codeOf, member, parsed } from "./case.ts";

/** What the gateway knows, read from its own answers. */
export type Facts = {
  markets: ReadonlySet<string>;
  dexes: ReadonlySet<string>;
  /** Every id that an answer ever showed. */
  ids: ReadonlySet<string>;
  /** Every `next_cursor` that an answer ever showed, with the list and filters it belongs to (`cursorPlace`). */
  cursors: ReadonlySet<string>;
  /** The cursors that the generator was given. */
  offeredCursors: ReadonlySet<string>;
  closedOrders: ReadonlySet<string>;
  /** The agent that waits for its owner, in lower case; null when none does. */
  waitingAgent: string | null;
  /** Unix milliseconds at which the run began and ended. */
  startedAtMs: number;
  endedAtMs: number;
};

export type Rule = {
  name: string;
  codes: readonly ErrorCode[];
  holds(one: Case, facts: Facts, earlier: readonly Case[]): boolean;
};

/** What its texts have to be only their own grammar says, which no schema has words for. */
function isGrantOfPaper(one: Case): boolean {
  const given = bodyMember(one, "grant");
  if (typeof given !== "object" || given === null) return false;
  const members = new Map(Object.entries(given));
  const texts = LIMITED_GRANT_MEMBERS.map((name) => [name, String(members.get(memberName(name)) ?? "")]);
  // Made with every member of the list.
  const parsed = parseLimitedGrant(Object.fromEntries(texts) as LimitedGrantText);
  return parsed.kind === "grant" && parsed.grant.network === "paper";
}

/** How old a consent may be, and how far ahead, milliseconds. */
const MAX_CONSENT_AGE_MS = 60 * 60 * 1_000;
const MAX_CONSENT_LEAD_MS = 60 * 1_000;

export const RULES: readonly Rule[] = [
  {
    name: "unknown market",
    codes: ["unknown_market"],
    holds: (one, { markets }) => namesOfMarkets(one).some((name) => !markets.has(name)),
  },
  {
    name: "unknown dex",
    codes: ["unknown_dex"],
    holds: ({ query }, { dexes }) => query.has("dex") && !dexes.has(String(query.get("dex"))),
  },
  {
    name: "unknown id",
    codes: [
      "order_not_found",
      "operation_not_found",
      "stop_not_found",
      "trade_not_found",
      "proposal_not_found",
      "cancel_all_not_found",
    ],
    holds: ({ path }, { ids }) => !ids.has(decodeURIComponent(path.split("/")[3] ?? "").toLowerCase()),
  },
  {
    name: "closed order",
    codes: ["order_not_modifiable"],
    holds: ({ path }, { closedOrders }) => closedOrders.has(path.split("/")[3] ?? ""),
  },
  {
    // The generator changed an order into one with a trigger; its next change then needs `always_place`.
    name: "trigger order",
    codes: ["always_place_required"],
    holds: (one, _facts, earlier) =>
      bodyMember(one, "always_place") !== true && earlier.some((other) => madeTrigger(one, other)),
  },
  {
    name: "foreign cursor",
    codes: ["invalid_cursor"],
    holds: ({ path, query }, { cursors }) =>
      query.has("cursor") && !cursors.has(cursorPlace(path, query, query.get("cursor"))),
  },
  {
    name: "key reused",
    codes: ["idempotency_key_reused"],
    holds: (one, _facts, earlier) => earlier.some((other) => isSameKeyForAnother(one, other)),
  },
  {
    name: "stale signature",
    codes: ["grant_expired", "issued_at_in_future", "invalid_signature", "mainnet_required"],
    holds: (one, facts) => one.path.startsWith("/v1/api-keys") && isStale(one, facts),
  },
  {
    name: "no hook is there",
    codes: ["hook_not_found"],
    // Who has no owner's key makes none, and the ids that it tries are of orders.
    holds: ({ path }) => path.startsWith("/v1/hooks/"),
  },
  {
    // The generator holds no owner's key, and whether a text names networks no schema says.
    name: "a hook that nobody has signed, or from nowhere",
    codes: ["invalid_signature", "invalid_parameter"],
    holds: (one) =>
      one.path.startsWith("/v1/hooks") &&
      (codeOf(one) === "invalid_signature" || typeof bodyMember(one, "sources") === "string"),
  },
  {
    name: "rails for an account of elsewhere",
    codes: ["account_not_found"],
    // One that no answer has shown.
    holds: (one, _facts, earlier) =>
      one.path === "/v1/api-keys/limited" &&
      earlier.every(({ answer }) => !answer.includes(String(bodyMember(one, "grant", "account")).toLowerCase())),
  },
  {
    // Each of its texts may be as long as the schema says, and all of them together may not.
    name: "a grant that is too long as a whole",
    codes: ["body_too_large"],
    holds: ({ path, body }) => path === "/v1/api-keys/limited" && body.length > 8_192,
  },
  {
    name: "an order of a batch that its market does not take",
    codes: ["order_refused"],
    holds: ({ path }) => path === BATCH,
  },
  {
    name: "orders of several classes, or one that is against the rules of an order, in a batch",
    codes: ["invalid_parameter"],
    holds: (one) => one.path === BATCH && ordersIn(one).length > 0,
  },
  {
    name: "a part of a position that is nothing, or more than all of it",
    codes: ["invalid_parameter"],
    holds: (one) => {
      const fraction = Number(bodyMember(one, "fraction"));
      return one.path === CLOSE && (fraction <= 0 || fraction > 1);
    },
  },
  {
    name: "no position in that market, or one that is being closed",
    codes: ["nothing_to_close", "position_unproven", "close_in_progress"],
    holds: ({ path }) => path === CLOSE,
  },
  {
    name: "a stop or profit on the wrong side of its entry, or of its own trigger",
    codes: ["invalid_parameter"],
    holds: ({ path }) => path === "/v1/trades",
  },
  {
    name: "a trigger that the account's equity does not last to, or that the mark has come to",
    codes: ["stop_already_met", "take_profit_already_met", "stop_beyond_liquidation"],
    holds: ({ path }) => path.startsWith("/v1/trades"),
  },
  {
    name: "nothing to narrow",
    codes: ["missing_parameter"],
    holds: ({ path }) => path === NARROW,
  },
  {
    name: "no such agent, a key without rails to narrow, or a grant with rails that is none or of elsewhere",
    codes: ["invalid_parameter"],
    holds: (one, { waitingAgent }) => {
      if (one.path === "/v1/api-keys/limited") return !isGrantOfPaper(one);
      if (one.path === NARROW) return true;
      return one.path === "/v1/agent-renewal" && String(bodyMember(one, "agent")).toLowerCase() !== waitingAgent;
    },
  },
];

const BATCH = "/v1/orders/batch";
const CLOSE = "/v1/positions/close";

/** Of a key that the generator has none of: its own has no rails. */
const NARROW = "/v1/api-keys/self/narrow";

function bodyMember({ body }: Case, ...names: string[]): unknown {
  return member(parsed(body), ...names);
}

/** In the path, the query or the body, whichever the route has. */
function namesOfMarkets(one: Case): string[] {
  const inPath = /^\/v1\/markets\/([^/]+)/.exec(one.path)?.[1];
  if (inPath !== undefined) return [decodeURIComponent(inPath)];
  if (one.path === BATCH) return ordersIn(one).map((order) => String(member(order, "market")));
  return one.query.get("markets")?.split(",") ?? [String(bodyMember(one, "market"))];
}

function ordersIn(one: Case): unknown[] {
  const orders = bodyMember(one, "orders");
  return Array.isArray(orders) ? orders : [];
}

function madeTrigger({ path }: Case, other: Case): boolean {
  return other.path === path && other.status < 300 && member(parsed(other.answer), "trigger") !== undefined;
}

/** A cursor belongs to one list with one set of filters. */
export function cursorPlace(path: string, query: URLSearchParams, cursor: string | null): string {
  const filters = [...query].filter(([name]) => name !== "cursor" && name !== "limit").map((pair) => pair.join("="));
  return [path, ...filters.sort(), cursor].join(" ");
}

function isSameKeyForAnother(one: Case, other: Case): boolean {
  return one.idempotencyKey === other.idempotencyKey && (one.path !== other.path || one.body !== other.body);
}

/** Signed too long ago, too far ahead, for the other network, or not by the owner: the generator holds no owner's key. */
function isStale(one: Case, { startedAtMs, endedAtMs }: Facts): boolean {
  const issuedAtMs = Number(bodyMember(one, "consent", "issued_at"));
  switch (codeOf(one)) {
    case "grant_expired":
      return issuedAtMs < endedAtMs - MAX_CONSENT_AGE_MS;
    case "issued_at_in_future":
      return issuedAtMs > startedAtMs + MAX_CONSENT_LEAD_MS;
    case "mainnet_required":
      return bodyMember(one, "consent", "network") !== "exchange_mainnet";
    default:
      return true;
  }
}
