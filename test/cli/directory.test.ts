import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hashTypedData } from "viem";
import { run } from "../../src/cli/run.ts";
import { systemClock } from "../../src/cli/system.ts";
import { takeLock } from "../../src/store/lock.ts";
import { makeWorkplace, outsideFor, PASSPHRASE, runHere, type Workplace } from "./outside.ts";
import { walletOf } from "./wallet.ts";

/** What a set-up directory is asked and told by commands, with no gateway running. */

const OWNER = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
let workplace: Workplace;
let made: { account: string; agent: string };

beforeAll(async () => {
  workplace = makeWorkplace();
  const ran = await postern("init", "--network", "paper", "--owner", OWNER, "--json");
  expect(ran).toMatchObject({ exitCode: 0, err: "" });
  made = JSON.parse(ran.out);
});

afterAll(() => workplace.remove());

function postern(...words: string[]) {
  const common = ["--data-dir", workplace.dataDirectory];
  const needsKeys = ["init", "agent new", "agent approve", "account add", "key keep"].some((name) =>
    words.join(" ").startsWith(name),
  );
  const keys = needsKeys ? ["--passphrase-file", workplace.passphraseFile] : [];
  return runHere([...words, ...common, ...keys]);
}

test("init makes a directory for its owner alone, with one account and one agent", async () => {
  expect(statSync(workplace.dataDirectory).mode & 0o777).toBe(0o700);
  expect(made).toMatchObject({
    network: "paper",
    owner: OWNER,
    agent_name: expect.stringMatching(/^postern-[a-z2-7]{5}-1$/),
  });
  const accounts = await postern("account", "list", "--json");
  expect(JSON.parse(accounts.out).accounts).toMatchObject([
    { id: made.account, kind: "main", owner: OWNER, trading_address: OWNER, parent: null },
  ]);
  const agents = await postern("agent", "list", "--json");
  expect(JSON.parse(agents.out).agents).toMatchObject([{ address: made.agent, state: "new", valid_until: null }]);
});

test("init leaves a directory with something in it alone", async () => {
  const before = readdirSync(workplace.dataDirectory).sort();
  expect(await postern("init", "--network", "paper", "--owner", OWNER)).toMatchObject({ exitCode: 1 });
  expect(readdirSync(workplace.dataDirectory).sort()).toEqual(before);
});

test("the passphrase and the agent's key are nowhere in the directory in the clear", () => {
  for (const name of readdirSync(workplace.dataDirectory)) {
    expect(readFileSync(join(workplace.dataDirectory, name)).includes(PASSPHRASE)).toBe(false);
  }
});

test("a wrong passphrase makes no agent", async () => {
  const other = makeWorkplace();
  await Bun.write(other.passphraseFile, "another passphrase\n");
  chmodSync(other.passphraseFile, 0o600);
  const words = ["agent", "new", "--data-dir", workplace.dataDirectory, "--passphrase-file", other.passphraseFile];
  const ran = await runHere(words);
  other.remove();
  expect(ran.exitCode).toBe(1);
  expect(ran.err).toContain("the passphrase is wrong");
});

test("a passphrase file that others can read is refused", async () => {
  const other = makeWorkplace();
  chmodSync(other.passphraseFile, 0o644);
  const words = ["agent", "new", "--data-dir", workplace.dataDirectory, "--passphrase-file", other.passphraseFile];
  const ran = await runHere(words);
  other.remove();
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(ran.err).toContain("chmod 600");
});

test("a second agent is made beside the first and the newest is the one to approve", async () => {
  const ran = await postern("agent", "new", "--json");
  expect(ran.exitCode).toBe(0);
  const agent = JSON.parse(ran.out).address;
  const approval = JSON.parse((await postern("agent", "approval", "--json")).out);
  expect(approval).toMatchObject({ agent, owner: OWNER, network: "paper" });
  expect(approval.typed_data).toMatchObject({
    primaryType: "HyperliquidTransaction:ApproveAgent",
    message: { hyperliquidChain: "Testnet", agentAddress: agent },
  });
});

test("an approval that another wallet signed is refused and named", async () => {
  const approval = JSON.parse((await postern("agent", "approval", "--json")).out);
  const signature = walletOf(secp256k1.utils.randomSecretKey()).sign(approval.typed_data);
  const ran = await postern("agent", "approve", "--signature", signature);
  expect(ran.exitCode).toBe(1);
  expect(ran.err).toContain(`the owner is ${OWNER}`);
});

test.each([[[]], [["--signature", "-"]]])(
  "a signature need not stand in the command line: agent approve %j",
  async (words) => {
    const approval = JSON.parse((await postern("agent", "approval", "--json")).out);
    const signature = walletOf(secp256k1.utils.randomSecretKey()).sign(approval.typed_data);
    const place = { POSTERN_DATA_DIR: workplace.dataDirectory, POSTERN_PASSPHRASE_FILE: workplace.passphraseFile };
    const ran = await runHere(["agent", "approve", ...words], place, ` ${signature} `);
    expect([ran.exitCode, ran.err]).toEqual([1, expect.stringContaining(`the owner is ${OWNER}`)]);
  },
);

test("no command that is printed has a place for a signature in it", async () => {
  for (const words of [
    ["agent", "approval"],
    ["key", "grant", "--key-hash", "ab".repeat(32)],
  ]) {
    const { out } = await postern(...words);
    expect(out).toMatch(/^ {2}postern (agent approve|key register) /m);
    expect(out).not.toContain("--signature");
  }
});

test("a grant says in what it binds and hashes as a wallet hashes it", async () => {
  const hash = "ab".repeat(32);
  const ran = await postern("key", "grant", "--key-hash", hash, "--scopes", "trading:write,trading:read", "--json");
  const grant = JSON.parse(ran.out);
  expect(grant.typed_data.message).toMatchObject({
    audience: "paper+http://127.0.0.1:8787",
    account: made.account,
    network: "exchange_mainnet",
    keyHash: `0x${hash}`,
    scopes: "trading:read,trading:write",
    issuedAt: grant.issued_at,
    expiresAt: 0,
  });
  expect(hashTypedData(grant.typed_data)).toMatch(/^0x[0-9a-f]{64}$/);
});

test("a sub-account belongs to a main account and is signed for by its owner", async () => {
  const address = `0x${"c0".repeat(20)}`;
  const words = ["account", "add", "--kind", "subaccount", "--label", "grid", "--address", address];
  expect(await postern(...words)).toMatchObject({ exitCode: 2 });
  const ran = await postern(...words, "--parent", made.account, "--json");
  expect(JSON.parse(ran.out)).toMatchObject({ kind: "subaccount", owner: OWNER, trading_address: address });
  expect(await postern(...words, "--parent", made.account)).toMatchObject({ exitCode: 1 });
  // With two accounts a grant has to name one.
  expect(await postern("key", "grant", "--key-hash", "ab".repeat(32))).toMatchObject({ exitCode: 2 });
  const { out } = await postern("key", "new");
  const grants = out.split("\n").filter((line) => line.startsWith("  postern key grant "));
  expect(grants.map((line) => line.split(" ")).map((words) => words[words.indexOf("--account") + 1])).toEqual(
    expect.arrayContaining([made.account, JSON.parse(ran.out).id]),
  );
});

test("keys are blocked and kept only where they are registered", async () => {
  for (const verb of ["block", "keep"]) {
    const ran = await postern("key", verb, "ab".repeat(32));
    expect(ran).toMatchObject({ exitCode: 1, out: "" });
    expect(ran.err).toContain("no key with this hash");
  }
});

/** Blocks a key whose hash nobody has registered, while another holds the directory until `freeAfter` times have been waited. */
async function blockBeside(freeAfter: number): Promise<{ exitCode: number; err: string; waited: number }> {
  const lock = takeLock(workplace.dataDirectory, 4711);
  let waited = 0;
  const sleep = async () => {
    waited += 1;
    if (waited === freeAfter) lock.release();
  };
  let err = "";
  const clock = { ...systemClock, elapsedMs: () => waited * 250, sleep };
  const words = ["key", "block", "ab".repeat(32), "--data-dir", workplace.dataDirectory];
  const warn = (text: string) => {
    err += text;
  };
  const exitCode = await run(words, outsideFor({ clock, warn }));
  if (waited < freeAfter) lock.release();
  return { exitCode, err, waited };
}

test("a change waits for a gateway that starts or ends: until it answers, or has let go", async () => {
  const ran = await blockBeside(3);
  expect(ran).toMatchObject({ exitCode: 1, waited: 3 });
  expect(ran.err).toContain("no key with this hash");
});

test("one that holds the directory and never answers is waited for twenty seconds, and named", async () => {
  const ran = await blockBeside(1_000);
  expect(ran).toMatchObject({ exitCode: 1, waited: 80 });
  expect(ran.err).toContain("is in use by process 4711");
});

test("commands say so when there is nothing set up", async () => {
  const ran = await runHere(["account", "list", "--data-dir", join(workplace.directory, "nowhere")]);
  expect(ran).toMatchObject({ exitCode: 1, out: "" });
  expect(ran.err).toContain("postern init");
});

const HASH = "ab".repeat(32);

test.each([
  "key untrip --bot grid-1",
  `key narrow ${HASH} --max-order any`,
  `key block ${HASH}`,
  `key keep ${HASH}`,
  "key list",
  "stop",
  "resume",
  `proposal approve ${HASH}`,
  "hook keep chart",
  "hook revoke chart",
  "notice remove desk",
  `agent retire ${OWNER}`,
  "account list",
  "doctor",
])("%s where no Postern is says where it looked and how another is named, and makes nothing", async (typed) => {
  const elsewhere = join(workplace.directory, "nothing-here");
  const ran = await runHere([...typed.split(" "), "--data-dir", elsewhere]);
  expect(ran).toMatchObject({ exitCode: 1, out: "" });
  expect(ran.err).toContain(`there is no Postern in ${elsewhere}.`);
  expect(ran.err).toContain("--data-dir DIRECTORY");
  expect(existsSync(elsewhere)).toBe(false);
});
