import type { Account } from "../../core/account.ts";
import type { CancelAll } from "../../core/cancel-all.ts";
import type { Settling, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { addCovered, findCancelAll, listCancelAlls, listCovered, updateCancelAll } from "../../store/cancel-alls.ts";
import { inTransaction } from "../../store/commit.ts";
import { storeAnswer } from "../../store/idempotency.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import type { UnusedNumber } from "../../store/unused-numbers.ts";
import { isOver } from "../cancel/cancel.ts";
import { listUnused } from "../copies/late-copies.ts";
import { type NumbersMemory, settleUnused } from "../copies/unused-numbers.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { cancelCovered, type ToCancel } from "../stop/cancel-covered.ts";
import { openTurns, type Turns } from "../turns.ts";
import { isUnderWay } from "../unsettled.ts";
import { cancelAllShown } from "./asked-orders.ts";

/** Orders that are canceled at once. */
const MAX_AT_ONCE = 16;
/** Between two looks at what is left, milliseconds; longer once it takes its time. */
const PAUSES = { firstMs: 250, laterMs: 2_000 };
/** So long what was taken for over is still looked at, milliseconds: it may turn out to live. */
const DOUBTED_FOR_MS = 3_600_000;
/** Between two looks at all of these, milliseconds: there may be as many as keys may ask for in that time. */
const DOUBT_EVERY_MS = 5_000;

export type CancelerParts = {
  settling: Pick<Settling, "burn" | "pursue">;
  /** Ids of rows for what was placed elsewhere and is to go as well; `isWhole` false while there may be more of it. */
  adoptOutside(row: CancelAll, account: Account): Promise<{ orderIds: readonly string[]; isWhole: boolean }>;
};

type CancelerTools = CancelerParts & {
  world: ToCancel;
  turns: Turns;
  readElapsedMs: Map<string, number>;
  numbers: NumbersMemory;
};

/** Between two readings of lists, milliseconds: one weighs as much as twenty cancels. */
const READ_EVERY_MS = 3_000;

/**
 * Cancels the orders that a row names, until nothing of them can fill any more: what is not settled is burnt, what rests is
 * canceled, each by an intent of its own.
 */
export function openCanceler(world: ToCancel, parts: CancelerParts): RunningRowWorker {
  const tools: CancelerTools = {
    ...parts,
    world,
    turns: openTurns(MAX_AT_ONCE),
    readElapsedMs: new Map(),
    numbers: new Map(),
  };
  let doubtedElapsedMs = Number.NEGATIVE_INFINITY;

  /** What was taken for over may turn out to live. */
  function doubtAll(): void {
    const elapsedMs = world.clock.elapsedMs();
    if (elapsedMs - doubtedElapsedMs < DOUBT_EVERY_MS) return;
    doubtedElapsedMs = elapsedMs;
    for (const row of listCancelAlls(world.store, world.clock.nowMs() - DOUBTED_FOR_MS)) doubt(world, row);
  }

  const worker = openRowWorker(world, {
    field: "cancel_all",
    failed: "a step of a cancel-all failed",
    list: () => listCancelAlls(world.store, Number.MAX_SAFE_INTEGER),
    open({ id }) {
      return () => step(tools, id);
    },
    ...PAUSES,
  });
  return {
    ...worker,
    heed() {
      if (worker.isStopped()) return;
      doubtAll();
      worker.heed();
    },
  };
}

/** Orders of it of which anything may still fill, or of which what was signed is not settled. */
export function remainingOf(
  world: With<"exchange" | "store">,
  row: Pick<CancelAll, "id" | "accountId">,
): StoredOrder[] {
  return remainingBeside(world, row, unusedOf(world, row.accountId));
}

function remainingBeside(
  world: With<"store">,
  row: Pick<CancelAll, "id">,
  unused: ReadonlyMap<string, UnusedNumber>,
): StoredOrder[] {
  return listCovered(world.store, row).filter(({ id }) => unused.has(id) || !isGone(world, id));
}

/** By order: what was refused, and of which a copy may still be taken. */
function unusedOf(world: With<"exchange" | "store">, accountId: string): ReadonlyMap<string, UnusedNumber> {
  return new Map(
    listUnused(world, accountId).flatMap((refused) => (refused.order === null ? [] : [[refused.order.id, refused]])),
  );
}

function isGone(world: With<"store">, orderId: string): boolean {
  return isOver(world, orderId) && !isUnderWay(world, orderId);
}

/** True when there is nothing more to do for it. */
async function step(tools: CancelerTools, id: string): Promise<boolean> {
  const { world, settling, turns } = tools;
  const { store, state } = world;
  const row = findCancelAll(store, id);
  const account = row === null ? null : findAccount(store, row.accountId);
  if (row === null || account === null || row.doneAtMs !== null) return true;
  // Nothing can be signed yet: the row stands all the same.
  if (state.phase === "trial" || state.phase === "opening") return false;
  if (isOutsideDue(row)) await takeOutside(tools, row, account);
  const unused = unusedOf(world, account.id);
  await Promise.all(
    remainingBeside(world, row, unused).map(({ id: orderId }) => {
      const refused = unused.get(orderId);
      const name = nameOfCancelAll(row);
      return turns.take(() =>
        refused === undefined || !isGone(world, orderId)
          ? cancelCovered(world, settling, { name, account, orderId })
          : settleUnused(world, account, refused, tools.numbers),
      );
    }),
  );
  return conclude(world, row, account);
}

function isOutsideDue({ cause, touches, outsideAtMs }: CancelAll): boolean {
  return cause === "asked" && touches === "all" && outsideAtMs === null;
}

/** Until all of it was known once: orders of elsewhere that come later are none of it. */
async function takeOutside({ world, adoptOutside, readElapsedMs }: CancelerTools, row: CancelAll, account: Account) {
  const nowMs = world.clock.elapsedMs();
  if (nowMs - (readElapsedMs.get(row.id) ?? Number.NEGATIVE_INFINITY) < READ_EVERY_MS) return;
  readElapsedMs.set(row.id, nowMs);
  const { orderIds, isWhole } = await adoptOutside(row, account);
  if (isWhole) readElapsedMs.delete(row.id);
  if (orderIds.length === 0 && !isWhole) return;
  inTransaction(world.store, (store) => {
    for (const orderId of orderIds) addCovered(store, row.id, orderId);
    if (isWhole) updateCancelAll(store, row.id, { outsideAtMs: world.clock.nowMs() });
  });
}

/** With a space, so that it is no client's Idempotency-Key. */
export function nameOfCancelAll({ id }: CancelAll): string {
  return `cancel-all ${id}`;
}

/** In one transaction with the rows that it is concluded from. */
function conclude(world: With<"clock" | "exchange" | "store">, { id }: CancelAll, account: Account): boolean {
  return inTransaction(world.store, (store) => {
    // What a lost machine had signed is not among our rows yet.
    const row = findCancelAll(store, id);
    if (row === null || isOutsideDue(row) || awaitsTakeUp(store, account.id)) return false;
    if (remainingOf(world, row).length > 0) return false;
    const doneAtMs = world.clock.nowMs();
    updateCancelAll(store, id, { doneAtMs });
    if (row.idempotencyKey === null) return true;
    const body = JSON.stringify(cancelAllShown(store, { ...row, doneAtMs }));
    storeAnswer(store, { accountId: row.accountId, idempotencyKey: row.idempotencyKey }, { status: 200, body });
    return true;
  });
}

/** Then it is not done, and is gone after. */
function doubt(world: With<"exchange" | "store">, row: CancelAll): void {
  if (row.doneAtMs === null || remainingOf(world, row).length === 0) return;
  inTransaction(world.store, (store) => updateCancelAll(store, row.id, { doneAtMs: null }));
}
