import type { App } from "./app.ts";

/** Whose signature grants and revokes the account's keys. */
export function ownerOf({ state }: App): string {
  return state.session?.me.owner_address ?? "";
}
