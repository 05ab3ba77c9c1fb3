import { isSaidOver } from "../../core/order.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { applySight } from "./apply-sight.ts";
import { isMissedBy, lookAtLeg, type Sight, type Sought } from "./look.ts";

/** Looks by id that may miss an order because a node is behind, before all of the account is read. */
export const LOOKS_BEHIND = 5;

/**
 * A look at an order that has been at the exchange: where no record of it is kept any more, or another's hides it, whatever else tells of it is
 * asked (`evidence/vanished`). Who pursues an order has no other way to its end then.
 */
export async function lookBeyondRecord(tools: Tools, sought: Sought, options: InfoOptions): Promise<Sight> {
  const { world, vanished, evidence } = tools;
  const { leg } = sought;
  const sight = await lookAtLeg(world, evidence, sought, options);
  if (sight.kind === "seen" || sight.kind === "unfinished") vanished.shown(leg.cloid);
  if (!isMissedBy(sight, leg)) return sight;
  // A cancel that was carried out may have met the other one.
  if (sight.kind === "foreign" && isSaidOver(leg)) return sight;
  // The alarm about somebody else's order is raised in any case.
  if (sight.kind === "foreign") applySight(world, leg, sight);
  return vanished.look(sought);
}

/** A step of the pursuit of one that is over, and whose size is not known: the record of it may be kept no longer, and of fills alone nobody would ever say that they are all. */
export function lookAtClosing(tools: Tools, { looks }: Pursuit, sought: Sought, options: InfoOptions): Promise<Sight> {
  if (looks >= LOOKS_BEHIND) return lookBeyondRecord(tools, sought, options);
  return lookAtLeg(tools.world, tools.evidence, sought, options);
}
