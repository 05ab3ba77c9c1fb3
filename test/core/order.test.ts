import { expect, test } from "bun:test";
import fc from "fast-check";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { compare, type Decimal, decimal } from "../../src/core/decimal.ts";
import {
  type Filled,
  filledAt,
  isClosed,
  isLive,
  type Leg,
  type LegEvent,
  type LegState,
  type Order,
  type OrderStatus,
  wasTaken,
} from "../../src/core/order.ts";
import { orderFromLegs } from "../../src/core/order-of-legs.ts";
import { legRow } from "../support/rows.ts";

/** As it is when its intent is stored. */
const LEG = legRow();
/** A leg as it would stand in that state. */
function legIn(state: LegState): Leg {
  const isTold = state !== "sent" && state !== "lost" && state !== "absent";
  const oid = isTold && state !== "rejected" ? "77" : null;
  const reason = state === "sent" || state === "resting" || state === "armed" ? null : `was ${state}`;
  return { ...LEG, state, oid, reason: state === "filled" ? null : reason, isExchangesWord: isTold };
}

const HALF: Filled = filledAt(decimal("0.5"), decimal("100"));
const NONE: Filled = { size: decimal("0"), notional: decimal("0") };

const EVENT: Record<LegEvent["type"], LegEvent> = {
  rested: { type: "rested", oid: "77" },
  armed: { type: "armed", oid: "77" },
  filled: { type: "filled", oid: "77", filled: HALF },
  canceled: { type: "canceled", oid: "77", reason: "by the exchange", filled: HALF },
  rejected: { type: "rejected", reason: "refused", oid: null },
  proven_absent: { type: "proven_absent", reason: "never arrived", absence: "left_nothing" },
  turned_away: { type: "turned_away", reason: "refused at the door", isNumberUsed: false },
  lost: { type: "lost", reason: "no answer" },
  reported: { type: "reported", oid: null },
  misnamed: { type: "misnamed", oid: "77" },
  doubted: { type: "doubted", reason: "another order" },
  shown_since: { type: "shown_since", oid: "77", isArmed: false },
  closing: { type: "closing", oid: null },
  perhaps_over: { type: "perhaps_over", because: "no_record" },
  fills_seen: { type: "fills_seen", filled: HALF },
};

// "!" = contradicts what the exchange has said itself: kept as evidence and never applied. A forgotten cell does not compile.
// biome-ignore format: a table is read by its columns
const NEXT: Record<LegState, Record<LegEvent["type"], LegState | "!">> = {
  sent:     { rested: "resting", armed: "armed",   filled: "filled",   canceled: "canceled", rejected: "rejected", proven_absent: "absent", turned_away: "absent",   lost: "lost",     fills_seen: "sent", reported: "sent", misnamed: "sent", doubted: "sent", closing: "closing", shown_since: "sent", perhaps_over: "sent" },
  lost:     { rested: "resting", armed: "armed",   filled: "filled",   canceled: "canceled", rejected: "rejected", proven_absent: "absent", turned_away: "absent",   lost: "lost",     fills_seen: "lost", reported: "lost", misnamed: "lost", doubted: "lost", closing: "closing", shown_since: "lost", perhaps_over: "lost" },
  armed:    { rested: "resting", armed: "armed",   filled: "filled",   canceled: "canceled", rejected: "rejected", proven_absent: "!", turned_away: "armed",    lost: "armed",    fills_seen: "resting", reported: "armed", misnamed: "armed", doubted: "armed", closing: "closing", shown_since: "armed", perhaps_over: "closing" },
  resting:  { rested: "resting", armed: "resting", filled: "filled",   canceled: "canceled", rejected: "!",        proven_absent: "!", turned_away: "resting",  lost: "resting",  fills_seen: "resting", reported: "resting", misnamed: "resting", doubted: "resting", closing: "closing", shown_since: "resting", perhaps_over: "closing" },
  closing:  { rested: "closing", armed: "closing", filled: "filled",   canceled: "canceled", rejected: "!",        proven_absent: "!", turned_away: "closing",  lost: "closing",  fills_seen: "closing", reported: "closing", misnamed: "closing", doubted: "closing", closing: "closing", shown_since: "resting", perhaps_over: "closing" },
  filled:   { rested: "filled",  armed: "filled",  filled: "filled",   canceled: "filled",   rejected: "!",        proven_absent: "!", turned_away: "filled",   lost: "filled",   fills_seen: "filled", reported: "filled", misnamed: "filled", doubted: "filled", closing: "filled", shown_since: "filled", perhaps_over: "filled" },
  canceled: { rested: "canceled", armed: "canceled", filled: "canceled", canceled: "canceled", rejected: "!",      proven_absent: "!", turned_away: "canceled", lost: "canceled", fills_seen: "canceled", reported: "canceled", misnamed: "canceled", doubted: "canceled", closing: "canceled", shown_since: "canceled", perhaps_over: "canceled" },
  rejected: { rested: "!",       armed: "!",       filled: "!",        canceled: "!",        rejected: "rejected", proven_absent: "rejected", turned_away: "rejected", lost: "rejected", fills_seen: "!", reported: "!", misnamed: "rejected", doubted: "rejected", closing: "!", shown_since: "!", perhaps_over: "!" },
  absent:   { rested: "resting", armed: "armed",   filled: "filled",   canceled: "canceled", rejected: "rejected", proven_absent: "absent", turned_away: "absent",   lost: "absent",   fills_seen: "lost", reported: "lost", misnamed: "absent", doubted: "absent", closing: "closing", shown_since: "absent", perhaps_over: "absent" },
};

// Object.keys forgets the key types, which the tables' own types have checked.
const STATES = Object.keys(NEXT) as LegState[];
const EVENTS = Object.values(EVENT);

for (const state of STATES) {
  for (const event of EVENTS) {
    const next = NEXT[state][event.type];
    test(`a leg that is ${state} is ${next} after ${event.type}`, () => {
      expect(advanceLeg(legIn(state), event)?.state ?? "!").toBe(next);
    });
  }
}

test("fills reach every leg that the exchange has, and a late one even a canceled leg", () => {
  for (const state of STATES) {
    const after = advanceLeg(legIn(state), EVENT.fills_seen);
    expect(after?.filledSize ?? null).toBe(state === "rejected" ? null : decimal("0.5"));
  }
});

test("a report that there are no fills changes nothing at all", () => {
  for (const state of STATES) {
    const leg = legIn(state);
    expect(advanceLeg(leg, { type: "fills_seen", filled: NONE })).toBe(leg);
  }
});

test("the same report again is the same object: nothing is written for it", () => {
  for (const state of STATES) {
    for (const event of EVENTS) {
      const once = advanceLeg(legIn(state), event);
      if (once === null) continue;
      const twice = advanceLeg(once, event);
      if (twice !== null) expect(twice).toBe(once);
    }
  }
});

test("a cancel's first reason stands, and a later report adds one only where there was none", () => {
  const bare = advanceLeg(legIn("resting"), { type: "canceled", oid: null, reason: null, filled: null });
  const told = bare === null ? null : advanceLeg(bare, EVENT.canceled);
  expect(told?.reason).toBe("by the exchange");
  const again =
    told === null ? null : advanceLeg(told, { type: "canceled", oid: null, reason: "another", filled: null });
  expect(again?.reason).toBe("by the exchange");
  expect(told?.oid).toBe("77");
});

test("simulated seed 23834: what was canceled by its client order id learns its native id from a look that was late", () => {
  const canceled = follow([{ type: "canceled", oid: null, reason: null, filled: null }]);
  for (const late of [EVENT.rested, EVENT.armed]) {
    expect(advanceLeg(canceled, late)).toMatchObject({ state: "canceled", oid: "77" });
  }
});

const STOP: Leg = { ...LEG, trigger: { price: "90", kind: "stop_loss", market: true } };
const REFUSED_WHEN_FIRED: LegEvent = { type: "rejected", reason: "no liquidity", oid: "77" };

// biome-ignore format: a table is read by its columns
const LATE_WAITING: [string, { leg: Leg; refusal: LegEvent; oid: string | null; agrees: boolean }][] = [
  ["a trigger refused when it fired had waited",             { leg: STOP, refusal: REFUSED_WHEN_FIRED, oid: "77", agrees: true }],
  ["and so it had where the answer names no native id",      { leg: STOP, refusal: REFUSED_WHEN_FIRED, oid: null, agrees: true }],
  ["another order's waiting is a contradiction",             { leg: STOP, refusal: REFUSED_WHEN_FIRED, oid: "78", agrees: false }],
  ["a trigger that the answer refused at once never waited", { leg: STOP, refusal: EVENT.rejected,     oid: "77", agrees: false }],
  ["nor did it where the late report names no native id",    { leg: STOP, refusal: EVENT.rejected,     oid: null, agrees: false }],
  ["an order without a trigger never waits",                 { leg: LEG,  refusal: REFUSED_WHEN_FIRED, oid: "77", agrees: false }],
];

test.each(LATE_WAITING)("armed, reported after a refusal: %s", (_name, { leg, refusal, oid, agrees }) => {
  const refused = follow([refusal], leg);
  expect(refused.state).toBe("rejected");
  expect(advanceLeg(refused, { type: "armed", oid })).toBe(agrees ? refused : null);
  if (oid !== null) expect(advanceLeg(refused, { type: "reported", oid })).toBe(agrees ? refused : null);
});

test("a trigger that waited and was refused when it fired is the same leg in either order of the reports", () => {
  const armed: LegEvent = { type: "armed", oid: "77" };
  expect(follow([REFUSED_WHEN_FIRED, armed], STOP)).toEqual(follow([armed, REFUSED_WHEN_FIRED], STOP));
});

// biome-ignore format: a table is read by its columns
const TAKEN: Record<LegState, boolean> = { sent: false, lost: false, armed: true, resting: true, closing: true, filled: true, canceled: true, rejected: false, absent: false };

test.each(STATES)("a leg that is %s was taken, or not", (state) => {
  expect(wasTaken(legIn(state))).toBe(TAKEN[state]);
});

test("a leg once taken stays so, also when it is refused as its trigger fires", () => {
  const refusals: fc.Arbitrary<LegEvent> = fc.constantFrom(EVENT.rejected, REFUSED_WHEN_FIRED);
  fc.assert(
    fc.property(fc.array(fc.oneof(events, refusals), { maxLength: 30 }), (reports) => {
      let leg = STOP;
      for (const event of reports) {
        const next = advanceLeg(leg, event) ?? leg;
        if (wasTaken(leg)) expect(wasTaken(next)).toBe(true);
        leg = next;
      }
    }),
  );
});

test("what we concluded yields to the exchange, what the exchange refused does not", () => {
  expect(advanceLeg(legIn("absent"), EVENT.rested)).toMatchObject({ state: "resting", isExchangesWord: true });
  expect(advanceLeg(legIn("absent"), EVENT.proven_absent)).toMatchObject({ isExchangesWord: false });
  expect(advanceLeg(legIn("rejected"), EVENT.rested)).toBeNull();
});

const sizes = fc.integer({ min: 0, max: 10 }).map((tenths) => decimal(`${tenths / 10}`));
const totals = sizes.map((size) => filledAt(size, decimal("100")));
const oids = fc.constant("77");
const events: fc.Arbitrary<LegEvent> = fc.oneof(
  fc.record({ type: fc.constant("rested" as const), oid: oids }),
  fc.record({ type: fc.constant("armed" as const), oid: oids }),
  fc.record({ type: fc.constant("filled" as const), oid: oids, filled: fc.option(totals) }),
  fc.record({
    type: fc.constant("canceled" as const),
    oid: oids,
    reason: fc.constantFrom(null, "words"),
    filled: fc.option(totals),
  }),
  fc.record({ type: fc.constant("rejected" as const), reason: fc.constant("refused"), oid: fc.constant(null) }),
  fc.constant({ type: "proven_absent" as const, reason: "never", absence: "never_ran" as const }),
  fc.record({ type: fc.constant("lost" as const), reason: fc.constant("no answer") }),
  fc.record({ type: fc.constant("reported" as const), oid: fc.constantFrom("77", null) }),
  fc.record({ type: fc.constant("doubted" as const), reason: fc.constant("another order") }),
  fc.record({ type: fc.constant("closing" as const), oid: fc.constantFrom("77", null) }),
  fc.record({ type: fc.constant("fills_seen" as const), filled: totals }),
);

function follow(reports: readonly LegEvent[], from: Leg = LEG): Leg {
  return reports.reduce((leg, event) => advanceLeg(leg, event) ?? leg, from);
}

test("whatever is reported, sizes only grow and no leg is sent again", () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 30 }), (reports) => {
      let leg = LEG;
      for (const event of reports) {
        const next = advanceLeg(leg, event) ?? leg;
        expect(compare(next.filledSize, leg.filledSize)).toBeGreaterThanOrEqual(0);
        if (leg.state !== "sent") expect(next.state).not.toBe("sent");
        leg = next;
      }
    }),
  );
});

test("whatever is reported, a closed leg keeps its state, unless we had concluded it ourselves or all of it was filled", () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 30 }), (reports) => {
      let leg = LEG;
      for (const event of reports) {
        const next = advanceLeg(leg, event) ?? leg;
        const isWhole = next.state === "filled" && compare(next.filledSize, next.size) >= 0;
        if (isClosed(leg) && leg.state !== "absent" && !isWhole) expect(next.state).toBe(leg.state);
        leg = next;
      }
    }),
  );
});

/** What looks at one order can show during its life: each total at or below the true end. */
type Life = { end: "resting" | "filled" | "canceled"; looks: LegEvent[] };

const lives: fc.Arbitrary<Life> = fc
  .tuple(fc.constantFrom("resting" as const, "filled" as const, "canceled" as const), fc.uniqueArray(sizes))
  .map(([end, seen]) => {
    const growing = [decimal("0"), ...seen].toSorted(compare).map((size) => filledAt(size, decimal("100")));
    const last = growing.at(-1) ?? NONE;
    const looks: LegEvent[] = [{ type: "rested", oid: "77" }];
    for (const filled of growing) looks.push({ type: "fills_seen", filled });
    if (end === "filled") looks.push({ type: "filled", oid: "77", filled: last });
    if (end === "canceled") looks.push({ type: "canceled", oid: "77", reason: "words", filled: last });
    return { end: compare(last.size, LEG.size) >= 0 ? "filled" : end, looks };
  });

test("looks at one order give the same leg in any order and any number", () => {
  const shuffled = lives.chain((life) =>
    fc.record({
      life: fc.constant(life),
      order: fc.shuffledSubarray(life.looks, { minLength: life.looks.length }),
      again: fc.array(fc.constantFrom(...life.looks), { maxLength: 20 }),
    }),
  );
  fc.assert(
    fc.property(shuffled, ({ life, order, again }) => {
      expect(follow([...order, ...again])).toEqual(follow(life.looks));
      expect(follow(life.looks).state).toBe(life.end);
    }),
  );
});

const ORDER: Order = {
  id: "o",
  accountId: "a",
  market: "BTC",
  side: "buy",
  size: "1.0",
  price: "100",
  timeInForce: "gtc",
  reduceOnly: false,
  trigger: null,
  status: "processing",
  exchangeOrderId: null,
  filledSize: null,
  averagePrice: null,
  error: null,
  createdAtMs: 1,
};

// biome-ignore format: a table is read by its columns
const SHOWN: Record<LegState, { status: OrderStatus; filledSize: string | null; error: string | null }> = {
  sent:     { status: "processing",          filledSize: null, error: null },
  lost:     { status: "unknown",             filledSize: null, error: "was lost" },
  armed:    { status: "waiting_for_trigger", filledSize: "0",  error: null },
  resting:  { status: "open",                filledSize: "0",  error: null },
  closing:  { status: "unknown",             filledSize: null, error: "was closing" },
  filled:   { status: "filled",              filledSize: "0",  error: null },
  canceled: { status: "canceled",            filledSize: "0",  error: "was canceled" },
  rejected: { status: "rejected",            filledSize: null, error: "was rejected" },
  absent:   { status: "rejected",            filledSize: null, error: "was absent" },
};

for (const state of STATES) {
  test(`an order whose only leg is ${state} is ${SHOWN[state].status}`, () => {
    const shown = orderFromLegs(ORDER, [legIn(state)], "no");
    expect(shown).toMatchObject(SHOWN[state]);
    expect(shown.size).toBe("1.0");
    expect(shown.averagePrice).toBeNull();
  });
}

test("an order once unknown does not go back to processing", () => {
  expect(orderFromLegs({ ...ORDER, status: "unknown" }, [legIn("sent")], "no").status).toBe("unknown");
});

function replacement(state: LegState, some: Partial<Leg> = {}): Leg {
  return { ...legIn(state), cloid: "0x02", ordinal: 1, oid: state === "sent" ? null : "88", price: "101", ...some };
}

test("a canceled leg is not the end of its order while a replacement is on its way", () => {
  const legs = [legIn("canceled"), replacement("sent")];
  expect(orderFromLegs({ ...ORDER, status: "open" }, legs, "if_canceled").status).not.toBe("canceled");
});

test.each(["resting", "canceled"] as const)(
  "an original that is %s is unknown while what was to replace it is shown after it had been refused",
  (original) => {
    const legs = [legIn(original), replacement("lost")];
    const order: Order = { ...ORDER, status: "open" };
    expect(orderFromLegs(order, legs, "no").status).toBe("unknown");
  },
);

test.each(["filled", "canceled"] as const)(
  "simulated seed 50066111: a replacement that is %s ends the order only with its modify",
  (end) => {
    const ended = replacement(end, { filledSize: decimal(end === "filled" ? "1" : "0") });
    const order: Order = { ...ORDER, status: "unknown" };
    for (const original of STATES.filter((state) => state !== "sent" && state !== "lost")) {
      const legs = [legIn(original), ended];
      expect(orderFromLegs(order, legs, "if_canceled").status).toBe("unknown");
      expect(orderFromLegs(order, legs, "no").status).toBe(end);
    }
  },
);

test("simulated seed 80040492: a replacement that has no native id yet is not shown under the one it replaced", () => {
  const before = { ...legIn("canceled"), oid: "7" };
  const order: Order = { ...ORDER, exchangeOrderId: "7" };
  const shownWith = (oid: string | null) => orderFromLegs(order, [before, replacement("armed", { oid })], "no");
  expect([shownWith(null).exchangeOrderId, shownWith("8").exchangeOrderId]).toEqual([null, "8"]);
});

test("the newest leg that the exchange confirmed decides, and sizes are sums over all legs", () => {
  const first = { ...legIn("canceled"), filledSize: decimal("0.25"), filledNotional: decimal("25") };
  const size = decimal("0.75");
  const second = replacement("resting", { size, filledSize: decimal("0.25"), filledNotional: decimal("25.5") });
  expect(orderFromLegs({ ...ORDER, status: "open" }, [first, second], "no")).toMatchObject({
    status: "open",
    exchangeOrderId: "88",
    size: "1.0",
    price: "101",
    filledSize: decimal("0.5"),
    averagePrice: decimal("101"),
  });
});

test.each(["rejected", "absent"] as const)("a replacement that is %s leaves the living leg its order", (state) => {
  const shown = orderFromLegs({ ...ORDER, status: "open" }, [legIn("resting"), replacement(state)], "no");
  expect(shown).toMatchObject({ status: "open", exchangeOrderId: "77", price: "100", error: null });
});

test("simulated seed 20057524: of an order refused when it fired and its refused replacement the first leg decides", () => {
  const fired = { ...legIn("rejected"), oid: "77" };
  const refused = replacement("rejected", { size: decimal("2"), reason: "bad trigger" });
  // The replacement's terms are in the row where it had been seen live.
  for (const terms of [{}, { price: "101", size: "2" }]) {
    const shown = orderFromLegs({ ...ORDER, ...terms, status: "open" }, [fired, refused], "no");
    expect(shown).toMatchObject({ status: "rejected", exchangeOrderId: "77", price: "100", error: fired.reason });
    expect(decimal(shown.size)).toBe(fired.size);
  }
});

test("an order is live exactly while the exchange may have news", () => {
  const live: Record<OrderStatus, boolean> = {
    processing: true,
    unknown: true,
    open: true,
    waiting_for_trigger: true,
    filled: false,
    canceled: false,
    rejected: false,
  };
  // Object.entries forgets the key type, which the record's own type has checked.
  for (const [status, expected] of Object.entries(live)) expect(isLive(status as OrderStatus)).toBe(expected);
});

test("the exact sum of fills puts right a total that was made from an average price, and not the other way round", () => {
  const rounded = filledAt(decimal("0.3"), decimal("33.33333333"));
  const exact: Filled = { size: decimal("0.3"), notional: decimal("10") };
  for (const order of [
    [rounded, exact],
    [exact, rounded],
    [rounded, exact, rounded, exact],
  ]) {
    const leg = follow(order.map((filled) => ({ type: "fills_seen", filled })));
    expect(leg.filledNotional).toBe(decimal("10"));
  }
});

test("a total is its size times its price", () => {
  expect(filledAt(decimal("0.3"), decimal("64250.5")).notional).toBe("19275.15" as Decimal);
});
