/**
 * Two machines that both believe to be this gateway: a restored one and its lost original, or a copied data directory.
 * Each would place what its own clients ask, and a key asked of both would place twice. What gives the other away are
 * orders at the exchange that carry our tag and that this database never signed.
 */
import type { Account } from "../../core/account.ts";
import { uuidOfCloid } from "../../core/cloid.ts";
import type { With } from "../../deps.ts";
import { firstPlacedAfter, newestAttemptId } from "../../store/attempts.ts";
import { appendAudit } from "../../store/audit.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { awaitsTakeUp, findTakeUp, hasRestores } from "../../store/restores.ts";
import { carriesTag, isTimeOrdered, mintedAtMs } from "../../wire/order-id.ts";

export type OtherMachines = {
  /** Looks at client order ids that the exchange shows of an account. */
  see(account: Account, cloids: Iterable<string | null>): void;
};

/**
 * One in 4,096 time-ordered ids of a stranger carries our tag by chance, so it takes few strangers' ids for one with
 * our tag to be another machine's.
 */
const STRANGERS_FOR_ONE = 64;
/** Ids that are counted once, and ids of ours that are looked for once, at most of each. */
const MAX_SEEN = 10_000;

export function openOtherMachines(world: With<"clock" | "instance" | "log" | "state" | "store">): OtherMachines {
  const { store, instance, state } = world;
  const attemptsBefore = newestAttemptId(store);
  const seen = new Set<string>();
  /** What is shown once is shown again and again: with every list of open orders, and with the newest fills. */
  const ours = new Set<string>();
  let strangers = 0;
  let foreign = 0;

  function isForeign(account: Account, cloid: string): boolean {
    const uuid = uuidOfCloid(cloid);
    if (uuid === null || seen.has(cloid) || seen.size >= MAX_SEEN || isOurs(cloid)) return false;
    // What the lost original left where nobody could read it says nothing of today.
    if (mintedAtMs(uuid) <= (findTakeUp(store, account.id)?.restoredAtMs ?? 0)) return false;
    seen.add(cloid);
    if (!isTimeOrdered(uuid)) return false;
    const isTagged = carriesTag(uuid, instance.tag);
    if (isTagged) foreign += 1;
    else strangers += 1;
    return isTagged && foreign * STRANGERS_FOR_ONE > strangers;
  }

  function isOurs(cloid: string): boolean {
    if (ours.has(cloid)) return true;
    const isFound = findLegByCloid(store, cloid) !== null;
    if (isFound && ours.size < MAX_SEEN) ours.add(cloid);
    return isFound;
  }

  /** The one that came back from a backup, or whose first order since its start is not older than the other's. */
  function isLater(cloid: string): boolean {
    const placedAtMs = firstPlacedAfter(store, attemptsBefore);
    return hasRestores(store) || placedAtMs === null || placedAtMs > mintedAtMs(cloid);
  }

  function tell(account: Account, cloid: string): void {
    const isStopping = isLater(cloid) && state.writesStoppedBecause === null;
    const facts = { cloid, stops: isStopping };
    const because = `another machine trades as this gateway: its order ${cloid} carries our tag and is not in our database`;
    if (isStopping) state.writesStoppedBecause = because;
    const end = isStopping ? "this one came later, and takes no more writes" : "this one was first, and goes on";
    world.log.error({ account: account.id, error: because, ...facts }, `two machines trade as this gateway: ${end}`);
    inTransaction(store, () => {
      const atMs = world.clock.nowMs();
      const entry = { atMs, actor: "gateway", event: "other_machine_seen", reference: account.id };
      appendAudit(store, { ...entry, detail: facts });
    });
  }

  return {
    see(account, cloids) {
      // What the lost original placed is being read, and has its rows only then.
      if (awaitsTakeUp(store, account.id)) return;
      for (const cloid of cloids) if (cloid !== null && isForeign(account, cloid)) tell(account, cloid);
    },
  };
}
