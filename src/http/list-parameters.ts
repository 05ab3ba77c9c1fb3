import { ApiError } from "../core/errors.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, parseLimit } from "../core/page.ts";
import type { Query } from "./query.ts";

/** Rows that the client wants on a page. */
export function readLimit(query: Query): number {
  const text = query.get("limit");
  if (text === null) return DEFAULT_LIMIT;
  const limit = parseLimit(text);
  if (limit === null) throw new ApiError("invalid_limit", `limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
