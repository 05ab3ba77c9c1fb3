/**
 * What isolated positions hold. Where dexes share one balance it is taken out of that as they are opened or topped up, pays their funding, and goes back
 * as they are closed. How much a fill moves nobody tells: balance and collateral together are moved by what is told, and by nothing else of these.
 */
import { add, type Decimal, subtract, sum, ZERO } from "../../core/decimal.ts";
import type { With } from "../../deps.ts";
import type { Store } from "../../store/open.ts";
import type { Isolated, ShownBalances } from "../../store/shown-balances.ts";
import { tokenOfDex } from "./dex-token.ts";

/** Amounts that the exchange has rounded, by position: what it uses, and what it has won or lost of that. */
const ROUNDED_PARTS = 2;

/** As the newest positions that are known have it. */
export function isolatedNow({ picture, settings }: With<"picture" | "settings">, address: string): Isolated {
  return new Map(
    ["", ...settings.dexes].flatMap((dex) => {
      const positions = picture.state(address, dex)?.value.positions ?? [];
      const isolated = positions.filter(({ leverage }) => leverage.type === "isolated");
      const amount = sum(isolated.map(({ marginUsed, unrealizedPnl }) => subtract(marginUsed, unrealizedPnl)));
      return isolated.length === 0 ? [] : [[dex, { amount, parts: isolated.length * ROUNDED_PARTS }] as const];
    }),
  );
}

type TotalsBeside = Pick<ShownBalances, "totals" | "isolated">;

/** Each total with what isolated positions hold of its token. `parts`: of so many amounts that the exchange has rounded. */
export function withIsolated<Of extends TotalsBeside>(
  { store, accountId }: { store: Store; accountId: string },
  shown: Of,
): Of & { parts: number } {
  const totals = new Map<string, Decimal>(shown.totals);
  let parts = 0;
  for (const [dex, held] of shown.isolated) {
    const token = tokenOfDex(store, accountId, dex);
    if (token === null) continue;
    totals.set(token, add(totals.get(token) ?? ZERO, held.amount));
    parts += held.parts;
  }
  return { ...shown, totals, parts };
}
