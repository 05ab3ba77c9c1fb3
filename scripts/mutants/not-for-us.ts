import type { WrongKind } from "../../test/simulation/worlds/wrong.ts";
import { type Mutant, one } from "./mutant.ts";

function told(world: WrongKind, mutant: Mutant): Mutant {
  return { ...mutant, world };
}

/** What is held against an answer before it is read as ours; seeds with answers of one wrong kind look for each. */
export const NOT_FOR_US: readonly Mutant[] = [
  told(
    "of_another_account",
    one(
      "one list of open orders that was read takes an order away",
      "src/actions/unlisted-orders.ts",
      "(isNewer && list.isTold)",
      "isNewer",
    ),
  ),
  one(
    "one list of open orders ends an order of which the record has a new word",
    "src/settle/look/look.ts",
    "isLackedTwice: again !== null && lacks(again, since)",
    "isLackedTwice: isLacked && again !== undefined",
  ),
  told(
    "of_another_account",
    one(
      "a live feed vouches for an order that a newer list lacks",
      "src/actions/unlisted-orders.ts",
      "!isNewer && deps.feeds",
      "deps.feeds",
    ),
  ),
  told(
    "alike",
    one(
      "fills and orders of another account of ours are read as an account's own",
      "src/settle/look/other-account.ts",
      "return holders.length > 0 && !holders.includes(user.toLowerCase());",
      "return holders.length > rows.length;",
    ),
  ),
  told(
    "of_another_market",
    one(
      "an answer that names another market or account is read",
      "src/exchange/http.ts",
      "if (instead !== null) return failed(",
      "if (instead === request.type) return failed(",
    ),
  ),
  told(
    "alike",
    one(
      "an order that was answered with another's name is believed",
      "src/settle/place/place.ts",
      "return answered === cloid;",
      "return answered === cloid || answered !== null;",
    ),
  ),
  told(
    "alike",
    one(
      "an order is what it is shown as under another's native id",
      "src/settle/evidence/difference.ts",
      "if (leg.oid !== null && shown.oid !== leg.oid && !isSuccessor(leg, shown))",
      "if (leg.oid !== null && shown.oid !== leg.oid && leg.cloid === shown.oid)",
    ),
  ),
  told(
    "alike",
    one(
      "what an answer has refused is refused, whatever shows it",
      "src/settle/place/place.ts",
      "const event = asFarAsNamed(readPlaceReply(leg, reply), reply);",
      "const event = asFarAsProven(readPlaceReply(leg, reply), reply);",
    ),
  ),
  told(
    "alike",
    one(
      "what an answer has refused is not looked for",
      "src/settle/copies/late-copies.ts",
      "return world.feeds.isLive(tradingAddress) ? [] :",
      "return tradingAddress.length > 0 ? [] :",
    ),
  ),
  told(
    "alike",
    one(
      "what an empty action has said of an order is not looked at again",
      "src/store/unused-numbers.ts",
      '["nonce_taken", "noop"]',
      '["nonce_taken"]',
    ),
  ),
  told(
    "of_another_account",
    one(
      "the record of a refusal is taken for a trace of the order",
      "src/settle/copies/late-copies.ts",
      'if (isNumberUsed(attempt) && statusMeaning(answer.status) === "rejected") return "silent";',
      "",
    ),
  ),
  told(
    "turned_rows",
    one(
      "a mark is of the market in whose place it stands",
      "src/core/placed-marks.ts",
      "compare(mark, multiply(named, MOST_TIMES)) <= 0 &&",
      "compare(mark, multiply(named, MOST_TIMES)) <= 2 ||",
    ),
  ),
  told(
    "turned_rows",
    one(
      "a book whose levels are out of order is read",
      "src/wire/answer/market-data.ts",
      "return next === undefined || compare(price, next.price) <= 0;",
      "return next === undefined || compare(price, next.price) < 2;",
    ),
  ),
  one(
    "the record of a refusal overrules it",
    "src/core/advance-leg.ts",
    "return leg.isExchangesWord && event.oid === null ? leg : rejected(leg, event);",
    "return rejected(leg, event);",
  ),
  one(
    "a refused operation is told so, whatever the exchange shows",
    "src/settle/operation/refused.ts",
    'return sight === "shown" ? {',
    'return sight === "shown" && attempt.id < 0 ? {',
  ),
  one(
    "a refused operation is not looked at again",
    "src/settle/operation/late-refusals.ts",
    "PAUSES_MS[looks] ?? Number.POSITIVE_INFINITY",
    "Number.POSITIVE_INFINITY",
  ),
  one(
    "nobody looks at refused operations again",
    "src/background.ts",
    "  repeating.every(REFUSALS_EVERY_MS, openLateRefusals(deps, settler).look);\n",
    "",
  ),
  one(
    "a server from before another change shows that a refused leverage is in force",
    "src/settle/operation/leverage.ts",
    'if (world.exchange.nowMs() < from.shown) return "failed";',
    "",
  ),
  one(
    "what another's refusal said of the number of an operation is believed",
    "src/store/attempts.ts",
    'settledAtMs: null, seal: null }, "done");',
    'settledAtMs: null }, "done");',
  ),
  one(
    "the key of an operation that is unknown again says that it is settled",
    "src/write/contradicted.ts",
    'operation.status === "unknown" ? 202 : status',
    "status",
  ),
  one(
    "a fill of an order of another account here is kept",
    "src/settle/fills/index-fills.ts",
    "return leg !== null && findAttempt",
    "return leg === undefined && findAttempt",
  ),
  one(
    "a fill of an order that another account was wrongly shown is not kept",
    "src/settle/fills/index-fills.ts",
    "leg !== null && findAttemptByCloid(store, leg.cloid) !== null",
    "leg !== null",
  ),
  one(
    "the other side of a trade stands in the place of an order's own fill",
    "src/settle/fills/index-fills.ts",
    "toRows(account, ownFirst(store, account, byOid))",
    "toRows(account, fills)",
  ),
];
