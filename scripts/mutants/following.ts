import type { Mutant } from "./mutant.ts";

/** Bugs in what is done about news, and about what nobody told. */
export const FOLLOWING: readonly Mutant[] = [
  {
    name: "the stream names no order of which an answer has named none",
    changes: [
      {
        file: "src/settle/feed/told-orders.ts",
        find: "if (leg.oid !== null || !wasTaken(leg) || isKnownAnothers",
        put: "if (leg.oid === null || isKnownAnothers",
      },
    ],
  },
  {
    name: "what a cancel by client order id has closed is always ours",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "isCanceledByNameAlone(world, leg) ||",
        put: "!isCanceledByNameAlone &&",
      },
    ],
  },
  {
    name: "a time that is known to be behind is taken for the exchange's own where positions are held against what was told",
    changes: [{ file: "src/actions/current.ts", find: "timeOf === undefined ? 0 :", put: "0 *" }],
  },
  {
    name: "an open order from before its placing says that a forgotten one is over",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: ": endsAtMs(placing);",
        put: ": placing.createdAtMs - 60_000;",
      },
    ],
  },
  {
    name: "the size of a forgotten order is final by a position from before its end",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "{ ...sought, read: [], sinceMs }",
        put: "{ ...sought, read: [], sinceMs: sinceMs - 3_600_000 }",
      },
    ],
  },
  {
    name: "the size of a forgotten order is final by a position with fills that are not kept",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "{ ...sought, read: [], sinceMs }",
        put: "{ ...sought, read: sweep.fills, sinceMs }",
      },
    ],
  },
  {
    name: "the fills of what a short history has outlived are all, by those of the time in which it could arrive",
    changes: [
      {
        file: "src/settle/evidence/absence.ts",
        find: "keptMoment(pursuit.outlivedByMs, world.exchange.nowMs() + CLOCK_DOUBT_MS)",
        put: "keptMoment(pursuit.outlivedByMs, endsAtMs(attempt) + 0 * CLOCK_DOUBT_MS)",
      },
    ],
  },
  {
    name: "a cancel that finds nothing ends an order at once, where nothing shows it",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "return Math.min(word.forMs, unseenForMs) >= GONE_FOR_MS;",
        put: "return word.forMs + unseenForMs + GONE_FOR_MS > 0;",
      },
    ],
  },
  {
    name: "cancels of a trigger that has fired say that nothing of it rests",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "if (word === null || mayHaveFired || !word.isConfirmedNumber",
        put: "if (word === null || !word.isConfirmedNumber",
      },
    ],
  },
  {
    name: "an order that is missing now is looked at as seldom as when it was shown",
    changes: [
      {
        file: "src/settle/feed/watch.ts",
        find: 'if (result === "not_found" && entry.wasShown) hasten(entry, 1);',
        put: "",
      },
    ],
  },
  {
    name: "what nothing shows any more is open for ever",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "exchange.nowMs() - sinceMs >= BEHIND_MS",
        put: "exchange.nowMs() < sinceMs",
      },
    ],
  },
  {
    name: "the end that a feed has told is nothing where the record is gone",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: 'return answer.kind === "not_found" || (isOpen',
        put: "return (isOpen",
      },
    ],
  },
  {
    name: "the end that a feed has told is nothing where the record is behind",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: "|| (isOpen && answer.order.oid === told.order.oid) ? told",
        put: "|| (isOpen && answer.order.oid !== told.order.oid) ? told",
      },
    ],
  },
  {
    name: "a forgotten trigger is said to have been canceled, whatever became of it",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "leg.trigger !== null && !isCarriedOut(world, leg) ?",
        put: "leg.trigger !== null && isCarriedOut(world, leg) ?",
      },
    ],
  },
  {
    name: "news of a close is looked at once",
    changes: [
      {
        file: "src/settle/feed/watch.ts",
        find: "entry.looks < MAX_LOOKS)",
        put: "entry.looks < Math.min(1, MAX_LOOKS))",
      },
    ],
  },
  {
    name: "a node that is behind ends the watch of an order that was told closed",
    changes: [{ file: "src/settle/feed/watch.ts", find: "closed: Number.POSITIVE_INFINITY }", put: "closed: 1 }" }],
  },
  {
    name: "what a feed missed is read once after it, whatever came of that",
    changes: [{ file: "src/settle/feed/resync.ts", find: "void retry(account, how);", put: "void retry;" }],
  },
  {
    name: "an order without a record is over, although nothing is newer",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "if (goesPast(list, memory.sinceMs)) memory.count += 1;",
        put: "memory.count += 1;",
      },
    ],
  },
  {
    name: "what a modify placed beside its original escapes a cancel that was armed",
    changes: [
      {
        file: "src/settle/modify/modify.ts",
        find: "  if (!isBeside || isClosed(replacement)) return false;",
        put: "  if (!isBeside || !isClosed(replacement)) return false;",
      },
    ],
  },
  {
    name: "a list that shows an order as open does not overrule what we had concluded",
    changes: [
      {
        file: "src/settle/feed/known-leg.ts",
        find: 'leg.state !== "absent") return [];',
        put: 'leg.state === "absent") return [];',
      },
    ],
  },
  {
    name: "what a reading shows of an order that was refused is not heeded",
    changes: [
      {
        file: "src/settle/look/sweeps.ts",
        find: "reopenShown(world, account, mayBeCopies(world, sweep)).length > 0",
        put: "reopenShown(world, account, []).length > [...mayBeCopies(world, sweep)].length",
      },
    ],
  },
  {
    name: "fills that a reading has shown are not kept",
    changes: [
      {
        file: "src/settle/look/sweeps.ts",
        find: "heeding.onFills(account, news)",
        put: "heeding.onFills(account, [])",
      },
    ],
  },
  {
    name: "a feed that pings and says nothing is believed",
    changes: [
      {
        file: "src/settle/fills/fill-pages.ts",
        find: "if (fills !== null) world.feeds.showed(asked.user, shownFills(fills));",
        put: "",
      },
    ],
  },
  {
    name: "a feed that was connected anew is believed before what happened meanwhile was read",
    changes: [
      {
        file: "src/exchange/trusted-feeds.ts",
        find: "if (!standing.isCaughtUp) return",
        put: "if (!standing.isCaughtUp && standing.distrusts < 0) return",
      },
    ],
  },
  {
    name: "a feed that goes on saying nothing is believed after each new connection",
    changes: [
      {
        file: "src/core/testimony.ts",
        find: "return newestMs[channel] >= sinceMs;",
        put: "return newestMs[channel] >= 0 * sinceMs;",
      },
    ],
  },
  {
    name: "what the stream told before the answer was lost is forgotten",
    changes: [
      {
        file: "src/settle/feed/early-words.ts",
        find: "if (isLost(world, leg) || (leg.oid === null && wasTaken(leg))) again(account, update);",
        put: "",
      },
    ],
  },
  {
    name: "what the stream told of another's order overrules that ours never arrived",
    changes: [
      {
        file: "src/settle/feed/early-words.ts",
        find: "(leg.oid === null && wasTaken(leg))",
        put: "(leg.oid === null || wasTaken(leg))",
      },
    ],
  },
  {
    name: "an older word of the stream is heard after a newer one",
    changes: [
      {
        file: "src/settle/feed/early-words.ts",
        find: "if (isStopped || early.get(cloid) !== update) return;",
        put: "if (isStopped) return;",
      },
    ],
  },
  {
    name: "a fired trigger that a list behind lacks waits again",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: 'return rests === "no" ? unplaced(seen) : open',
        put: 'return rests === "no" ? open(world, sought, seen, true) : open',
      },
    ],
  },
  {
    name: "a trigger that fired where no feed told it is not asked for",
    changes: [
      {
        file: "src/settle/feed/fired-unheard.ts",
        find: "if (wasAsked(id, connection)) return false;",
        put: "return false;",
      },
    ],
  },
  {
    name: "what a write is judged by may be read for as long as it takes",
    changes: [{ file: "src/write/run.ts", find: "const OWN_WORD_MS = 50;", put: "const OWN_WORD_MS = 60_000;" }],
  },
  {
    name: "an order without its name, which may be ours, is no trace of ours",
    changes: [
      {
        file: "src/settle/place/look-for-placed.ts",
        find: " && !mayBeNameless(tools, sweep, { asked, attempt })",
        put: "",
      },
    ],
  },
  {
    name: "a state that the exchange has dated says nothing of its time",
    changes: [
      {
        file: "src/exchange/http.ts",
        find: 'if (outcome.kind === "ok" && DATED.has(request.type)) heedDate(link, outcome.json);',
        put: "",
      },
    ],
  },
  {
    name: "what was told is dated by what its time was taken for at first",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "isMend || mendMs < -CLOCK_MEND_MS ? happened.timeMs + mendMs",
        put: "isMend ? happened.timeMs",
      },
    ],
  },
  {
    name: "that the exchange's time was behind is not told from a wall clock that was set",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "const mendMs = paceMs - clocks.paceMs;",
        put: "const mendMs = paceMs === null ? 0 : aheadMs;",
      },
    ],
  },
  {
    name: "what could not be read leaves a number unasked for",
    changes: [
      {
        file: "src/settle/place/pursue-place.ts",
        find: '    case "failed":\n    case "foreign":',
        put: '    case "failed":\n      return false;\n    case "foreign":',
      },
    ],
  },
  {
    name: "nor is that of a modify asked for",
    changes: [
      {
        file: "src/settle/modify/pursue-modify.ts",
        find: 'if (kind === "seen" || kind === "unfinished")',
        put: 'if (kind !== "not_found" && kind !== "foreign")',
      },
    ],
  },
  {
    name: "each word of a frame is concluded from by itself",
    changes: [
      {
        file: "src/settle/feed/follow.ts",
        find: "of lastWords(event.updates))",
        put: "of event.updates)",
      },
    ],
  },
  {
    name: "the end that a frame told before its last word is forgotten",
    changes: [
      {
        file: "src/settle/feed/last-words.ts",
        find: "return isOver && !saysOver(update.status) ? before : update;",
        put: "return update;",
      },
    ],
  },
  {
    name: "an order that rests with a part filled is told with nothing filled",
    changes: [
      {
        file: "src/settle/feed/told-orders.ts",
        find: "if (originalSize === null || compare(size, originalSize) >= 0) return true;",
        put: "if (originalSize !== undefined) return true;",
      },
    ],
  },
  {
    name: "cancels that find nothing tell nothing of an order whose word nobody knows",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "    if (now !== null) noteGoneByCancels(tools, now);\n",
        put: "",
      },
    ],
  },
];
