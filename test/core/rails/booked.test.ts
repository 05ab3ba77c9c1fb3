/** What a trade makes of what a bot held. */
import { expect, test } from "bun:test";
import { decimal, subtract } from "../../../src/core/decimal.ts";
import { bookedInOrder, heldAgainst, movedBy, netAfter, type TimedTrade } from "../../../src/core/rails/bot-net.ts";

type Row = readonly [held: string, side: "buy" | "sell", reduceOnly: boolean, size: string, after: string];

test.each<Row>([
  ["1", "buy", false, "2", "3"],
  ["1", "sell", false, "2", "-1"],
  ["1", "sell", true, "2", "0"],
  ["-1", "buy", true, "2", "0"],
  ["-1", "sell", true, "2", "-1"],
  ["1", "buy", true, "2", "1"],
  // Taken back as it was booked.
  ["0", "sell", true, "-2", "2"],
  ["0", "buy", true, "-2", "-2"],
])("%s held, a %s that only reduces (%p) of %s: %s", (...[held, side, reduceOnly, size, after]) => {
  const trade = { side, reduceOnly, size: decimal(size) };
  const net = netAfter(decimal(held), trade);
  expect<string>(net).toBe(after);
  expect(movedBy(trade, { held: decimal(held), net })).toBe(subtract(net, decimal(held)));
});

function trade(timeMs: number, side: "buy" | "sell", reduceOnly: boolean, size = "1"): TimedTrade {
  return { timeMs, side, reduceOnly, size: decimal(size), price: decimal("100") };
}

test("what only reduces comes behind what was filled at the same moment, and what it closes of another's is no cash", () => {
  const booked = (trades: TimedTrade[]) => {
    const { net, beyondCash } = bookedInOrder(decimal("0"), trades);
    return [net, beyondCash].map(String);
  };
  expect(booked([trade(5, "sell", true), trade(5, "buy", false)])).toEqual(["0", "0"]);
  expect(booked([trade(4, "sell", true, "2"), trade(5, "buy", false)])).toEqual(["1", "200"]);
  expect(booked([trade(4, "buy", true, "2"), trade(5, "sell", false)])).toEqual(["-1", "-200"]);
});

test("what increases is booked against what is held of the other side alone", () => {
  const against = (held: string, side: "buy" | "sell") => {
    const { longSold, shortBought } = heldAgainst(decimal(held), { side, reduceOnly: false, size: decimal("1") });
    return [longSold, shortBought].map(String);
  };
  expect([against("3", "sell"), against("-3", "sell")]).toEqual([
    ["3", "0"],
    ["0", "0"],
  ]);
  expect([against("3", "buy"), against("-3", "buy")]).toEqual([
    ["0", "0"],
    ["0", "3"],
  ]);
});
