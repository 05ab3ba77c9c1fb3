import { type Account, API_NETWORK } from "../../core/account.ts";
import { absolute, add, type Decimal, decimal, divide, isNegative, subtract, ZERO } from "../../core/decimal.ts";
import type { AccountState } from "../../exchange/reads.ts";
import type { ClearinghouseState, Position, SpotBalance } from "../../wire/answer/account.ts";

/** A position as clients are told of it. */
export function positionResource(account: Account, dex: string, position: Position) {
  const size = absolute(position.signedSize);
  return {
    object: "position" as const,
    account: account.id,
    network: API_NETWORK,
    dex,
    market: position.coin,
    side: isNegative(position.signedSize) ? ("short" as const) : ("long" as const),
    size,
    entry_price: position.entryPrice,
    mark_price: markPrice(position.positionValue, size),
    position_value: position.positionValue,
    unrealized_pnl: position.unrealizedPnl,
    return_on_equity: position.returnOnEquity,
    leverage: position.leverage.value,
    margin_type: position.leverage.type,
    margin_used: position.marginUsed,
    max_leverage: position.maxLeverage,
    liquidation_price: position.liquidationPrice,
    funding_since_open: position.fundingSinceOpen,
  };
}

/** One of which nothing is left. */
export function closedPositionResource({ id }: Account, dex: string, market: string) {
  return { object: "position" as const, account: id, network: API_NETWORK, dex, market, size: ZERO };
}

/** Value over size: the mark price at which this very answer was worked out. */
function markPrice(value: Decimal, size: Decimal): Decimal | null {
  return size === "0" ? null : divide(value, size, 8);
}

/** Balances as clients are told of them. */
export function accountResource(account: Account, state: AccountState) {
  return { object: "account" as const, account: account.id, network: API_NETWORK, ...balancesOf(state) };
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
