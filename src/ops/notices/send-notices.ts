import { isJustNow } from "../../core/kept-moment.ts";
import { isParkedAfter, type Notice, noticeOf, pauseAfter, type Receiver } from "../../core/notice/notice.ts";
import type { With } from "../../deps.ts";
import { inTransaction, inTransactionNotWaiting } from "../../store/commit.ts";
import { appendNotice, listAllEventsAfter } from "../../store/events.ts";
import { findReceiver, listReceivers, type ReceiverChange, updateReceiver } from "../../store/notice-receivers.ts";
import { isAccepted, placeNotice, saidBy, type ToTell, tell } from "./receivers.ts";

export type NoticeSender = {
  /** The next start goes on where this one has come to. */
  stop(): void;
};

type ToSendNotices = With<"log"> & ToTell;

/** Between two looks into the log, milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** Rows of one look. */
const PAGE_ROWS = 500;

/**
 * Tells each receiver what the log of events has for it, one after the other and none left out: its place moves when it has
 * taken what is told, so whatever dies in between is told again.
 */
export function openNoticeSender(world: ToSendNotices): NoticeSender {
  const running = new Set<string>();
  let isEnded = false;

  async function follow(id: string): Promise<void> {
    while (!isEnded) {
      const receiver = findReceiver(world.store, id);
      if (receiver === null || !isDue(world, receiver)) return;
      const next = nextNotice(world, receiver);
      if (next === null) return;
      const answer = await tell(world, receiver, next.notice);
      if (isEnded) return;
      if (isAccepted(answer)) noteTaken(world, receiver, next.eventId);
      else noteFailed(world, receiver, saidBy(answer));
    }
  }

  function look(): void {
    try {
      for (const receiver of listReceivers(world.store)) {
        const { id } = receiver;
        if (running.has(id) || !isDue(world, receiver)) continue;
        running.add(id);
        void follow(id)
          .catch((error: unknown) =>
            world.log.error({ error: String(error) }, "a notice could not be told; it is tried again"),
          )
          .finally(() => running.delete(id));
      }
    } catch (error) {
      world.log.error({ error: String(error) }, "the log of events could not be looked at for notices");
    }
  }

  async function run(): Promise<void> {
    while (!isEnded) {
      await world.clock.sleep(LOOK_EVERY_MS);
      if (!isEnded) look();
    }
  }

  void run();
  return {
    stop() {
      isEnded = true;
    },
  };
}

function isDue({ clock }: Pick<ToTell, "clock">, { parkedAtMs, nextAtMs, failures }: Receiver): boolean {
  const pauseMs = pauseAfter(failures);
  return parkedAtMs === null && !isJustNow(nextAtMs - pauseMs, clock.nowMs(), pauseMs);
}

type NextNotice = { eventId: number; notice: Notice };

/** Passes over what is told to nobody. Null where there is nothing new. */
function nextNotice(world: Pick<ToTell, "network" | "store">, { id, cursor }: Receiver): NextNotice | null {
  const { store } = world;
  let after = cursor;
  for (;;) {
    const page = listAllEventsAfter(store, after, PAGE_ROWS);
    for (const event of page) {
      const notice = noticeOf(event);
      if (notice !== null) return { eventId: event.id, notice: placeNotice(world, notice, event.accountId) };
    }
    const last = page.at(-1);
    if (last === undefined) return null;
    after = last.id;
    inTransactionNotWaiting(store, (within) => updateReceiver(within, id, { cursor: last.id }));
    if (page.length < PAGE_ROWS) return null;
  }
}

function noteTaken({ store }: Pick<ToTell, "store">, { id }: Receiver, cursor: number): void {
  const change: ReceiverChange = { cursor, failures: 0, failingSinceMs: null, nextAtMs: 0 };
  inTransactionNotWaiting(store, (within) => updateReceiver(within, id, change));
}

function noteFailed({ store, clock, log }: ToSendNotices, receiver: Receiver, reason: string): void {
  const { id, name, host } = receiver;
  const nowMs = clock.nowMs();
  const failures = receiver.failures + 1;
  const failingSinceMs = receiver.failingSinceMs ?? nowMs;
  const isParked = isParkedAfter(failures);
  const nextAtMs = nowMs + pauseAfter(failures);
  log.warn(
    { label: name, reason, attempts: failures },
    isParked ? "a receiver of notices is told nothing more" : "a notice was not taken",
  );
  inTransaction(store, () => {
    updateReceiver(store, id, { failures, failingSinceMs, nextAtMs, parkedAtMs: isParked ? nowMs : null });
    if (isParked) appendNotice(store, "receiver_parked", JSON.stringify({ receiver: name, host }), nowMs);
  });
}
