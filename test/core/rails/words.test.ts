/** A refusal tells what is held as held, and what only may be as that. */
import { expect, test } from "bun:test";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import { type Known, leg, limitTold, usd } from "./judged.ts";

const REDUCTION = leg({ side: "sell", canOnlyReduce: true, remaining: usd(3) });
const STOP = leg({ ...REDUCTION, triggerPrice: usd(90), triggerKind: "stop_loss" });
const OTHERS_SALE = leg({ bot: "b", side: "sell", isInFlight: true });

test.each<[what: string, limit: string, asked: [OpenLeg, Known]]>([
  ["others are short", "others hold the other side of BTC", [leg({}), { account: "-1" }]],
  [
    "others are short, and sell more",
    "others hold the other side of BTC",
    [leg({}), { account: "-1", legs: [OTHERS_SALE] }],
  ],
  [
    "others are short, or a sale of its own that rests was filled",
    "others hold the other side of BTC, or orders of this bot were filled and it is not shown yet",
    [leg({}), { account: "-1", legs: [leg({ side: "sell" })] }],
  ],
  [
    "others are short by more than its own sale",
    "others hold the other side of BTC",
    [leg({}), { account: "-2", legs: [leg({ side: "sell" })] }],
  ],
  [
    "a sale of others is on its way",
    "others may come to hold the other side of BTC by an order of theirs that is not settled yet",
    [leg({}), { legs: [OTHERS_SALE] }],
  ],
  ["two are held", "2 BTC of its own", [REDUCTION, { net: "2" }]],
  [
    "one is held, and one may have been bought",
    "at most 2 BTC of its own",
    [REDUCTION, { net: "1", legs: [leg({ isUnheard: true })] }],
  ],
  ["one is held, and one rests that would be bought", "1 BTC of its own", [REDUCTION, { net: "1", legs: [leg({})] }]],
  [
    "one is held, and a stop comes before what it is to protect",
    "at most 2 BTC of its own",
    [STOP, { net: "1", legs: [leg({})] }],
  ],
])("%s: %s", (_what, limit, [wished, known]) => {
  expect(limitTold({ touches: "own" }, wished, known)).toBe(limit);
});
