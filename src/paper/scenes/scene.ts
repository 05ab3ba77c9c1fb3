/** What a scene is made of. */
import type { EngineOptions } from "../engine/options.ts";
import type { FaultRule, MarketChange } from "../faults.ts";
import type { Task } from "./task.ts";

export type Scene = {
  readonly name: string;
  /** What befalls the bot, in a sentence. */
  readonly story: string;
  readonly task: Task;
  /** The first of them that is due strikes; `pick` gives one of so many by the seed. */
  readonly rules: (pick: Pick) => readonly FaultRule[];
  /** What happens to the account or the market when the stores have begun to lag, before the bot starts. */
  readonly before: "half is closed" | "through the stop" | null;
  /** A change of the list of markets, right after it was read for the first time. */
  readonly afterList: MarketChange | null;
  readonly engine: Partial<EngineOptions>;
};

export type Pick = <T>(choices: readonly [T, ...T[]]) => T;
