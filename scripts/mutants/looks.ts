import { type Mutant, one } from "./mutant.ts";

const LOOK = "src/settle/look/look.ts";
const BORNE_OUT = "src/settle/evidence/borne-out.ts";
const END_EVIDENCE = "src/core/end-evidence.ts";
const POSITION_CHECK = "src/settle/evidence/position-check.ts";
const SWEEP = "src/settle/look/sweep.ts";
const SWEEPS = "src/settle/look/sweeps.ts";
const PURSUIT = "src/settle/pursuit.ts";
const ABSENCE = "src/settle/evidence/absence.ts";
const CANCEL = "src/settle/cancel/cancel.ts";
const REDUCE = "src/settle/modify/reduce.ts";

/** Bugs of one line in what one look, one cancel or one reading of everything says. */
export const LOOKS: readonly Mutant[] = [
  one(
    "one record tells an end, whatever a list shows",
    END_EVIDENCE,
    'if (isToldOtherwise || list === "lacks") return "told";',
    'if (isToldOtherwise || list !== "holds_since") return "told";',
  ),
  one(
    "a list that holds an order and is of after its end says nothing",
    END_EVIDENCE,
    'return isOfAfter(endedAtMs) ? "holds_since" : "holds";',
    'return "holds";',
  ),
  one(
    "a list that may be of before the placing of an order tells its end",
    END_EVIDENCE,
    'return isOfAfter(placedAtMs) ? "lacks" : "may_be_before";',
    'return "lacks";',
  ),
  one(
    "on a quiet account an end is told only when no server is behind",
    END_EVIDENCE,
    'return list === "may_be_before" && isInHistory ? "told" : "open";',
    'return "open";',
  ),
  one(
    "one record tells the end of an order of which something was heard",
    BORNE_OUT,
    '  if (neverRests(sought.leg)) return { kind: "told" };\n',
    '  if (neverRests(sought.leg) || sought.leg.state === "resting") return { kind: "told" };\n',
  ),
  one(
    "one record tells that what executes at once was refused",
    LOOK,
    "  const weighed = await weighEnd(world, evidence.lists, sought, seen);",
    "  if (neverRests(sought.leg)) return null;\n  const weighed = await weighEnd(world, evidence.lists, sought, seen);",
  ),
  one(
    "a new word for a refusal is one, whatever the history tells",
    LOOK,
    'if (weighed.kind !== "told") return { kind: "unfinished", events: []',
    'if (weighed.kind === "refuted") return { kind: "unfinished", events: []',
  ),
  one(
    "a record alone tells that an order was filled",
    LOOK,
    "const doubt = isWhole ? null : await doubted(world, evidence, sought, seen);",
    "const doubt = null;",
  ),
  one(
    "an end that nothing bears out is told where no list can be read",
    BORNE_OUT,
    'if (list === null) return { kind: "unread" };',
    'if (list === null) return { kind: "told" };',
  ),
  one(
    "what the history alone tells the history bears out",
    BORNE_OUT,
    '  if (seen.isOfHistory === true) return sought.leg.state === "sent" || sought.leg.state === "lost";\n',
    "",
  ),
  one(
    "what the history alone tells of an order whose answer was lost waits for a list that it may outlive",
    BORNE_OUT,
    'return sought.leg.state === "sent" || sought.leg.state === "lost";',
    "return false;",
  ),
  one(
    "each order that ends has a list of its own read",
    "src/settle/evidence/end-lists.ts",
    "clock.elapsedMs() - known.askedElapsedMs < SHARED_FOR_MS) return known;",
    "clock.elapsedMs() < known.askedElapsedMs) return known;",
  ),
  one(
    "each order that ends has positions of its own read",
    "src/settle/evidence/begun-readings.ts",
    "        if (isEnough(reading)) return reading;\n",
    "",
  ),
  one(
    "positions of before its end tell what an order was filled, where they had begun already",
    "src/settle/evidence/position-readings.ts",
    "paid.state !== null && paid.state.timeMs > sinceMs",
    "paid.state !== null",
  ),
  one(
    "positions that one server gives are another's answer too",
    "src/settle/evidence/position-readings.ts",
    "options.onNewConnection === true].join",
    "true].join",
  ),
  one(
    "what is filled after positions were read moves them",
    "src/settle/evidence/position-check.ts",
    "beforeMs: nextMs }",
    "beforeMs: Number.POSITIVE_INFINITY }",
  ),
  one(
    "positions of before all that is known now stand as of now",
    "src/settle/evidence/position-check.ts",
    " || about.sinceMs === undefined) return now;",
    ") return now;",
  ),
  one(
    "the time that a position bears vouches for what it shows",
    "src/settle/evidence/position-check.ts",
    'then === "unmoved" && hasGoneOnFrom(world, about, next)',
    'then === "unmoved"',
  ),
  one(
    "requests of one moment read the position each for itself",
    "src/exchange/reads.ts",
    "underWay.get(name) ?? readClearinghouse",
    "readClearinghouse",
  ),
  one(
    "the position that was read once is told to all who ask after it",
    "src/exchange/reads.ts",
    ".finally(() => underWay.delete(name))",
    "",
  ),
  one(
    "who was kept from sending by a slow machine is not told when to ask again",
    "src/settle/send/send.ts",
    ", waitS: OVERDUE_WAIT_S };",
    " };",
  ),
  one(
    "the end that a record alone tells of its original ends a modify",
    "src/settle/modify/original.ts",
    "isEndDoubted(looked) ? UNTOLD : answer;",
    "answer;",
  ),
  one(
    "the record of what never rests says nothing where its word is new",
    LOOK,
    "  if (neverRests(sought.leg) && !isRefusedInNewWord(sought, seen)) return closed(world, evidence, sought, seen);\n",
    "",
  ),
  one(
    "a record with a new word leaves no trace of an order whose answer is lost",
    "src/core/advance-leg.ts",
    "lost: shown,    absent",
    "lost: stays,    absent",
  ),
  one(
    "a new word for a refusal is one, however long after its placing",
    LOOK,
    "const isOfOneMoment = statusTimestampMs === order.timestampMs && order.size === order.originalSize;",
    "const isOfOneMoment = order.size === order.originalSize;",
  ),
  one(
    "a new word for a refusal is one of what was filled in part",
    LOOK,
    "statusTimestampMs === order.timestampMs && order.size === order.originalSize;",
    "statusTimestampMs === order.timestampMs;",
  ),
  one("a position says something of spot", POSITION_CHECK, '  if (isSpot(market)) return "unknown";\n', ""),
  one(
    "of fills that do not join the first tells where a position stands",
    "src/settle/evidence/last-end.ts",
    "return last.length === 1 ? (last[0] ?? null) : null;",
    "return last[0] ?? null;",
  ),
  one(
    "a full history reaches back to the moment of its oldest row",
    SWEEP,
    "statusTimestampMs < sentAtMs);",
    "statusTimestampMs <= sentAtMs);",
  ),
  one(
    "a reading over another connection is one over this",
    SWEEPS,
    "options.onNewConnection ?? false}`;",
    'options.onNewConnection === null ? "" : ""}`;',
  ),
  one(
    "a cancel that was carried out was refused",
    CANCEL,
    'state !== "done" || hasLanded || answerText',
    'state !== "done" || answerText',
  ),
  one(
    "a trigger that waits is canceled by the fast lane",
    CANCEL,
    " || order.trigger !== null || leg.trigger !== null) return false;",
    ") return false;",
  ),
  one(
    "what is left of a trigger that has fired is canceled by the fast lane",
    CANCEL,
    " || order.trigger !== null || leg.trigger !== null) return false;",
    " || leg.trigger !== null) return false;",
  ),
  one(
    "what is left of an excess is placed anew under a stop",
    REDUCE,
    "const isReduced = mayReduce && !isStopped(world, id);",
    "const isReduced = mayReduce;",
  ),
  one(
    "an order is whoever's shows its client order id",
    "src/settle/feed/known-leg.ts",
    "leg !== null && findOrder(world.store, leg.orderId)?.accountId === account.id ? leg",
    "leg !== null ? leg",
  ),
  one(
    "a fill of another account names an order",
    "src/settle/fills/index-fills.ts",
    "if (leg === null || order?.accountId !== account.id) return null;",
    "if (leg === null || order === null) return null;",
  ),
  one(
    "fills are whole up to when they were asked for",
    "src/settle/fills/index-fills.ts",
    "page.fills.at(-1)?.timeMs ?? 0);",
    "world.exchange.nowMs());",
  ),
  one(
    "a page of the newest fills that is full lacks nothing of its oldest moment",
    "src/settle/fills/fill-pages.ts",
    "newest.filter(({ timeMs }) => timeMs > oldestMs)",
    "newest.filter(({ timeMs }) => timeMs >= oldestMs)",
  ),
  one(
    "a reading that another asked for counts right after one's own",
    PURSUIT,
    "pursuit.lastSweepElapsedMs + WITNESS_SPACING_MS;",
    "pursuit.lastSweepElapsedMs;",
  ),
  one(
    "at the end of an action a reading from before it will do",
    PURSUIT,
    "isEndNew(pursuit, moment) ? Math.max(apartMs, moment.nowMs - moment.pastEndMs) : apartMs;",
    "apartMs;",
  ),
  one(
    "readings that others ask for make one's own seldom",
    PURSUIT,
    "moment.nowMs - lastSweepElapsedMs < sweepDelayMs(sweeps) / 2;",
    "moment.nowMs < lastSweepElapsedMs;",
  ),
  one(
    "each attempt has everything of its account read for itself",
    SWEEPS,
    "if (known !== undefined) return known.swept;",
    "",
  ),
  one("a reading that failed is the newest", SWEEPS, 'typeof swept !== "string"', "swept !== null"),
  one(
    "what happens right after a number was found to be taken is later than the action",
    ABSENCE,
    "latestNowMs(world) + CLOCK_DOUBT_MS;\n}",
    "latestNowMs(world);\n}",
  ),
  one(
    "an action whose number is taken may run until it expires",
    ABSENCE,
    "isWitness(history, overByMs(attempt, pursuit.takenByMs))",
    "isWitness(history, overByMs(attempt, null))",
  ),
  one(
    "an open order whose fills cannot be read was not seen",
    LOOK,
    'if (filled === "failed") return openUnread(world, sought, seen, event);',
    'if (filled === "failed") return { kind: "failed", reason: "the fills of the order could not be read" };',
  ),
  one(
    "an open order whose fills cannot be read has none",
    LOOK,
    'if (!isUntouched || useOf(options.purpose) === "read") return',
    'if (useOf(options.purpose) === "read") return',
  ),
  one(
    "who reads an open order whose fills cannot be read is told that it has none",
    LOOK,
    'if (!isUntouched || useOf(options.purpose) === "read") return',
    "if (!isUntouched) return",
  ),
  one(
    "what a failed look has shown is forgotten",
    "src/settle/look/apply-sight.ts",
    '"events" in sight ? (sight.events ?? []) : [];',
    'sight.kind === "seen" || sight.kind === "unfinished" ? sight.events : [];',
  ),
  one(
    "a record that shows it open outdoes one that said it is over",
    "src/settle/look/look.ts",
    "(await saidOverBefore(world, evidence, sought, seen)) ?? open(",
    "open(",
  ),
  one(
    "that a record said it is over is remembered of what had been shown alone",
    "src/settle/look/look.ts",
    "evidence.wasSaidOver(sought.leg.cloid) || isPerhapsOver(sought.leg)",
    "isPerhapsOver(sought.leg)",
  ),
  one(
    "a record in a new word with nothing left says nothing of its end",
    "src/settle/look/look.ts",
    "saysOver(status) || (isZero(order.size) && !order.isTrigger)",
    "saysOver(status)",
  ),
  one(
    "fills that a look at an open order reads are heeded for that order alone",
    "src/settle/look/look.ts",
    "  evidence.heedFills(accountId, fills);\n",
    "",
  ),
  one(
    "fills that a look at a closed order reads are heeded for that order alone",
    "src/settle/evidence/closed-size.ts",
    "  evidence.heedFills(accountId, fills);\n",
    "",
  ),
  one(
    "fills that a list reads are heeded for its orders alone",
    "src/actions/open-orders.ts",
    "  if (fills.length > 0) deps.settling.heedFills(account.id, fills);\n",
    "",
  ),
  one(
    "a list tells an order as it was before its own reading of fills",
    "src/actions/open-orders.ts",
    "? asTheyAre(deps, owns) : owns;",
    "? owns : owns;",
  ),
  one(
    "fills of an order are read from its placing, whatever the index lacks before it",
    "src/settle/fills/new-fills.ts",
    "return Math.min(placedAtMs, Math.max(indexedToMs, placedAtMs - BEHIND_MS));",
    "return placedAtMs;",
  ),
];
