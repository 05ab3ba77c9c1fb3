/** The careful bot with ccxt, its websocket part too. Its settings are its own but for where the exchange is. */
import { join } from "node:path";
import type { Asked } from "./asked.ts";
import { type Library, type Order, trade } from "./careful.ts";

type CcxtOrder = { id?: string; status?: string; filled?: number; price?: number };
type Exchange = {
  urls: { api: unknown };
  loadHttpProxyAgent(): Promise<unknown>;
  loadMarkets(): Promise<unknown>;
  createOrder(...order: readonly unknown[]): Promise<CcxtOrder>;
  editOrder(...order: readonly unknown[]): Promise<CcxtOrder>;
  cancelOrder(id: string, symbol: string, parameters: object): Promise<unknown>;
  fetchOrder(id: string, symbol: string): Promise<CcxtOrder>;
  fetchPositions(symbols: readonly string[]): Promise<{ contracts?: number; side?: string }[]>;
  watchOrders(symbol: string): Promise<unknown>;
};
type Ccxt = { pro: { hyperliquid: new (options: object) => Exchange } };

// Installed below scripts/bench alone, where the type checker does not look.
const path = join(import.meta.dir, "../bench/node_modules/ccxt/js/ccxt.js");
const { default: ccxt } = (await import(path)) as { default: Ccxt };

await trade(open);

async function open({ task, url, webSocketUrl, account, privateKey, market }: Asked): Promise<Library> {
  const exchange = new ccxt.pro.hyperliquid({ walletAddress: account, privateKey, options: { sandboxMode: true } });
  exchange.urls.api = { public: url, private: url, ws: { public: webSocketUrl } };
  // Its websockets need this where there is no TLS.
  await exchange.loadHttpProxyAgent();
  await exchange.loadMarkets();
  const symbol = `${market}/USDC:USDC`;
  /** Native ids by client order id, as last heard. */
  const ids = new Map<string, string>();
  // The stream is there before the order.
  let told = task === "follow" ? watch() : new Promise(() => {});
  function watch(): Promise<unknown> {
    return exchange.watchOrders(symbol).catch((error: unknown) => {
      console.error(`stream: ${error}`);
      return new Promise(() => {});
    });
  }
  // An entry shares its client order id with its exits, so it is asked for by its own.
  const nameOf = ({ id, takeProfitPrice }: Order) => (takeProfitPrice === undefined ? id : (ids.get(id) ?? id));
  const side = ({ isBuy }: Order) => (isBuy ? "buy" : "sell");
  return {
    async place(order) {
      const { kind, size, price } = order;
      const type = kind === "stop" ? "market" : "limit";
      const words = [symbol, type, side(order), Number(size), Number(price)];
      const { id } = await exchange.createOrder(...words, parametersOf(order));
      if (id !== undefined) ids.set(order.id, id);
    },
    async move(order, price) {
      const words = [symbol, "limit", side(order), Number(order.size), Number(price)];
      const { id } = await exchange.editOrder(ids.get(order.id), ...words, parametersOf(order));
      if (id !== undefined) ids.set(order.id, id);
    },
    async cancel(order) {
      const name = nameOf(order);
      await exchange.cancelOrder(name, symbol, name === order.id ? { clientOrderId: name } : {});
    },
    async look(wanted) {
      const order = await exchange.fetchOrder(nameOf(wanted), symbol);
      if (order.id === undefined) return null;
      ids.set(wanted.id, order.id);
      return { isOpen: order.status === "open", filled: order.filled ?? 0, price: order.price ?? 0 };
    },
    async position() {
      const [held] = await exchange.fetchPositions([symbol]);
      const contracts = held?.contracts ?? 0;
      return held?.side === "short" ? -contracts : contracts;
    },
    async news() {
      await told;
      told = watch();
    },
  };
}

function parametersOf({ id, kind, isReduceOnly, stopPrice, takeProfitPrice }: Order): object {
  const shared = { clientOrderId: id, reduceOnly: isReduceOnly };
  if (kind === "stop") return { ...shared, stopLossPrice: Number(stopPrice) };
  if (kind !== "gtc") return { ...shared, ...(kind === "ioc" ? { timeInForce: "IOC" } : { postOnly: true }) };
  if (stopPrice === undefined || takeProfitPrice === undefined) return shared;
  const exit = (price: string) => ({ triggerPrice: Number(price), price: Number(price), type: "market" });
  return { ...shared, stopLoss: exit(stopPrice), takeProfit: exit(takeProfitPrice) };
}
