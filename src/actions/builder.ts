import type { Account } from "../core/account.ts";
import type { Market } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Deps } from "../deps.ts";

/**
 * The builder fee that an order carries: perpetuals always, spot only where it sells, never for sub-accounts and
 * vaults. Null when none is configured.
 */
export function builderFor(
  deps: Deps,
  about: { account: Account; market: Market; side: Side },
): { address: string; feeTenthsBps: number } | null {
  const { builder } = deps.settings;
  if (builder === null || about.account.kind !== "main") return null;
  if (about.market.kind === "spot" && about.side === "buy") return null;
  const override = builder.overrides[about.account.id];
  const feeTenthsBps = override === undefined ? builder.feeTenthsBps : override;
  return feeTenthsBps === null || feeTenthsBps === 0 ? null : { address: builder.address, feeTenthsBps };
}
