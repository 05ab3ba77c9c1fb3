import type { TSchema } from "@sinclair/typebox";
import type { WantedFilter } from "../actions/list-filter.ts";
import { ApiError } from "../core/errors.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, parseLimit } from "../core/page.ts";
import { parseTime } from "../core/time-text.ts";

/** Query parameters as they came, each once, none that the route does not have. */
export type Query = {
  get(name: string): string | null;
  /** `true` or `false`. */
  flag(name: string, otherwise: boolean): boolean;
};

/** Characters of a client's own parameter name that are repeated to it. */
const MAX_NAME_CHARACTERS = 40;

export function readQuery(url: URL, allowed: Readonly<Record<string, TSchema>>): Query {
  const values = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    const shown = /^[A-Za-z0-9_.-]+$/.test(name) ? name.slice(0, MAX_NAME_CHARACTERS) : "A query parameter";
    if (!Object.hasOwn(allowed, name)) {
      throw new ApiError("unknown_parameter", `${shown} is not a query parameter of this route.`);
    }
    if (values.has(name)) throw new ApiError("invalid_parameter", `${shown} may be given once.`);
    values.set(name, value);
  }
  return {
    get: (name) => values.get(name) ?? null,
    flag(name, otherwise) {
      const text = values.get(name) ?? String(otherwise);
      if (text === "true" || text === "false") return text === "true";
      throw new ApiError("invalid_parameter", `${name} is one of \`true\`, \`false\`.`);
    },
  };
}

/** Rows that the client wants on a page. */
export function readLimit(query: Query): number {
  const text = query.get("limit");
  if (text === null) return DEFAULT_LIMIT;
  const limit = parseLimit(text);
  if (limit === null) throw new ApiError("invalid_limit", `limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

/** Unix milliseconds; null where it is not given. */
export function readTime(query: Query, name: "since" | "until"): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const ms = parseTime(text);
  if (ms === null) throw new ApiError("invalid_parameter", `${name} must be an ISO 8601 time in UTC.`);
  return ms;
}

const KEY_HASH = /^[0-9a-f]{64}$/;
const BOT = /^[a-z0-9-]{1,40}$/;
const MARKET = /^[A-Za-z0-9@][A-Za-z0-9@:_./-]{0,99}$/;

/** What lists of the record are narrowed by. */
export function readFilter(query: Query): WantedFilter {
  return {
    sinceMs: readTime(query, "since"),
    untilMs: readTime(query, "until"),
    market: readMarket(query),
    keyHash: readMatching(query, "key_hash", { pattern: KEY_HASH, what: "64 lower-case hex characters" }),
    bot: readMatching(query, "bot", { pattern: BOT, what: "1 to 40 of a-z, 0-9 and -" }),
  };
}

export function readMarket(query: Query): string | null {
  return readMatching(query, "market", { pattern: MARKET, what: "the name of a market" });
}

function readMatching(query: Query, name: string, { pattern, what }: { pattern: RegExp; what: string }): string | null {
  const text = query.get(name);
  if (text === null || pattern.test(text)) return text;
  throw new ApiError("invalid_parameter", `${name} must be ${what}.`);
}
