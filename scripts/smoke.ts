/**
 * Runs the built binary as a stranger would, from an empty directory that tries to take it over: `postern version`, a
 * paper demo, an order that fills, a stop, and the same again.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const BINARY = resolve(process.argv[2] ?? "dist/postern");
/** Milliseconds from start to the first line; more for a slow machine: `smoke.ts BINARY SECONDS`. */
const START_DEADLINE_MS = Number(process.argv[3] ?? "20") * 1_000;
/** Bytes of one header: over the runtime's own limit, under the binary's. */
const LONG_HEADER_BYTES = 20_000;

type Facts = { base_url: string; account: string; api_key: string };

function expect(what: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(`smoke: ${what}`);
  console.log(`ok  ${what}`);
}

/** What somebody who may write to the working directory could leave there. */
function plantHostileFiles(directory: string): void {
  writeFileSync(join(directory, "bunfig.toml"), `preload = ["./hostile.ts"]\n[run]\nsilent = true\n`);
  writeFileSync(join(directory, "hostile.ts"), `console.log("HOSTILE PRELOAD");\n`);
  writeFileSync(join(directory, ".env"), "POSTERN_LISTEN=0.0.0.0:1\nPOSTERN_NO_SUCH_SETTING=1\n");
  writeFileSync(join(directory, "package.json"), `{ "name": "hostile", "type": "commonjs" }\n`);
  writeFileSync(join(directory, "tsconfig.json"), `{ "compilerOptions": { "paths": { "*": ["./hostile.ts"] } } }\n`);
}

function spawn(directory: string, words: readonly string[]) {
  const env = { PATH: "/usr/bin:/bin", HOME: directory };
  return Bun.spawn([BINARY, ...words], { cwd: directory, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

async function version(directory: string): Promise<void> {
  const child = spawn(directory, ["version", "--json"]);
  const facts = JSON.parse(await child.stdout.text());
  expect("version says what was built", facts.version !== "development" && facts.commit !== "" && facts.sqlite !== "");
}

/** Starts the demo, lets `work` use it and stops it; returns what it was. */
async function withDemo(directory: string, work: (facts: Facts) => Promise<void>): Promise<Facts> {
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  const child = spawn(directory, ["serve", "--paper", "--json", "--data-dir", "data", ...ports]);
  const log = child.stderr.text();
  const late = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  try {
    const { value } = await child.stdout.getReader().read();
    const line = new TextDecoder().decode(value);
    if (!line.startsWith("{")) throw new Error(`smoke: no first line: ${line}${await log}`);
    // The documented first line of --json.
    const facts = JSON.parse(line) as Facts;
    clearTimeout(late);
    await work(facts);
    child.kill("SIGTERM");
    expect("it stops when it is asked to", (await child.exited) === 0);
    return facts;
  } finally {
    clearTimeout(late);
    child.kill("SIGKILL");
  }
}

async function ask({ base_url, api_key }: Facts, path: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${api_key}`, "Content-Type": "application/json", ...init.headers };
  const response = await fetch(base_url + path, { ...init, headers });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function trade(facts: Facts): Promise<void> {
  const account = await ask(facts, "/v1/account");
  expect("the account is funded", account.status === 200 && Number(account.body.equity) > 0);
  const order = { account: facts.account, market: "BTC", side: "buy", size: "0.001", price: "105000" };
  const placed = await ask(facts, "/v1/orders", {
    method: "POST",
    headers: { "Idempotency-Key": "smoke-order" },
    body: JSON.stringify({ ...order, time_in_force: "ioc" }),
  });
  expect("an order fills", placed.status === 201 && placed.body.status === "filled");
  const read = await ask(facts, `/v1/orders/${placed.body.id}`);
  expect("it is read back", read.status === 200 && read.body.filled_size === "0.001");
  const long = await ask(facts, "/v1/account", { headers: { "X-Long": "a".repeat(LONG_HEADER_BYTES) } });
  expect("long headers are refused by us, in our shape", long.status === 400 && "error" in long.body);
  const description = await ask(facts, "/openapi.json");
  expect("the interface is described", description.body.info?.version === "1.0.0");
  await page(facts);
}

async function page({ base_url }: Facts): Promise<void> {
  const html = await (await fetch(base_url)).text();
  const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]);
  const answers = await Promise.all(assets.map((path) => fetch(base_url + path)));
  expect("the page and its files are inside", assets.length > 0 && answers.every(({ status }) => status === 200));
}

const directory = mkdtempSync(join(tmpdir(), "postern-smoke-"));
try {
  plantHostileFiles(directory);
  await version(directory);
  const first = await withDemo(directory, trade);
  const second = await withDemo(directory, async (facts) => {
    const list = await ask(facts, "/v1/orders");
    expect("the history is still there after a restart", list.body.data.length === 1);
  });
  expect("so are account and key", first.account === second.account && first.api_key === second.api_key);
} finally {
  rmSync(directory, { recursive: true });
}
