/** What may not be used outside its room: clocks, randomness, SQL, keys, the network, the process. */
import { type Finding, roomOf } from "./imports.ts";
import type { Facts, Mention } from "./source.ts";

type Never = {
  rule: string;
  reason: string;
  isAllowed: (path: string) => boolean;
  find: (facts: Facts) => Mention[];
};

const PURE_ROOMS = ["src/core/", "src/wire/", "src/paper/engine/"];
const CLOCKS = ["Date.now", "performance.now", "process.hrtime", "Bun.nanoseconds"];
const TIMERS = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "Bun.sleep", "AbortSignal.timeout"];
const RANDOM = ["Math.random", "crypto.getRandomValues", "crypto.randomUUID", "Bun.randomUUIDv7"];
const RANDOM_IMPORTS = ["randomBytes", "randomUUID", "randomInt", "getRandomValues", "webcrypto"];
const IMPURE = [...CLOCKS, ...TIMERS, ...RANDOM, "Bun", "fetch", "WebSocket", "process", "performance", "crypto"];
const NETWORK = ["fetch", "WebSocket", "Bun.connect", "Bun.udpSocket", "XMLHttpRequest", "EventSource"];
const NETWORK_MODULES = /^(node:)?(http|https|http2|net|tls|dgram|dns)(\/promises)?$/;
const SIGNING_PACKAGES = /^(@noble\/curves|@noble\/secp256k1|secp256k1|viem|ethers)(\/|$)/;
/** What wire/ takes of the runtime, in this one file. */
const NATIVE_HASH = { path: "src/wire/sha256.ts", module: "node:crypto", names: ["createHmac", "hash"] } as const;
/** And of viem, in this one: two pure functions that no key is handed to. The others are of curves and of ours. */
const TYPED_DATA = {
  path: "src/wire/typed-data.ts",
  module: "viem/utils",
  names: [
    "hashStruct",
    "hashTypedData",
    "keccak_256",
    "concatBytes",
    "fromHex",
    "domainFields",
    "TypedData",
    "TypedDomain",
  ],
};
const PROCESS = ["process.exit", "process.argv", "process.env", "Bun.env", "Bun.argv", "import.meta.env"];
const DATABASE = /^(drizzle-orm(\/|$)|bun:sqlite$|node:sqlite$)/;
const SQL =
  /\bPRAGMA\b|^\s*(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX|UNIQUE)|BEGIN IMMEDIATE)\b/i;

/** Who composes, and who hands everything on to whoever says what it uses; paper/ has a world of its own. */
const WHOLE_WORLDS = [
  "src/deps.ts",
  "src/actions/workers.ts",
  "src/background.ts",
  "src/gateway.ts",
  "src/http/",
  "src/cli/",
  "src/ops/set-up/setting-up.ts",
  "src/paper/",
  "src/settle/settler.ts",
  "src/settle/pursuit.ts",
];

const NEVERS: readonly Never[] = [
  {
    rule: "pure-room",
    reason:
      "core/, wire/ and paper/engine/ read no clock, no randomness, no process and no network: the same input gives the same output",
    isAllowed: (path) => !isIn(path, PURE_ROOMS),
    find: (facts) => [...globalsNamed(facts, [...IMPURE, "globalThis"]), ...facts.clockReads, ...impureModules(facts)],
  },
  {
    rule: "pure-await",
    reason: "core/, wire/ and paper/engine/ wait for nothing",
    isAllowed: (path) => !isIn(path, PURE_ROOMS),
    find: (facts) => facts.waits,
  },
  {
    rule: "clock-and-randomness",
    reason: "time, timers and randomness are made in cli/ and handed down, so that a test can hold them still",
    isAllowed: (path) => isIn(path, ["src/cli/", "src/console/"]),
    find: (facts) => [
      ...globalsNamed(facts, [...CLOCKS, ...TIMERS, ...RANDOM]),
      ...facts.clockReads,
      ...importedNames(facts, RANDOM_IMPORTS),
      ...importsOf(facts, /^(node:)?timers(\/promises)?$/),
    ],
  },
  {
    rule: "raced-sleep",
    reason: "a sleep that loses a race goes on to its own end: settle/within, or a timer that is canceled",
    isAllowed: () => false,
    find: (facts) => facts.keptSleeps,
  },
  {
    rule: "sql-outside-store",
    reason: "the only SQL of the house is in store/",
    isAllowed: (path) => isIn(path, ["src/store/"]),
    find: (facts) => [...importsOf(facts, DATABASE), ...facts.literals.filter((literal) => SQL.test(literal.name))],
  },
  {
    rule: "signing-outside-vault",
    reason: "private keys are used in vault/ (and by cli/, for the demo's own); wire/recover.ts only recovers",
    isAllowed: (path) => isIn(path, ["src/vault/", "src/cli/", "src/wire/recover.ts", TYPED_DATA.path]),
    find: (facts) => importsOf(facts, SIGNING_PACKAGES),
  },
  {
    rule: "typed-data-only",
    reason: "wire/typed-data.ts takes the hashing of typed data from viem, and nothing that signs or asks anybody",
    isAllowed: (path) => path !== TYPED_DATA.path,
    find: (facts) => [
      ...importsOf(facts, SIGNING_PACKAGES).filter(({ name }) => name !== TYPED_DATA.module),
      ...facts.imported.filter(({ name }) => !TYPED_DATA.names.includes(name)),
    ],
  },
  {
    rule: "recover-only",
    reason: "wire/recover.ts recovers signers; it neither signs nor derives keys",
    isAllowed: (path) => path !== "src/wire/recover.ts",
    find: (facts) =>
      facts.methods.filter((method) => /^(sign|signAsync|getPublicKey|keygen|randomSecretKey)$/.test(method.name)),
  },
  {
    rule: "hash-only",
    reason: "wire/sha256.ts takes two pure functions of the runtime's cryptography, and nothing else of it",
    isAllowed: (path) => path !== NATIVE_HASH.path,
    find: (facts) => facts.imported.filter(({ name }) => !NATIVE_HASH.names.some((pure) => pure === name)),
  },
  {
    rule: "network-outside-exchange",
    reason: "the only outgoing network is exchange/'s (and what cli/ and console/ ask of the gateway itself)",
    isAllowed: (path) => isIn(path, ["src/exchange/", "src/cli/", "src/console/"]),
    find: (facts) => [...globalsNamed(facts, NETWORK), ...importsOf(facts, NETWORK_MODULES)],
  },
  {
    rule: "whole-world",
    reason: 'only what composes or passes on takes all of Deps or World; a verb says what it uses, as `With<"store">`',
    isAllowed: (path) => isIn(path, WHOLE_WORLDS),
    find: (facts) => importedNames(facts, ["Deps", "World"]),
  },
  {
    rule: "process-outside-main",
    reason: "main.ts is the only reader of argv and environment and the only caller of process.exit",
    isAllowed: (path) => path === "src/main.ts",
    find: (facts) => globalsNamed(facts, PROCESS),
  },
  {
    rule: "logger-outside-log",
    reason: "log.ts is the only file that knows pino, so that its allow-list of fields is the only way to the log",
    isAllowed: (path) => path === "src/log.ts",
    find: (facts) => [...importsOf(facts, /^pino(\/|$)/), ...globalsNamed(facts, ["console"])],
  },
  {
    rule: "http-framework-outside-http",
    reason: "HTTP is http/'s language; verbs do not speak it",
    isAllowed: (path) => isIn(path, ["src/http/"]),
    find: (facts) => importsOf(facts, /^(elysia|@elysiajs)(\/|$)/),
  },
];

export function checkNevers(facts: Facts): Finding[] {
  if (!facts.path.startsWith("src/")) return [];
  return NEVERS.filter((never) => !never.isAllowed(facts.path)).flatMap((never) =>
    never.find(facts).map(({ name, line }) => ({
      file: facts.path,
      line,
      rule: never.rule,
      reason: `"${name.trim().slice(0, 40)}": ${never.reason}`,
    })),
  );
}

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path.startsWith(place));
}

/** Mentions of a global by its name or of anything below it: `Bun` finds `Bun.file`. */
function globalsNamed(facts: Facts, names: readonly string[]): Mention[] {
  return facts.globals.filter(({ name }) => names.some((banned) => name === banned || name.startsWith(`${banned}.`)));
}

function importsOf(facts: Facts, pattern: RegExp): Mention[] {
  return facts.imports
    .filter((found) => pattern.test(found.specifier))
    .map((found) => ({ name: found.specifier, line: found.line }));
}

function importedNames(facts: Facts, names: readonly string[]): Mention[] {
  return facts.imported.filter((found) => names.includes(found.name));
}

/** Pure rooms use hashing, curves and schemas; the runtime's own modules all reach outside, but for a native hash. */
function impureModules(facts: Facts): Mention[] {
  if (roomOf(facts.path) === "core") return [];
  const found = importsOf(facts, /^(?!\.|@noble\/|@sinclair\/typebox)/);
  const taken = [NATIVE_HASH, TYPED_DATA].find(({ path }) => path === facts.path);
  return found.filter(({ name }) => name !== taken?.module);
}
