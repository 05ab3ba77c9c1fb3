import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { curlRequest } from "./curl.ts";
import { makeWorkplace, type Workplace } from "./outside.ts";
import { type Running, runProcess, startProcess } from "./process.ts";
import { type Wallet, walletOf } from "./wallet.ts";

/** `serve --paper` as a person and their scripts meet it: as a process, over HTTP. */

type Facts = { base_url: string; exchange_url: string; account: string; api_key: string };

let workplace: Workplace;
let running: Running[];
/** A demo that goes on, for those who leave nothing that another would mind. */
const shared: { workplace: Workplace; process: Running | null } = { workplace: makeWorkplace(), process: null };

beforeEach(() => {
  workplace = makeWorkplace();
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((process) => process.end("SIGKILL")));
  if (workplace !== shared.workplace) workplace.remove();
});

afterAll(async () => {
  await shared.process?.end("SIGKILL");
  shared.workplace.remove();
});

function words(...more: string[]): string[] {
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  return ["serve", "--paper", "--data-dir", workplace.dataDirectory, ...ports, ...more];
}

async function start(...more: string[]): Promise<{ process: Running; facts: Facts }> {
  const process = await startProcess(words("--json", ...more));
  running.push(process);
  return { process, facts: JSON.parse(process.firstLine) };
}

async function startShared(): Promise<{ process: Running; facts: Facts }> {
  workplace.remove();
  workplace = shared.workplace;
  shared.process ??= await startProcess(words("--json"));
  return { process: shared.process, facts: JSON.parse(shared.process.firstLine) };
}

function api(facts: Facts, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${facts.api_key}`, ...init.headers };
  return fetch(facts.base_url + path, { ...init, headers });
}

async function body(response: Response | Promise<Response>) {
  return JSON.parse(await (await response).text());
}

function place(facts: Facts, key: string, changes: Record<string, unknown> = {}): Promise<Response> {
  const order = { account: facts.account, market: "BTC", side: "buy", size: "0.001", price: "105000", ...changes };
  return api(facts, "/v1/orders", {
    method: "POST",
    headers: { "Idempotency-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify({ time_in_force: "ioc", ...order }),
  });
}

test("the three printed curl lines read the account, place an order that fills and read it back", async () => {
  const process = await startProcess(words(), 16);
  running.push(process);
  const lines = process.firstLine.split("\n").filter((line) => line.startsWith("curl "));
  expect(lines).toHaveLength(3);
  const answers = [];
  for (const line of lines) answers.push(await body(fetch(curlRequest(line, {}))));
  const [account, placed, list] = answers;
  expect(account).toMatchObject({ object: "account", equity: "100000" });
  expect(placed).toMatchObject({ object: "order", status: "filled", filled_size: "0.001", error: null });
  expect(list.data).toEqual([placed]);
});

test("the first line of --json has exactly the four facts", async () => {
  const { process, facts } = await start();
  expect(Object.keys(facts)).toEqual(["base_url", "exchange_url", "account", "api_key"]);
  const { exitCode, out } = await process.end("SIGTERM");
  expect(exitCode).toBe(0);
  expect(out).toBe(`${process.firstLine}\n`);
});

test("a second start keeps account, key and history", async () => {
  const first = await start();
  const order = await body(place(first.facts, "kept-order-1"));
  expect(order.status).toBe("filled");
  const equity = (await body(api(first.facts, "/v1/account"))).spot;
  await first.process.end("SIGTERM");
  const second = await start();
  expect(second.facts).toMatchObject({ account: first.facts.account, api_key: first.facts.api_key });
  expect((await body(api(second.facts, "/v1/orders"))).data).toEqual([order]);
  expect(await body(place(second.facts, "kept-order-1"))).toEqual(order);
  expect((await body(api(second.facts, "/v1/account"))).spot).toEqual(equity);
});

test("an order is explained to the operator beside the running gateway, by any of its ids", async () => {
  const { facts } = await startShared();
  const order = await body(place(facts, "explained-1"));
  const where = ["--data-dir", workplace.dataDirectory];
  const told = await runProcess(["order", "explain", order.id, ...where]);
  expect(told.exitCode).toBe(0);
  expect(told.out).toContain(`buy 0.001 BTC at 105000: filled`);
  expect(told.out).toContain("intent stored");
  const asJson = await runProcess(["order", "explain", order.exchange_order_id, "--json", ...where]);
  expect(JSON.parse(asJson.out)).toMatchObject({ object: "order_story", order: { id: order.id, status: "filled" } });
  const nothing = await runProcess(["order", "explain", "01890000-0000-7000-8000-000000000000", ...where]);
  expect(nothing).toMatchObject({ exitCode: 1, out: "" });
});

test("the demo's exchange has the faults of a file, and others on request", async () => {
  const file = join(workplace.directory, "faults.json");
  const text = "Order has invalid price.";
  const rule = { on: "exchange", type: "order", times: 1, fault: { kind: "refuse", text } };
  writeFileSync(file, JSON.stringify({ rules: [rule] }));
  const { facts } = await start("--faults", file, "--control");
  expect(await body(place(facts, "faulty-order-1"))).toMatchObject({
    status: "rejected",
    error: expect.stringContaining(text),
  });
  expect(await body(place(facts, "faulty-order-2"))).toMatchObject({ status: "filled" });
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const control = await fetch(`${facts.exchange_url}/control`, {
    ...init,
    body: JSON.stringify({ faults: { rules: [rule] } }),
  });
  expect(await control.json()).toEqual({ status: "ok" });
  expect(await body(place(facts, "faulty-order-3"))).toMatchObject({ status: "rejected" });
});

test.each([
  [["serve", "--control"], { rules: [] }, "--faults and --control go with --paper"],
  [["serve", "--paper"], { rules: [{ on: "info", fault: { kind: "nothing" } }] }, "faults/rules/0"],
  [
    ["serve", "--paper"],
    { rules: [], marketChanges: [{ afterMs: 0, coin: "NOTHING", isDelisted: true }] },
    "no perpetual NOTHING",
  ],
  [
    ["paper"],
    { rules: [], marketChanges: [{ afterMs: 0, coin: "NOTHING", isDelisted: true }] },
    "no perpetual NOTHING",
  ],
])("%j with the faults %j is misuse", async (command, faults, text) => {
  const file = join(workplace.directory, "faults.json");
  writeFileSync(file, JSON.stringify(faults));
  const where = ["--data-dir", join(workplace.directory, "elsewhere"), "--listen", "127.0.0.1:0"];
  const told = await runProcess([...command, ...where, "--faults", file]);
  expect(told).toMatchObject({ exitCode: 2, err: expect.stringContaining(text) });
});

test("an order that was placed right before a kill -9 has its true state afterwards", async () => {
  const first = await start();
  const placing = place(first.facts, "killed-order", { price: "60000", time_in_force: "gtc" }).catch(() => null);
  await placing;
  await first.process.end("SIGKILL");
  const second = await start();
  const [order] = (await body(api(second.facts, "/v1/orders"))).data;
  expect(await body(api(second.facts, `/v1/orders/${order.id}`))).toMatchObject({ status: "open", price: "60000" });
});

test("the same Idempotency-Key a hundred times at once places one order", async () => {
  const { facts } = await start();
  const answers = await Promise.all(Array.from({ length: 100 }, () => place(facts, "once-and-only")));
  // Some are told to come back later: repeats are charged as reads.
  const taken = answers.filter((answer) => answer.status !== 429);
  expect(taken.length).toBeGreaterThan(10);
  const ids = new Set(await Promise.all(taken.map(async (answer) => (await body(answer)).id)));
  expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  const fills = await fetch(`${facts.exchange_url}/info`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ type: "userFills", user: demo()["ownerAddress"] }),
  });
  const rows: { oid: number; sz: string }[] = await body(fills);
  expect(new Set(rows.map((row) => row.oid)).size).toBe(1);
});

function demo(): Record<string, string> {
  return JSON.parse(readFileSync(join(workplace.dataDirectory, "demo.json"), "utf8"));
}

function owner(): Wallet {
  return walletOf(Buffer.from(demo()["ownerPrivateKey"]?.slice(2) ?? "", "hex"));
}

test("a directory that is no demo is refused with exit code 2 and left as it is", async () => {
  mkdirSync(workplace.dataDirectory);
  writeFileSync(join(workplace.dataDirectory, "postern.db"), "something of value");
  const refused = await runProcess(words());
  expect(refused).toMatchObject({ exitCode: 2, out: "" });
  expect(readdirSync(workplace.dataDirectory)).toEqual(["postern.db"]);
});

test("a second process on the same directory is refused and told who holds it", async () => {
  const { process } = await startShared();
  const refused = await runProcess(words());
  expect(refused).toMatchObject({ exitCode: 1, out: "" });
  expect(refused.err).toContain(`in use by process ${process.pid}`);
});

test("a demo is not served without --paper", async () => {
  const { process } = await start();
  await process.end("SIGTERM");
  const refused = await runProcess(["serve", "--data-dir", workplace.dataDirectory]);
  expect(refused).toMatchObject({ exitCode: 1, out: "" });
});

async function operate(...more: string[]) {
  const ran = await runProcess([...more, "--data-dir", workplace.dataDirectory, "--json"]);
  return { ...ran, facts: ran.exitCode === 0 ? JSON.parse(ran.out) : null };
}

test("a running gateway takes its operator's words over the control socket", async () => {
  const { facts } = await startShared();
  expect(statSync(join(workplace.dataDirectory, "control.sock")).mode & 0o777).toBe(0o600);
  expect(await operate("upgrade", "status")).toMatchObject({
    exitCode: 0,
    facts: { network: "paper", on_trial: false, problems: [] },
  });
  const made = await operate("agent", "new");
  expect(made.facts).toMatchObject({ name: expect.stringMatching(/^postern-[a-z2-7]{5}-2$/) });
  const approval = (await operate("agent", "approval")).facts;
  const signature = owner().sign(approval.typed_data);
  expect((await operate("agent", "approve", "--signature", signature)).exitCode).toBe(0);
  const agents = (await operate("agent", "list")).facts.agents;
  expect(agents).toMatchObject([{ state: "approved" }, { state: "approved", address: made.facts.address }]);
  // Orders are now signed by the new agent, without a restart.
  expect(await body(place(facts, "by-the-new-agent"))).toMatchObject({ status: "filled" });
});

test("a blocked key is refused at once and stays refused", async () => {
  const first = await start();
  const hash = (await operate("key", "list")).facts.keys[0].key_hash;
  expect((await operate("key", "block", hash)).exitCode).toBe(0);
  expect((await operate("key", "keep", hash)).exitCode).toBe(1);
  const refused = await place(first.facts, "blocked-order");
  expect(refused.status).toBe(401);
  expect((await body(refused)).error.code).toBe("revoked_api_key");
});

test("a key that is granted and registered by commands works", async () => {
  const { facts } = await startShared();
  const made = JSON.parse((await runProcess(["key", "new", "--json"])).out);
  // The gateway says itself where it listens, and what a grant is signed for.
  const terms = ["--key-hash", made.key_hash, "--scopes", "trading:read"];
  const grant = (await operate("key", "grant", ...terms)).facts;
  const signature = owner().sign(grant.typed_data, true);
  const signed = ["--issued-at", String(grant.issued_at), "--signature", signature];
  expect((await operate("key", "register", ...terms, ...signed)).facts).toMatchObject({ key_hash: made.key_hash });
  const reader = { ...facts, api_key: made.api_key };
  expect((await api(reader, "/v1/account")).status).toBe(200);
  expect((await place(reader, "not-allowed")).status).toBe(403);
});

test.each<[command: string, words: (hash: string) => string[], exitCode: number]>([
  ["grant", (hash) => ["grant", "--key-hash", hash, "--bot", "grid-1"], 2],
  ["narrow", (hash) => ["narrow", hash], 1],
])(
  "key %s refuses a market in other letters before anything is signed or narrowed",
  async (_command, named, exitCode) => {
    await startShared();
    const refused = await operate("key", ...named("ef".repeat(32)), "--markets", "ETH,btc");
    expect(refused).toMatchObject({ exitCode, out: "" });
    expect(refused.err).toContain("--markets names `btc`, which is no market: it is `BTC`");
  },
);

test("a demo does not start where an upgrade is said to be checked", async () => {
  const { process } = await start();
  await process.end("SIGTERM");
  writeFileSync(join(workplace.dataDirectory, "upgrade-trial"), "");
  const refused = await runProcess(words());
  expect(refused).toMatchObject({ exitCode: 1, out: "" });
  expect(refused.err).toContain("a paper demo, which is never on trial");
});

test("no secret reaches the log or the database", async () => {
  const { process, facts } = await start();
  await place(facts, "secret-idempotency-key");
  await place({ ...facts, api_key: `api_trade_${"ab".repeat(32)}` }, "guessed-key");
  await body(api(facts, "/v1/orders?status=open"));
  const secrets = Object.entries(demo()).filter(([name]) => name !== "ownerAddress");
  const { err } = await process.end("SIGTERM");
  const files = readdirSync(workplace.dataDirectory, { recursive: true, encoding: "utf8" })
    .map((name) => join(workplace.dataDirectory, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith("demo.json"));
  expect(err.split("\n").length).toBeGreaterThan(5);
  expect(secrets).toHaveLength(3);
  for (const [name, secret] of secrets) {
    const bare = secret.replace(/^(0x|api_trade_)/, "");
    expect({ name, inLog: err.includes(bare) }).toEqual({ name, inLog: false });
    for (const path of files) {
      const content = readFileSync(path);
      const isIn = content.includes(bare) || content.includes(Buffer.from(bare, "hex"));
      expect({ name, path, isIn }).toEqual({ name, path, isIn: false });
    }
  }
  expect(err).not.toMatch(/[0-9a-f]{64}/i);
  expect(err).not.toContain("ab".repeat(8));
  expect(err).not.toContain("secret-idempotency-key");
});
