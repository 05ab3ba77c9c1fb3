/** One client of the gateway with a key of its own; what it is answered is noted. */
import { openEventReader } from "../../src/console/api/event-stream.ts";
import type { Answered, Notes, Row } from "./notes.ts";

export type Client = {
  get(path: string): Promise<Answered>;
  post(path: string, body: object): Promise<Answered>;
  /** Tells each event with the moment at which it came, until the stream ends. */
  follow(tell: (type: string, data: Row, atMs: number) => void): Promise<void>;
};

let keys = 0;

export function openClient(baseUrl: string, apiKey: string, notes: Notes): Client {
  const authorization = { Authorization: `Bearer ${apiKey}` };

  async function ask(path: string, init: RequestInit): Promise<Answered> {
    const fromMs = Date.now();
    const response = await fetch(baseUrl + path, init);
    const text = await response.text();
    const toMs = Date.now();
    // The gateway's own JSON.
    const method = init.method ?? "GET";
    const answered = {
      method,
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as Row,
      fromMs,
      toMs,
    };
    notes.note(path, answered);
    return answered;
  }

  return {
    get: (path) => ask(path, { headers: authorization }),
    post(path, body) {
      keys += 1;
      const headers = {
        ...authorization,
        "Content-Type": "application/json",
        "Idempotency-Key": `reads-of-truth-${keys}`,
      };
      return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
    },
    async follow(tell) {
      const response = await fetch(`${baseUrl}/v1/events`, { headers: authorization });
      const reader = openEventReader();
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        const atMs = Date.now();
        for (const { type, data } of reader.push(decoder.decode(piece, { stream: true }))) {
          // Ours, and always an object.
          tell(type, (JSON.parse(data) as { data?: Row }).data ?? {}, atMs);
        }
      }
    },
  };
}

/** Asks so often, one request at a time, until it is over. */
export async function poll(client: Client, path: string, everyMs: number, isOver: () => boolean): Promise<void> {
  for (let nextMs = performance.now(); !isOver(); nextMs = Math.max(nextMs + everyMs, performance.now())) {
    await Bun.sleep(Math.max(0, nextMs - performance.now()));
    await client.get(path);
  }
}

const FIGURES_MS = 5_000;
const LISTS_MS = 30_000;
const AFTER_EVENT_MS = 1_000;
const FIGURES = [
  "/v1/account",
  "/v1/positions?limit=200",
  "/v1/orders?status=open&limit=200",
  "/v1/status",
  "/v1/prices",
];
const LISTS = ["/v1/orders?limit=200", "/v1/operations?limit=200", "/v1/twaps?limit=200", "/v1/api-keys?state=all"];
const MOVING = new Set(["order", "fill", "operation", "position", "balance"]);

/** Asks as the owner's page does while somebody looks at it. */
export async function beAPage(client: Client, isOver: () => boolean, tell: Parameters<Client["follow"]>[0]) {
  let isReadingSoon = false;
  const read = (paths: readonly string[]) => Promise.all(paths.map((path) => client.get(path)));
  void client.follow((type, data, atMs) => {
    tell(type, data, atMs);
    if (isReadingSoon || !MOVING.has(type.split(".")[0] ?? "")) return;
    isReadingSoon = true;
    void Bun.sleep(AFTER_EVENT_MS).then(async () => {
      isReadingSoon = false;
      if (!isOver()) await read(FIGURES);
    });
  });
  await read(["/v1/markets", "/v1/fills?limit=200", ...FIGURES, ...LISTS]);
  for (let turn = 1; !isOver(); turn += 1) {
    await Bun.sleep(FIGURES_MS);
    await read(FIGURES);
    if (turn % (LISTS_MS / FIGURES_MS) === 0) await read(LISTS);
  }
}
