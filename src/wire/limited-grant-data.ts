/** What an account's owner signs for a key with rails, written once for the gateway, the commands and the page. */
import { LIMITED_GRANT_MEMBERS, type LimitedGrantText } from "../core/rails/limited-grant.ts";
import { GRANT_DOMAIN } from "./grant-data.ts";
import type { TypedData, TypedField } from "./wallet-form.ts";

const ADDRESSES: ReadonlySet<string> = new Set(["owner", "tradingAddress"]);

/** Flat, every member a text or an address: a wallet shows it line by line, and what it shows is what is parsed. */
export const LIMITED_GRANT_TYPES: { LimitedKeyGrant: readonly TypedField[] } = {
  LimitedKeyGrant: LIMITED_GRANT_MEMBERS.map((name) => ({ name, type: ADDRESSES.has(name) ? "address" : "string" })),
};

export function limitedGrantTypedData(message: LimitedGrantText): TypedData {
  return { domain: GRANT_DOMAIN, types: LIMITED_GRANT_TYPES, primaryType: "LimitedKeyGrant", message };
}
