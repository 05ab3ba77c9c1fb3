/** A Postern of its own between the bot and the exchange of the scene, set up by the commands that an operator uses. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { newApiKey } from "../../src/cli/key/new.ts";
import { systemRandom } from "../../src/cli/system.ts";
import { keyHash } from "../../src/wire/grant.ts";
import type { Asked } from "./asked.ts";

const PROGRAM = join(import.meta.dir, "../../dist/postern");
const READY_TRIES = 200;
const READY_PAUSE_MS = 50;

export type Gateway = { url: string; accountId: string; apiKey: string; processId: number };

type TypedData = Parameters<ReturnType<typeof privateKeyToAccount>["signTypedData"]>[0];
type Said = { typed_data: TypedData; issued_at: number; account: string; base_url: string };

export async function openGateway({ url: exchangeUrl, account: owner, privateKey }: Asked): Promise<Gateway> {
  const directory = mkdtempSync(join(tmpdir(), "postern-scene-"));
  const wallet = privateKeyToAccount(privateKey);
  const passphrase = join(directory, "passphrase");
  writeFileSync(passphrase, "one scene long", { mode: 0o600 });
  mkdirSync(join(directory, "data"), { mode: 0o700 });
  const here = ["--data-dir", join(directory, "data")];
  const sealed = [...here, "--passphrase-file", passphrase];
  await say("init", "--network", "paper", "--exchange-url", exchangeUrl, "--owner", owner, ...sealed);
  const approval = await say("agent", "approval", ...here);
  const signature = await wallet.signTypedData(approval.typed_data);
  await say("agent", "approve", "--signature", signature, ...sealed);
  const child = Bun.spawn([PROGRAM, "serve", "--json", "--listen", "127.0.0.1:0", ...sealed], {
    stdout: "pipe",
    stderr: Bun.file(join(directory, "log")),
  });
  const { value } = await child.stdout.getReader().read();
  // The documented first line of --json.
  const { base_url: url } = JSON.parse(new TextDecoder().decode(value)) as Said;
  await ready(url);
  const apiKey = newApiKey(systemRandom);
  const terms = ["--key-hash", keyHash(apiKey), "--listen", new URL(url).host, ...here];
  const grant = await say("key", "grant", ...terms);
  const consent = await wallet.signTypedData(grant.typed_data);
  await say("key", "register", ...terms, "--issued-at", String(grant.issued_at), "--signature", consent);
  // Nothing of it outlives the scene: the runner of the scenes ends what the bot has started.
  return { url, accountId: grant.account, apiKey, processId: child.pid };
}

async function say(...words: readonly string[]): Promise<Said> {
  const child = Bun.spawn([PROGRAM, ...words, "--json"], { stdout: "pipe", stderr: "pipe" });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode !== 0) throw new Error(`postern ${words.slice(0, 2).join(" ")}: ${err}`);
  return JSON.parse(out) as Said;
}

async function ready(url: string): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.status === 200) return;
    await Bun.sleep(READY_PAUSE_MS);
  }
  throw new Error("the gateway is not ready");
}
