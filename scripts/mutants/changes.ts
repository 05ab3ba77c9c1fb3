import type { Mutant } from "./mutant.ts";

/** Bugs in modifies, cancels, starts and in what is followed, written by somebody who had not written the code. */
export const CHANGES: readonly Mutant[] = [
  {
    name: "a reduction replaces the original instead of the replacement",
    changes: [
      {
        file: "src/settle/modify/reduce.ts",
        find: "action: modifyAction(replacement.oid, wire, false),",
        put: "action: modifyAction(attempt.targetOid ?? replacement.oid, wire, false),",
      },
    ],
  },
  {
    name: "a reduction forgets what the whole order is for",
    changes: [
      {
        file: "src/settle/modify/reduce.ts",
        find: "    intendedTotal: attempt.intendedTotal,\n",
        put: "    intendedTotal: null,\n",
      },
    ],
  },
  {
    name: "a modify ends while one of its legs is closing",
    changes: [
      {
        file: "src/settle/modify/pursue-modify.ts",
        find: 'leg.state === "closing" || (!isClosed(leg) && isCarriedOut(world, leg))',
        put: 'leg.state === "sent" && isCarriedOut(world, leg)',
      },
    ],
  },
  {
    name: "that a cancel was carried out is forgotten",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "sentAtMs: attempt.createdAtMs, hasLanded: true }",
        put: "sentAtMs: attempt.createdAtMs, hasLanded: false }",
      },
    ],
  },
  {
    name: "that a cancel by client order id was carried out is forgotten",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: 'return action?.type === "cancelByCloid" && action.cancels[0]?.cloid === cloid;',
        put: 'return action?.type === "cancelByCloid" && cloid === oid;',
      },
    ],
  },
  {
    name: "a cancel goes to the oldest leg",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "return legs.findLast((leg) => mayRest",
        put: "return legs.find((leg) => mayRest",
      },
    ],
  },
  {
    name: "a refused cancel is final while a modify is out",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "if (isKnown && refusal !== null &&",
        put: "if (refusal !== null &&",
      },
    ],
  },
  {
    name: "a cancel that finds nothing is refused for good",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "isListedRefusal(refusal) && !NEVER_PLACED.test(refusal)",
        put: "isListedRefusal(refusal)",
      },
    ],
  },
  {
    name: "a cancel goes on under the number that the order was placed with",
    changes: [
      {
        file: "src/settle/cancel/asset-id.ts",
        find: "return listedAssetId(world, order) ?? order.assetId;",
        put: "return order.assetId;",
      },
    ],
  },
  {
    name: "a number from a list that is contradicted is used",
    changes: [
      {
        file: "src/settle/cancel/asset-id.ts",
        find: "  if (world.markets.isSuspected(order.market)) return order.assetId;\n",
        put: "",
      },
    ],
  },
  {
    name: "cancels go on under a number that found nothing",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "[usual, listed, order.assetId].find((assetId) => assetId !== tried) ?? usual",
        put: "usual",
      },
    ],
  },
  {
    name: "a cancel under an old number contradicts the list",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "const isOfList = missedAt === listedAssetId(world, order);",
        put: "const isOfList = missedAt >= 0;",
      },
    ],
  },
  {
    name: "an order is over by cancels that find nothing, though a list shows it",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "      if (list.some((order) => isOwn(sought, order))) {",
        put: "      if (cancels !== null) return over(leg.oid);\n      if (list.some((order) => isOwn(sought, order))) {",
      },
    ],
  },
  {
    name: "cancels by one reading of the list of markets end an order",
    changes: [
      {
        file: "src/settle/cancel/misses.ts",
        find: "  if (known !== undefined && known.listReadElapsedMs >= listReadElapsedMs) return;\n",
        put: "",
      },
    ],
  },
  {
    name: "an armed cancel does not see that a trigger still waits",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "(mayRest(leg) && !isCarriedOut",
        put: '(leg.state === "resting" && !isCarriedOut',
      },
    ],
  },
  {
    name: "operations that were in flight are not marked at a start",
    changes: [{ file: "src/settle/start-up.ts", find: "markOperationsUnknown(store, INTERRUPTED, nowMs)", put: "0" }],
  },
  {
    name: "only the first of the accounts at one address is told",
    changes: [
      {
        file: "src/store/accounts.ts",
        find: "return listAccounts(store).filter(({ tradingAddress }) => tradingAddress === address);",
        put: "return listAccounts(store).filter(({ tradingAddress }) => tradingAddress === address).slice(0, 1);",
      },
    ],
  },
  {
    name: "a list that is read for another order names nothing",
    changes: [
      {
        file: "src/settle/look/sweeps.ts",
        find: "[...sweep.open, ...sweep.history.map(({ order }) => order)]",
        put: "[]",
      },
    ],
  },
  {
    name: "a fill without its order's client order id is nobody's",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "if (leg.oid === null && mayHaveFills(world, sought, sweep.fills)) return over(null);",
        put: "if (leg.oid === null) mayHaveFills(world, sought, sweep.fills);",
      },
    ],
  },
  {
    name: "fills that are known up to the first miss are all of a forgotten order",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "memory.overByMs = keptMoment(memory.overByMs, byNowMs);",
        put: "memory.overByMs ??= memory.sinceMs + 0 * byNowMs;",
      },
    ],
  },
  {
    name: "an order without a native id is never over",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "if (goesPast(list, memory.sinceMs)) memory.count += 1;",
        put: "if (leg.oid !== null && goesPast(list, memory.sinceMs)) memory.count += 1;",
      },
    ],
  },
  {
    name: "what was taken for over is open again by a list from before that",
    changes: [
      {
        file: "src/settle/cancel/shown-since.ts",
        find: "if (!goesPast(list, sinceMs) && askedAtMs - sinceMs < BEHIND_MS) return;",
        put: "",
      },
    ],
  },
  {
    name: "the answer to another's cancel is believed for ever",
    changes: [
      {
        file: "src/settle/feed/resync.ts",
        find: "  heedShownSince(world, account, { orders, askedAtMs });\n",
        put: "",
      },
    ],
  },
  {
    name: "the list of one dex speaks for an order in another",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "sweep.open.filter(({ coin }) => dexOf(coin) === dexOf(sought.market))",
        put: 'sweep.open.filter(({ coin }) => dexOf(coin) !== "none")',
      },
    ],
  },
  {
    name: "the row of an order's placing keeps it from being over",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: 'return record !== null && statusMeaning(record.status) !== "open" ? {',
        put: "return record !== null ? {",
      },
    ],
  },
  {
    name: "what was shown meanwhile was missed all the same",
    changes: [{ file: "src/settle/evidence/vanished.ts", find: "void missed.delete(cloid),", put: "void cloid," }],
  },
  {
    name: "an order that the history shows is forgotten",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "const record = newestOf(sweep.history.filter(",
        put: "const record = newestOf([].filter(",
      },
    ],
  },
  {
    name: "an order is over without a record before its fills are known",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "      if (!isSizeKnown(world, sought, memory) && !isSettledLong(leg, memory, nowMs)) return over(leg.oid);\n",
        put: "",
      },
    ],
  },
];
