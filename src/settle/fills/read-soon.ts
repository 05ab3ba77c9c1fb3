import type { Account } from "../../core/account.ts";
import type { With } from "../../deps.ts";

/** Between two readings that are asked for while something is doubted, milliseconds: each costs 20 of our weight, and a fill is listed within a second or two. */
const FIRST_GAP_MS = 1_000;
const MOST_GAP_MS = 5_000;
/** After so long without such a question the next one is the first again, milliseconds. */
const FORGOTTEN_MS = 30_000;

/** Nor longer than that where something new is doubted, milliseconds. */
const NEWS_GAP_MS = 3_000;

/**
 * Has the fills of an account, or its ledger, read at once where nobody has asked a moment ago, and again and again, ever less often, while somebody asks.
 *
 * The second argument is of what may lack, the number of the newest order say: about another one it is the first time again.
 */
export function openReadSoon(
  { clock }: With<"clock">,
  read: (account: Account) => void,
): (account: Account, about?: number) => void {
  const asked = new Map<string, { atMs: number; gapMs: number; about: number }>();
  return (account, about = 0) => {
    const nowMs = clock.elapsedMs();
    const last = asked.get(account.id);
    const sinceMs = nowMs - (last?.atMs ?? Number.NEGATIVE_INFINITY);
    const isNews = last !== undefined && last.about !== about;
    if (last !== undefined && sinceMs < (isNews ? Math.min(last.gapMs, NEWS_GAP_MS) : last.gapMs)) return;
    const isFirst = last === undefined || isNews || sinceMs >= FORGOTTEN_MS;
    const gapMs = isFirst ? FIRST_GAP_MS : Math.min(last.gapMs * 2, MOST_GAP_MS);
    asked.set(account.id, { atMs: nowMs, gapMs, about });
    read(account);
  };
}
