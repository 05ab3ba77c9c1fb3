import type { Deps } from "../deps.ts";
import { accountResource } from "../settle/account/account-resources.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { AGE_MS, type CurrentAccount, currentAccount, MARGIN_AGE_MS, toldAge } from "./current.ts";

/** `GET /v1/account`: balances as they are now, and not before the account's last change; where collateral is shared they say so. */
export async function getAccount(deps: Deps, caller: Caller): Promise<ReadAnswer> {
  const { account } = caller;
  const current = await currentAccount(deps, caller, ["", ...deps.settings.dexes]);
  const body = JSON.stringify(accountResource(account, current.state));
  return { body, asOfMs: oldestTold(deps, current) };
}

/** What says of when it is says it of the whole. */
function oldestTold(deps: Deps, { spotAsOfMs, marginAsOfMs }: CurrentAccount): number | null {
  const isNow = toldAge(deps, spotAsOfMs, AGE_MS) === null && toldAge(deps, marginAsOfMs, MARGIN_AGE_MS) === null;
  return isNow ? null : Math.min(spotAsOfMs, marginAsOfMs);
}
