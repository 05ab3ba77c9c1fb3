/** S53: what a stop refuses, withdraws and claims. */
import { type Break, inFile } from "./break.ts";

const REFUSED = {
  test: "test/http/stop.test.ts",
  title: "while the account is stopped %s is refused, and its key is not used",
};
const PASSES = { test: "test/http/stop.test.ts", title: "while the account is stopped %s passes" };
const ONE_KEY = { test: "test/http/stop.test.ts", title: "a stop of one key stops that key" };
const EARLY = {
  test: "test/simulation/stop.test.ts",
  title: "an order that %s is burnt or canceled before it is stopped",
};
const SEALED = { test: "test/ops/sealed-stops.test.ts", title: "a stop whose row was %s stays in force, and is told" };

const FLATTENING = "test/simulation/flatten.test.ts";
const HEARTBEAT = "test/http/heartbeat.test.ts";

export const STOP_BREAKS: readonly Break[] = [
  {
    row: "S53",
    name: "a stop is not looked at when an intent is stored",
    changes: inFile("src/write/commit.ts", "      requireNotStopped(store, caller, plan.increasesFor);\n", ""),
    seenBy: REFUSED,
  },
  {
    row: "S53",
    name: "a stop refuses what can only reduce",
    changes: inFile("src/core/stop.ts", "return !reduceOnly &&", "return"),
    seenBy: PASSES,
  },
  {
    row: "S53",
    name: "whose order a modify changes is not asked",
    changes: inFile(
      "src/actions/modify-order.ts",
      "? [caller.key.keyHash, target.keyHash] : []",
      "? [caller.key.keyHash] : []",
    ),
    seenBy: ONE_KEY,
  },
  {
    row: "S53",
    name: "orders that may be alive are left alone",
    changes: inFile("src/settle/stop/remaining.ts", "return [...live, ...behind].filter", "return [...behind].filter"),
    seenBy: EARLY,
  },
  {
    row: "S53",
    name: "a stop is told to be done while something is left",
    changes: inFile(
      "src/settle/stop/stopper.ts",
      "  return isNothing(remainingOf(world, stop, endedTwaps));\n",
      "  return stop.id !== null || endedTwaps.size === -1;\n",
    ),
    seenBy: { test: "test/http/stop.test.ts", title: "what rests goes, what can only reduce stays" },
  },
  {
    row: "S53",
    name: "what was placed elsewhere is not waited for",
    changes: inFile(
      "src/settle/stop/stopper.ts",
      '  if (stop.scope === "account" && stop.outsideAtMs === null) return false;\n',
      "",
    ),
    seenBy: { test: "test/simulation/stop.test.ts", title: "while the lists cannot be read" },
  },
  {
    row: "S53",
    name: "a row that was changed from outside is believed",
    changes: inFile("src/store/stops.ts", "  return [...rows, ...lost];\n", "  return rows;\n"),
    seenBy: SEALED,
  },
  {
    row: "S53",
    name: "what beats for one bot's key is another's",
    changes: inFile("src/store/heartbeats.ts", "bot === null ? `key ${keyHash}`", "bot !== keyHash ? `key ${keyHash}`"),
    seenBy: { test: HEARTBEAT, title: "a bot's keys have one heartbeat" },
  },
  {
    row: "S53",
    name: "a stop of a bot is its key's alone",
    changes: inFile("src/store/stops.ts", "return bot !== null && bot ===", "return bot === null && bot ==="),
    seenBy: { test: HEARTBEAT, title: "a stop that one key of a bot has asked for holds for its other key" },
  },
  {
    row: "S53",
    name: "a beat takes back the silence before it",
    changes: inFile("src/settle/stop/heartbeats.ts", "      listen();\n      const heartbeat", "      const heartbeat"),
    seenBy: { test: HEARTBEAT, title: "a machine that slept wakes to silence" },
  },
  {
    row: "S53",
    name: "every start grants a beat its time anew",
    changes: inFile("src/core/heartbeat.ts", "null : nowMs - graceAtMs;", "null : 0;"),
    seenBy: { test: "test/simulation/heartbeat.test.ts", title: "a start grants it its time once more" },
  },
  {
    row: "S53",
    name: "a beat that comes before a start is ready has used up its grace",
    changes: inFile("src/settle/stop/heartbeats.ts", "      if (isHeard(heartbeat)) return [];\n", ""),
    seenBy: { test: HEARTBEAT, title: "a beat that comes before a start is ready" },
  },
  {
    row: "S53",
    name: "a bot that was silent is listened for on",
    changes: inFile("src/settle/stop/heartbeats.ts", 'status: "missed", missedAtMs', 'status: "armed", missedAtMs'),
    seenBy: { test: HEARTBEAT, title: "silent for longer than it said" },
  },
  {
    row: "S53",
    name: "what came after the silence goes as well",
    changes: inFile(
      "src/settle/stop/remaining.ts",
      "return !isOfThen(stop) || (findAttemptByCloid",
      "return !isOfThen(stop) || stop.upTo > 0 || (findAttemptByCloid",
    ),
    seenBy: { test: "test/simulation/heartbeat.test.ts", title: "while the exchange is silent it is tried again" },
  },
  {
    row: "S53",
    name: "a position is closed while it may still grow",
    changes: inFile(
      "src/settle/stop/traceless.ts",
      "if (stoppedAtMs !== null) return true;",
      "if (stoppedAtMs !== 0) return true;",
    ),
    seenBy: { test: FLATTENING, title: "nothing is closed while something can still increase" },
  },
  {
    row: "S53",
    name: "a position is closed while what was lost may still come",
    changes: inFile(
      "src/settle/stop/traceless.ts",
      "return exchangeMs > endsAtMs(attempt) && (",
      "return exchangeMs > 0 && (",
    ),
    seenBy: {
      test: "test/http/flatten-unknown.test.ts",
      title: "by a clock that was ahead the time of an order without a trace is not over",
    },
  },
  {
    row: "S53",
    name: "a position is closed although nobody was asked for what was lost",
    changes: inFile("src/settle/stop/traceless.ts", "?.silent ?? 0) >= WITNESSES_NEEDED);", "?.silent ?? 0) >= 0);"),
    seenBy: { test: FLATTENING, title: "while the exchange tells nothing of an order that was lost" },
  },
  {
    row: "S53",
    name: "it is told flat while what was lost may turn up",
    changes: inFile(
      "src/settle/stop/flattener.ts",
      "if (isFlat && stop.stoppedAtMs !== null) return",
      "if (isFlat) return",
    ),
    seenBy: { test: FLATTENING, title: "what turns up after all that was shown is closed is closed as well" },
  },
  {
    row: "S53",
    name: "what is left is told while what was lost may turn up",
    changes: inFile(
      "src/settle/stop/flattener.ts",
      "if (isAllLeft && stop.stoppedAtMs !== null) return",
      "if (isAllLeft) return",
    ),
    seenBy: {
      test: "test/http/flatten-unknown.test.ts",
      title: "what is left while an order without a trace is out ends nothing",
    },
  },
  {
    row: "S53",
    name: "the next order goes before the last one is settled",
    changes: inFile(
      "src/settle/stop/flattener.ts",
      "steps.filter((order) => isStepOut(world, stop, order, exchangeMs));",
      "steps.filter((order) => isStepOut(world, stop, order, exchangeMs) && order.id === '');",
    ).concat(
      inFile(
        "src/settle/stop/flatten-step.ts",
        "({ market }) => market === step.listed.name);",
        '({ market }) => market === "");',
      ),
    ),
    seenBy: { test: FLATTENING, title: "no order goes before the last one is settled" },
  },
  {
    row: "S53",
    name: "our own sales make the next price worse",
    changes: inFile("src/settle/stop/close-markets.ts", "before === undefined ? null", "before !== undefined ? null"),
    seenBy: { test: FLATTENING, title: "what nobody buys within the bound of the first order is told as left" },
  },
  {
    row: "S53",
    name: "a bot whose fills are not known yet is told to be flat where a server leaves its position out",
    changes: inFile(
      "src/settle/stop/still-held.ts",
      "!isSpot(market) && !isZero(nets",
      "isSpot(market) && !isZero(nets",
    ),
    seenBy: {
      test: "test/http/flatten-unknown.test.ts",
      title: "what a bot holds by the answers to its orders, and no server shows, is not told to be closed",
    },
  },
  {
    row: "S53",
    name: "flattening waits for a moment that a wrong clock has told",
    changes: inFile(
      "src/settle/stop/flattener.ts",
      "keptMoment(memory.sinceMs, ",
      "keptMoment(null, memory.sinceMs ?? ",
    ),
    seenBy: {
      test: "test/http/flatten-unknown.test.ts",
      title: "a server's clock that was ten minutes ahead, and was believed when it began",
    },
  },
  {
    row: "S53",
    name: "flattening takes away a stop at once whose status is not known just then",
    changes: inFile(
      "src/settle/stop/close-markets.ts",
      "undecided.length > 0 && isWorthWaiting",
      "!undecided.length > 0 && isWorthWaiting",
    ),
    seenBy: {
      test: "test/http/flatten-unknown.test.ts",
      title: "a stop whose status is not known is not taken away at once",
    },
  },
  {
    row: "S53",
    name: "flattening waits for ever for what is not known of a stop",
    changes: inFile("src/settle/stop/close-markets.ts", "times <= MAX_UNDECIDED", "times > 0"),
    seenBy: {
      test: "test/http/flatten-unknown.test.ts",
      title: "a stop whose status is not known is not taken away at once",
    },
  },
  {
    row: "S53",
    name: "a bot is closed beside its stop that has fired and rests",
    changes: inFile(
      "src/settle/stop/flatten-step.ts",
      'return trigger !== null && status === "waiting_for_trigger";',
      "return trigger !== null || status === null;",
    ),
    seenBy: {
      test: "test/http/flatten.test.ts",
      title: "a bot's stop that has fired at a limit and rests goes before its position is closed",
    },
  },
  {
    row: "S53",
    name: "all of the account goes for a bot",
    changes: inFile(
      "src/core/flatten.ts",
      "compare(absolute(ownNet), absolute(position)) < 0 ? ownNet : position",
      "compare(absolute(ownNet), absolute(position)) < 0 ? position : position",
    ).concat(inFile("src/settle/stop/flatten-step.ts", "<= 0 ? now : null", "<= 9 ? now : null")),
    seenBy: { test: "test/http/flatten.test.ts", title: "of a bot no more goes than its own fills hold" },
  },
  {
    row: "S53",
    name: "an old book is good enough to close by",
    changes: inFile("src/actions/prices-now.ts", "book.atMs <= BOOK_MAX_AGE_MS", "book.atMs <= 9 * BOOK_MAX_AGE_MS"),
    seenBy: { test: "test/http/flatten.test.ts", title: "a book that is old is none to close by" },
  },
  {
    row: "S53",
    name: "the signature of one stop's end is good for every stop",
    changes: inFile("src/wire/grant-data.ts", "stop: stopId.toLowerCase() }", 'stop: "any" }'),
    seenBy: { test: "test/http/stop.test.ts", title: "ends no later stop, and none beside it" },
  },
  {
    row: "S53",
    name: "a stop of another account is ended",
    changes: inFile("src/actions/stop-trading.ts", "stop === null || stop.accountId !== accountId", "stop === null"),
    seenBy: { test: "test/http/stop.test.ts", title: "for one account ends no stop of another" },
  },
  {
    row: "S53",
    name: "a TWAP of the bot that closes is not minded",
    changes: inFile("src/settle/stop/close-markets.ts", "if (twaps.length > 0) {", "if (twaps.length > 99) {").concat(
      inFile("src/settle/stop/flatten-step.ts", "closingTwaps(store, stop, listed.name).length + ", ""),
    ),
    seenBy: { test: "test/http/flatten.test.ts", title: "while a TWAP of the bot closes the same nothing else does" },
  },
  {
    row: "S53",
    name: "of too little an order is tried again and again",
    changes: inFile("src/core/minimum-value.ts", '["minimum value", "minTradeNtlRejected"]', '["of no order"]'),
    seenBy: { test: "test/http/flatten.test.ts", title: "of less than the exchange takes one order is tried" },
  },
];
