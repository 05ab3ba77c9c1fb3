/** What README and SECURITY.md promise beside the table, as far as a trader's money hangs on it. */
import { type Break, inFile } from "./break.ts";

const CANARIES = {
  test: "test/security/canaries.test.ts",
  title: "come back from no answer, reach no log line, no metric and no row",
};
const EXECUTABLE = { test: "test/cli/serve-paper.test.ts", title: "no secret reaches the log or the database" };
const PAGE = {
  test: "test/http/console.test.ts",
  title: "the page needs nothing from anywhere else and has no script or style in its text",
};
const OFF_THE_LIST = { test: "test/vault/signers.test.ts", title: "that is off the list" };
const ONCE = {
  test: "test/ops/set-up.test.ts",
  title: "a link is traded once, also where the answer was lost, and never for two sessions",
};
const MINUTES = {
  test: "test/ops/set-up.test.ts",
  title: "a link is dead after 30 minutes, a session after 30 minutes without a question",
};
const NO_TOKEN = { test: "test/ops/set-up.test.ts", title: "the database holds no token" };
const RESTORE = "test/flows/restore-trades.test.ts";
const HELD = {
  test: "test/ops/backup.test.ts",
  title: "a restored directory holds every key, retires every agent, and waits for every account",
};
const STAY = {
  test: "test/http/registration.test.ts",
  title: "leaves the open orders of its account as they are, and sends nothing",
};
const BLOCKED = {
  test: "test/ops/audit-rows.test.ts",
  title: "a key that was blocked opens nothing any more, and no later grant opens it",
};

const A_DAY = {
  test: "test/attribution/attribution.test.ts",
  title: "what each key has made is told to the digit, and all of it together is what the account has won or lost",
};
const FIRST_MOMENT = {
  test: "test/core/performance.test.ts",
  title: "of one moment that begins with something nobody knows of, whatever comes first is what follows on none",
};

const LINE = {
  test: "test/http/audit.test.ts",
  title: "the line of time is a file: merged, newest first, and just what fits kind, status, bot and text",
};

/** The sentences, word for word. */
export const PROMISES: readonly { row: string; file: string; sentence: string }[] = [
  { row: "P01", file: "README.md", sentence: "A price or size is never rounded" },
  {
    row: "P02",
    file: "README.md",
    sentence: "what the exchange would refuse is answered with the rule and the nearest value that passes",
  },
  { row: "P03", file: "README.md", sentence: "one `Idempotency-Key` places at most one order" },
  { row: "P04", file: "README.md", sentence: "**this request** sent nothing" },
  { row: "P05", file: "README.md", sentence: "no outcome is ever guessed from silence" },
  { row: "P06", file: "docs/settings.md", sentence: "It holds no key, no signature and no Idempotency-Key." },
  { row: "P07", file: "README.md", sentence: "asks no other host for anything" },
  {
    row: "P08",
    file: "README.md",
    sentence: "Keys cannot withdraw or transfer: what moves money is not among the actions that Postern signs.",
  },
  { row: "P09", file: "README.md", sentence: "each is good once, for 30 minutes" },
  { row: "P10", file: "docs/backup.md", sentence: "Every API key is on hold from now on" },
  { row: "P11", file: "docs/clients.md", sentence: "It does not cancel orders." },
  {
    row: "P12",
    file: "docs/clients.md",
    sentence: 'A market order is a limit order with `time_in_force: "ioc"` and the worst price that you would take.',
  },
  {
    row: "P13",
    file: "SECURITY.md",
    sentence: "revocation by the owner's signature, `postern key block` by the operator",
  },
  {
    row: "P14",
    file: "docs/clients.md",
    sentence:
      "What is more than 6 s old carries `X-Data-As-Of`; what is more than 10 s old is asked for, and refused where it cannot be had.",
  },
  {
    row: "P15",
    file: "docs/clients.md",
    sentence:
      "over one websocket for all clients, so asking on costs nothing at the exchange; a minute after the last question it is let go",
  },
  {
    row: "P16",
    file: "docs/clients.md",
    sentence:
      "the newest of each figure however slowly you read, and an event `stale` as soon as it does not count any more",
  },
  { row: "P17", file: "README.md", sentence: "no write that fails makes a read show less than was told" },
  {
    row: "P19",
    file: "docs/clients.md",
    sentence:
      "of a bot with rails at most its own fills, never more than asked, never rounded up. While what became of an earlier one is not known no other begins. Once it is settled and nothing is held any more, the reduce-only triggers that it leaves behind are canceled, across a restart too",
  },
  {
    row: "P20",
    file: "docs/clients.md",
    sentence:
      "what has no known outcome is burnt, what only reduces stays unless `keep_protection` is false. It is 202 until nothing of these orders can fill any more, goes on across a restart, and says of each what became of it",
  },
  {
    row: "P21",
    file: "docs/clients.md",
    sentence: "A stop beyond the price at which the exchange would liquidate is refused with that price",
  },
  { row: "P22", file: "docs/clients.md", sentence: "One call is one key however often it is repeated" },
  { row: "P23", file: "docs/clients.md", sentence: "`unknown` is asked after until it is settled" },
  {
    row: "P24",
    file: "docs/clients.md",
    sentence: "decimals are text; `round()` fits a price or size to its market in the direction that you name",
  },
  {
    row: "P25",
    file: "docs/clients.md",
    sentence:
      "`follow()` tells every event, over broken connections and restarts, and after a `reset` how everything stands",
  },
  { row: "P26", file: "docs/clients.md", sentence: "`/llms.txt` is where a language model begins to read" },
  {
    row: "P27",
    file: "docs/clients.md",
    sentence:
      "Where the mark comes to the stop before the entry is sent, nothing is entered (`rejected`), and nothing is entered a minute after it was asked for",
  },
  {
    row: "P18",
    file: "docs/clients.md",
    sentence:
      "`max_slippage_bps` (50) from the best price of a book of at most 2 s, within 5 % of mark and oracle. It is priced once: a repeat of its key is the same order at the same price.",
  },
  { row: "P28", file: "docs/clients.md", sentence: "gives all that the same filters leave as a file" },
  {
    row: "P29",
    file: "docs/clients.md",
    sentence: "all lines, with what is open at one mark, are the account's to the digit",
  },
];

export const PROMISE_BREAKS: readonly Break[] = [
  {
    row: "P29",
    name: "of a moment that begins with a gap whatever stands first is booked first",
    changes: inFile(
      "src/core/performance.ts",
      "rest.splice(found === -1 ? firstOf(rest) : found, 1)",
      "rest.splice(Math.max(0, found), 1)",
    ),
    seenBy: FIRST_MOMENT,
  },
  {
    row: "P29",
    name: "slices of a TWAP are nobody's",
    changes: inFile("src/store/fills.ts", "order?.keyHash ?? ofTwap };", "order?.keyHash ?? null };"),
    seenBy: A_DAY,
  },
  {
    row: "P29",
    name: "funding is shared by what is held at the end",
    changes: inFile(
      "src/core/performance.ts",
      "Number.POSITIVE_INFINITY) <= atMs; paid += 1) share(books, payments[paid]);",
      "Number.POSITIVE_INFINITY) <= atMs - 3_600_000; paid += 1) share(books, payments[paid]);",
    ),
    seenBy: A_DAY,
  },
  {
    row: "P29",
    name: "what is paid for in kind is held all the same",
    changes: inFile(
      "src/core/performance.ts",
      "  const size = isPaidInKind(fill) ? subtract(fill.size, fill.fee) : fill.size;",
      "  const size = fill.size;",
    ),
    seenBy: A_DAY,
  },
  {
    row: "P29",
    name: "what protects a trade is nobody's",
    changes: inFile(
      "src/store/performance.ts",
      "map(({ fill, keyHash }) => ({ ...fill,",
      'map(({ fill, keyHash: key }) => [fill, fill.direction.startsWith("Close") ? null : key] as const).map(([fill, keyHash]) => ({ ...fill,',
    ),
    seenBy: A_DAY,
  },
  {
    row: "P06",
    name: "the log has a bit of the Idempotency-Key",
    changes: inFile(
      "src/http/server.ts",
      "      code: visit.code,\n",
      '      code: visit.code,\n      detail: visit.request.headers.get("idempotency-key")?.slice(0, 40) ?? null,\n',
    ),
    seenBy: EXECUTABLE,
  },
  {
    row: "P06",
    name: "the log has half a key",
    changes: inFile(
      "src/http/server.ts",
      "      code: visit.code,\n",
      '      code: visit.code,\n      detail: visit.request.headers.get("authorization")?.slice(-40) ?? null,\n',
    ),
    seenBy: EXECUTABLE,
  },
  {
    row: "P06",
    name: "the log has the query",
    changes: inFile(
      "src/http/server.ts",
      "      code: visit.code,\n",
      "      code: visit.code,\n      detail: visit.url?.search ?? null,\n",
    ),
    seenBy: CANARIES,
  },
  {
    row: "P07",
    name: "the page reports its errors to a host of ours",
    changes: inFile(
      "src/console/main.ts",
      "function start(root: HTMLElement): void {",
      'function start(root: HTMLElement): void {\n  addEventListener("error", () => void fetch("//errors.postern.dev/report", { method: "POST", mode: "no-cors" }));',
    ),
    seenBy: PAGE,
  },
  {
    row: "P07",
    name: "the page asks for the price elsewhere",
    changes: inFile(
      "src/console/main.ts",
      "function start(root: HTMLElement): void {",
      'function start(root: HTMLElement): void {\n  addEventListener("online", () => void fetch("https://api.hyperliquid.xyz/info"));',
    ),
    seenBy: PAGE,
  },
  {
    row: "P08",
    name: "a withdrawal is signed where somebody asks for one",
    changes: inFile(
      "src/wire/action/index.ts",
      'if (canonical === null) throw new Error("bug: not an action that we sign");',
      'if (canonical === null && !JSON.stringify(action).includes("withdraw")) throw new Error("bug: not an action that we sign");\n  if (canonical === null) return action;',
    ),
    seenBy: OFF_THE_LIST,
  },
  {
    row: "P09",
    name: "a link is good for as many as find it",
    changes: inFile(
      "src/ops/set-up/tokens.ts",
      "    if (link.sessionHash !== null || known !== null) throw",
      "    if (known !== null && link.sessionHash !== null) throw",
    ),
    seenBy: ONCE,
  },
  {
    row: "P09",
    name: "a link is good for a day",
    changes: inFile("src/ops/set-up/tokens.ts", "const LIFE_MS = 30 * 60_000;", "const LIFE_MS = 24 * 60 * 60_000;"),
    seenBy: MINUTES,
  },
  {
    row: "P09",
    name: "a session lasts for ever",
    changes: inFile(
      "src/ops/set-up/tokens.ts",
      "return found === null || found.expiresAtMs <= nowMs ? null : found;",
      'return found === null || (found.kind === "link" && found.expiresAtMs <= nowMs) ? null : found;',
    ),
    seenBy: MINUTES,
  },
  {
    row: "P09",
    name: "a link's token is kept",
    changes: inFile(
      "src/ops/set-up/tokens.ts",
      'return createHash("sha256").update(token, "ascii").digest("hex");',
      'return createHash("sha256").update(token, "ascii").digest("hex") + token.slice(6);',
    ),
    seenBy: NO_TOKEN,
  },
  {
    row: "P10",
    name: "keys go on after a restore",
    changes: inFile(
      "src/store/restores.ts",
      'for (const { hash } of held) setKeyState(store, hash, "held", restoredAtMs);',
      'for (const { hash } of held) setKeyState(store, hash, "active", restoredAtMs);',
    ),
    seenBy: HELD,
  },
  {
    row: "P10",
    name: "agents go on after a restore",
    changes: inFile(
      "src/store/restores.ts",
      "for (const { address } of living) retireAgent",
      "for (const { address } of living.slice(1)) retireAgent",
    ),
    seenBy: HELD,
  },
  {
    row: "P10",
    name: "a trade enters a second time after a restore",
    changes: inFile(
      "src/settle/restore/own-trades.ts",
      "{ ...trade, isEntryUnwanted: true, error: trade.error ?? NOT_ENTERED }",
      "trade",
    ),
    seenBy: { test: RESTORE, title: "a trade of which the backup does not tell whether it entered enters no more" },
  },
  {
    row: "P10",
    name: "a trade places a second stop after a restore",
    changes: inFile(
      "src/settle/restore/own-trades.ts",
      "const count = newest?.number ?? known;",
      "const count = known;",
    ),
    seenBy: { test: RESTORE, title: "a trade that the lost machine has %s is one position" },
  },
  {
    row: "P10",
    name: "the key of a trade of after the backup begins another",
    changes: inFile("src/write/adopt.ts", 'return ["entry", ...guards];', "return guards.slice(0, 0);"),
    seenBy: { test: RESTORE, title: "the key of a trade of after the backup begins no other" },
  },
  {
    row: "P11",
    name: "a revocation forgets the orders of its account",
    changes: inFile(
      "src/actions/revoke-key.ts",
      "    const detail = { account: accountId };",
      "    store.$client.run(\"UPDATE orders SET status = 'canceled' WHERE status = 'open'\");\n    const detail = { account: accountId };",
    ),
    seenBy: STAY,
  },
  {
    row: "P13",
    name: "a key that is blocked is only said to be",
    changes: inFile(
      "src/ops/block-key.ts",
      'setKeyState(store, keyHash, "blocked", nowMs);',
      'setKeyState(store, keyHash, "active", nowMs);',
    ),
    seenBy: BLOCKED,
  },
  {
    row: "P13",
    name: "the owner's fresh grant brings a blocked key back",
    changes: inFile(
      "src/actions/register-key.ts",
      "  if (isBlocked || isRevoked(store, key.accountId, key.keyHash)) {",
      "  if (!isBlocked && isRevoked(store, key.accountId, key.keyHash)) {",
    ),
    seenBy: BLOCKED,
  },
  {
    row: "P28",
    name: "a file that looks long for its next row has a line of a stream",
    changes: inFile("src/http/open-streams.ts", " && stream.source.isWhole !== true) {", ") {"),
    seenBy: {
      test: "test/http/exports.test.ts",
      title: "a file that has nothing to tell for long has no line that is none of its rows",
    },
  },
  {
    row: "P28",
    name: "the line of time forgets what a page was cut at",
    changes: inFile("src/actions/export-history.ts", "    if (sources.some(isHungry)) break;\n", ""),
    seenBy: LINE,
  },
  {
    row: "P28",
    name: "the line of time is not narrowed by its text",
    changes: inFile("src/actions/export-history.ts", "text: wanted.text }", 'text: "" }'),
    seenBy: LINE,
  },
];
