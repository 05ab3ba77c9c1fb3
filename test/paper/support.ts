/** A paper exchange with a clock that the test moves, and clients that are not ours. */
import { ExchangeClient, HttpTransport, InfoClient } from "@nktkas/hyperliquid";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import {
  createPaperExchange,
  PAPER_DEFAULTS,
  type PaperExchange,
  type PaperOptions,
} from "../../src/paper/paper-exchange.ts";
import { type PaperServer, servePaper } from "../../src/paper/server.ts";

export const START_MS = 1_795_000_000_000;

export type Bench = {
  readonly paper: PaperExchange;
  readonly owner: PrivateKeyAccount;
  nowMs: number;
  /** Moves the clock and lets the ticks happen. */
  pass(ms: number): void;
  info(request: unknown): Promise<unknown>;
  post(path: string, body: string, contentType?: string | null): Promise<Response>;
};

/** A funded owner and a still clock. */
export function bench(options: Partial<PaperOptions> = {}): Bench {
  const owner = privateKeyToAccount(`0x${"11".repeat(32)}`);
  const made = {
    owner,
    nowMs: START_MS,
    pass(ms: number): void {
      made.nowMs += ms;
      made.paper.step(made.nowMs);
    },
    async info(request: unknown): Promise<unknown> {
      const response = await made.post("/info", JSON.stringify(request));
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${text}`);
      return JSON.parse(text);
    },
    post(path: string, body: string, contentType: string | null = "application/json"): Promise<Response> {
      const headers: Record<string, string> = contentType === null ? {} : { "content-type": contentType };
      return made.paper.handle(
        new Request(`http://paper.test${path}`, { method: "POST", headers, body: new TextEncoder().encode(body) }),
      );
    },
  } as Bench & { paper: PaperExchange };
  made.paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    fund: [owner.address],
    nowMs: () => made.nowMs,
    sleep: () => Promise.resolve(),
    ...options,
  });
  return made;
}

export type Served = Bench & {
  readonly server: PaperServer;
  readonly infoClient: InfoClient;
  clientOf(wallet: PrivateKeyAccount): ExchangeClient;
  readonly client: ExchangeClient;
};

/** On a free port of loopback, without ticks of its own: the test passes the time. */
export function serve(options: Partial<PaperOptions> = {}): Served {
  const started = bench(options);
  const server = servePaper(started.paper, { hostname: "127.0.0.1", port: 0, every: () => () => {} });
  const transport = new HttpTransport({ apiUrl: server.url, timeout: 5_000 });
  let nonce = 0;
  const clientOf = (wallet: PrivateKeyAccount) =>
    new ExchangeClient({ transport, wallet, nonceManager: () => (nonce = Math.max(nonce + 1, started.nowMs)) });
  return Object.assign(started, {
    server,
    infoClient: new InfoClient({ transport }),
    clientOf,
    client: clientOf(started.owner),
  });
}

export function stranger(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}
