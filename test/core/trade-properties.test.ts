/** What holds of a trade whatever becomes of its orders. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, compare, type Decimal, decimal, isZero, subtract, ZERO } from "../../src/core/decimal.ts";
import type { Trade } from "../../src/core/trade.ts";
import { heldOf, nextSteps, type Part, protectedOf, type TradeFacts } from "../../src/core/trade-step.ts";
import { entry, facts, PROFIT, part, REFUSED, TRADE } from "./trade-stage.ts";

/** An exchange of which only sizes are known: it fills, refuses, loses and fires as it is told. */
type Move = {
  kind: "fill" | "lose" | "refuse" | "refuse_met" | "mark" | "settle" | "fire" | "take_away" | "profit";
  amount: number;
};

const MOVES = fc.array(
  fc.record({
    kind: fc.constantFrom<Move["kind"]>(
      "fill",
      "fill",
      "settle",
      "settle",
      "settle",
      "lose",
      "refuse",
      "refuse_met",
      "mark",
      "fire",
      "take_away",
      "profit",
    ),
    amount: fc.integer({ min: 1, max: 6 }),
  }),
  { maxLength: 40 },
);

type World = { facts: TradeFacts; trade: Trade; entries: number; placed: number };

/** Carries out what comes next, as the driver does: what is placed is not known before the exchange has answered. */
function carryOut(world: World): boolean {
  const steps = nextSteps(world.trade, world.facts);
  for (const step of steps) {
    world.placed += 1;
    const orderId = `o${world.placed}`;
    const { stops, profits } = world.facts;
    if (step.kind === "end") return true;
    if (step.kind === "follow_fills") world.trade = { ...world.trade, path: "after_fills" };
    if (step.kind === "place_entry") {
      world.entries += 1;
      world.facts = { ...world.facts, entry: entry("0", { state: "unsettled", wasTaken: false }) };
    }
    if (step.kind === "place_guard") {
      const guard = step.as === "stop" ? world.trade.stopLoss : (world.trade.takeProfit ?? world.trade.stopLoss);
      const { triggerPrice, price } = guard;
      const made = part(orderId, {
        state: "unsettled",
        wasTaken: false,
        size: step.size,
        triggerPrice,
        price,
        createdAtMs: world.facts.nowMs,
      });
      world.facts =
        step.as === "stop"
          ? { ...world.facts, stops: [...stops, made] }
          : { ...world.facts, profits: [...profits, made] };
    }
    if (step.kind === "close_now") {
      expect(compare(step.size, heldOf(world.facts))).toBeLessThanOrEqual(0);
      const made = part(orderId, {
        state: "unsettled",
        wasTaken: false,
        size: step.size,
        triggerPrice: null,
        price: (step.as === "stop" ? world.trade.stopLoss : (world.trade.takeProfit ?? world.trade.stopLoss)).price,
        createdAtMs: world.facts.nowMs,
      });
      world.facts =
        step.as === "stop"
          ? { ...world.facts, stops: [...stops, made] }
          : { ...world.facts, profits: [...profits, made] };
    }
    if (step.kind === "cancel")
      change(world, (each) => (each.orderId === step.orderId ? { ...each, isLeaving: true } : each));
  }
  return false;
}

function change(world: World, by: (each: Part) => Part): void {
  const { entry: entering, stops, profits } = world.facts;
  world.facts = {
    ...world.facts,
    entry: entering === null ? null : by(entering),
    stops: stops.map(by),
    profits: profits.map(by),
  };
}

function closeSome(each: Part, most: Decimal): Part {
  const filled = compare(each.remaining, most) < 0 ? each.remaining : most;
  const remaining = subtract(each.remaining, filled);
  return { ...each, filled: add(each.filled, filled), remaining, state: isZero(remaining) ? "over" : "working" };
}

function play(world: World, { kind, amount }: Move): void {
  const { entry: entering, stops, profits } = world.facts;
  world.facts = { ...world.facts, nowMs: world.facts.nowMs + 10_000 };
  change(world, (each) => ({ ...each, unsettledForMs: each.state === "unsettled" ? each.unsettledForMs + 10_000 : 0 }));
  const first = (parts: readonly Part[], isIt: (each: Part) => boolean) => parts.find(isIt)?.orderId;
  const unsettled = first(
    [...(entering === null ? [] : [entering]), ...stops, ...profits],
    ({ state }) => state === "unsettled",
  );
  const standing = ({ state }: Part) => state === "waiting" || state === "working";
  switch (kind) {
    case "settle":
      change(world, (each) => {
        const { nowMs } = world.facts;
        if (isClosing(each)) {
          const { filled } = closeSome(each, heldOf(world.facts));
          return { ...each, filled, state: "over", remaining: ZERO, wasTaken: true };
        }
        if (each.state === "unsettled" && !each.isLeaving)
          return { ...each, state: each.triggerPrice === null ? "working" : "waiting", wasTaken: true };
        if (each.isLeaving) return { ...each, state: "over", remaining: ZERO };
        // It was looked at.
        return each.state === "waiting" ? { ...each, shownAtMs: nowMs } : each;
      });
      return;
    case "mark":
      world.facts = { ...world.facts, mark: amount > 3 ? null : decimal(["95", "89", "121"][amount - 1] ?? "95") };
      return;
    case "refuse_met":
      change(world, (each) => {
        const isGuard = each.triggerPrice !== null && each.orderId !== "entry";
        return isGuard && each.orderId === unsettled ? { ...each, ...REFUSED, refusal: "Invalid TP/SL price." } : each;
      });
      return;
    case "lose":
      change(world, (each) => (each.orderId === unsettled ? { ...each, ...REFUSED } : each));
      return;
    case "refuse":
      change(world, (each) => (each.orderId === unsettled ? { ...each, ...REFUSED, refusal: "No." } : each));
      return;
    case "fill":
      if (entering?.state !== "working") return;
      world.facts = { ...world.facts, entry: closeSome(entering, decimal(String(amount))) };
      return;
    case "take_away": {
      const id = first(stops, standing);
      change(world, (each) => (each.orderId === id ? { ...each, state: "over", remaining: ZERO } : each));
      return;
    }
    case "fire":
    case "profit": {
      const held = heldOf(world.facts);
      const most = kind === "fire" || compare(held, decimal(String(amount))) < 0 ? held : decimal(String(amount));
      const id = first(kind === "fire" ? stops : profits, standing);
      if (isZero(held)) return;
      change(world, (each) => (each.orderId === id ? closeSome(each, most) : each));
    }
  }
}

/** What a stop has become that the exchange did not take. */
function isClosing({ orderId, state, triggerPrice }: Part): boolean {
  return orderId !== "entry" && state === "unsettled" && triggerPrice === null;
}

function settleAll(world: World): boolean {
  for (let round = 0; round < 60; round += 1) {
    if (carryOut(world)) return true;
    play(world, { kind: "settle", amount: 1 });
  }
  return false;
}

function begin(path: Trade["path"], hasProfit: boolean): World {
  const trade = { ...TRADE, path, takeProfit: hasProfit ? PROFIT.takeProfit : null };
  return { facts: facts({}), trade, entries: 0, placed: 0 };
}

test("it enters once at most; at rest its stops are just what it holds, and more only while the entry may fill", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Trade["path"]>("stop_first", "after_fills"),
      fc.boolean(),
      MOVES,
      (path, hasProfit, moves) => {
        const world = begin(path, hasProfit);
        for (const move of moves) {
          if (carryOut(world)) return;
          // While the entry can fill, and its stop went first, what fills is protected in that moment.
          play(world, move);
          expect(world.entries).toBeLessThanOrEqual(1);
        }
        const hasEnded = settleAll(world);
        const held = heldOf(world.facts);
        const stands = protectedOf(world.facts);
        expect(world.entries).toBeLessThanOrEqual(1);
        if (hasEnded)
          return expect([held, world.facts.stops.some(({ state }) => state !== "over")]).toEqual([ZERO, false]);
        const mayFill = world.facts.entry?.state !== "over" && world.trade.path === "stop_first";
        const size = mayFill ? add(held, world.facts.entry?.remaining ?? ZERO) : held;
        expect(stands).toBe(size);
      },
    ),
    { numRuns: 150, seed: 20_261_123 },
  );
});
