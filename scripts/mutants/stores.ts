import type { Mutant } from "./mutant.ts";

/** Bugs in what is read of the exchange: fills, clocks, market lists, settings; by somebody who had not written the code. */
export const STORES: readonly Mutant[] = [
  {
    name: "what another process has committed is asked for once and never again",
    changes: [{ file: "src/store/data-version.ts", find: "  memory.isOfThisTurn = false;\n", put: "" }],
  },
  {
    name: "room that was there a second ago is there after a write that was refused",
    changes: [
      {
        file: "src/store/write-health.ts",
        find: "nowMs - room.atMs >= ROOM_SPACING_MS || refusals !== room.refusals",
        put: "nowMs - room.atMs >= ROOM_SPACING_MS",
      },
    ],
  },
  {
    name: "the turn of the loop in which others' commits are asked for once has no end",
    changes: [
      {
        file: "src/store/data-version.ts",
        find: "memory.afterTurn = schedule;",
        put: "memory.afterTurn = () => undefined;",
      },
    ],
  },
  {
    name: "a request is answered by what had been committed when the turn of the loop began",
    changes: [{ file: "src/actions/authenticate.ts", find: "  lookAnew(deps.store);\n", put: "" }],
  },
  {
    name: "a transaction goes by what was committed before it had its lock",
    changes: [
      {
        file: "src/store/remembered.ts",
        find: "takeVersion(memory, dataVersionNow(store));",
        put: "takeVersion(memory, dataVersion(store));",
      },
      {
        file: "src/store/remembered.ts",
        find: "import { dataVersion, dataVersionNow }",
        put: "import { dataVersion }",
      },
    ],
  },
  {
    name: "a rollback leaves in memory what its transaction had written of keys, stops and trips",
    changes: [
      {
        file: "src/store/remembered.ts",
        find: "if (memory.isSettledWritten) forget(store);\n  else for",
        put: "for",
      },
    ],
  },
  {
    name: "what had everything read anew is taken back and not read anew",
    changes: [
      {
        file: "src/store/remembered.ts",
        find: "  memory.kinds.clear();\n  memory.isSettledWritten = true;\n",
        put: "  memory.kinds.clear();\n",
      },
    ],
  },
  {
    name: "fills of other orders are counted for a closed one",
    changes: [
      {
        file: "src/settle/evidence/closed-size.ts",
        find: "sumFills(fillsOfOrder(fills, order))",
        put: "sumFills(fills.filter(({ coin }) => coin === order.coin))",
      },
    ],
  },
  {
    name: "fills that are just read replace those that are kept",
    changes: [
      {
        file: "src/settle/evidence/closed-size.ts",
        find: "compare(indexed.size, sum.size) > 0 ? indexed : sum",
        put: "sum",
      },
    ],
  },
  {
    name: "an order's own fill witnesses that there are no more",
    changes: [
      {
        file: "src/settle/evidence/closed-size.ts",
        find: "wholeToMs > statusTimestampMs",
        put: "wholeToMs >= order.timestampMs",
      },
    ],
  },
  {
    name: "a newest fill of one answer witnesses for what another lacks",
    changes: [
      {
        file: "src/settle/fills/fill-pages.ts",
        find: "times.length === 0 || Math.min(...times) > wholeToMs",
        put: "times.length === 0",
      },
    ],
  },
  {
    name: "fills that are more than a record leaves room for are all of them",
    changes: [
      {
        file: "src/settle/fills/fill-pages.ts",
        find: "compare(add(filled, size), originalSize) === 0",
        put: "compare(add(filled, size), originalSize) >= 0",
      },
    ],
  },
  {
    name: "an order that was placed elsewhere is as its record says",
    changes: [
      { file: "src/actions/outside-order.ts", find: 'if (size.isAll === "yes") return', put: "if (nth > 0) return" },
    ],
  },
  {
    name: "nothing filled is final without a question though no feed is live",
    changes: [
      {
        file: "src/settle/evidence/closed-size.ts",
        find: '(agreement === "untouched" && world.feeds.isLive(closed.user))',
        put: 'agreement === "untouched"',
      },
    ],
  },
  {
    name: "a sale is added to the position that is expected",
    changes: [
      {
        file: "src/settle/evidence/last-end.ts",
        find: 'side === "buy" ? add(startPosition, size) : subtract(startPosition, size)',
        put: "add(startPosition, size)",
      },
    ],
  },
  {
    name: "the position is compared with the fills that are kept alone",
    changes: [
      {
        file: "src/settle/evidence/position-check.ts",
        find: "newestOf(kept ?? [], read)",
        put: "newestOf(kept ?? [], [])",
      },
    ],
  },
  {
    name: "a page of fills begins after the last millisecond of the one before",
    changes: [
      {
        file: "src/settle/fills/fill-pages.ts",
        find: "      progress.fromMs = last.timeMs;\n      continue;",
        put: "      progress.fromMs = last.timeMs + 1;\n      continue;",
      },
    ],
  },
  {
    name: "the index of fills is not read again from a little before",
    changes: [
      { file: "src/settle/fills/index-fills.ts", find: "const OVERLAP_MS = 60_000;", put: "const OVERLAP_MS = 0;" },
    ],
  },
  {
    name: "a fill of something else under our client order id is the order's",
    changes: [
      {
        file: "src/settle/fills/fill-fits.ts",
        find: 'if (fill.coin !== market || (fill.side === "B") !== (side === "buy")) return false;',
        put: "",
      },
    ],
  },
  {
    name: "open orders are read of the exchange's own dex alone",
    changes: [
      {
        file: "src/settle/look/sweep.ts",
        find: 'const open = ["", ...world.settings.dexes].map(',
        put: 'const open = [""].map(',
      },
    ],
  },
  {
    name: "a fill that fits hides that its order has other terms",
    changes: [{ file: "src/settle/place/look-for-placed.ts", find: " && !others.has(fill.oid)", put: "" }],
  },
  {
    name: "delisted markets have no place in the list",
    changes: [
      {
        file: "src/wire/answer/markets.ts",
        find: "return markets.map((market, index)",
        put: "return markets.filter(({ isDelisted }) => !isDelisted).map((market, index)",
      },
    ],
  },
  {
    name: "orders that wait for another one are not listed as open",
    changes: [
      {
        file: "src/wire/answer/open-orders.ts",
        find: "return [order, ...order.children.flatMap(withChildren)];",
        put: "return [order];",
      },
    ],
  },
  {
    name: "a number that is too low is taken",
    changes: [
      {
        file: "src/wire/answer/reply.ts",
        find: 'return said.includes("nonce too low") ? "too_low"',
        put: 'return said.includes("nonce too low") ? "duplicate"',
      },
    ],
  },
  {
    name: "seconds of a TWAP's history are read as milliseconds",
    changes: [{ file: "src/settle/operation/twap-sights.ts", find: "timeS * 1_000", put: "timeS" }],
  },
  {
    name: "a refused leverage is refused though a copy may have run",
    changes: [
      {
        file: "src/settle/operation/reading.ts",
        find: "if (pursuit.refusal === null || !hasLanded ||",
        put: "if (pursuit.refusal === null ||",
      },
    ],
  },
  {
    name: "a margin change is ours before anything is known of the number",
    changes: [
      {
        file: "src/settle/operation/margin.ts",
        find: 'const isTaken = attempt.seal === "nonce_taken";',
        put: 'const isTaken = attempt.seal !== "noop";',
      },
    ],
  },
  {
    name: "a margin that moved otherwise did not change",
    changes: [
      {
        file: "src/settle/operation/margin.ts",
        find: "if (isUnmoved && isEffectWitnessedAbsent",
        put: "if (isEffectWitnessedAbsent",
      },
    ],
  },
  {
    name: "small questions eat the room that a large one waits for",
    changes: [
      {
        file: "src/exchange/shares.ts",
        find: "if (likely + kept.likely > freeFor(weightPerMinute, useOf(purpose), spent)) return false;",
        put: "if (likely > freeFor(weightPerMinute, useOf(purpose), spent)) return false;",
      },
    ],
  },
  {
    name: "a sweep that had no room counts as one",
    changes: [{ file: "src/settle/pursuit.ts", find: 'if (swept === "no_room") return;', put: "" }],
  },
  {
    name: "an order with a new word that no list holds stays open",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: 'events.push({ type: "perhaps_over", because: "new_word" });',
        put: "events.push();",
      },
    ],
  },
  {
    name: "what is perhaps over is over",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: "if (isSaidOver(sought.leg)) return closedUnsaid(",
        put: 'if (sought.leg.state === "closing") return closedUnsaid(',
      },
    ],
  },
  {
    name: "what is perhaps over is opened by nothing",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "perhaps: rests,    over: named,",
        put: "perhaps: named,    over: named,",
      },
    ],
  },
  {
    name: "fills of an order that nothing else names tell its end at once",
    changes: [{ file: "src/settle/place/look-for-placed.ts", find: "< RECORD_AWAITED_MS", put: "< 0" }],
  },
  {
    name: "fills that cannot be an order's own complete it",
    changes: [
      {
        file: "src/settle/fills/fill-fits.ts",
        find: "const filled = sumFills(fittingFills(store, asked, known));",
        put: "const filled = sumFills(known);",
      },
    ],
  },
  {
    name: "a cancel of what is perhaps over is not sent again",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: 'return now !== null && isPerhapsOver(now) ? "open" : "closing";',
        put: 'return "closing";',
      },
    ],
  },
  {
    name: "what only a fill has named is told by that name",
    changes: [
      {
        file: "src/core/order-of-legs.ts",
        find: "exchangeOrderId: isNamedByLead(deciding) ? null : deciding.oid,",
        put: "exchangeOrderId: deciding.oid,",
      },
    ],
  },
  {
    name: "a trigger that nothing has named is canceled by its client order id at once",
    changes: [
      {
        file: "src/actions/cancel-order.ts",
        find: 'if (read?.kind === "ok") nameUnnamed(deps, account.id, read.value);',
        put: "",
      },
    ],
  },
  {
    name: "a refusal in new words outweighs what a reading showed",
    changes: [
      {
        file: "src/settle/operation/reading.ts",
        find: "|| pursuit.isRefusalDoubted) return null;",
        put: ") return null;",
      },
    ],
  },
  {
    name: "one reading that shows nothing confirms a refusal in new words",
    changes: [
      {
        file: "src/settle/operation/reading.ts",
        find: "pursuit.refusalReadings >= WITNESSES_NEEDED ?",
        put: "pursuit.refusalReadings >= 1 ?",
      },
    ],
  },
  {
    name: "kept fills of other markets and sides count for an order",
    changes: [
      {
        file: "src/store/fills.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the file
        find: '        eq(sql`+${fills.market}`, sql.placeholder("market")),\n        eq(fills.side, sql.placeholder("side")),\n',
        put: "",
      },
    ],
  },
  {
    name: "fills of the other side count for an order",
    changes: [
      {
        file: "src/settle/fills/fill-pages.ts",
        find: "oid === order.oid && coin === order.coin && side === order.side",
        put: "oid === order.oid && coin === order.coin",
      },
    ],
  },
  {
    name: "another's order beside a trigger that has fired is not told",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: "return beside === null ? sight : { ...sight, beside };",
        put: "return sight;",
      },
    ],
  },
];
