import type { Deps } from "../deps.ts";
import { findAccountFault } from "../store/account-faults.ts";
import { listAccounts } from "../store/accounts.ts";
import type { Store } from "../store/open.ts";
import { countAwaiting } from "../store/restores.ts";

/** Why orders are not taken now, in plain words; empty when they are. */
export function whatIsMissing({ state, markets, store }: Deps): string[] {
  const waiting = countAwaiting(store);
  return [
    ...(state.phase === "trial" ? ["an upgrade is being checked"] : []),
    ...(state.phase === "ready" ? [] : ["what was in flight at the last stop is still being looked up"]),
    ...(state.writesStoppedBecause === null ? [] : [`writes are stopped: ${state.writesStoppedBecause}`]),
    ...(isChanged(store) ? ["the database was changed from outside: see postern doctor"] : []),
    ...(markets.current() === null ? ["the markets have not been read from the exchange yet"] : []),
    ...(waiting === 0 ? [] : [`after a restore, ${waiting} accounts wait for a new agent key and their orders since`]),
  ];
}

/** Whether what an account trades by is not as it was sealed; which one is not for everybody. */
function isChanged(store: Store): boolean {
  return listAccounts(store).some(({ id }) => findAccountFault(store, id) !== null);
}
