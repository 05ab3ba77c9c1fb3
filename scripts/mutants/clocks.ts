import { type Mutant, one } from "./mutant.ts";

/** What readings of the exchange's clock, and what it dates, are believed for. */
export const CLOCKS: readonly Mutant[] = [
  {
    name: "a clock that is far ahead agrees",
    changes: [{ file: "src/exchange/clock.ts", find: "laterMs >= -AGREED_WITHIN_MS && laterMs", put: "laterMs" }],
  },
  {
    name: "readings that contradict one another add up",
    changes: [
      { file: "src/exchange/clock.ts", find: "doubted.filter((other) => agree(other, sample))", put: "doubted" },
    ],
  },
  {
    name: "a doubted reading is never forgotten",
    changes: [
      {
        file: "src/exchange/clock.ts",
        find: "    best = bestOf(samples);\n    doubted = [];\n",
        put: "    best = bestOf(samples);\n",
      },
    ],
  },
  {
    name: "a date that our own clock does not bear out outweighs readings",
    changes: [
      {
        file: "src/exchange/clock.ts",
        find: "if (Math.abs(exchangeMs - wallMs) <= AGREED_WITHIN_MS) takeDated",
        put: "takeDated",
      },
    ],
  },
  {
    name: "a date outweighs no reading of a server that stands still",
    changes: [
      {
        file: "src/exchange/clock.ts",
        find: "if (Math.abs(exchangeMs - wallMs) <= AGREED_WITHIN_MS) takeDated(dated);",
        put: "",
      },
    ],
  },
  {
    name: "what is known by a date alone is known to the millisecond",
    changes: [{ file: "src/exchange/clock.ts", find: "if (samples.length > 0 && nowMs", put: "if (nowMs" }],
  },
  {
    name: "our own clock says nothing once three readings contradict it",
    changes: [{ file: "src/exchange/clock.ts", find: "ownClock.aheadMs(elapsedMs, nowMs)", put: "0" }],
  },
  {
    name: "an action dies by a time that may be behind",
    changes: [
      {
        file: "src/settle/send/intent.ts",
        find: "exchange.nowMs() + exchange.mayBeAheadMs()",
        put: "exchange.nowMs()",
      },
    ],
  },
  {
    name: "what one server says again and again is many words",
    changes: [
      {
        file: "src/exchange/clock.ts",
        find: "new Set(agreeing.map(({ exchangeMs }) => exchangeMs)).size",
        put: "agreeing.length",
      },
    ],
  },
  {
    name: "a clock that stands still agrees with itself at once",
    changes: [{ file: "src/exchange/clock.ts", find: " && (counted === null || spanMs >= WORDS_SPAN_MS);", put: ";" }],
  },
  {
    name: "the time of a node that is stuck is believed",
    changes: [
      {
        file: "src/exchange/clock.ts",
        find: "samples.filter(({ exchangeMs, sentAtMs }) => exchangeMs - sentAtMs >= provenOffsetMs)",
        put: "samples.filter(() => provenOffsetMs !== 0)",
      },
    ],
  },
  {
    name: "what is news is asked by our clock of what the exchange has dated",
    changes: [
      {
        file: "src/settle/fills/index-fills.ts",
        find: "return createdAtMs + Math.min(0, exchange.nowMs() - clock.nowMs());",
        put: "return createdAtMs;",
      },
    ],
  },
  one(
    "a row is as old as our clock says that goes now",
    "src/settle/record/noted-time.ts",
    "Math.min(aheadNowMs(world), ...numbers.map(({ signedMs, notedMs }) => signedMs - notedMs))",
    "aheadNowMs(world)",
  ),
  one(
    "a number that goes on above one of a wrong clock is when it was signed",
    "src/settle/record/noted-time.ts",
    "return Math.min(nonce, expiresAtMs - settings.timings.actionLifeMs);",
    "return Math.max(nonce, expiresAtMs - settings.timings.actionLifeMs);",
  ),
  one(
    "a row that is dated days ahead is believed, and not reopened for days",
    "src/settle/record/noted-time.ts",
    "if (atMs <= nowMs) return atMs;",
    "if (atMs !== nowMs) return atMs;",
  ),
  one(
    "a row that is dated ahead was noted just now, at each look",
    "src/settle/record/noted-time.ts",
    "keptMoment(known.get(change) ?? null, nowMs)",
    "keptMoment(null, nowMs)",
  ),
  one(
    "what a lost machine did is of after its own clock said, however wrong",
    "src/store/restores.ts",
    "Math.min(snapshotAtMs - CLOCK_LEAD_MS, (filledToMs ?? Infinity) + 1)",
    "snapshotAtMs - CLOCK_LEAD_MS + 0 * (filledToMs ?? 0)",
  ),
  one(
    "what was read after a restore was read up to when our own clock said",
    "src/store/restores.ts",
    "toMs: readToMs ?? takenUpAtMs",
    "toMs: takenUpAtMs ?? readToMs",
  ),
  one(
    "what was told before a start is of the time that our wall clock makes of it now",
    "src/actions/own-writes.ts",
    "const atNumbers = isOfBefore ? aheadAtNumbers(store, resourceId) : [];",
    'const atNumbers = isOfBefore && resourceId === "" ? aheadAtNumbers(store, resourceId) : [];',
  ),
  one(
    "a position is held against what was told before a start by our wall clock as it goes now",
    "src/settle/evidence/positions-before.ts",
    "times.ofNoted(seenAtMs ?? Number.POSITIVE_INFINITY, leg)",
    "times.ofWall(seenAtMs ?? Number.POSITIVE_INFINITY)",
  ),
  one(
    "balances are held against what was told before a start by our wall clock as it goes now",
    "src/settle/evidence/balances-before-writes.ts",
    "now.ofNoted(seenAtMs ?? createdAtMs, leg)",
    "now.ofWall(seenAtMs ?? createdAtMs)",
  ),
  one(
    "what an earlier process was told is still to come where our wall clock was set back since",
    "src/settle/evidence/moments-now.ts",
    ".filter((momentMs) => momentMs <= nowMs);",
    ".filter((momentMs) => momentMs <= Infinity);",
  ),
  one(
    "when own margin was known to be given our wall clock says as it goes now",
    "src/settle/evidence/isolated-collateral.ts",
    "ofNoted(settledAtMs, { nonce: signedAtMs, attemptedAtMs })",
    "ofNoted(settledAtMs, { nonce: null, attemptedAtMs })",
  ),
];
