import { expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { perpOf } from "../../../src/paper/engine/turn.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { activeAssetOf } from "../../../src/paper/info/active-asset-data.ts";
import { clearinghouseOf } from "../../../src/paper/info/clearinghouse-state.ts";
import { ALICE, newDesk } from "../engine/support.ts";

/** SOL, lent the rules of the market of the recording: two decimals of size, 10x at most, one tier. */
const ASSET = 5;

function recordedMarket(mark: string) {
  const desk = newDesk();
  const market = perpOf(desk.venue, ASSET);
  market.maxLeverage = 10;
  market.marginTableId = 10;
  market.markPrice = units(decimal(mark));
  return desk;
}

// Recorded: 2.0 at 37.829, isolated 10x, rawUsd -68.126246; everything that the row shows follows from these.
test("a position's row is the recorded one to the last digit, its return on equity included", () => {
  const desk = recordedMarket("37.826");
  desk.account(ALICE).positions.set(ASSET, {
    asset: ASSET,
    size: units(decimal("2")),
    signedEntry: units(decimal("75.658")),
    isCross: false,
    leverage: 10,
    isolatedMargin: units(decimal("7.531754")),
    funding: { allTime: 0n, sinceOpen: 0n, sinceChange: 0n },
  });
  const state = clearinghouseOf(desk.venue, { user: ALICE, dex: 0, nowMs: 1 });
  expect(state).toMatchObject({
    assetPositions: [
      {
        type: "oneWay",
        position: {
          szi: "2.0",
          leverage: { type: "isolated", value: 10, rawUsd: "-68.126246" },
          entryPx: "37.829",
          positionValue: "75.652",
          unrealizedPnl: "-0.006",
          returnOnEquity: "-0.0007930424",
          liquidationPx: "35.8559189474",
          marginUsed: "7.525754",
        },
      },
    ],
  });
});

// Recorded: 680.955673 available at 10x and a mark of 94.017 is a largest size of 72.42, not 72.43.
test("the largest size to trade is cut to the lot", () => {
  const desk = recordedMarket("94.017");
  desk.account(ALICE).cash.set(0, units(decimal("680.955673")));
  desk.account(ALICE).leverages.set(ASSET, { isCross: true, leverage: 10 });
  expect(activeAssetOf(desk.venue, ALICE, "SOL")).toMatchObject({
    leverage: { type: "cross", value: 10 },
    availableToTrade: ["680.955673", "680.955673"],
    maxTradeSzs: ["72.42", "72.42"],
  });
});
