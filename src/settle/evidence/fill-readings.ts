import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { type FillsRead, type IsEnough, readFills } from "../fills/fill-pages.ts";
import { keepBegunReadings } from "./begun-readings.ts";

/** Readings of fills that are under way: who needs those since a moment takes those since an earlier one, where they are whole. */
export type FillsUnderWay = {
  /** As `readFills`. */
  since(
    world: With<"clock" | "exchange" | "feeds" | "settings">,
    asked: { user: string; sinceMs: number; isEnough: IsEnough },
    options: InfoOptions,
  ): Promise<FillsRead | "failed">;
};

type SharedRead = { sinceMs: number; read: Promise<FillsRead | "failed"> };

export function shareFillReadings(): FillsUnderWay {
  const begun = keepBegunReadings<SharedRead>();
  return {
    async since(world, asked, options) {
      // Who asks for another server, or pays from another share, waits for an answer of his own.
      const name = [asked.user, useOf(options.purpose), options.onNewConnection === true].join(" ");
      const shared = begun.find(name, world.clock.elapsedMs());
      const joined = shared !== undefined && shared.sinceMs <= asked.sinceMs ? await shared.read : "failed";
      // What was enough for another says nothing of this one.
      if (joined !== "failed" && joined.isWhole) return joined;
      const read = readFills(world, asked, options);
      begun.begin(name, world.clock.elapsedMs(), { sinceMs: asked.sinceMs, read }, read);
      return read;
    },
  };
}
