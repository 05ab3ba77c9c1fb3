/** Margin that isolated positions were given or lost by our own operations a while ago, by which balances are told from those of before. */
import { and, eq, gt, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { CLOCK_OFF_MS, storedSince } from "./operations.ts";
import { prepared } from "./prepared.ts";
import { attempts, operations } from "./schema.ts";
import { whileUnchanged } from "./while-unchanged.ts";

/**
 * `parameters`: JSON text of what was asked. It was carried out between the two times: when it was signed, exchange time, and when that was known, by our
 * wall clock, unix milliseconds; so is `attemptedAtMs`, when it was signed as well.
 */
export type NewMargin = {
  market: string;
  parameters: string;
  signedAtMs: number;
  attemptedAtMs: number;
  settledAtMs: number | null;
};

const newMargins = prepared((store) =>
  store
    .select({
      id: operations.id,
      market: operations.market,
      parameters: operations.parameters,
      signedAtMs: attempts.nonce,
      attemptedAtMs: attempts.createdAtMs,
      settledAtMs: attempts.settledAtMs,
    })
    .from(operations)
    .crossJoin(attempts)
    .where(
      and(
        storedSince("isolated_margin"),
        eq(operations.status, "succeeded"),
        gt(attempts.nonce, sql.placeholder("afterMs")),
      ),
    )
    .prepare(),
);

const sinceStretch = whileUnchanged((store: Store, key: string): readonly NewMargin[] => {
  const [accountId, afterMs] = key.split(" ");
  const times = { afterMs: Number(afterMs), storedSinceMs: Number(afterMs) - CLOCK_OFF_MS };
  const rows = newMargins(store).all({ accountId, ...times });
  // Each once, however often it was sent.
  return [...new Map(rows.map(({ id, ...margin }) => [id, margin])).values()];
});

const STRETCH_MS = 10_000;

/** Those that were carried out, signed after a time, exchange time, unix milliseconds. */
export function listNewMargins(store: Store, accountId: string, afterMs: number): readonly NewMargin[] {
  const fromMs = Math.floor(afterMs / STRETCH_MS) * STRETCH_MS;
  return sinceStretch(store, `${accountId} ${fromMs}`).filter(({ signedAtMs }) => signedAtMs > afterMs);
}
