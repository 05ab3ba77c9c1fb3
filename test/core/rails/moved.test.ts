/** A position that was told before fills that were told as well: it refuses nobody whom the one of after them may let through. */
import { expect, test } from "bun:test";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import type { Wish } from "../../../src/core/rails/wish.ts";
import { judged, type Known, leg, two, usd } from "./judged.ts";

function moved(buys: number, sells: number): Known {
  return { movedOf: () => ({ buys: usd(buys), sells: usd(sells) }) };
}

const MAY: Rails["may"] = ["increase", "reduce", "leverage", "margin"];
const SALE = leg({ side: "sell" });
const STOP = leg({ side: "sell", canOnlyReduce: true, triggerPrice: usd(90), triggerKind: "stop_loss" });
const RAISE: Wish = { kind: "leverage", market: "BTC", setting: { leverage: 5, isCross: true } };
const REMOVAL: Wish = { kind: "margin", market: "BTC", isRemoval: true };
const OTHERS_CLOSE = leg({ bot: "b", side: "sell", canOnlyReduce: true, price: usd(101), cloid: "0xb", orderId: "b" });
const CLOSE = leg({ side: "sell", canOnlyReduce: true, price: usd(101) });

test.each<[string, string, [Partial<Rails>, OpenLeg | Wish, Known]]>([
  ["others hold the other side", "opposite_position", [{}, SALE, { account: "5" }]],
  ["others have sold all of it since", "unproven", [{}, SALE, { account: "5", ...moved(0, 5) }]],
  ["others have sold most of it since", "opposite_position", [{}, SALE, { account: "5", ...moved(0, 4) }]],
  ["others have bought more of it since", "opposite_position", [{}, SALE, { account: "5", ...moved(5, 0) }]],
  ["others have bought it back since", "unproven", [{}, leg({}), { account: "-5", ...moved(5, 0) }]],
  ["it has sold all that was held itself", "unproven", [{}, SALE, { net: "0", account: "5", ...moved(0, 5) }]],
  [
    "it is short, and others have sold more than they bought",
    "unproven",
    [{}, SALE, { net: "-5", account: "5", ...moved(1, 5) }],
  ],
  ["others hold a part, and it raises the leverage", "touches", [{}, RAISE, { account: "5", settings: two() }]],
  ["they have sold that", "unproven", [{}, RAISE, { account: "5", settings: two(), ...moved(0, 5) }]],
  [
    "between what was filled is its own",
    "unproven",
    [{}, RAISE, { net: "2", account: "5", settings: two(), ...moved(0, 9) }],
  ],
  ["both sides were filled", "unproven", [{}, RAISE, { net: "2", account: "2.5", settings: two(), ...moved(1, 1) }]],
  ["more than that is others'", "touches", [{}, RAISE, { net: "2", account: "9", settings: two(), ...moved(0, 6) }]],
  ["others' margin would be taken out", "touches", [{}, REMOVAL, { account: "5" }]],
  ["they have bought what it was for", "unproven", [{}, REMOVAL, { account: "-5", ...moved(5, 0) }]],
  ["a stop for what others hold", "touches 0", [{}, STOP, { account: "5" }]],
  ["a stop where they have sold it", "unproven", [{}, STOP, { account: "5", legs: [leg({})], ...moved(0, 5) }]],
  ["another's place on the book", "touches", [{}, CLOSE, { net: "1", account: "1", legs: [OTHERS_CLOSE] }]],
  ["room for both since", "unproven", [{}, CLOSE, { net: "1", account: "1", legs: [OTHERS_CLOSE], ...moved(1, 1) }]],
  ["nothing is in question", "allowed", [{}, SALE, { account: "0", ...moved(0, 5) }]],
])("%s: %s", (_what, verdict, [rails, wished, known]) => {
  expect(judged({ may: MAY, ...rails }, wished, known)).toBe(verdict);
});
