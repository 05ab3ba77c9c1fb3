import type { Mutant } from "./mutant.ts";

const EXPOSURE = "src/core/rails/exposure.ts";
const JUDGE = "src/core/rails/judge.ts";
const GATE = "src/write/gate.ts";
const OPEN_LEGS = "src/store/open-leg-book.ts";
const STATUSES = '["processing", "unknown", "open", "waiting_for_trigger"]';

function one(name: string, file: string, find: string, put: string): Mutant {
  return { name: `way round: ${name}`, changes: [{ file, find, put }], seeds: "rails" };
}

const VALUE = "  return larger(larger(price, triggerPrice ?? price), high);";

/**
 * The ways round a cap that are on record, each as somebody could have built it. That who asks can confirm by himself is none of
 * them: there is nothing to confirm, and a scene of `ways-round-rails` says so.
 */
export const WAYS_ROUND: readonly Mutant[] = [
  one("valued at the quote, filled at a worse limit", EXPOSURE, VALUE, "  return high;"),
  one(
    "what has no price is worth nothing",
    EXPOSURE,
    "  if (price === null) return multiply(high, WITH_SLIPPAGE);",
    "  if (price === null) return ZERO;",
  ),
  one("the caller's price is believed", EXPOSURE, VALUE, "  return high === price ? high : (triggerPrice ?? price);"),
  one(
    "margin instead of notional",
    EXPOSURE,
    VALUE,
    '  return multiply(decimal("0.2"), larger(larger(price, triggerPrice ?? price), high));',
  ),
  one(
    "what cannot be valued passes",
    JUDGE,
    "  if (reference === null) return priceless(market);\n  const account",
    "  if (reference === null) return null;\n  const account",
  ),
  one(
    "a modify is not gated",
    GATE,
    "  const wish = wishOf(deps, attempt, by.rails);",
    '  if (attempt.kind === "modify") return;\n  const wish = wishOf(deps, attempt, by.rails);',
  ),
  one(
    "a TWAP is not gated",
    GATE,
    "  const wish = wishOf(deps, attempt, by.rails);",
    '  if (attempt.kind === "twap") return;\n  const wish = wishOf(deps, attempt, by.rails);',
  ),
  one(
    "a change of leverage is not gated",
    GATE,
    "  const wish = wishOf(deps, attempt, by.rails);",
    '  if (attempt.kind === "leverage") return;\n  const wish = wishOf(deps, attempt, by.rails);',
  ),
  one("a batch is not gated", GATE, "  else judgeEach(deps, by, batch);\n", ""),
  one(
    "the key raises its own limit",
    "src/core/rails/narrow.ts",
    "  return a === null || b == null ? (a ?? b ?? null) : smaller(a, b);",
    "  return b === undefined ? a : (b ?? null) === null ? a : smaller(b, b);",
  ),
  one(
    "what was used is forgotten at a restart",
    "src/store/bot-books.ts",
    "own: { turnover, actions, fees },",
    "own: NOTHING_DONE,",
  ),
  one(
    "a trip is forgotten at a restart",
    "src/store/trips.ts",
    "  sealTrip(store, trip);\n  const { id, accountId, bot, cause",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to stand so in the file
    "  sealTrip(store, trip);\n  store.$client.run(`DELETE FROM bot_trips WHERE id = '${trip.id}'`);\n  const { id, accountId, bot, cause",
  ),
  one("checked, and then a race", OPEN_LEGS, STATUSES, '["unknown", "open", "waiting_for_trigger"]'),
  one("a lost answer frees the budget", OPEN_LEGS, STATUSES, '["processing", "open", "waiting_for_trigger"]'),
  one(
    "many small orders below the cap of one",
    JUDGE,
    "    positionFault(rails, increase) ??\n    exposureFault(rails, increase) ??\n    turnoverFault(rails, increase) ??\n",
    "",
  ),
  one(
    "what is held on the other side makes room, and is closed first",
    EXPOSURE,
    "  const longest = addTo(larger(net.high, ZERO), buys);",
    "  const longest = add(net.high, buys);",
  ),
  one(
    "one key cancels what another has placed",
    JUDGE,
    '  if (touches === "all" || targetBot === bot) return null;',
    '  if (touches === "all" || targetBot !== bot || targetBot === bot) return null;',
  ),
  one(
    "what rests to be bought makes room to sell what others hold",
    "src/core/rails/reductions.ts",
    "sumsOf(own.filter(({ isUnheard }) => isUnheard))",
    "sumsOf(own)",
  ),
  one(
    "what is on its way makes room to sell what others hold",
    "src/store/open-leg-book.ts",
    'isUnheard: leg.state === "lost" ||',
    'isUnheard: leg.state === "sent" || leg.state === "lost" ||',
  ),
  one(
    "a trigger that is met and on its way closes nothing yet",
    "src/core/rails/judge.ts",
    "return each.triggerPrice === null || (each.isInFlight",
    "return each.triggerPrice === null || (!each.isInFlight",
  ),
  one(
    "stops of all that is held, beside one another, count once where others hold",
    "src/core/rails/reductions.ts",
    "if (hasTrigger(wish.leg) && isAlone(facts, wish.leg))",
    "if (hasTrigger(wish.leg))",
  ),
  one(
    "one key closes what another holds",
    "src/core/rails/reductions.ts",
    "(reducedFault(rails, facts, wish) ?? displacedFault(rails, facts, wish))",
    "displacedFault(rails, facts, wish)",
  ),
  one(
    "a trade with oneself cancels another's protection",
    "src/core/rails/reductions.ts",
    "  if (others.some((other) => wouldTrade(leg, other)))",
    "  if (others.some((other) => wouldTrade(leg, other)) && resting.length < 0)",
  ),
  one(
    "what a person has approved is judged by no other rail",
    GATE,
    "  requireTime(deps, limited);\n",
    "  if (caller.isApproved === true) return;\n",
  ),
  one(
    "what a bot may propose it may place",
    "src/actions/proposals/place-proposal.ts",
    "  if (!needsApproval(deps, caller, proposal)) return send(deps, caller, proposal);",
    "  if (!needsApproval(deps, caller, proposal)) return send(deps, caller, proposal);\n  await placeApproved(deps, proposal);",
  ),
  one(
    "an alert is an order that nobody judges",
    GATE,
    "  requireTime(deps, limited);\n",
    '  if (caller.reader.reader.startsWith("hook ")) return;\n',
  ),
  one(
    "a stop does not stop what is asked for after it",
    "src/write/commit.ts",
    "      requireNotStopped(store, caller, plan.increasesFor);\n",
    "",
  ),
];
