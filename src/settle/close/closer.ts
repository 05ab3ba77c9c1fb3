import type { Account } from "../../core/account.ts";
import type { Touches } from "../../core/cancel-all.ts";
import { cloidOf } from "../../core/cloid.ts";
import type { Close } from "../../core/close.ts";
import { type Decimal, isZero, ZERO } from "../../core/decimal.ts";
import { isoTime } from "../../core/resource.ts";
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
import { SETTLED_AFTER_MS } from "../evidence/position-check.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { isUnsettled } from "../unsettled.ts";
import { listRunningTwaps, listUnbookedTwaps } from "./running-twap.ts";

/** A position, signed. `left`: what the known fills leave where nothing is shown; null where they say the same, or do not tell. */
export type HeldShown = { size: Decimal; left: Decimal | null };

export type CloserParts = {
  canceler: RowWorker;
  /** What an account holds in a perpetual market, not older than its last change; null where nobody can say. */
  position(account: Account, market: string): Promise<HeldShown | null>;
  /** What is known of it without an answer. */
  lastKnown(account: Account, market: string): LastKnown;
  /** Takes TWAPs that are over, and whose fills are all known, out of the books of the bots of an account. */
  endTwaps(account: Account): Promise<void>;
};

/** `shown`: the newest position that this process was shown, by the exchange's time. `left`: what the known fills leave; null where they do not tell. */
export type LastKnown = { shown: { size: Decimal; timeMs: number } | null; left: Decimal | null };

/** Elapsed milliseconds; losing them costs time. */
type CloseMemory = {
  /** Since when nothing is shown against the known fills; null where the last reading was not so. */
  againstSinceMs: number | null;
  /** Since when no reading could be had; null where the last one was. */
  unreadSinceMs: number | null;
  /** Since when a TWAP is over of which not all fills are known; null where there was none. */
  unbookedSinceMs: number | null;
};

/** So long without a reading, and nobody waits for one any more: its dex may be gone for good. Longer than the exchange was ever away. */
const UNREAD_MS = 24 * 3_600_000;

type ToEndClose = With<"clock" | "exchange" | "log" | "randomBytes" | "store">;

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
      const memory: CloseMemory = { againstSinceMs: null, unreadSinceMs: null, unbookedSinceMs: null };
      return () => step(world, parts, { orderId: id, memory });
    },
    ...PAUSES,
  });
}

/** True when there is nothing more to do for it. */
async function step(
  world: ToEndClose,
  parts: CloserParts,
  { orderId, memory }: { orderId: string; memory: CloseMemory },
): Promise<boolean> {
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
  const { canceler, position, lastKnown } = parts;
  if (await isAwaitingTwap(world, parts, { close, account, memory })) return false;
  const net = ownNetOf(store, close);
  const held = net === null ? await position(account, close.market) : { size: net, left: null };
  if (isUnread(world, memory, held)) return endUnread(world, close, lastKnown(account, close.market));
  if (held === null || !isBelieved(world, memory, held)) return false;
  end(world, close, held);
  canceler.heed();
  return true;
}

/** What a TWAP of the bot has bought before it was over its books lack for a while; longer than that nobody waits for it. */
async function isAwaitingTwap(
  { clock, exchange, store }: ToEndClose,
  { endTwaps }: CloserParts,
  { close, account, memory }: { close: Close; account: Account; memory: CloseMemory },
): Promise<boolean> {
  const isUnbooked = () => listUnbookedTwaps({ exchange, store }, close).length > 0;
  if (isUnbooked()) await endTwaps(account);
  const nowMs = clock.elapsedMs();
  memory.unbookedSinceMs = isUnbooked() ? (memory.unbookedSinceMs ?? nowMs) : null;
  return memory.unbookedSinceMs !== null && nowMs - memory.unbookedSinceMs < SETTLED_AFTER_MS;
}

/**
 * What takes a position away leaves a fill, and a store that is behind shows none: it is believed against the fills once it has been shown for
 * as long as a market needs that was settled without one.
 */
function isBelieved({ clock }: With<"clock">, memory: CloseMemory, { left }: HeldShown): boolean {
  const nowMs = clock.elapsedMs();
  memory.againstSinceMs = left === null ? null : (memory.againstSinceMs ?? nowMs);
  return memory.againstSinceMs === null || nowMs - memory.againstSinceMs >= SETTLED_AFTER_MS;
}

function isUnread({ clock }: With<"clock">, memory: CloseMemory, held: HeldShown | null): boolean {
  const nowMs = clock.elapsedMs();
  memory.unreadSinceMs = held === null ? (memory.unreadSinceMs ?? nowMs) : null;
  return memory.unreadSinceMs !== null && nowMs - memory.unreadSinceMs >= UNREAD_MS;
}

/** Nobody can say whether anything is held: so what would protect it stays, and the order's story tells what is known. */
function endUnread({ clock, store }: With<"clock" | "store">, close: Close, { shown, left }: LastKnown): true {
  const hours = UNREAD_MS / 3_600_000;
  const last =
    shown === null ? "none was shown since the start" : `${shown.size} was shown as of ${isoTime(shown.timeMs)}`;
  const fills = left === null ? "the known fills do not tell" : `the known fills leave ${left}`;
  inTransactionNotWaiting(store, () => {
    const ids = leftOver(store, close).map(({ id }) => id);
    endClose(store, close.orderId, clock.nowMs());
    appendNote(store, {
      resourceId: close.orderId,
      attemptId: null,
      atMs: clock.nowMs(),
      what: "left-over triggers kept",
      detail: `the position could not be read for ${hours} hours: ${last}, ${fills}; ${ids.join(", ")}`,
    });
  });
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
function end(world: ToEndClose, close: Close, held: HeldShown | null): true {
  // A process that dies before it is on the disk finds the close running, and ends it again.
  inTransactionNotWaiting(world.store, (store) => {
    endClose(store, close.orderId, world.clock.nowMs());
    if (held === null || !isZero(held.size)) return;
    const triggers = leftOver(store, close);
    if (triggers.length === 0) return;
    const increasing = mayIncrease(world, store, close);
    tell(world, store, close, { triggers, increasing, held });
    if (increasing === null) cancelTriggers(world, store, close, triggers);
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

/** In words what may still increase the position, or have increased it; null where nothing can. */
function mayIncrease({ exchange }: With<"exchange">, store: Store, close: Close): string | null {
  const [entry] = ownOrders(store, close, false);
  if (entry !== undefined) return `order ${entry.id} may still increase`;
  const [twap] = listRunningTwaps({ exchange, store }, close, (keyHash) => isTouched(store, close, keyHash));
  if (twap !== undefined) return `the TWAP of operation ${twap} may still increase`;
  const [unbooked] = listUnbookedTwaps({ exchange, store }, close);
  return unbooked === undefined ? null : `not all fills of the TWAP of operation ${unbooked} are known`;
}

type FoundOrders = { triggers: readonly StoredOrder[]; increasing: string | null; held: HeldShown };

/** What may still increase the position needs what protects it: nothing goes then. */
function tell({ clock }: With<"clock">, store: Store, close: Close, { triggers, increasing, held }: FoundOrders): void {
  const ids = triggers.map(({ id }) => id).join(", ");
  const what = increasing === null ? "left-over triggers canceled" : "left-over triggers kept";
  const flat = held.left === null ? "flat" : flatAgainst(held.left);
  const detail = increasing === null ? `${flat}; ${ids}` : `${flat}, but ${increasing}; ${ids}`;
  appendNote(store, { resourceId: close.orderId, attemptId: null, atMs: clock.nowMs(), what, detail });
}

/** What was seen, and not what it may come of. */
function flatAgainst(left: Decimal): string {
  const minutes = SETTLED_AFTER_MS / 60_000;
  return `flat by what the exchange has shown for ${minutes} minutes, while the known fills leave ${left} (a market may be settled without a fill)`;
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
