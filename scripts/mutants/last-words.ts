import { type Mutant, one } from "./mutant.ts";

const GATE = "src/write/gate.ts";
const RUN = "src/write/run.ts";
const BOTS = "src/store/bots.ts";
const KEY = "src/write/key.ts";
const ADOPT = "src/write/adopt.ts";
const FILL_READINGS = "src/settle/evidence/fill-readings.ts";
const POSITION_READINGS = "src/settle/evidence/position-readings.ts";
const BEGUN = "src/settle/evidence/begun-readings.ts";

/** Bugs of one line in what a write is judged by and answered with. */
export const LAST_WORDS: readonly Mutant[] = [
  one(
    "a take-profit that the mark is beyond is judged as if it were sent now",
    GATE,
    "{ ...wish.trigger, hasFired: false } };",
    "wish.trigger };",
  ),
  one(
    "a trigger that the mark has met waits",
    GATE,
    "const waits = trigger !== null && trigger.hasFired !== true;",
    "const waits = trigger !== null;",
  ),
  one(
    "of a batch only the first market's facts are read",
    RUN,
    "[market, ...alsoMarkets].flatMap((each) => readFacts",
    "[market].flatMap((each) => readFacts",
  ),
  one(
    "what a key has placed is no bot's once its row is gone",
    BOTS,
    "const granted = known === null ? sealedGrantOf(store, keyHash) : known.limited;",
    "const granted = known === null ? null : known.limited;",
  ),
  one(
    "a repeat that meets an answer stored meanwhile is told how the order stands",
    KEY,
    "      if (now.answer !== null) return { ...now.answer, isReplay: true };\n",
    "",
  ),
  one(
    "an adopted key is answered for good with an order of which nothing is known",
    ADOPT,
    'if (order.status !== "unknown") storeAnswer',
    "storeAnswer",
  ),
  one(
    "an end that its feed alone tells is not looked up",
    "src/settle/look/look.ts",
    'return statusMeaning(status) === "canceled" && isCarriedOut(world, leg);',
    'return statusMeaning(status) === "canceled";',
  ),
  one(
    "a reading of before this step says when the next one concludes",
    "src/settle/evidence/fill-evidence.ts",
    "return (known.at(-1)?.elapsedMs ?? -1) < sinceElapsedMs ? null : finalInMs(known);",
    "return finalInMs(known);",
  ),
  one(
    "a list that was made before an order came says that it is gone",
    "src/settle/feed/resync.ts",
    "return findOrder(world.store, id)?.version === version && !isUnderWay(world, id);",
    "return !isUnderWay(world, id);",
  ),
  one(
    "a reading of an account is taken however long ago it began",
    BEGUN,
    " && nowMs() - before.sinceMs <= TAKEN_WITHIN_MS",
    "",
  ),
  one(
    "who needs older fills takes a reading of newer ones",
    BEGUN,
    "before !== undefined && before.fromMs <= fromMs &&",
    "before !== undefined &&",
  ),
  one(
    "of many who wait for a server that is behind each asks for himself",
    BEGUN,
    "since !== undefined && since.order > askedAfter &&",
    "since !== undefined && since.order > count &&",
  ),
  one(
    "a part of the fills that was enough for one order is all of them for another",
    FILL_READINGS,
    'paid.read !== "failed" && paid.read.isWhole',
    'paid.read !== "failed" && paid.read.isToEnd',
  ),
  one(
    "what another share had no weight for cannot be read",
    POSITION_READINGS,
    "paid.state !== null || paid.use === use",
    "true",
  ),
  one(
    "that a record was there of an order whose answer was lost is forgotten with the record",
    "src/settle/look/look.ts",
    'if (leg.state === "sent" || sight.events.length === 0) return sight;',
    'if (leg.state === "sent" || leg.state === "lost" || sight.events.length === 0) return sight;',
  ),
  one(
    "a leverage that a position of before shows outlives the reading of after the change",
    "src/write/leverage-facts.ts",
    "return held !== null && (read === null || held.timeMs >= read.timeMs) ? held : read;",
    "return held ?? read;",
  ),
  one(
    "a leverage that opposes our own last change counts for a minute",
    "src/write/leverage-facts.ts",
    "return !isOpposed || deps.exchange.nowMs() - known.timeMs < ASKED_AGAIN_MS;",
    "return true;",
  ),
  one(
    "a leverage that opposes our own last change is asked for with each request",
    "src/write/leverage-facts.ts",
    "return !isOpposed || deps.exchange.nowMs() - known.timeMs < ASKED_AGAIN_MS;",
    "return !isOpposed;",
  ),
  one(
    "a full page of fills is read anew until what lies before it could be read as well",
    "src/settle/fills/fill-pages.ts",
    "      progress.first = { known, newest: read };\n",
    "",
  ),
  one(
    "a reading of fills that was broken off is gone on with however late",
    "src/settle/fills/index-fills.ts",
    " && nowMs - known.sinceMs <= OVERLAP_MS",
    "",
  ),
  one(
    "a cancel of a TWAP that could not be signed counts as one that was sent",
    "src/settle/stop/withdraw.ts",
    "if (await cancelRunningTwap(world, settling, { name, account, ...twap })) return;",
    "if ((await cancelRunningTwap(world, settling, { name, account, ...twap })) || last === null || last.times > 0) return;",
  ),
];
