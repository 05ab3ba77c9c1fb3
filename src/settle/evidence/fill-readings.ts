import type { With } from "../../deps.ts";
import type { InfoOptions, Use } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { type FillsRead, type IsEnough, readFills } from "../fills/fill-pages.ts";
import { keepBegunReadings } from "./begun-readings.ts";

/** Readings of fills that have just begun: who needs those since a moment takes those since an earlier one, where they are whole. */
export type FillsUnderWay = {
  /** As `readFills`. */
  since(
    world: With<"clock" | "exchange" | "feeds" | "settings">,
    asked: { user: string; sinceMs: number; isEnough: IsEnough },
    options: InfoOptions,
  ): Promise<FillsRead | "failed">;
};

export function shareFillReadings(): FillsUnderWay {
  const begun = keepBegunReadings<PaidFills>();
  return {
    async since(world, asked, options) {
      const use = useOf(options.purpose);
      // Who asks for another server waits for an answer of his own.
      const name = [asked.user, options.onNewConnection === true].join(" ");
      const { read } = await begun.take(name, {
        fromMs: asked.sinceMs,
        nowMs: () => world.clock.elapsedMs(),
        read: async () => ({ use, read: await readFills(world, asked, options) }),
        // What was enough for another says nothing of this one.
        isEnough: (paid) => paid.read !== "failed" && paid.read.isWhole,
        // That another share has nothing left says nothing of this one.
        isAsGood: (paid) => paid.read === "failed" && paid.use === use,
      });
      return read;
    },
  };
}

/** What was read, and from whose share it was paid. */
type PaidFills = { use: Use; read: FillsRead | "failed" };
