import type { Clock } from "../core/clock.ts";
import type { Store } from "../store/open.ts";
import type { RowFault } from "../store/sealed-rows.ts";
import { OperatorError } from "./operator.ts";
import type { MacKeys } from "./seal-audit.ts";

/** What it takes to tell which rows may be believed. */
export type Believing = {
  store: Store;
  keyring: MacKeys;
  clock: Pick<Clock, "nowMs">;
  /** Called once for each fault that is met, now or later. */
  tell(fault: RowFault): void;
};

/** Nothing of the database may be used. */
export function unbelievable(why: string): OperatorError {
  return new OperatorError(
    `the database was changed from outside: ${why}. Nothing in it can be believed: put a backup in its place (postern restore), and see SECURITY.md`,
  );
}
