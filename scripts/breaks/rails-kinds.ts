import { type Break, inFile } from "./break.ts";

const GATE = "src/write/gate.ts";
const JUDGE = "src/core/rails/judge.ts";
const JUDGED = "test/core/rails/judge.test.ts";
const SETTINGS = "test/http/rails-settings.test.ts";
const SPOT = "test/http/rails-spot.test.ts";
const TWAPS = "test/http/rails-twap.test.ts";

function seen(title: string, test: string): { test: string; title: string } {
  return { test, title };
}

/** Ways to let a key with rails do with TWAPs, leverage, margin and spot what its owner has not signed. */
export const RAILS_KINDS_BREAKS: readonly Break[] = [
  {
    row: "S54",
    name: "leverage is raised as it is lowered",
    changes: inFile("src/core/rails/settings.ts", "set === null || !isLowering(setting, set)", "set === null"),
    seenBy: seen("leverage and margin: %s comes to %s", JUDGED),
  },
  {
    row: "S54",
    name: "leverage that nobody knows counts as lowered",
    changes: inFile("src/core/rails/settings.ts", "set === null || !isLowering(", "set !== null && !isLowering("),
    seenBy: seen("leverage and margin: %s comes to %s", JUDGED),
  },
  {
    row: "S54",
    name: "margin is taken out as it is added",
    changes: inFile(GATE, "isRemoval: action.ntli < 0n", "isRemoval: action.ntli === 0n"),
    seenBy: seen("margin is added with the verb alone, and taken out as an increase", SETTINGS),
  },
  {
    row: "S54",
    name: "what leverage an order goes under is not asked",
    changes: inFile(JUDGE, "    settingFault(rails, facts, market) ??\n", ""),
    seenBy: seen("under more it is refused, with the call that lowers it, and passes after that", SETTINGS),
  },
  {
    row: "S54",
    name: "a change of leverage whose answer was lost was not carried out",
    changes: inFile("src/write/leverage-facts.ts", ", ...open.map(settingIn)]", "]"),
    seenBy: seen("a change up that a server does not show yet is not passed over", SETTINGS),
  },
  {
    row: "S54",
    name: "a spot market is any market",
    changes: inFile(
      "src/core/rails/may.ts",
      "markets?.includes(market) === true",
      "markets?.includes(market) !== false",
    ),
    seenBy: seen("on spot: %s comes to %s", JUDGED),
  },
  {
    row: "S54",
    name: "a thin market's mark of now is believed",
    changes: inFile(
      "src/write/rails-facts.ts",
      "isSpot(market) ? marketView.median(market) : told",
      "isSpot(market) ? known.value.mark : told",
    ),
    seenBy: seen("a spot market is bought when its price", SPOT),
  },
  {
    row: "S54",
    name: "on spot a bot sells what is another's",
    changes: inFile(
      "src/core/rails/reductions.ts",
      "if (isSpot(market)) return soldFault(",
      "if (isSpot(market)) return distanceFault(",
    ),
    seenBy: seen("a bot sells on spot what it has bought", SPOT),
  },
  {
    row: "S54",
    name: "on spot only one of two sales counts",
    changes: inFile(
      "src/core/rails/reductions.ts",
      "const use = sum(sales.map(({ remaining }) => remaining));",
      "const use = sales.map(({ remaining }) => remaining).reduce(larger, ZERO);",
    ),
    seenBy: seen("on spot: %s comes to %s", JUDGED),
  },
  {
    row: "S54",
    name: "a TWAP passes as a cancel",
    changes: inFile(
      GATE,
      "      return twapWish(deps, { orderId, cloid: orderId, bot }, action.twap);",
      '      return { kind: "cancel" };',
    ),
    seenBy: seen("is judged: %s", TWAPS),
  },
  {
    row: "S54",
    name: "slices of a TWAP are worth what the market says",
    changes: inFile("src/core/rails/exposure.ts", 'decimal("1.03")', 'decimal("1")'),
    seenBy: seen("is judged: %s", TWAPS),
  },
  {
    row: "S54",
    name: "a TWAP that runs is not counted",
    changes: inFile(
      "src/store/open-legs.ts",
      "return twaps.length === 0 ? orders",
      "return twaps.length >= 0 ? orders",
    ),
    seenBy: seen("holds its size until it has ended and all of its fills are known", TWAPS),
  },
  {
    row: "S54",
    name: "a TWAP has ended while fills of it are missing",
    changes: inFile(
      "src/core/rails/twap-end.ts",
      "if (ended !== undefined) return compare(twap.filledSize, ended.state.executedSize) >= 0;",
      "if (ended !== undefined) return true;",
    ),
    seenBy: seen("holds its size until it has ended and all of its fills are known", TWAPS),
  },
  {
    row: "S54",
    name: "what a TWAP fills is nobody's",
    changes: inFile("src/store/fills.ts", "    bookTwapFill(store, row);\n", ""),
    seenBy: seen("holds its size until it has ended and all of its fills are known", TWAPS),
  },
];
