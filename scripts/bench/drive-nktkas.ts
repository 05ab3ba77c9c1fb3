/** Places orders with @nktkas/hyperliquid, as its own documentation begins: HTTP transport, viem account. */
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid";
import { privateKeyToAccount } from "viem/accounts";
import { serveLoads } from "./load.ts";

const [apiUrl = ""] = process.argv.slice(2);
const client = new ExchangeClient({
  transport: new HttpTransport({ apiUrl }),
  wallet: privateKeyToAccount(`0x${"41".repeat(32)}`),
});

async function place(): Promise<void> {
  const answer = await client.order({
    orders: [{ a: 0, b: true, p: "30000", s: "0.001", r: false, t: { limit: { tif: "Ioc" } } }],
    grouping: "na",
  });
  const [status] = answer.response.data.statuses;
  if (typeof status !== "object" || !("filled" in status)) throw new Error("the order was not filled");
}

await serveLoads(() => place);
