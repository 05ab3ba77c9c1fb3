/** A position that stands where it stood before a fill that was told is of before it, whatever time it bears. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { type MarketTold, momentOfPosition, type OrderFilling } from "../../src/core/told-position.ts";

const SINCE_MS = 100_000;
const SECOND = 1_000;
/** Of after `SINCE_MS`. */
const T = 200_000;

type Some = Partial<Omit<MarketTold, "sinceMs">>;

/** An order of so much, by its number, told a tenth of a second after it was sent; `kept`: of its fills. */
function order(number: number, filled: string, some: Partial<OrderFilling> & { keptSize?: string } = {}): OrderFilling {
  const { keptSize = "0", ...rest } = some;
  const sentAtMs = T + number * SECOND;
  const told = { sentAtMs, toldAtMs: sentAtMs + 100 };
  return { number, oid: `${number}`, filled: decimal(filled), kept: decimal(keptSize), ...told, ...rest };
}

/** Fills that are kept of an order by its number, from where it started to where it ended. */
function keptFill(number: number, start: string, size: string): Pick<MarketTold, "fills" | "end"> {
  const timeMs = T + number * SECOND + 50;
  return {
    fills: [{ timeMs, start: decimal(start) }],
    end: { size: decimal(size), timeMs, oids: [`${number}`] },
  };
}

/** What was read when the newest order had this number, a tenth of a second before the next one. */
function shown(lastNumber: number, size: string, some: Partial<MarketTold["earlier"][number]> = {}) {
  const timeMs = T + lastNumber * SECOND + 900;
  return { size: decimal(size), lastNumber, askedAtMs: timeMs - 20, timeMs, keptToMs: timeMs, ...some };
}

/** No fill that is kept, and every one is. */
const FLAT: MarketTold["end"] = { size: decimal("0"), timeMs: Number.NEGATIVE_INFINITY, oids: [] };

/** A fill of an order that is not known here. */
const SOLD_BY_HAND: Pick<MarketTold, "fills" | "end"> = {
  fills: [{ timeMs: T, start: decimal("0") }],
  end: { size: decimal("-1"), timeMs: T, oids: ["9"] },
};

/** Each: what is known, what is shown, whether that is of before. */
const ROWS: [name: string, known: Some, size: string, isBefore: boolean][] = [
  ["nothing is known", {}, "0", false],

  // By fills that are kept.
  ["it is where a fill started", keptFill(1, "0", "1"), "0", true],
  ["it is where a fill ended", keptFill(1, "0", "1"), "1", false],
  ["it is anywhere else", keptFill(1, "0", "1"), "0.4", false],
  [
    "it is where the first of two started, and the second ended",
    { ...keptFill(2, "1", "0"), fills: [...keptFill(2, "1", "0").fills, ...keptFill(1, "0", "1").fills] },
    "0",
    false,
  ],
  [
    "it is in the middle of two",
    { ...keptFill(2, "1", "0"), fills: [...keptFill(2, "1", "0").fills, ...keptFill(1, "0", "1").fills] },
    "1",
    true,
  ],

  // By answers to orders whose fills are not kept yet.
  ["flat, and a purchase was told", { end: FLAT, orders: [order(1, "1")] }, "0", true],
  ["it has what was bought", { end: FLAT, orders: [order(1, "1")] }, "1", false],
  [
    "somebody has sold a part elsewhere, before it or after: its fills tell",
    { end: FLAT, orders: [order(1, "1")] },
    "0.5",
    true,
  ],
  ["they are kept", { ...keptFill(1, "0", "1"), orders: [order(1, "1", { keptSize: "1" })] }, "0.5", false],
  ["a part of them is", { ...keptFill(1, "0", "0.4"), orders: [order(1, "1", { keptSize: "0.4" })] }, "0.5", true],
  ["sold elsewhere, and told after it", { end: FLAT, orders: [order(1, "1")], untilMs: T + 1_099 }, "0.5", false],
  ["sold elsewhere since it was shown", { earlier: [shown(0, "3")], orders: [order(1, "1")] }, "3.5", true],
  ["shown with it, and now as it stood before it", { earlier: [shown(1, "1")], orders: [order(1, "1")] }, "0", true],
  [
    "shown with it, and elsewhere now: before it or after, its fills tell",
    { end: FLAT, earlier: [shown(1, "1")], orders: [order(1, "1")] },
    "0.5",
    true,
  ],
  [
    "shown with it, elsewhere now, and they are kept",
    { ...keptFill(1, "0", "1"), earlier: [shown(1, "1")], orders: [order(1, "1", { keptSize: "1" })] },
    "0.5",
    false,
  ],
  ["nobody knows where it stood", { orders: [order(1, "1")] }, "0", true],
  ["nobody knows where it stood, and its fills are kept", { orders: [order(1, "1", { keptSize: "1" })] }, "0", false],
  ["bought and sold again, flat", { end: FLAT, orders: [order(1, "1"), order(2, "-1")] }, "0", false],
  ["bought and sold again, held", { end: FLAT, orders: [order(1, "1"), order(2, "-1")] }, "1", true],
  [
    "told longer ago than any server is behind",
    { end: FLAT, orders: [order(1, "1", { toldAtMs: SINCE_MS - 1 })] },
    "0",
    false,
  ],

  // By its own time it is of before.
  ["a fill is of after it", { ...keptFill(1, "0", "1"), untilMs: T + 1_050 }, "0", false],
  ["an order was told after it", { end: FLAT, orders: [order(1, "1")], untilMs: T + 1_099 }, "0", false],
  [
    "the last of two was told after it, and it has neither",
    { end: FLAT, orders: [order(1, "1"), order(2, "2")], untilMs: T + 2_050 },
    "0",
    true,
  ],
  [
    "the last of two was told after it, and it has the first",
    { end: FLAT, orders: [order(1, "1"), order(2, "2")], untilMs: T + 2_050 },
    "1",
    false,
  ],
  [
    "as it was shown before, by a time of before",
    { earlier: [shown(0, "3")], orders: [order(1, "1")], untilMs: T },
    "3",
    false,
  ],

  // Both.
  [
    "the first is kept, the second is not: it shows the first alone",
    { ...keptFill(1, "0", "1"), orders: [order(1, "1", { keptSize: "1" }), order(2, "1")] },
    "1",
    true,
  ],
  [
    "the first is kept, the second is not: it shows both",
    { ...keptFill(1, "0", "1"), orders: [order(1, "1", { keptSize: "1" }), order(2, "1")] },
    "2",
    false,
  ],
  [
    "the first lacks, the second is kept and started after it",
    { ...keptFill(2, "1", "2"), orders: [order(1, "1"), order(2, "1", { keptSize: "1" })] },
    "2",
    false,
  ],
  [
    "the second was sent before the first was told, and it has the first alone: of before the second, or of now",
    {
      ...keptFill(1, "0", "1"),
      orders: [order(1, "1", { keptSize: "1", toldAtMs: T + 5 * SECOND }), order(2, "1")],
    },
    "1",
    true,
  ],
  [
    "nobody knows which came first, and it has neither",
    {
      ...keptFill(1, "0", "1"),
      orders: [order(1, "1", { keptSize: "1", toldAtMs: T + 5 * SECOND }), order(2, "1")],
    },
    "0",
    true,
  ],
  [
    "nobody knows which came first, and it has both",
    {
      ...keptFill(1, "0", "1"),
      orders: [order(1, "1", { keptSize: "1", toldAtMs: T + 5 * SECOND }), order(2, "1")],
    },
    "2",
    false,
  ],
  [
    "nobody knows of two which came first, and it has one of them",
    {
      ...keptFill(1, "0", "1"),
      orders: [order(1, "1", { keptSize: "1", toldAtMs: T + 5 * SECOND }), order(2, "-1"), order(3, "0.3")],
    },
    "0",
    true,
  ],
  [
    "nobody knows of many which came first",
    {
      ...keptFill(1, "0", "1"),
      orders: [
        order(1, "1", { keptSize: "1", toldAtMs: T + 50 * SECOND }),
        ...[2, 3, 4, 5, 6, 7, 8].map((number) => order(number, "1", { sentAtMs: T + SECOND })),
      ],
    },
    "0",
    true,
  ],
  [
    "a fill of somebody else's order is kept, a moment before, and it has that alone: of before ours, or of now",
    { ...keptFill(1, "0", "1"), end: { size: decimal("1"), timeMs: T, oids: ["9"] }, orders: [order(2, "1")] },
    "1",
    true,
  ],
  [
    "a fill of somebody else's order is kept, a moment before, and it has that and ours",
    { ...keptFill(1, "0", "1"), end: { size: decimal("1"), timeMs: T, oids: ["9"] }, orders: [order(2, "1")] },
    "2",
    false,
  ],
  [
    "a fill of somebody else's order is kept, a moment before, and its own time is of before ours was told",
    {
      ...keptFill(1, "0", "1"),
      end: { size: decimal("1"), timeMs: T, oids: ["9"] },
      orders: [order(2, "1")],
      untilMs: T + 2 * SECOND,
    },
    "1",
    false,
  ],
  [
    "nobody knows of two which came first, they take each other back, and it has both or neither",
    {
      ...keptFill(1, "0", "1"),
      orders: [order(1, "1", { keptSize: "1", toldAtMs: T + 5 * SECOND }), order(2, "-0.5"), order(3, "0.5")],
    },
    "1",
    true,
  ],
  [
    "a fill of somebody else's order is kept, and it has neither one of ours of about then nor one that it does not claim to hold",
    { ...SOLD_BY_HAND, orders: [order(2, "-9"), order(20, "-27")], untilMs: T + 15 * SECOND },
    "-1",
    true,
  ],
  [
    "it has the one of about then",
    { ...SOLD_BY_HAND, orders: [order(2, "-9"), order(20, "-27")], untilMs: T + 15 * SECOND },
    "-10",
    false,
  ],
  [
    "it has one of ours of about then, and not one of long after that",
    { ...SOLD_BY_HAND, orders: [order(2, "-12"), order(20, "-81")] },
    "-13",
    true,
  ],
  [
    "a fill of somebody else's order is kept, of long before",
    {
      ...keptFill(1, "0", "1"),
      end: { size: decimal("1"), timeMs: T - 20 * SECOND, oids: ["9"] },
      orders: [order(2, "1")],
    },
    "1",
    true,
  ],
  [
    "of an order a part is kept, and it has that alone: the rest came before it, or is not in it yet",
    { ...keptFill(1, "0", "1"), orders: [order(1, "2", { keptSize: "1" })] },
    "1",
    true,
  ],

  // By what was shown before.
  ["as it was shown before a purchase", { earlier: [shown(0, "3")], orders: [order(1, "1")] }, "3", true],
  ["as it was shown, and a purchase more", { earlier: [shown(0, "3")], orders: [order(1, "1")] }, "4", false],
  ["as it was shown, with nothing since", { earlier: [shown(1, "3")], orders: [order(1, "1")] }, "3", false],
  [
    "as it was shown two purchases ago",
    { earlier: [shown(1, "4"), shown(0, "3")], orders: [order(1, "1"), order(2, "1")] },
    "3",
    true,
  ],
  [
    "shown before an order was found that had been sent long before: it may hold it",
    { earlier: [shown(0, "3")], orders: [order(1, "1", { sentAtMs: T - 60 * SECOND })] },
    "3",
    true,
  ],
  [
    "shown while the purchase was under way: it may hold it",
    { earlier: [shown(1, "3", { askedAtMs: T + 1_050 })], orders: [order(1, "1")] },
    "3",
    true,
  ],
  [
    "shown while the purchase was under way, as it stood before it: the fills that are kept tell",
    { end: FLAT, earlier: [shown(1, "0", { askedAtMs: T + 1_050 })], orders: [order(1, "1")] },
    "0",
    true,
  ],
  [
    "shown after the purchase was told, as of before it",
    { earlier: [shown(1, "3", { timeMs: T + 1_050 })], orders: [order(1, "1")] },
    "3",
    true,
  ],
  [
    "a newer fill says more than what was shown before it",
    { ...keptFill(2, "5", "4"), earlier: [shown(1, "3")], orders: [order(1, "1", { keptSize: "1" })] },
    "3",
    true,
  ],
  [
    "a fill is kept since it was shown, whatever time it bore: it may have been shown without that",
    { ...keptFill(1, "0", "1"), earlier: [shown(2, "0", { keptToMs: T })] },
    "0",
    true,
  ],
  [
    "what was shown after the newest fill stands, where others have moved it since",
    {
      ...keptFill(1, "0", "1"),
      earlier: [shown(1, "0.5")],
      orders: [order(1, "1", { keptSize: "1" }), order(2, "-0.5")],
    },
    "0",
    false,
  ],
];

test.each(ROWS)("%s", (_name, known, size, isBefore) => {
  const told = { fills: [], end: null, orders: [], earlier: [], untilMs: T + 60 * SECOND, ...known, sinceMs: SINCE_MS };
  expect(momentOfPosition(decimal(size), told) !== "now").toBe(isBefore);
});
