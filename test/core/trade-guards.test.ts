/** What a trade holds by its guards that go, were replaced, or close what is overdue. */
import { expect, test } from "bun:test";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import { MAX_GUARDS, MAX_WISHED_GUARDS } from "../../src/core/guard-tries.ts";
import { heldAtMostOf, nextSteps, type Part, protectedOf, type TradeFacts } from "../../src/core/trade-step.ts";
import { unprotectedBecause } from "../../src/core/trade-words.ts";
import { entry, FOLLOWING, facts, OVER, PROFIT, part, REFUSED, TRADE } from "./trade-stage.ts";

type Steps = ReturnType<typeof nextSteps>;

const CANCEL_ENTRY: Steps = [{ kind: "cancel", orderId: "entry" }];

test("a stop that is on its way out protects nothing", () => {
  const at = facts({ entry: entry("10", OVER), stops: [part("s1", { isLeaving: true })] });
  expect(protectedOf(at)).toBe(ZERO);
  expect(unprotectedBecause(TRADE, at)).toBe("its stop is not confirmed yet");
});

test("a stop that is gone takes the entry along, and one that a lost machine may have replaced does not", () => {
  const stop = (some: Partial<Part>) => part("s1", { ...OVER, ...some });
  const at = (some: Partial<Part>) => facts({ entry: entry("0"), stops: [stop(some), part("s2")] });
  expect(nextSteps(TRADE, at({}))).toEqual(CANCEL_ENTRY);
  expect(nextSteps(TRADE, at({ mayBeReplaced: true }))).toEqual([]);
});

test("an entry goes before the last of its guards are used up", () => {
  const refused = (count: number) =>
    Array.from({ length: count }, (_, nth) => part(`s${nth}`, { ...REFUSED, refusal: "Insufficient margin." }));
  const at = (count: number) => facts({ entry: entry("0"), stops: [...refused(count - 1), part("last")] });
  expect(nextSteps(TRADE, at(MAX_WISHED_GUARDS))).toEqual([]);
  expect(nextSteps(TRADE, at(MAX_WISHED_GUARDS + 1))).toEqual(CANCEL_ENTRY);
});

test("a stop of which nothing is known, for less than is held, has one of all that is held beside it after five seconds", () => {
  const smaller = (unsettledForMs: number, some: Partial<Part> = {}) =>
    part("s1", { state: "unsettled", size: decimal("3"), unsettledForMs, ...some });
  const next = (stops: readonly Part[], filled = "8") =>
    nextSteps({ ...TRADE, ...FOLLOWING }, facts({ entry: entry(filled, OVER), stops }));
  const whole: Steps = [{ kind: "place_guard", as: "stop", size: decimal("8") }];
  expect([next([smaller(4_999)]), next([smaller(5_000)])]).toEqual([[], whole]);
  expect([next([smaller(4_999, { wasTaken: false })]), next([smaller(5_000, { wasTaken: false })])]).toEqual([
    [],
    whole,
  ]);
  // Nor are two of which nothing is known more than twice as long.
  const second = part("s2", { state: "unsettled", size: decimal("4"), unsettledForMs: 10_000 });
  expect([next([smaller(9_999), second]), next([smaller(10_000), second])]).toEqual([[], whole]);
  // With what stands, and all together, they would be enough.
  expect(next([part("s0", { size: decimal("5") }), smaller(59_999)])).toEqual([]);
  expect(next([smaller(30_000), { ...second, size: decimal("5"), remaining: decimal("5") }])).toEqual([]);
  expect([next([smaller(59_999)], "3"), next([smaller(60_000)], "3")]).toEqual([
    [],
    [{ kind: "place_guard", as: "stop", size: decimal("3") }],
  ]);
});

test("where the mark has come to the stop, what nobody knows of may have closed its part: the rest is closed after five seconds", () => {
  const met = part("s2", { ...REFUSED, size: decimal("8"), refusal: "Invalid TP/SL price. asset=0" });
  const next = (unsettledForMs: number) => {
    const lost = part("s1", { state: "unsettled", size: decimal("3"), unsettledForMs });
    const at = facts({ entry: entry("8", OVER), stops: [lost, met], mark: decimal("89"), nowMs: 100_000 });
    return nextSteps({ ...TRADE, ...FOLLOWING }, at).filter(({ kind }) => kind === "close_now");
  };
  const closing = (size: string): Steps => [{ kind: "close_now", as: "stop", size: decimal(size) }];
  expect([next(4_999), next(5_000), next(59_999), next(60_000)]).toEqual([
    [],
    closing("5"),
    closing("5"),
    closing("8"),
  ]);
});

test("while not all fills of its entry are known, what its stop has closed ends no trade and is not told to have been its own", () => {
  const closing = part("s1", { ...OVER, filled: decimal("5") });
  const at = (some: object) => facts({ entry: entry("5", OVER), stops: [closing], isClosingUnclear: true, ...some });
  const ended: Steps = [{ kind: "end", status: "closed", error: null }];
  expect([nextSteps(TRADE, at({})), nextSteps(TRADE, at({ isClosingUnclear: false }))]).toEqual([[], ended]);
  const WHY = "what its stop or take-profit has closed is not known yet: not all fills of its entry are";
  expect([heldAtMostOf(at({})), unprotectedBecause(TRADE, at({}))]).toEqual([decimal("5"), WHY]);
  expect(heldAtMostOf(at({ position: decimal("3") }))).toBe(decimal("3"));
  expect(nextSteps(TRADE, at({ position: ZERO }))).toEqual(ended);
  // What still stands stays until that is known.
  const profits = [part("p1", { size: decimal("5"), triggerPrice: "120" })];
  expect(nextSteps(TRADE, at({ profits, position: decimal("5") }))).toEqual([]);
});

test("a stop that the exchange goes on refusing is tried for hours, the more seldom the longer, and what was moved has as many tries", () => {
  const REFUSAL = { ...REFUSED, refusal: "Cannot process order: network upgrade." };
  const triedFor = (moved: number): number => {
    const stops = Array.from({ length: moved }, (_, nth) => part(`m${nth}`, { ...OVER, isLeaving: true }));
    let nowMs = 0;
    for (; stops.length < MAX_GUARDS; nowMs += 1_000) {
      const at = facts({ entry: entry("10", OVER), stops, nowMs });
      if (nextSteps(TRADE, at).some(({ kind }) => kind === "place_guard"))
        stops.push(part(`s${stops.length}`, { ...REFUSAL, createdAtMs: nowMs }));
    }
    return Math.floor(nowMs / 60_000);
  };
  expect([triedFor(0), triedFor(MAX_WISHED_GUARDS)]).toEqual([189, 29]);
});

test("what a stop of the gateway has closed was not closed by others", () => {
  const at = facts({ entry: entry("10", OVER), stops: [part("s1", OVER)], position: ZERO });
  expect(nextSteps(TRADE, { ...at, isWithdrawn: true })).toEqual([{ kind: "end", status: "closed", error: null }]);
  expect(nextSteps(TRADE, at)).toEqual([{ kind: "end", status: "closed_outside", error: null }]);
});

const MET = part("s1", { ...REFUSED, size: decimal("3"), refusal: "Invalid TP/SL price. asset=0" });

test.each<[string, Partial<Part>, Steps]>([
  ["beside one of which nothing is known", { state: "unsettled", wasTaken: false, unsettledForMs: 10_000 }, []],
  [
    "for as long as that is waited for",
    { state: "unsettled", wasTaken: false, unsettledForMs: 20_000 },
    [{ kind: "close_now", as: "stop", size: decimal("3") }],
  ],
  [
    "for what one that rests does not close",
    { state: "working", remaining: decimal("1") },
    [{ kind: "close_now", as: "stop", size: decimal("2") }],
  ],
])("what is overdue is closed again, and not twice: %s", (_what, some, steps) => {
  const closing = part("s2", { size: decimal("3"), triggerPrice: null, ...some });
  const at = facts({ entry: entry("3", OVER), stops: [MET, closing], mark: decimal("89"), nowMs: 10_000 });
  expect(nextSteps({ ...TRADE, ...FOLLOWING }, at)).toEqual(steps);
});

test("an entry goes once other hands have closed all that it has filled", () => {
  const at = facts({ entry: entry("3"), stops: [part("s1")], position: ZERO });
  expect(nextSteps(TRADE, at)).toEqual([...CANCEL_ENTRY, { kind: "cancel", orderId: "s1" }]);
  expect(nextSteps(TRADE, { ...at, position: decimal("3") })).toEqual([]);
});

test("what guards have closed is no reason to take the stop of an entry that may still fill, before that is read", () => {
  const profits = [part("p1", { ...OVER, filled: decimal("3") })];
  const at = facts({ entry: entry("3"), stops: [part("s1", { size: decimal("7") })], profits });
  expect(nextSteps(TRADE, at)).toEqual(CANCEL_ENTRY);
});

test("a number that a refusal left unused is taken before a trade ends, and the entry's at once", () => {
  const refused = { ...REFUSED, isNumberUnused: true };
  const taking = (orderId: string): Steps => [{ kind: "take_number", orderId }];
  const ending = facts({ entry: entry("0", OVER), stops: [part("s1", refused)] });
  expect(nextSteps(TRADE, ending)).toEqual(taking("s1"));
  const out = facts({ entry: entry("0", { ...refused, state: "unsettled" }), stops: [part("s1")] });
  expect(nextSteps(TRADE, out)).toEqual(taking("entry"));
});

test("a trade is not at its end while one of its stops lives, though the newest was refused", () => {
  const stops = [part("s1", { size: decimal("7") }), part("s2", { ...REFUSED, refusal: "Insufficient margin." })];
  expect(nextSteps(TRADE, facts({ stops }))).toEqual([]);
  const dead = [{ ...part("s1", { ...OVER, isLeaving: true }) }, stops[1] as Part];
  expect(nextSteps(TRADE, facts({ stops: dead }))).toEqual([
    { kind: "end", status: "rejected", error: "the stop was refused: Insufficient margin." },
  ]);
});

test("beside a stop that a list holds while its record says that it is over none goes before no list can be behind", () => {
  const doubted = (unsettledForMs: number) =>
    facts({ entry: entry("3", OVER), stops: [part("s1", { state: "unsettled", isListed: true, unsettledForMs })] });
  expect(nextSteps(TRADE, doubted(179_999))).toEqual([]);
  expect(nextSteps(TRADE, doubted(180_000))).toEqual([{ kind: "place_guard", as: "stop", size: decimal("3") }]);
});

/** As `PROFIT` has it. */
function profit(orderId: string, size: string): Part {
  return part(orderId, { triggerPrice: "120", price: "108", size: decimal(size), remaining: decimal(size) });
}

const REPLACED: [string, Partial<TradeFacts>, Steps][] = [
  [
    "a take-profit that is outgrown goes first: both would close what others hold",
    { entry: entry("5"), stops: [part("s1", { size: decimal("5") })], profits: [profit("p1", "3")] },
    [{ kind: "cancel", orderId: "p1" }],
  ],
  [
    "so does one that is larger than what is held",
    { entry: entry("3", OVER), stops: [part("s1", { size: decimal("3") })], profits: [profit("p1", "5")] },
    [{ kind: "cancel", orderId: "p1" }],
  ],
  [
    "while it may still close something no other comes",
    {
      entry: entry("5"),
      stops: [part("s1", { size: decimal("5") })],
      profits: [{ ...profit("p1", "3"), isLeaving: true, state: "unsettled" }],
    },
    [],
  ],
  [
    "once it is gone the new one comes",
    {
      entry: entry("5"),
      stops: [part("s1", { size: decimal("5") })],
      profits: [{ ...profit("p1", "3"), isLeaving: true, state: "over" }],
    },
    [{ kind: "place_guard", as: "profit", size: decimal("5") }],
  ],
  [
    "one that is moved stays until the new one has been taken",
    {
      entry: entry("5"),
      stops: [part("s1", { size: decimal("5") })],
      profits: [{ ...profit("p1", "5"), triggerPrice: "130", price: "117" }],
    },
    [{ kind: "place_guard", as: "profit", size: decimal("5") }],
  ],
];

test.each(REPLACED)("of take-profits: %s", (_, known, steps) => {
  expect(nextSteps({ ...TRADE, ...FOLLOWING, ...PROFIT }, facts(known))).toEqual(steps);
});

test("what the exchange takes no stop for is told with the figure", () => {
  const stops = [part("s1", { ...REFUSED, size: decimal("0.1"), refusal: "Order must have minimum value of $10." })];
  const because = unprotectedBecause({ ...TRADE, ...FOLLOWING }, facts({ entry: entry("0.1"), stops }));
  expect(because).toBe(
    `the exchange takes no stop for so little: 0.1 at 81 is 8.1, and it answers: ${"Order must have minimum value of $10."}`,
  );
});
