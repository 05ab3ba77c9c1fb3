import type { Deps } from "../deps.ts";
import { countAwaiting } from "../store/restores.ts";

/** Why orders are not taken now, in plain words; empty when they are. */
export function whatIsMissing({ state, markets, store }: Deps): string[] {
  const waiting = countAwaiting(store);
  return [
    ...(state.phase === "trial" ? ["an upgrade is being checked"] : []),
    ...(state.phase === "ready" ? [] : ["what was in flight at the last stop is still being looked up"]),
    ...(state.writesStoppedBecause === null ? [] : [`writes are stopped: ${state.writesStoppedBecause}`]),
    ...(markets.current() === null ? ["the markets have not been read from the exchange yet"] : []),
    ...(waiting === 0 ? [] : [`after a restore, ${waiting} accounts wait for a new agent key and their orders since`]),
  ];
}
