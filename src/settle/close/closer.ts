import type { Account } from "../../core/account.ts";
import type { Touches } from "../../core/cancel-all.ts";
import { cloidOf } from "../../core/cloid.ts";
import type { Close } from "../../core/close.ts";
import { type Decimal, isZero, ZERO } from "../../core/decimal.ts";
import { newUuid } from "../../core/uuid.ts";
import type { RowWorker, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { botOf, listBotNets } from "../../store/bots.ts";
import { insertCancelAll } from "../../store/cancel-alls.ts";
import { endClose, findRunningClose, listRunningCloses } from "../../store/closes.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { listLiveOrdersIn } from "../../store/live-orders.ts";
import { appendNote } from "../../store/notes.ts";
import type { Store } from "../../store/open.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { covers } from "../../store/stops.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { isUnsettled } from "../unsettled.ts";

export type CloserParts = {
  canceler: RowWorker;
  /** What an account holds in a perpetual market, signed, not older than its last change; null where nobody can say. */
  position(account: Account, market: string): Promise<Decimal | null>;
};

type ToEndClose = With<"clock" | "log" | "randomBytes" | "store">;

/** Between two looks at a close, milliseconds; longer once it takes its time. */
const PAUSES = { firstMs: 500, laterMs: 5_000 };

/**
 * Sees to what a close leaves behind: once its order is settled and the position is proven flat, the triggers go that could
 * only have reduced it.
 */
export function openCloser(world: ToEndClose, parts: CloserParts): RunningRowWorker {
  return openRowWorker(world, {
    field: "order",
    failed: "a step of a close failed",
    list: () => listRunningCloses(world.store).map(({ orderId: id }) => ({ id })),
    open({ id }) {
      return () => step(world, parts, id);
    },
    ...PAUSES,
  });
}

/** True when there is nothing more to do for it. */
async function step(world: ToEndClose, { canceler, position }: CloserParts, orderId: string): Promise<boolean> {
  const { store } = world;
  const close = findRunningClose(store, orderId);
  if (close === null) return true;
  // Its bot's books lack what was bought since the backup, which these triggers may protect.
  if (awaitsTakeUp(store, close.accountId)) return false;
  const order = findOrder(store, orderId);
  const account = findAccount(store, close.accountId);
  if (order !== null && isOutstanding(world, order)) return false;
  // Without its order it was taken back: no byte of it had left.
  const isNobodysBusiness = order === null || account === null || close.keepsTriggers;
  if (isNobodysBusiness || leftOver(store, close).length === 0) return end(world, close, null);
  const held = ownNetOf(store, close) ?? (await position(account, close.market));
  if (held === null) return false;
  end(world, close, held);
  canceler.heed();
  return true;
}

/** What was given up as unknown is followed by nobody. */
export function isOutstanding(world: With<"store">, order: StoredOrder): boolean {
  return order.releasedAtMs === null && isUnsettled(world, order);
}

/** Of a bot that closes its own; null where the account's position is what counts. */
function ownNetOf(store: Store, { accountId, keyHash, market, touches }: Close): Decimal | null {
  const bot = touches === "own" ? botOf(store, keyHash) : null;
  return bot === null ? null : (listBotNets(store, accountId, bot).get(market) ?? ZERO);
}

/** @param held what is held after it; null where that is nobody's business any more */
function end(world: ToEndClose, close: Close, held: Decimal | null): true {
  // A process that dies before it is on the disk finds the close running, and ends it again.
  inTransactionNotWaiting(world.store, (store) => {
    endClose(store, close.orderId, world.clock.nowMs());
    if (held === null || !isZero(held)) return;
    const triggers = leftOver(store, close);
    if (triggers.length === 0) return;
    const [entry] = ownOrders(store, close, false);
    tell(world, store, close, { triggers, entry });
    if (entry === undefined) cancelTriggers(world, store, close, triggers);
  });
  return true;
}

function leftOver(store: Store, close: Close): StoredOrder[] {
  return ownOrders(store, close, true).filter((order) => isLeftOver(store, close, order));
}

function ownOrders(store: Store, close: Close, reduceOnly: boolean): StoredOrder[] {
  const { accountId, market } = close;
  return listLiveOrdersIn(store, { accountId, market, reduceOnly }).filter(({ keyHash }) =>
    isTouched(store, close, keyHash),
  );
}

/** Whether orders that this key has placed, null for elsewhere, are among those that are touched. */
export function isTouched(
  store: Store,
  { touches, keyHash }: { touches: Touches; keyHash: string },
  placedBy: string | null,
): boolean {
  return touches === "all" || covers(store, { scope: "bot", keyHash, cause: "asked" }, placedBy);
}

/** What was signed after the close protects something else. */
function isLeftOver(store: Store, { upTo }: Close, order: StoredOrder): boolean {
  if (order.trigger === null) return false;
  return (findAttemptByCloid(store, cloidOf(order.id))?.id ?? 0) <= upTo;
}

type FoundOrders = { triggers: readonly StoredOrder[]; entry: StoredOrder | undefined };

/** What may still increase the position needs what protects it: nothing goes then. */
function tell({ clock }: With<"clock">, store: Store, close: Close, { triggers, entry }: FoundOrders): void {
  const ids = triggers.map(({ id }) => id).join(", ");
  const what = entry === undefined ? "left-over triggers canceled" : "left-over triggers kept";
  const detail = entry === undefined ? `flat; ${ids}` : `flat, but order ${entry.id} may still increase; ${ids}`;
  appendNote(store, { resourceId: close.orderId, attemptId: null, atMs: clock.nowMs(), what, detail });
}

function cancelTriggers(
  { clock, randomBytes }: With<"clock" | "randomBytes">,
  store: Store,
  { accountId, keyHash, market, touches }: Close,
  triggers: readonly StoredOrder[],
): void {
  const row = {
    id: newUuid(randomBytes(16)),
    accountId,
    keyHash,
    cause: "closed",
    market,
    side: null,
    touches,
    keepsProtection: false,
    createdAtMs: clock.nowMs(),
    outsideAtMs: null,
    doneAtMs: null,
    idempotencyKey: null,
  } as const;
  insertCancelAll(
    store,
    row,
    triggers.map(({ id }) => id),
  );
}
