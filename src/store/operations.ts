import { and, desc, eq, gte, inArray, ne, sql } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import type { Operation, OperationAction, OperationStatus } from "../core/operation.ts";
import { operationText } from "../core/resource.ts";
import { forgetBotTwap } from "./bot-twap-rows.ts";
import { expectBotTwap, heedTwapNews } from "./bot-twaps.ts";
import { appendEvent } from "./events.ts";
import { isWithin, type Looked, lastLookedAt, MAX_LOOKED_THROUGH, spanOf, type Times } from "./looked-through.ts";
import type { Store } from "./open.ts";
import { assignments, columnsOf, placeholders, prepared } from "./prepared.ts";
import { accounts, attempts, operations } from "./schema.ts";

/** An operation as it is kept. */
export type StoredOperation = Operation & {
  /** JSON text of what was asked. */
  parameters: string;
  /** JSON text of the reading taken before sending, for what only a difference can tell; null where none is needed. */
  before: string | null;
  /** When the operator gave it up as unknown, unix milliseconds; null where nobody did. */
  releasedAtMs: number | null;
  version: number;
  /** Hash of the API key that asked for it; null for what the gateway does by itself, and for one of before it was kept. */
  keyHash: string | null;
};

const byId = prepared((store) =>
  store
    .select()
    .from(operations)
    .where(eq(operations.id, sql.placeholder("id")))
    .prepare(),
);

export function findOperation(store: Store, id: string): StoredOperation | null {
  return byId(store).get({ id }) ?? null;
}

const insert = prepared((store) => store.insert(operations).values(placeholders(operations)).prepare());

export function insertOperation(store: Store, operation: StoredOperation): void {
  insert(store).run(operation);
  // What was refused here leaves nothing to come.
  if (operation.status !== "rejected") expectBotTwap(store, operation);
  tellOperation(store, operation, { type: "operation.created", atMs: operation.createdAtMs });
}

type OperationTelling = { type: "operation.created" | "operation.updated"; atMs: number };

function tellOperation(store: Store, operation: StoredOperation, { type, atMs }: OperationTelling): void {
  const { accountId, id: resourceId } = operation;
  appendEvent(store, { accountId, atMs, type, resourceId, payload: operationText(operation) });
}

export function updateOperation(
  store: Store,
  id: string,
  change: Pick<Operation, "status" | "exchangeId" | "error"> & Partial<Pick<StoredOperation, "releasedAtMs">>,
  atMs: number,
): void {
  const changed = store.update(operations).set(change).where(eq(operations.id, id)).returning().all();
  for (const operation of changed) {
    heedTwapNews(store, operation);
    tellOperation(store, operation, { type: "operation.updated", atMs });
  }
}

export function deleteOperation(store: Store, id: string, atMs: number): void {
  const owner = { accountId: operations.accountId };
  forgetBotTwap(store, id);
  const removed = store.delete(operations).where(eq(operations.id, id)).returning(owner).all();
  const payload = JSON.stringify({ object: "operation", id });
  for (const { accountId } of removed) {
    appendEvent(store, { accountId, atMs, type: "operation.removed", resourceId: id, payload });
  }
}

/** Operations of an account of one kind beside their attempts, stored since a time: of the last day they are few, and so are read first. */
export function storedSince(action: StoredOperation["action"]) {
  return and(
    eq(operations.accountId, sql.placeholder("accountId")),
    gte(operations.createdAtMs, sql.placeholder("storedSinceMs")),
    eq(operations.action, action),
    eq(attempts.resourceId, operations.id),
  );
}

const leverageSince = prepared((store) =>
  store
    .select({
      ...columnsOf(operations, ["id", "market", "parameters", "status"]),
      expiresAtMs: attempts.expiresAtMs,
      attemptId: attempts.id,
    })
    .from(operations)
    .crossJoin(attempts)
    .where(
      and(
        storedSince("leverage"),
        ne(operations.status, "rejected"),
        gte(attempts.expiresAtMs, sql.placeholder("sinceMs")),
      ),
    )
    .prepare(),
);

/** With the end of its action, exchange time, unix milliseconds. */
export type LeverageChange = Pick<StoredOperation, "id" | "market" | "parameters" | "status"> &
  Pick<Attempt, "expiresAtMs">;

/** So far our clock, by which rows are dated, may be from the exchange's, or have been since, milliseconds. */
export const CLOCK_OFF_MS = 24 * 60 * 60_000;

/**
 * Changes of leverage that were carried out, or may have been, the one that was signed last first.
 *
 * @param sinceMs of which the action could run then or later, exchange time, unix milliseconds
 */
export function listLeverageChanges(store: Store, accountId: string, sinceMs: number): LeverageChange[] {
  const rows = leverageSince(store).all({ accountId, sinceMs, storedSinceMs: sinceMs - CLOCK_OFF_MS });
  return rows.sort((one, other) => other.attemptId - one.attemptId);
}

/** Native ids of TWAPs that belong to an operation already. */
export function listClaimedTwaps(store: Store, accountId: string): Set<string> {
  const rows = store
    .select({ id: operations.exchangeId })
    .from(operations)
    .where(and(eq(operations.accountId, accountId), eq(operations.action, "twap")))
    .all();
  return new Set(rows.flatMap((row) => (row.id === null ? [] : [row.id])));
}

/** Whether another operation of ours, in any account, has made the TWAP of this native id: the exchange gives each once. */
export function isTwapOfAnother(store: Store, exchangeId: string, operationId: string): boolean {
  // By account, as the index has them.
  const isOfOurs = inArray(operations.accountId, store.select({ id: accounts.id }).from(accounts));
  const isIts = and(
    eq(operations.exchangeId, exchangeId),
    eq(operations.action, "twap"),
    ne(operations.id, operationId),
  );
  const row = store.select({ id: operations.id }).from(operations).where(and(isOfOurs, isIts)).limit(1).get();
  return row !== undefined;
}

/** Our operations that started these TWAPs: operation id by native id. */
export function listTwapOperations(store: Store, accountId: string, twapIds: readonly string[]): Map<string, string> {
  const rows = store
    .select({ id: operations.id, twapId: operations.exchangeId })
    .from(operations)
    .where(
      and(
        eq(operations.accountId, accountId),
        eq(operations.action, "twap"),
        inArray(operations.exchangeId, [...twapIds]),
      ),
    )
    .all();
  return new Map(rows.flatMap(({ id, twapId }) => (twapId === null ? [] : [[twapId, id]])));
}

/** By native id: the keys that asked for TWAPs of ours. */
export function twapKeys(
  store: Store,
  accountId: string,
  twapIds: readonly string[],
): ReadonlyMap<string, string | null> {
  if (twapIds.length === 0) return new Map();
  const rows = store
    .select({ twapId: operations.exchangeId, keyHash: operations.keyHash })
    .from(operations)
    .where(
      and(
        eq(operations.accountId, accountId),
        eq(operations.action, "twap"),
        inArray(operations.exchangeId, [...new Set(twapIds)]),
      ),
    )
    .all();
  return new Map(rows.map(({ twapId, keyHash }) => [twapId ?? "", keyHash]));
}

/** Our newest TWAPs that run or ran at the exchange, newest first. */
export function listStartedTwaps(store: Store, accountId: string, count: number): StoredOperation[] {
  return listSucceeded(store, { accountId, action: "twap", count }).filter(({ exchangeId }) => exchangeId !== null);
}

const sentTwaps = prepared((store) => {
  const isSent = inArray(operations.status, ["succeeded", "unknown"]);
  const isAsked = and(eq(operations.accountId, sql.placeholder("accountId")), eq(operations.action, "twap"), isSent);
  return store.select().from(operations).where(isAsked).prepare();
});

/** Our TWAPs that the exchange has taken, or may have. */
export function listSentTwaps(store: Store, accountId: string): StoredOperation[] {
  return sentTwaps(store).all({ accountId });
}

/** Our newest cancels of a TWAP that have succeeded, newest first. */
export function listTwapCancels(store: Store, accountId: string, count: number): StoredOperation[] {
  return listSucceeded(store, { accountId, action: "twap_cancel", count });
}

/** Cancels of a TWAP that are looked through. */
const MAX_CANCELS = 1_000;

/** Native ids of the TWAPs whose cancel the exchange has said it carried out: an end, whatever its history shows. */
export function listCanceledTwaps(store: Store, accountId: string): Set<string> {
  return new Set(listTwapCancels(store, accountId, MAX_CANCELS).map(({ parameters }) => twapIdIn(parameters)));
}

/** Native id of the TWAP that a cancel is of, by its parameters. */
export function twapIdIn(parameters: string): string {
  // What `cancel-twap`, and `settle/stop/cancel-twaps`, write.
  return String((JSON.parse(parameters) as { twap_id: number }).twap_id);
}

function listSucceeded(
  store: Store,
  { accountId, action, count: limit }: { accountId: string; action: OperationAction; count: number },
): StoredOperation[] {
  const is = and(
    eq(operations.accountId, accountId),
    eq(operations.action, action),
    eq(operations.status, "succeeded"),
  );
  return store
    .select()
    .from(operations)
    .where(is)
    .orderBy(desc(operations.createdAtMs), desc(operations.id))
    .limit(limit)
    .all();
}

export type OperationFilter = Times & {
  /** Canonical name; null for all. */
  market: string | null;
  /** Hashes of the API keys that asked for them; null for all. */
  keyHashes: readonly string[] | null;
};

export type OperationPage = {
  accountId: string;
  /** Null for all. */
  action: OperationAction | null;
  /** Null for all. */
  status: OperationStatus | null;
  /** Rows after this one in the listing. */
  after: { createdAtMs: number; id: string } | null;
  limit: number;
};

/** Newest first, then by id descending. Returns up to one row past `limit`, which tells the caller there is more. */
export function listOperations(store: Store, page: OperationPage): StoredOperation[] {
  const { accountId, action, status, after, limit } = page;
  const below =
    after === null
      ? undefined
      : sql`(${operations.createdAtMs}, ${operations.id}) < (${after.createdAtMs}, ${after.id})`;
  return store
    .select()
    .from(operations)
    .where(
      and(
        eq(operations.accountId, accountId),
        action === null ? undefined : eq(operations.action, action),
        status === null ? undefined : eq(operations.status, status),
        below,
      ),
    )
    .orderBy(desc(operations.createdAtMs), desc(operations.id))
    .limit(limit + 1)
    .all();
}

/** Operations by market, keys and time as well, newest first: in the order of the list, or of the list of a market. */
export function lookForOperations(
  store: Store,
  { filter, ...page }: OperationPage & { filter: OperationFilter },
  most = MAX_LOOKED_THROUGH,
): Looked<StoredOperation> {
  const { accountId, action, status, limit } = page;
  const { market, keyHashes } = filter;
  const after = page.after === null ? null : { atMs: page.after.createdAtMs, id: page.after.id };
  const isOfMarket = market === null ? undefined : eq(operations.market, market);
  const is = and(eq(operations.accountId, accountId), isOfMarket);
  const road = { table: operations, atMs: operations.createdAtMs, id: operations.id, is };
  const span = spanOf(filter, after);
  const lookedTo = lastLookedAt(store, [road], span, most);
  const isIt = and(
    isWithin(road, { ...span, lower: lookedTo ?? span.lower }),
    action === null ? undefined : eq(operations.action, action),
    status === null ? undefined : eq(operations.status, status),
    keyHashes === null ? undefined : inArray(operations.keyHash, [...keyHashes]),
  );
  const rows = store
    .select()
    .from(operations)
    .where(isIt)
    .orderBy(desc(operations.createdAtMs), desc(operations.id))
    .limit(limit + 1)
    .all();
  return { rows, lookedTo };
}

const markUnknown = prepared((store) =>
  store
    .update(operations)
    .set({ status: "unknown", ...assignments(operations, ["error"]) })
    .where(inArray(operations.status, ["processing"]))
    .returning()
    .prepare(),
);

/** At start nothing runs any more: what was under way is not known. */
export function markOperationsUnknown(store: Store, reason: string, atMs: number): number {
  const changed = markUnknown(store).all({ error: reason });
  for (const operation of changed) tellOperation(store, operation, { type: "operation.updated", atMs });
  return changed.length;
}
