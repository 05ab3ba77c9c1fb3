import type { With } from "../deps.ts";
import { findApiKey } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { appendEvent } from "../store/events.ts";

/** The refusal of a rail: limit and use as the interface writes them. */
export type ToldRefusal = { keyHash: string; rail: string; limit: string; use: string };

type ToTellRefusal = With<"clock" | "log" | "metrics" | "state" | "store">;

/** Between two events of one key and rail, milliseconds: a bot that tries on and on must not fill the disk. */
const SPACING_MS = 60_000;
/** Pairs of key and rail that are remembered at most; beyond that the oldest may be told again sooner. */
const MAX_KEPT = 1_000;

/**
 * Tells of a refusal: the first of each key, rail and minute is an event and an audit row, the others are a count. It
 * never refuses anything.
 */
export function tellRefusal(deps: ToTellRefusal, refusal: ToldRefusal): void {
  const key = findApiKey(deps.store, refusal.keyHash);
  if (key === null || key.limited === null) return;
  const { bot } = key.limited.rails;
  deps.metrics.railRefused(bot, refusal.rail);
  const untold = countOf(deps, `${refusal.keyHash} ${refusal.rail}`);
  if (untold === null || deps.state.phase === "trial") return;
  try {
    inTransactionNotWaiting(deps.store, (store) => {
      const atMs = deps.clock.nowMs();
      const { keyHash, rail, limit, use } = refusal;
      const about = { account: key.accountId, bot, rail, limit, use, untold_before: untold };
      const payload = JSON.stringify({ object: "rail_refusal", key_hash: keyHash, ...about });
      appendEvent(store, { accountId: key.accountId, atMs, type: "rail.refused", resourceId: keyHash, payload });
      appendAudit(store, { atMs, actor: keyHash, event: "rail_refused", reference: bot, detail: about });
    });
  } catch (error) {
    deps.log.error({ error: String(error) }, "a refusal by a rail could not be written down");
  }
}

/**
 * How many refusals of this key and rail were not told since the last that was; null where this one is only counted.
 */
function countOf({ clock, state }: ToTellRefusal, name: string): number | null {
  state.refusals ??= new Map();
  const counts = state.refusals;
  const nowMs = clock.elapsedMs();
  const known = counts.get(name);
  if (known !== undefined && nowMs - known.toldMs < SPACING_MS) {
    known.untold += 1;
    return null;
  }
  counts.delete(name);
  const [oldest] = counts.keys();
  if (oldest !== undefined && counts.size >= MAX_KEPT) counts.delete(oldest);
  counts.set(name, { toldMs: nowMs, untold: 0 });
  return known?.untold ?? 0;
}
