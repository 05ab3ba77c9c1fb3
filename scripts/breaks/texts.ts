/** S46 to S50: what texts may do, what strangers are told, and parsers. */
import { type Break, inFile } from "./break.ts";

const ONE_LINE = {
  test: "test/log.test.ts",
  title: "line ends, terminal commands and quotes in a text stay inside their field",
};
const NO_STEERING = {
  test: "test/cli/output.test.ts",
  title: "texts that are not ours cannot steer a terminal or pretend to be a line of their own",
};
const NO_STEERING_BY_ERRORS = { test: "test/cli/output.test.ts", title: "the reason of a command that failed" };
const LEFT_AS_IT_IS = { test: "test/cli/output.test.ts", title: "what people write is left as it is" };
const NO_NAMES = { test: "test/http/guard.test.ts", title: "follows what the gateway is doing; health does not" };
const TOLD_APART = {
  test: "test/http/readiness.test.ts",
  title: "one that has no agent is named by its place, without a name, and the other trades",
};
const TOTAL = { test: "test/wire/answer/total.test.ts", title: "gives an answer for any value at all" };
const NEVER_THROWS = {
  test: "test/http/strict-json.test.ts",
  title: "never takes what JSON.parse refuses, and never throws",
};
const SAME_HASH = {
  test: "test/wire/differential.test.ts",
  title: "every kind of action hashes to the same connectionId",
};
const PLANTED = { test: "test/mutants.test.ts", title: "can still be planted" };
const BREAKABLE = { test: "test/breaks.test.ts", title: "can still be made, each text once" };
const HEADERS = { test: "test/wire/msgpack.test.ts", title: "texts, lists and maps use the shortest header" };

export const TEXT_BREAKS: readonly Break[] = [
  {
    row: "S46",
    name: "a line of the log is put together by hand",
    changes: inFile(
      "src/log.ts",
      "    info: (fields, message) => lines.info(clean(fields), message),",
      '    info: (fields, message) => writer.write(`{"level":30,"msg":"${message}",${Object.entries(clean(fields)).map(([name, value]) => `"${name}":"${value}"`).join()}}\\n`),',
    ),
    seenBy: ONE_LINE,
  },
  {
    row: "S46",
    name: "a command prints what it is given",
    changes: inFile("src/cli/output.ts", "lines.map(printable).join", "lines.join"),
    seenBy: NO_STEERING,
  },
  {
    row: "S46",
    name: "line ends in a text are line ends",
    changes: inFile(
      "src/cli/output.ts",
      "return line.replace(CONTROLS, escaped);",
      'return line.replace(CONTROLS, (character) => (character === "\\n" ? character : escaped(character)));',
    ),
    seenBy: NO_STEERING,
  },
  {
    row: "S46",
    name: "eight-bit commands steer a terminal",
    changes: inFile("src/cli/output.ts", "/[\\p{Cc}\\u2028", "/[\\u0000-\\u001f\\u007f\\u2028"),
    seenBy: NO_STEERING,
  },
  {
    row: "S46",
    name: "a text may turn the direction of writing round",
    changes: inFile("src/cli/output.ts", "\\u202a-\\u202e", "\\u202a"),
    seenBy: NO_STEERING,
  },
  {
    row: "S46",
    name: "an error of a command is printed as it is",
    changes: inFile("src/cli/run.ts", 'where(reason).split("\\n").map(printable).join("\\n")', "where(reason)"),
    seenBy: NO_STEERING_BY_ERRORS,
  },
  {
    row: "S46",
    name: "only the first line of an error is made printable",
    changes: inFile(
      "src/cli/run.ts",
      'where(reason).split("\\n").map(printable).join("\\n")',
      'where(reason).split("\\n").map((line, index) => (index === 0 ? printable(line) : line)).join("\\n")',
    ),
    seenBy: NO_STEERING_BY_ERRORS,
  },
  {
    row: "S46",
    name: "letters of other languages are escaped",
    changes: inFile("src/cli/output.ts", "/[\\p{Cc}\\u2028", "/[\\p{Cc}\\u0080-\\uffff\\u2028"),
    seenBy: LEFT_AS_IT_IS,
  },
  {
    row: "S47",
    name: "readiness names the owners",
    changes: [
      {
        file: "src/http/health.ts",
        find: "    ...agentHealth(deps),\n    markets:",
        put: "    ...agentHealth(deps),\n    owners: listAccounts(deps.store).map(({ ownerAddress }) => ownerAddress),\n    markets:",
      },
      {
        file: "src/http/health.ts",
        find: "import { ApiError",
        put: 'import { listAccounts } from "../store/accounts.ts";\nimport { ApiError',
      },
    ],
    seenBy: NO_NAMES,
  },
  {
    row: "S47",
    name: "a refusal of readiness names the accounts",
    changes: inFile("src/core/readiness.ts", "account ${each.place} of", "account ${each.accountId} of"),
    seenBy: TOLD_APART,
  },
  {
    row: "S47",
    name: "health asks for a key",
    changes: inFile(
      "src/http/health.ts",
      "  () => ({ status: 200, body: HEALTHY }),",
      '  (deps) => {\n    if (deps.state.phase !== "ready") throw new ApiError("missing_api_key", "no key");\n    return { status: 200, body: HEALTHY };\n  },',
    ),
    seenBy: NO_NAMES,
  },
  {
    row: "S48",
    name: "a parser of fills reaches into what is no object",
    changes: inFile(
      "src/wire/answer/fills.ts",
      "  return orNull(() => rowsOf(json, (row) => fill(sourceOf(row))));",
      "  return rowsOf(json, (row) => fill(sourceOf(row)));",
    ),
    seenBy: TOTAL,
  },
  {
    row: "S48",
    name: "an unreadable body is an exception",
    changes: inFile(
      "src/http/strict-json.ts",
      "    return undefined;\n  }\n}\n\n/** NaN",
      '    throw new Error("unreadable");\n  }\n}\n\n/** NaN',
    ),
    seenBy: NEVER_THROWS,
  },
  {
    row: "S48",
    name: "trailing commas are taken",
    changes: inFile(
      "src/http/strict-json.ts",
      "return hasNumbers ? JSON.parse(text, exactNumbers) : JSON.parse(text);",
      'return JSON.parse(text.replace(/,}$/, "}"), exactNumbers);',
    ),
    seenBy: NEVER_THROWS,
  },
  {
    row: "S48",
    name: "long lists get a wrong header",
    changes: inFile(
      "src/wire/msgpack.ts",
      "writeLength(sink, value.length, 0x90, 0xdc);",
      "writeLength(sink, value.length, 0x90, 0xdd);",
    ),
    seenBy: HEADERS,
  },
  {
    row: "S48",
    name: "an order's members are hashed in another order",
    changes: inFile(
      "src/wire/action/order.ts",
      "    p: WireDecimal,\n    s: WireDecimal,\n    r:",
      "    s: WireDecimal,\n    p: WireDecimal,\n    r:",
    ),
    seenBy: SAME_HASH,
  },
  {
    row: "S50",
    name: "a planted fault has no place any more",
    changes: inFile(
      "src/settle/send/send.ts",
      "  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n}\n\n/** Posts a `noop`",
      "  const posted = post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n  return posted;\n}\n\n/** Posts a `noop`",
    ),
    seenBy: PLANTED,
  },
  {
    row: "S50",
    name: "a break has no place any more",
    changes: inFile("src/cli/key/new.ts", "bytesToHex(randomBytes(KEY_BYTES))", "bytesToHex(randomBytes( KEY_BYTES ))"),
    seenBy: BREAKABLE,
  },
];
