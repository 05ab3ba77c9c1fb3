/** What is known to have moved the balances of an account: its fills, and where perpetuals pay out of them what these were paid. */

import {
  add,
  compare,
  type Decimal,
  isNegative,
  isZero,
  multiply,
  negate,
  subtract,
  ZERO,
} from "../../core/decimal.ts";
import { dexOf, isSpot, type Universe } from "../../core/market.ts";
import type { BalanceMove } from "../../core/told-balances.ts";
import { listNewPayments, listNewTransfers, type NewPayment, type NewTransfer } from "../../store/ledger.ts";
import type { Store } from "../../store/open.ts";
import type { NewFill } from "../../store/position-fills.ts";
import { parseJson } from "../../wire/json.ts";
import { tokensOf } from "./balance-check.ts";
import { CASH, tokenOfDex } from "./dex-token.ts";
import type { GivenMargin } from "./isolated-collateral.ts";

/** By how much something has moved a token, and when; null for nobody knows how much. Exchange time, unix milliseconds. */
export type TokenMove = { timeMs: number; token: string; amount: Decimal | null };

export type MovesAmong = { universe: Universe; isShared: boolean };

/** What is bought or sold on spot, what is paid for it, and the fee; of a perpetual what it pays where that is of the balances. */
export function movesByFill(fill: NewFill, { universe, isShared }: MovesAmong): TokenMove[] {
  const { market, timeMs, side, size, price, fee, feeToken, realizedPnl } = fill;
  const moved = (token: string, amount: Decimal): TokenMove => ({ timeMs, token, amount });
  if (!isSpot(market)) return isShared ? [moved(feeToken, subtract(realizedPnl, fee))] : [];
  const [base, quote] = tokensOf(universe, market);
  if (base === undefined || quote === undefined) return [];
  const paid = multiply(size, price);
  const isBuy = side === "buy";
  return [
    moved(base, isBuy ? size : negate(size)),
    moved(quote, isBuy ? negate(paid) : paid),
    moved(feeToken, negate(fee)),
  ];
}

/** Funding and transfers, from after a time on, as far as they have been read and what they move is told. */
export function movesByLedger(
  store: Store,
  accountId: string,
  { afterMs, isShared }: { afterMs: number; isShared: boolean },
): TokenMove[] {
  const payments = isShared ? listNewPayments(store, accountId, afterMs) : [];
  const transfers = listNewTransfers(store, accountId, afterMs);
  return [
    ...payments.flatMap((payment) => moveByPayment(store, accountId, payment)),
    ...transfers.flatMap((transfer) => (isShared ? moveOfShared(transfer) : moveOfSpot(transfer))),
  ];
}

function moveByPayment(store: Store, accountId: string, { market, timeMs, amount }: NewPayment): TokenMove[] {
  const token = tokenOfDex(store, accountId, dexOf(market));
  return token === null ? [] : [{ timeMs, token, amount }];
}

/** What isolated positions are given is paid out of a shared balance, and what is taken from them goes back to it. */
export function movesByMargin(store: Store, accountId: string, given: readonly GivenMargin[]): TokenMove[] {
  return given.flatMap(({ dex, amount, fromMs: timeMs }) => {
    const token = tokenOfDex(store, accountId, dex);
    return token === null ? [] : [{ timeMs, token, amount: negate(amount) }];
  });
}

/** What is worth so much to the whole of an account has moved its one balance by that. */
function moveOfShared(transfer: NewTransfer): TokenMove[] {
  const { timeMs, token, value } = transfer;
  if (value === null) return [];
  return token === CASH ? [{ timeMs, token, amount: value }] : moveOfToken(transfer);
}

/** What is sent between spot and perpetuals, and tokens that are sent. */
function moveOfSpot(transfer: NewTransfer): TokenMove[] {
  const { kind, timeMs, amount, told } = transfer;
  if (kind === "spotTransfer") return moveOfToken(transfer);
  if (kind !== "accountClassTransfer" || amount === null) return [];
  // What it is of any kind is told by what is in it.
  const { toPerp } = Object(parseJson(told)) as { toPerp?: unknown };
  return typeof toPerp === "boolean" ? [{ timeMs, token: CASH, amount: toPerp ? negate(amount) : amount }] : [];
}

/** Whether it came or went its worth says. */
function moveOfToken({ timeMs, token, amount, fee, value }: NewTransfer): TokenMove[] {
  if (token === null || amount === null || value === null || isZero(value) || compare(fee ?? ZERO, ZERO) !== 0)
    return [];
  return [{ timeMs, token, amount: isNegative(value) ? negate(amount) : amount }];
}

/** Oldest first, what came in one moment together; what comes to nothing moves nothing. */
export function momentsOf(moves: readonly TokenMove[]): BalanceMove[] {
  return [...Map.groupBy(moves, ({ timeMs }) => timeMs)]
    .map(([timeMs, together]) => ({ timeMs, amounts: sumsOf(together), parts: together.length }))
    .filter(({ amounts }) => amounts.size > 0)
    .sort((a, b) => a.timeMs - b.timeMs);
}

function sumsOf(moves: readonly TokenMove[]): Map<string, Decimal | null> {
  const sums = new Map<string, Decimal | null>();
  for (const { token, amount } of moves) {
    const sum = sums.get(token);
    sums.set(token, sum === null || amount === null ? null : add(sum ?? ZERO, amount));
  }
  for (const [token, sum] of sums) if (sum !== null && isZero(sum)) sums.delete(token);
  return sums;
}
