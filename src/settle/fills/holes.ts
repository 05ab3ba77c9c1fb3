/** What is said of a millisecond in which more was filled than the exchange gives: what may lack of it is named. */
import type { Account } from "../../core/account.ts";
import type { With } from "../../deps.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { HOLE, insertHole, listHoles } from "../../store/fill-holes.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { Fill } from "../../wire/answer/fills.ts";

/** Once: on the account, and on each order of ours that was filled in that millisecond. */
export function noteHole(
  world: With<"clock" | "log" | "store">,
  account: Account,
  { fills, timeMs }: { fills: readonly Fill[]; timeMs: number },
): void {
  const { store, clock } = world;
  const accountId = account.id;
  if (listHoles(store, accountId).includes(timeMs)) return;
  const orderIds = new Set(fills.flatMap(({ oid }) => findLegByOid(store, accountId, oid)?.orderId ?? []));
  world.log.error({ account: accountId, text: String(timeMs) }, HOLE);
  const hole = { accountId, orderIds, timeMs, atMs: clock.nowMs() };
  inTransactionNotWaiting(store, () => insertHole(store, hole));
}
