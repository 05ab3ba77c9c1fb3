import type { ErrorCode } from "../../src/core/errors.ts";
import type { TestRequest } from "../support/request.ts";
import { ACCOUNTS, KEYS, START_MS } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const TRIGGER = { price: "60000", kind: "stop_loss", market: true };
const CONSENT = {
  account: ACCOUNTS.main,
  network: "exchange_mainnet",
  key_hash: "0".repeat(64),
  policy: { scopes: ["trading:read"] },
  issued_at: START_MS,
};
const SIGNATURE = `0x${"1b".repeat(64)}1c`;
const KEY = "bad-input-0001";

/** A request with one thing wrong, and what the client reads. */
export type Row = { what: string; request: TestRequest; code: ErrorCode; says?: string };

/** A place order with something wrong in its body. */
function place(what: string, body: unknown, code: ErrorCode = "invalid_parameter", says?: string): Row {
  const request = { path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: KEY, body };
  return { what, request, code, ...(says === undefined ? {} : { says }) };
}

function text(what: string, body: string | Uint8Array, code: ErrorCode = "invalid_json"): Row {
  return place(what, body, code);
}

function key(what: string, idempotencyKey: string, code: ErrorCode): Row {
  const headers = { "Idempotency-Key": idempotencyKey };
  return { what, request: { path: "/v1/orders", apiKey: KEYS.both, headers, body: ORDER }, code };
}

function register(what: string, body: unknown, code: ErrorCode = "invalid_parameter"): Row {
  return { what, request: { path: "/v1/api-keys", body }, code };
}

function read(what: string, path: string, code: ErrorCode): Row {
  return { what, request: { path, apiKey: KEYS.both }, code };
}

function uuidRow(account: string): Row {
  return place(`account ${account}`, { ...ORDER, account }, "invalid_parameter", "account");
}

const BAD_DECIMALS = [
  "01",
  "1.",
  ".5",
  "-1",
  "+1",
  "1e3",
  "NaN",
  "Infinity",
  "",
  " 1",
  "1 ",
  "1,5",
  "0x10",
  "١",
  "00",
  "1.0.0",
  "1".repeat(19),
  `0.${"1".repeat(19)}`,
  `${"1".repeat(18)}.${"1".repeat(22)}`,
];

const NOT_STRINGS = [1, 0.5, true, null, [], {}, ["1"]];

const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
const large = JSON.stringify({ ...ORDER, market: "B".repeat(65 * 1024) });
const invalidUtf8 = Uint8Array.of(...Buffer.from('{"account":"'), 0xc3, 0x28, ...Buffer.from('"}'));

export const ORDER_AND_KEY_ROWS: readonly Row[] = [
  {
    what: "no Idempotency-Key",
    request: { path: "/v1/orders", apiKey: KEYS.both, body: ORDER },
    code: "idempotency_key_required",
  },
  key("an empty Idempotency-Key", "", "idempotency_key_required"),
  key("an Idempotency-Key of 7 characters", "1234567", "invalid_idempotency_key"),
  key("an Idempotency-Key of 129 characters", "k".repeat(129), "invalid_idempotency_key"),
  key("an Idempotency-Key that is not ASCII", "café-12345", "invalid_idempotency_key"),
  key("an Idempotency-Key with a space", "two words here", "invalid_idempotency_key"),
  key("two Idempotency-Keys", "12345678, 87654321", "invalid_idempotency_key"),
  {
    what: "no Idempotency-Key on cancel",
    request: { method: "POST", path: "/v1/orders/1000/cancel", apiKey: KEYS.both },
    code: "idempotency_key_required",
  },

  text("no body", "", "invalid_json"),
  text("a body that is no JSON", "side=buy"),
  text("a body that ends early", JSON.stringify(ORDER).slice(0, -1)),
  text("two JSON values", `${JSON.stringify(ORDER)}{}`),
  text("a trailing comma", '{"account":"x",}'),
  text("a comment", '{/* hi */"account":"x"}'),
  text("single quotes", "{'account':'x'}"),
  text("NaN as a number", '{"size":NaN}'),
  text("a byte order mark", `\uFEFF${JSON.stringify(ORDER)}`),
  text("invalid UTF-8", invalidUtf8),
  text("UTF-16", new Uint8Array(Buffer.from(JSON.stringify(ORDER), "utf16le"))),
  text("a body of 65 KiB", large, "body_too_large"),
  text("nesting of 10,000 levels", deep),
  text("nesting of 10,000 open brackets", "[".repeat(10_000)),
  text("nesting of 9 levels", `{"a":${"[".repeat(8)}${"]".repeat(8)}}`),
  text("513 values", `[${"1,".repeat(512)}1]`),
  text("a member twice", `{"side":"sell",${JSON.stringify(ORDER).slice(1)}`),
  text("a member twice, once escaped", `{"s\\u0069de":"sell",${JSON.stringify(ORDER).slice(1)}`),
  text("a member twice in the trigger", `{"trigger":{"market":true,"market":false}}`),
  text("__proto__", `{"__proto__":{"reduce_only":true},${JSON.stringify(ORDER).slice(1)}`),
  text("constructor in the trigger", `{"trigger":{"constructor":1}}`),
  text("half a surrogate pair", '{"market":"\\ud800"}'),
  text("half a surrogate pair in a name", '{"\\udc00":1}'),

  place("an array as the body", [ORDER]),
  place("null as the body", null),
  place("a string as the body", '"order"'),
  place("a number as the body", "5"),
  place("an extra property", { ...ORDER, builder: "0x1" }, "unknown_parameter", "builder"),
  place("an extra property that is null", { ...ORDER, note: null }, "unknown_parameter", "note"),
  place(
    "an extra property of the trigger",
    { ...ORDER, trigger: { ...TRIGGER, x: 1 } },
    "unknown_parameter",
    "trigger.x",
  ),
  place("a property in another case", { ...ORDER, Side: "buy" }, "unknown_parameter", "Side"),
  ...["account", "market", "side", "size", "price"].map((field) =>
    place(`no ${field}`, { ...ORDER, [field]: undefined }, "missing_parameter", field),
  ),
  ...["price", "kind", "market"].map((field) =>
    place(
      `no trigger.${field}`,
      { ...ORDER, trigger: { ...TRIGGER, [field]: undefined } },
      "missing_parameter",
      `trigger.${field}`,
    ),
  ),
  ...BAD_DECIMALS.flatMap((bad) => [
    place(`size ${bad}`, { ...ORDER, size: bad }, "invalid_parameter", "size"),
    place(`price ${bad}`, { ...ORDER, price: bad }, "invalid_parameter", "price"),
    place(
      `trigger.price ${bad}`,
      { ...ORDER, trigger: { ...TRIGGER, price: bad } },
      "invalid_parameter",
      "trigger.price",
    ),
  ]),
  ...NOT_STRINGS.flatMap((bad) =>
    ["account", "market", "side", "size", "price", "time_in_force"].map((field) =>
      place(`${field} ${JSON.stringify(bad)}`, { ...ORDER, [field]: bad }, "invalid_parameter", field),
    ),
  ),
  ...["0", "0.0", "0.000000000000000000"].flatMap((zero) => [
    place(`size ${zero}`, { ...ORDER, size: zero }, "invalid_parameter", "size"),
    place(`price ${zero}`, { ...ORDER, price: zero }, "invalid_parameter", "price"),
    place(
      `trigger.price ${zero}`,
      { ...ORDER, trigger: { ...TRIGGER, price: zero } },
      "invalid_parameter",
      "trigger.price",
    ),
  ]),
  place("side long", { ...ORDER, side: "long" }, "invalid_parameter", "side"),
  place("side BUY", { ...ORDER, side: "BUY" }, "invalid_parameter", "side"),
  place("time_in_force fok", { ...ORDER, time_in_force: "fok" }, "invalid_parameter", "time_in_force"),
  place("reduce_only as a string", { ...ORDER, reduce_only: "true" }, "invalid_parameter", "reduce_only"),
  place("reduce_only as a number", { ...ORDER, reduce_only: 1 }, "invalid_parameter", "reduce_only"),
  place("trigger null", { ...ORDER, trigger: null }, "invalid_parameter", "trigger"),
  place("trigger kind sl", { ...ORDER, trigger: { ...TRIGGER, kind: "sl" } }, "invalid_parameter", "trigger.kind"),
  place(
    "trigger market as a string",
    { ...ORDER, trigger: { ...TRIGGER, market: "yes" } },
    "invalid_parameter",
    "trigger.market",
  ),
  place(
    "alo with a trigger",
    { ...ORDER, time_in_force: "alo", trigger: TRIGGER },
    "invalid_parameter",
    "time_in_force",
  ),
  place(
    "ioc with a limit trigger",
    { ...ORDER, time_in_force: "ioc", trigger: { ...TRIGGER, market: false } },
    "invalid_parameter",
    "time_in_force",
  ),
  place("an empty market", { ...ORDER, market: "" }, "invalid_parameter", "market"),
  place("a market of 101 characters", { ...ORDER, market: "B".repeat(101) }, "invalid_parameter", "market"),
  place("a market with a space", { ...ORDER, market: "BTC USD" }, "invalid_parameter", "market"),
  place("a market that starts with a dash", { ...ORDER, market: "-BTC" }, "invalid_parameter", "market"),
  place("a market with a line feed at its end", { ...ORDER, market: "BTC\n" }, "invalid_parameter", "market"),
  place("an unknown market", { ...ORDER, market: "NOPE" }, "unknown_market"),
  place("a market in another case", { ...ORDER, market: "btc" }, "unknown_market"),
  place("a market of an unsupported dex", { ...ORDER, market: "abc:TSLA" }, "unknown_market"),
  ...["5c0d8a52-6f0e-0f3b-9c55-0e7d1b2a4c90", "5c0d8a52-6f0e-9f3b-9c55-0e7d1b2a4c90"].map(uuidRow),
  ...["5c0d8a52-6f0e-4f3b-7c55-0e7d1b2a4c90", "5c0d8a52-6f0e-4f3b-cc55-0e7d1b2a4c90"].map(uuidRow),
  ...["5c0d8a526f0e4f3b9c550e7d1b2a4c90", `{${ACCOUNTS.main}}`, `${ACCOUNTS.main} `, `urn:uuid:${ACCOUNTS.main}`].map(
    uuidRow,
  ),
  place("the nil account", { ...ORDER, account: "00000000-0000-0000-0000-000000000000" }, "account_mismatch"),
  place("the all-f account", { ...ORDER, account: "FFFFFFFF-ffff-ffff-ffff-ffffffffffff" }, "account_mismatch"),
  place("a foreign account", { ...ORDER, account: ACCOUNTS.other }, "account_mismatch"),
  place("a subaccount of the same owner", { ...ORDER, account: ACCOUNTS.subaccount }, "account_mismatch"),
  {
    what: "another content type",
    request: {
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: KEY,
      body: ORDER,
      headers: { "Content-Type": "text/plain" },
    },
    code: "invalid_content_type",
  },
  {
    what: "another character set",
    request: {
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: KEY,
      body: ORDER,
      headers: { "Content-Type": "application/json; charset=utf-16" },
    },
    code: "invalid_content_type",
  },
  {
    what: "a compressed body",
    request: {
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: KEY,
      body: ORDER,
      headers: { "Content-Encoding": "gzip" },
    },
    code: "invalid_content_type",
  },
  {
    what: "a query parameter on a write",
    request: { path: "/v1/orders?dry_run=1", apiKey: KEYS.both, idempotencyKey: KEY, body: ORDER },
    code: "unknown_parameter",
  },
  {
    what: "a body with members on cancel",
    request: { path: "/v1/orders/1000/cancel", apiKey: KEYS.both, idempotencyKey: KEY, body: { all: true } },
    code: "unknown_parameter",
  },
  ...["abc", "0x12", "123456789012345678901", "5c0d8a52-6f0e-9f3b-9c55-0e7d1b2a4c90", "-1", "1.5"].flatMap(
    (id): Row[] => [
      read(`order ${id}`, `/v1/orders/${id}`, "invalid_id"),
      {
        what: `cancel of order ${id}`,
        request: { method: "POST", path: `/v1/orders/${id}/cancel`, apiKey: KEYS.both, idempotencyKey: KEY },
        code: "invalid_id",
      },
    ],
  ),
  read("limit 0", "/v1/orders?limit=0", "invalid_limit"),
  read("limit 501", "/v1/orders?limit=501", "invalid_limit"),
  ...["-1", "1.5", "1e2", "050", "+5", "five", ""].map((limit) =>
    read(`limit ${limit}`, `/v1/orders?limit=${limit}`, "invalid_limit"),
  ),
  read("two limits", "/v1/orders?limit=5&limit=5", "invalid_parameter"),
  read("an unknown query parameter", "/v1/orders?page=2", "unknown_parameter"),
  read("a query parameter where there is none", "/v1/whoami?x=1", "unknown_parameter"),
  read("an unknown status", "/v1/orders?status=closed", "invalid_status"),
  read("a status in capitals", "/v1/orders?status=OPEN", "invalid_status"),
  read("an unknown dex", "/v1/orders?dex=abc", "unknown_dex"),
  read("a foreign cursor", `/v1/orders?cursor=${ACCOUNTS.other}`, "invalid_cursor"),
  read("a cursor that is none", "/v1/orders?cursor=abc", "invalid_cursor"),
  read("a uuid as the cursor of open orders", `/v1/orders?status=open&cursor=${ACCOUNTS.main}`, "invalid_cursor"),

  register("consent missing", { signature: SIGNATURE }, "missing_parameter"),
  register("signature missing", { consent: CONSENT }, "missing_parameter"),
  register("signature too short", { consent: CONSENT, signature: SIGNATURE.slice(0, -4) }),
  register("signature too long", { consent: CONSENT, signature: `${SIGNATURE}00` }),
  register("key_hash in capitals", { consent: { ...CONSENT, key_hash: "A".repeat(64) }, signature: SIGNATURE }),
  register("key_hash with 0x", { consent: { ...CONSENT, key_hash: `0x${"0".repeat(64)}` }, signature: SIGNATURE }),
  register("expires_at a number", { consent: { ...CONSENT, expires_at: 1 }, signature: SIGNATURE }),
  register("expires_at a text", { consent: { ...CONSENT, expires_at: "never" }, signature: SIGNATURE }),
  register(
    "a policy with a second property",
    { consent: { ...CONSENT, policy: { scopes: ["trading:read"], markets: [] } }, signature: SIGNATURE },
    "unknown_parameter",
  ),
  register(
    "a second property of the body",
    { consent: CONSENT, signature: SIGNATURE, api_key: KEYS.both },
    "unknown_parameter",
  ),
  register("a repeated scope", {
    consent: { ...CONSENT, policy: { scopes: ["trading:read", "trading:read"] } },
    signature: SIGNATURE,
  }),
  register("no scope", { consent: { ...CONSENT, policy: { scopes: [] } }, signature: SIGNATURE }),
  register("an unknown scope", { consent: { ...CONSENT, policy: { scopes: ["withdraw"] } }, signature: SIGNATURE }),
  register("three scopes", {
    consent: { ...CONSENT, policy: { scopes: ["trading:read", "trading:write", "trading:read"] } },
    signature: SIGNATURE,
  }),
  register("the network mainnet", { consent: { ...CONSENT, network: "mainnet" }, signature: SIGNATURE }),
  register(
    "testnet",
    { consent: { ...CONSENT, network: "exchange_testnet" }, signature: SIGNATURE },
    "mainnet_required",
  ),
  ...[
    "0",
    "-1",
    "1.5",
    "8640000000000001",
    "8640000000000000.4",
    "1e400",
    '"1795253400000"',
    "null",
    "9007199254740993",
  ].map((source) =>
    register(
      `issued_at ${source}`,
      JSON.stringify({ consent: CONSENT, signature: SIGNATURE }).replace(String(START_MS), source),
    ),
  ),
  // At the maximum it passes the shape; the signature is what is wrong.
  register(
    "issued_at at its maximum",
    JSON.stringify({ consent: CONSENT, signature: SIGNATURE }).replace(String(START_MS), "8640000000000000"),
    "invalid_signature",
  ),
  register(
    "issued_at as 1.7952534e12",
    JSON.stringify({ consent: CONSENT, signature: SIGNATURE }).replace(String(START_MS), "1.7952534e12"),
    "invalid_signature",
  ),
  {
    what: "revocation without account",
    request: { path: "/v1/api-keys/revoke", body: { key_hash: "0".repeat(64), signature: SIGNATURE } },
    code: "missing_parameter",
  },

  { what: "no API key", request: { path: "/v1/orders", idempotencyKey: KEY, body: ORDER }, code: "missing_api_key" },
  {
    what: "an unknown API key",
    request: { path: "/v1/orders", apiKey: `api_trade_${"0".repeat(64)}`, idempotencyKey: KEY, body: ORDER },
    code: "invalid_api_key",
  },
  {
    what: "a read-only key on a write",
    request: { path: "/v1/orders", apiKey: KEYS.readOnly, idempotencyKey: KEY, body: ORDER },
    code: "insufficient_scope",
  },
  ...["PUT", "PATCH", "DELETE", "OPTIONS"].map(
    (method): Row => ({
      what: `${method} on a route`,
      request: { method, path: "/v1/orders", apiKey: KEYS.both },
      code: "route_not_found",
    }),
  ),
  {
    what: "GET on a route that takes POST",
    request: { path: "/v1/orders/1000/cancel", apiKey: KEYS.both },
    code: "route_not_found",
  },
  {
    what: "POST on a route that takes GET",
    request: { path: "/v1/account", apiKey: KEYS.both, body: {} },
    code: "route_not_found",
  },
];
