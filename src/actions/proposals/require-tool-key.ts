import { ApiError } from "../../core/errors.ts";
import type { With } from "../../deps.ts";
import { findApiKey } from "../../store/api-keys.ts";
import type { Caller } from "../../write/caller.ts";

/** Without limits an agent could lose all there is, so that the operator has to say so. */
export function requireToolKey({ settings, store }: With<"settings" | "store">, { key }: Caller): void {
  const isLimited = findApiKey(store, key.keyHash)?.limited != null;
  if (isLimited || settings.network === "paper" || settings.hasPlainToolKeys) return;
  throw new ApiError("rails_required", "An agent's tools take a key with rails. Make one with `postern key grant`.");
}
