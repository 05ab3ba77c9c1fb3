import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { type ClearinghouseState, parseClearinghouseState } from "../../wire/answer/account.ts";
import { shownPositions } from "../feed/shown.ts";

/**
 * Readings of positions that are under way. Of an account that closes many orders at once each would ask for the same: who needs one of after a
 * moment takes what is under way already where it turns out to be of after that, by the exchange's own time in it, and asks else. Nothing is kept
 * once it is there: two readings of one order are two answers.
 */
export type PositionsUnderWay = {
  /** Null when they could not be read. @param asked `sinceMs`: of which moment it has to be newer, exchange time, unix milliseconds */
  after(
    world: With<"exchange" | "feeds">,
    asked: { user: string; dex: string; sinceMs: number },
    options: InfoOptions,
  ): Promise<ClearinghouseState | null>;
};

export function sharePositionReadings(): PositionsUnderWay {
  const underWay = new Map<string, Promise<ClearinghouseState | null>>();
  return {
    async after(world, { user, dex, sinceMs }, options) {
      // Who asks for another server, or pays from another share, waits for an answer of his own.
      const name = [user, dex, useOf(options.purpose), options.onNewConnection === true].join(" ");
      // Another may have asked anew while the first was waited for.
      for (let turn = 0; turn < 2; turn += 1) {
        const reading = underWay.get(name);
        if (reading === undefined) break;
        const joined = await reading;
        if (joined !== null && joined.timeMs > sinceMs) return joined;
      }
      const reading = readPositions(world, { user, dex }, options);
      underWay.set(name, reading);
      return reading.finally(() => {
        if (underWay.get(name) === reading) underWay.delete(name);
      });
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
