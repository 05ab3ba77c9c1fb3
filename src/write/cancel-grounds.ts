import type { ToJudge } from "../deps.ts";
import { everyGround, type Grounds } from "../settle/cancel/grounds.ts";
import { keptTriggerGrounds } from "../settle/stop/kept-triggers.ts";
import { idleGrounds } from "./cancel-idle-reductions.ts";

/** Of all cancels that the gateway has asked for by itself, why they are sent again. */
export function cancelGrounds(worldOf: () => ToJudge): Grounds {
  return everyGround([idleGrounds(worldOf), keptTriggerGrounds(worldOf)]);
}
