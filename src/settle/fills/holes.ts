/** Milliseconds in which more was filled than the exchange gives: what may lack of them is named, and never taken for whole. */
import type { Account } from "../../core/account.ts";
import type { With } from "../../deps.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { findLegByOid } from "../../store/legs.ts";
import { appendNote, listNotes } from "../../store/notes.ts";
import type { Store } from "../../store/open.ts";
import type { Fill } from "../../wire/answer/fills.ts";

const HOLE = "more was filled in one millisecond than the exchange gives";

/** Once: on the account, and on each order of ours that was filled in that millisecond, whose story tells it. */
export function noteHole(
  world: With<"clock" | "log" | "store">,
  account: Account,
  { fills, timeMs }: { fills: readonly Fill[]; timeMs: number },
): void {
  const { store, clock } = world;
  if (listHoles(store, account.id).includes(timeMs)) return;
  const ours = new Set(fills.flatMap(({ oid }) => findLegByOid(store, account.id, oid)?.orderId ?? []));
  const note = { attemptId: null, atMs: clock.nowMs(), what: HOLE, detail: String(timeMs) };
  world.log.error({ account: account.id, text: String(timeMs) }, HOLE);
  inTransactionNotWaiting(store, () => {
    for (const resourceId of [account.id, ...ours]) appendNote(store, { ...note, resourceId });
  });
}

/** Up to when fills can be whole, by the exchange's time, unix milliseconds: right before the oldest such millisecond. */
export function wholeAtMost(store: Store, accountId: string): number {
  return Math.min(...listHoles(store, accountId).map((timeMs) => timeMs - 1), Number.POSITIVE_INFINITY);
}

function listHoles(store: Store, accountId: string): number[] {
  return listNotes(store, accountId).flatMap(({ what, detail }) => (what === HOLE ? Number(detail) : []));
}
