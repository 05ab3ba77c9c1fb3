/** What the alerts of a day would have done: by the same rules, from nothing held. */
import { expect, test } from "bun:test";
import { rehearse } from "../../src/core/hook/rehearsal.ts";

const START_MS = Date.parse("2026-11-22T09:30:00Z");
const TERMS = { mode: "target", market: "BTC", maxAgeMs: 60_000, sameWithinMs: 60_000 } as const;

type Came = [afterS: number, alert: object];

function outcomes(terms: Parameters<typeof rehearse>[0], came: Came[]): string[] {
  const alerts = came.map(([afterS, value], nth) => ({
    id: nth,
    receivedAtMs: START_MS + afterS * 1_000,
    repeats: 0,
    json: { kind: "value" as const, value },
  }));
  return rehearse(terms, alerts).map(({ outcome }) => outcome);
}

test("targets: each by what the one before left, the late and the old without effect", () => {
  const came: Came[] = [
    [1, { time: "2026-11-22T09:30:00Z", target: "0.5" }],
    [9, { time: "2026-11-22T09:30:00Z", target: "0.5" }],
    [20, { time: "2026-11-22T09:30:20Z", target: "-0.2" }],
    [30, { time: "2026-11-22T09:30:10Z", target: "1" }],
    [99, { time: "2026-11-22T09:30:30Z", target: "1" }],
    [99, { time: "2026-11-22T09:31:30Z", target: "-0.2" }],
    [99, { target: "1" }],
  ];
  expect(outcomes(TERMS, came)).toEqual([
    "buy 0.5; then 0.5 is held",
    "the same again",
    "sell 0.5, only to reduce; then sell 0.2; then -0.2 is held",
    "superseded: a newer one came first",
    "too old: 69000 ms",
    "nothing: -0.2 is held already",
    "refused: time is required where an alert says what is to be held",
  ]);
});

test("orders: alike without a time they are one for as long as the hook says", () => {
  const buy = { side: "buy", size: "1", price: "60000" };
  const came: Came[] = [
    [0, buy],
    [59, buy],
    [60, buy],
    [61, { side: "sell", size: "1", reduce_only: true }],
  ];
  expect(outcomes({ ...TERMS, mode: "order" }, came)).toEqual([
    "buy 1 at 60000 gtc",
    "the same again",
    "buy 1 at 60000 gtc",
    "sell 1 at the best price, only to reduce",
  ]);
});
