import { listedKeyResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { wasTold } from "../store/account-events.ts";
import { listAccounts } from "../store/accounts.ts";
import { listApiKeys, type StoredKey } from "../store/api-keys.ts";
import { inTransaction } from "../store/commit.ts";
import { appendEvent } from "../store/events.ts";

/** Days before the end of a key at which it is told, each once. */
const WARNING_DAYS = [7, 3, 1] as const;
const DAY_MS = 86_400_000;

/** Tells of keys with rails that end within a week, once for each number of days. */
export function tellExpiringKeys({ store, clock }: With<"clock" | "store">): void {
  const nowMs = clock.nowMs();
  const ending = listAccounts(store).flatMap(({ id }) => listApiKeys(store, id).filter((key) => daysLeft(key, nowMs)));
  for (const key of ending) {
    const { accountId, keyHash: resourceId } = key;
    // When it was used last would make another event of it.
    const shown = listedKeyResource({ ...key, lastUsedAtMs: null });
    const payload = JSON.stringify({ ...shown, days_left: daysLeft(key, nowMs) });
    const event = { accountId, atMs: nowMs, type: "key.expiring", resourceId, payload } as const;
    if (!wasTold(store, event)) inTransaction(store, (within) => appendEvent(within, event));
  }
}

/** The smallest of the warning days that is reached; null for a key that does not end soon, or opens nothing. */
export function daysLeft({ state, limited }: Pick<StoredKey, "state" | "limited">, nowMs: number): number | null {
  if (state !== "active" || limited === null || limited.expiresAtMs <= nowMs) return null;
  return WARNING_DAYS.findLast((days) => limited.expiresAtMs - nowMs <= days * DAY_MS) ?? null;
}
