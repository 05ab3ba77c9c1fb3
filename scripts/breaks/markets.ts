/** P14 to P16: how true and how dear the view of the markets is. */
import { type Break, inFile } from "./break.ts";

const KNOWLEDGE = "src/core/market-knowledge.ts";
const VIEW = "src/exchange/market-view.ts";
const TOLD = "src/exchange/followed-markets.ts";
const WISHES = "src/exchange/market-wishes.ts";
const FOLLOW = "src/actions/follow-markets.ts";

function core(title: string) {
  return { test: "test/core/market-knowledge.test.ts", title };
}
function feed(title: string) {
  return { test: "test/exchange/market-feed.test.ts", title };
}
function view(title: string) {
  return { test: "test/exchange/market-view.test.ts", title };
}
function reads(title: string) {
  return { test: "test/flows/market-data.test.ts", title };
}
function stream(title: string) {
  return { test: "test/flows/market-stream.test.ts", title };
}

const NEVER_OLD = reads("nothing older than 6 s is told without its age, nothing older than 10 s at all");

export const MARKET_BREAKS: readonly Break[] = [
  {
    row: "P14",
    name: "what a server that is behind tells is taken",
    changes: inFile(KNOWLEDGE, "timeMs !== null && newest !== null && timeMs < newest.atMs;", "false;"),
    seenBy: core("of a server that is behind is not taken"),
  },
  {
    row: "P14",
    name: "a new connection's best price is thrown away where it has not moved",
    changes: inFile(KNOWLEDGE, "if (isBehind && !(isFirst && isSame", "if (isBehind && !(isFirst && !isSame"),
    seenBy: core("that a read has shown since, and that a new connection begins with"),
  },
  {
    row: "P14",
    name: "what is told twice counts as news",
    changes: inFile(KNOWLEDGE, "timeMs === null || timeMs > told.atMs;", "timeMs === null || timeMs >= told.atMs;"),
    seenBy: core("whatever the age of the best price that a connection begins with"),
  },
  {
    row: "P14",
    name: "what a connection begins with is never late",
    changes: inFile(TOLD, "connected(knowledge, now(), afterMs);", "connected(knowledge, now(), 0 * afterMs);"),
    seenBy: stream("does not tell what comes 12 s late"),
  },
  {
    row: "P14",
    name: "how late a frame is does not count",
    changes: inFile(KNOWLEDGE, "line.lateByMs = Math.max(0, now.exchangeMs - timeMs);", "line.lateByMs = 0;"),
    seenBy: core("as late as what it told with a time, also for what has none"),
  },
  {
    row: "P14",
    name: "the first best price of a connection says how late it is",
    changes: inFile(
      KNOWLEDGE,
      "if (isNews && timeMs !== null && !(isFirst && message.kind",
      "if (isNews && timeMs !== null && !(!isFirst && message.kind",
    ),
    seenBy: core("whatever the age of the best price that a connection begins with"),
  },
  {
    row: "P14",
    name: "a best price stays as new as a connection that did not tell it",
    changes: inFile(
      KNOWLEDGE,
      "if (line === null || told.line !== line.id) return told.asOfMs;",
      "if (line === null) return told.asOfMs;",
    ),
    seenBy: core("grows old with its connection, and is not made new by the next one"),
  },
  {
    row: "P14",
    name: "every figure is as new as its connection",
    changes: inFile(KNOWLEDGE, 'if (kind === "best") return', 'if (kind !== "mids") return'),
    seenBy: core("a mark is as old as its own last frame"),
  },
  {
    row: "P14",
    name: "a price that a read shows to have moved is believed on",
    changes: inFile(
      KNOWLEDGE,
      '{ by: "read", isMissed });',
      '{ by: "read", isMissed: isMissed && read === undefined });',
    ),
    seenBy: core("that a read shows to have moved is not believed on"),
  },
  {
    row: "P14",
    name: "a read takes the place of what is newer",
    changes: inFile(KNOWLEDGE, "if (atMs < (told?.atMs ?? 0) || asOfMs <", "if (asOfMs <"),
    seenBy: core("does not take the place of what is newer"),
  },
  {
    row: "P14",
    name: "a read is as new as its answer, whatever time is in it",
    changes: inFile(KNOWLEDGE, "timeMs === null ? 0 : Math.max(0, now.exchangeMs - ageMs - timeMs);", "0;"),
    seenBy: core("is as old as its answer, and as the time that is in it"),
  },
  {
    row: "P14",
    name: "what is old is shown with its age, however old",
    changes: inFile(VIEW, "known === null || known.ageMs > withinMs ? null", "known === null ? null"),
    seenBy: NEVER_OLD,
  },
  {
    row: "P14",
    name: "what is old is shown without its age",
    changes: inFile(
      "src/actions/market-figures.ts",
      "return ageMs > TOLD_WITH_AGE_MS ?",
      "return ageMs > 2 * TOLD_WITH_AGE_MS ?",
    ),
    seenBy: NEVER_OLD,
  },
  {
    row: "P14",
    name: "a market that was let go is known on",
    changes: inFile(TOLD, "onLetGo: (key) => forget(knowledge, key),", "onLetGo: () => forget,"),
    seenBy: view("what still comes after a market was let go is not taken"),
  },
  {
    row: "P14",
    name: "what comes after a market was let go is taken",
    changes: inFile(TOLD, "if (told === null || !feed.isFollowed(told)) return;", "if (told === null) return;"),
    seenBy: view("what still comes after a market was let go is not taken"),
  },
  {
    row: "P15",
    name: "a connection that tells nothing is kept",
    changes: inFile(TOLD, 'feed.end("nothing new was told");', 'feed.isFollowed({ kind: "mids", of: "" });'),
    seenBy: view("a connection that answers pings and tells nothing new is given up"),
  },
  {
    row: "P15",
    name: "nothing shows that the connection of a book that stands still is alive",
    changes: inFile(TOLD, 'key.kind === "best" ? [key, { kind: "mark", of: key.of }] : [key];', "[key];"),
    seenBy: stream("is alone in following what it follows"),
  },
  {
    row: "P15",
    name: "nobody waits for a first frame",
    changes: inFile(VIEW, "told.isExpected({ kind, of })) await", "!told.isExpected({ kind, of })) await"),
    seenBy: view("gets the first frame, without a request"),
  },
  {
    row: "P15",
    name: "a first frame is waited for while the connection is lost",
    changes: inFile(
      "src/exchange/market-feed.ts",
      "wish !== undefined && !connection.isDown() && clock",
      "wish !== undefined && clock",
    ),
    seenBy: view("does not wait while the connection is lost"),
  },
  {
    row: "P15",
    name: "what is not needed is never let go",
    changes: inFile(
      WISHES,
      "if (wish.holders === 0 && nowMs - wish.neededAtMs >= LET_GO_AFTER_MS) letGo(wish);",
      "if (wish.holders === 0 && nowMs < 0 * LET_GO_AFTER_MS) letGo(wish);",
    ),
    seenBy: feed("that nobody has needed for a minute are let go, and the connection with the last of them"),
  },
  {
    row: "P15",
    name: "what a stream holds is let go",
    changes: inFile(WISHES, "if (wish.holders === 0 && nowMs", "if (nowMs"),
    seenBy: feed("that are held are never let go"),
  },
  {
    row: "P15",
    name: "subscriptions are not counted",
    changes: inFile(
      WISHES,
      "if (wishes.size < MAX_SUBSCRIPTIONS) return true;",
      "if (wishes.size < 2 * MAX_SUBSCRIPTIONS) return true;",
    ),
    seenBy: feed("are 800 at most"),
  },
  {
    row: "P15",
    name: "a new subscription takes the place of one that is held",
    changes: inFile(WISHES, "filter(({ holders }) => holders === 0);", "filter(({ holders }) => holders >= 0);"),
    seenBy: feed("are 800 at most"),
  },
  {
    row: "P15",
    name: "messages are not counted",
    changes: inFile(WISHES, "if (count >= MAX_MESSAGES) return false;", "if (count >= 9 * MAX_MESSAGES) return false;"),
    seenBy: feed("take at most 1,000 messages a minute"),
  },
  {
    row: "P15",
    name: "what the exchange refuses is asked for again at once",
    changes: inFile(WISHES, "refused.set(nameOf(wish.key), clock.elapsedMs());", "refused.delete(nameOf(wish.key));"),
    seenBy: feed("that the exchange refuses are let go"),
  },
  {
    row: "P16",
    name: "a figure that does not count any more is told",
    changes: inFile(
      FOLLOW,
      'if (!figure.isChanged || figure.standing !== "live") return [];',
      "if (!figure.isChanged) return [];",
    ),
    seenBy: stream("does not tell what comes 12 s late"),
  },
  {
    row: "P16",
    name: "nobody is told that figures do not count any more",
    changes: inFile(
      FOLLOW,
      'figure.standing !== before && (figure.standing === "stale" || before === "stale");',
      'figure.standing !== before && before === "stale";',
    ),
    seenBy: stream("tells once of which markets nothing counts any more and since when"),
  },
  {
    row: "P16",
    name: "what is told again is not told as it is then",
    changes: inFile(
      FOLLOW,
      'if (figure.standing === "live" && before !== "live") figure.isChanged = true;',
      'if (figure.standing === "live" && before === "expected") figure.isChanged = true;',
    ),
    seenBy: stream("goes stale 10 s after the last new word"),
  },
  {
    row: "P16",
    name: "a changed figure is told again and again",
    changes: inFile(FOLLOW, "    figure.isChanged = false;\n", ""),
    seenBy: stream("tells a reader who is slow the newest of each figure"),
  },
  {
    row: "P16",
    name: "a revoked key reads on",
    changes: inFile(
      FOLLOW,
      "if (hasEnded || !isKeyGood(deps, listener)) return null;",
      "if (hasEnded || isKeyGood === undefined) return null;",
    ),
    seenBy: stream("at once when its key is revoked"),
  },
  {
    row: "P16",
    name: "what a stream followed is held for good",
    changes: inFile(FOLLOW, "        stopHearing();\n        stopFollowing();\n", "        stopHearing();\n"),
    seenBy: stream("is alone in following what it follows"),
  },
];
