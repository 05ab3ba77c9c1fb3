import type { Account } from "../core/account.ts";
import { fromUnits } from "../core/decimal.ts";
import type { Market } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Builder, With } from "../deps.ts";
import { isBuilderRefused } from "../wire/answer/refusal.ts";
import type { Reply } from "../wire/answer/reply.ts";

/**
 * The builder fee that an order carries: perpetuals always, spot only where it sells, never for sub-accounts and
 * vaults. Null when none is configured, and when the owner has not approved it: an order that the exchange would
 * refuse for a fee of ours is worth less than one without it. Where it is required, the exchange refuses.
 */
export function builderFor(
  deps: With<"builderApproval" | "settings">,
  about: { account: Account; market: Market; side: Side },
): { address: string; feeTenthsBps: number } | null {
  const { builder } = deps.settings;
  const { account, market, side } = about;
  if (builder === null || account.kind !== "main") return null;
  if (market.kind === "spot" && side === "buy") return null;
  const feeTenthsBps = feeOf(builder, account);
  if (feeTenthsBps === null) return null;
  const approved = deps.builderApproval.approvedTenthsBps(account.ownerAddress) ?? 0;
  return builder.isRequired || approved >= feeTenthsBps ? { address: builder.address, feeTenthsBps } : null;
}

/** Tenths of a basis point that an account is to pay; null when it is none. */
function feeOf(builder: Builder, account: Account): number | null {
  const override = builder.overrides[account.id];
  const feeTenthsBps = override === undefined ? builder.feeTenthsBps : override;
  return feeTenthsBps === 0 ? null : feeTenthsBps;
}

/** What the operator set for an account and whether its owner has approved it; null when it pays no builder fee. */
export function describeBuilderFee(deps: With<"builderApproval" | "settings">, account: Account) {
  const { builder } = deps.settings;
  if (builder === null || account.kind !== "main") return null;
  const feeTenthsBps = feeOf(builder, account);
  if (feeTenthsBps === null) return null;
  const approved = deps.builderApproval.approvedTenthsBps(account.ownerAddress);
  return {
    fee_bps: fromUnits(BigInt(feeTenthsBps), 1),
    is_required: builder.isRequired,
    is_approved: approved === null ? null : approved >= feeTenthsBps,
  };
}

/** After a refusal for want of the approval the next orders go without the fee. */
export function heedBuilderRefusal(deps: With<"builderApproval">, account: Account, reply: Reply): void {
  const texts =
    reply.kind === "accepted"
      ? reply.statuses.flatMap((status) => (status.kind === "error" ? [status.text] : []))
      : [reply.kind === "refused" ? reply.text : ""];
  if (texts.some(isBuilderRefused)) deps.builderApproval.refused(account.ownerAddress);
}
