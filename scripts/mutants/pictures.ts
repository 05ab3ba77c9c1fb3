import type { Mutant } from "./mutant.ts";

/** Bugs in what is known of an account, and of when that is. */
export const PICTURES: readonly Mutant[] = [
  {
    name: "an order that our own cancel has ended is told as ended by somebody else",
    changes: [
      {
        file: "src/actions/tell-story.ts",
        find: 'kind === "cancel" && hasLanded',
        put: 'kind === "modify" && hasLanded',
      },
    ],
  },
  {
    name: "a cancel of ours that was of no avail is not told beside another's",
    changes: [
      {
        file: "src/actions/tell-story.ts",
        find: 'sentAtMs !== null && (kind === "cancel"',
        put: 'sentAtMs === null && (kind === "cancel"',
      },
    ],
  },
  {
    name: "a frame of the millisecond of what happened counts as of after it, whenever it was told",
    changes: [
      {
        file: "src/core/mark.ts",
        find: "return shown.heard !== null && shown.heard > happened.heard;",
        put: "return shown.heard !== null;",
      },
    ],
  },
  {
    name: "what was shown in the millisecond of a fill holds the fill",
    changes: [
      {
        file: "src/core/mark.ts",
        find: '    case "dated":\n      return shown.timeMs > happened.timeMs;',
        put: '    case "dated":\n      return shown.timeMs >= happened.timeMs;',
      },
    ],
  },
  {
    name: "our idea of the exchange's time is taken for the exchange's",
    changes: [{ file: "src/core/mark.ts", find: "const CLOCK_SLACK_MS = 250;", put: "const CLOCK_SLACK_MS = 0;" }],
  },
  {
    name: "a read that was asked for before an answer counts as of after it",
    changes: [
      {
        file: "src/core/mark.ts",
        find: "return shown.askedAtMs > happened.atMs && shown.timeMs >= happened.timeMs;",
        put: "return shown.timeMs >= happened.timeMs;",
      },
    ],
  },
  {
    name: "a server that is behind is believed because it was asked afterwards",
    changes: [
      {
        file: "src/core/mark.ts",
        find: "return shown.askedAtMs > happened.atMs && shown.timeMs >= happened.timeMs;",
        put: "return shown.askedAtMs > happened.atMs;",
      },
    ],
  },
  {
    name: "positions count as of now while their connection tells anything",
    changes: [
      {
        file: "src/exchange/picture.ts",
        find: "hasPositions(value) ? timeMs : toldToMs",
        put: "hasPositions(null) ? timeMs : toldToMs",
      },
    ],
  },
  {
    name: "what an ended connection told counts as quiet",
    changes: [
      {
        file: "src/exchange/picture.ts",
        find: "(isTold ? account.heardToMs : null)",
        put: "(account.connection < 0 ? null : account.heardToMs)",
      },
    ],
  },
  {
    name: "the end of a connection ends nothing",
    changes: [{ file: "src/exchange/account-picture.ts", find: "      account.connection += 1;\n", put: "" }],
  },
  {
    name: "the time that an ended connection had reached goes on",
    changes: [{ file: "src/exchange/account-picture.ts", find: "      account.heardToMs = null;\n", put: "" }],
  },
  {
    name: "an older state takes the place of a newer one",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "if (known !== undefined && known.timeMs > value.timeMs) return;",
        put: "if (known !== undefined && known.timeMs < 0) return;",
      },
    ],
  },
  {
    name: "an older read takes the place of what was told",
    changes: [
      {
        file: "src/exchange/picture.ts",
        find: "known == null || known.timeMs <= read.timeMs;",
        put: "known == null || read.timeMs > 0;",
      },
    ],
  },
  {
    name: "a frame that cannot be read is none",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "if (known !== undefined) account.states.set(dex, { ...known, connection: null });",
        put: "",
      },
    ],
  },
  {
    name: "a frame that cannot be read takes away what a read has shown",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "  if (held !== null) account.open.set(dex, held);",
        put: "  if (held !== null && value !== null) account.open.set(dex, held);\n  else account.open.delete(dex);",
      },
    ],
  },
  {
    name: "a gap tells nothing of TWAPs",
    changes: [
      { file: "src/exchange/account-picture.ts", find: "      account.twaps = untold(account.twaps);\n", put: "" },
    ],
  },
  {
    name: "a gap tells nothing of open orders",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "      for (const [dex, list] of account.open) account.open.set(dex, { ...list, connection: null });\n",
        put: "",
      },
    ],
  },
  {
    name: "a frame that names no mode means a standard account",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: 'else if (account.unnamedMode === "standard")',
        put: 'else if (account.unnamedMode !== "portfolio")',
      },
      {
        file: "src/exchange/account-picture.ts",
        find: '  unnamedMode: "standard" | "nothing";',
        put: '  unnamedMode: "standard" | "nothing" | "portfolio";',
      },
    ],
  },
  {
    name: "no check finds that an account has become another kind",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: 'value: "standard", heard: null, from: "unnamed" };',
        put: 'value: "standard", heard, from: "named" };',
      },
    ],
  },
  {
    name: "a mode that was read holds for ever",
    changes: [
      {
        file: "src/exchange/picture.ts",
        find: "return heardToMs - mode.timeMs < MODE_HOLDS_MS ? mode",
        put: "return heardToMs - mode.timeMs < MODE_HOLDS_MS * 1_000 ? mode",
      },
    ],
  },
  {
    name: "a mode that was read while nobody tells anything counts as told",
    changes: [
      {
        file: "src/exchange/picture.ts",
        find: "const connection = heardToMs === null ? null : account.connection;",
        put: "const connection = heardToMs === -1 ? null : account.connection;",
      },
    ],
  },
  {
    name: "an order that was told open late is open after its end",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "saysOver(status) ? { order, status, statusTimestampMs: timeMs } : (before?.end ?? null)",
        put: "saysOver(status) ? { order, status, statusTimestampMs: timeMs } : null",
      },
    ],
  },
  {
    name: "an order stays told open after its connection",
    changes: [{ file: "src/exchange/account-picture.ts", find: "      account.toldOpen.clear();\n", put: "" }],
  },
  {
    name: "an order that a list shows stays told open",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "  for (const { oid } of value ?? []) account.toldOpen.delete(oid);\n",
        put: "",
      },
    ],
  },
  {
    name: "an order placed elsewhere that was looked up makes its list as new as itself",
    changes: [
      {
        file: "src/actions/unlisted-orders.ts",
        find: "Math.max(0, ...list.value.map",
        put: "Math.max(0, ...[...list.value, ...list.beside].map",
      },
    ],
  },
  {
    name: "a record stands for good beside a list that goes on lacking it",
    changes: [{ file: "src/exchange/account-picture.ts", find: "  forgetRecords(account, dex);\n", put: "" }],
  },
  {
    name: "a trigger waits on until a list shows that it has fired",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: 'meaning === "triggered" || before?.hasFired === true',
        put: "before?.hasFired === true",
      },
    ],
  },
  {
    name: "balances of a server that is behind take the place of those that were told",
    changes: [
      {
        file: "src/exchange/picture.ts",
        find: "if (!isNewer(account.spot) || isToldOver(account, shown.value, read)) return false;",
        put: "if (!isNewer(account.spot)) return false;",
      },
    ],
  },
  {
    name: "sizes of positions are of now for as long as marks are",
    changes: [
      {
        file: "src/actions/list-positions.ts",
        find: "datedAge(deps, toldToMs, AGE_MS) === null && ",
        put: "toldToMs > 0 && ",
      },
    ],
  },
  {
    name: "a channel that lost its pace is quiet",
    changes: [
      {
        file: "src/exchange/pace.ts",
        find: "  return heardToMs - pace.lastMs > Math",
        put: "  return heardToMs < Math",
      },
    ],
  },
  {
    name: "a channel that tells changes alone has a pace",
    changes: [
      {
        file: "src/exchange/pace.ts",
        find: "  if (before.told !== told) return { ...before, told, lastMs };\n",
        put: "",
      },
    ],
  },
  {
    name: "what a channel tells twice at once is a pace",
    changes: [{ file: "src/exchange/pace.ts", find: "TWICE_WITHIN_MS = 1_000", put: "TWICE_WITHIN_MS = 0" }],
  },
  {
    name: "a slow channel is silent between two frames",
    changes: [
      {
        file: "src/exchange/pace.ts",
        find: "Math.max(SILENT_AFTER_MS, MISSING_BEATS * pace.slowestMs)",
        put: "SILENT_AFTER_MS",
      },
    ],
  },
  {
    name: "the pace of an ended connection goes on",
    changes: [
      {
        file: "src/exchange/pace.ts",
        find: "if (before?.connection !== connection) return {",
        put: "if (before === undefined) return {",
      },
      {
        file: "src/exchange/pace.ts",
        find: "if (pace?.connection !== connection || pace",
        put: "if (pace === undefined || pace",
      },
    ],
  },
  {
    name: "a history of TWAPs stands whatever runs",
    changes: [
      {
        file: "src/exchange/told-twaps.ts",
        find: "running.doubtedSinceMs = isDoubted ? (",
        put: "running.doubtedSinceMs = isDoubted && heardToMs === null ? (",
      },
    ],
  },
  {
    name: "a history of TWAPs is doubted for what began before it",
    changes: [
      { file: "src/exchange/told-twaps.ts", find: "state.timestampMs >= fromMs && !began", put: "!began" },
      { file: "src/exchange/told-twaps.ts", find: "  const fromMs = records", put: "  void records" },
    ],
  },
  {
    name: "a history of TWAPs is held against the running ones of another dex",
    changes: [{ file: "src/exchange/told-twaps.ts", find: "dexOf(coin) === dex && ", put: "dexOf(coin) !== null && " }],
  },
  {
    name: "a history of TWAPs is doubted for good",
    changes: [
      {
        file: "src/exchange/told-twaps.ts",
        find: "?? heardToMs) : null;",
        put: "?? heardToMs) : running.doubtedSinceMs;",
      },
    ],
  },
  {
    name: "the running TWAPs of an ended connection are held against the next",
    changes: [
      { file: "src/exchange/account-picture.ts", find: "      account.running = newRunningTwaps();\n", put: "" },
    ],
  },
  {
    name: "what rested as its connection ended is told to rest",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "newRunningTwaps();\n      doubtOpen(account);\n",
        put: "newRunningTwaps();\n",
      },
    ],
  },
  {
    name: "what rested before a frame that nobody could read is told to rest",
    changes: [
      {
        file: "src/exchange/account-picture.ts",
        find: "connection: null });\n      doubtOpen(account);\n      return;",
        put: "connection: null });\n      return;",
      },
    ],
  },
  {
    name: "an older word of the feed tells an order whose answer was lost",
    changes: [
      {
        file: "src/settle/feed/told-orders.ts",
        find: "picture.toldOf(tradingAddress, order.oid)?.isOpen === true;",
        put: "picture.toldOf(tradingAddress, order.oid) !== null;",
      },
    ],
  },
];
