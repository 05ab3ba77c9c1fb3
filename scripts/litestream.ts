/**
 * A machine that is lost under load, and its replica: gateway and Litestream are killed at the same moment, the replica is
 * restored on a second machine, and every key that a client ever used is asked again of that one.
 *
 *   bun run litestream [--rounds 3] [--seconds 5] [--clients 8]
 *
 * The replicator lies below `scripts/litestream/`: 0.3.13, inside version 1.0.1 of its package.
 */
import { Database } from "bun:sqlite";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keyDigitsOf, keyDigitsOfCloid } from "../src/wire/order-id.ts";
import { runHere } from "../test/cli/outside.ts";
import { readExchange } from "../test/crash/exchange-log.ts";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Scene, setScene } from "../test/crash/scene.ts";

const TOOLS = join(import.meta.dir, "litestream");
const BINARY = join(TOOLS, "node_modules/@flydotio/litestream-linux-x64/litestream");
const VERSION = "v0.3.13";
const POSTERN = [process.execPath, join(import.meta.dir, "../src/main.ts")];
/** How much longer the gateway lives than its replicator, by round, milliseconds: a replica is behind, or more so. */
const LAGS_MS = [0, 1_000, 300];
/** Until the replica has its first snapshot, milliseconds. */
const FIRST_SNAPSHOT_MS = 10_000;
const REQUEST_DEADLINE_MS = 10_000;
/** Times that a key is asked again while its outcome is not known, and the pause between them, milliseconds. */
const MAX_REPEATS = 60;
const REPEAT_MS = 500;

type Wish = { key: string; body: object; told: Told[]; isLost: boolean };
type Told = { status: number; id: string | null; oid: string | null };

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    clients: { type: "string", default: "8" },
  },
});

await checkReplicator();
let failures = 0;
for (let round = 1; round <= Number(values.rounds); round += 1) failures += await runRound(round);
process.exitCode = failures === 0 ? 0 : 1;

async function checkReplicator(): Promise<void> {
  chmodSync(BINARY, 0o755);
  const found = (await new Response(Bun.spawn([BINARY, "version"]).stdout).text()).trim();
  if (found !== VERSION) throw new Error(`this is Litestream ${found}, not ${VERSION}`);
}

async function runRound(round: number): Promise<number> {
  const scene = await setScene({ executable: POSTERN, faults: { rules: [] } });
  try {
    const replica = join(scene.directory, "replica");
    const wishes = await loseUnderLoad(scene, { replica, round });
    const taken = await takeOver(scene, replica);
    const findings = await askAll(scene, taken, wishes);
    await taken.gateway.kill("SIGTERM");
    for (const finding of findings) console.log(`FAILED  ${finding}`);
    const facts = { ...taken.facts, asked: wishes.length, lost: wishes.filter(({ isLost }) => isLost).length };
    console.log(`${findings.length === 0 ? "ok    " : "FAILED"}  round ${round} ${JSON.stringify(facts)}`);
    return findings.length;
  } finally {
    await scene.close();
  }
}

async function serve(scene: Scene, dataDirectory = scene.dataDirectory): Promise<Started> {
  const { command, environment = {} } = scene.serve(POSTERN, { POSTERN_EXTERNAL_CHECKPOINTS: "1" });
  const words = command.map((word) => (word === scene.dataDirectory ? dataDirectory : word));
  const started = await start({ command: words, environment });
  if ("endedEarly" in started) throw new Error(`the gateway did not start: ${started.endedEarly}`);
  return started;
}

/** Trades until both are killed in the middle of it. */
async function loseUnderLoad(scene: Scene, { replica, round }: { replica: string; round: number }): Promise<Wish[]> {
  const gateway = await serve(scene);
  await waitUntilReady(gateway);
  const replicator = replicate(scene, replica);
  for (let waited = 0; !hasSnapshot(replica); waited += 100) {
    if (waited > FIRST_SNAPSHOT_MS) throw new Error("the replicator wrote no snapshot");
    await Bun.sleep(100);
  }
  const wishes: Wish[] = [];
  let isOver = false;
  const clients = Array.from({ length: Number(values.clients) }, async () => {
    while (!isOver) {
      const wish = newWish(scene, wishes.length);
      wishes.push(wish);
      await ask(scene, gateway, wish);
    }
  });
  await Bun.sleep(Number(values.seconds) * 1_000);
  await requireFollowing(scene);
  replicator.kill("SIGKILL");
  await Bun.sleep(LAGS_MS[round % LAGS_MS.length] ?? 0);
  await gateway.kill();
  isOver = true;
  await Promise.all([...clients, replicator.exited]);
  return wishes;
}

/** What the doctor reads out of Litestream's own files has to be so while it follows under load. */
async function requireFollowing(scene: Scene): Promise<void> {
  const { out } = await runHere(["doctor", "--data-dir", scene.dataDirectory, "--json"]);
  const findings = JSON.parse(out).findings as { check: string; level: string; found: string }[];
  const replica = findings.find(({ check }) => check === "replica");
  if (replica?.level !== "ok") throw new Error(`the doctor says: ${replica?.found ?? "nothing of a replica"}`);
}

function replicate(scene: Scene, replica: string): Bun.Subprocess {
  const config = join(scene.directory, "litestream.yml");
  const database = join(scene.dataDirectory, "postern.db");
  writeFileSync(config, `dbs:\n  - path: ${database}\n    replicas:\n      - path: ${replica}\n`);
  const words = [BINARY, "replicate", "-config", config];
  return Bun.spawn(words, { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
}

function hasSnapshot(replica: string): boolean {
  return (
    existsSync(replica) && readdirSync(replica, { recursive: true }).some((name) => String(name).includes("snapshots/"))
  );
}

/** Rests, or takes what there is: the exchange's own market maker quotes around the middle. */
function newWish(scene: Scene, number: number): Wish {
  const isResting = number % 3 !== 0;
  const terms = isResting
    ? { side: "buy", size: "0.001", price: String(20_000 + (number % 500)) }
    : { side: number % 2 === 0 ? "buy" : "sell", size: "0.001", price: number % 2 === 0 ? "200000" : "20000" };
  const body = { account: scene.account, market: "BTC", time_in_force: isResting ? "gtc" : "ioc", ...terms };
  return { key: `litestream-${String(number).padStart(6, "0")}`, body, told: [], isLost: false };
}

async function ask(scene: Scene, gateway: Started, wish: Wish): Promise<Told | null> {
  try {
    const response = await fetch(`${gateway.facts["base_url"]}/v1/orders`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${scene.apiKey}`,
        "Content-Type": "application/json",
        "Idempotency-Key": wish.key,
      },
      body: JSON.stringify(wish.body),
      signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
    });
    const body = JSON.parse(await response.text());
    const told = { status: response.status, id: body.id ?? null, oid: body.exchange_order_id ?? null };
    wish.told.push(told);
    return told;
  } catch {
    wish.isLost = true;
    return null;
  }
}

type Taken = { gateway: Started; database: string; facts: Record<string, number> };

/** What the operator of the second machine does, step by step as docs/backup.md has it. */
async function takeOver(scene: Scene, replica: string): Promise<Taken> {
  const file = join(scene.directory, "postern-replica.db");
  const restoring = Bun.spawn([BINARY, "restore", "-o", file, `file://${replica}`], { stderr: "pipe" });
  if ((await restoring.exited) !== 0) throw new Error(`litestream restore: ${await restoring.stderr.text()}`);
  const dataDirectory = join(scene.directory, "second");
  const here = ["--data-dir", dataDirectory, "--json"];
  const startedAtMs = performance.now();
  const restored = await postern(["restore", file, "--network", "paper", ...here]);
  const unlock = ["--passphrase-file", scene.passphraseFile];
  const approval = await postern(["agent", "rotate", ...unlock, ...here]);
  // The wallet takes what the command printed.
  const typedData = approval["typed_data"] as Parameters<Scene["sign"]>[0];
  const signed = ["--signature", scene.sign(typedData), "--nonce", String(approval["nonce"])];
  await postern(["agent", "approve", "--agent", String(approval["agent"]), ...signed, ...unlock, ...here]);
  const keys = (await postern(["key", "list", ...here]))["keys"] as { key_hash: string }[];
  for (const { key_hash: hash } of keys) await postern(["key", "keep", hash, ...unlock, ...here]);
  const gateway = await serve(scene, dataDirectory);
  await waitUntilReady(gateway);
  const readyAfterMs = Math.round(performance.now() - startedAtMs);
  const database = join(dataDirectory, "postern.db");
  const adopted = count(database, "SELECT count(*) AS n FROM adoptions");
  return { gateway, database, facts: { inReplica: Number(restored["orders"]), adopted, readyAfterMs } };
}

async function postern(words: readonly string[]): Promise<Record<string, unknown>> {
  const ran = await runHere(words);
  if (ran.exitCode !== 0) throw new Error(`postern ${words.join(" ")}: ${ran.err}`);
  return JSON.parse(ran.out);
}

function count(database: string, sql: string): number {
  const client = new Database(database, { readonly: true });
  try {
    return client.prepare<{ n: number }, []>(sql).get()?.n ?? 0;
  } finally {
    client.close();
  }
}

/** Every key again: what was told before stays true, and the exchange has one order of it at most. */
async function askAll(scene: Scene, { gateway, database, facts }: Taken, wishes: readonly Wish[]): Promise<string[]> {
  const before = (await readExchange(scene)).orders.size;
  const findings: string[] = [];
  let unexecuted = 0;
  for (const wish of wishes) {
    const [first] = wish.told.filter(({ status }) => status === 201);
    const again = await askUntilSettled(scene, gateway, wish);
    if (again?.status !== 201) findings.push(`${wish.key} ended as ${again?.status}`);
    else if (first !== undefined && first.oid !== null && again.oid !== first.oid) {
      findings.push(`${wish.key} was told ${first.oid} and then ${again.oid}`);
    }
    if (first === undefined) unexecuted += 1;
  }
  const { orders } = await readExchange(scene);
  const digits = [...orders.values()].flatMap(({ cloid }) => (cloid === null ? [] : [keyDigitsOfCloid(cloid)]));
  const twice = digits.filter((one, index) => digits.indexOf(one) !== index);
  const known = new Map(wishes.map(({ key }) => [digitsOf(database, scene, key), key]));
  findings.push(...twice.map((one) => `${known.get(one) ?? one} was executed twice`));
  const placed = orders.size - before;
  if (placed > unexecuted)
    findings.push(`${placed} orders were placed by repeats of ${unexecuted} keys without an answer`);
  facts["atExchange"] = orders.size;
  facts["placedByRepeats"] = placed;
  return findings;
}

function digitsOf(database: string, scene: Scene, idempotencyKey: string): string {
  const client = new Database(database, { readonly: true });
  try {
    const row = client.prepare<{ secret: Uint8Array }, []>("SELECT secret FROM instance").get();
    const secret = new Uint8Array(row?.secret ?? []);
    return keyDigitsOf(secret, { accountId: scene.account, idempotencyKey });
  } finally {
    client.close();
  }
}

async function askUntilSettled(scene: Scene, gateway: Started, wish: Wish): Promise<Told | null> {
  for (let repeat = 0; ; repeat += 1) {
    const told = await ask(scene, gateway, wish);
    if (told?.status === 201 || repeat >= MAX_REPEATS) return told;
    await Bun.sleep(REPEAT_MS);
  }
}
