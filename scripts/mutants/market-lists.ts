import type { Mutant } from "./mutant.ts";

/** Bugs in what is held of the list of markets, in which numbers move. */
export const MARKET_LISTS: readonly Mutant[] = [
  {
    name: "a doubt about a market is never cleared",
    changes: [
      {
        file: "src/exchange/market-doubts.ts",
        find: "if ((isExplained || doubt.readings >= needed) && doubts.get(name) === doubt) doubts.delete(name);",
        put: "if (isExplained && doubt.readings > needed) doubts.delete(name);",
      },
    ],
  },
  {
    name: "a doubt that came while the list was read is cleared by it",
    changes: [
      {
        file: "src/exchange/market-doubts.ts",
        find: "(isExplained || doubt.readings >= needed) && doubts.get(name) === doubt) doubts.delete(name)",
        put: "isExplained || doubt.readings >= needed) doubts.clear()",
      },
    ],
  },
  {
    name: "a record from before a cancel contradicts the list of markets",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "if (isOfList && isContradicted) markets.doubt",
        put: "if (isOfList) markets.doubt",
      },
    ],
  },
  {
    name: "a list of open orders from before a cancel contradicts the list of markets",
    changes: [
      {
        file: "src/settle/cancel/shown-since.ts",
        find: "  if (!goesPast(list, endsAtMs(last) + CLOCK_DOUBT_MS)) return;\n",
        put: "",
      },
    ],
  },
  {
    name: "a doubted list of markets waits for the weight of settling",
    changes: [
      { file: "src/exchange/markets.ts", find: 'return isKeptFor ? "reduce" : "settle";', put: 'return "settle";' },
    ],
  },
  {
    name: "a list of which a part is missing is believed",
    changes: [
      {
        file: "src/exchange/markets.ts",
        find: "if (known.length === all.length) return known.flat();",
        put: "if (known.length > 0) return known.flat();",
      },
    ],
  },
  {
    name: "dexes are numbered by their place among those that are configured",
    changes: [
      {
        file: "src/exchange/markets.ts",
        find: "...wanted.map(({ index, name }) =>",
        put: "...wanted.map(({ name }, index) =>",
      },
    ],
  },
  {
    name: "a list that could not be read is as new as one that was",
    changes: [
      {
        file: "src/exchange/markets.ts",
        find: "    if (markets === null) return universe;\n",
        put: "    if (markets === null) readElapsedMs = clock.elapsedMs();\n    if (markets === null) return universe;\n",
      },
    ],
  },
  {
    name: "an order that stands in another market is answered as what was asked for",
    changes: [
      {
        file: "src/settle/place/shown-market.ts",
        find: "world.picture.toldOf(user, oid) ?? (await",
        put: "(await",
      },
    ],
  },
  {
    name: "an order that rested and was shown in another market stays open",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "isElsewhere === true && isOpen ?",
        put: "isElsewhere === true && isOpen && leg.ordinal < 0 ?",
      },
    ],
  },
  {
    name: "a key repeats what it answered before the exchange contradicted it",
    changes: [{ file: "src/write/key.ts", find: "contradicted(deps.store, record) ?? ", put: "" }],
  },
  {
    name: "a market that was confirmed once is confirmed for good",
    changes: [
      { file: "src/exchange/market-doubts.ts", find: " || clock.elapsedMs() - last.atMs >= CONFIRMED_FOR_MS", put: "" },
    ],
  },
  {
    name: "a word that is waited for in vain is waited for by every order",
    changes: [
      {
        file: "src/settle/place/shown-market.ts",
        find: "  if (told === null) world.markets.heedSilence(order.market, order.assetId);\n",
        put: "",
      },
    ],
  },
  {
    name: "an answer under the native id of another order of ours is believed",
    changes: [
      {
        file: "src/settle/place/shown-market.ts",
        find: "shown.cloid !== null && shown.cloid !== leg.cloid",
        put: "false",
      },
    ],
  },
  {
    name: "what has waited its turn goes by the list of markets of before that",
    changes: [{ file: "src/write/run.ts", find: "        requireSameList(deps, listed);\n", put: "" }],
  },
  {
    name: "the list of markets is read only when somebody asks for it",
    changes: [
      {
        file: "src/background.ts",
        find: "  repeating.every(MARKETS_INTERVAL_MS, () => deps.markets.refresh());\n",
        put: "",
      },
    ],
  },
  {
    name: "an old list of markets is good enough for what increases",
    changes: [
      {
        file: "src/actions/market-rules.ts",
        find: "ageMs !== null && ageMs <= MAX_LIST_AGE_MS",
        put: "ageMs !== null",
      },
    ],
  },
  {
    name: "what only reduces waits for a new list of markets",
    changes: [
      { file: "src/actions/market-rules.ts", find: "!needsTrustedList || isListTrusted", put: "isListTrusted" },
    ],
  },
  {
    name: "a rule of an old list is held against a reduction",
    changes: [
      {
        file: "src/actions/market-rules.ts",
        find: "  if ((deps.markets.ageMs() ?? 0) > MAX_UNIVERSE_AGE_MS) return null;\n",
        put: "",
      },
    ],
  },
];
