/** What only reduces and protects nothing of its bot any more, and when it would close what another holds. */
import { expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import { isIdleReduction } from "../../../src/core/rails/idle-reduction.ts";
import { leg } from "./judged.ts";

type Held = { account: string | null; own?: string; out?: OpenLeg };

const SALE = { side: "sell", canOnlyReduce: true } as const;
const PURCHASE = { side: "buy", canOnlyReduce: true } as const;

test.each<[what: string, is: boolean, of: Partial<OpenLeg>, held: Held]>([
  ["another holds all of it", true, SALE, { account: "3" }],
  ["its bot holds some", false, SALE, { account: "3", own: "1" }],
  ["its bot holds the other side", true, SALE, { account: "3", own: "-1" }],
  ["its bot is still to buy", false, SALE, { account: "3", out: leg({}) }],
  ["another bot is still to buy", true, SALE, { account: "3", out: leg({ bot: "b" }) }],
  ["its bot is still to buy elsewhere", true, SALE, { account: "3", out: leg({ market: "ETH" }) }],
  ["its bot is to sell more", true, SALE, { account: "3", out: leg({ side: "sell" }) }],
  ["what its bot has out only reduces as well", true, SALE, { account: "3", out: leg(PURCHASE) }],
  ["nobody holds anything", false, SALE, { account: "0" }],
  ["nobody knows what is held", false, SALE, { account: null }],
  ["the account holds the other side", false, SALE, { account: "-3" }],
  ["another is short", true, PURCHASE, { account: "-3" }],
  ["its bot is short", false, PURCHASE, { account: "-3", own: "-1" }],
])("a reduction is idle where %s: %p", (_what, is, of, { account, own = "0", out }) => {
  const facts = {
    accountOf: () => (account === null ? null : decimal(account)),
    ownOf: () => decimal(own),
    legs: out === undefined ? [] : [out],
  };
  expect(isIdleReduction(facts, leg(of))).toBe(is);
});
