/** S36 to S38: how much may be asked, and in what form. */
import { type Break, inFile } from "./break.ts";

const WHO_HAS_MOST = {
  test: "test/core/crowd.test.ts",
  title: "who opens the most loses them, and pushes nobody else out",
};
const KEPT_BACK = {
  test: "test/cli/crowd.test.ts",
  title: "what is kept back is given to what opens of ours and to nobody else",
};
const KIB_64 = { test: "test/http/bad-input.test.ts", title: "takes a body of exactly 64 KiB" };
const PIECES = { test: "test/http/body.test.ts", title: "stops reading soon after the limit" };
const ANNOUNCED = { test: "test/http/body.test.ts", title: "neither a large announced length" };
const SLOW = { test: "test/http/body.test.ts", title: "gives up a body that trickles in" };
const KIB_16 = { test: "test/http/guard.test.ts", title: "headers of more than 16 KiB in all are refused" };
const TARGET = { test: "test/http/guard.test.ts", title: "a path and query of more than 4 KiB is no route" };
const PLACES = {
  test: "test/http/body.test.ts",
  title: "more requests at one time than there are places are refused, and the places are given back",
};
const ARRIVING = { test: "test/http/arrivals.test.ts", title: "bodies that never come take nobody's place" };
const OLDEST_OF_MOST = {
  test: "test/http/arrivals.test.ts",
  title: "the client of whom most are awaited loses its oldest, and whoever comes is let in",
};
const SHALLOW = { test: "test/http/strict-json.test.ts", title: "takes eight levels and no ninth" };
const BAD_INPUT = { test: "test/http/bad-input.test.ts", title: "refuses %s, sends and stores nothing, and goes on" };
const TWICE = {
  test: "test/http/strict-json.test.ts",
  title: "finds a member that comes twice at any depth and however it is spelled",
};
const OWN_OBJECTS = { test: "test/security/canaries.test.ts", title: "in a body change nothing and are refused" };
const TOKENS = { test: "test/http/strict-json.test.ts", title: "takes and refuses what a reader of tokens takes" };
const WAIT_HELPS = {
  test: "test/http/limits.test.ts",
  title: "say what is left, then refuse with Retry-After, then let in again",
};
const EACH_KEYS_OWN = { test: "test/http/limits.test.ts", title: "are each key's own" };
const APART = { test: "test/http/limits.test.ts", title: "orders, cancels and reads are apart" };
const RESERVE = {
  test: "test/exchange/budget.test.ts",
  title: "whatever others spent, a tenth is left to cancels, a fifth more to settling",
};
const TOLD_WAIT = {
  test: "test/exchange/budget.test.ts",
  title: "after the wait that it tells, what did not fit fits",
};
const NO_MINUTE = { test: "test/exchange/budget.test.ts", title: "no minute anywhere holds more than the limit" };
const PIECES_256 = { test: "test/http/body.test.ts", title: "gives up a body that comes in more than 256 pieces" };
const LINEAR = {
  test: "test/security/linear.test.ts",
  title: "four times as much takes at most about four times as long",
};
const UTF8 = { test: "test/http/strict-json.test.ts", title: "refuses bytes that are no UTF-8" };

export const LIMIT_BREAKS: readonly Break[] = [
  {
    row: "S36",
    name: "a body may have 65 KiB",
    changes: inFile("src/http/contract.ts", "const MAX_BODY_BYTES = 64 * 1024;", "const MAX_BODY_BYTES = 65 * 1024;"),
    seenBy: KIB_64,
  },
  {
    row: "S36",
    name: "a body of exactly 64 KiB is refused",
    changes: [
      {
        file: "src/http/body.ts",
        find: "if (Number(announced) > limits.maxBytes)",
        put: "if (Number(announced) >= limits.maxBytes)",
      },
      {
        file: "src/http/body.ts",
        find: "if (body.byteLength > limits.maxBytes)",
        put: "if (body.byteLength >= limits.maxBytes)",
      },
      { file: "src/http/body.ts", find: "if (length > maxBytes)", put: "if (length >= maxBytes)" },
    ],
    seenBy: KIB_64,
  },
  {
    row: "S36",
    name: "a body in pieces has no limit",
    changes: inFile("src/http/body.ts", "    if (length > maxBytes) throw tooLarge(limits);\n", ""),
    seenBy: PIECES,
  },
  {
    row: "S36",
    name: "a length that was announced is believed",
    changes: inFile("src/http/body.ts", "    if (body.byteLength > limits.maxBytes) throw tooLarge(limits);\n", ""),
    seenBy: ANNOUNCED,
  },
  {
    row: "S36",
    name: "a body may come in any number of pieces",
    changes: inFile("src/http/body.ts", "    if (pieces.length > MAX_PIECES) throw tooManyPieces();\n", ""),
    seenBy: PIECES_256,
  },
  {
    row: "S36",
    name: "a number is read in the square of its length",
    changes: inFile("src/http/strict-json.ts", 'trimTail(digits, "0")', 'digits.replace(/0+$/, "")'),
    seenBy: LINEAR,
  },
  {
    row: "S36",
    name: "a header of the exchange's is read in the square of its length",
    changes: inFile(
      "src/exchange/http-answer.ts",
      'trimTail(text.replace(/^[ \\t]+/, ""), " \\t")',
      'text.replace(/^[ \\t]+/, "").replace(/[ \\t]+$/, "")',
    ),
    seenBy: LINEAR,
  },
  {
    row: "S36",
    name: "a body may trickle for ever",
    changes: inFile("src/http/body.ts", "if (clock.elapsedMs() - startedMs > MAX_BODY_MS) throw tooSlow();", ""),
    seenBy: SLOW,
  },
  {
    row: "S36",
    name: "headers may have 17 KiB",
    changes: inFile(
      "src/http/guard.ts",
      "const MAX_HEADER_CHARACTERS = 16 * 1024;",
      "const MAX_HEADER_CHARACTERS = 17 * 1024;",
    ),
    seenBy: KIB_16,
  },
  {
    row: "S36",
    name: "headers have no limit",
    changes: inFile(
      "src/http/guard.ts",
      "if (headerCharacters(request.headers) > MAX_HEADER_CHARACTERS) {",
      "if (headerCharacters(request.headers) < 0) {",
    ),
    seenBy: KIB_16,
  },
  {
    row: "S36",
    name: "only values of headers are counted",
    changes: inFile("src/http/guard.ts", "count += name.length + value.length +", "count += value.length +"),
    seenBy: KIB_16,
  },
  {
    row: "S36",
    name: "only the longest header is counted",
    changes: inFile(
      "src/http/guard.ts",
      'count += name.length + value.length + ": \\r\\n".length;',
      "count = Math.max(count, name.length + value.length);",
    ),
    seenBy: KIB_16,
  },
  {
    row: "S36",
    name: "a path may be of any length",
    changes: inFile(
      "src/http/guard.ts",
      "request.url.length > MAX_TARGET_CHARACTERS ? null : URL.parse",
      "request.url.length < 0 ? null : URL.parse",
    ),
    seenBy: TARGET,
  },
  {
    row: "S36",
    name: "any number of requests is answered at once",
    changes: inFile("src/http/server.ts", "if (running > MAX_REQUESTS_AT_ONCE) {", "if (running < 0) {"),
    seenBy: PLACES,
  },
  {
    row: "S36",
    name: "places are never given back",
    changes: inFile("src/http/server.ts", "      places.leave();\n", ""),
    seenBy: PLACES,
  },
  {
    row: "S36",
    name: "a request holds its place while its body is awaited",
    changes: [
      { file: "src/http/server.ts", find: "    running -= 1;\n    const body", put: "    const body" },
      {
        file: "src/http/server.ts",
        find: "onGivenUp).finally(() => {\n      running += 1;\n    });",
        put: "onGivenUp);",
      },
    ],
    seenBy: ARRIVING,
  },
  {
    row: "S36",
    name: "any number of bodies is awaited",
    changes: inFile("src/http/arrivals.ts", "    if (count >= MAX_ARRIVING) makeRoom();\n", ""),
    seenBy: OLDEST_OF_MOST,
  },
  {
    row: "S36",
    name: "whoever came first loses his place among the bodies that are awaited",
    changes: inFile(
      "src/http/arrivals.ts",
      "if (own.size > most && first !== undefined)",
      "if (most === 0 && first !== undefined)",
    ),
    seenBy: OLDEST_OF_MOST,
  },
  {
    row: "S36",
    name: "a body may nest nine levels",
    changes: inFile("src/http/strict-json.ts", "const MAX_DEPTH = 8;", "const MAX_DEPTH = 9;"),
    seenBy: SHALLOW,
  },
  {
    row: "S36",
    name: "a list may have any length",
    changes: inFile("src/core/page.ts", "export const MAX_LIMIT = 500;", "export const MAX_LIMIT = 501;"),
    seenBy: BAD_INPUT,
  },
  {
    row: "S37",
    name: "of members of one name the last counts",
    changes: inFile("src/http/strict-json.ts", "kept.members === members ? { kind", "kept.members <= members ? { kind"),
    seenBy: TWICE,
  },
  {
    row: "S37",
    name: "__proto__ is a name like others",
    changes: inFile(
      "src/http/strict-json.ts",
      '"__proto__", "constructor", "prototype"]',
      '"constructor", "prototype"]',
    ),
    seenBy: SHALLOW,
  },
  {
    row: "S37",
    name: "constructor is a name like others",
    changes: inFile("src/http/strict-json.ts", '"__proto__", "constructor", "prototype"]', '"__proto__", "prototype"]'),
    seenBy: SHALLOW,
  },
  {
    row: "S37",
    name: "a body may write to the prototypes of all objects",
    changes: inFile(
      "src/http/strict-json.ts",
      "  for (const [name, part] of Object.entries(value)) {",
      '  for (const [name, part] of Object.entries(value)) {\n    if (name === "__proto__") Object.assign(Object.prototype, part);',
    ),
    seenBy: OWN_OBJECTS,
  },
  {
    row: "S37",
    name: "half a character is a text",
    changes: inFile(
      "src/http/strict-json.ts",
      "return value.isWellFormed() ? null : HALF_A_CHARACTER;",
      "return null;",
    ),
    seenBy: TOKENS,
  },
  {
    row: "S37",
    name: "a number that a double cannot hold is rounded",
    changes: inFile(
      "src/http/strict-json.ts",
      'return Number.isInteger(value) ? exactInteger(context?.source ?? "") : value;',
      "return value;",
    ),
    seenBy: TOKENS,
  },
  {
    row: "S37",
    name: "bytes that are no UTF-8 are replaced",
    changes: inFile(
      "src/http/strict-json.ts",
      'new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })',
      'new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })',
    ),
    seenBy: UTF8,
  },
  {
    row: "S37",
    name: "an unknown member is passed over",
    changes: inFile(
      "src/http/schema/common.ts",
      "additionalProperties: false, ...options",
      "additionalProperties: true, ...options",
    ),
    seenBy: BAD_INPUT,
  },
  {
    row: "S38",
    name: "a key has no bucket",
    changes: inFile(
      "src/http/limits.ts",
      "if (isOff(rate)) return null;",
      'if (isOff(rate) || bucket === "reads") return null;',
    ),
    seenBy: WAIT_HELPS,
  },
  {
    row: "S38",
    name: "keys share a bucket",
    changes: inFile("src/http/limits.ts", "ofKeys[bucket].draw(keyHash, ", 'ofKeys[bucket].draw("", '),
    seenBy: EACH_KEYS_OWN,
  },
  {
    row: "S38",
    name: "orders and cancels share a bucket",
    changes: inFile(
      "src/http/limits.ts",
      "ofKeys[bucket].draw(keyHash, ",
      'ofKeys[bucket === "cancels" ? "orders" : bucket].draw(keyHash, ',
    ),
    seenBy: APART,
  },
  {
    row: "S38",
    name: "waiting as told does not help",
    changes: inFile("src/core/rate.ts", "(elapsedMs * rate.perSecond) / 1_000", "(elapsedMs * rate.perSecond) / 1_100"),
    seenBy: WAIT_HELPS,
  },
  {
    row: "S38",
    name: "a refused request waits for nothing that it is told",
    changes: inFile(
      "src/http/server.ts",
      "  if (error.retryAfterS !== null) response",
      '  if (error.retryAfterS !== null && error.code === "draining") response',
    ),
    seenBy: WAIT_HELPS,
  },
  {
    row: "S38",
    name: "nothing is left to cancels",
    changes: inFile(
      "src/exchange/shares.ts",
      "  cancel: 0,\n  settle: 0.1,\n  reduce: 0.3,\n  order: 0.35,\n  read: 0.35,",
      "  cancel: 0,\n  settle: 0,\n  reduce: 0.2,\n  order: 0.25,\n  read: 0.25,",
    ),
    seenBy: RESERVE,
  },
  {
    row: "S38",
    name: "nothing is left to settling",
    changes: inFile(
      "src/exchange/shares.ts",
      "  cancel: 0,\n  settle: 0.1,\n  reduce: 0.3,\n  order: 0.35,\n  read: 0.35,",
      "  cancel: 0,\n  settle: 0.1,\n  reduce: 0.1,\n  order: 0.1,\n  read: 0.1,",
    ),
    seenBy: RESERVE,
  },
  {
    row: "S38",
    name: "one reader uses up what others may read",
    changes: inFile(
      "src/exchange/shares.ts",
      "return reads === 0 || own + weight <= MOST_OF_FREE",
      "return reads === 0 || own < 0 || weight <= MOST_OF_FREE",
    ),
    seenBy: { test: "test/exchange/budget.test.ts", title: "who has read less gets the next" },
  },
  {
    row: "S38",
    name: "a minute is a second short",
    changes: inFile("src/exchange/spent-weight.ts", "const WINDOW_S = 61;", "const WINDOW_S = 59;"),
    seenBy: NO_MINUTE,
  },
  {
    row: "S38",
    name: "the wait that is told is half of it",
    changes: inFile(
      "src/exchange/budget.ts",
      "return Math.max(roomMs, pause.leftMs(purpose, nowMs));",
      "return Math.max(Math.floor(roomMs / 2), pause.leftMs(purpose, nowMs));",
    ),
    seenBy: TOLD_WAIT,
  },
  {
    row: "S36",
    name: "whoever is silent longest loses a connection, not who has the most",
    changes: inFile("src/core/crowd.ts", "b.place - a.place || ", ""),
    seenBy: WHO_HAS_MOST,
  },
  {
    row: "S36",
    name: "clients are given what is kept back for the exchange",
    changes: inFile("src/cli/descriptors.ts", "if (countOpening === 0) setLimit(c, clientsLimit);", ""),
    seenBy: KEPT_BACK,
  },
];
