/** S01, S03 and S06: API keys, where they are looked for, and how they end. */
import { type Break, inFile } from "./break.ts";

const NEW_KEY = {
  test: "test/cli/words.test.ts",
  title: "a new key is 64 hex digits behind its prefix, and never the same",
};
const PAGE_KEY = { test: "test/console/make-key.test.ts", title: "a key that the page makes is 32 random bytes" };
const ONLY_HASH = {
  test: "test/http/registration.test.ts",
  title: "answers the key and lets it in; only the hash is stored",
};
const ONE_HEADER = {
  test: "test/http/access.test.ts",
  title: "takes the scheme in either case and more than one space",
};
const NOWHERE_ELSE = { test: "test/http/access.test.ts", title: "does not look for a key anywhere but in the header" };
const BAD_HEADERS = {
  test: "test/http/access.test.ts",
  title: "refuses a request without one, and one with a bad one",
};
const OWN_CODES = {
  test: "test/http/access.test.ts",
  title: "a missing, a wrong and a revoked key have codes of their own",
};
const TAKEN_AWAY = { test: "test/http/access.test.ts", title: "a key that was taken away" };
const AT_ONCE = {
  test: "test/http/registration.test.ts",
  title: "stops it at once, says so again, and writes one audit row",
};
const IN_THE_INTENT = {
  test: "test/actions/place-order.test.ts",
  title: "a key that is revoked between the door and the intent",
};
const REMEMBERED = { test: "test/store/remembered.test.ts", title: "two connections that write, roll back and read" };

export const API_KEY_BREAKS: readonly Break[] = [
  {
    row: "S01",
    name: "a new key has 128 random bits, twice",
    changes: inFile(
      "src/cli/key/new.ts",
      "bytesToHex(randomBytes(KEY_BYTES))",
      "bytesToHex(randomBytes(KEY_BYTES / 2)).repeat(2)",
    ),
    seenBy: NEW_KEY,
  },
  {
    row: "S01",
    name: "a new key is made of the clock",
    changes: inFile(
      "src/cli/key/new.ts",
      "bytesToHex(randomBytes(KEY_BYTES))",
      'Bun.nanoseconds().toString(16).padStart(2 * KEY_BYTES, "0")',
    ),
    seenBy: NEW_KEY,
  },
  {
    row: "S01",
    name: "the page's key has 31 random bytes",
    changes: inFile(
      "src/console/wallet/make-key.ts",
      "api_trade_${bytesToHex(randomBytes(KEY_BYTES))}",
      'api_trade_${bytesToHex(randomBytes(KEY_BYTES - 1)).padEnd(2 * KEY_BYTES, "0")}',
    ),
    seenBy: PAGE_KEY,
  },
  {
    row: "S01",
    name: "the page registers the hash of another text than it shows",
    changes: inFile(
      "src/console/wallet/make-key.ts",
      "sha256(utf8ToBytes(apiKey))",
      "sha256(utf8ToBytes(apiKey.slice(10)))",
    ),
    seenBy: PAGE_KEY,
  },
  {
    row: "S01",
    name: "a key is kept where it was used",
    changes: inFile(
      "src/actions/authenticate.ts",
      "  noteUse(deps, key);\n  return",
      "  deps.store.$client.run(`UPDATE accounts SET label = '${apiKey}'`);\n  noteUse(deps, key);\n  return",
    ),
    seenBy: ONLY_HASH,
  },
  {
    row: "S01",
    name: "a key's hash leaves its prefix out",
    changes: inFile(
      "src/wire/grant.ts",
      "return sha256Hex(apiKey);",
      'return sha256Hex(apiKey.replace("api_trade_", ""));',
    ),
    seenBy: ONLY_HASH,
  },
  {
    row: "S03",
    name: "a key is taken from a Cookie of any name",
    changes: inFile(
      "src/http/visit.ts",
      'visit.request.headers.get("authorization"), visit',
      'visit.request.headers.get("authorization") ?? visit.request.headers.get("cookie")?.replace(/^.*?(api_trade_[0-9a-f]+).*$/, "Bearer $1") ?? null, visit',
    ),
    seenBy: NOWHERE_ELSE,
  },
  {
    row: "S03",
    name: "a key is taken from the Cookie named authorization, as a header would have it",
    changes: inFile(
      "src/http/visit.ts",
      'visit.request.headers.get("authorization"), visit',
      'visit.request.headers.get("authorization") ?? /(?:^|; )authorization=([^;]*)/.exec(decodeURIComponent(visit.request.headers.get("cookie") ?? ""))?.[1] ?? null, visit',
    ),
    seenBy: NOWHERE_ELSE,
  },
  {
    row: "S03",
    name: "a key is taken from the query",
    changes: inFile(
      "src/http/visit.ts",
      'visit.request.headers.get("authorization"), visit',
      'visit.request.headers.get("authorization") ?? visit.url?.searchParams.get("access_token")?.replace(/^/, "Bearer ") ?? null, visit',
    ),
    seenBy: NOWHERE_ELSE,
  },
  {
    row: "S03",
    name: "a key is taken from X-Auth-Token",
    changes: inFile(
      "src/http/visit.ts",
      'visit.request.headers.get("authorization"), visit',
      'visit.request.headers.get("authorization") ?? visit.request.headers.get("x-auth-token")?.replace(/^/, "Bearer ") ?? null, visit',
    ),
    seenBy: NOWHERE_ELSE,
  },
  {
    row: "S03",
    name: "a key is taken from Proxy-Authorization",
    changes: inFile(
      "src/http/visit.ts",
      'visit.request.headers.get("authorization"), visit',
      'visit.request.headers.get("authorization") ?? visit.request.headers.get("proxy-authorization"), visit',
    ),
    seenBy: NOWHERE_ELSE,
  },
  {
    row: "S03",
    name: "a key is taken from the protocols of a websocket",
    changes: inFile(
      "src/http/visit.ts",
      'visit.request.headers.get("authorization"), visit',
      'visit.request.headers.get("authorization") ?? visit.request.headers.get("sec-websocket-protocol")?.replace(/^bearer, */, "Bearer ") ?? null, visit',
    ),
    seenBy: NOWHERE_ELSE,
  },
  {
    row: "S03",
    name: "the first of two Authorization headers opens",
    changes: inFile(
      "src/actions/authenticate.ts",
      "const BEARER = /^bearer +(api_trade_[0-9a-fA-F]{64})$/i;",
      "const BEARER = /^bearer +(api_trade_[0-9a-fA-F]{64})(?:, .*)?$/i;",
    ),
    seenBy: BAD_HEADERS,
  },
  {
    row: "S03",
    name: "a key opens without its scheme",
    changes: inFile("src/actions/authenticate.ts", "const BEARER = /^bearer +(", "const BEARER = /^(?:bearer +)?("),
    seenBy: BAD_HEADERS,
  },
  {
    row: "S03",
    name: "the scheme is taken in one case only",
    changes: inFile("src/actions/authenticate.ts", "{64})$/i;", "{64})$/;"),
    seenBy: ONE_HEADER,
  },
  {
    row: "S03",
    name: "a wrong key is answered as a missing one",
    changes: inFile(
      "src/actions/authenticate.ts",
      'new ApiError("invalid_api_key", "This API key is not registered here.")',
      'new ApiError("missing_api_key", "This API key is not registered here.")',
    ),
    seenBy: OWN_CODES,
  },
  {
    row: "S03",
    name: "a revoked key is answered as a wrong one",
    changes: inFile(
      "src/actions/authenticate.ts",
      'new ApiError("revoked_api_key", REFUSED[key.state])',
      'new ApiError("invalid_api_key", REFUSED[key.state])',
    ),
    seenBy: OWN_CODES,
  },
  {
    row: "S03",
    name: "who has no key of an account is told that one was revoked",
    changes: inFile(
      "src/actions/authenticate.ts",
      "  if (key === null || !isSameHash(key.keyHash, hash)) {",
      '  const revoked = deps.store.$client.query<{ n: number }, []>("SELECT count(*) AS n FROM revocations").get();\n  if (key === null && (revoked?.n ?? 0) > 0) throw new ApiError("revoked_api_key", REFUSED.revoked);\n  if (key === null || !isSameHash(key.keyHash, hash)) {',
    ),
    seenBy: OWN_CODES,
  },
  {
    row: "S06",
    name: "a revocation counts at registration only",
    changes: inFile(
      "src/store/api-keys.ts",
      'return isRevoked(store, accountId, keyHash) ? "revoked" : state;',
      "return state;",
    ),
    seenBy: AT_ONCE,
  },
  {
    row: "S06",
    name: "a key is remembered beyond its revocation",
    changes: inFile("src/store/revocations.ts", '"{}");\n  forget(store);', '"{}");'),
    seenBy: REMEMBERED,
  },
  {
    row: "S06",
    name: "a blocked key opens as ever",
    changes: inFile(
      "src/store/api-keys.ts",
      'return isRevoked(store, accountId, keyHash) ? "revoked" : state;',
      'return isRevoked(store, accountId, keyHash) ? "revoked" : state === "blocked" ? "active" : state;',
    ),
    seenBy: TAKEN_AWAY,
  },
  {
    row: "S06",
    name: "a revoked key is let in by the door, for the intent to refuse",
    changes: inFile(
      "src/actions/authenticate.ts",
      'if (key.state !== "active") throw',
      'if (key.state === "blocked" || key.state === "held") throw',
    ),
    seenBy: TAKEN_AWAY,
  },
  {
    row: "S06",
    name: "the intent's transaction does not look at the key again",
    changes: inFile(
      "src/write/commit.ts",
      'if (key?.state !== "active") {',
      'if (key === null || key.state === "held") {',
    ),
    seenBy: IN_THE_INTENT,
  },
];
