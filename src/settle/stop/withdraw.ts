import type { Account } from "../../core/account.ts";
import type { Stop } from "../../core/stop.ts";
import type { ToldWaits } from "../../core/wait.ts";
import type { Settling, With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { listCanceledTwaps, listClaimedTwaps, type StoredOperation } from "../../store/operations.ts";
import { noteOutside, updateStop } from "../../store/stops.ts";
import { type NumbersMemory, settleUnused } from "../copies/unused-numbers.ts";
import type { Turns } from "../turns.ts";
import { cancelCovered, nameOfStop } from "./cancel-covered.ts";
import {
  cancelRunningTwap,
  endedOf,
  listToCancel,
  readTwaps,
  type ToWithdraw,
  type TwapsShown,
  type UnendedTwap,
} from "./cancel-twaps.ts";
import { listLikely } from "./likely-twaps.ts";
import { listedAfterEnd, type Remaining, remainingOf } from "./remaining.ts";

/** To carry a stop out. */
export type ToRunStops = ToWithdraw & With<"feeds" | "picture">;

export type StopTools = {
  world: ToRunStops;
  settling: Pick<Settling, "burn" | "pursue">;
  /**
   * Cancels the account's orders that were placed elsewhere and can increase, each once. False where the exchange's lists
   * could not be read: then it is asked for again.
   */
  cancelOutside(stop: Stop, account: Account): Promise<boolean>;
  turns: Turns;
  /** Ids of the operations whose TWAP is known to have ended. */
  endedTwaps: Set<string>;
};

/** What is kept in mind of one stop between two steps. Losing it costs readings. */
export type Withdrawal = {
  twapsElapsedMs: number | null;
  /** By native id, of TWAPs of ours: when a cancel was last asked for, elapsed milliseconds, and how often one was. */
  twapCancels: Map<string, { atMs: number; times: number }>;
  /** Market by native id, of the TWAPs that a history has shown running. */
  shownTwaps: Map<string, string>;
  /** When fills were last read for slices of what nothing else shows, elapsed milliseconds. */
  slicesElapsedMs: number | null;
  /** Readings after which everything that was placed elsewhere had been told to go. */
  outsideReadings: number;
  /** What lists show open after its end was told has a cancel of this stop. */
  isListedGone: boolean;
  numbers: NumbersMemory;
  told: ToldWaits;
};

export function newWithdrawal(): Withdrawal {
  return {
    twapsElapsedMs: null,
    twapCancels: new Map(),
    shownTwaps: new Map(),
    slicesElapsedMs: null,
    outsideReadings: 0,
    isListedGone: false,
    numbers: new Map(),
    told: { names: "", atMs: null },
  };
}

/** A server that is behind lacks what has rested for seconds, and the next answer is another's. */
const OUTSIDE_READINGS = 2;

/** Between two readings of lists, milliseconds: one weighs as much as twenty cancels. */
const READ_EVERY_MS = 3_000;
/** Between two readings of fills, which weigh as much. */
const SLICES_EVERY_MS = 6_000;
/**
 * Between two cancels of one TWAP, milliseconds, the first of which was settled or has been unheard of for long. It doubles:
 * a number that is none is refused each time.
 */
const CANCEL_EVERY_MS = 3_000;
const MAX_CANCEL_EVERY_MS = 60_000;

type StoppedAccount = { stop: Stop; account: Account };

/** Everything that is left, at once: nothing of it waits for another. */
export async function withdraw(
  tools: StopTools,
  { stop, account }: StoppedAccount,
  withdrawal: Withdrawal,
): Promise<void> {
  const { world, settling, turns, endedTwaps } = tools;
  const remaining = remainingOf(world, stop, endedTwaps);
  const isOutsideDue = stop.scope === "account" && stop.outsideAtMs === null;
  await Promise.all([
    withdrawEnded(tools, { stop, account }, withdrawal),
    cancelOwnTwaps(tools, { stop, account }, withdrawal, remaining.runningTwaps),
    ...remaining.orders.map(({ id: orderId }) =>
      turns.take(() => cancelCovered(world, settling, { name: nameOfStop(stop), account, orderId })),
    ),
    ...remaining.openTwaps.map(({ id }) => settling.burn(id)),
    ...remaining.unusedNumbers.map((refused) =>
      turns.take(() => settleUnused(world, account, refused, withdrawal.numbers)),
    ),
    ...(remaining.runningTwaps.length > 0 || isOutsideDue
      ? [withdrawListed(tools, { stop, account }, { withdrawal, remaining, isOutsideDue })]
      : []),
  ]);
}

/** A stop of an account finds these in the lists that it reads; one of a key or a bot reads none. */
async function withdrawEnded(
  { world, settling, turns }: StopTools,
  { stop, account }: StoppedAccount,
  withdrawal: Withdrawal,
): Promise<void> {
  if (stop.scope === "account" || withdrawal.isListedGone) return;
  const name = nameOfStop(stop);
  const ended = listedAfterEnd(world, stop);
  await Promise.all(
    ended.map(({ id }) => turns.take(() => cancelCovered(world, settling, { name, account, orderId: id }))),
  );
  withdrawal.isListedGone = ended.length === 0 || listedAfterEnd(world, stop).length === 0;
}

/** At once, and on and on: what the exchange has named needs no history that shows it. */
async function cancelOwnTwaps(
  tools: StopTools,
  stopped: StoppedAccount,
  withdrawal: Withdrawal,
  running: readonly StoredOperation[],
): Promise<void> {
  await cancelWhenDue(tools, stopped, withdrawal, listToCancel(tools.world, running, withdrawal.shownTwaps));
}

async function cancelWhenDue(
  { world, settling }: StopTools,
  { stop, account }: StoppedAccount,
  { twapCancels }: Withdrawal,
  twaps: readonly Pick<UnendedTwap, "market" | "twapId">[],
): Promise<void> {
  const nowMs = world.clock.elapsedMs();
  const due = twaps.filter(({ twapId }) => {
    const last = twapCancels.get(twapId);
    if (last === undefined) return true;
    return nowMs - last.atMs >= Math.min(CANCEL_EVERY_MS * 2 ** (last.times - 1), MAX_CANCEL_EVERY_MS);
  });
  const name = nameOfStop(stop);
  await Promise.all(
    due.map(async (twap) => {
      const last = twapCancels.get(twap.twapId) ?? null;
      twapCancels.set(twap.twapId, { atMs: nowMs, times: (last?.times ?? 0) + 1 });
      if (await cancelRunningTwap(world, settling, { name, account, ...twap })) return;
      // Nothing has left, for want of the list of markets for one: the next one does not wait longer for that.
      if (last === null) twapCancels.delete(twap.twapId);
      else twapCancels.set(twap.twapId, last);
    }),
  );
}

type ReadFirst = { withdrawal: Withdrawal; remaining: Remaining; isOutsideDue: boolean };

/** What has to be read before it is known: whether TWAPs have ended, and what was placed elsewhere. */
async function withdrawListed(tools: StopTools, { stop, account }: StoppedAccount, listed: ReadFirst): Promise<void> {
  const { world, settling, endedTwaps, cancelOutside } = tools;
  const { withdrawal, remaining, isOutsideDue } = listed;
  const nowMs = world.clock.elapsedMs();
  if (withdrawal.twapsElapsedMs !== null && nowMs - withdrawal.twapsElapsedMs < READ_EVERY_MS) return;
  withdrawal.twapsElapsedMs = nowMs;
  const [shown, areOrdersGone] = await Promise.all([
    readTwaps(world, account),
    isOutsideDue ? cancelOutside(stop, account) : false,
  ]);
  if (shown === null) {
    // Its feed may tell of them all the same.
    const nothing = { records: [], running: [], ended: listCanceledTwaps(world.store, account.id), newestMs: 0 };
    return cancelLikely(tools, { stop, account }, withdrawal, { sent: remaining.runningTwaps, shown: nothing });
  }
  for (const id of endedOf(world, remaining.runningTwaps, shown)) endedTwaps.add(id);
  for (const { twapId, market } of shown.running) withdrawal.shownTwaps.set(twapId, market);
  const own = remaining.runningTwaps.filter(({ id }) => !endedTwaps.has(id));
  const outside = isOutsideDue ? outsideTwaps(world, stop, shown.running) : [];
  const name = nameOfStop(stop);
  await Promise.all([
    cancelOwnTwaps(tools, { stop, account }, withdrawal, own),
    cancelLikely(tools, { stop, account }, withdrawal, { sent: own, shown }),
    ...outside.map((twap) => cancelRunningTwap(world, settling, { name, account, ...twap })),
  ]);
  if (!isOutsideDue) return;
  if (areOrdersGone) withdrawal.outsideReadings += 1;
  noteOutsideTwaps(world, stop, { twaps: outside, isDone: withdrawal.outsideReadings >= OUTSIDE_READINGS });
}

async function cancelLikely(
  tools: StopTools,
  { stop, account }: StoppedAccount,
  withdrawal: Withdrawal,
  sought: { sent: readonly StoredOperation[]; shown: TwapsShown },
): Promise<void> {
  const nowMs = tools.world.clock.elapsedMs();
  const { slicesElapsedMs: lastMs } = withdrawal;
  const areSlicesDue = lastMs === null || nowMs - lastMs >= SLICES_EVERY_MS;
  if (areSlicesDue) withdrawal.slicesElapsedMs = nowMs;
  const likely = await listLikely(tools.world, account, { ...sought, areSlicesDue });
  await cancelWhenDue(tools, { stop, account }, withdrawal, likely);
}

function outsideTwaps({ store }: With<"store">, stop: Stop, running: readonly UnendedTwap[]): UnendedTwap[] {
  const claimed = listClaimedTwaps(store, stop.accountId);
  return running.filter(({ twapId, isReduceOnly }) => !claimed.has(twapId) && !(isReduceOnly && stop.keepsProtection));
}

type OutsideTwaps = { twaps: readonly UnendedTwap[]; isDone: boolean };

function noteOutsideTwaps(
  { store, clock }: With<"clock" | "store">,
  { id }: Stop,
  { twaps, isDone }: OutsideTwaps,
): void {
  if (twaps.length === 0 && !isDone) return;
  const nowMs = clock.nowMs();
  inTransaction(store, () => {
    for (const { twapId: nativeId, market } of twaps)
      noteOutside(store, { stopId: id, kind: "twap", nativeId, market, outcome: "canceled" });
    if (isDone) updateStop(store, id, { outsideAtMs: nowMs }, nowMs);
  });
}
