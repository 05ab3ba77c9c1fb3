import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { encryptKeystoreJson } from "ethers";
import { findInstance } from "../../src/store/instance.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { addressOfKey } from "../../src/vault/signers.ts";
import { toHex } from "../../src/wire/hex.ts";
import { makeWorkplace, PASSPHRASE, runHere, type Workplace } from "./outside.ts";
import { type Running, runProcess, startProcess } from "./process.ts";
import { walletOf } from "./wallet.ts";

/** The life of agent keys, as the operator has it: passphrase from systemd, rotation beside a running gateway, import. */

const ownerKey = secp256k1.utils.randomSecretKey();
const wallet = walletOf(ownerKey);
let workplace: Workplace;
let exchange: Running;
let gateway: Running | null = null;

beforeAll(async () => {
  workplace = makeWorkplace();
  const words = ["paper", "--listen", "127.0.0.1:0", "--fund", wallet.address, "--json"];
  exchange = await startProcess([...words, "--data-dir", join(workplace.directory, "exchange")]);
  const exchangeUrl = JSON.parse(exchange.firstLine).exchange_url;
  const made = ["init", "--network", "paper", "--exchange-url", exchangeUrl, "--owner", wallet.address];
  expect(await postern(...made, "--passphrase-file", workplace.passphraseFile)).toMatchObject({ exitCode: 0 });
});

afterAll(async () => {
  await gateway?.end("SIGKILL");
  await exchange.end("SIGKILL");
  workplace.remove();
});

test("a new directory's passphrase is stretched at the full cost", () => {
  const store = openStore(join(workplace.dataDirectory, "postern.db"));
  try {
    expect(JSON.parse(findInstance(store)?.vault ?? "{}")).toMatchObject({ kdf: "scrypt", n: 2 ** 17, r: 8, p: 1 });
  } finally {
    closeStore(store);
  }
});

async function postern(...words: string[]) {
  const ran = await runProcess([...words, "--data-dir", workplace.dataDirectory, "--json"]);
  const [line = ""] = ran.out.split("\n");
  return { ...ran, facts: line === "" ? null : JSON.parse(line) };
}

/** Starts the gateway with the passphrase where systemd puts it. */
async function serve(): Promise<Running> {
  const credentials = join(workplace.directory, "credentials");
  mkdirSync(credentials, { recursive: true });
  writeFileSync(join(credentials, "passphrase"), `${PASSPHRASE}\n`, { mode: 0o400 });
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--listen", "127.0.0.1:0", "--json"];
  const metrics = ["--metrics-listen", "127.0.0.1:0"];
  gateway = await startProcess([...words, ...metrics], 1, { CREDENTIALS_DIRECTORY: credentials });
  return gateway;
}

async function approve(asked: { facts: { agent: string; nonce: number; typed_data: unknown } }) {
  const { agent, nonce, typed_data: typedData } = asked.facts;
  const signature = wallet.sign(typedData as Parameters<typeof wallet.sign>[0]);
  const signed = ["--nonce", String(nonce), "--signature", signature];
  return postern("agent", "approve", "--agent", agent, ...signed, "--passphrase-file", workplace.passphraseFile);
}

async function agents(): Promise<{ address: string; name: string; state: string }[]> {
  return (await postern("agent", "list")).facts.agents;
}

/** What of a name tells the slot; the rest is the installation's own. */
function slot(name: string): string {
  return name.replace(/^postern-[a-z2-7]{5}-/, "slot ");
}

async function keystore(name: string, privateKey: Uint8Array): Promise<string> {
  const account = { address: addressOfKey(privateKey), privateKey: toHex(privateKey) };
  const path = join(workplace.directory, name);
  writeFileSync(path, await encryptKeystoreJson(account, PASSPHRASE, { scrypt: { N: 1_024, r: 8, p: 1 } }));
  return path;
}

async function takeIn(path: string) {
  return postern("agent", "import", path, "--keystore-passphrase-file", workplace.passphraseFile);
}

test("a gateway whose passphrase comes from systemd shows it nowhere, and writes no core dumps", async () => {
  await approve(await postern("agent", "approval"));
  const { pid } = await serve();
  const about = (name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
  expect(about("cmdline")).not.toContain(PASSPHRASE);
  expect(about("environ")).not.toContain(PASSPHRASE);
  expect(about("limits")).toMatch(/^Max core file size\s+0\s+0\s/m);
});

test("the metrics are on a port of their own", async () => {
  const { base_url: baseUrl, metrics_url: metricsUrl } = JSON.parse(gateway?.firstLine ?? "{}");
  const text = await (await fetch(metricsUrl)).text();
  expect(text).toContain('network="paper"');
  expect(text).toMatch(/^postern_agent_expires_seconds\{.*\} [0-9]+/m);
  expect((await fetch(new URL("/v1/whoami", metricsUrl))).status).toBe(404);
  expect((await fetch(new URL("/metrics", baseUrl))).status).toBe(404);
});

test("the doctor finds a running gateway well but for what is missing, and says what to do", async () => {
  const ran = await postern("doctor");
  const findings: { check: string; level: string; found: string; todo: string | null }[] = ran.facts.findings;
  expect(findings.filter(({ level }) => level === "fault")).toEqual([]);
  expect(ran.exitCode).toBe(0);
  const checks = findings.map(({ check }) => check);
  const wanted = ["gateway", "listens", "listens", "directory", "files", "disk", "file_system", "database", "audit"];
  const atTheExchange = ["exchange_place", "exchange", "clock", "agent", "account_mode", "quota"];
  const others = checks.filter((check) => check !== "passphrase");
  expect(others).toEqual([...wanted, "rows", "unknown", "keys", ...atTheExchange]);
  // The gateway's word: the command itself was given none.
  expect(findings.find(({ check }) => check === "passphrase")?.found).toContain("from systemd");
  expect(findings.find(({ check }) => check === "audit")?.found).toEndWith(", sealed");
  expect(findings.find(({ check }) => check === "keys")?.todo).toContain("key new");
  for (const { level, todo } of findings) expect(todo === null).toBe(level === "ok");
});

test("a rotation beside a running gateway: asked twice it makes one key, and the old one serves until it is approved", async () => {
  const [old] = await agents();
  const first = await postern("agent", "rotate");
  const second = await postern("agent", "rotate");
  expect(second.facts.agent).toBe(first.facts.agent);
  expect(first.facts).toMatchObject({
    exchange_agents: [{ name: old?.name, address: old?.address, is_own: true }],
    notice: null,
  });
  expect((await agents()).map(({ name, state }) => `${slot(name)} ${state}`)).toEqual([
    "slot 1 approved",
    "slot 2 new",
  ]);
  const shown = async () => (await postern("account", "list")).facts.accounts[0].id;
  const signing = async () => (await postern("account", "show", await shown())).facts.agent;
  expect(await signing()).toBe(old?.address);
  expect(await approve(second)).toMatchObject({ exitCode: 0 });
  expect(await signing()).toBe(first.facts.agent);
  const retired = await postern("agent", "retire", old?.address ?? "");
  expect(retired.facts).toMatchObject({ signing: first.facts.agent });
});

test("the owner's own key is refused, a key that nobody knows waits for its approval", async () => {
  const owners = await takeIn(await keystore("owner.json", ownerKey));
  expect(owners.exitCode).toBe(1);
  expect(owners.err).toContain("can move money");
  const stranger = secp256k1.utils.randomSecretKey();
  const path = await keystore("agent.json", stranger);
  const taken = await takeIn(path);
  expect(taken.facts).toMatchObject({ address: addressOfKey(stranger), state: "new" });
  expect((await takeIn(path)).err).toContain("never used twice");
  for (const ran of [owners, taken]) expect(ran.out + ran.err).not.toContain(toHex(stranger).slice(2, 18));
});

test("the audit log is whole, by the gateway's word and by the passphrase, and an edit is found", async () => {
  const beside = await postern("audit", "verify");
  expect(beside.facts).toMatchObject({ ok: true, seal: "genuine" });
  await gateway?.end("SIGTERM");
  gateway = null;
  expect((await postern("audit", "verify")).facts).toMatchObject({ ok: true, seal: "not_checked" });
  chmodSync(workplace.dataDirectory, 0o755);
  const open = await postern("doctor");
  const refused = await postern("serve", "--listen", "127.0.0.1:0", "--passphrase-file", workplace.passphraseFile);
  expect(refused.exitCode).toBe(1);
  expect(refused.err).toContain("chmod 700");
  chmodSync(workplace.dataDirectory, 0o700);
  expect(open.exitCode).toBe(1);
  const bad = open.facts.findings.filter(({ level }: { level: string }) => level !== "ok");
  expect(bad.map(({ check }: { check: string }) => check)).toEqual(["gateway", "directory", "keys"]);
  const withPassphrase = ["audit", "verify", "--passphrase-file", workplace.passphraseFile];
  expect((await postern(...withPassphrase, "--head", beside.facts.head)).facts).toMatchObject({
    ok: true,
    seal: "genuine",
  });
  const { Database } = await import("bun:sqlite");
  const database = new Database(join(workplace.dataDirectory, "postern.db"));
  database.run("UPDATE audit SET detail = '{}' WHERE id = 2");
  database.close();
  const edited = await postern("audit", "verify");
  expect(edited.exitCode).toBe(1);
  expect(edited.facts).toMatchObject({ ok: false });
  expect(edited.facts.fault).toContain("row 2 was changed");
});

test("no key is opened beside a variable that opens the runtime to a debugger", async () => {
  const words = ["serve", "--data-dir", workplace.dataDirectory, "--passphrase-file", workplace.passphraseFile];
  for (const name of ["BUN_INSPECT", "BUN_INSPECT_CONNECT_TO", "BUN_OPTIONS", "BUN_BE_BUN", "NODE_OPTIONS"]) {
    const ran = await runHere(words, { [name]: "1" });
    expect(ran.exitCode).toBe(1);
    expect(ran.err).toContain(`${name} is set`);
  }
});
