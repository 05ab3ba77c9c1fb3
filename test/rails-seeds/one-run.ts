/** All that a run is made of, and what it shows to the gateway. */
import type { Store } from "../../src/store/open.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Auditor, Price } from "./auditor.ts";
import { ACCOUNT, type Gateway, type Outside, type QuickClock } from "./gateway.ts";
import type { Asking, By } from "./requests.ts";
import { stateOf } from "./shown.ts";
import type { Asker, Venue } from "./venue.ts";

export type Run = {
  chance: Chance;
  store: Store;
  clock: QuickClock;
  venue: Venue;
  auditor: Auditor;
  gateway: Gateway;
  outside: Outside;
  asking: Asking;
  bots: By[];
  plain: By;
  /** What the exchange shows, dollars. */
  middles: number[];
  /** Nothing of markets can be read. */
  isDark: boolean;
  /** Who asks just now. */
  current: Asker;
  /** It asks alone: its answer may never come. */
  isAlone: boolean;
  /** Resolved when an answer has been asked for that is never to come. */
  hung: PromiseWithResolvers<void>;
};

export function showPositions({ venue, auditor, gateway, outside, clock }: Run): void {
  auditor.shown = [...venue.positions];
  const timeMs = clock.nowMs();
  gateway.deps.picture.take(
    ACCOUNT.tradingAddress,
    { part: "state", dex: "", value: stateOf(outside, timeMs) },
    { timeMs, askedAtMs: timeMs },
  );
}

export function showPrices(run: Run, lowest: number[]): void {
  run.auditor.prices = run.middles.map((middle, asset) => {
    lowest[asset] = Math.round(middle * 0.5);
    return priceAt(middle, run.clock.nowMs());
  });
}

export function refresh(run: Run): void {
  const { auditor, clock } = run;
  const isSame = auditor.prices.every(({ seenMs }) => seenMs === clock.nowMs());
  if (!isSame) auditor.prices = run.middles.map((middle) => priceAt(middle, clock.nowMs()));
}

/** Mark and oracle are not the same. */
function priceAt(middle: number, seenMs: number): Price {
  return { low: middle, high: middle + Math.floor(middle / 1_000), seenMs };
}
