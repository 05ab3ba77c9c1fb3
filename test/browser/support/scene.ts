/** A gateway and a paper exchange as processes of their own, for a page to be opened on. */
import { join } from "node:path";
import { placesIn } from "../../../src/ops/data-directory.ts";
import { makeWorkplace, type Workplace } from "../../cli/outside.ts";
import { type Running, runProcess, startProcess } from "../../cli/process.ts";
import { newWallet, type TestWallet } from "./wallet.ts";

export type Scene = {
  wallet: TestWallet;
  baseUrl: string;
  exchangeUrl: string;
  /** The gateway's database, for who writes it while it is stopped. */
  database: string;
  /** Changes the exchange while it runs. */
  control(command: object): Promise<void>;
  stopGateway(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** On the port that it had. */
  startGateway(): Promise<void>;
  postern(...words: string[]): Promise<Record<string, string>>;
  end(): Promise<void>;
};

export type SceneOptions = {
  /** False where the page asks for the owner. */
  hasOwner?: boolean;
  environment?: Readonly<Record<string, string>>;
  /** Further addresses that the exchange gives money to. */
  fund?: readonly string[];
};

/** Funded owner, paper exchange, initialized directory, gateway running. */
export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { hasOwner = true, environment = {}, fund = [] } = options;
  const wallet = newWallet();
  const workplace = makeWorkplace();
  const words = [
    "paper",
    "--control",
    "--listen",
    "127.0.0.1:0",
    "--fund",
    [wallet.address, ...fund].join(","),
    "--json",
  ];
  const exchange = await startProcess([...words, "--data-dir", join(workplace.directory, "exchange")]);
  const exchangeUrl: string = JSON.parse(exchange.firstLine).exchange_url;
  const network = ["--network", "paper", "--exchange-url", exchangeUrl];
  const owner = hasOwner ? ["--owner", wallet.address] : [];
  await run(workplace, ["init", ...network, ...owner, "--passphrase-file", workplace.passphraseFile]);
  let gateway: Running | null = null;
  const scene: Scene = {
    wallet,
    exchangeUrl,
    database: placesIn(workplace.dataDirectory).database,
    baseUrl: "http://127.0.0.1:0",
    async control(command) {
      const answer = await fetch(`${exchangeUrl}/control`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(command),
      });
      if (!answer.ok) throw new Error(`control: ${await answer.text()}`);
    },
    async startGateway() {
      gateway = await serve(workplace, new URL(scene.baseUrl).host, environment);
      scene.baseUrl = JSON.parse(gateway.firstLine).base_url;
      await ready(scene.baseUrl);
    },
    async stopGateway(signal = "SIGTERM") {
      await gateway?.end(signal);
      gateway = null;
    },
    postern: (...words) => run(workplace, words),
    async end() {
      await gateway?.end("SIGKILL");
      await exchange.end("SIGKILL");
      workplace.remove();
    },
  };
  await scene.startGateway();
  return scene;
}

async function run(workplace: Workplace, words: readonly string[]): Promise<Record<string, string>> {
  const ran = await runProcess([...words, "--data-dir", workplace.dataDirectory, "--json"]);
  if (ran.exitCode !== 0) throw new Error(`postern ${words[0]} ${words[1]}: ${ran.err}`);
  return ran.out.trim() === "" ? {} : JSON.parse(ran.out);
}

function serve(workplace: Workplace, listen: string, environment: SceneOptions["environment"]): Promise<Running> {
  const where = ["--data-dir", workplace.dataDirectory, "--listen", listen, "--json"];
  return startProcess(["serve", ...where, "--passphrase-file", workplace.passphraseFile], 1, environment);
}

/** Tries, 100 ms apart, until orders are taken, or only what the page is to set up is missing, or somebody has stopped it. */
const READY_TRIES = 150;

async function ready(baseUrl: string): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (answer?.ok === true || /no_agent|not_set_up|trading_stopped/.test((await answer?.text()) ?? "")) return;
    await Bun.sleep(100);
  }
  throw new Error("the gateway does not become ready");
}

/** Agent approved and a key registered, as the commands do it; returns the key. */
export async function setUp(scene: Scene, scopes = "trading:read,trading:write"): Promise<string> {
  const { wallet } = scene;
  const approval = await scene.postern("agent", "approval").catch(() => null);
  if (approval !== null) {
    const signature = await wallet.sign(JSON.stringify(approval["typed_data"]));
    await scene.postern("agent", "approve", "--signature", signature);
  }
  return addKey(scene, scopes);
}

export async function addKey(scene: Scene, scopes: string): Promise<string> {
  const { wallet } = scene;
  const apiKey = `api_trade_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}`;
  const keyHash = new Bun.CryptoHasher("sha256").update(apiKey).digest("hex");
  const about = ["--key-hash", keyHash, "--scopes", scopes];
  const listen = ["--listen", new URL(scene.baseUrl).host];
  const grant = await scene.postern("key", "grant", ...about, ...listen);
  const signature = await wallet.sign(JSON.stringify(grant["typed_data"]));
  const issued = String(grant["issued_at"]);
  await scene.postern("key", "register", ...about, "--issued-at", issued, "--signature", signature, ...listen);
  return apiKey;
}

/** A key of a bot with the rails that are proposed, as the commands make it; returns the key. */
export async function addBot(scene: Scene, bot: string, markets: string): Promise<string> {
  const apiKey = `api_trade_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}`;
  const keyHash = new Bun.CryptoHasher("sha256").update(apiKey).digest("hex");
  const listen = ["--listen", new URL(scene.baseUrl).host];
  const about = ["--key-hash", keyHash, "--bot", bot, "--markets", markets];
  const { grant, typed_data: typedData } = await scene.postern("key", "grant", ...about, ...listen);
  const signature = await scene.wallet.sign(JSON.stringify(typedData));
  await scene.postern("key", "register", "--grant", JSON.stringify(grant), "--signature", signature, ...listen);
  return apiKey;
}

/** A client beside the page. */
export async function call<Body = Record<string, unknown>>(
  scene: Scene,
  apiKey: string,
  path: string,
  body?: object,
): Promise<Body> {
  const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  if (body !== undefined) headers["Idempotency-Key"] = `test-${crypto.randomUUID()}`;
  const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${scene.baseUrl}${path}`, init);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  // The caller knows the route.
  return (await answer.json()) as Body;
}
