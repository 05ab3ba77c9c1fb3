import { type Mutant, one } from "./mutant.ts";

const CLOCK = "src/exchange/clock.ts";
const PICTURE = "src/exchange/picture.ts";
const ACCOUNT_PICTURE = "src/exchange/account-picture.ts";

/** Bugs of one line in the exchange's time, and in what a feed tells late or a read shows of before. */
export const TOLD_LATE: readonly Mutant[] = [
  one(
    "the newest proof of the time takes back an older one that proves more",
    CLOCK,
    "Math.max(provenOffsetMs ?? Number.NEGATIVE_INFINITY, exchangeMs - receivedAtMs)",
    "exchangeMs - receivedAtMs",
  ),
  one(
    "a date of a clock that three words have contradicted moves the time",
    CLOCK,
    " && provenMs <= counted + AGREED_WITHIN_MS ?",
    " ?",
  ),
  one(
    "a reading that agrees with none of three words is believed with them",
    CLOCK,
    "return take(agreeing);",
    "return take(doubted);",
  ),
  one(
    "a mode that was read of an earlier time is taken",
    PICTURE,
    'if (mode !== null && mode.from !== "unnamed" && mode.timeMs > read.timeMs) return false;\n',
    "",
  ),
  one(
    "a history of TWAPs that was read of an earlier time is taken",
    PICTURE,
    "      if (!isNewer(account.twaps)) return false;\n",
    "",
  ),
  one(
    "a leverage that was read of an earlier time is taken",
    PICTURE,
    "      if (!isNewer(account.leverages.get(shown.market))) return false;\n",
    "",
  ),
  one(
    "what is told late of an order takes its time back",
    ACCOUNT_PICTURE,
    "const newestMs = Math.max(timeMs, before?.timeMs ?? 0);",
    "const newestMs = timeMs;",
  ),
  one(
    "an order is open again after its end",
    ACCOUNT_PICTURE,
    "timeMs === newestMs && end === null;",
    "timeMs === newestMs;",
  ),
  one(
    "an order is open by an older word",
    ACCOUNT_PICTURE,
    'meaning === "open" && timeMs === newestMs && end',
    'meaning === "open" && end',
  ),
  one(
    "what a history of TWAPs holds says how far a connection has told",
    ACCOUNT_PICTURE,
    "for (const { timeS } of records) if (!isSnapshot) hearTime",
    "for (const { timeS } of records) hearTime",
  ),
  one(
    "records of TWAPs go on across two connections",
    ACCOUNT_PICTURE,
    "else if (twaps !== null && twaps.connection === connection)",
    "else if (twaps !== null)",
  ),
  one(
    "a list of one dex forgets the records of another's orders",
    ACCOUNT_PICTURE,
    "if (dexOf(told.market) === dex) told.record = null;",
    "told.record = null;",
  ),
  one(
    "of two fills of one moment the place of the first is told",
    ACCOUNT_PICTURE,
    "  fills.delete(timeMs);\n  fills.set(timeMs, heard);",
    "  if (!fills.has(timeMs)) fills.set(timeMs, heard);",
  ),
  one(
    "fills that were told before the order was known are left out",
    "src/settle/record/record.ts",
    "  if (next.oid === leg.oid && !isNamedByLead(leg)) return next;\n",
    "  if (!isNamedByLead(leg)) return next;\n",
  ),
  {
    name: "an order that a list of the feed holds no more is not looked at",
    changes: [
      {
        file: "src/settle/feed/follow.ts",
        find: "if (leg !== null && !isClosed(leg) && !isUnderWay(world, leg.orderId))",
        put: "if (leg !== null && isClosed(leg) && !isUnderWay(world, leg.orderId))",
      },
    ],
  },
  one(
    "a list of fills is called whole over a fill of which an order tells",
    "src/actions/list-fills.ts",
    "toldWholeAtMost(store, account.id)",
    "Number.POSITIVE_INFINITY",
  ),
  one(
    "days are called booked over a fill of which an order tells",
    "src/actions/get-performance.ts",
    "toldWholeAtMost(store, cursor.accountId)",
    "Number.POSITIVE_INFINITY",
  ),
  one(
    "a fill that a list left out is not asked for before its time",
    "src/settle/feed/cross-check.ts",
    " || isShortOfFills(world.store, account.id)",
    "",
  ),
  one(
    "an order of which one fill is kept is taken for whole",
    "src/store/short-of-fills.ts",
    "compare(kept, filled) < 0",
    'kept === "0"',
  ),
  one(
    "of an order of elsewhere one record tells its end",
    "src/actions/outside-order.ts",
    'if (end?.kind !== "told") return unproven',
    "if (end === undefined) return unproven",
  ),
  one(
    "a list that holds an order of elsewhere says nothing of its end",
    "src/actions/outside-order.ts",
    'if (end?.kind === "refuted")',
    "if (end === undefined)",
  ),
  one(
    "days are called booked while something late is not",
    "src/actions/get-performance.ts",
    "lateMs === null ? knownToMs",
    "true ? knownToMs",
  ),
  one(
    "an order that has left the list of its feed is not over by a new word",
    "src/settle/look/look.ts",
    "(isLackedTwice || hasLeft)) return closedUnsaid",
    "isLackedTwice) return closedUnsaid",
  ),
  one(
    "an order that is listed again has left the list",
    ACCOUNT_PICTURE,
    "  for (const oid of now) leftLists.delete(oid);\n",
    "",
  ),
  one("what another connection told has left the list", ACCOUNT_PICTURE, "      account.leftLists.clear();\n", ""),
  one("lists of two connections are compared", ACCOUNT_PICTURE, "      account.listed.clear();\n", ""),
  one(
    "what a list lacks was refused, as its record says",
    "src/settle/evidence/borne-out.ts",
    "return weighRefusal(world, lists, sought, seen);",
    "return weighed;",
  ),
  one(
    "what a list lacks of elsewhere was refused, as its record says",
    "src/actions/outside-end.ts",
    'statusMeaning(status) !== "rejected") return end',
    'status !== "") return end',
  ),
  one(
    "what fills are known of a canceled TWAP are taken for all of it",
    "src/actions/list-twaps.ts",
    "return isWhole || areFillsAll(wholeToMs, end.overByMs) ? indexed : null;",
    "return isWhole || wholeToMs !== 0 ? indexed : null;",
  ),
  one(
    "all fills of a canceled TWAP are known when its cancel was signed",
    "src/actions/list-twaps.ts",
    "return { atMs, overByMs: attempt === undefined ? atMs : endsAtMs(attempt) };",
    "return { atMs, overByMs: atMs };",
  ),
  one(
    "a record of a TWAP's end is right though more of its fills are known",
    "src/actions/list-twaps.ts",
    "return compare(indexed.size, size) > 0 ? null :",
    "return compare(indexed.size, size) > 9 ? null :",
  ),
  one(
    "of two words of one second for a TWAP the new one is its end",
    "src/actions/list-twaps.ts",
    "const RANKS = { running: 0, new: 1, ended: 2 } as const;",
    "const RANKS = { running: 0, new: 3, ended: 2 } as const;",
  ),
  one(
    "a bot holds nothing although an order of it of which nothing was heard may have bought it",
    "src/actions/close-position.ts",
    "isUnheard || isInFlight ||",
    "isInFlight ||",
  ),
  one(
    "a bot holds nothing although a TWAP of it may have bought it untold",
    "src/actions/close-position.ts",
    "(price === null && !isExplained)",
    "(price === null && isExplained)",
  ),
  one(
    "a position that no known fill explains is of now, though fills that were told are not kept",
    "src/core/told-position.ts",
    "return !isKnown && isAwaited(told);",
    "return isKnown && isAwaited(told);",
  ),
  one(
    "once a position was shown with what was told, none that comes after it is of before",
    "src/core/told-position.ts",
    "return told.orders.some((order) =>",
    "return told.orders.some((order) => order.number > (told.earlier[0]?.lastNumber ?? -1) &&",
  ),
  one(
    "where nobody knows what was held before it a position is of after what was told",
    "src/core/told-position.ts",
    "if (chain === null) return isAwaited(told);",
    "if (chain === null) return false;",
  ),
  one(
    "an end that was told waits for the weight of reads",
    "src/settle/feed/watch.ts",
    "unlisted: 2, closed: 1 }",
    "unlisted: 2, closed: 4 }",
  ),
  one(
    "a flattening reduces nothing more until the fills of what was told are kept",
    "src/settle/stop/flattener.ts",
    "new Set(mayBeOfNow ? [] : round.steps",
    "new Set(mayBeOfNow ? round.steps.map(({ market }) => market) : round.steps",
  ),
  one(
    "where weight is short the same accounts are read again, and the others never",
    "src/settle/feed/follow.ts",
    "of resyncs.longestFirst(listAccounts(world.store)))",
    "of listAccounts(world.store))",
  ),
  one(
    "an end that a read has met is followed up when somebody asks again",
    "src/settle/look/looks.ts",
    'if (looked === "unfinished" || looked === "unclear") onUnfinished(orderId);',
    "",
  ),
  one(
    "each read of an order that is over begins the pace of its watch anew",
    "src/settle/feed/watch.ts",
    'if (!watched.has(orderId)) begin(orderId, "closed", follow);',
    'begin(orderId, "closed", follow);',
  ),
  one(
    "an order that something is under way for is watched beside that",
    "src/settle/feed/follow.ts",
    "if (!isStopped && !isUnderWay(world, orderId)) watch.goOn(orderId);",
    "if (!isStopped) watch.goOn(orderId);",
  ),
  one(
    "nobody is told that a read has met an end",
    "src/gateway.ts",
    "    onUnfinished: (orderId) => follower.onUnfinished(orderId),\n",
    "",
  ),
];
