/** The careful bot with @nktkas/hyperliquid. */
import { ExchangeClient, HttpTransport, InfoClient, SubscriptionClient, WebSocketTransport } from "@nktkas/hyperliquid";
import type { OrderParameters } from "@nktkas/hyperliquid/api/exchange";
import { privateKeyToAccount } from "viem/accounts";
import type { Asked } from "./asked.ts";
import { type Library, type Order, trade } from "./careful.ts";

type Wire = OrderParameters["orders"][number];

await trade(open);

async function open({ task, url, webSocketUrl, account: user, privateKey, market }: Asked): Promise<Library> {
  const transport = new HttpTransport({ apiUrl: url, isTestnet: true });
  const info = new InfoClient({ transport });
  const exchange = new ExchangeClient({ transport, wallet: privateKeyToAccount(privateKey) });
  const asset = (await info.meta()).universe.findIndex(({ name }) => name === market);
  const news = task === "follow" ? await streamOf(webSocketUrl, user) : () => new Promise<void>(() => {});
  return {
    news,
    async place(order) {
      const orders = [wireOf(order, asset), ...exitsOf(order, asset)];
      await exchange.order({ orders, grouping: orders.length > 1 ? "normalTpsl" : "na" });
    },
    async move(order, price) {
      await exchange.batchModify({ modifies: [{ oid: order.id, order: { ...wireOf(order, asset), p: price } }] });
    },
    async cancel({ id: cloid }) {
      await exchange.cancelByCloid({ cancels: [{ asset, cloid }] });
    },
    async look({ id: oid }) {
      const answer = await info.orderStatus({ user, oid });
      if (answer.status !== "order") return null;
      const { order, status } = answer.order;
      const filled = Number(order.origSz) - Number(order.sz);
      return { isOpen: status === "open" || status === "triggered", filled, price: Number(order.limitPx) };
    },
    async position() {
      const { assetPositions } = await info.clearinghouseState({ user });
      return Number(assetPositions.find(({ position }) => position.coin === market)?.position.szi ?? "0");
    },
  };
}

async function streamOf(url: string, user: `0x${string}`): Promise<() => Promise<void>> {
  let wake: () => void = () => {};
  const client = new SubscriptionClient({ transport: new WebSocketTransport({ url }) });
  await client.orderUpdates({ user }, () => wake());
  return () => new Promise((resolve) => (wake = resolve));
}

function wireOf({ id, isBuy, size, price, kind, isReduceOnly, stopPrice = "" }: Order, a: number): Wire {
  const tif = { ioc: "Ioc", "post-only": "Alo", gtc: "Gtc" } as const;
  const t: Wire["t"] =
    kind === "stop" ? { trigger: { isMarket: true, triggerPx: stopPrice, tpsl: "sl" } } : { limit: { tif: tif[kind] } };
  return { a, b: isBuy, p: price, s: size, r: isReduceOnly, t, c: id };
}

/** The stop and the take profit of an entry. */
function exitsOf({ kind, isBuy, size, stopPrice, takeProfitPrice }: Order, a: number): Wire[] {
  if (kind === "stop" || stopPrice === undefined || takeProfitPrice === undefined) return [];
  const worst = (price: string) => String(Math.round(Number(price) * (isBuy ? 0.9 : 1.1)));
  const exit = (tpsl: "tp" | "sl", triggerPx: string): Wire => ({
    a,
    b: !isBuy,
    p: worst(triggerPx),
    s: size,
    r: true,
    t: { trigger: { isMarket: true, triggerPx, tpsl } },
  });
  return [exit("tp", takeProfitPrice), exit("sl", stopPrice)];
}
