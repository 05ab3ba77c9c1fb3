/** A gateway that nobody has set up, and a session of its set-up. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runHere } from "../cli/outside.ts";
import { type Started, start } from "../crash/processes.ts";
import { PASSPHRASE } from "../crash/scene.ts";
import { UNLIMITED } from "../crash/settings.ts";

export type SetupSession = { gateway: Started; token: string; close(): Promise<void> };

const TOKEN = `setup_${"5e".repeat(32)}`;
const OWNER = `0x${"7e".repeat(20)}`;

export async function openSetupSession(executable: string, exchangeUrl: string): Promise<SetupSession> {
  const directory = mkdtempSync(join(tmpdir(), "postern-costs-"));
  const passphraseFile = join(directory, "passphrase");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  const here = ["--data-dir", join(directory, "data"), "--json"];
  await postern([
    "init",
    "--network",
    "paper",
    "--exchange-url",
    exchangeUrl,
    "--passphrase-file",
    passphraseFile,
    ...here,
  ]);
  const serve = ["serve", "--listen", "127.0.0.1:0", "--passphrase-file", passphraseFile, ...here];
  const gateway = await start({ command: [executable, ...serve], environment: UNLIMITED });
  if ("endedEarly" in gateway) throw new Error(`the gateway did not start: ${gateway.endedEarly}`);
  const { setup_url: link } = JSON.parse(await postern(["setup", ...here]));
  const ask = (path: string, token: string, body: object) =>
    post(`${gateway.facts["base_url"]}/v1/setup${path}`, token, body);
  const session_hash = createHash("sha256").update(TOKEN, "ascii").digest("hex");
  await ask("/claim", String(link).split("=")[1] ?? "", { session_hash });
  await ask("/owner", TOKEN, { address: OWNER });
  return {
    gateway,
    token: TOKEN,
    async close() {
      await gateway.kill("SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function post(url: string, token: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}

async function postern(words: readonly string[]): Promise<string> {
  const ran = await runHere(words);
  if (ran.exitCode !== 0) throw new Error(`postern ${words.join(" ")}: ${ran.err}`);
  return ran.out;
}
