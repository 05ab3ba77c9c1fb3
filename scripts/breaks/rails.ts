import { type Break, inFile } from "./break.ts";

const GATE = "src/write/gate.ts";
const JUDGE = "src/core/rails/judge.ts";
const RAILS = "test/http/rails.test.ts";

function seen(title: string, test = RAILS): { test: string; title: string } {
  return { test, title };
}

const SEEN = "test/http/rails-seen.test.ts";
const LOSS = "test/http/rails-loss.test.ts";
const NARROW = "test/http/rails-narrow.test.ts";

/** Ways to let a key with rails do what its owner has not signed. */
export const RAILS_BREAKS: readonly Break[] = [
  {
    row: "S54",
    name: "the gate is left out",
    changes: inFile("src/write/commit.ts", "      passGate(deps, caller, known, stored);\n", ""),
    seenBy: seen("many small orders are one position"),
  },
  {
    row: "S54",
    name: "a modify is not judged",
    changes: inFile(
      GATE,
      "      return orderWish(deps, { orderId, cloid, bot }, only(action.modifies).order, true);",
      '      return { kind: "cancel" };',
    ),
    seenBy: seen("a modify is judged on the old remainder and its replacement together"),
  },
  {
    row: "S54",
    name: "an increase takes the last open order",
    changes: inFile(
      "src/write/open-order-reserve.ts",
      "EXCHANGES_LIMIT - settings.openOrderReserve",
      "EXCHANGES_LIMIT",
    ),
    seenBy: seen("near the number of open orders", "test/http/open-order-reserve.test.ts"),
  },
  {
    row: "S54",
    name: "an increase takes the last action of an account",
    changes: inFile(
      "src/exchange/action-budget.ts",
      'return purpose === "reduce" ? RESERVED_FOR_SETTLING :',
      'return purpose !== "cancel" ? RESERVED_FOR_SETTLING :',
    ),
    seenBy: seen("stops increases first, then reductions", "test/exchange/action-allowance.test.ts"),
  },
  {
    row: "S54",
    name: "a lost answer frees what it asked for",
    changes: inFile(
      "src/store/open-leg-book.ts",
      '["processing", "unknown", "open", "waiting_for_trigger"]',
      '["processing", "open", "waiting_for_trigger"]',
    ),
    seenBy: seen("a lost answer frees nothing"),
  },
  {
    row: "S54",
    name: "an order that has changed is judged by as it was",
    changes: inFile("src/store/orders.ts", "  touchOpenLegs(store, order.id);\n", ""),
    seenBy: seen("after any writes what is kept is what the rows say", "test/store/open-legs.test.ts"),
  },
  {
    row: "S54",
    name: "what a bot has bought is not booked",
    changes: inFile(
      "src/store/orders.ts",
      "  putOpenLeg(store, order, leg);\n  bookFills(store, order, before.order);\n",
      "  putOpenLeg(store, order, leg);\n",
    ),
    seenBy: seen(
      "hold what it bought and sold, and what another has, has no part in them",
      "test/http/bot-books.test.ts",
    ),
  },
  {
    row: "S54",
    name: "buys and sells make up for one another",
    changes: inFile(
      "src/core/rails/exposure.ts",
      "const longest = addTo(larger(net.high, ZERO), buys);",
      "const longest = subtract(add(larger(net.high, ZERO), buys), sells);",
    ),
    seenBy: seen("%s comes to %s", "test/core/rails/judge.test.ts"),
  },
  {
    row: "S54",
    name: "what is held on the other side makes room, and is closed first",
    changes: inFile(
      "src/core/rails/exposure.ts",
      "const longest = addTo(larger(net.high, ZERO), buys);",
      "const longest = add(net.high, buys);",
    ),
    seenBy: seen("%s comes to %s", "test/core/rails/judge.test.ts"),
  },
  {
    row: "S54",
    name: "a stop waits for a price that does not come",
    changes: inFile(
      "src/core/rails/distance.ts",
      "return canOnlyReduce && hasFired === null && ",
      "return !canOnlyReduce && hasFired === null && ",
    ),
    seenBy: seen("without a price nothing increases, and a stop and a cancel go all the same"),
  },
  {
    row: "S54",
    name: "an order far below the market is worth its own price",
    changes: inFile(
      "src/core/rails/exposure.ts",
      "return larger(larger(price, triggerPrice ?? price), high);",
      "return larger(price, triggerPrice ?? price);",
    ),
    seenBy: seen("judges %s"),
  },
  {
    row: "S54",
    name: "what a bot holds where it may trade no more is left without its stop",
    changes: inFile(
      JUDGE,
      "  if (fault === null || !wish.leg.canOnlyReduce) return fault;\n",
      "  if (fault === null || fault !== null) return fault;\n",
    ),
    seenBy: seen("that may trade no more where it holds something protects and closes that", NARROW),
  },
  {
    row: "S54",
    name: "where it may trade no more a bot takes more than its own",
    changes: inFile(JUDGE, "return reducedFault(rails, facts, wish) === null ? null : fault;", "return null;"),
    seenBy: seen("that may trade no more where it holds something protects and closes that", NARROW),
  },
  {
    row: "S55",
    name: "in the demo a key with rails makes one without",
    changes: inFile(
      "src/actions/register-demo-key.ts",
      "if (railsOfKey(store, key.keyHash) !== null)",
      'if (key.keyHash === "")',
    ),
    seenBy: seen("a key with rails makes none", "test/http/demo-key.test.ts"),
  },
  {
    row: "S55",
    name: "an older grant comes back",
    changes: inFile("src/actions/register-limited-key.ts", "  requireNewest(store, grant, proof);\n", ""),
    seenBy: seen("an older grant that was kept somewhere loosens nothing"),
  },
  {
    row: "S55",
    name: "a market in other letters is granted",
    changes: inFile("src/actions/register-limited-key.ts", "  if (!isKnown) requireOwnNames(universe, grant);\n", ""),
    seenBy: seen("is not granted %s, whoever signed it"),
  },
  {
    row: "S59",
    name: "a slip of the pen narrows to no market",
    changes: inFile("src/actions/narrow-key.ts", "  if (wrongName !== null) throw", '  if (wrongName === "") throw'),
    seenBy: seen("is not narrowed to a market in other letters, which would leave it none for good", NARROW),
  },
  {
    row: "S55",
    name: "a grant that is repeated is taken for another",
    changes: inFile("src/actions/register-limited-key.ts", "kept[member] === given[member]", "kept[member] === member"),
    seenBy: seen(
      "granted once is answered as before, hours later and whatever its bot was granted since for another key",
    ),
  },
  {
    row: "S55",
    name: "a key keeps its own rails when its bot has newer ones",
    changes: inFile(
      "src/store/narrowings.ts",
      "  const [grant] = listBotGrants(store, accountId, bot);\n  if (grant === undefined) return null;",
      "  const grant = listBotGrants(store, accountId, bot).at(-1);\n  if (grant === undefined) return null;",
    ),
    seenBy: seen("a newer grant of the bot holds for its older key as well"),
  },
  {
    row: "S55",
    name: "a key works from anywhere",
    changes: inFile(
      "src/actions/authenticate.ts",
      "sources !== null && !isWithin(address, sources)",
      "sources !== null && !isWithin(address, [...sources, `${address}/32`])",
    ),
    seenBy: seen("granted for %s is for %s"),
  },
  {
    row: "S56",
    name: "whose order another's is about to cancel is not told",
    changes: inFile(
      GATE,
      '  if (wish.kind === "order") tellSelfTrades(',
      '  if (wish.kind === "order" && wish.isModify) tellSelfTrades(',
    ),
    seenBy: seen("an order that is about to meet another key's is told with it", "test/http/self-trade.test.ts"),
  },
  {
    row: "S56",
    name: "another's orders are anybody's",
    changes: inFile(JUDGE, 'touches === "all" || targetBot === bot', 'touches === "all" || targetBot !== undefined'),
    seenBy: seen("what another holds is not reduced, nor its orders changed, unless it may touch all"),
  },
  {
    row: "S56",
    name: "a bot uses up the Idempotency-Keys of others",
    changes: inFile("src/core/idempotency.ts", "bot === null ? key : `${bot}\\t${key}`", "bot === null ? key : key"),
    seenBy: seen("are its own: no other uses one up, and both its keys share them", "test/http/bot-books.test.ts"),
  },
  {
    row: "S56",
    name: "another's protection on the book is displaced",
    changes: inFile(
      "src/core/rails/reductions.ts",
      "  if (!isAbove(all, held)) return null;\n",
      "  if (isAbove(all, ZERO)) return null;\n",
    ),
    seenBy: seen("%s comes to %s", "test/core/rails/judge.test.ts"),
  },
  {
    row: "S57",
    name: "every refusal is written down",
    changes: inFile("src/write/tell-refusal.ts", "nowMs - known.toldMs < SPACING_MS", "nowMs < known.toldMs"),
    seenBy: seen("is told once for each key, rail and minute, and the others are counted", SEEN),
  },
  {
    row: "S57",
    name: "a key that is tried from elsewhere is told to nobody",
    changes: inFile(
      "src/actions/authenticate.ts",
      '    tellRefusal(deps, { keyHash: hash, rail: "sources", limit: sources.join(","), use: address });\n',
      "    if (address === hash) tellRefusal(deps, { keyHash: hash, rail: address, limit: address, use: address });\n",
    ),
    seenBy: seen("for where the key is used is told as well", SEEN),
  },
  {
    row: "S57",
    name: "a plain key does everything where rails are required",
    changes: inFile("src/write/run.ts", "  requireRails(deps, caller, plan);\n", "  void requireRails;\n"),
    seenBy: seen("%s by a plain key is refused or passes", SEEN),
  },
  {
    row: "S57",
    name: "a plain key may not even get out where rails are required",
    changes: inFile("src/write/run.ts", '|| use !== "order" ||', "||"),
    seenBy: seen("%s by a plain key is refused or passes", SEEN),
  },
  {
    row: "S58",
    name: "a trip is not looked at",
    changes: inFile(JUDGE, "if (facts.halt !== null) return", "if (facts.halt !== null && facts.actions < 0) return"),
    seenBy: seen("increases nothing more that day, its orders go, its stop stays and nothing is closed", LOSS),
  },
  {
    row: "S58",
    name: "a loss trips nothing",
    changes: inFile("src/write/watch-losses.ts", "compare(loss, limit) >= 0", "compare(loss, limit) > 1"),
    seenBy: seen("increases nothing more that day, its orders go, its stop stays and nothing is closed", LOSS),
  },
  {
    row: "S58",
    name: "a trip takes the protection with it",
    changes: inFile("src/write/watch-losses.ts", "keepsProtection: true", "keepsProtection: false"),
    seenBy: seen("increases nothing more that day, its orders go, its stop stays and nothing is closed", LOSS),
  },
  {
    row: "S58",
    name: "who deletes a trip has ended it",
    changes: inFile("src/store/trips.ts", "clearedAtMs === null), ...lost];", "clearedAtMs === null)];"),
    seenBy: seen("a trip whose row was %s holds, and is told", "test/ops/sealed-trips.test.ts"),
  },
  {
    row: "S59",
    name: "the looser of two limits holds",
    changes: inFile("src/core/rails/narrow.ts", "smaller(a, b)", "larger(a, b)").concat(
      inFile("src/core/rails/narrow.ts", "import { type Decimal, smaller }", "import { type Decimal, larger }"),
    ),
    seenBy: seen("%s by %p comes to %p", "test/core/rails/narrow.test.ts"),
  },
  {
    row: "S59",
    name: "a grant that was signed before loosens",
    changes: inFile("src/store/narrowings.ts", "createdAtMs >= issuedAtMs", "createdAtMs >= issuedAtMs + 86_400_000"),
    seenBy: seen("is loosened by a later grant of its owner, and not by one that was signed before", NARROW),
  },
  {
    row: "S59",
    name: "the operator narrows a bot to a market that is none",
    changes: inFile("src/ops/operator-verbs.ts", "if (wrongName !== null) throw", 'if (wrongName === "") throw'),
    seenBy: seen(
      "which of some names a market is not called by is told in words, and where no gateway runs nothing is",
      "test/ops/tell-markets.test.ts",
    ),
  },
  {
    row: "S59",
    name: "a narrowing that is gone holds nobody",
    changes: inFile(
      "src/store/halts.ts",
      " ?? haltByLost(store, of)",
      ' ?? (of.bot === "" ? haltByLost(store, of) : null)',
    ),
    seenBy: seen(
      "a narrowing whose row was %s holds, is told, and nothing increases",
      "test/ops/sealed-narrowings.test.ts",
    ),
  },
  {
    row: "S59",
    name: "who widens a narrowing is believed",
    changes: inFile("src/store/narrowings.ts", "rows: [...rows, ...lost], lost }", "rows, lost }"),
    seenBy: seen(
      "a narrowing whose row was %s holds, is told, and nothing increases",
      "test/ops/sealed-narrowings.test.ts",
    ),
  },
  {
    row: "S60",
    name: "after a restore the day begins anew",
    changes: inFile(
      "src/store/restores.ts",
      "  for (const of of listBots(store)) countDay",
      "  for (const of of listBots(store).slice(1)) countDay",
    ),
    seenBy: seen("a restore counts the day as used for a new key of the bot as well", "test/http/bot-books.test.ts"),
  },
  {
    row: "S60",
    name: "a key with rails is kept like any other",
    changes: inFile(
      "src/ops/keep-key.ts",
      "key.limited !== null && !takesOlderRails",
      "key.limited === undefined && !takesOlderRails",
    ),
    seenBy: seen(
      "after a restore only the owner's grant brings it back, and the day counts as used",
      "test/http/bot-books.test.ts",
    ),
  },
  {
    row: "S56",
    name: "the guards of a trade stay whole when its bot has sold a part",
    changes: inFile("src/settle/trade/held-now.ts", "smaller(shownNow, left)", "(isZero(left) ? ZERO : shownNow)"),
    seenBy: seen(
      "sold in part by a plain order of its bot it keeps guards of what is left, and no old one goes before the new one stands",
      "test/http/trade-bot-flat.test.ts",
    ),
  },
];
