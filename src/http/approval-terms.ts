/** The terms of an approval, as queries and bodies carry them. */
import { ApiError } from "../core/errors.ts";
import type { SignedTerms } from "../ops/set-up/approvals.ts";
import type { Query } from "./query.ts";
import { ChainIdParameter, ValidDaysParameter } from "./schema/setup.ts";

export function termsOf(body: { nonce: number; chain_id: number; valid_until?: string | null }): SignedTerms {
  const { nonce, chain_id: chainId, valid_until: validUntil } = body;
  return { nonce, chainId, validUntilMs: typeof validUntil === "string" ? timeOf(validUntil) : null };
}

function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (!Number.isFinite(ms)) throw new ApiError("invalid_parameter", "valid_until is no time of the calendar.");
  return ms;
}

export function chainIdIn(query: Query): number {
  return query.get("chain_id") === null
    ? ChainIdParameter.default
    : numberIn(query, "chain_id", ChainIdParameter.maximum);
}

/** Days that the approval is to last; null = as the exchange likes. */
export function validDaysIn(query: Query): number | null {
  return query.get("valid_days") === null ? null : numberIn(query, "valid_days", ValidDaysParameter.maximum);
}

function numberIn(query: Query, name: string, most = Number.MAX_SAFE_INTEGER): number {
  const text = query.get(name) ?? "";
  const value = Number(text);
  if (!/^[1-9][0-9]{0,15}$/.test(text) || value > most) {
    throw new ApiError("invalid_parameter", `${name} is a whole number from 1 to ${most}.`);
  }
  return value;
}
