import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decimal, fromUnits } from "../../../src/core/decimal.ts";
import type { ParsedAction } from "../../../src/paper/engine/action.ts";
import { restoreVenue, serializeVenue } from "../../../src/paper/engine/serialize.ts";
import { advance, applyAction } from "../../../src/paper/engine/venue.ts";
import { faultsOf } from "./invariants.ts";
import { ALICE, BOB, CAROL, type Desk, newDesk, requestOf, START_MS, type Wanted } from "./support.ts";

const USERS = [ALICE, BOB, CAROL] as const;

/** Market, middle of the prices used, price step and size step: few prices, so that orders meet. */
const GROUNDS = [
  { asset: 0, coin: "BTC", middle: 95_000, step: 100, size: "0.5" },
  { asset: 1, coin: "ETH", middle: 3_200, step: 5, size: "9" },
  { asset: 6, coin: "HPOS", middle: 0.12, step: 0.001, size: "40000" },
  { asset: 110_001, coin: "xyz:TSLA", middle: 400, step: 1, size: "20" },
  { asset: 10_107, coin: "@107", middle: 40, step: 0.1, size: "25" },
] as const;

type Command =
  | { kind: "act"; user: string; action: ParsedAction }
  | { kind: "mark"; coin: string; price: string }
  | { kind: "wait"; ms: number };

const user = fc.constantFrom(...USERS);
const ground = fc.constantFrom(...GROUNDS);

function priceOf({ middle, step }: (typeof GROUNDS)[number], steps: number): string {
  return fromUnits(BigInt(Math.round((middle + step * steps) * 10_000)), 4);
}

function sizeOf({ size }: (typeof GROUNDS)[number], tenths: number): string {
  return (Number(size) * tenths).toString();
}

const wanted = fc
  .record({
    ground,
    buy: fc.boolean(),
    steps: fc.integer({ min: -12, max: 12 }),
    times: fc.integer({ min: 1, max: 8 }),
    tif: fc.constantFrom("Gtc", "Gtc", "Ioc", "Alo", "FrontendMarket"),
    reduceOnly: fc.constantFrom(false, false, true),
    trigger: fc.constantFrom(null, null, null, "tp", "sl"),
    cloid: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ ground: where, buy, steps, times, tif, reduceOnly, trigger, cloid }): Wanted => {
    const base = { asset: where.asset, buy, price: priceOf(where, steps), size: sizeOf(where, times) };
    const spot = where.asset === 10_107;
    return {
      ...base,
      tif,
      reduceOnly: reduceOnly && !spot,
      ...(cloid === 0 ? {} : { cloid: `0x${cloid.toString(16).padStart(32, "0")}` }),
      ...(trigger === null
        ? {}
        : { trigger: { at: priceOf(where, buy ? steps - 2 : steps + 2), tpsl: trigger, isMarket: times % 2 === 0 } }),
    };
  });

const orders = fc.record({ user, wanted: fc.array(wanted, { minLength: 1, maxLength: 3 }) }).map(
  ({ user: who, wanted: list }): Command => ({
    kind: "act",
    user: who,
    action: { type: "order", orders: list.map(requestOf), grouping: "na", builder: null },
  }),
);

/** A parent with a take profit and a stop, or the two alone on the position. */
const groups = fc
  .record({
    user,
    ground: fc.constantFrom(...GROUNDS.slice(0, 4)),
    buy: fc.boolean(),
    steps: fc.integer({ min: -12, max: 12 }),
    gap: fc.integer({ min: 1, max: 20 }),
    size: fc.integer({ min: 1, max: 8 }),
    tif: fc.constantFrom("Gtc", "Ioc"),
    isPosition: fc.boolean(),
  })
  .map(({ user: who, ground: where, buy, steps, gap, size, tif, isPosition }): Command => {
    const terms = { asset: where.asset, size: sizeOf(where, size) };
    const away = buy ? gap : -gap;
    const leg = (tpsl: "tp" | "sl"): Wanted => ({
      ...terms,
      buy: !buy,
      reduceOnly: true,
      price: priceOf(where, steps + (tpsl === "tp" ? away : -away) - 2 * Math.sign(away)),
      trigger: { at: priceOf(where, steps + (tpsl === "tp" ? away : -away)), tpsl },
    });
    const parent: Wanted = { ...terms, buy, price: priceOf(where, steps), tif };
    const list = isPosition ? [leg("tp"), leg("sl")] : [parent, leg("tp"), leg("sl")];
    const grouping = isPosition ? "positionTpsl" : "normalTpsl";
    return { kind: "act", user: who, action: { type: "order", orders: list.map(requestOf), grouping, builder: null } };
  });

const cancels = fc.record({ user, ground, cloid: fc.integer({ min: 1, max: 5 }) }).map(
  ({ user: who, ground: where, cloid }): Command => ({
    kind: "act",
    user: who,
    action: {
      type: "cancelByCloid",
      cancels: [{ asset: where.asset, cloid: `0x${cloid.toString(16).padStart(32, "0")}` }],
      f: false,
    },
  }),
);

const modifies = fc.record({ user, wanted, cloid: fc.integer({ min: 1, max: 5 }), a: fc.boolean() }).map(
  ({ user: who, wanted: next, cloid, a }): Command => ({
    kind: "act",
    user: who,
    action: {
      type: "batchModify",
      modifies: [{ oid: `0x${cloid.toString(16).padStart(32, "0")}`, order: requestOf(next) }],
      a,
    },
  }),
);

const settings = fc.oneof(
  fc.record({ user, ground, isCross: fc.boolean(), leverage: fc.integer({ min: 1, max: 30 }) }).map(
    ({ user: who, ground: { asset }, isCross, leverage }): Command => ({
      kind: "act",
      user: who,
      action: { type: "updateLeverage", asset, isCross, leverage },
    }),
  ),
  fc.record({ user, ground, ntli: fc.bigInt({ min: -2_000_000_000n, max: 2_000_000_000n }) }).map(
    ({ user: who, ground: { asset }, ntli }): Command => ({
      kind: "act",
      user: who,
      action: { type: "updateIsolatedMargin", asset, isBuy: true, ntli },
    }),
  ),
  fc.record({ user, amount: fc.integer({ min: 1, max: 60_000 }), toPerp: fc.boolean() }).map(
    ({ user: who, amount, toPerp }): Command => ({
      kind: "act",
      user: who,
      action: { type: "usdClassTransfer", amount: decimal(`${amount}.5`), toPerp, subAccount: null },
    }),
  ),
  fc.record({ user, mode: fc.constantFrom("i", "u") }).map(
    ({ user: who, mode }): Command => ({
      kind: "act",
      user: who,
      action: { type: "agentSetAbstraction", abstraction: mode },
    }),
  ),
  fc.record({ user, aheadMs: fc.integer({ min: 5_000, max: 60_000 }) }).map(
    ({ user: who, aheadMs }): Command => ({
      kind: "act",
      user: who,
      action: { type: "scheduleCancel", time: START_MS + aheadMs },
    }),
  ),
  fc.record({ user, to: user, amount: fc.integer({ min: 1, max: 60_000 }) }).map(
    ({ user: who, to, amount }): Command => ({
      kind: "act",
      user: who,
      action: { type: "usdSend", destination: to, amount: decimal(`${amount}`) },
    }),
  ),
  fc.record({ user, ground, b: fc.boolean(), r: fc.boolean(), times: fc.integer({ min: 1, max: 20 }) }).map(
    ({ user: who, ground: where, b, r, times }): Command => ({
      kind: "act",
      user: who,
      action: {
        type: "twapOrder",
        twap: { a: where.asset, b, s: decimal(sizeOf(where, times)), r, m: 5, t: times % 2 === 0 },
        details: null,
      },
    }),
  ),
);

const prices = fc
  .record({ ground, steps: fc.integer({ min: -60, max: 60 }) })
  .map(({ ground: where, steps }): Command => ({ kind: "mark", coin: where.coin, price: priceOf(where, steps) }));

const waits = fc.constantFrom(1, 7_000, 31_000, 1_800_000).map((ms): Command => ({ kind: "wait", ms }));

const command = fc.oneof(
  { weight: 10, arbitrary: orders },
  { weight: 3, arbitrary: groups },
  { weight: 2, arbitrary: cancels },
  { weight: 2, arbitrary: modifies },
  { weight: 2, arbitrary: settings },
  { weight: 3, arbitrary: prices },
  { weight: 2, arbitrary: waits },
);

function run(desk: Desk, step: Command): void {
  if (step.kind === "act") desk.act(step.user, step.action);
  else if (step.kind === "mark") desk.mark(step.coin, step.price);
  else desk.wait(step.ms);
}

const RUNS = { numRuns: 300 };

/** Traders who hold positions already, with so little cash that a bad hour liquidates one of them. */
function busyDesk(): Desk {
  const desk = newDesk({ scheduleCancelVolumeUsd: 0 });
  for (const { asset, middle, size } of GROUNDS.slice(0, 4)) {
    desk.hold(asset === 1 ? BOB : ALICE, { asset, buy: asset !== 0, price: `${middle}`, size });
  }
  for (const who of USERS) desk.act(who, { type: "usdSend", destination: HOUSE, amount: decimal("80000") });
  return desk;
}

const HOUSE = `0x${"40".repeat(20)}`;

describe("whatever happens", () => {
  test("money, positions, books and orders add up after every step", () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 20, maxLength: 80, size: "max" }), (steps) => {
        const desk = busyDesk();
        for (const step of steps) {
          run(desk, step);
          expect(faultsOf(desk.venue)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test("the same inputs give the same bytes, with a snapshot in between", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: "max" }), fc.nat(40), (steps, at) => {
        const [first, second] = [newDesk(), newDesk()];
        steps.forEach((step, index) => {
          run(first, step);
          if (index === at) second.venue = restoreVenue(serializeVenue(second.venue));
          run(second, step);
        });
        expect(serializeVenue(second.venue)).toBe(serializeVenue(first.venue));
        expect(second.events).toEqual(first.events);
      }),
      { numRuns: 100 },
    );
  });

  test("time in one step or in many leaves the same state", () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 50, size: "max" }),
        fc.array(fc.integer({ min: 1, max: 900_000 })),
        (steps, cuts) => {
          const desk = newDesk();
          for (const step of steps) run(desk, step);
          const other = restoreVenue(serializeVenue(desk.venue));
          const endMs = desk.nowMs + 7_200_000;
          let atMs = desk.nowMs;
          for (const cut of cuts) {
            atMs += cut;
            if (atMs < endMs) advance(other, atMs);
          }
          advance(other, endMs);
          advance(desk.venue, endMs);
          expect(serializeVenue(other)).toBe(serializeVenue(desk.venue));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("an action refused before its nonce leaves no trace", () => {
    const desk = newDesk();
    desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    const before = serializeVenue(desk.venue);
    for (const [signer, nonce, vaultAddress] of [
      [`0x${"dd".repeat(20)}`, desk.nonce + 1, null],
      [ALICE, desk.nonce, null],
      [ALICE, 1, null],
      [ALICE, desk.nonce + 1, BOB],
    ] as const) {
      const action: ParsedAction = { type: "noop" };
      const input = { action, signer, vaultAddress, nonce, expiresAfter: null, nowMs: desk.nowMs };
      const result = applyAction(desk.venue, input);
      expect([result.admitted, result.reply.status]).toEqual([false, "err"]);
      expect(serializeVenue(desk.venue)).toBe(before);
    }
  });
});
