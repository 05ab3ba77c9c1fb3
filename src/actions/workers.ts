import type { Deps, World } from "../deps.ts";
import { openCanceler } from "../settle/cancel-all/canceler.ts";
import { openCloser } from "../settle/close/closer.ts";
import type { Settler } from "../settle/settler.ts";
import { openFlattener } from "../settle/stop/flattener.ts";
import { openStopper } from "../settle/stop/stopper.ts";
import { openTrader } from "../settle/trade/trader.ts";
import { adoptOutside } from "./adopt-outside.ts";
import { cancelOutside } from "./cancel-outside.ts";
import { closerParts, flattenParts, traderParts } from "./worker-parts.ts";

export type Workers = ReturnType<typeof openWorkers>;

/**
 * Those who go on with what a row asks for, wherever a process has died.
 *
 * @param deps asked for late: they are opened before it is whole
 */
export function openWorkers(world: World, settler: Settler, deps: () => Deps) {
  const canceler = openCanceler(world, {
    settling: settler,
    adoptOutside: (...about) => adoptOutside(deps(), ...about),
  });
  return {
    stopper: openStopper(world, { settling: settler, cancelOutside: (...about) => cancelOutside(deps(), ...about) }),
    flattener: openFlattener(world, flattenParts(settler, deps)),
    closer: openCloser(world, { canceler, ...closerParts(deps) }),
    canceler,
    trader: openTrader(world, traderParts(settler, deps)),
  };
}

/** All but stops, which a start goes on with before anything else. */
export function heedClosing({ flattener, closer, canceler, trader }: Workers): void {
  for (const each of [flattener, closer, canceler, trader]) each.heed();
}
