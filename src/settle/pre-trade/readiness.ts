import type { Account } from "../../core/account.ts";
import type { AccountReadiness, Readiness } from "../../core/readiness.ts";
import type { ToTakeOrders, With } from "../../deps.ts";
import { findAccountFault } from "../../store/account-faults.ts";
import { listAccounts } from "../../store/accounts.ts";
import { accountsThatWrite } from "../../store/api-keys.ts";
import { listStandingStops } from "../../store/stops.ts";
import { budgetObstacle, closedGateway, MAX_LIST_AGE_MS, type Obstacle, orderObstacle } from "./obstacles.ts";

/**
 * Whether an order that makes a position larger would be taken, for each account that somebody can place one for.
 * While no key may write, all accounts count that a key can be made for.
 */
export function readinessOf(deps: ToTakeOrders): Readiness {
  const accounts = listAccounts(deps.store);
  const writing = accountsThatWrite(deps.store);
  const counting = accounts.filter(({ id, kind }) => (writing.size === 0 ? kind !== "copy" : writing.has(id)));
  return {
    accounts: counting.map((account) => ({ ...accountReadiness(deps, account), place: accounts.indexOf(account) + 1 })),
    accountsInAll: accounts.length,
  };
}

/** Whether an order of one account that makes a position larger would be taken, and if not, why. */
export function accountReadiness(deps: ToTakeOrders, account: Account): Omit<AccountReadiness, "place"> {
  const found = increaseObstacle(deps, account);
  return { accountId: account.id, reason: found?.reason ?? null, detail: found?.detail ?? null };
}

function increaseObstacle(deps: ToTakeOrders, account: Account): Pick<Obstacle, "reason" | "detail"> | null {
  return (
    closedGateway(deps, false) ??
    changedOutside(deps, account) ??
    orderObstacle(deps, account, false) ??
    marketsObstacle(deps) ??
    budgetObstacle(deps, account, { use: "order" }) ??
    stopped(deps, account)
  );
}

/** A write looks at the same inside its intent's transaction, by its key; which row it is is not for everybody. */
function changedOutside({ store }: With<"store">, { id }: Account): Pick<Obstacle, "reason" | "detail"> | null {
  return findAccountFault(store, id) === null ? null : { reason: "changed_outside", detail: null };
}

/** The last that is looked for: it is no fault, and must not hide one. Of the whole account: one key's stop leaves the others as they were. */
function stopped({ store }: With<"store">, { id }: Account): Pick<Obstacle, "reason" | "detail"> | null {
  const isStopped = listStandingStops(store, id).some(({ scope }) => scope === "account");
  return isStopped ? { reason: "trading_stopped", detail: null } : null;
}

/** One market of which something contradicts the list is refused by its name, and no reason of an account's. */
function marketsObstacle({ markets }: With<"markets">): Pick<Obstacle, "reason" | "detail"> | null {
  const ageMs = markets.ageMs();
  if (markets.current() === null || ageMs === null) return { reason: "markets_unread", detail: null };
  return ageMs > MAX_LIST_AGE_MS ? { reason: "markets_old", detail: null } : null;
}
