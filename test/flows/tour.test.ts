import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorkplace, type Workplace } from "../cli/outside.ts";
import { type Running, startProcess } from "../cli/process.ts";
import { type Wallet, walletOf } from "../cli/wallet.ts";

/**
 * The fifteen endpoints of the specification over the paper exchange, as processes and over HTTP: each with a request
 * that is taken, one that the exchange or the state of things refuses, and one that is malformed.
 */

type Facts = { base_url: string; account: string; api_key: string };
type Answer = { status: number; body: Record<string, unknown> & { error?: { code: string } } };

let workplace: Workplace;
let gateway: Running;
let facts: Facts;
let owner: Wallet;
let keys = 0;

beforeAll(async () => {
  workplace = makeWorkplace();
  const words = ["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory];
  gateway = await startProcess([...words, "--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"], 1, {
    // In ten seconds it does what a client does in minutes.
    POSTERN_EXCHANGE_WEIGHT: "0",
  });
  facts = JSON.parse(gateway.firstLine);
  const demo = JSON.parse(readFileSync(join(workplace.dataDirectory, "demo.json"), "utf8"));
  owner = walletOf(Buffer.from(demo.ownerPrivateKey.slice(2), "hex"));
});

afterAll(async () => {
  await gateway.end("SIGKILL");
  workplace.remove();
});

async function get(path: string): Promise<Answer> {
  const response = await fetch(facts.base_url + path, { headers: { Authorization: `Bearer ${facts.api_key}` } });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function post(path: string, body: object): Promise<Answer> {
  keys += 1;
  const headers = {
    Authorization: `Bearer ${facts.api_key}`,
    "Content-Type": "application/json",
    "Idempotency-Key": `tour-key-${keys}`,
  };
  // Writes of one kind are limited to two a second; the tour waits as a client does.
  for (;;) {
    const response = await fetch(facts.base_url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (response.status !== 429) return { status: response.status, body: JSON.parse(await response.text()) };
    await Bun.sleep(Number(response.headers.get("Retry-After")) * 1_000);
  }
}

function order(changes: object = {}): object {
  return { account: facts.account, market: "BTC", side: "buy", size: "0.001", price: "60000", ...changes };
}

async function placed(changes: object = {}): Promise<string> {
  return String((await post("/v1/orders", order(changes))).body["id"]);
}

const NOBODY = "00000000-0000-0000-0000-000000000000";
const HASH = "12".repeat(32);

async function operated(): Promise<string> {
  return String((await post("/v1/leverage", { market: "SOL", leverage: 4, margin_type: "cross" })).body["id"]);
}

/** What the gateway says that an owner signs, signed for this message. */
async function signed(primaryType: string, change: object, audience?: string): Promise<string> {
  const described = (await get("/v1/api-keys/typed-data")).body;
  const { domain, types } = described;
  const message = { audience: audience ?? described["audience"], account: facts.account, ...change };
  // As the server describes it; the wallet's library checks it against the message.
  return owner.sign({ domain, types, primaryType, message } as Parameters<Wallet["sign"]>[0]);
}

async function registration(audience?: string): Promise<object> {
  const issuedAt = Date.now();
  const terms = { network: "exchange_mainnet", keyHash: `0x${HASH}`, scopes: "trading:read", issuedAt, expiresAt: 0 };
  const signature = await signed("ApiKeyGrant", terms, audience);
  const consent = { account: facts.account, network: "exchange_mainnet", key_hash: HASH };
  return { consent: { ...consent, policy: { scopes: ["trading:read"] }, issued_at: issuedAt }, signature };
}

async function revocation(): Promise<object> {
  const keyHash = "34".repeat(32);
  const signature = await signed("ApiKeyRevocation", { keyHash: `0x${keyHash}` });
  return { account: facts.account, key_hash: keyHash, signature };
}

type Row = [endpoint: string, what: string, ask: () => Promise<Answer>, status: number, inside: string | null];

const TAKES = { price: "105000", time_in_force: "ioc" };
const ON_ETH = { market: "ETH", size: "0.1", price: "5000", time_in_force: "ioc" };

/** Endpoint, what is asked, the status of the answer, and the status or error code inside it. */
// biome-ignore format: a table is read by its columns
const TOUR: readonly Row[] = [
  ["POST /v1/api-keys", "granted by the owner", async () => post("/v1/api-keys", await registration()), 201, null],
  ["POST /v1/api-keys", "granted to another gateway", async () => post("/v1/api-keys", await registration("https://a.example")), 401, "invalid_signature"],
  ["POST /v1/api-keys", "without consent", () => post("/v1/api-keys", {}), 400, "missing_parameter"],
  ["POST /v1/api-keys/revoke", "before it was registered", async () => post("/v1/api-keys/revoke", await revocation()), 200, null],
  ["POST /v1/api-keys/revoke", "signed for another key", async () => post("/v1/api-keys/revoke", { ...(await revocation()), key_hash: HASH }), 401, "invalid_signature"],
  ["POST /v1/api-keys/revoke", "with a short hash", async () => post("/v1/api-keys/revoke", { ...(await revocation()), key_hash: "12" }), 400, "invalid_parameter"],

  ["POST /v1/orders", "that rests", () => post("/v1/orders", order()), 201, "open"],
  ["POST /v1/orders", "that fills", () => post("/v1/orders", order(TAKES)), 201, "filled"],
  ["POST /v1/orders", "post-only that would take", () => post("/v1/orders", order({ ...TAKES, time_in_force: "alo" })), 201, "rejected"],
  ["POST /v1/orders", "with a price of too many figures", () => post("/v1/orders", order({ price: "60000.123" })), 201, "rejected"],
  ["POST /v1/orders", "of no market", () => post("/v1/orders", order({ market: "NOTHING" })), 400, "unknown_market"],
  ["POST /v1/orders", "with a member too many", () => post("/v1/orders", order({ leverage: 3 })), 400, "unknown_parameter"],
  ["GET /v1/orders", "history", () => get("/v1/orders?limit=3"), 200, null],
  ["GET /v1/orders", "open ones of a dex", () => get("/v1/orders?status=open&dex=xyz"), 200, null],
  ["GET /v1/orders", "of a dex that is none", () => get("/v1/orders?dex=moon"), 400, "unknown_dex"],
  ["GET /v1/orders", "too many", () => get("/v1/orders?limit=501"), 400, "invalid_limit"],
  ["GET /v1/orders/{id}", "by id", async () => get(`/v1/orders/${await placed()}`), 200, "open"],
  ["GET /v1/orders/{id}", "that is nobody's", () => get(`/v1/orders/${NOBODY}`), 404, "order_not_found"],
  ["GET /v1/orders/{id}", "by a word", () => get("/v1/orders/latest"), 400, "invalid_id"],
  ["POST /v1/orders/{id}/modify", "to another price", async () => post(`/v1/orders/${await placed()}/modify`, { price: "61000" }), 200, "open"],
  ["POST /v1/orders/{id}/modify", "so that it would take", async () => post(`/v1/orders/${await placed()}/modify`, { price: "105000" }), 200, "canceled"],
  ["POST /v1/orders/{id}/modify", "to nothing else", async () => post(`/v1/orders/${await placed()}/modify`, {}), 400, "nothing_to_modify"],
  ["POST /v1/orders/{id}/cancel", "of an open order", async () => post(`/v1/orders/${await placed()}/cancel`, {}), 200, "canceled"],
  ["POST /v1/orders/{id}/cancel", "of a filled order", async () => post(`/v1/orders/${await placed(TAKES)}/cancel`, {}), 200, "filled"],
  ["POST /v1/orders/{id}/cancel", "with a reason", async () => post(`/v1/orders/${await placed()}/cancel`, { why: "because" }), 400, "unknown_parameter"],

  ["POST /v1/leverage", "within the market's", () => post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "isolated" }), 200, "succeeded"],
  ["POST /v1/leverage", "above the market's", () => post("/v1/leverage", { market: "ETH", leverage: 700, margin_type: "cross" }), 200, "rejected"],
  ["POST /v1/leverage", "of a spot market", () => post("/v1/leverage", { market: "PURR/USDC", leverage: 2, margin_type: "cross" }), 400, "perpetual_market_required"],
  ["POST /v1/margin", "added to a position", () => placed(ON_ETH).then(() => post("/v1/margin", { market: "ETH", amount: "12.5" })), 200, "succeeded"],
  ["POST /v1/margin", "more taken out than there is", () => post("/v1/margin", { market: "ETH", amount: "-90000" }), 200, "rejected"],
  ["POST /v1/margin", "of a seventh decimal", () => post("/v1/margin", { market: "ETH", amount: "1.0000001" }), 400, "invalid_parameter"],
  ["POST /v1/twaps", "over half an hour", () => post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 }), 200, "succeeded"],
  ["POST /v1/twaps", "too small to be sliced", () => post("/v1/twaps", { market: "BTC", side: "buy", size: "0.00001", duration_minutes: 30 }), 200, "rejected"],
  ["POST /v1/twaps", "over four minutes", () => post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 4 }), 400, "invalid_parameter"],
  ["POST /v1/twaps/cancel", "of the one that runs", () => post("/v1/twaps/cancel", { market: "BTC", twap_id: 1 }), 200, "succeeded"],
  ["POST /v1/twaps/cancel", "of one that never ran", () => post("/v1/twaps/cancel", { market: "BTC", twap_id: 999 }), 200, "rejected"],
  ["POST /v1/twaps/cancel", "of a negative one", () => post("/v1/twaps/cancel", { market: "BTC", twap_id: -1 }), 400, "invalid_parameter"],
  ["GET /v1/operations/{id}", "by id", async () => get(`/v1/operations/${await operated()}`), 200, "succeeded"],
  ["GET /v1/operations/{id}", "that is nobody's", () => get(`/v1/operations/${NOBODY}`), 404, "operation_not_found"],
  ["GET /v1/operations/{id}", "by a word", () => get("/v1/operations/latest"), 400, "invalid_id"],

  ["GET /v1/account", "balances", () => get("/v1/account"), 200, null],
  ["GET /v1/account", "with a parameter", () => get("/v1/account?dex=xyz"), 400, "unknown_parameter"],
  ["GET /v1/positions", "of the native dex", () => get("/v1/positions?dex="), 200, null],
  ["GET /v1/positions", "with a cursor of its own making", () => get("/v1/positions?cursor=moon"), 400, "invalid_cursor"],
  ["GET /v1/fills", "newest first", () => get("/v1/fills?limit=2"), 200, null],
  ["GET /v1/fills", "with no limit at all", () => get("/v1/fills?limit=0"), 400, "invalid_limit"],
];

test.each(TOUR.map(([endpoint, what, ...rest]) => [endpoint, what, rest] as const))(
  "%s: %s",
  async (_endpoint, _what, [ask, status, inside]) => {
    const { status: httpStatus, body } = await ask();
    const found = body.error?.code ?? body["status"] ?? null;
    expect({ status: httpStatus, inside: found, body }).toMatchObject({ status, inside });
  },
);

test("the tour has all fifteen endpoints, each with a request that is taken and one that is not", () => {
  const endpoints = new Map<string, number[]>();
  for (const [endpoint, , , status] of TOUR) endpoints.set(endpoint, [...(endpoints.get(endpoint) ?? []), status]);
  expect(endpoints.size).toBe(15);
  for (const statuses of endpoints.values()) {
    expect(statuses.some((status) => status < 300)).toBe(true);
    expect(statuses.some((status) => status >= 400)).toBe(true);
  }
});
