import { ApiError } from "../core/errors.ts";
import type { Caller } from "./caller.ts";

/** For every verb whose body names an account: a key acts for its own alone. */
export function requireOwnAccount({ account }: Caller, accountId: string): void {
  if (accountId === account.id) return;
  throw new ApiError("account_mismatch", "`account` is not the account of this API key.");
}
