import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { receiveDatagrams } from "./datagrams.ts";
import { makeWorkplace, type Workplace } from "./outside.ts";
import { type Running, runProcess, startProcess } from "./process.ts";
import { walletOf } from "./wallet.ts";

/**
 * The road of a real operator, against the paper exchange as a process of its own: set up, approve, serve, grant,
 * trade, stop, start.
 */

const wallet = walletOf(secp256k1.utils.randomSecretKey());
let workplace: Workplace;
let exchange: Running;
let exchangeUrl: string;
const gateways: Running[] = [];

beforeAll(async () => {
  workplace = makeWorkplace();
  const words = ["paper", "--listen", "127.0.0.1:0", "--fund", wallet.address, "--json"];
  exchange = await startProcess([...words, "--data-dir", join(workplace.directory, "exchange")]);
  exchangeUrl = JSON.parse(exchange.firstLine).exchange_url;
  const network = ["--network", "paper", "--exchange-url", exchangeUrl];
  const made = await postern(
    "init",
    ...network,
    "--owner",
    wallet.address,
    "--passphrase-file",
    workplace.passphraseFile,
  );
  expect(made).toMatchObject({ exitCode: 0 });
});

afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.end("SIGKILL")));
});

afterAll(async () => {
  await exchange.end("SIGKILL");
  workplace.remove();
});

async function postern(...words: string[]) {
  const ran = await runProcess([...words, "--data-dir", workplace.dataDirectory, "--json"]);
  return { ...ran, facts: ran.exitCode === 0 ? JSON.parse(ran.out) : null };
}

async function serve(): Promise<Running> {
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0", "--json"];
  const gateway = await startProcess([...words, "--passphrase-file", workplace.passphraseFile]);
  gateways.push(gateway);
  return gateway;
}

async function json(response: Response) {
  return JSON.parse(await response.text());
}

test("set up, approve without a gateway, serve, grant, trade, stop and start", async () => {
  const approval = (await postern("agent", "approval")).facts;
  const approved = await postern(
    "agent",
    "approve",
    "--signature",
    wallet.sign(approval.typed_data),
    "--passphrase-file",
    workplace.passphraseFile,
  );
  expect(approved.err).toBe("");
  expect(Date.parse(approved.facts.valid_until)).toBeGreaterThan(Date.now());

  const first = await serve();
  const baseUrl: string = JSON.parse(first.firstLine).base_url;
  const key = JSON.parse((await runProcess(["key", "new", "--json"])).out);
  const terms = ["--key-hash", key.key_hash, "--listen", new URL(baseUrl).host];
  const grant = (await postern("key", "grant", ...terms)).facts;
  expect(grant.typed_data.message.audience).toBe(`paper+${baseUrl}`);
  const signed = ["--issued-at", String(grant.issued_at), "--signature", wallet.sign(grant.typed_data)];
  expect(await postern("key", "register", ...terms, ...signed)).toMatchObject({ exitCode: 0 });

  const headers = { Authorization: `Bearer ${key.api_key}`, "Content-Type": "application/json" };
  const body = {
    account: grant.account,
    market: "BTC",
    side: "buy",
    size: "0.001",
    price: "105000",
    time_in_force: "ioc",
  };
  const order = await placeWhenReady(baseUrl, { ...headers, "Idempotency-Key": "operators-first" }, body);
  expect(order).toMatchObject({ status: "filled", filled_size: "0.001" });
  expect((await first.end("SIGTERM")).exitCode).toBe(0);

  const second = await serve();
  const again = JSON.parse(second.firstLine).base_url;
  expect(await json(await fetch(`${again}/v1/orders/${order.id}`, { headers }))).toEqual(order);

  const rests = { ...body, price: "50000", time_in_force: "gtc" };
  const resting = await placeWhenReady(again, { ...headers, "Idempotency-Key": "operators-second" }, rests);
  expect(resting).toMatchObject({ status: "open" });
  const revocation = (await postern("key", "revoke", "--key-hash", key.key_hash, "--listen", new URL(again).host))
    .facts;
  const consent = ["--key-hash", key.key_hash, "--signature", wallet.sign(revocation.typed_data)];
  const revoked = await postern("key", "revoke", ...consent, "--listen", new URL(again).host);
  expect(revoked.facts).toEqual({ object: "api_key", key_hash: key.key_hash, revoked: true });
  expect((await fetch(`${again}/v1/orders`, { headers })).status).toBe(401);
  expect((await postern("order", "explain", resting.id)).facts).toMatchObject({ order: { status: "open" } });
  const along = await postern("key", "revoke", ...consent, "--cancel-orders", "--listen", new URL(again).host);
  expect(along.facts).toMatchObject({ key_hash: key.key_hash, revoked: true, stop: expect.any(String) });
  await waitForEnd(resting.id);
  expect((await second.end("SIGTERM")).exitCode).toBe(0);
});

async function waitForEnd(orderId: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { order } = (await postern("order", "explain", orderId)).facts;
    if (order.status === "canceled") return;
    await Bun.sleep(100);
  }
  throw new Error("its order is still there");
}

/** Tries a write again while the gateway says that it has just started. */
async function placeWhenReady(baseUrl: string, headers: Record<string, string>, order: object) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const response = await fetch(`${baseUrl}/v1/orders`, { method: "POST", headers, body: JSON.stringify(order) });
    const answer = await json(response);
    if (response.status !== 503 || answer.error.code !== "not_ready") return answer;
    await Bun.sleep(100);
  }
  throw new Error("never ready");
}

test("after an upgrade nothing is written before somebody has looked and said so", async () => {
  const systemd = receiveDatagrams(join(workplace.directory, "notify"));
  const trial = join(workplace.dataDirectory, "upgrade-trial");
  await Bun.write(trial, "");
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0", "--json"];
  const environment = { NOTIFY_SOCKET: join(workplace.directory, "notify"), WATCHDOG_USEC: "300000" };
  const gateway = await startProcess([...words, "--passphrase-file", workplace.passphraseFile], 1, environment);
  gateways.push(gateway);
  expect(await systemd.waitFor("READY=1")).toContain("an upgrade is being checked");
  await systemd.waitFor("WATCHDOG=1");

  const baseUrl = JSON.parse(gateway.firstLine).base_url;
  const revocation = await fetch(`${baseUrl}/v1/api-keys/revoke`, { method: "POST", body: "{}" });
  expect([revocation.status, (await json(revocation)).error.code]).toEqual([503, "not_ready"]);
  expect((await json(await fetch(`${baseUrl}/readyz`))).error.message).toContain("an upgrade is being checked");
  expect((await postern("upgrade", "status")).facts).toMatchObject({ on_trial: true, problems: [] });
  expect((await postern("agent", "new")).err).toContain("an upgrade is being checked");

  expect((await postern("upgrade", "open")).facts).toMatchObject({ on_trial: false });
  expect(existsSync(trial)).toBe(false);
  expect(await systemd.waitFor("writes are open")).toBe(
    "STATUS=paper: a simulated exchange, no real money; writes are open",
  );
  expect((await gateway.end("SIGTERM")).exitCode).toBe(0);
  expect(systemd.all().some((datagram) => datagram.startsWith("STOPPING=1"))).toBe(true);
  systemd.close();
  expect(await postern("upgrade", "status")).toMatchObject({ exitCode: 1 });
});

test("a version older than the one that has taken writes does not start", async () => {
  const accepted = join(workplace.dataDirectory, "accepted-writes-by");
  await Bun.write(accepted, "damaged\n");
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0"];
  const ran = await runProcess([...words, "--passphrase-file", workplace.passphraseFile]);
  await Bun.file(accepted).delete();
  expect(ran).toMatchObject({ exitCode: 1, out: "" });
  expect(ran.err).toContain("is damaged");
});

test("beside a running gateway a passphrase file that is wrong, or that others may read, is refused and nothing is done", async () => {
  await serve();
  const stop = (await postern("stop")).facts;
  const other = join(workplace.directory, "other");
  const resume = async (text: string, mode: number) => {
    writeFileSync(other, text);
    chmodSync(other, mode);
    return postern("resume", "--passphrase-file", other);
  };
  const right = readFileSync(workplace.passphraseFile, "utf8");
  for (const [text, mode, why] of [
    ["not this one either", 0o600, "the passphrase is wrong"],
    [right, 0o644, "has mode 644"],
  ] as const) {
    const ran = await resume(text, mode);
    expect(ran.exitCode).toBe(1);
    expect(ran.err).toContain(why);
  }
  // It had not been ended by them.
  expect((await resume(right, 0o600)).facts.resumed).toEqual([stop.id]);
});

test("the wrong passphrase starts nothing", async () => {
  const other = makeWorkplace();
  await Bun.write(other.passphraseFile, "not this one either\n");
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0"];
  const ran = await runProcess([...words, "--passphrase-file", other.passphraseFile]);
  other.remove();
  expect(ran).toMatchObject({ exitCode: 1, out: "" });
  expect(ran.err).toContain("the passphrase is wrong");
});

test("without a passphrase and a terminal it says where one may come from", async () => {
  const ran = await runProcess(["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0"]);
  expect(ran).toMatchObject({ exitCode: 1, out: "" });
  expect(ran.err).toContain("passphrase file");
});

test("a port that is taken is said plainly, and the directory can be used afterwards", async () => {
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", new URL(exchangeUrl).host];
  const ran = await runProcess([...words, "--passphrase-file", workplace.passphraseFile]);
  expect(ran).toMatchObject({ exitCode: 1, out: "" });
  expect(ran.err).toContain("in use");
  expect(await postern("account", "list")).toMatchObject({ exitCode: 0 });
});

test("a paper exchange remembers its accounts", async () => {
  const before = await equity();
  await exchange.end("SIGKILL");
  const words = ["paper", "--listen", new URL(exchangeUrl).host, "--json"];
  exchange = await startProcess([...words, "--data-dir", join(workplace.directory, "exchange")]);
  expect(await equity()).toBe(before);
});

async function equity(): Promise<string> {
  const body = JSON.stringify({ type: "spotClearinghouseState", user: wallet.address });
  const headers = { "Content-Type": "application/json" };
  return JSON.stringify((await json(await fetch(`${exchangeUrl}/info`, { method: "POST", headers, body }))).balances);
}

test("a paper exchange replays prices and injects faults from files", async () => {
  const prices = join(workplace.directory, "prices.csv");
  const faults = join(workplace.directory, "faults.json");
  await Bun.write(prices, "# the first price stands\n0,BTC,50000\n");
  await Bun.write(faults, '{"rules":[{"on":"info","type":"meta","fault":{"kind":"status","status":429}}]}');
  const words = ["paper", "--listen", "127.0.0.1:0", "--prices", prices, "--faults", faults, "--json"];
  const other = await startProcess(words);
  const url: string = JSON.parse(other.firstLine).exchange_url;
  const ask = (type: string) =>
    fetch(`${url}/info`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ type }),
    });
  expect((await ask("meta")).status).toBe(429);
  for (let look = 0; look < 50; look++) {
    const mid = Number((await json(await ask("allMids"))).BTC);
    if (Math.abs(mid - 50_000) < 500) break;
    await Bun.sleep(100);
  }
  expect(Number((await json(await ask("allMids"))).BTC)).toBeCloseTo(50_000, -3);
  expect((await other.end("SIGTERM")).exitCode).toBe(0);
});
