/**
 * Somebody writes the database of the built executable: a planted key, a deleted revocation, an account with another owner,
 * another exchange. Each beside the running gateway and before the next start; each refused, and told by the gateway's
 * log, `/readyz`, `doctor` and `audit verify`. Put back, everything is as before.
 *
 *   bun run rows-from-outside [--executable dist/postern]
 */
import { Database } from "bun:sqlite";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { keyHash } from "../src/wire/grant.ts";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Scene, setScene } from "../test/crash/scene.ts";

const { values } = parseArgs({ options: { executable: { type: "string" } } });
const executable = resolve(values.executable ?? join(import.meta.dir, "../dist/postern"));

const PLANTED = `api_trade_${"f".repeat(64)}`;
const REVOKED = `api_trade_${"c".repeat(64)}`;

type Attack = {
  name: string;
  sql: string;
  undo: string;
  apiKey: string;
  status: number;
  code: string;
  /** What the doctor and the log say. */
  told: RegExp;
  stopsWrites: boolean;
};

let failed = 0;
function check(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok    " : "FAILED"} ${what}`);
  if (!isTrue) failed += 1;
}

const scene = await setScene({ executable: [executable], faults: { rules: [] } });
try {
  await revokeOne();
  let gateway = await started();
  check("before any attack the key opens", (await write(gateway, scene.apiKey)).status === 200);
  for (const attack of attacksOn(scene)) {
    change(attack.sql);
    await expectRefused(gateway, attack, "beside the gateway");
    await gateway.kill("SIGTERM");
    check(`${attack.name}: the log tells`, attack.told.test(await gateway.log));
    gateway = await started(attack.stopsWrites);
    await expectRefused(gateway, attack, "after a start");
    change(attack.undo);
    const isWell = attack.stopsWrites ? (await write(gateway, scene.apiKey)).status === 200 : true;
    check(`${attack.name}: put back, everything goes on`, isWell && (await postern("audit", "verify")).exitCode === 0);
  }
  await gateway.kill("SIGTERM");
} finally {
  await scene.close();
}
console.log(failed === 0 ? "all refused and told" : `${failed} FAILED`);
process.exit(failed === 0 ? 0 : 1);

function attacksOn({ account, exchangeUrl, owner }: Scene): Attack[] {
  const columns = "key_hash, account_id, scopes, issued_at_ms, registered_at_ms, state";
  const stranger = `0x${"e".repeat(40)}`;
  const stopped = { apiKey: scene.apiKey, status: 503, code: "storage_unavailable", stopsWrites: true };
  return [
    {
      name: "a planted key",
      sql: `INSERT INTO api_keys (${columns}) VALUES ('${keyHash(PLANTED)}', '${account}', 'trading:read,trading:write', 1, 1, 'active')`,
      undo: `DELETE FROM api_keys WHERE key_hash = '${keyHash(PLANTED)}'`,
      apiKey: PLANTED,
      status: 401,
      code: "invalid_api_key",
      told: /never registered/,
      stopsWrites: false,
    },
    {
      name: "a deleted revocation",
      sql: `UPDATE revocations SET account_id = 'nobody'`,
      undo: `UPDATE revocations SET account_id = '${account}'`,
      apiKey: REVOKED,
      status: 401,
      code: "revoked_api_key",
      told: /revocation of API key/,
      stopsWrites: false,
    },
    {
      name: "an account with another owner",
      sql: `UPDATE accounts SET owner_address = '${stranger}'`,
      undo: `UPDATE accounts SET owner_address = '${owner}'`,
      ...stopped,
      told: /row of account/,
    },
    {
      name: "another exchange",
      sql: "UPDATE instance SET exchange_url = 'http://127.0.0.1:1'",
      undo: `UPDATE instance SET exchange_url = '${exchangeUrl}'`,
      ...stopped,
      told: /what this directory is/,
    },
  ];
}

async function expectRefused(gateway: Started, attack: Attack, when: string): Promise<void> {
  const { name, apiKey, status, code, told, stopsWrites } = attack;
  const answer = await write(gateway, apiKey);
  check(`${name}, ${when}: ${status} ${code}`, answer.status === status && answer.text.includes(code));
  const ready = await fetch(`${gateway.facts["base_url"]}/readyz`);
  const words = await ready.text();
  const isRight = stopsWrites ? ready.status === 503 && words.includes("changed from outside") : ready.status === 200;
  check(`${name}, ${when}: /readyz ${stopsWrites ? "says no and why" : "is as before"}`, isRight);
  const doctor = await postern("doctor");
  check(`${name}, ${when}: the doctor tells`, doctor.exitCode === 1 && told.test(doctor.out));
  const verified = await postern("audit", "verify");
  check(`${name}, ${when}: audit verify tells`, verified.exitCode === 1 && told.test(verified.out));
}

/** Of which the exchange keeps no mark. */
async function write(gateway: Started, apiKey: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${gateway.facts["base_url"]}/v1/leverage`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      "Idempotency-Key": `rows-${crypto.randomUUID()}`,
    },
    body: JSON.stringify({ market: "BTC", leverage: 5, margin_type: "cross" }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** As another process that can write the file. */
function change(sql: string): void {
  const database = new Database(join(scene.dataDirectory, "postern.db"));
  database.run("PRAGMA busy_timeout = 5000");
  database.run(sql);
  database.close();
}

async function started(isRefused = false): Promise<Started> {
  const gateway = await start(scene.serve([executable]));
  if ("endedEarly" in gateway) throw new Error(`the gateway did not start: ${gateway.endedEarly}`);
  if (isRefused) await waitUntilLooked(gateway);
  else await waitUntilReady(gateway);
  return gateway;
}

/** Until the one thing that is missing is what was changed. */
async function waitUntilLooked(gateway: Started): Promise<void> {
  for (let look = 0; look < 300; look += 1) {
    const text = await (await fetch(`${gateway.facts["base_url"]}/readyz`)).text();
    if (text.includes("changed from outside") && !text.includes("in flight") && !text.includes("markets")) return;
    await Bun.sleep(100);
  }
  throw new Error("the gateway was still looking after 30 s");
}

async function revokeOne(): Promise<void> {
  const gateway = await started();
  const listen = ["--listen", new URL(gateway.facts["base_url"] ?? "").host];
  const about = ["--key-hash", keyHash(REVOKED), ...listen];
  const grant = await factsOf("key", "grant", ...about);
  const issued = ["--issued-at", String(grant["issued_at"])];
  await factsOf("key", "register", ...about, ...issued, "--signature", signed(grant));
  const revocation = await factsOf("key", "revoke", ...about);
  await factsOf("key", "revoke", ...about, "--signature", signed(revocation));
  await gateway.kill("SIGTERM");
}

function signed(printed: Record<string, unknown>): string {
  // The wallet takes what the command printed.
  return scene.sign(printed["typed_data"] as Parameters<Scene["sign"]>[0]);
}

async function postern(...words: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  const command = [executable, ...words, "--data-dir", scene.dataDirectory, "--json"];
  const child = Bun.spawn(command, { env: { PATH: "/usr/bin:/bin" }, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, out, err };
}

async function factsOf(...words: string[]): Promise<Record<string, unknown>> {
  const { exitCode, out, err } = await postern(...words);
  if (exitCode !== 0) throw new Error(`postern ${words.join(" ")}: ${err}`);
  return JSON.parse(out) as Record<string, unknown>;
}
