/** Builder approvals: how much a builder may take, per user. */

import { isUnified } from "./accounts.ts";
import type { VenueReply } from "./action.ts";
import { poolOf } from "./margin.ts";
import type { Address, Venue, VenueAccount } from "./state.ts";
import type { Turn } from "./turn.ts";
import { dollars } from "./units.ts";

const MAX_APPROVALS = 10;
const MIN_BUILDER_VALUE_USD = 100;
const MAX_FEE_TENTHS_BP = 1_000;
const PERCENT = /^([0-9]{1,3})(?:\.([0-9]{1,3})0*)?%$/;

/** Tenths of a basis point in a percent text: "0.05%" is 50. Null when it is no such text or finer than that. */
export function parseFeeRate(text: string): number | null {
  const match = PERCENT.exec(text);
  if (match === null) return null;
  return Number(match[1]) * 1_000 + Number((match[2] ?? "").padEnd(3, "0"));
}

/** Zero revokes. */
export function approveBuilderFee(turn: Turn, account: VenueAccount, builder: Address, maxFeeRate: string): VenueReply {
  const rate = parseFeeRate(maxFeeRate);
  if (rate === null || rate > MAX_FEE_TENTHS_BP) return { status: "err", response: "Invalid builder fee rate." };
  if (rate === 0) account.builderApprovals.delete(builder);
  else {
    const fault = approvalFault(turn.venue, account, builder);
    if (fault !== null) return { status: "err", response: fault };
    account.builderApprovals.set(builder, rate);
  }
  return { status: "ok", response: { type: "default" } };
}

function approvalFault(venue: Venue, account: VenueAccount, builder: Address): string | null {
  if (!venue.options.builderNeedsBalance) return null;
  const other = venue.accounts.get(builder);
  const value = other === undefined || isUnified(other) ? 0n : poolOf(venue, other, 0).accountValue;
  if (value < dollars(MIN_BUILDER_VALUE_USD)) return "Builder has insufficient balance to be approved.";
  const isNew = !account.builderApprovals.has(builder);
  return isNew && account.builderApprovals.size >= MAX_APPROVALS ? "Too many builder approvals." : null;
}
