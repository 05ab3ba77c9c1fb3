import type { With } from "../../deps.ts";
import type { InfoOptions, Use } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { type ClearinghouseState, parseClearinghouseState } from "../../wire/answer/account.ts";
import { shownPositions } from "../feed/shown.ts";
import { keepBegunReadings } from "./begun-readings.ts";

/**
 * Readings of positions that have just begun: who needs one of after a moment takes one where it turns out to be of after that, by
 * the exchange's own time in it, and asks else.
 */
export type PositionsUnderWay = {
  /** Null when they could not be read. @param asked `sinceMs`: of which moment it has to be newer, exchange time, unix milliseconds */
  after(
    world: With<"clock" | "exchange" | "feeds">,
    asked: { user: string; dex: string; sinceMs: number },
    options: InfoOptions,
  ): Promise<ClearinghouseState | null>;
};

export function sharePositionReadings(): PositionsUnderWay {
  const begun = keepBegunReadings<PaidPositions>();
  return {
    async after(world, { user, dex, sinceMs }, options) {
      const use = useOf(options.purpose);
      // Who asks for another server waits for an answer of his own.
      const name = [user, dex, options.onNewConnection === true].join(" ");
      const { state } = await begun.take(name, {
        fromMs: 0,
        nowMs: () => world.clock.elapsedMs(),
        read: async () => ({ use, state: await readPositions(world, { user, dex }, options) }),
        isEnough: (paid) => paid.state !== null && paid.state.timeMs > sinceMs,
        // That another share has nothing left says nothing of this one.
        isAsGood: (paid) => paid.state !== null || paid.use === use,
      });
      return state;
    },
  };
}

/** What was read, and from whose share it was paid. */
type PaidPositions = { use: Use; state: ClearinghouseState | null };

/** One reading; null when it failed. */
export async function readPositions(
  { exchange, feeds }: With<"exchange" | "feeds">,
  { user, dex }: { user: string; dex: string },
  options: InfoOptions,
): Promise<ClearinghouseState | null> {
  const outcome = await exchange.info({ type: "clearinghouseState", user, dex }, options);
  const state = outcome.kind === "ok" ? parseClearinghouseState(outcome.json) : null;
  if (state !== null) feeds.showed(user, shownPositions(dex, state.positions));
  return state;
}
