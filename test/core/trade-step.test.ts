/** What a trade does next, by the facts of its orders alone. */
import { expect, test } from "bun:test";
import { closedOfOthers } from "../../src/core/closed-of-others.ts";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import type { Trade } from "../../src/core/trade.ts";
import { heldOf, nextSteps, type Part, type TradeFacts } from "../../src/core/trade-step.ts";
import { entry, FOLLOWING, facts, OVER, PROFIT, part, REFUSED, TRADE } from "./trade-stage.ts";

function stopOf(size: string): object {
  return { kind: "place_guard", as: "stop", size };
}

function gone(...orderIds: string[]): object[] {
  return orderIds.map((orderId) => ({ kind: "cancel", orderId }));
}

const TOO_SMALL = "Order must have minimum value of $10.";

const MET = part("s1", { ...REFUSED, size: decimal("3"), refusal: "Invalid TP/SL price. asset=0" });
const AT = { entry: entry("3"), stops: [MET] };

/** As `PROFIT` has it. */
const AT_PROFIT = { triggerPrice: "120", price: "108", size: decimal("3") };
const MET_PROFIT = part("p1", { ...REFUSED, ...AT_PROFIT, refusal: "Invalid TP/SL price. asset=0" });
const PROTECTED = { entry: entry("3"), stops: [part("s1", { size: decimal("3") })], profits: [MET_PROFIT] };
const TAKEN = part("p2", { ...OVER, ...AT_PROFIT, triggerPrice: null, filled: decimal("1") });
const AS_LIMIT = { ...AT_PROFIT, triggerPrice: null };

function closed(filled: string): Part {
  return part("s2", { ...OVER, size: decimal("3"), filled: decimal(filled), triggerPrice: null });
}

function lost(orderId: string, unsettledForMs: number): Part {
  return part(orderId, { state: "unsettled", wasTaken: false, unsettledForMs });
}

function fired(orderId: string, unsettledForMs: number): Part {
  return part(orderId, { state: "unsettled", unsettledForMs });
}

function vain(count: number): Part[] {
  return Array.from({ length: count }, (_, nth) =>
    part(`s${nth}`, { ...OVER, size: decimal("3"), createdAtMs: 1_000 }),
  );
}

const ROWS: [string, Partial<Trade>, Partial<TradeFacts>, object[]][] = [
  ["nothing yet: the stop, whole", {}, {}, [stopOf("10")]],
  ["a stop of which nothing is known is waited for", {}, { stops: [lost("s1", 19_999)] }, []],
  ["not for ever: another goes beside it", {}, { stops: [lost("s1", 20_000)] }, [stopOf("10")]],
  ["the third waits twice as long", {}, { stops: [lost("s1", 60_000), lost("s2", 39_999)] }, []],
  ["and comes", {}, { stops: [lost("s1", 60_000), lost("s2", 40_000)] }, [stopOf("10")]],
  [
    "what fired and closed nothing is placed anew at once",
    FOLLOWING,
    { entry: entry("3", OVER), stops: vain(2), nowMs: 2_000 },
    [stopOf("3")],
  ],
  [
    "three of them, and it is waited for buyers",
    FOLLOWING,
    { entry: entry("3", OVER), stops: vain(3), nowMs: 9_999 },
    [],
  ],
  ["for ten seconds", FOLLOWING, { entry: entry("3", OVER), stops: vain(3), nowMs: 11_000 }, [stopOf("3")]],
  ["one that was there is waited for longer", FOLLOWING, { entry: entry("3"), stops: [fired("s1", 59_999)] }, []],
  ["and then replaced", FOLLOWING, { entry: entry("3"), stops: [fired("s1", 60_000)] }, [stopOf("3")]],
  [
    "what was lost goes when the new one stands",
    FOLLOWING,
    { entry: entry("3"), stops: [{ ...lost("s1", 30_000), size: decimal("3") }, part("s2", { size: decimal("3") })] },
    gone("s1"),
  ],
  ["a stop that waits: the entry", {}, { stops: [part("s1")] }, [{ kind: "place_entry" }]],
  [
    "one that was shown to wait two seconds ago is believed",
    {},
    { stops: [part("s1", { shownAtMs: 1_000 })], nowMs: 3_000 },
    [{ kind: "place_entry" }],
  ],
  ["one of longer ago is asked for first", {}, { stops: [part("s1", { shownAtMs: 1_000 })], nowMs: 3_001 }, []],
  ["nor by a clock that was set back", {}, { stops: [part("s1", { shownAtMs: 1_000 })], nowMs: 999 }, []],
  ["a stop that never arrived is placed again", {}, { stops: [part("s1", REFUSED)] }, [stopOf("10")]],
  [
    "a stop that needs a position: after each fill",
    {},
    { stops: [part("s1", { ...REFUSED, refusal: "Reduce only order would increase position." })] },
    [{ kind: "follow_fills" }],
  ],
  [
    "the same by the word of its record, where the answer was lost",
    {},
    {
      stops: [
        part("s1", {
          ...REFUSED,
          refusal: "rejected: reduce-only, and it would increase the position (reduceOnlyRejected)",
        }),
      ],
    },
    [{ kind: "follow_fills" }],
  ],
  [
    "a stop that is refused for anything else: nothing is entered",
    {},
    { stops: [part("s1", { ...REFUSED, refusal: "Invalid TP/SL price." })] },
    [{ kind: "end", status: "rejected", error: "the stop was refused: Invalid TP/SL price." }],
  ],
  [
    "a stop that fired before the entry: nothing is entered",
    {},
    { stops: [part("s1", OVER)] },
    [{ kind: "end", status: "rejected", error: "its stop was gone before the entry was sent" }],
  ],
  ["canceled before the entry: the stop goes", { isEntryUnwanted: true }, { stops: [part("s1")] }, gone("s1")],
  [
    "moved before the entry: the new one first",
    { stopLoss: { triggerPrice: "95", price: "86", isMarket: true } },
    { stops: [part("s1")] },
    [stopOf("10")],
  ],
  ["whole while the entry fills", {}, { entry: entry("3"), stops: [part("s1")] }, []],
  [
    "the entry over in part: a stop of that, before the whole one goes",
    {},
    { entry: entry("3", OVER), stops: [part("s1")] },
    [stopOf("3")],
  ],
  [
    "and then the whole one goes",
    {},
    { entry: entry("3", OVER), stops: [part("s1"), part("s2", { size: decimal("3") })] },
    gone("s1"),
  ],
  ["fills after: nothing before one", FOLLOWING, { entry: entry("0") }, []],
  ["fills after: a stop of just that", FOLLOWING, { entry: entry("3") }, [stopOf("3")]],
  [
    "fills after: the larger one before the smaller goes",
    FOLLOWING,
    { entry: entry("5"), stops: [part("s1", { size: decimal("3") })] },
    [stopOf("5")],
  ],
  [
    "too small for the exchange: not asked for again before there is more",
    FOLLOWING,
    { entry: entry("1"), stops: [part("s1", { ...REFUSED, size: decimal("1"), refusal: TOO_SMALL })], nowMs: 60_000 },
    [],
  ],
  [
    "and asked for then",
    FOLLOWING,
    { entry: entry("2"), stops: [part("s1", { ...REFUSED, size: decimal("1"), refusal: TOO_SMALL })] },
    [stopOf("2")],
  ],
  [
    "refused for anything else it is asked for again in time",
    FOLLOWING,
    { entry: entry("1"), stops: [part("s1", { ...REFUSED, size: decimal("1"), refusal: "No." })], nowMs: 9_999 },
    [],
  ],
  [
    "which is ten seconds",
    FOLLOWING,
    { entry: entry("1"), stops: [part("s1", { ...REFUSED, size: decimal("1"), refusal: "No." })], nowMs: 10_000 },
    [stopOf("1")],
  ],
  [
    "refused because the mark has come to it: nothing more is entered, and what is held is closed at once",
    FOLLOWING,
    { ...AT, mark: decimal("90") },
    [...gone("entry"), { kind: "close_now", as: "stop", size: "3" }],
  ],
  [
    "the same by the word of its record",
    FOLLOWING,
    { entry: entry("3", OVER), stops: [{ ...MET, refusal: "rejected: (badTriggerPxRejected)" }], mark: decimal("80") },
    [{ kind: "close_now", as: "stop", size: "3" }],
  ],
  ["not while the mark has not come to it by what is known", FOLLOWING, { ...AT, mark: decimal("90.01") }, []],
  ["nor while nobody knows the mark", FOLLOWING, { ...AT, mark: null }, []],
  [
    "nor where it was refused for anything else",
    FOLLOWING,
    { ...AT, stops: [{ ...MET, refusal: "No." }], mark: decimal("80") },
    [],
  ],
  [
    "nor what an older stop protects still",
    FOLLOWING,
    { ...AT, stops: [part("s0", { size: decimal("3") }), MET], mark: decimal("80") },
    [],
  ],
  [
    "closed in part, the rest is tried again in ten seconds",
    FOLLOWING,
    { entry: entry("3", OVER), stops: [MET, closed("1")], mark: decimal("80"), nowMs: 9_999 },
    [],
  ],
  [
    "and then by what is left",
    FOLLOWING,
    { entry: entry("3", OVER), stops: [MET, closed("1")], mark: decimal("80"), nowMs: 10_000 },
    [{ kind: "close_now", as: "stop", size: "2" }],
  ],
  [
    "where the mark went back the stop is tried again",
    FOLLOWING,
    { entry: entry("3", OVER), stops: [MET, closed("1")], mark: decimal("91"), nowMs: 10_000 },
    [stopOf("2")],
  ],
  [
    "a stop that is gone ends the entry, and is put back for what is held",
    {},
    { entry: entry("3"), stops: [part("s1", OVER)] },
    [...gone("entry"), stopOf("10")],
  ],
  [
    "the profit comes after the stop",
    { ...FOLLOWING, ...PROFIT },
    { entry: entry("3"), stops: [part("s1", { size: decimal("3"), state: "unsettled" })] },
    [],
  ],
  [
    "of the same size",
    { ...FOLLOWING, ...PROFIT },
    { entry: entry("3"), stops: [part("s1", { size: decimal("3") })] },
    [{ kind: "place_guard", as: "profit", size: "3" }],
  ],
  [
    "what the profit has closed the stop no longer covers",
    PROFIT,
    {
      entry: entry("10", OVER),
      stops: [part("s1")],
      profits: [part("p1", { triggerPrice: "120", price: "108", remaining: decimal("6"), filled: decimal("4") })],
    },
    [stopOf("6")],
  ],
  [
    "a take-profit refused because the mark has come to it: nothing more is entered, and what is held is closed at once",
    { ...FOLLOWING, ...PROFIT },
    { ...PROTECTED, mark: decimal("120") },
    [...gone("entry"), { kind: "close_now", as: "profit", size: "3" }],
  ],
  [
    "not while the mark is not there by what is known",
    { ...FOLLOWING, ...PROFIT },
    { ...PROTECTED, mark: decimal("119.9") },
    [],
  ],
  [
    "nor before what is held is protected",
    { ...FOLLOWING, ...PROFIT },
    { ...PROTECTED, stops: [], mark: decimal("130") },
    [stopOf("3")],
  ],
  [
    "nor where it was moved since",
    { ...FOLLOWING, takeProfit: { triggerPrice: "150", price: "135", isMarket: true } },
    { ...PROTECTED, mark: decimal("130") },
    [{ kind: "place_guard", as: "profit", size: "3" }],
  ],
  [
    "where the mark went back the take-profit is tried again",
    { ...FOLLOWING, ...PROFIT },
    { ...PROTECTED, mark: decimal("110"), nowMs: 10_000 },
    [{ kind: "place_guard", as: "profit", size: "3" }],
  ],
  [
    "closed at the take-profit in part, the rest is tried again in ten seconds",
    PROFIT,
    {
      ...PROTECTED,
      entry: entry("3", OVER),
      profits: [MET_PROFIT, TAKEN],
      mark: decimal("121"),
      stops: [part("s1", { size: decimal("2") })],
      nowMs: 9_999,
    },
    [],
  ],
  [
    "and then by what is left",
    PROFIT,
    {
      ...PROTECTED,
      entry: entry("3", OVER),
      profits: [MET_PROFIT, TAKEN],
      mark: decimal("121"),
      stops: [part("s1", { size: decimal("2") })],
      nowMs: 10_000,
    },
    [{ kind: "close_now", as: "profit", size: "2" }],
  ],
  [
    "a limit that it has become rests, and is not placed twice",
    PROFIT,
    {
      ...PROTECTED,
      entry: entry("3", OVER),
      profits: [MET_PROFIT, part("p2", { ...AS_LIMIT, state: "working" })],
      mark: decimal("121"),
      nowMs: 60_000,
    },
    [],
  ],
  [
    "all closed: the other goes",
    PROFIT,
    { entry: entry("10", OVER), stops: [part("s1")], profits: [part("p1", { ...OVER, filled: decimal("10") })] },
    gone("s1"),
  ],
  [
    "and that was it",
    PROFIT,
    {
      entry: entry("10", OVER),
      stops: [part("s1", { ...OVER, isLeaving: true })],
      profits: [part("p1", { ...OVER, filled: decimal("10") })],
    },
    [{ kind: "end", status: "closed", error: null }],
  ],
  [
    "closed by others: its stop goes",
    {},
    { entry: entry("10", OVER), stops: [part("s1")], position: ZERO },
    gone("s1"),
  ],
  [
    "and it says so",
    {},
    { entry: entry("10", OVER), stops: [part("s1", { ...OVER, isLeaving: true })], position: ZERO },
    [{ kind: "end", status: "closed_outside", error: null }],
  ],
  [
    "closed by others in part: the stop follows",
    {},
    { entry: entry("10", OVER), stops: [part("s1")], position: decimal("4") },
    [stopOf("4")],
  ],
  [
    "under a stop that takes protection away it is not at its end before that is gone",
    {},
    { entry: entry("10", OVER), stops: [part("s1")], isWithdrawn: true },
    [],
  ],
  [
    "under a stop that takes protection away nothing is put back",
    {},
    { entry: entry("10", OVER), stops: [part("s1", OVER)], isWithdrawn: true },
    [{ kind: "end", status: "withdrawn", error: "a stop took its protection away" }],
  ],
  [
    "an entry that was refused",
    {},
    {
      entry: entry("0", { ...REFUSED, error: "Insufficient margin." }),
      stops: [part("s1", { ...OVER, isLeaving: true })],
    },
    [{ kind: "end", status: "rejected", error: "Insufficient margin." }],
  ],
];

test.each(ROWS)("%s", (_what, trade, some, steps) => {
  expect(nextSteps({ ...TRADE, ...trade }, facts(some))).toEqual(steps as ReturnType<typeof nextSteps>);
});

/** At that time so much was filled, of the entry, or of a guard where it is negative. */
function filledAt(timeMs: number, size: number) {
  return { timeMs, size: decimal(String(Math.abs(size))), isOfEntry: size > 0 };
}

test.each([
  ["nothing was filled", [], "0"],
  ["the stop closed what the entry had filled", [filledAt(1, 5), filledAt(2, -5)], "0"],
  ["it fired first, on what others held", [filledAt(1, -2), filledAt(2, 5)], "2"],
  ["and in whatever order that is listed", [filledAt(2, 5), filledAt(1, -2)], "2"],
  ["it closed all that the entry had filled by then, and more", [filledAt(1, 1), filledAt(2, -3), filledAt(3, 2)], "2"],
  ["twice", [filledAt(1, -1), filledAt(2, 1), filledAt(3, -2), filledAt(4, 4)], "2"],
  ["in the same millisecond the entry was first", [filledAt(1, -5), filledAt(1, 5)], "0"],
])("guards have closed of others: %s", (_what, fills, beyond) => {
  expect(closedOfOthers(fills)).toBe(decimal(beyond));
});

test("what guards have closed of others is held, and ends a trade as closed by its own when that is closed too", () => {
  const stops = [part("s1", { ...OVER, filled: decimal("2") })];
  const at = facts({ entry: entry("5", OVER), stops, closedOfOthers: decimal("2"), position: decimal("5") });
  expect(heldOf(at)).toBe(decimal("5"));
  expect(nextSteps(TRADE, at)).toEqual([stopOf("5")] as ReturnType<typeof nextSteps>);
  const again = part("s2", { ...OVER, size: decimal("5"), filled: decimal("5") });
  const after = { ...at, stops: [...stops, again], position: ZERO };
  expect(nextSteps(TRADE, after)).toEqual([{ kind: "end", status: "closed", error: null }]);
  expect(nextSteps(TRADE, { ...at, position: ZERO })).toEqual([{ kind: "end", status: "closed_outside", error: null }]);
});
