/** A change of margin: what two readings of a position prove, of which neither says what it is complete to. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, type Decimal, decimal } from "../../src/core/decimal.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import {
  concludeMargin,
  type EarlierMargin,
  hasAllBefore,
  isWorthReadingAgain,
  type MarginBefore,
  type MarginChange,
  type MarginReading,
  type OtherMargin,
  type TimedMargin,
} from "../../src/core/margin-evidence.ts";

function cash(rawUsd: string, signedSize = "1", fundingSinceOpen = "0"): MarginReading {
  return { rawUsd: decimal(rawUsd), signedSize: decimal(signedSize), fundingSinceOpen: decimal(fundingSinceOpen) };
}

/** A reading that was asked for as the exchange has it of. */
function at(timeMs: number, reading: MarginReading | null, askedAtMs = timeMs): TimedMargin {
  return { askedAtMs, timeMs, reading };
}

const TEN: MarginChange = { amount: decimal("10"), endsAtMs: 17_000 };
const SETTLED_MS = TEN.endsAtMs + BEHIND_MS + 1;
const BEFORE: MarginBefore = { ...at(1_500, cash("-100")), isProven: true };
const LAST: EarlierMargin = { ...TEN, isDone: true, before: BEFORE };
const MAYBE: EarlierMargin = { ...LAST, isDone: false };
const BARE: EarlierMargin = { ...LAST, before: null };
const GUESSED: EarlierMargin = { ...LAST, before: { ...BEFORE, isProven: false } };

type First = { shown: TimedMargin; last?: EarlierMargin | null; fillAtMs?: number };

test.each<[string, First, "all" | "again" | "not all"]>([
  ["nothing went before it", { shown: at(3_000, cash("-90")), last: null }, "all"],
  ["a fill is newer", { shown: at(3_000, cash("-90")), fillAtMs: 3_001 }, "again"],
  ["it shows what the last change did", { shown: at(3_000, cash("-90")), fillAtMs: 2_500 }, "all"],
  ["it shows it beside funding", { shown: at(3_000, cash("-91", "1", "1")) }, "all"],
  ["it does not show it", { shown: at(3_000, cash("-100")) }, "again"],
  ["it does not show it, under a time of after it", { shown: at(17_001, cash("-100")) }, "again"],
  ["it is of before it", { shown: at(1_499, cash("-90")) }, "again"],
  ["the last may not have run", { shown: at(3_000, cash("-90")), last: MAYBE }, "again"],
  ["the last may not have run, and has ended", { shown: at(17_001, cash("-90")), last: MAYBE }, "not all"],
  ["what was before the last is not proven", { shown: at(3_000, cash("-90")), last: GUESSED }, "not all"],
  ["the same, and a fill is newer", { shown: at(3_000, cash("-90")), last: GUESSED, fillAtMs: 3_001 }, "again"],
  ["the same, of after it by its own time", { shown: at(17_001, cash("-90")), last: GUESSED }, "not all"],
  ["what was before the last is not known", { shown: at(3_000, cash("-90")), last: BARE }, "not all"],
  ["what was traded since hides it", { shown: at(3_000, cash("-90", "2")) }, "not all"],
  ["the same, of after it", { shown: at(17_001, cash("-90", "2")) }, "not all"],
  ["a server may be from before the last", { shown: at(17_001, cash("-100"), SETTLED_MS - 1), last: BARE }, "not all"],
  ["no server is from before the last", { shown: at(17_001, cash("-100"), SETTLED_MS), last: BARE }, "all"],
])("a margin read before a change has all that went before, or not: %s", (_name, about, wanted) => {
  const { shown, last = LAST, fillAtMs = null } = about;
  const known = { last, newestFillAtMs: fillAtMs };
  const told = hasAllBefore(shown, known) ? "all" : isWorthReadingAgain(shown, known) ? "again" : "not all";
  expect(told).toBe(wanted);
});

const AFTER_IT: OtherMargin = { ...TEN, isDone: true, signed: "after the change" };
const BEFORE_IT: OtherMargin = { ...AFTER_IT, signed: "before the reading" };
const BESIDE_IT: OtherMargin = { ...AFTER_IT, signed: "beside it" };
const TAKEN: OtherMargin = { ...BEFORE_IT, amount: decimal("-10") };
/** Asked for after the change and the other ones are over, and before no server is behind. */
const SOON_MS = 20_000;

type Second = {
  shown: MarginReading | null;
  askedAtMs?: number;
  timeMs?: number;
  amount?: string;
  others?: OtherMargin[];
  fillAtMs?: number;
  before?: MarginBefore;
};

const UNPROVEN = { ...BEFORE, isProven: false };

/** So many before it, no two sums of which are equal. */
function taken(count: number): OtherMargin[] {
  return Array.from({ length: count }, (_, nth) => ({ ...BEFORE_IT, amount: decimal(String(100 * 2 ** nth)) }));
}

test.each<[string, Second, "moved" | "unmoved" | null]>([
  ["moved", { shown: cash("-90") }, "moved"],
  ["moved, after an older fill", { shown: cash("-90"), fillAtMs: 1_000 }, "moved"],
  ["moved beside funding that was paid", { shown: cash("-92", "1", "2") }, "moved"],
  ["not moved, while a server may be behind", { shown: cash("-100") }, null],
  ["not moved, at the last moment of that", { shown: cash("-100"), askedAtMs: SETTLED_MS - 1 }, null],
  ["not moved, and no server is behind", { shown: cash("-100"), askedAtMs: SETTLED_MS }, "unmoved"],
  ["of before the first by its own time", { shown: cash("-90"), timeMs: 1_499 }, null],
  ["a fill came in between", { shown: cash("-90"), fillAtMs: 1_501 }, null],
  ["the size is another", { shown: cash("-90", "2") }, null],
  ["no position is left", { shown: null }, null],
  ["moved by somebody else", { shown: cash("-95"), askedAtMs: SETTLED_MS }, null],
  ["an equal one after it, of which one is shown", { shown: cash("-90"), others: [AFTER_IT] }, null],
  ["an equal one after it, and both are shown", { shown: cash("-80"), others: [AFTER_IT] }, "moved"],
  [
    "an equal one after it, of which one is shown when no server is behind",
    { shown: cash("-90"), others: [AFTER_IT], askedAtMs: SETTLED_MS },
    "unmoved",
  ],
  [
    "an equal one after it that may not have run",
    { shown: cash("-90"), others: [{ ...AFTER_IT, isDone: false }], askedAtMs: SETTLED_MS },
    null,
  ],
  ["another one after it", { shown: cash("-90"), others: [{ ...AFTER_IT, amount: decimal("3") }] }, "moved"],
  ["an equal one beside it, of which one is shown", { shown: cash("-90"), others: [BESIDE_IT] }, null],
  ["an equal one beside it, and both are shown", { shown: cash("-80"), others: [BESIDE_IT] }, "moved"],
  [
    "an equal one beside it that the first may have, none shown",
    { shown: cash("-100"), others: [BESIDE_IT], askedAtMs: SETTLED_MS },
    "unmoved",
  ],
  ["an equal one before it, which the first has", { shown: cash("-90"), others: [BEFORE_IT] }, "moved"],
  [
    "an equal one before it, which the first may lack",
    { shown: cash("-90"), others: [BEFORE_IT], before: UNPROVEN },
    null,
  ],
  ["the opposite before it, which the second may lack", { shown: cash("-90"), others: [TAKEN] }, null],
  ["the opposite before it, which both have", { shown: cash("-90"), others: [TAKEN], askedAtMs: SETTLED_MS }, "moved"],
  [
    "an unproven first, of when no server was behind",
    {
      shown: cash("-90"),
      others: [{ ...BEFORE_IT, endsAtMs: 1_499 - BEHIND_MS }],
      before: UNPROVEN,
    },
    "moved",
  ],
  ["many before it, which the second may lack", { shown: cash("-90"), others: taken(10) }, "moved"],
  ["too many before it", { shown: cash("-90"), others: taken(11) }, null],
  ["any number of them that the second has", { shown: cash("-90"), others: taken(40), askedAtMs: SETTLED_MS }, "moved"],
  ["many equal ones before it", { shown: cash("-90"), others: Array.from({ length: 40 }, () => BEFORE_IT) }, "moved"],
])("what became of a change of margin: %s", (_name, about, wanted) => {
  const { shown, askedAtMs = SOON_MS, timeMs = askedAtMs, amount = "10", others = [], fillAtMs = null } = about;
  const { before = BEFORE } = about;
  const change = { amount: decimal(amount), endsAtMs: TEN.endsAtMs };
  const around = { before, after: at(timeMs, shown, askedAtMs), others, newestFillAtMs: fillAtMs };
  expect(concludeMargin(change, around)).toBe(wanted);
});

type Deed = {
  amount: bigint;
  hasRun: boolean;
  isKnown: boolean;
  signed: OtherMargin["signed"];
  isInFirst: boolean;
  isInSecond: boolean;
};

const DEED = fc.record({
  amount: fc.bigInt({ min: -3n, max: 3n }),
  hasRun: fc.boolean(),
  isKnown: fc.boolean(),
  signed: fc.constantFrom<OtherMargin["signed"]>("before the reading", "beside it", "after the change"),
  isInFirst: fc.boolean(),
  isInSecond: fc.boolean(),
});

/** What two servers show, each with some of what ran; a server that may not be behind has all. */
function shownBy(deeds: readonly Deed[], isIn: (deed: Deed) => boolean): Decimal {
  const all = deeds.filter((deed) => deed.hasRun && isIn(deed)).map(({ amount }) => decimal(String(amount)));
  return all.reduce((total, amount) => add(total, amount), decimal("-100"));
}

test("whatever two servers lack, nothing is told that is not so", () => {
  fc.assert(
    fc.property(
      fc.array(DEED, { maxLength: 4 }),
      DEED,
      fc.boolean(),
      fc.boolean(),
      (others, sought, isProven, isLate) => {
        fc.pre(sought.amount !== 0n);
        const isInFirst = ({ signed, isInFirst: has }: Deed) =>
          signed !== "after the change" && (has || (isProven && signed === "before the reading"));
        const first = shownBy(others, isInFirst);
        const second = shownBy([...others, sought], ({ isInSecond }) => isLate || isInSecond);
        const before = { ...at(1_500, cash(first)), isProven };
        const after = at(SOON_MS, cash(second), isLate ? SETTLED_MS : SOON_MS);
        const known = others
          .filter(({ hasRun, isKnown }) => hasRun || isKnown)
          .map(({ amount, hasRun, isKnown, signed }): OtherMargin => {
            return { amount: decimal(String(amount)), endsAtMs: TEN.endsAtMs, isDone: hasRun && isKnown, signed };
          });
        const change = { amount: decimal(String(sought.amount)), endsAtMs: TEN.endsAtMs };
        const told = concludeMargin(change, { before, after, others: known, newestFillAtMs: null });
        if (told !== null) expect(told === "moved").toBe(sought.hasRun);
      },
    ),
    { numRuns: 2_000 },
  );
});
