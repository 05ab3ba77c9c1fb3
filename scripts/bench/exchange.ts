/**
 * An exchange that does nothing: it answers /info and /exchange in the exchange's form, at once or as late as it was told
 * to, and on /ws it confirms subscriptions and tells fills when asked to. A process of its own; its first line is its URL.
 */
import type { ServerWebSocket } from "bun";

const META = {
  universe: [
    { name: "BTC", szDecimals: 5, maxLeverage: 40 },
    { name: "ETH", szDecimals: 4, maxLeverage: 25 },
  ],
};
const ASSET_CONTEXT = {
  funding: "0.0000125",
  openInterest: "31000.0",
  prevDayPx: "30000.0",
  dayNtlVlm: "1000000.0",
  premium: "0.0",
  oraclePx: "30000.0",
  markPx: "30000.0",
  midPx: "30000.0",
  impactPxs: ["30000.0", "30000.0"],
};
const SPOT_META = {
  tokens: [
    { name: "USDC", szDecimals: 8, weiDecimals: 8, index: 0, tokenId: `0x${"0".repeat(32)}`, isCanonical: true },
  ],
  universe: [],
};

/** Texts of what is asked again and again; `[]` is the answer to all other questions. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ["perpDexs", "[null]"],
  ["meta", JSON.stringify(META)],
  ["spotMeta", JSON.stringify(SPOT_META)],
  ["metaAndAssetCtxs", JSON.stringify([META, [ASSET_CONTEXT, ASSET_CONTEXT]])],
  ["allMids", JSON.stringify(Object.fromEntries(META.universe.map(({ name }) => [name, ASSET_CONTEXT.midPx])))],
]);

const SUMMARY = { accountValue: "1000000.0", totalNtlPos: "0.0", totalRawUsd: "1000000.0", totalMarginUsed: "0.0" };

/** An account that holds nothing, however much is filled: whoever judges by it has the gateway's own books beside it. */
function state() {
  return {
    marginSummary: SUMMARY,
    crossMarginSummary: SUMMARY,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: "1000000.0",
    assetPositions: [],
    time: Date.now(),
  };
}

const JSON_HEADERS = { headers: { "Content-Type": "application/json" } };
const FIRST_OID = 100_000_000_000;
/** Prices and states are told so often, milliseconds. */
const TELL_EVERY_MS = 1_000;
/** Fills told in one frame. */
const FILLS_A_FRAME = 10;

let oid = FIRST_OID;
let fillCount = 0;
/** How late /exchange and /nothing are answered, milliseconds. */
let distanceMs = 0;
let telling: ReturnType<typeof setInterval> | null = null;
const followers = new Map<ServerWebSocket<unknown>, string>();

function info(body: string): Response {
  // Our own clients ask; whatever else came would end in an empty list.
  const { type } = JSON.parse(body) as { type?: string };
  if (type === "exchangeStatus") return new Response(`{"time":${Date.now()},"specialStatuses":null}`, JSON_HEADERS);
  if (type === "clearinghouseState") return new Response(JSON.stringify(state()), JSON_HEADERS);
  return new Response(ANSWERS.get(type ?? "") ?? "[]", JSON_HEADERS);
}

/** Every order fills at once and whole, at its price. */
function exchange(body: string): Response {
  if (!body.includes('"type":"order"')) {
    return new Response('{"status":"ok","response":{"type":"default"}}', JSON_HEADERS);
  }
  oid += 1;
  const cloid = /"c":"(0x[0-9a-f]{32})"/.exec(body)?.[1];
  const named = cloid === undefined ? "" : `,"cloid":"${cloid}"`;
  const status = `{"filled":{"totalSz":"0.001","avgPx":"30000.0","oid":${oid}${named}}}`;
  return new Response(`{"status":"ok","response":{"type":"order","data":{"statuses":[${status}]}}}`, JSON_HEADERS);
}

/** At once where it is not away: a timer of none would be a turn of the loop. */
function afar(answer: Response): Response | Promise<Response> {
  return distanceMs === 0 ? answer : Bun.sleep(distanceMs).then(() => answer);
}

function fill() {
  fillCount += 1;
  return {
    coin: "BTC",
    px: "30000.0",
    sz: "0.001",
    side: "B",
    time: Date.now(),
    startPosition: "0.0",
    dir: "Open Long",
    closedPnl: "0.0",
    hash: `0x${fillCount.toString(16).padStart(64, "0")}`,
    // Of orders placed elsewhere and of our own.
    oid: FIRST_OID - 1 - Math.floor(fillCount / 3),
    crossed: true,
    fee: "0.009",
    tid: fillCount,
    feeToken: "USDC",
  };
}

function tellFills(perSecond: number): void {
  if (telling !== null) clearInterval(telling);
  telling = null;
  if (perSecond === 0) return;
  telling = setInterval(
    () => {
      for (const [socket, user] of followers) {
        const fills = Array.from({ length: FILLS_A_FRAME }, fill);
        socket.send(JSON.stringify({ channel: "userFills", data: { isSnapshot: false, user, fills } }));
      }
    },
    (1_000 * FILLS_A_FRAME) / perSecond,
  );
}

/** What is told of a subscription again and again; null for one of which nothing is. */
function frameOf({ type, coin = "", user = "", dex = "" }: Subscription): string | null {
  if (type === "activeAssetCtx") return JSON.stringify({ channel: type, data: { coin, ctx: ASSET_CONTEXT } });
  if (type !== "clearinghouseState") return null;
  return JSON.stringify({ channel: type, data: { dex, user, clearinghouseState: state() } });
}

type Subscription = { type: string; user?: string; coin?: string; dex?: string };

const subscribed = new Map<ServerWebSocket<unknown>, Subscription[]>();

function hear(socket: ServerWebSocket<unknown>, text: string): void {
  // The gateway's own messages.
  const message = JSON.parse(text) as { method: string; subscription?: Subscription };
  const { method, subscription } = message;
  if (method === "ping") socket.send('{"channel":"pong"}');
  if (subscription === undefined) return;
  socket.send(JSON.stringify({ channel: "subscriptionResponse", data: message }));
  if (method !== "subscribe") return;
  if (subscription.type === "userFills") followers.set(socket, subscription.user ?? "");
  subscribed.set(socket, [...(subscribed.get(socket) ?? []), subscription]);
  const first = frameOf(subscription);
  if (first !== null) socket.send(first);
}

setInterval(() => {
  for (const [socket, subscriptions] of subscribed) {
    for (const frame of subscriptions.map(frameOf)) if (frame !== null) socket.send(frame);
  }
}, TELL_EVERY_MS);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  // Drivers take turns: a connection that nobody uses for a while is no reason to end a run.
  idleTimeout: 0,
  routes: {
    "/exchange": { POST: async (request) => afar(exchange(await request.text())) },
    "/info": { POST: async (request) => info(await request.text()) },
    /** What a round trip costs by itself. */
    "/nothing": { POST: async (request) => afar(new Response(await request.text().then(() => "{}"), JSON_HEADERS)) },
    "/distance/:ms": {
      POST: (request) => {
        distanceMs = Number(request.params.ms);
        return new Response("{}");
      },
    },
    "/fills/:perSecond": {
      POST: (request) => {
        tellFills(Number(request.params.perSecond));
        return new Response(String(fillCount));
      },
    },
  },
  fetch: (request, self) =>
    new URL(request.url).pathname === "/ws" && self.upgrade(request) ? undefined : new Response("", { status: 404 }),
  websocket: {
    message: (socket, text) => hear(socket, String(text)),
    close: (socket) => {
      followers.delete(socket);
      subscribed.delete(socket);
    },
  },
});

console.log(JSON.stringify({ url: server.url.origin }));
