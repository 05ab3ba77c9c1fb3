import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { offerSetup } from "../../src/cli/setup-link.ts";
import { putSetupProgress } from "../../src/store/setup.ts";
import { approveElsewhere } from "../support/approve-elsewhere.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { PROGRAM_COMMAND } from "../support/program.ts";
import { makeWorkplace, outsideFor, type Workplace } from "./outside.ts";
import { type Running, runProcess, startProcess } from "./process.ts";
import { type Wallet, walletOf } from "./wallet.ts";

/** From an empty directory to a first order, as the owner's page does it: a gateway, an exchange and a wallet. */

let workplace: Workplace;
let running: Running[];
let wallet: Wallet;

/** What is the same for all: an exchange where each test has money of its own, and a directory as `init` leaves it. */
const wallets = Array.from({ length: 12 }, () => walletOf(secp256k1.utils.randomSecretKey()));
let first: Workplace;
let exchange: Running;
let exchangeUrl: string;

beforeAll(async () => {
  workplace = makeWorkplace();
  first = workplace;
  const words = ["paper", "--listen", "127.0.0.1:0", "--fund", wallets.map(({ address }) => address).join(",")];
  exchange = await startProcess([...words, "--json", "--data-dir", join(workplace.directory, "exchange")]);
  exchangeUrl = JSON.parse(exchange.firstLine).exchange_url;
  await init();
});

afterAll(async () => {
  await exchange.end("SIGKILL");
  first.remove();
});

beforeEach(() => {
  workplace = makeWorkplace();
  running = [];
  wallet = wallets.pop() ?? wallet;
});

afterEach(async () => {
  await Promise.all(running.map((process) => process.end("SIGKILL")));
  workplace.remove();
});

function postern(...words: string[]) {
  return runProcess([...words, "--data-dir", workplace.dataDirectory]);
}

async function init(...more: string[]): Promise<void> {
  const at = ["--network", "paper", "--exchange-url", exchangeUrl, "--passphrase-file", workplace.passphraseFile];
  const made = await postern("init", ...at, ...more);
  expect(made).toMatchObject({ exitCode: 0, err: "" });
}

/** The directory that `init` has made, before anything was done with it. */
function initialized(): void {
  cpSync(first.dataDirectory, workplace.dataDirectory, { recursive: true });
  chmodSync(workplace.dataDirectory, 0o700);
}

type Served = { process: Running; baseUrl: string; link: string };

async function serve(listen = "127.0.0.1:0", lines = 2): Promise<Served> {
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", listen];
  const process = await startProcess([...words, "--passphrase-file", workplace.passphraseFile], lines);
  running.push(process);
  const isSetUp = !process.firstLine.includes("not set up yet");
  const link = isSetUp ? "" : JSON.parse((await postern("setup", "--json")).out).setup_url.split("=")[1];
  return { process, baseUrl: /listens at ([^\s,]+)/.exec(process.firstLine)?.[1] ?? "", link };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What JSON.parse gives: the shapes are held against the description elsewhere. */
type Json = ReturnType<typeof JSON.parse>;
type Answer = { status: number; body: Json };

async function ask(url: string, bearer: string, body?: object): Promise<Answer> {
  const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, { headers, ...sent });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** A page with its session; `token` is what it keeps across reloads. */
function openPage(baseUrl: string, token = `setup_${randomBytes(32).toString("hex")}`) {
  return {
    token,
    ask: (path: string, body?: object) => ask(`${baseUrl}/v1/setup${path}`, token, body),
    claim: (link: string) => ask(`${baseUrl}/v1/setup/claim`, link, { session_hash: sha256(token) }),
  };
}

test("the page leads from an empty directory to a first order, killed and restarted at every step", async () => {
  initialized();
  let gateway = await serve();
  let page = openPage(gateway.baseUrl);
  async function killAndRestart(): Promise<void> {
    await gateway.process.end("SIGKILL");
    gateway = await serve();
    page = openPage(gateway.baseUrl, page.token);
  }
  expect(await page.claim(gateway.link)).toMatchObject({
    status: 200,
    body: { object: "setup", step: "owner", network: "paper", is_real_money: false, account: null, agent: null },
  });
  const view = await page.ask(`/exchange-view?address=${wallet.address}`);
  expect(view.body).toMatchObject({ role: "user", can_be_owner: true, equity: "100000", account_mode: "standard" });
  expect(view.body).toMatchObject({ are_agents_known: true, agents: [], agents_notice: null });

  const chosen = await page.ask("/owner", { address: wallet.address });
  expect(chosen.body).toMatchObject({ status: "succeeded", setup: { step: "agent", agent: { state: "new" } } });
  await killAndRestart();
  expect((await page.ask("")).body).toMatchObject({
    ...chosen.body.setup,
    audience: `paper+${gateway.baseUrl}`,
    expires_at: expect.anything(),
  });

  const asked = (await page.ask("/agent-approval?chain_id=42161&valid_days=30")).body;
  expect(asked.typed_data.domain.chainId).toBe(42161);
  expect(asked.typed_data.message.agentName).toBe(
    `${chosen.body.setup.agent.name} valid_until ${Date.parse(asked.valid_until)}`,
  );
  const { nonce, chain_id, valid_until } = asked;
  const signed = { nonce, chain_id, valid_until, signature: wallet.sign(asked.typed_data, true) };
  const approved = await page.ask("/agent-approval", signed);
  expect(approved.body).toMatchObject({ status: "succeeded", error: null, setup: { step: "key" } });
  expect(approved.body.setup.agent).toMatchObject({ state: "approved", valid_until });
  expect((await page.ask("/agent-approval", signed)).body.status).toBe("succeeded");
  await killAndRestart();

  const apiKey = `api_trade_${randomBytes(32).toString("hex")}`;
  const terms = { account: chosen.body.setup.account.id, network: "exchange_mainnet", key_hash: sha256(apiKey) };
  const issued = Date.now();
  const typed = (await ask(`${gateway.baseUrl}/v1/api-keys/typed-data`, "")).body;
  const scopes = ["trading:read", "trading:write"];
  const message = {
    audience: typed.audience,
    account: terms.account,
    network: terms.network,
    keyHash: `0x${terms.key_hash}`,
    scopes: scopes.join(","),
    issuedAt: BigInt(issued),
    expiresAt: 0n,
  };
  const types = { ApiKeyGrant: typed.types.ApiKeyGrant };
  const signature = wallet.sign({ domain: typed.domain, types, primaryType: "ApiKeyGrant", message });
  const consent = { ...terms, policy: { scopes }, issued_at: issued, expires_at: null };
  const registered = await ask(`${gateway.baseUrl}/v1/api-keys`, "", { consent, signature });
  expect(registered.status).toBe(201);
  await killAndRestart();
  expect((await page.ask("")).body).toMatchObject({ step: "finish", api_keys: [{ key_hash: sha256(apiKey), scopes }] });

  const order = {
    account: terms.account,
    market: "BTC",
    side: "buy",
    size: "0.001",
    price: "60000",
    time_in_force: "alo",
  };
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "proof-order-1",
  };
  const url = `${gateway.baseUrl}/v1/orders`;
  for (let tries = 0; tries < 100; tries += 1) {
    const placed = await fetch(url, { method: "POST", headers, body: JSON.stringify(order) });
    if (placed.status === 503) {
      await Bun.sleep(100);
      continue;
    }
    expect(await placed.json()).toMatchObject({ status: "open", error: null });
    break;
  }

  expect((await page.ask("/finish", {})).body).toMatchObject({ status: "succeeded", setup: { step: "done" } });
  for (const path of ["", "/exchange-view?address=0x", "/agent-approval"]) {
    expect(await page.ask(path)).toMatchObject({ status: 409, body: { error: { code: "setup_done" } } });
  }
  expect(await page.claim(gateway.link)).toMatchObject({ status: 409 });
  expect(await postern("setup")).toMatchObject({ exitCode: 1, err: expect.stringContaining("set up already") });
  const { err, out } = await gateway.process.end("SIGTERM");
  const again = await serve("127.0.0.1:0", 1);
  expect(again.process.firstLine).not.toContain("setup");
  for (const secret of [page.token, apiKey, gateway.link]) expect(err).not.toContain(secret);
  expect(out).not.toContain("setup_");
});

test("a link is good once, for one page, and another one is printed on request", async () => {
  initialized();
  const gateway = await serve();
  const [first, second] = [openPage(gateway.baseUrl), openPage(gateway.baseUrl)];
  expect((await first.claim(gateway.link)).status).toBe(200);
  expect((await first.claim(gateway.link)).status).toBe(200);
  expect(await second.claim(gateway.link)).toMatchObject({
    status: 401,
    body: { error: { code: "invalid_setup_token" } },
  });
  expect((await second.ask("")).status).toBe(401);
  const printed = await postern("setup", "--json");
  const url: string = JSON.parse(printed.out).setup_url;
  expect(url.startsWith(`${gateway.baseUrl}/#setup=setup_`)).toBe(true);
  expect((await second.claim(url.split("=")[1] ?? "")).status).toBe(200);
  expect((await first.ask("")).status).toBe(200);
});

test("a refusal of the exchange is told in words, with the one thing to do", async () => {
  initialized();
  const gateway = await serve();
  const page = openPage(gateway.baseUrl);
  await page.claim(gateway.link);
  const poor = walletOf(secp256k1.utils.randomSecretKey());
  expect((await page.ask(`/exchange-view?address=${poor.address}`)).body).toMatchObject({
    role: "missing",
    what_to_do: expect.stringContaining("Deposit"),
  });
  await page.ask("/owner", { address: poor.address });
  const asked = (await page.ask("/agent-approval")).body;
  const { nonce, chain_id } = asked;
  const foreign = await page.ask("/agent-approval", { nonce, chain_id, signature: wallet.sign(asked.typed_data) });
  expect(foreign).toMatchObject({ status: 401, body: { error: { code: "invalid_signature" } } });
  expect(foreign.body.error.message).toContain(wallet.address.toLowerCase());
  const refused = await page.ask("/agent-approval", { nonce, chain_id, signature: poor.sign(asked.typed_data) });
  expect(refused.body).toMatchObject({ status: "rejected", what_to_do: expect.stringContaining("Deposit USDC") });
  expect(refused.body.error).toContain("The exchange says:");
  const mended = await page.ask("/owner", { address: wallet.address });
  expect(mended.body).toMatchObject({
    status: "succeeded",
    setup: { step: "agent", account: { owner_address: wallet.address.toLowerCase() } },
  });
});

test("an owner given at the command line is where the page begins", async () => {
  await init("--owner", wallet.address);
  const gateway = await serve();
  const page = openPage(gateway.baseUrl);
  expect((await page.claim(gateway.link)).body).toMatchObject({
    step: "agent",
    account: { owner_address: wallet.address.toLowerCase() },
  });
});

/** The owner has another gateway's agent approved at the exchange. */
function approveThere(name: string): Promise<string> {
  // The wallet's library infers its types from literals; ours are data.
  const sign = (data: unknown) => wallet.sign(data as Parameters<Wallet["sign"]>[0]);
  return approveElsewhere(exchangeUrl, name, { sign });
}

test("before the signature the owner is shown the agents that are there, and what becomes of them", async () => {
  const mobile = await approveThere("mobile");
  await init("--owner", wallet.address);
  const gateway = await serve();
  const page = openPage(gateway.baseUrl);
  const { agent } = (await page.claim(gateway.link)).body;
  const view = async () => (await page.ask(`/exchange-view?address=${wallet.address}`)).body;
  const there = { name: "mobile", address: mobile, is_own: false };
  expect(await view()).toMatchObject({ agents: [there], agents_notice: null, is_agents_notice_warning: false });
  expect((await postern("agent", "approval")).out).toContain(`  mobile  ${mobile}  until 2`);

  const holder = await approveThere(agent.name);
  const words = `${holder}, which is not of this gateway. With this approval it is replaced`;
  expect(await view()).toMatchObject({ agents_notice: expect.stringContaining(words), is_agents_notice_warning: true });
  const printed = await postern("agent", "approval");
  expect(printed.out.split("\n").find((line) => line.startsWith("WARNING:"))).toContain(words);
  expect(printed.out.indexOf("WARNING:")).toBeLessThan(printed.out.indexOf("Sign this"));
});

test("the link is shown to a terminal, by the process itself", async () => {
  initialized();
  let shown = "";
  const decoder = new TextDecoder();
  function show(_terminal: Bun.Terminal, bytes: Uint8Array): void {
    shown += decoder.decode(bytes);
  }
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0"];
  const child = Bun.spawn([...PROGRAM_COMMAND, ...words, "--passphrase-file", workplace.passphraseFile], {
    env: { PATH: process.env["PATH"] ?? "" },
    terminal: { cols: 200, rows: 24, data: show },
  });
  try {
    for (let tries = 0; !shown.includes("#setup=") && tries < 400; tries += 1) await Bun.sleep(25);
    expect(shown).toMatch(/http:\S+#setup=setup_[0-9a-f]{64}\r?\n/);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});

test("without a running gateway there is no link", async () => {
  initialized();
  expect(await postern("setup")).toMatchObject({ exitCode: 1, err: expect.stringContaining("not running") });
});

const LISTENERS: [string, boolean, boolean, RegExp | null][] = [
  ["a terminal gets a link", true, false, /#setup=setup_[0-9a-f]{64}\n$/],
  ["a journal, a pipe or a file gets none", false, false, /^It is not set up yet\. .*\n {2}postern setup/],
  ["a script gets none", true, true, null],
];

test.each(LISTENERS)("%s", (_who, isTerminal, isJson, expected) => {
  const store = openMemoryStore();
  let printed = "";
  const outside = outsideFor({
    isTerminal,
    print: (text) => {
      printed += text;
    },
  });
  const input = { value: () => null, isSet: (name: string) => isJson && name === "json", positionals: [] };
  offerSetup({ input, outside }, store, "http://127.0.0.1:8787");
  if (expected === null) expect(printed).toBe("");
  else expect(printed).toMatch(expected);
  expect(printed.includes("setup_")).toBe(expected !== null && isTerminal);
  putSetupProgress(store, { finishedAtMs: 1 });
  printed = "";
  offerSetup({ input, outside }, store, "http://127.0.0.1:8787");
  expect(printed).toBe("");
});
