/** A loss that nothing tells of in an account where nothing else happens. */
import { directly, type Fate, type FateOf } from "./network.ts";

const RESET = { kind: "error", code: "ECONNRESET", afterMs: 50 } as const;
const NEVER_ARRIVED: Fate = { arrivesAfterMs: [], answer: RESET };
const UNHEARD: Fate = { arrivesAfterMs: [1], answer: RESET };

/** The first such request never arrives; the empty action that takes its number does, and its answer is lost. All else is well. */
export function neverKnown(isIt: (body: string) => boolean): FateOf {
  let [isLost, isBurnt] = [false, false];
  return ({ path, body }) => {
    if (path !== "/exchange") return directly(1);
    if (!isLost && isIt(body)) {
      isLost = true;
      return NEVER_ARRIVED;
    }
    if (isLost && !isBurnt && body.includes('"type":"noop"')) {
      isBurnt = true;
      return UNHEARD;
    }
    return directly(1);
  };
}
