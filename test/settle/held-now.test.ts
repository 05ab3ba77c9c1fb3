/** What of a trade is held at most, as readings of the account and the books of its bot come. */
import { expect, test } from "bun:test";
import { type Decimal, decimal } from "../../src/core/decimal.ts";
import type { Trade } from "../../src/core/trade.ts";
import { heldAtMost, newHeldMemory, readHeld } from "../../src/settle/trade/held-now.ts";
import { TRADE } from "../core/trade-stage.ts";
import { ACCOUNT } from "../support/gateway-rig.ts";
import { stillClock } from "../support/still-clock.ts";

const trade: Trade = { ...TRADE, side: "buy" };

function following() {
  const clock = stillClock(1_700_000_000_000);
  const memory = newHeldMemory();
  const is = {
    own: decimal("0"),
    account: decimal("9"),
    left: null as Decimal | null,
    byFills: decimal("0") as Decimal | null,
  };
  let readings = 0;
  const world = { clock, exchange: { nowMs: () => clock.nowMs() } } as unknown as Parameters<typeof readHeld>[0];
  const parts = {
    async position() {
      readings += 1;
      return { size: is.account, timeMs: clock.nowMs() };
    },
    leftToTrade: () => is.left,
    leftByFills: () => is.byFills,
  };
  const look = () => readHeld(world, parts, { account: ACCOUNT, trade, memory, ownNow: () => is.own });
  return {
    is,
    readings: () => readings,
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 0.25) {
        await look();
        await clock.advance(250);
      }
      await look();
    },
    look,
    atMost: () => heldAtMost(memory, is.own),
  };
}

test("what two readings agree on is held at most, and the second comes soon", async () => {
  const { is, pass, atMost } = following();
  is.own = decimal("5");
  await pass(12);
  expect(atMost()).toBe(decimal("9"));
  is.left = decimal("3");
  await pass(8);
  expect(atMost()).toBe(decimal("9"));
  await pass(5);
  expect(atMost()).toBe(decimal("3"));
});

test("what one reading shows and the next does not takes nothing away", async () => {
  const { is, pass, readings, atMost } = following();
  is.own = decimal("5");
  await pass(12);
  const before = readings();
  is.account = decimal("0");
  while (readings() === before) await pass(0.25);
  is.account = decimal("9");
  for (let nth = 0; nth < 60; nth += 1) {
    expect(atMost()).toBe(decimal("9"));
    await pass(0.25);
  }
});

test.each([
  ["a guard fills all that was left", "2", "0"],
  ["a guard fills a part", "4", "2"],
  ["the entry fills more", "8", "6"],
])("what its bot has sold stays sold where %s", async (_what, own, left) => {
  const { is, pass, look, atMost } = following();
  is.own = decimal("5");
  is.left = decimal("3");
  await pass(20);
  is.own = decimal(own);
  expect(atMost()).toBe(decimal(left));
  is.left = null;
  await look();
  expect(atMost()).toBe(decimal(left));
  await pass(8);
  expect(atMost()).toBe(decimal(left));
  is.left = decimal("9");
  await pass(8);
  expect(atMost()).toBe(decimal("9"));
});

test("what an account lacks may be a guard's own fill that is told later: it is not taken off twice", async () => {
  const { is, pass, look, atMost } = following();
  is.own = decimal("5");
  is.account = decimal("3");
  is.left = decimal("5");
  await pass(20);
  expect(atMost()).toBe(decimal("3"));
  is.own = decimal("3");
  is.left = decimal("3");
  await look();
  expect(atMost()).toBe(null);
  await pass(20);
  expect(atMost()).toBe(decimal("3"));
});

test("at a start the books of its bot speak before any reading, and never of an end", async () => {
  const { is, look, readings, atMost } = following();
  is.own = decimal("5");
  is.left = decimal("3");
  await look();
  expect([atMost(), readings()]).toEqual([decimal("3"), 0]);
  const other = following();
  other.is.own = decimal("5");
  other.is.left = decimal("0");
  await other.look();
  expect([other.atMost(), other.readings()]).toEqual([null, 0]);
});

test.each<[string, string | null]>([
  ["the known fills leave it", "5"],
  ["not all fills are known", null],
  ["they leave more of others", "8"],
])("what readings show less is not missing where %s: what takes it away leaves a fill", async (_what, byFills) => {
  const { is, pass, atMost } = following();
  Object.assign(is, { own: decimal("5"), account: decimal("0"), byFills });
  await pass(580);
  expect(atMost()).toBe(decimal("5"));
  // A market may be settled without a fill.
  await pass(60);
  expect(atMost()).toBe(decimal("0"));
});

test("what fills have taken is missing as soon as two readings show it, also a part of it", async () => {
  const { is, pass, atMost } = following();
  Object.assign(is, { own: decimal("5"), account: decimal("0"), byFills: decimal("5") });
  await pass(60);
  is.byFills = decimal("2");
  await pass(15);
  expect(atMost()).toBe(decimal("2"));
  is.byFills = decimal("-1");
  await pass(15);
  expect(atMost()).toBe(decimal("0"));
});

test("of a plain key it is what the account holds, and a steady reading is asked for every ten seconds", async () => {
  const { is, pass, readings, atMost } = following();
  is.own = decimal("5");
  is.account = decimal("4");
  await pass(40);
  expect(atMost()).toBe(decimal("4"));
  expect(readings()).toBeLessThan(7);
});
