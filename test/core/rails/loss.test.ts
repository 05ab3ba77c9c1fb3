import { describe, expect, test } from "bun:test";
import { decimal, parseDecimal, ZERO } from "../../../src/core/decimal.ts";
import { NOTHING_GRANTED } from "../../../src/core/rails/limited-grant.ts";
import { fundingShare, lossOfDay, type Valued } from "../../../src/core/rails/loss.ts";
import { haltBy, lossThatCounts, type Trip } from "../../../src/core/rails/trip.ts";

type Row = Record<"openNet" | "cash" | "funding" | "net", string> & Record<"openMark" | "mark", string | null>;
const FLAT: Row = { openNet: "0", openMark: null, cash: "0", funding: "0", net: "0", mark: null };

function loss(rows: Partial<Row>[], fees = "0"): string | null {
  const valued = rows.map((row): Valued => {
    const { openNet, cash, funding, net, openMark, mark } = { ...FLAT, ...row };
    const orNull = (text: string | null) => (text === null ? null : decimal(text));
    const figures = { openNet: decimal(openNet), cash: decimal(cash), funding: decimal(funding), net: decimal(net) };
    return { market: "BTC", ...figures, openMark: orNull(openMark), mark: orNull(mark) };
  });
  return lossOfDay(valued, decimal(fees));
}

describe("the loss of a day", () => {
  test.each<[string, Partial<Row>[], string, string | null]>([
    ["nothing", [], "0", "0"],
    ["fees alone", [], "3.5", "3.5"],
    ["what was bought and sold for less", [{ cash: "-40" }], "1", "41"],
    ["what was bought and is worth less", [{ cash: "-100", net: "1", mark: "90" }], "0", "10"],
    ["what was sold short and is worth more", [{ cash: "100", net: "-1", mark: "112" }], "0", "12"],
    ["what was held and has fallen", [{ openNet: "2", openMark: "100", net: "2", mark: "95" }], "0", "10"],
    ["what was held, has fallen and was sold", [{ openNet: "1", openMark: "100", cash: "80" }], "0", "no mark"],
    ["the same with a mark", [{ openNet: "1", openMark: "100", cash: "80", mark: "80" }], "0", "20"],
    ["a day that has no first mark yet", [{ openNet: "1", net: "1", mark: "50" }], "0", "0"],
    ["funding that was paid", [{ openNet: "1", openMark: "5", net: "1", mark: "5", funding: "2" }], "0", "2"],
    ["funding that was paid for what is held no more", [{ cash: "-10", funding: "2" }], "0", "12"],
    ["a gain here and a loss there", [{ cash: "30" }, { cash: "-10" }], "0", "-20"],
    ["a position without a mark", [{ net: "1" }], "0", null],
  ])("of %s", (_title, rows, fees, wanted) => {
    expect(loss(rows, fees)).toBe(wanted === "no mark" ? null : wanted);
  });

  test.each<[string, string, string]>([
    ["the first look counts nothing", "null 5 1 1", "0"],
    ["all of it is the bot's where all of the position is", "5 8 2 2", "3"],
    ["of another's part nothing", "5 9 4 1", "1"],
    ["what was received is a gain", "5 3 -2 -2", "-2"],
    ["a position of the other side is another's", "5 9 -4 1", "0"],
    ["a position that was opened anew begins at zero", "5 0 2 2", "0"],
    ["nothing is held any more", "5 9 2 0", "0"],
  ])("funding: %s", (_title, figures, share) => {
    const [before = ZERO, now = ZERO, position = ZERO, net = ZERO] = figures
      .split(" ")
      .map((text) => parseDecimal(text));
    const look = { before, now: now ?? ZERO, position: position ?? ZERO, net: net ?? ZERO };
    expect(String(fundingShare(look))).toBe(share);
  });
});

describe("a trip", () => {
  const TRIP: Trip = {
    id: "t",
    accountId: "a",
    bot: "b",
    cause: "loss",
    day: 20_000,
    loss: decimal("60"),
    limit: decimal("50"),
    createdAtMs: 5,
    clearedAtMs: null,
  };
  const RAILS = NOTHING_GRANTED.rails;

  test.each([
    ["a loss, whatever the rails are now", TRIP, RAILS, "maxLossPerDay"],
    [
      "a restore, by the turnover",
      { ...TRIP, cause: "restored" } as const,
      { ...RAILS, maxTurnoverPerDay: decimal("9"), maxLossPerDay: decimal("9") },
      "maxTurnoverPerDay",
    ],
    [
      "a restore, by the loss",
      { ...TRIP, cause: "restored" } as const,
      { ...RAILS, maxLossPerDay: decimal("9") },
      "maxLossPerDay",
    ],
    [
      "a restore, by the actions",
      { ...TRIP, cause: "restored" } as const,
      { ...RAILS, maxActionsPerDay: 3 },
      "maxActionsPerDay",
    ],
    ["a restore, where nothing is counted by the day", { ...TRIP, cause: "restored" } as const, RAILS, "undefined"],
  ])("of %s", (_title, trip, rails, rail) => {
    expect(String(haltBy(trip, rails)?.rail)).toBe(rail);
  });

  test("that the operator has ended is taken note of once", () => {
    const cleared = { ...TRIP, clearedAtMs: 6 };
    const later = { ...cleared, loss: decimal("80"), createdAtMs: 7 };
    const counts = (trips: Trip[]) => String(lossThatCounts(decimal("100"), trips));
    expect([counts([TRIP]), counts([cleared]), counts([later, cleared])]).toEqual(["100", "40", "20"]);
    // Of one that a restore has made nobody knows a loss: that it was ended takes nothing of another back.
    const restored: Trip = { ...cleared, cause: "restored", loss: ZERO, limit: null, createdAtMs: 8 };
    expect(counts([restored, cleared])).toBe("40");
  });
});
