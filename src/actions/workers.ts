import type { Deps, World } from "../deps.ts";
import { openCanceler } from "../settle/cancel-all/canceler.ts";
import { openCloser } from "../settle/close/closer.ts";
import type { Settler } from "../settle/settler.ts";
import { openStopper } from "../settle/stop/stopper.ts";
import { adoptOutside } from "./adopt-outside.ts";
import { cancelOutside } from "./cancel-outside.ts";
import { positionOf } from "./close-facts.ts";
import { openGatewayFlattener } from "./flatten-facts.ts";
import { openGatewayTrader } from "./trade-parts.ts";

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
    flattener: openGatewayFlattener(world, settler, deps),
    closer: openCloser(world, { canceler, position: positionOf(deps) }),
    canceler,
    trader: openGatewayTrader(world, settler, deps),
  };
}

/** All but stops, which a start goes on with before anything else. */
export function heedClosing({ flattener, closer, canceler, trader }: Workers): void {
  for (const each of [flattener, closer, canceler, trader]) each.heed();
}
