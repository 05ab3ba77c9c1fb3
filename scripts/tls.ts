/**
 * The built executable with TLS of its own, and everything through it:
 *
 *   bun run tls [--executable dist/postern]
 *
 * A paper gateway with a certificate that signs itself, and one of an authority that only its owner knows: registration,
 * orders, events, the page, the commands, a renewed certificate and a broken one. Nothing here switches a check off.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "node:tls";
import { parseArgs } from "node:util";
import { type Authority, openAuthority, writeBroken } from "../test/cli/authority.ts";
import { walletOf } from "../test/cli/wallet.ts";

const { values } = parseArgs({
  options: { executable: { type: "string", default: join(import.meta.dir, "..", "dist", "postern") } },
});
const EXECUTABLE = resolve(values.executable);
const DEADLINE_MS = 20_000;
const findings: string[] = [];

function say(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok    " : "FAILED"} ${what}`);
  if (!isTrue) findings.push(what);
}

type Facts = { base_url: string; account: string; api_key: string };
type Demo = { directory: string; certificateFile: string; keyFile: string; listen: string; asJson: boolean };

/** Starts a demo and waits until it has printed what a client needs. */
async function startDemo({ directory, listen, certificateFile, keyFile, asJson }: Demo) {
  const tls = ["--tls-certificate", certificateFile, "--tls-key", keyFile];
  const where = ["--listen", listen, "--paper-listen", "127.0.0.1:0", "--data-dir", directory];
  const child = Bun.spawn([EXECUTABLE, "serve", "--paper", ...where, ...tls, ...(asJson ? ["--json"] : [])], {
    env: { PATH: "/usr/bin:/bin" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let log = "";
  const logged = (async () => {
    for await (const piece of child.stderr) log += Buffer.from(piece).toString();
  })();
  const late = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  let text = "";
  for await (const piece of child.stdout) {
    text += Buffer.from(piece).toString();
    if (asJson ? text.includes("\n") : text.includes("limit=1'")) break;
  }
  clearTimeout(late);
  return {
    text,
    log: () => log,
    reload: () => child.kill("SIGHUP"),
    async end() {
      child.kill("SIGTERM");
      const exitCode = await child.exited;
      await logged;
      return exitCode;
    },
  };
}

type Client = (
  path: string,
  init?: RequestInit & { key?: string | null; idempotencyKey?: string },
) => Promise<Response>;

function clientOf({ base_url, api_key }: Facts, trusted: string): Client {
  return (path, { key = api_key, idempotencyKey, ...init } = {}) =>
    fetch(base_url + path, {
      ...init,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
        "Content-Type": "application/json",
      },
      keepalive: false,
      tls: { ca: trusted, rejectUnauthorized: true },
    });
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  // Each answer is an object by the description; a missing member shows as a finding.
  return (await response.json()) as Record<string, unknown>;
}

async function trades(client: Client, { account }: Facts): Promise<void> {
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"]) {
    const { status, headers } = await client(path, { key: null });
    say(
      `${path} is answered, and browsers are told to stay`,
      status === 200 && headers.has("strict-transport-security"),
    );
  }
  const order = { account, market: "BTC", side: "buy", size: "0.001", price: "50000" };
  const write = { method: "POST", body: JSON.stringify(order), idempotencyKey: "over-tls-1" };
  const placed = await client("/v1/orders", write);
  const { id, status } = await bodyOf(placed);
  say(`an order is placed (${placed.status}, ${status})`, placed.status === 201 && status === "open");
  say("and its key repeated is the same order", (await bodyOf(await client("/v1/orders", write)))["id"] === id);
  say("it is read back", (await bodyOf(await client(`/v1/orders/${id}`)))["status"] === "open");
  const cancel = { method: "POST", body: "{}", idempotencyKey: "over-tls-2" };
  const canceled = await client(`/v1/orders/${id}/cancel`, cancel);
  say(`and canceled (${canceled.status})`, canceled.status === 200);
  say("which is seen", (await bodyOf(await client(`/v1/orders/${id}`)))["status"] === "canceled");
}

async function showsThePage(client: Client): Promise<void> {
  const page = await client("/", { key: null });
  const html = await page.text();
  const assets = [...html.matchAll(/(?:src|href)="(\/?[^"#:]+)"/g)].map(
    ([, path = ""]) => new URL(path, page.url).pathname,
  );
  const answers = await Promise.all(assets.map((path) => client(path, { key: null })));
  const isWhole = page.status === 200 && assets.length > 0 && answers.every(({ status }) => status === 200);
  say(`the page and its ${assets.length} files are answered`, isWhole);
}

/** A stream that notes what comes, until it is left. */
async function openStream(client: Client) {
  const leaving = new AbortController();
  const response = await client("/v1/events", { signal: leaving.signal });
  let text = "";
  const read = (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
  })().catch(() => undefined);
  return {
    /** Whether this has come, or comes in time. */
    async hears(words: string) {
      const untilMs = performance.now() + DEADLINE_MS;
      while (!text.includes(words) && performance.now() < untilMs) await Bun.sleep(20);
      return text.includes(words);
    },
    async leave() {
      leaving.abort();
      await read;
    },
  };
}

function placeFilled(client: Client, { account }: Facts, idempotencyKey: string): Promise<Response> {
  const order = { account, market: "ETH", side: "buy", size: "0.01", price: "9000", time_in_force: "ioc" };
  return client("/v1/orders", { method: "POST", body: JSON.stringify(order), idempotencyKey });
}

/** What `openssl s_client` with these words says of the connection. */
function negotiated({ base_url }: Facts, words: readonly string[]): string {
  const { host } = new URL(base_url);
  const command = ["s_client", "-connect", host, "-no_ign_eof", ...words];
  const child = Bun.spawnSync(["openssl", ...command], { stdin: new Uint8Array(), timeout: DEADLINE_MS });
  const found = /^New, (.+), Cipher is (.+)$/m.exec(`${child.stdout}`);
  return `${found?.[1]} ${found?.[2]}`.replace("(NONE) (NONE)", "refused");
}

const CBC = [
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-ECDSA-AES128-SHA256",
  "ECDHE-ECDSA-AES256-SHA384",
  "AES128-SHA",
  "AES256-SHA",
  "@SECLEVEL=0",
].join(":");

function choosesCiphers(facts: Facts): void {
  const rows: readonly [what: string, words: readonly string[], wanted: RegExp][] = [
    ["TLS 1.1", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], /^refused$/],
    ["TLS 1.2 with CBC alone", ["-tls1_2", "-cipher", CBC], /^refused$/],
    ["TLS 1.2 without forward secrecy", ["-tls1_2", "-cipher", "AES128-GCM-SHA256:AES256-GCM-SHA384"], /^refused$/],
    ["TLS 1.2", ["-tls1_2"], /^TLSv1.2 ECDHE-ECDSA-.*(GCM|POLY1305)/],
    ["TLS 1.2 with GCM alone", ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], /AES128-GCM/],
    ["TLS 1.3", ["-tls1_3"], /^TLSv1.3 TLS_/],
  ];
  for (const [what, words, wanted] of rows) {
    const got = negotiated(facts, words);
    say(`${what}: ${got}`, wanted.test(got));
  }
}

/** Common name of the certificate that a new connection is shown, and checks. */
function shown({ base_url }: Facts, trusted: string): Promise<string> {
  const { hostname, port } = new URL(base_url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((settle) => {
    const socket = connect({ host, port: Number(port), ca: trusted }, () => {
      settle(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", (error: Error) => settle(error.message));
  });
}

type Running = Awaited<ReturnType<typeof startDemo>>;

async function logs(gateway: Running, words: string): Promise<boolean> {
  const untilMs = performance.now() + DEADLINE_MS;
  while (!gateway.log().includes(words) && performance.now() < untilMs) await Bun.sleep(20);
  return gateway.log().includes(words);
}

async function renews(gateway: Running, authority: Authority, { facts, client, root }: Trading): Promise<void> {
  const stream = await openStream(client);
  say("a stream of events opens", await stream.hears("event: ready"));
  const before = await bodyOf(await placeFilled(client, facts, "before-renewal"));
  say("and tells of an order", await stream.hears(String(before["id"])));
  authority.use(authority.issue("renewed", "authority"));
  say(`before SIGHUP the old certificate is shown`, (await shown(facts, root)) === "first");
  gateway.reload();
  say("SIGHUP reads it again and says so", await logs(gateway, "the certificate was read again"));
  say("new connections see the new one", (await shown(facts, root)) === "renewed");
  const after = await bodyOf(await placeFilled(client, facts, "after-renewal"));
  say("what was open goes on: the stream tells of the next order", await stream.hears(String(after["id"])));
  await stream.leave();
  writeBroken(authority);
  gateway.reload();
  say("a broken one is told", await logs(gateway, "the old one stays"));
  say("and the one before it goes on", (await shown(facts, root)) === "renewed");
}

type Trading = { facts: Facts; client: Client; root: string };

/** A key made, granted and registered by the commands: the gateway's certificate is nobody's that this machine knows. */
async function registers(directory: string, { facts, root }: Trading): Promise<void> {
  const postern = (...words: string[]) =>
    JSON.parse(execFileSync(EXECUTABLE, [...words, "--json"], { env: {}, encoding: "utf8" }));
  const made = postern("key", "new");
  const terms = ["--key-hash", made.key_hash, "--scopes", "trading:read"];
  const grant = postern("key", "grant", ...terms, "--data-dir", directory);
  const isForHttps = JSON.stringify(grant.typed_data).includes(`"paper+${facts.base_url}"`);
  say("a grant is signed for the https address", isForHttps);
  const demo = JSON.parse(readFileSync(join(directory, "demo.json"), "utf8"));
  const owner = walletOf(Buffer.from(demo.ownerPrivateKey.slice(2), "hex"));
  const signature = owner.sign(grant.typed_data, true);
  const signed = ["--issued-at", String(grant.issued_at), "--signature", signature];
  postern("key", "register", ...terms, ...signed, "--data-dir", directory);
  const who = await clientOf({ ...facts, api_key: made.api_key }, root)("/v1/whoami");
  say(`a key that the commands registered works (${who.status})`, who.status === 200);
}

async function selfSigned(directory: string, authority: Authority): Promise<void> {
  const own = authority.issue("itself", "itself");
  const gateway = await startDemo({ directory, ...own, listen: "127.0.0.1:0", asJson: false });
  const lines = gateway.text.split("\n").filter((line) => line.startsWith("curl "));
  say(`with a certificate that signs itself the demo starts, and prints ${lines.length} lines`, lines.length === 3);
  const answers = lines.map((line) => execFileSync("sh", ["-c", line], { encoding: "utf8" }));
  const isEach = answers.every((answer) => answer.startsWith("{") && !answer.includes('"error":{'));
  say("which work as they are printed", isEach && String(answers[1]).includes('"filled"'));
  say("without trust in it nobody is served", await refusesStrangers(gateway.text));
  say("it stops when it is asked to", (await gateway.end()) === 0);
}

async function refusesStrangers(text: string): Promise<boolean> {
  const url = /https:\/\/[^/\s']+/.exec(text)?.[0] ?? "";
  const over = await fetch(`${url}/healthz`).catch(() => null);
  const plain = await fetch(`${url.replace("https", "http")}/healthz`).catch(() => null);
  return over === null && plain === null;
}

async function ofAnAuthority(directory: string, authority: Authority): Promise<void> {
  authority.use(authority.issue("first", "authority"));
  const gateway = await startDemo({ directory, ...authority, listen: "127.0.0.1:0", asJson: true });
  const facts = JSON.parse(gateway.text) as Facts;
  const root = readFileSync(authority.rootFile, "utf8");
  const client = clientOf(facts, root);
  await trades(client, facts);
  await showsThePage(client);
  await registers(directory, { facts, client, root });
  choosesCiphers(facts);
  await renews(gateway, authority, { facts, client, root });
  say("it stops when it is asked to", (await gateway.end()) === 0);
  say("and logged no secret", !gateway.log().includes(facts.api_key) && !gateway.log().includes("PRIVATE KEY"));
}

async function overIpv6(directory: string, authority: Authority): Promise<void> {
  const issued = authority.issue("sixth", "authority");
  const gateway = await startDemo({ directory, ...issued, listen: "[::1]:0", asJson: true });
  const facts = JSON.parse(gateway.text) as Facts;
  const who = await clientOf(facts, readFileSync(authority.rootFile, "utf8"))("/v1/whoami");
  say(`an IPv6 address is served as well (${facts.base_url}: ${who.status})`, who.status === 200);
  await gateway.end();
}

const directory = mkdtempSync(join(tmpdir(), "postern-tls-"));
try {
  const authority = openAuthority(directory);
  await selfSigned(join(directory, "a"), authority);
  await ofAnAuthority(join(directory, "b"), authority);
  await overIpv6(join(directory, "c"), authority);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${Math.round(performance.now() / 1_000)} s, ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
