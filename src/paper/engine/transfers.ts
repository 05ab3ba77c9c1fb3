/** Money between accounts, between perp and spot, and out of the venue. */

import { addCash, dexNamed, isUnified, noteDeposit, openAccount, spotBalance, writeLedger } from "./accounts.ts";
import type { VenueReply } from "./action.ts";
import { spotFree } from "./affordability.ts";
import { availableToTrade, withdrawable } from "./margin.ts";
import type { Address, Token, Venue, VenueAccount } from "./state.ts";
import type { Turn } from "./turn.ts";
import { cut, dollars, MICRO, share } from "./units.ts";

const DONE: VenueReply = { status: "ok", response: { type: "default" } };
const UNIFIED_TEXT = "Action disabled when unified account is active";
const WITHDRAWAL_FEE_USD = 1;
const USD_DECIMALS = 6;

function refused(response: string): VenueReply {
  return { status: "err", response };
}

/** A purse is the perp balance of a dex, or spot. */
type Purse = { kind: "perp"; dex: number } | { kind: "spot"; token: number };

function freeIn(venue: Venue, account: VenueAccount, purse: Purse): bigint {
  if (purse.kind === "perp") return withdrawable(venue, account, purse.dex);
  const isCollateral = isUnified(account) && venue.dexes.some((dex) => dex.collateralToken === purse.token);
  return isCollateral ? availableToTrade(venue, account, 0) : spotFree(venue, account, purse.token);
}

/** Takes an amount out of a purse; spot cost basis leaves in proportion. */
function put(venue: Venue, account: VenueAccount, purse: Purse, amount: bigint): void {
  if (purse.kind === "perp") {
    addCash(venue, account, purse.dex, amount);
    return;
  }
  const balance = spotBalance(account, purse.token);
  if (amount < 0n && balance.total > 0n) {
    balance.entryNotional = share(balance.entryNotional, balance.total + amount, balance.total);
  }
  balance.total += amount;
}

type Move = { from: VenueAccount; fromPurse: Purse; to: VenueAccount; toPurse: Purse; amount: bigint };

/** False when the amount is not there; nothing has moved then. */
function move(venue: Venue, { from, fromPurse, to, toPurse, amount }: Move): boolean {
  if (amount <= 0n || freeIn(venue, from, fromPurse) < amount) return false;
  put(venue, from, fromPurse, -amount);
  put(venue, to, toPurse, amount);
  return true;
}

const PERP: Purse = { kind: "perp", dex: 0 };
const SPOT_USDC: Purse = { kind: "spot", token: 0 };

export function usdSend(turn: Turn, account: VenueAccount, destination: Address, amount: bigint): VenueReply {
  if (isUnified(account)) return refused(UNIFIED_TEXT);
  if (cut(amount, USD_DECIMALS) !== amount || amount === 0n) return refused("Invalid send");
  const to = openAccount(turn.venue, destination);
  const moved = move(turn.venue, { from: account, fromPurse: PERP, to, toPurse: PERP, amount });
  if (!moved) return refused("Insufficient balance for transfer.");
  const delta = { type: "internalTransfer", usdc: amount, user: account.address, destination, fee: 0n } as const;
  for (const side of new Set([account, to])) writeLedger(turn, side, delta);
  return DONE;
}

/** Leaves the venue; a dollar of it is the fee. */
export function withdraw(turn: Turn, account: VenueAccount, amount: bigint, nonce: number): VenueReply {
  if (isUnified(account)) return refused(UNIFIED_TEXT);
  const fee = dollars(WITHDRAWAL_FEE_USD);
  if (amount <= fee || freeIn(turn.venue, account, PERP) < amount)
    return refused("Insufficient balance for withdrawal.");
  put(turn.venue, account, PERP, -amount);
  noteDeposit(turn.venue, 0, -amount);
  writeLedger(turn, account, { type: "withdraw", usdc: amount - fee, nonce, fee });
  return DONE;
}

export function usdClassTransfer(turn: Turn, account: VenueAccount, amount: bigint, toPerp: boolean): VenueReply {
  if (isUnified(account)) return refused(UNIFIED_TEXT);
  const [fromPurse, toPurse] = toPerp ? [SPOT_USDC, PERP] : [PERP, SPOT_USDC];
  const moved = move(turn.venue, { from: account, fromPurse, to: account, toPurse, amount });
  if (!moved) return refused("Insufficient balance for transfer.");
  writeLedger(turn, account, { type: "accountClassTransfer", usdc: amount, toPerp });
  return DONE;
}

/** A token as the exchange's actions name it: `NAME:0xid`, or the name alone. */
export function tokenNamed(venue: Venue, text: string): Token | null {
  const [name, id] = text.split(":");
  for (const token of venue.tokens.values()) {
    if (token.name === name && (id === undefined || token.tokenId === id)) return token;
  }
  return null;
}

export type SpotSend = { destination: Address; token: string; amount: bigint };

export function spotSend(
  turn: Turn,
  account: VenueAccount,
  { destination, token: named, amount }: SpotSend,
): VenueReply {
  const token = tokenNamed(turn.venue, named);
  if (token === null || cut(amount, token.weiDecimals) !== amount) return refused("Invalid send");
  const to = openAccount(turn.venue, destination);
  const purse: Purse = { kind: "spot", token: token.index };
  const moved = move(turn.venue, { from: account, fromPurse: purse, to, toPurse: purse, amount });
  if (!moved) return refused("Insufficient spot balance");
  const delta = {
    type: "spotTransfer",
    token: token.name,
    amount,
    usdcValue: token.index === 0 ? amount : 0n,
    user: account.address,
    destination,
    fee: 0n,
  } as const;
  for (const side of new Set([account, to])) writeLedger(turn, side, delta);
  return DONE;
}

export type AssetSend = SpotSend & { sourceDex: string; destinationDex: string };

/** Between perp dexes and spot ("spot"), of one account or to another. */
export function sendAsset(turn: Turn, account: VenueAccount, send: AssetSend): VenueReply {
  const { venue } = turn;
  const token = tokenNamed(venue, send.token);
  if (token === null || cut(send.amount, USD_DECIMALS) !== send.amount) return refused("Invalid send");
  const fromPurse = purseNamed(venue, send.sourceDex, token);
  const toPurse = purseNamed(venue, send.destinationDex, token);
  if (fromPurse === null || toPurse === null) return refused("Invalid send");
  if (isUnified(account) && send.destination === account.address) return refused(UNIFIED_TEXT);
  const to = openAccount(venue, send.destination);
  if (!move(venue, { from: account, fromPurse, to, toPurse, amount: send.amount })) {
    return refused("Insufficient balance for transfer.");
  }
  const { sourceDex, destinationDex, destination, amount } = send;
  const delta = {
    type: "send",
    user: account.address,
    destination,
    sourceDex,
    destinationDex,
    token: token.name,
    amount,
    usdcValue: token.index === 0 ? amount : 0n,
    fee: 0n,
  } as const;
  for (const side of new Set([account, to])) writeLedger(turn, side, delta);
  return DONE;
}

function purseNamed(venue: Venue, name: string, token: Token): Purse | null {
  if (name === "spot") return { kind: "spot", token: token.index };
  const dex = dexNamed(venue, name);
  return dex !== null && dex.collateralToken === token.index ? { kind: "perp", dex: dex.index } : null;
}

export type SubAccountMove = { subAccountUser: Address; isDeposit: boolean };

/** `usd` in micro-dollars. */
export function subAccountTransfer(turn: Turn, master: VenueAccount, sub: SubAccountMove, usd: bigint): VenueReply {
  const other = turn.venue.accounts.get(sub.subAccountUser);
  if (other === undefined || other.master !== master.address) return strangerText(master, sub);
  const [from, to] = sub.isDeposit ? [master, other] : [other, master];
  const amount = usd * MICRO;
  const moved = move(turn.venue, { from, fromPurse: PERP, to, toPurse: PERP, amount });
  if (!moved) return refused("Insufficient balance for transfer.");
  const delta = { type: "subAccountTransfer", usdc: amount, user: from.address, destination: to.address } as const;
  for (const side of [from, to]) writeLedger(turn, side, delta);
  return DONE;
}

export function subAccountSpotTransfer(
  turn: Turn,
  master: VenueAccount,
  sub: SubAccountMove,
  what: { token: string; amount: bigint },
): VenueReply {
  const other = turn.venue.accounts.get(sub.subAccountUser);
  if (other === undefined || other.master !== master.address) return strangerText(master, sub);
  const [from, to] = sub.isDeposit ? [master, other] : [other, master];
  return spotSend(turn, from, { destination: to.address, ...what });
}

function strangerText(master: VenueAccount, { subAccountUser, isDeposit }: SubAccountMove): VenueReply {
  const [from, to] = isDeposit ? [master.address, subAccountUser] : [subAccountUser, master.address];
  return refused(`Invalid sub-account transfer from ${from} to ${to}`);
}
