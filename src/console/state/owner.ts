import type { App } from "./app.ts";

/** Whose signature grants and revokes the account's keys. */
export function ownerOf({ state }: App): string {
  const me = state.session?.me;
  return me?.owner_address ?? me?.trading_address ?? "";
}
