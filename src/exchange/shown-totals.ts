/** Totals of balances, and since when each has been shown: balances name no time, but one that stood there before a trade is none of after it. */
import { type Decimal, ZERO } from "../core/decimal.ts";
import type { SpotBalance } from "../wire/answer/account.ts";

/** By the monotonic clock, milliseconds. */
export type ShownTotals = { firstMs: Map<string, number>; tokens: Set<string>; sinceMs: number | null };

/** Totals of which it is remembered when they were first shown; past it the one that was noted first is forgotten. */
const MAX_TOTALS = 256;

export function newShownTotals(): ShownTotals {
  return { firstMs: new Map(), tokens: new Set(), sinceMs: null };
}

export function noteTotals(shown: ShownTotals, balances: readonly SpotBalance[], atMs: number): void {
  shown.sinceMs ??= atMs;
  const held = new Map(balances.map(({ coin, total }) => [coin, total]));
  for (const token of held.keys()) shown.tokens.add(token);
  // A token that is not listed is not held.
  for (const token of shown.tokens) note(shown.firstMs, nameOf(token, held.get(token) ?? ZERO), atMs);
}

function note(firstMs: Map<string, number>, name: string, atMs: number): void {
  if (!firstMs.has(name)) firstMs.set(name, atMs);
  const [oldest] = firstMs.keys();
  if (firstMs.size > MAX_TOTALS && oldest !== undefined) firstMs.delete(oldest);
}

function nameOf(token: string, total: Decimal): string {
  return `${token} ${total}`;
}

/** Null where it was not shown, as far as is remembered. */
export function firstShownMs({ firstMs, tokens, sinceMs }: ShownTotals, token: string, total: Decimal): number | null {
  const isNeverHeld = total === ZERO && !tokens.has(token);
  return isNeverHeld ? sinceMs : (firstMs.get(nameOf(token, total)) ?? null);
}
