/**
 * The least that keeps "one key, one order": the key and the order are on the disk before it is signed and sent, the
 * outcome is committed before it is answered. One table, two statements an order, and nothing of what makes it a
 * gateway: no account, no check of the order, no record of what was signed, no news, no search for a lost answer. What
 * stands between it and a client of its own is what this machine, the runtime and the disk leave to be won.
 *
 *   bun scripts/bench/floor.ts DIRECTORY EXCHANGE_URL       its first line is its URL
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openLines } from "../../src/exchange/lines.ts";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import { orderAction, wireOrder } from "../../src/wire/action/order.ts";

const [directory = "", exchangeUrl = ""] = process.argv.slice(2);
const MAX_ANSWER_BYTES = 65_536;
const ACTION_LIFE_MS = 12_000;

type Asked = { side: "buy" | "sell"; price: string; size: string };
type Intent = { key: string; text: string; asked: Asked; number: number; answer(response: Response): void };
type Outcome = { number: number; text: string; answer(response: Response): void };

const database = openDatabase();
const insert = database.prepare<{ number: number }, [string, string]>(
  "INSERT INTO orders (key, request) VALUES (?, ?) RETURNING number",
);
const update = database.prepare<unknown, [string, number]>("UPDATE orders SET answer = ? WHERE number = ?");

function openDatabase(): Database {
  const opened = new Database(join(directory, "floor.db"));
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 4000"]) {
    opened.run(`PRAGMA ${pragma}`);
  }
  opened.run("CREATE TABLE orders (number INTEGER PRIMARY KEY, key TEXT UNIQUE, request TEXT, answer TEXT)");
  return opened;
}

function commit(work: () => void): void {
  database.run("BEGIN IMMEDIATE");
  work();
  database.run("COMMIT");
}

const privateKey = new Uint8Array(32).fill(0x41);
const agentAddress = addressOfKey(privateKey);
const signers = openSigners({ network: "mainnet", keys: [{ address: agentAddress, privateKey }] });
const { hostname, port } = new URL(exchangeUrl);
const lines = openLines({ hostname, port: Number(port), isSecure: false }, setImmediate);
const { signal } = new AbortController();

function mayLeave(): boolean {
  return true;
}

const firstNonce = Date.now();

const intents: Intent[] = [];
const outcomes: Outcome[] = [];

/** All that came in one turn share one wait for the disk. */
function storeIntents(): void {
  const batch = intents.splice(0);
  commit(() => {
    for (const each of batch) each.number = insert.get(each.key, each.text)?.number ?? 0;
  });
  for (const each of batch) void send(each);
}

function signed({ asked, number }: Intent): string {
  const cloid = `0x${number.toString(16).padStart(32, "0")}`;
  const wire = wireOrder({ ...asked, assetId: 0, reduceOnly: false, timeInForce: "ioc", trigger: null, cloid });
  const nonce = firstNonce + number;
  const expiresAfter = Date.now() + ACTION_LIFE_MS;
  return signers.sign({ agentAddress, action: orderAction(wire, null), nonce, vaultAddress: null, expiresAfter });
}

async function send(intent: Intent): Promise<void> {
  const { number, answer } = intent;
  const body = signed(intent);
  const headers = `Host: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const request = Buffer.from(`POST /exchange HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  const delivery = await lines(request, { isFresh: false, maxAnswerBytes: MAX_ANSWER_BYTES, mayLeave, signal });
  if (delivery.kind !== "whole") throw new Error(delivery.reason);
  const exchanges: unknown = JSON.parse(new TextDecoder().decode(delivery.body));
  const id = `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
  outcomes.push({ number, text: JSON.stringify({ id, status: "filled", exchanges }), answer });
  if (outcomes.length === 1) queueMicrotask(storeOutcomes);
}

function storeOutcomes(): void {
  const batch = outcomes.splice(0);
  database.run("PRAGMA synchronous = NORMAL");
  commit(() => {
    for (const { text, number } of batch) update.run(text, number);
  });
  database.run("PRAGMA synchronous = FULL");
  const headers = { "Content-Type": "application/json" };
  for (const { text, answer } of batch) answer(new Response(text, { status: 201, headers }));
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const key = request.headers.get("idempotency-key") ?? "";
    const text = await request.text();
    // Only the bench asks.
    const asked = JSON.parse(text) as Asked;
    return new Promise<Response>((answer) => {
      intents.push({ key, text, asked, number: 0, answer });
      if (intents.length === 1) setImmediate(storeIntents);
    });
  },
});

process.stdout.write(`${JSON.stringify({ url: `http://${server.hostname}:${server.port}` })}\n`);
