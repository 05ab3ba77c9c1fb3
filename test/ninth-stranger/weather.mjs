// What befalls frames, stores and actions, drawn from a number.
import { WAYS } from "./door.mjs";

/** Frames late, lost, doubled, out of order, cut. */
export function roughFeed(random, rough) {
  return (channel) => {
    if (channel === "pong" || channel === "subscriptionResponse") return [0];
    const p = random.next();
    if (p < 0.12 * rough) return [];
    if (p < 0.3 * rough) return [random.between(20, 4000)];
    if (p < 0.45 * rough) return [0, random.between(10, 6000)];
    if (p < 0.47 * rough) return ["cut"];
    if (p < 0.52 * rough) return [random.between(5000, 30_000)];
    return [0];
  };
}

/** A lag for each store, drawn anew for each request: mostly milliseconds, at times as much as `mostMs`. */
export function roughLags(random, mostMs) {
  const kinds = new Map();
  return (store) => {
    if (!kinds.has(store)) kinds.set(store, random.of([0, 1, 1, 2]));
    const kind = kinds.get(store);
    if (kind === 0) return random.between(0, 30);
    if (kind === 1) return random.chance(0.5) ? random.between(0, 900) : random.between(0, mostMs);
    return random.chance(0.85) ? random.between(0, 200) : random.between(mostMs / 2, mostMs);
  };
}

/** An exchange in trouble: an action in so many is carried out or not, and its answer is one of the bad ones. */
export function roughDoor(random, part) {
  return (envelope) => {
    if (envelope.action.type === "approveAgent" || !random.chance(part)) return null;
    const run = random.of(["done", "done", "never", "late"]);
    const ways = WAYS.filter((of) => of !== "text" || run === "done");
    const way = random.of(ways);
    return {
      run,
      way:
        run === "done"
          ? way
          : random.of([
              "429",
              "429-empty",
              "500",
              "502",
              "503",
              "504",
              "html",
              "empty",
              "null",
              "reset",
              "hang",
              "redirect",
            ]),
      afterMs: random.between(100, 9000),
      beforeMs: random.chance(0.3) ? random.between(10, 2000) : 0,
      pauseMs: random.chance(0.2) ? random.between(100, 3000) : 0,
    };
  };
}

export function roughInfo(random, part) {
  return () =>
    random.chance(part)
      ? random.of(["429", "429-empty", "500", "502", "html", "empty", "null", "cut", "short", "reset", "redirect"])
      : null;
}

export const WORDS = [
  "marginCanceled",
  "vaultWithdrawalCanceled",
  "openInterestCapCanceled",
  "selfTradeCanceled",
  "reduceOnlyCanceled",
  "siblingFilledCanceled",
  "delistedCanceled",
  "liquidatedCanceled",
  "outcomeSettledCanceled",
  "scheduledCancel",
  "internalCancel",
  "perpMaxPositionCanceled",
];
