/**
 * Why a cancel was stored that the gateway has asked for by itself, and whether that is so still: until it has closed its order it is
 * sent again and again, and meanwhile its bot may have bought what the order is to protect.
 */
import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { CLOCK_DOUBT_MS } from "../../core/evidence.ts";
import { LAPSED_WORDS } from "../../core/rails/idle-reduction.ts";
import type { ToSend, With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { note } from "../record/note.ts";
import { finishOrderAttempt } from "../record/record.ts";
import { latestNowMs } from "../send/intent.ts";
import { takeUnused } from "../send/seal.ts";

/** `unknown`: nobody can say it now, and it is not sent until somebody can. */
export type Ground = "stands" | "unknown" | "lapsed";

export type Grounds = {
  /** Reads what it is judged by, where that is missing. */
  read(attempt: Attempt): Promise<void>;
  /** By the rows as they are: inside the transaction that stores it anew as well. */
  judge(attempt: Attempt): Ground;
};

/** Where nothing can take back why a cancel is sent. */
export const LASTING: Grounds = { read: async () => undefined, judge: () => "stands" };

/** What takes back why one of these kinds of cancels was sent says nothing of the others. */
export function everyGround(grounds: readonly Grounds[]): Grounds {
  return {
    async read(attempt) {
      for (const each of grounds) if (each.judge(attempt) === "unknown") await each.read(attempt);
    },
    judge(attempt) {
      return grounds.map((each) => each.judge(attempt)).find((ground) => ground !== "stands") ?? "stands";
    },
  };
}

export async function groundOf({ grounds }: Pick<Tools, "grounds">, attempt: Attempt): Promise<Ground> {
  if (grounds.judge(attempt) === "unknown") await grounds.read(attempt);
  return grounds.judge(attempt);
}

/**
 * Gives up a cancel whose reason is gone. First the numbers are taken under which it may still be carried out, and its order is looked
 * at once more; true when that is behind it.
 */
export async function giveUpCancel(world: ToSend, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  if (pursuit.takenByMs === null) {
    await Promise.all(copiesOf(world, attempt).map((copy) => takeUnused(world, copy)));
    pursuit.takenByMs = latestNowMs(world) + CLOCK_DOUBT_MS;
    return false;
  }
  inTransaction(world.store, (store) => {
    note(world, attempt, "cancel given up", LAPSED_WORDS);
    finishOrderAttempt(store, attempt, { nowMs: world.clock.nowMs(), error: LAPSED_WORDS });
  });
  return true;
}

/** All that left under its name and is not over. What an answer says of it is not asked: a relay's is none about its number. */
function copiesOf({ store, exchange }: With<"exchange" | "store">, { resource, idempotencyKey }: Attempt): Attempt[] {
  return listAttemptsOf(store, resource.id).filter(
    (each) => each.idempotencyKey === idempotencyKey && exchange.nowMs() <= endsAtMs(each),
  );
}
