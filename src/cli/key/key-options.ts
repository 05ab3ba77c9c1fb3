import type { Scope } from "../../core/account.ts";
import { memberName } from "../../core/rails/member-name.ts";
import { type Input, Misuse, type Option } from "../command.ts";

export const KEY_HASH: Option = { value: "HASH", help: "64 hex digits, as printed by key new" };
export const SCOPES: Option = { value: "SCOPES", help: "trading:read,trading:write (default) or one of them" };

const ALL_SCOPES: readonly Scope[] = ["trading:read", "trading:write"];

export function keyHashOf(text: string): string {
  const hash = text.toLowerCase().replace(/^0x/, "");
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Misuse("a key hash is 64 hex digits");
  return hash;
}

/** Sorted, each once. */
export function scopesOf(input: Input): Scope[] {
  const words = (input.value("scopes") ?? ALL_SCOPES.join(",")).split(",").map((word) => word.trim());
  const unknown = words.find((word) => !ALL_SCOPES.some((scope) => scope === word));
  if (unknown !== undefined) throw new Misuse(`"${unknown}" is no scope: trading:read, trading:write`);
  return ALL_SCOPES.filter((scope) => words.includes(scope));
}

/** A member of a grant as an option: `maxOrder` is `max-order`. */
export function optionOf(member: string): string {
  return memberName(member).replaceAll("_", "-");
}
