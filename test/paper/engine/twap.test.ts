import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import type { EngineOptions } from "../../../src/paper/engine/options.ts";
import { slicePlan } from "../../../src/paper/engine/twap.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, type Desk, newDesk, shown } from "./support.ts";

const MINUTE_MS = 60_000;

type Wanted = { a?: number; b?: boolean; s: string; r?: boolean; m: number; t?: boolean };
type Details = { t: { p: string; a: boolean } | null; s: string | null };

function twap(desk: Desk, wanted: Wanted, details: Details | null = null): unknown {
  const reply = desk.act(ALICE, {
    type: "twapOrder",
    twap: {
      a: wanted.a ?? 0,
      b: wanted.b ?? true,
      s: decimal(wanted.s),
      r: wanted.r ?? false,
      m: wanted.m,
      t: wanted.t ?? false,
    },
    details:
      details === null
        ? null
        : {
            t: details.t === null ? null : { p: decimal(details.t.p), a: details.t.a },
            s: details.s === null ? null : decimal(details.s),
          },
  });
  if (reply.status === "err" || reply.response.type !== "twapOrder") return reply;
  const { status } = reply.response.data;
  return "error" in status ? status.error : status;
}

function liquid(options: Partial<EngineOptions> = {}): Desk {
  const desk = newDesk(options);
  desk.fund(BOB, "10000000");
  desk.rest(BOB, { buy: false, price: "95100", size: "20" });
  desk.rest(BOB, { buy: true, price: "94900", size: "20" });
  return desk;
}

function history(desk: Desk): string[] {
  return desk.account(ALICE).twapHistory.map((row) => row.status.status);
}

describe("TWAP", () => {
  // 10,000 dollars in an hour are 121 slices; over four days about a thousand, one every 5.8 minutes or so.
  test.each([
    [60, "10000", 121, 30_000],
    [5_760, "10000", 1_000, 345_945],
    [5, "100", 10, 33_333],
  ])("plans %s minutes of %s dollars as %s slices every %s ms", (minutes, value, sliceCount, intervalMs) => {
    expect(slicePlan(minutes, units(decimal(value)))).toEqual({ sliceCount, intervalMs });
  });

  test("sends even slices on the clock and ends finished", () => {
    const desk = liquid();
    expect(twap(desk, { s: "0.11", m: 5 })).toEqual({ running: { twapId: 1 } });
    expect(desk.fills(ALICE).map((fill) => shown(fill.size))).toEqual(["0.01"]);
    desk.wait(29_999);
    expect(desk.fills(ALICE)).toHaveLength(1);
    desk.wait(1);
    expect(desk.fills(ALICE)).toHaveLength(2);
    desk.wait(5 * MINUTE_MS);
    expect([desk.size(ALICE), desk.fills(ALICE).length, desk.venue.twaps.size]).toEqual(["0.11", 11, 0]);
    expect(history(desk)).toEqual(["activated", "finished"]);
    expect(desk.account(ALICE).twapHistory.at(-1)?.state).toMatchObject({
      executedSize: units(decimal("0.11")),
      executedNotional: units(decimal("10461")),
    });
  });

  test("marks its fills: no hash, its own id, an order of its own for every slice", () => {
    const desk = liquid();
    twap(desk, { s: "0.11", m: 5 });
    desk.wait(30_000);
    const fills = desk.fills(ALICE);
    expect(fills.map(({ twapId, crossed }) => [twapId, crossed])).toEqual([
      [1, true],
      [1, true],
    ]);
    expect(fills[0]?.hash).toBe(`0x${"0".repeat(64)}`);
    expect(new Set(fills.map((fill) => fill.oid)).size).toBe(2);
    expect(desk.account(ALICE).records.get(fills[0]?.oid ?? 0)?.order.orderType).toBe("Twap Slice");
    expect(desk.fills(BOB)[0]?.twapId).toBeNull();
  });

  test("catches up after missing liquidity, with slices of at most three times the normal", () => {
    const desk = newDesk();
    desk.fund(BOB, "10000000");
    twap(desk, { s: "0.11", m: 5 });
    desk.wait(4 * 30_000);
    expect(desk.fills(ALICE)).toHaveLength(0);
    desk.rest(BOB, { buy: false, price: "95100", size: "20" });
    desk.wait(3 * 30_000);
    expect(desk.fills(ALICE).map((fill) => shown(fill.size))).toEqual(["0.03", "0.03", "0.02"]);
    desk.wait(5 * MINUTE_MS);
    expect(desk.size(ALICE)).toBe("0.11");
  });

  test("pays at most three percent more than mark, and may end unfilled", () => {
    const desk = newDesk();
    desk.rest(BOB, { buy: false, price: "97900", size: "1" });
    twap(desk, { s: "0.11", m: 5 });
    desk.wait(5 * MINUTE_MS);
    expect([desk.size(ALICE), ...history(desk)]).toEqual(["0", "activated", "finished"]);
    const records = [...desk.account(ALICE).records.values()];
    expect(records.map(({ status }) => status)).toEqual(Array(11).fill("iocCancelRejected"));
  });

  test("varies its slices by a fifth from the venue's own seed", () => {
    const sizes = (seed: number) => {
      const desk = newDesk({}, seed);
      desk.rest(BOB, { buy: false, price: "95100", size: "20" });
      twap(desk, { s: "0.11", m: 5, t: true });
      desk.wait(5 * MINUTE_MS);
      return desk.fills(ALICE).map((fill) => shown(fill.size));
    };
    expect(sizes(1)).toEqual(sizes(1));
    expect(sizes(1)).not.toEqual(sizes(2));
    const first = Number(sizes(1)[0]);
    expect(first >= 0.008 && first <= 0.012).toBe(true);
  });

  test("however its slices vary, it ends with the slice that makes it whole, and never with more", () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const desk = newDesk({}, seed);
      desk.fund(BOB, "10000000");
      desk.rest(BOB, { buy: false, price: "95100", size: "20" });
      twap(desk, { s: "0.11", m: 5, t: true });
      for (let half = 0; half < 10; half += 1) {
        for (const { executedSize, size } of desk.venue.twaps.values()) expect(executedSize < size).toBe(true);
        desk.wait(30_000);
      }
      expect([desk.size(ALICE), desk.venue.twaps.size]).toEqual(["0.11", 0]);
    }
  });

  test("that only reduces is refused on the side of its position", () => {
    const desk = liquid();
    desk.place(ALICE, { buy: true, price: "95100", size: "0.05", tif: "Ioc" });
    const refused = "Reduce-only TWAP order would increase position.";
    expect(twap(desk, { b: true, s: "0.05", m: 5, r: true })).toBe(refused);
    expect(twap(desk, { b: false, s: "0.05", m: 5, r: true })).toEqual({ running: { twapId: 1 } });
  });

  test("of just the least value is taken, and none in a market that is closed", () => {
    const desk = liquid();
    desk.mark("BTC", "80000");
    expect(twap(desk, { s: "0.00125", m: 5 })).toEqual({ running: { twapId: 1 } });
    const market = desk.venue.markets.get(0);
    if (market?.kind === "perp") market.isDelisted = true;
    expect(twap(desk, { s: "0.00125", m: 5 })).toBe("Trading is halted.");
  });

  // biome-ignore format: a table is read by its columns
  test.each<[string, Wanted, Partial<EngineOptions>, string]>([
    ["too short", { s: "1", m: 4 }, {}, "Invalid TWAP duration: 4 min(s)"],
    ["longer than seven days", { s: "1", m: 10_081 }, {}, "Invalid TWAP duration: 10081 min(s)"],
    ["too small", { s: "0.00105", m: 5 }, {}, "TWAP order value too small. Min is $100."],
    ["too small a minute", { s: "0.01", m: 120 }, { twapMinimum: "perMinute" }, "TWAP order value too small. Min is $1200, which is $10 per minute."],
    ["too large", { s: "4000", m: 5 }, {}, "TWAP order value too large. Max is $300000000"],
    ["reduce-only without a position", { s: "1", m: 5, r: true }, {}, "Reduce-only TWAP order would increase position."],
    ["too fine a size", { s: "0.000001", m: 5 }, {}, "Order has invalid size."],
    ["one too many", { s: "1", m: 5 }, { maxActiveTwaps: 0 }, "Exceeded max number of active TWAP orders."],
  ])("is refused when %s", (_name, wanted, options, text) => {
    expect(twap(newDesk(options), wanted)).toBe(text);
  });

  test("is cancelled once, by its owner and in its market", () => {
    const desk = liquid();
    twap(desk, { s: "0.11", m: 5 });
    const cancel = (user: string, a: number) => {
      const reply = desk.act(user, { type: "twapCancel", a, t: 1 });
      return reply.status === "ok" && reply.response.type === "twapCancel" ? reply.response.data.status : reply;
    };
    const gone = { error: "TWAP was never placed, already canceled, or filled." };
    expect([cancel(BOB, 0), cancel(ALICE, 1), cancel(ALICE, 0), cancel(ALICE, 0)]).toEqual([
      gone,
      gone,
      "success",
      gone,
    ]);
    desk.wait(5 * MINUTE_MS);
    expect([desk.size(ALICE), ...history(desk)]).toEqual(["0.01", "activated", "terminated"]);
  });

  test("ends with an error when the margin is not there", () => {
    const desk = liquid();
    desk.account(ALICE).cash.set(0, 1_000_000_000n);
    twap(desk, { s: "1", m: 5 });
    expect(desk.account(ALICE).twapHistory.at(-1)?.status).toEqual({
      status: "error",
      description: "Insufficient margin to place order.",
    });
  });

  test("ends with an error when there is nothing left to reduce", () => {
    const desk = liquid();
    desk.place(ALICE, { buy: true, price: "95100", size: "0.05", tif: "Ioc" });
    twap(desk, { b: false, s: "0.11", m: 5, r: true });
    desk.wait(5 * MINUTE_MS);
    expect([desk.size(ALICE), ...history(desk)]).toEqual(["0", "activated", "error"]);
  });

  test("waits for its trigger price and stops beyond its stop price", () => {
    const desk = liquid();
    twap(desk, { s: "0.11", m: 5 }, { t: { p: "96000", a: true }, s: "97000" });
    desk.wait(MINUTE_MS);
    expect([desk.fills(ALICE).length, ...history(desk)]).toEqual([0, "waitingForTrigger"]);
    desk.mark("BTC", "96000");
    desk.wait(MINUTE_MS);
    expect([desk.fills(ALICE).length, ...history(desk)]).toEqual([3, "waitingForTrigger", "activated"]);
    desk.mark("BTC", "97000");
    desk.wait(5 * MINUTE_MS);
    expect([desk.fills(ALICE).length, history(desk).at(-1)]).toEqual([3, "stopped"]);
  });

  test("may wait for a price below as well", () => {
    const desk = liquid();
    twap(desk, { b: false, s: "0.11", m: 5 }, { t: { p: "94000", a: false }, s: null });
    desk.mark("BTC", "94001");
    expect(history(desk)).toEqual(["waitingForTrigger"]);
    desk.mark("BTC", "94000");
    expect(history(desk)).toEqual(["waitingForTrigger", "activated"]);
  });

  test("sends nothing while only post-only orders are taken", () => {
    const desk = liquid();
    desk.venue.postOnlyUntilMs = desk.nowMs + MINUTE_MS;
    twap(desk, { s: "0.11", m: 5 });
    desk.wait(59_999);
    expect(desk.fills(ALICE)).toHaveLength(0);
    desk.wait(1);
    expect(desk.fills(ALICE).map((fill) => shown(fill.size))).toEqual(["0.03"]);
  });
});
