/** What protects a trade is not waited for by a clock that was set back. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { nextSteps, type Part, type TradeFacts, type TradeStep } from "../../src/core/trade-step.ts";
import { entry, FOLLOWING, facts, OVER, part, REFUSED, TRADE } from "./trade-stage.ts";

const AT_MS = 20_000;
const SIZE = decimal("3");
const STOP: TradeStep = { kind: "place_guard", as: "stop", size: SIZE };
const CLOSE: TradeStep = { kind: "close_now", as: "stop", size: SIZE };

const made = { size: SIZE, createdAtMs: AT_MS };
const REFUSED_STOP = part("s1", { ...REFUSED, ...made, refusal: "Insufficient margin." });
const IN_VAIN: Part[] = ["s1", "s2", "s3"].map((id) => part(id, { ...OVER, ...made }));
const MET = part("s1", { ...REFUSED, size: SIZE, refusal: "Invalid TP/SL price. asset=0" });
const TRIED = part("s2", { ...OVER, ...made, triggerPrice: null });

const ROWS: [string, Partial<TradeFacts>, TradeStep][] = [
  ["a stop that was refused", { entry: entry("3"), stops: [REFUSED_STOP] }, STOP],
  ["stops that fired in vain", { entry: entry("3", OVER), stops: IN_VAIN }, STOP],
  ["a close of what is overdue", { entry: entry("3", OVER), stops: [MET, TRIED], mark: decimal("89") }, CLOSE],
];

test.each(ROWS)(
  "%s is tried again after ten seconds, and at once where the clock was set back",
  (_what, some, step) => {
    const at = (nowMs: number) => nextSteps({ ...TRADE, ...FOLLOWING }, facts({ ...some, nowMs }));
    expect([at(AT_MS + 9_999), at(AT_MS + 10_000), at(AT_MS - 1)]).toEqual([[], [step], [step]]);
  },
);
