/** A paper exchange in a process of its own, and a data directory that an operator has set up against it. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runHere } from "../cli/outside.ts";
import { walletOf } from "../cli/wallet.ts";
import { type Program, type Started, start, waitUntilReady } from "./processes.ts";
import { UNLIMITED } from "./settings.ts";

/** The command's first words: a built executable, or the runtime and main.ts. */
export type Executable = readonly string[];

export type Scene = {
  directory: string;
  dataDirectory: string;
  exchangeDirectory: string;
  exchangeUrl: string;
  owner: string;
  /** The owner's own key: what is done by hand is signed with it. */
  ownerKey: Uint8Array;
  /** The owner's wallet. */
  sign: ReturnType<typeof walletOf>["sign"];
  passphraseFile: string;
  account: string;
  apiKey: string;
  /** How to start the gateway from this executable. */
  serve(executable: Executable, environment?: Record<string, string>): Program;
  /** One more API key, registered at this gateway. */
  newKey(gateway: Started): Promise<string>;
  /** Ends the exchange and removes everything. */
  close(): Promise<void>;
};

export const PASSPHRASE = "correct horse battery staple";

/** Unknown outcomes are provable soon. */
const SETTINGS = { ...UNLIMITED, POSTERN_ACTION_LIFE_MS: "5000", POSTERN_ANSWER_DEADLINE_MS: "2000" };

type Wanted = {
  executable: Executable;
  /** What the paper exchange's fault file holds. */
  faults: object;
  /** Where the gateway's directory goes, when not below the scene's own. */
  dataDirectory?: string;
  /** The address at which the gateway is to find the exchange, when something stands between them. */
  through?: (exchangeUrl: string) => string;
  /** An exchange of the caller's, which has money for this owner; left out, one of its own process. */
  exchange?: (owner: string) => RunningExchange;
};

type RunningExchange = { url: string; close(): Promise<unknown> };

export async function setScene({ executable, faults, through, ...wanted }: Wanted): Promise<Scene> {
  const directory = mkdtempSync(join(tmpdir(), "postern-crash-"));
  const dataDirectory = wanted.dataDirectory ?? join(directory, "data");
  const exchangeDirectory = join(directory, "exchange");
  const passphraseFile = join(directory, "passphrase");
  const faultFile = join(directory, "faults.json");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  writeFileSync(faultFile, JSON.stringify(faults));
  const ownerKey = new Uint8Array(randomBytes(32));
  const owner = walletOf(ownerKey);
  const kept = ["--data-dir", exchangeDirectory, "--faults", faultFile, "--fund", owner.address];
  const paper = [...executable, "paper", "--listen", "127.0.0.1:0", "--json", ...kept];
  const exchange = wanted.exchange?.(owner.address) ?? (await startExchange(paper));
  async function close(): Promise<void> {
    await exchange.close();
    rmSync(directory, { recursive: true, force: true });
  }
  const places = { directory, dataDirectory, exchangeDirectory, passphraseFile };
  try {
    const exchangeUrl = exchange.url;
    const made = await setUp({ executable, owner, places, exchangeUrl: through?.(exchangeUrl) ?? exchangeUrl });
    return { ...made, ownerKey, exchangeUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startExchange(command: readonly string[]): Promise<RunningExchange> {
  const exchange = await start({ command });
  if ("endedEarly" in exchange) throw new Error(`the exchange did not start: ${exchange.endedEarly}`);
  return { url: exchange.facts["exchange_url"] ?? "", close: () => exchange.kill() };
}

type SettingUp = {
  executable: Executable;
  owner: ReturnType<typeof walletOf>;
  places: Pick<Scene, "directory" | "dataDirectory" | "exchangeDirectory"> & { passphraseFile: string };
  exchangeUrl: string;
};

/** What an operator does: a directory, an agent that the owner approves, a gateway, an API key. */
async function setUp({
  executable,
  owner,
  places,
  exchangeUrl,
}: SettingUp): Promise<Omit<Scene, "close" | "ownerKey">> {
  const { passphraseFile, ...directories } = places;
  const { dataDirectory } = directories;
  const here = ["--data-dir", dataDirectory, "--json"];
  const network = ["--network", "paper", "--exchange-url", exchangeUrl];
  await postern(["init", ...network, "--owner", owner.address, "--passphrase-file", passphraseFile, ...here]);
  const approval = await postern(["agent", "approval", ...here]);
  const signed = ["--signature", owner.sign(approval.typed_data), "--passphrase-file", passphraseFile];
  await postern(["agent", "approve", ...signed, ...here]);

  function serve(program: Executable, environment: Record<string, string> = {}): Program {
    const words = ["serve", "--listen", "127.0.0.1:0", "--passphrase-file", passphraseFile, ...here];
    return { command: [...program, ...words], environment: { ...SETTINGS, ...environment } };
  }

  async function newKey(gateway: Started): Promise<string> {
    const made = await postern(["key", "new", "--json"]);
    await registerKey(gateway, { keyHash: made.key_hash, sign: owner.sign, here });
    return made.api_key;
  }

  const key = await postern(["key", "new", "--json"]);
  const gateway = await start(serve(executable));
  if ("endedEarly" in gateway) throw new Error(`the gateway did not start: ${gateway.endedEarly}`);
  try {
    const account = await registerKey(gateway, { keyHash: key.key_hash, sign: owner.sign, here });
    return {
      ...directories,
      exchangeUrl,
      owner: owner.address,
      sign: owner.sign,
      passphraseFile,
      account,
      serve,
      newKey,
      apiKey: key.api_key,
    };
  } finally {
    await gateway.kill("SIGTERM");
  }
}

type Registering = { keyHash: string; sign: ReturnType<typeof walletOf>["sign"]; here: readonly string[] };

async function registerKey(gateway: Started, { keyHash, sign, here }: Registering): Promise<string> {
  await waitUntilReady(gateway);
  const terms = ["--key-hash", keyHash, "--listen", new URL(gateway.facts["base_url"] ?? "").host, ...here];
  const grant = await postern(["key", "grant", ...terms]);
  const consent = ["--issued-at", String(grant.issued_at), "--signature", sign(grant.typed_data)];
  await postern(["key", "register", ...terms, ...consent]);
  return grant.account;
}

async function postern(words: readonly string[]) {
  const ran = await runHere(words);
  if (ran.exitCode !== 0) throw new Error(`postern ${words.join(" ")}: ${ran.err}`);
  return JSON.parse(ran.out);
}
