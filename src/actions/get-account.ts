import type { Account } from "../core/account.ts";
import { madeOnce, whileSame } from "../core/made-once.ts";
import type { With } from "../deps.ts";
import type { AccountState } from "../exchange/reads.ts";
import { accountResource } from "../settle/account/account-resources.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import {
  AGE_MS,
  type CurrentAccount,
  currentAccount,
  datedAge,
  MARGIN_AGE_MS,
  type ToShowPositions,
  type ToShowSpot,
  toldAge,
} from "./current.ts";

/** `GET /v1/account`: balances as they are now, and not before the account's last change; where collateral is shared they say so. */
export async function getAccount(deps: ToShowSpot & ToShowPositions, caller: Caller): Promise<ReadAnswer> {
  const { account } = caller;
  const current = await currentAccount(deps, caller, ["", ...deps.settings.dexes]);
  return { body: textOf(account, current.state), asOfMs: oldestTold(deps, current) };
}

/** Its parts are told anew every few seconds, and read many times in between. */
const keptWith = madeOnce((_balances: AccountState["spotBalances"]) => whileSame<string>());

function textOf(account: Account, state: AccountState): string {
  const parts = [account.id, state.mode, ...state.byDex.flatMap((one) => [one.dex, one.state])];
  return keptWith(state.spotBalances)(parts, () => JSON.stringify(accountResource(account, state)));
}

/** What says of when it is says it of the whole. */
function oldestTold(deps: With<"exchange">, { spotAsOfMs, marginAsOfMs }: CurrentAccount): number | null {
  const isNow = toldAge(deps, spotAsOfMs, AGE_MS) === null && datedAge(deps, marginAsOfMs, MARGIN_AGE_MS) === null;
  return isNow ? null : Math.min(spotAsOfMs, marginAsOfMs);
}
