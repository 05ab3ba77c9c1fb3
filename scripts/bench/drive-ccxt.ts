/**
 * Places orders with ccxt. Runs on Node.js, where ccxt's users are. Its limiter is off, and so are the requests that it
 * would make once before the first order (referral, builder approval, account mode).
 */
import { serveLoads } from "./load.ts";

type Ccxt = {
  hyperliquid: new (
    options: object,
  ) => {
    urls: { api: Record<string, string> };
    loadMarkets(): Promise<unknown>;
    createOrder(
      ...order: [symbol: string, type: string, side: string, amount: number, price: number, parameters: object]
    ): Promise<{ status?: string; id?: string }>;
  };
};

const [apiUrl = "", ccxtPath = ""] = process.argv.slice(2);
// Installed below scripts/bench alone, where the type checker does not look.
const { default: ccxt } = (await import(ccxtPath)) as { default: Ccxt };
const client = new ccxt.hyperliquid({
  walletAddress: `0x${"1".repeat(40)}`,
  privateKey: `0x${"41".repeat(32)}`,
  enableRateLimit: false,
  options: {
    fetchMarkets: { types: ["swap"] },
    approvedBuilderFee: true,
    builderFee: false,
    refSet: true,
    enableUnifiedMargin: false,
  },
});
client.urls.api = { public: apiUrl, private: apiUrl };
await client.loadMarkets();

async function place(): Promise<void> {
  const order = await client.createOrder("BTC/USDC:USDC", "limit", "buy", 0.001, 30_000, { timeInForce: "IOC" });
  if (order.id === undefined) throw new Error("the order was not filled");
}

await serveLoads(() => place);
