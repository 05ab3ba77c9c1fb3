/** Numbers of refused actions that the exchange may not have used up. */
import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Attempt, Seal } from "../core/attempt.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { findAttempt, listSameAction, sealSettled } from "./attempts.ts";
import { twapLeg } from "./bot-twaps.ts";
import { findLegByCloid } from "./legs.ts";
import type { Store } from "./open.ts";
import { openLeg } from "./open-leg-book.ts";
import { findOperation, type StoredOperation } from "./operations.ts";
import { findOrder, type StoredOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { noteRefused, type RefusedRow, refusedRows } from "./refused-book.ts";
import { attempts } from "./schema.ts";
import { everyRefusal } from "./schema-views.ts";

const refused = prepared((store) =>
  store
    .select({ number: everyRefusal.number, expiresAtMs: everyRefusal.expiresAtMs })
    .from(everyRefusal)
    .where(
      and(
        or(isNull(everyRefusal.seal), eq(everyRefusal.seal, sql.placeholder("seal"))),
        eq(everyRefusal.accountId, sql.placeholder("accountId")),
        gt(everyRefusal.expiresAtMs, sql.placeholder("expiresAfterMs")),
      ),
    )
    .prepare(),
);

/** An action that was refused, and what it was to place: an order, another in the place of one, or a TWAP. */
export type UnusedNumber = { attempt: Attempt } & (
  | { order: StoredOrder; twap: null }
  | { order: null; twap: StoredOperation }
);

/**
 * What an account asked for that was refused without proof that its number is used up, and whose action is no older than that.
 *
 * @param expiresAfterMs exchange time, unix milliseconds
 */
export function listUnusedNumbers(store: Store, accountId: string, expiresAfterMs: number): UnusedNumber[] {
  return listRefused(store, { accountId, expiresAfterMs, seal: "" });
}

/** `listUnusedNumbers`, and those that have expired: they can come no more, but a copy may have come before. */
export function listMaybeCopied(store: Store, accountId: string, expiresAfterMs: number): UnusedNumber[] {
  return listRefused(store, { accountId, expiresAfterMs, seal: "expiry" });
}

/**
 * Orders that are not there by an answer alone, which refused them or took their number by an empty action: it named none of them, and
 * may have been the answer to another.
 */
export function listAbsentByAnswer(store: Store, accountId: string, expiresAfterMs: number): UnusedNumber[] {
  return (["nonce_taken", "noop"] as const).flatMap((seal) =>
    listRefused(store, { accountId, expiresAfterMs, seal }).filter(
      ({ attempt, order }) => order !== null && attempt.seal === seal,
    ),
  );
}

const ofOperations = prepared((store) =>
  store
    .select({ number: attempts.id })
    .from(attempts)
    .where(
      and(
        sql`${attempts.answerText} is not null`,
        eq(attempts.state, "done"),
        // A TWAP whose number a refusal has left unused is among the unused numbers.
        or(
          and(eq(attempts.seal, "nonce_taken"), inArray(attempts.kind, ["twap", "leverage", "isolated_margin"])),
          and(isNull(attempts.seal), inArray(attempts.kind, ["leverage", "isolated_margin"])),
        ),
        eq(attempts.accountId, sql.placeholder("accountId")),
        gt(attempts.expiresAtMs, sql.placeholder("expiresAfterMs")),
      ),
    )
    .prepare(),
);

/**
 * TWAPs, leverages and margins that were refused by an answer alone, which named nothing of theirs; and leverages and margins that were refused
 * before their number was looked at, of which a copy may run.
 *
 * @param expiresAfterMs exchange time, unix milliseconds
 */
export function listRefusedOperations(store: Store, accountId: string, expiresAfterMs: number): Attempt[] {
  return ofOperations(store)
    .all({ accountId, expiresAfterMs })
    .flatMap(({ number }) => {
      const attempt = findAttempt(store, number);
      const isRefused = attempt !== null && findOperation(store, attempt.resource.id)?.status === "rejected";
      return isRefused ? [attempt] : [];
    });
}

type RefusedOf = { accountId: string; expiresAfterMs: number; seal: "" | Seal };

function listRefused(store: Store, of: RefusedOf): UnusedNumber[] {
  return unusedIn(store, readRows(store, of));
}

function readRows(store: Store, of: RefusedOf): RefusedRow[] {
  return refused(store).all(of);
}

function unusedIn(store: Store, rows: readonly RefusedRow[]): UnusedNumber[] {
  return rows.flatMap(({ number }) => {
    const attempt = findAttempt(store, number);
    return attempt === null ? [] : (refusedBy(store, attempt) ?? []);
  });
}

/** Null where something of it has been shown since. */
function refusedBy(store: Store, attempt: Attempt): UnusedNumber | null {
  const { kind, resource, cloid } = attempt;
  if (kind === "twap") {
    const twap = findOperation(store, resource.id);
    return twap?.status === "rejected" ? { attempt, order: null, twap } : null;
  }
  const order = findOrder(store, resource.id);
  const isAbsent = cloid !== null && findLegByCloid(store, cloid)?.state === "absent";
  return order !== null && isAbsent ? { attempt, order, twap: null } : null;
}

function readUnsealed(store: Store, of: Omit<RefusedOf, "seal">): RefusedRow[] {
  return readRows(store, { ...of, seal: "" });
}

/** What may still execute of the actions in `listUnusedNumbers`, as open legs. */
export function listUnusedLegs(store: Store, accountId: string, expiresAfterMs: number): readonly OpenLeg[] {
  const rows = refusedRows(store, { accountId, expiresAfterMs }, readUnsealed);
  if (rows.length === 0) return NONE;
  return unusedIn(store, rows).flatMap(({ attempt: { cloid }, order, twap }) => {
    if (twap !== null) return twapLeg(store, twap);
    const leg = cloid === null ? null : findLegByCloid(store, cloid);
    return leg === null ? [] : openLeg(store, order, { ...leg, state: "lost" });
  });
}

const NONE: readonly OpenLeg[] = [];

/** Nothing that was refused under this number can be executed any more. */
export function sealUnused(store: Store, attempt: Attempt, by: "noop" | "expiry"): void {
  noteRefused(store);
  for (const each of listSameAction(store, attempt)) sealSettled(store, each, by);
}
