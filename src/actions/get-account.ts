import { API_NETWORK } from "../core/account.ts";
import { add, type Decimal, decimal, subtract } from "../core/decimal.ts";
import type { Deps } from "../deps.ts";
import type { AccountState } from "../exchange/reads.ts";
import type { ClearinghouseState, SpotBalance } from "../wire/answer/account.ts";
import type { Caller, ReadAnswer } from "./answer.ts";
import { AGE_MS, type CurrentAccount, currentAccount, MARGIN_AGE_MS, toldAge } from "./current.ts";

/** `GET /v1/account`: balances as they are now, and not before the account's last change; where collateral is shared they say so. */
export async function getAccount(deps: Deps, caller: Caller): Promise<ReadAnswer> {
  const { account } = caller;
  const current = await currentAccount(deps, caller, ["", ...deps.settings.dexes]);
  const body = JSON.stringify({
    object: "account",
    account: account.id,
    network: API_NETWORK,
    ...balancesOf(current.state),
  });
  return { body, asOfMs: oldestTold(deps, current) };
}

function oldestTold(deps: Deps, { spotAsOfMs, marginAsOfMs }: CurrentAccount): number | null {
  const spot = toldAge(deps, spotAsOfMs, AGE_MS);
  const margin = toldAge(deps, marginAsOfMs, MARGIN_AGE_MS);
  return spot === null || margin === null ? (spot ?? margin) : Math.min(spot, margin);
}

/** The figures of an account; the top ones are those of the native dex. */
export function balancesOf(state: AccountState) {
  const perpetuals = state.byDex.map((one) => ({ dex: one.dex, ...collateral(state, one.state) }));
  const [native] = perpetuals;
  if (native === undefined) throw new Error("bug: no native dex");
  return {
    account_mode: state.mode,
    equity: native.equity,
    withdrawable: native.withdrawable,
    margin_used: native.margin_used,
    perpetuals,
    spot: state.spotBalances.map(spotResource),
  };
}

type Collateral = { equity: Decimal; withdrawable: Decimal; margin_used: Decimal };

/**
 * One dex's figures. In the shared modes the collateral is the spot state's USDC, and the dex's own account value
 * means nothing: every dex shows the same pool with its own positions on top, so they must not be summed.
 */
function collateral({ mode, spotBalances }: AccountState, state: ClearinghouseState): Collateral {
  if (mode === "standard") {
    const { accountValue, totalMarginUsed } = state.marginSummary;
    return { equity: accountValue, withdrawable: state.withdrawable, margin_used: totalMarginUsed };
  }
  const usdc = spotBalances.find((balance) => balance.coin === "USDC");
  const total = usdc?.total ?? decimal("0");
  const sum = (figures: readonly Decimal[]) => figures.reduce(add, decimal("0"));
  return {
    equity: add(total, sum(state.positions.map((position) => position.unrealizedPnl))),
    withdrawable: usdc === undefined ? decimal("0") : subtract(usdc.total, usdc.hold),
    margin_used: sum(state.positions.map((position) => position.marginUsed)),
  };
}

function spotResource(balance: SpotBalance) {
  return {
    token: balance.coin,
    token_id: balance.token,
    total: balance.total,
    hold: balance.hold,
    available: subtract(balance.total, balance.hold),
    entry_value: balance.entryNotional,
  };
}
