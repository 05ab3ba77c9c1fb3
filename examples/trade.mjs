/**
 * Places an order far below the market, moves on from every answer there can be, follows what happens without leaving anything out, and
 * cancels. Node.js 20 or newer, or Bun. The client lies beside it, as the gateway serves it, and the key is granted already (README,
 * "First order on paper", prints one):
 *
 *     curl -sO http://127.0.0.1:8787/llms/postern.js && mv postern.js postern.mjs
 *     POSTERN=http://127.0.0.1:8787 API_KEY=api_trade_... ACCOUNT=... node trade.mjs
 */
import { Postern, PosternError, round } from "./postern.mjs";

const { POSTERN = "http://127.0.0.1:8787", API_KEY, ACCOUNT } = process.env;
const postern = new Postern({ url: POSTERN, apiKey: API_KEY, account: ACCOUNT, keyPrefix: "example-" });

/** How often one wish is asked for again that nobody knows of, each time for two minutes, before a person has to look. */
const MAX_UNKNOWN = 3;

/** Calls with one key, made before the first request: write it down where a crash of this program does not lose it. */
async function once(call) {
  const key = postern.newKey();
  console.log("key", key);
  for (let tries = 1; ; tries += 1) {
    try {
      return await call({ key });
    } catch (error) {
      // `nothing_sent`: it is refused, and nothing happened. `unknown`: the same key tells, and no other.
      if (!(error instanceof PosternError) || error.outcome === "nothing_sent" || tries === MAX_UNKNOWN) throw error;
      console.error(error.code, "nobody knows yet what became of it: asking again under the same key");
    }
  }
}

/** Waits until the order is told to be so. */
async function waitFor(id, status) {
  for (;;) {
    const { value: event } = await events.next();
    // A `state` comes where the gateway does not know our place any more: what happened meanwhile is in the order itself.
    const order = event.type === "state" ? await postern.getOrder(id) : event.data;
    if (order.id === id && order.status === status) return event.id;
  }
}

// Before anything is asked for: the first that is told is how everything stands, and nothing is left out from there on.
const events = postern.follow();
const { value: state } = await events.next();
console.log("begins with", state.orders.length, "open orders, event", state.id);

const price = round(await postern.getMarket("BTC"), "price", "30000.57", "down");
const placed = await once((options) =>
  postern.placeOrder({ market: "BTC", side: "buy", size: "0.001", price }, options),
);
console.log("placed", placed.id, placed.status);
if (placed.status === "rejected") throw new Error(placed.error);
console.log("told open, event", await waitFor(placed.id, "open"));

const canceled = await once((options) => postern.cancelOrder(placed.id, options));
console.log("canceled", canceled.id, canceled.status);
console.log("told canceled, event", await waitFor(placed.id, "canceled"));
await events.return();
