import { describe, expect, test } from "bun:test";
import { ZERO } from "../../src/core/decimal.ts";
import { type ActionAllowance, openActionAllowance } from "../../src/exchange/action-allowance.ts";
import type { Read } from "../../src/exchange/reads.ts";
import type { RateLimit } from "../../src/wire/answer/account.ts";
import { type StillClock, stillClock } from "./clocks.ts";

type Rig = {
  allowance: ActionAllowance;
  clock: StillClock;
  asked: string[];
  /** What the exchange would answer now; null = nothing. */
  told: { use: [used: number, cap: number] | null };
};

function openRig(use: [number, number] | null, isOn = true): Rig {
  const clock = stillClock();
  const asked: string[] = [];
  const told: Rig["told"] = { use };
  async function rateLimit(user: string): Promise<Read<RateLimit>> {
    asked.push(user);
    if (told.use === null) return { kind: "failed", reason: "no answer", isOurBudget: false };
    const [requestsUsed, requestsCap] = told.use;
    return {
      kind: "ok",
      value: { cumulativeVolume: ZERO, requestsUsed, requestsCap, requestsSurplus: 0 },
      askedAtMs: 0,
      readAtMs: 0,
    };
  }
  return { allowance: openActionAllowance({ isOn, reads: { rateLimit }, clock }), clock, asked, told };
}

/** Lets what was asked be answered. */
async function answered(clock: StillClock): Promise<void> {
  await clock.advance(0);
}

describe("the allowance of actions", () => {
  test("lets everything through while the exchange has said nothing", async () => {
    const { allowance, told } = openRig(null);
    await allowance.refresh("0xa");
    expect(told.use).toBeNull();
    expect(allowance.fits("0xa", "order")).toBe(true);
  });

  test("stops increases first, then reductions, then settling, and cancels only beyond the cap", async () => {
    const { allowance } = openRig([9_799, 10_000]);
    await allowance.refresh("0xa");
    const fitting = () =>
      (["order", "reduce", "settle", "cancel"] as const).filter((use) => allowance.fits("0xa", use));
    expect(fitting()).toEqual(["order", "reduce", "settle", "cancel"]);
    allowance.spend("0xa", "order");
    expect(fitting()).toEqual(["reduce", "settle", "cancel"]);
    for (let spent = 0; spent < 100; spent += 1) allowance.spend("0xa", "reduce");
    expect(fitting()).toEqual(["settle", "cancel"]);
    for (let spent = 0; spent < 100; spent += 1) allowance.spend("0xa", "settle");
    expect(fitting()).toEqual(["cancel"]);
    expect(allowance.fits("0xb", "order")).toBe(true);
  });

  test("beyond the cap lets one through in 10 s, as the exchange does, and keeps it for orders", async () => {
    const { allowance, clock } = openRig([10_000, 10_000]);
    await allowance.refresh("0xa");
    expect(allowance.fits("0xa", "settle")).toBe(false);
    expect(allowance.fits("0xa", "order")).toBe(true);
    allowance.spend("0xa", "order");
    await clock.advance(500);
    expect([allowance.fits("0xa", "order"), allowance.waitS("0xa")]).toEqual([false, 10]);
    await clock.advance(9_499);
    expect([allowance.fits("0xa", "order"), allowance.waitS("0xa")]).toEqual([false, 1]);
    await clock.advance(1);
    expect(allowance.fits("0xa", "order")).toBe(true);
  });

  test("asks again when nothing fits, because trading may have earned more, and at most every 10 s", async () => {
    const { allowance, clock, asked, told } = openRig([10_000, 10_000]);
    await allowance.refresh("0xa");
    allowance.spend("0xa", "order");
    for (let nth = 0; nth < 5; nth += 1) expect(allowance.fits("0xa", "order")).toBe(false);
    expect(asked).toEqual(["0xa"]);
    told.use = [10_001, 20_000];
    await clock.advance(5_000);
    allowance.spend("0xa", "order");
    await clock.advance(5_000);
    expect(allowance.fits("0xa", "order")).toBe(false);
    await answered(clock);
    expect(asked).toEqual(["0xa", "0xa"]);
    expect(allowance.fits("0xa", "order")).toBe(true);
  });

  test("keeps what it knows when it cannot ask", async () => {
    const { allowance, clock, told } = openRig([10_000, 10_000]);
    await allowance.refresh("0xa");
    allowance.spend("0xa", "order");
    told.use = null;
    await clock.advance(9_000);
    await allowance.refresh("0xa");
    expect(allowance.fits("0xa", "order")).toBe(false);
  });

  test("is off when it is switched off, and asks nothing", async () => {
    const { allowance, asked } = openRig([10_000, 10_000], false);
    await allowance.refresh("0xa");
    allowance.spend("0xa", "order");
    expect([allowance.fits("0xa", "order"), asked]).toEqual([true, []]);
  });
});
