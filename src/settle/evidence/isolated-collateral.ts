/**
 * What isolated positions hold. Where dexes share one balance it is taken out of that as they are opened or topped up, pays their funding, and goes back
 * as they are closed. How much a fill moves nobody tells: balance and collateral together are moved by what is told, and by nothing else of these. What our
 * own operations have moved between the two is told: it moves the balance, and is no part of what positions hold by themselves.
 */
import { add, type Decimal, decimal, subtract, sum, ZERO } from "../../core/decimal.ts";
import { dexOf } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import { listNewMargins } from "../../store/new-margins.ts";
import type { Store } from "../../store/open.ts";
import type { Isolated, ShownBalances } from "../../store/shown-balances.ts";
import { parseJson } from "../../wire/json.ts";
import { tokenOfDex } from "./dex-token.ts";
import { momentsNow } from "./moments-now.ts";

/** Amounts that the exchange has rounded, by position: what it uses, and what it has won or lost of that. */
const ROUNDED_PARTS = 2;

/** Margin that we have given to positions of a dex, or taken from them (below zero), between two moments, exchange time, unix milliseconds. */
export type GivenMargin = { dex: string; amount: Decimal; fromMs: number; toMs: number };

/** As the newest positions that are known have it, also where they hold nothing. */
export function isolatedNow({ picture, settings }: With<"picture" | "settings">, address: string): Isolated {
  return new Map(
    ["", ...settings.dexes].flatMap((dex) => {
      const state = picture.state(address, dex);
      const isolated = state?.value.positions.filter(({ leverage }) => leverage.type === "isolated") ?? [];
      const amount = sum(isolated.map(({ marginUsed, unrealizedPnl }) => subtract(marginUsed, unrealizedPnl)));
      return state === null
        ? []
        : [[dex, { amount, parts: isolated.length * ROUNDED_PARTS, timeMs: state.timeMs }] as const];
    }),
  );
}

/** Given after a time, exchange time, unix milliseconds. */
export function givenMargins(
  deps: With<"clock" | "exchange" | "store">,
  accountId: string,
  afterMs: number,
): GivenMargin[] {
  const { nowMs, ofNoted } = momentsNow(deps);
  return listNewMargins(deps.store, accountId, afterMs).map((margin) => {
    const { market, parameters, signedAtMs, attemptedAtMs, settledAtMs } = margin;
    // Our own text.
    const { amount } = parseJson(parameters) as { amount: string };
    // Known by now, whatever our wall clock was set to. Of which process it was nobody has noted.
    const settledMs = settledAtMs === null ? nowMs : ofNoted(settledAtMs, { nonce: signedAtMs, attemptedAtMs });
    const toMs = Math.min(nowMs, settledMs);
    return { dex: dexOf(market), amount: decimal(amount), fromMs: signedAtMs, toMs };
  });
}

type TotalsBeside = Pick<ShownBalances, "totals" | "isolated">;
type CollateralOf = { store: Store; accountId: string; given: readonly GivenMargin[] };

/**
 * Each total with what isolated positions hold of its token by themselves. `parts`: of so many amounts that the exchange has rounded. Null where nobody knows
 * whether they hold already what was given.
 */
export function withIsolated<Of extends TotalsBeside>(
  { store, accountId, given }: CollateralOf,
  shown: Of,
): (Of & { parts: number }) | null {
  const totals = new Map<string, Decimal>(shown.totals);
  let parts = 0;
  for (const [dex, held] of shown.isolated) {
    const token = tokenOfDex(store, accountId, dex);
    if (token === null) continue;
    const ofDex = given.filter((margin) => margin.dex === dex);
    if (ofDex.some(({ fromMs, toMs }) => held.timeMs >= fromMs && held.timeMs <= toMs)) return null;
    const within = sum(ofDex.filter(({ toMs }) => toMs < held.timeMs).map(({ amount }) => amount));
    totals.set(token, add(totals.get(token) ?? ZERO, subtract(held.amount, within)));
    parts += held.parts;
  }
  return { ...shown, totals, parts };
}
