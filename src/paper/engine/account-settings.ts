/** Settings of an account that are no trading: mode, sub-accounts, referrer, reserved requests. */

import { addCash, collateralOf, collectFee, isUnified, openAccount, spotBalance } from "./accounts.ts";
import type { VenueReply } from "./action.ts";
import { addressOf } from "./chance.ts";
import { withdrawable } from "./margin.ts";
import type { Address, VenueAccount } from "./state.ts";
import type { Turn } from "./turn.ts";
import { plain } from "./units.ts";

const DONE: VenueReply = { status: "ok", response: { type: "default" } };
/** 0.0005 USDC a request, in 10^-8. */
const REQUEST_PRICE = 50_000n;
const MAX_SUB_ACCOUNTS = 10;
const MAX_NAME_CHARACTERS = 16;

function refused(response: string): VenueReply {
  return { status: "err", response };
}

/** Into a unified mode all perp cash moves to spot; out of one it stays there, and nothing may hang on it. */
export function setMode(turn: Turn, account: VenueAccount, mode: VenueAccount["mode"]): VenueReply {
  if (account.mode === mode) return DONE;
  const next: VenueAccount = { ...account, mode };
  if (isUnified(next) && !isUnified(account)) {
    for (const [dex, cash] of account.cash) spotBalance(account, collateralOf(turn.venue, dex)).total += cash;
    account.cash.clear();
  } else if (isUnified(account) && !isUnified(next) && (account.positions.size > 0 || account.openOids.size > 0)) {
    return refused("Cannot change account mode with open positions or orders.");
  }
  account.mode = mode;
  return DONE;
}

export function createSubAccount(turn: Turn, account: VenueAccount, name: string): VenueReply {
  const required = turn.venue.options.subAccountVolumeUsd;
  if (account.volume < BigInt(required) * 100_000_000n) {
    const traded = plain((account.volume / 1_000_000n) * 1_000_000n);
    const need = `Required: $${required}. Traded: $${traded}.`;
    return refused(`Cannot create sub-accounts until enough volume traded. ${need}`);
  }
  if (account.role !== "user") return refused("Sub-accounts cannot create sub-accounts.");
  if (name === "" || name.length > MAX_NAME_CHARACTERS) return refused("Invalid sub-account name.");
  if (account.subAccounts.length >= MAX_SUB_ACCOUNTS) return refused("Too many sub-accounts.");
  const sub = openAccount(turn.venue, addressOf(turn.venue.seed, turn.venue.block));
  sub.role = "subAccount";
  sub.master = account.address;
  sub.name = name;
  account.subAccounts.push(sub.address);
  return { status: "ok", response: { type: "createSubAccount", data: sub.address } };
}

export function setReferrer(turn: Turn, account: VenueAccount, code: string): VenueReply {
  if (turn.venue.options.referralCodes === "none" || code === "") return refused("Referral code not registered");
  if (account.referrer !== null) return refused("Referrer already set.");
  account.referrer = code;
  return DONE;
}

/** Bought from the perp balance, for itself or for another existing user. */
export function reserveRequestWeight(
  turn: Turn,
  account: VenueAccount,
  weight: number,
  destination: Address | null,
): VenueReply {
  const receiver = destination === null ? account : turn.venue.accounts.get(destination);
  if (receiver === undefined) return refused(`Must deposit before performing actions. User: ${destination}`);
  const price = REQUEST_PRICE * BigInt(weight);
  if (withdrawable(turn.venue, account, 0) < price) return refused("Insufficient balance to reserve request weight.");
  addCash(turn.venue, account, 0, -price);
  collectFee(turn.venue, collateralOf(turn.venue, 0), price);
  receiver.requests.reserved += weight;
  return DONE;
}
