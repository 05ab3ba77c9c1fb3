/**
 * What the stream tells of an order while the answer to its placing is on its way. The answer says more; but where it is lost
 * after that, the stream will not tell it again.
 */
import type { Account } from "../../core/account.ts";
import { type Leg, wasTaken } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import type { OrderUpdate } from "../../wire/answer/stream.ts";
import { lastWord } from "./last-words.ts";

export type EarlyWords = {
  /** The newest word of an order stands in the place of the one before; an end stands. */
  heed(account: Account, leg: Leg, update: OrderUpdate): void;
  stop(): void;
};

/** Words that wait for an answer at once. */
const MAX_EARLY = 1_000;
/** Between two looks at whether the answer has come, and the longest wait for one: more than any deadline, milliseconds. */
const ANSWER_PAUSE_MS = 1_000;
const MAX_ANSWER_WAIT_MS = 60_000;

/** @param again called with each word of which the answer was lost, or named no id */
export function openEarlyWords(
  world: With<"clock" | "log" | "store">,
  again: (account: Account, update: OrderUpdate) => void,
): EarlyWords {
  const early = new Map<string, OrderUpdate>();
  let isStopped = false;

  async function keepUntilAnswered(account: Account, cloid: string, update: OrderUpdate): Promise<void> {
    early.set(cloid, update);
    for (let waitedMs = 0; waitedMs < MAX_ANSWER_WAIT_MS; waitedMs += ANSWER_PAUSE_MS) {
      await world.clock.sleep(ANSWER_PAUSE_MS);
      if (isStopped || early.get(cloid) !== update) return;
      const leg = findLegByCloid(world.store, cloid);
      if (leg === null || isAwaited(world, leg)) continue;
      // Of what is known to have never arrived it tells nothing: the record has been asked since.
      if (isLost(world, leg) || (leg.oid === null && wasTaken(leg))) again(account, update);
      break;
    }
    early.delete(cloid);
  }

  return {
    heed(account, leg, update) {
      const word = lastWord(early.get(leg.cloid), update);
      early.delete(leg.cloid);
      if (!isAwaited(world, leg) || early.size >= MAX_EARLY) return;
      keepUntilAnswered(account, leg.cloid, word).catch((error: unknown) => {
        if (!isStopped) world.log.error({ error: String(error) }, "what the feed told early could not be written down");
      });
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Somebody waits for the answer to its placing, which tells more than any look. */
export function isAwaited(world: With<"store">, leg: Leg): boolean {
  return leg.state === "sent" && !isLost(world, leg);
}

/** Its answer has been lost, whether or not that has been written down. */
export function isLost(world: With<"store">, { state, orderId }: Leg): boolean {
  return state === "lost" || (state === "sent" && findOrder(world.store, orderId)?.status === "unknown");
}
