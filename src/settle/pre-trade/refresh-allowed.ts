import type { ActionAllowance } from "../../exchange/action-allowance.ts";
import type { BuilderApproval } from "../../exchange/builder-approval.ts";
import { listAccounts } from "../../store/accounts.ts";
import type { Store } from "../../store/open.ts";

type AllowedByExchange = { allowance: ActionAllowance; builderApproval: BuilderApproval };

/** Between two such questions, milliseconds. */
export const ALLOWED_INTERVAL_MS = 5 * 60_000;

/** What the exchange allows our accounts: actions, and a builder's fee. */
export async function refreshAllowed(store: Store, { allowance, builderApproval }: AllowedByExchange): Promise<void> {
  const accounts = listAccounts(store);
  const owners = new Set(accounts.map(({ ownerAddress }) => ownerAddress));
  await Promise.all([
    ...[...owners].map((owner) => builderApproval.refresh(owner)),
    ...accounts.map(({ tradingAddress }) => allowance.refresh(tradingAddress)),
  ]);
}
