import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { type ClearinghouseState, parseClearinghouseState } from "../../wire/answer/account.ts";
import { shownPositions } from "../feed/shown.ts";
import { keepBegunReadings } from "./begun-readings.ts";

/**
 * Readings of positions that are under way: who needs one of after a moment takes what is under way already where it turns out to be of after that, by
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
  const begun = keepBegunReadings<Promise<ClearinghouseState | null>>();
  return {
    async after(world, { user, dex, sinceMs }, options) {
      // Who asks for another server, or pays from another share, waits for an answer of his own.
      const name = [user, dex, useOf(options.purpose), options.onNewConnection === true].join(" ");
      // Another may have asked anew while the first was waited for.
      for (let turn = 0; turn < 2; turn += 1) {
        const reading = begun.find(name, world.clock.elapsedMs());
        if (reading === undefined) break;
        const joined = await reading;
        if (joined !== null && joined.timeMs > sinceMs) return joined;
      }
      const reading = readPositions(world, { user, dex }, options);
      begun.begin(name, world.clock.elapsedMs(), reading, reading);
      return reading;
    },
  };
}

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
