import { type Break, inFile } from "./break.ts";

const JUDGE = "src/core/rails/judge.ts";
const EXPOSURE = "src/core/rails/exposure.ts";
const FACTS = "src/write/rails-facts.ts";
const BOOK = "src/store/open-leg-book.ts";
const STATUSES = '["processing", "unknown", "open", "waiting_for_trigger"]';

function way(title: string, [file, find, put]: readonly [file: string, find: string, put: string]): Break {
  const seenBy = { test: "test/http/ways-round-rails.test.ts", title };
  return { row: "S61", name: title, changes: inFile(file, find, put), seenBy };
}

/** Fifteen ways round a cap, each opened. */
export const WAYS_ROUND_RAILS: readonly Break[] = [
  way("the market's price counts, and it is filled at a worse limit", [
    EXPOSURE,
    "larger(larger(price, triggerPrice ?? price), high)",
    "larger(larger(ZERO, triggerPrice ?? ZERO), high)",
  ]),
  way("what takes any price has none, and is worth nothing", [
    EXPOSURE,
    "larger(larger(price, triggerPrice ?? price), high)",
    "larger(price, triggerPrice ?? price)",
  ]),
  way("the price that is asked for is believed", [
    EXPOSURE,
    "larger(larger(price, triggerPrice ?? price), high)",
    "larger(smaller(price, high), triggerPrice ?? price)",
  ]),
  way("margin counts instead of what it moves, and the bot sets its leverage", [
    JUDGE,
    "compareProduct(remaining, price, maxOrder) <= 0",
    'compareProduct(remaining, price, multiply(maxOrder, "40" as Decimal)) <= 0',
  ]),
  way("what cannot be valued passes", [
    FACTS,
    "isReduction ? LAST_PRICE_MAX_AGE_MS : MARK_MAX_AGE_MS;",
    "LAST_PRICE_MAX_AGE_MS;",
  ]),
  way("it is valued at another market's mark, because of a list that is turned round", [
    "src/core/placed-marks.ts",
    "compare(mark, multiply(named, MOST_TIMES)) <= 0 &&",
    "compare(mark, multiply(named, MOST_TIMES)) <= 2 ||",
  ]),
  way("the door beside it is not watched", [
    "src/write/gate.ts",
    "only(action.modifies).order, true);",
    '{ ...only(action.modifies).order, s: "0" }, true);',
  ]),
  way("the bot raises its own limit", [
    "src/actions/register-limited-key.ts",
    "  if (signerOf(limitedGrantDigest(text), signature) !== account.ownerAddress) {",
    "  if (signerOf(limitedGrantDigest(text), signature) === null) {",
  ]),
  way("who asks confirms it", ["src/core/rails/grammar.ts", "|| named.length === 1", "|| named.length > 0"]),
  way("what it has used is forgotten at a restart", [
    "src/store/open-legs.ts",
    "  const live = MAY_EXECUTE.flatMap(",
    "  const live = MAY_EXECUTE.slice(4).flatMap(",
  ]),
  way("many are checked before one is stored", [BOOK, STATUSES, '["unknown", "open", "waiting_for_trigger"]']),
  way("an answer that is lost frees what was asked for", [
    BOOK,
    STATUSES,
    '["processing", "open", "waiting_for_trigger"]',
  ]),
  way("many small orders pass the cap of one", [
    JUDGE,
    "plus(exact(elsewhere), times(exact(worst), exact(price)))",
    "plus(exact(elsewhere), times(exact(wish.leg.remaining), exact(price)))",
  ]),
  way("one key cancels another's stop", [
    JUDGE,
    '  if (touches === "all" || targetBot === bot) return null;',
    '  if (touches === "all" || targetBot !== undefined || targetBot === bot) return null;',
  ]),
  way("a trade with oneself cancels another's protection", [
    "src/core/rails/reductions.ts",
    "  if (others.some((other) => wouldTrade(leg, other)))",
    "  if (others.some((other) => wouldTrade(other, other)))",
  ]),
];
