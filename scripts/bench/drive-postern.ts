/**
 * Asks the gateway. What is compared goes by the runtime's own HTTP client, as the libraries' requests do. What is told of
 * the gateway alone goes over kept-alive connections of our own making: requests are written as bytes, and of the answers
 * only the status and the end are looked at.
 */
import { type Load, serveLoads } from "./load.ts";

const [gatewayUrl = "", exchangeUrl = "", account = "", apiKey = ""] = process.argv.slice(2);

/** Characters of an answer that are kept for an error. */
const SHOWN = 300;

type Wire = { ask(request: string): Promise<string> };

/** One connection; one request at a time. `onClosed`: whoever has had nothing to do for long is left by the server. */
async function openWire(url: string, onClosed: () => void): Promise<Wire> {
  const { hostname, port } = new URL(url);
  let received = "";
  let answered: { resolve(answer: string): void; reject(error: Error): void } | null = null;
  function take(): void {
    const headEnd = received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: *([0-9]+)/i.exec(received.slice(0, headEnd))?.[1];
    if (length === undefined) throw new Error(`no Content-Length: ${received.slice(0, SHOWN)}`);
    const end = headEnd + 4 + Number(length);
    // Answers are ASCII: characters are bytes.
    if (received.length < end) return;
    const answer = received.slice(0, end);
    received = received.slice(end);
    answered?.resolve(answer);
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, bytes) {
        received += bytes.toString("latin1");
        take();
      },
      close() {
        onClosed();
        answered?.reject(new Error("the gateway closed the connection"));
      },
    },
  });
  socket.setNoDelay(true);
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        answered = { resolve, reject };
        socket.write(request);
      }),
  };
}

const wires = new Map<string, Promise<Wire>>();

function wireOf(url: string, lane: number): Promise<Wire> {
  const name = `${url} ${lane}`;
  const known = wires.get(name);
  if (known !== undefined) return known;
  const opened = openWire(url, () => wires.delete(name));
  wires.set(name, opened);
  return opened;
}

const body = JSON.stringify({
  account,
  market: "BTC",
  side: "buy",
  size: "0.001",
  price: "30000",
  time_in_force: "ioc",
});
const run = Date.now().toString(36);
let placed = 0;
/** Of orders that have been placed, to be read back. */
const ids: string[] = [];
const MAX_IDS = 1_000;

function keepId(id: string): void {
  if (ids.length < MAX_IDS) ids.push(id);
}

function post(url: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}Content-Length: ${body.length}\r\n\r\n`;
}

const AUTHORIZATION = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
const placeHead = post(gatewayUrl, "/v1/orders", AUTHORIZATION).slice(0, -2);
const bareRequest = post(exchangeUrl, "/nothing", AUTHORIZATION) + body;

async function placeRaw(lane: number): Promise<void> {
  // Before anything is awaited: all lanes begin in one turn, and each has a key of its own.
  placed += 1;
  const key = `bench-${run}-${placed}`;
  const wire = await wireOf(gatewayUrl, lane);
  const answer = await wire.ask(`${placeHead}Idempotency-Key: ${key}\r\n\r\n${body}`);
  if (!answer.startsWith("HTTP/1.1 201") || !answer.includes('"status":"filled"')) {
    throw new Error(`not placed: ${answer.slice(0, SHOWN)}`);
  }
  keepId(/"id":"([0-9a-f-]{36})"/.exec(answer)?.[1] ?? "");
}

async function bareRaw(lane: number): Promise<void> {
  const wire = await wireOf(exchangeUrl, lane);
  const answer = await wire.ask(bareRequest);
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(answer.slice(0, SHOWN));
}

async function bare(): Promise<void> {
  const response = await fetch(`${exchangeUrl}/nothing`, { method: "POST", headers: AUTHORIZATION, body });
  await response.json();
  if (response.status !== 200) throw new Error(`not answered: ${response.status}`);
}

async function place(): Promise<void> {
  placed += 1;
  const response = await fetch(`${gatewayUrl}/v1/orders`, {
    method: "POST",
    headers: { ...AUTHORIZATION, "Idempotency-Key": `bench-${run}-${placed}` },
    body,
  });
  const order = (await response.json()) as { id?: string; status?: string };
  if (response.status !== 201 || order.status !== "filled") throw new Error(`not placed: ${response.status}`);
  keepId(order.id ?? "");
}

function get(path: string): (lane: number) => Promise<void> {
  const head = `Host: ${new URL(gatewayUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
  return async (lane) => {
    const wire = await wireOf(gatewayUrl, lane);
    const answer = await wire.ask(`GET ${path} HTTP/1.1\r\n${head}`);
    if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`not read: ${answer.slice(0, SHOWN)}`);
  };
}

function readOne(): (lane: number) => Promise<void> {
  let next = 0;
  return async (lane) => {
    next += 1;
    await get(`/v1/orders/${ids[next % ids.length] ?? ""}`)(lane);
  };
}

function callOf({ what }: Load): (lane: number) => Promise<void> {
  switch (what) {
    case "place":
      return place;
    case "placeRaw":
      return placeRaw;
    case "bare":
      return bare;
    case "bareRaw":
      return bareRaw;
    case "read":
      return readOne();
    case "list":
      return get("/v1/orders");
    case "open":
      return get("/v1/orders?status=open");
    case "positions":
    case "account":
      return get(`/v1/${what}`);
    case "health":
      return get("/healthz");
    case "deep":
      return get(`/v1/orders?cursor=${process.env["BENCH_CURSOR"] ?? ""}`);
  }
}

await serveLoads(callOf);
