import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { enter, type FlightRank, giveNumber, leave, lose } from "../../core/in-flight.ts";
import type { Flights, Slot, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { findAttempt, listOpenAttempts, listSameAction } from "../../store/attempts.ts";
import type { Store } from "../../store/open.ts";
import { type FlightQueue, openFlightQueue } from "./flight-queue.ts";

/** An attempt that has a slot. */
type Carried = Pick<Attempt, "expiresAtMs"> & { owner: string; slotId: number };

type FlightParts = With<"clock" | "log" | "store"> & { exchange: Pick<With<"exchange">["exchange"], "nowMs"> };

/** What is under way: the queue of each owner, and by attempt what has a slot in one. */
type UnderWay = { carried: Map<number, Carried>; queueOf(owner: string): FlightQueue };

/**
 * Keeps count of what is under way, and begins with what an earlier process left open. By owner: its agents follow one
 * another, and what the last one signed may still be under way.
 */
export function openFlights({ store, clock, exchange, log }: FlightParts): Flights {
  const queues = new Map<string, FlightQueue>();
  const going: UnderWay = { carried: new Map(), queueOf };
  let lastSlotId = 0;

  function queueOf(owner: string): FlightQueue {
    const known = queues.get(owner);
    if (known !== undefined) return known;
    const onFault = (error: unknown) =>
      log.error({ error: String(error) }, "what has ended of what is under way could not be looked at");
    const queue = openFlightQueue({ clock, onFault, open: (rank) => open(owner, rank), look: () => look(owner) });
    queues.set(owner, queue);
    return queue;
  }

  function open(owner: string, rank: FlightRank): Slot {
    const queue = queueOf(owner);
    lastSlotId += 1;
    queue.set(enter(queue.now(), lastSlotId, rank === "noop" ? "noop" : "reserved"));
    return slotOf(going, { owner, slotId: lastSlotId });
  }

  /** Frees the slots of actions that can no longer arrive, by the exchange's time, or whose outcome the rows know. */
  function look(owner: string): void {
    const nowMs = exchange.nowMs();
    for (const [attemptId, each] of [...going.carried]) {
      if (each.owner === owner && (nowMs > endsAtMs(each) || isKnown(store, attemptId))) landed(going, attemptId);
    }
  }

  for (const attempt of listOpenAttempts(store)) {
    // A batch has one number, and one slot: that of its first attempt.
    if (listSameAction(store, attempt)[0]?.id !== attempt.id) continue;
    const owner = findAccount(store, attempt.accountId)?.ownerAddress;
    if (owner === undefined || attempt.seal !== null) continue;
    open(owner, "order").take(attempt);
    lost(going, attempt.id);
  }
  return {
    take: (owner, rank) => queueOf(owner).take(rank),
    wait: (owner, rank, forMs) => queueOf(owner).wait(rank, forMs),
    landed: (attemptId) => landed(going, attemptId),
    lost: (attemptId) => lost(going, attemptId),
    isLost: (attemptId) => isLost(going, attemptId),
  };
}

type SlotPlace = Pick<Carried, "owner" | "slotId">;

function slotOf(going: UnderWay, place: SlotPlace): Slot {
  const { owner, slotId } = place;
  const { carried } = going;
  const queue = going.queueOf(owner);
  let attemptId: number | null = null;
  return {
    take({ id, expiresAtMs }) {
      // A transaction that was rolled back gives its attempt's id out again: what had the id before is gone.
      const before = carried.get(id);
      if (before !== undefined && before.slotId !== slotId) end(going, before);
      if (attemptId !== null) carried.delete(attemptId);
      attemptId = id;
      carried.set(id, { owner, slotId, expiresAtMs });
      queue.set(giveNumber(queue.now(), slotId));
    },
    leave() {
      if (attemptId === null) end(going, place);
      else landed(going, attemptId);
    },
  };
}

function end({ queueOf }: UnderWay, { owner, slotId }: SlotPlace): void {
  const queue = queueOf(owner);
  queue.set(leave(queue.now(), slotId));
  queue.serve();
}

function landed(going: UnderWay, attemptId: number): void {
  const action = going.carried.get(attemptId);
  going.carried.delete(attemptId);
  if (action !== undefined) end(going, action);
}

function lost({ carried, queueOf }: UnderWay, attemptId: number): void {
  const action = carried.get(attemptId);
  if (action === undefined) return;
  const queue = queueOf(action.owner);
  queue.set(lose(queue.now(), action.slotId));
}

function isLost({ carried, queueOf }: UnderWay, attemptId: number): boolean {
  const action = carried.get(attemptId);
  if (action === undefined) return false;
  const each = queueOf(action.owner)
    .now()
    .going.find(({ id }) => id === action.slotId);
  return each?.kind === "numbered" && each.isLost;
}

/** True where nothing under the attempt's number can be executed any more, or its outcome is known. */
function isKnown(store: Store, attemptId: number): boolean {
  const attempt = findAttempt(store, attemptId);
  return attempt === null || attempt.state === "done" || attempt.seal !== null;
}
