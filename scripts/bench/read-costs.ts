/**
 * What the lists of an account cost where its feed is live and it has just traded a lot: an exchange of ours that tells states,
 * positions in three markets, orders that rest, and more fills than are remembered of what the account was told.
 */
import { start, waitUntilReady } from "../../test/crash/processes.ts";
import { setScene } from "../../test/crash/scene.ts";
import { UNLIMITED } from "../../test/crash/settings.ts";
import { figuresOf, round } from "./figures.ts";
import { processorMs } from "./machine.ts";
import { onBun, openDriver } from "./processes.ts";

/** The first asks for nothing: what a request costs by itself, on this machine and at this moment. */
const LISTS = ["health", "positions", "open", "account"] as const;

type List = (typeof LISTS)[number];

type ReadCost = { p50Ms: number; p99Ms: number; processorMs: number };

/** `processorMs`: of the gateway, by the kernel, for one of them; what its feed tells meanwhile is part of it. */
export type ReadCosts = Record<List, ReadCost>;

const POSITIONS = [
  ["BTC", "0.001", "120000"],
  ["ETH", "0.05", "5000"],
  ["SOL", "1", "300"],
] as const;
const RESTING = 10;
const FILLS = 150;
/** Until the feed is live, and everything that was told is shown, milliseconds. */
const SETTLE_MS = 8_000;
/** Left out, for each that is measured: the runtime compiles for some 10,000 requests. */
const WARM_UP_SHARE = 3;

/** @param count requests of each list, over one kept-alive connection, one at a time */
export async function readCosts(executable: string, count: number): Promise<ReadCosts> {
  const scene = await setScene({
    executable: [executable],
    faults: { rules: [], states: { onChange: true, everyTicks: 5 } },
  });
  const gateway = await start(scene.serve([executable], { ...UNLIMITED, POSTERN_DEXES: "xyz" }));
  if ("endedEarly" in gateway) throw new Error(`the gateway did not start: ${gateway.endedEarly}`);
  const url = gateway.facts["base_url"] ?? "";
  const driver = openDriver(onBun("drive-postern.ts", url, scene.exchangeUrl, scene.account, scene.apiKey));
  try {
    await waitUntilReady(gateway);
    await trade(url, scene);
    await Bun.sleep(SETTLE_MS);
    await requireLive(url, scene.apiKey);
    const measured: [List, ReadCost][] = [];
    for (const what of LISTS) {
      await driver.run({ what, count: count * WARM_UP_SHARE, inFlight: 1 });
      const beforeMs = processorMs(gateway.pid);
      const { p50Ms, p99Ms } = figuresOf(await driver.run({ what, count, inFlight: 1 }));
      measured.push([what, { p50Ms, p99Ms, processorMs: round((processorMs(gateway.pid) - beforeMs) / count) }]);
    }
    // All of LISTS.
    return Object.fromEntries(measured) as ReadCosts;
  } finally {
    await driver.stop();
    await gateway.kill("SIGTERM");
    await scene.close();
  }
}

type Trader = { account: string; apiKey: string };

async function trade(url: string, trader: Trader): Promise<void> {
  for (const [market, size, price] of POSITIONS)
    await place(url, trader, { market, side: "buy", size, price, time_in_force: "ioc" });
  for (let nth = 0; nth < RESTING; nth += 1)
    await place(url, trader, { market: "BTC", side: "buy", size: "0.001", price: String(20_000 + nth) });
  for (let nth = 0; nth < FILLS; nth += 1) {
    const [side, price] = nth % 2 === 0 ? ["buy", "120000"] : ["sell", "40000"];
    await place(url, trader, { market: "BTC", side, size: "0.001", price, time_in_force: "ioc" });
  }
}

let placed = 0;

async function place(url: string, { account, apiKey }: Trader, order: object): Promise<void> {
  placed += 1;
  const response = await fetch(`${url}/v1/orders`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      "Idempotency-Key": `bench-reads-${placed}`,
    },
    body: JSON.stringify({ account, ...order }),
  });
  const { status, error } = (await response.json()) as { status?: string; error?: unknown };
  if (response.status !== 201 || status === "rejected")
    throw new Error(`not placed: ${response.status} ${JSON.stringify(error)}`);
}

async function requireLive(url: string, apiKey: string): Promise<void> {
  const response = await fetch(`${url}/v1/status`, { headers: { Authorization: `Bearer ${apiKey}` } });
  const { feed_live: isLive } = (await response.json()) as { feed_live?: boolean };
  if (isLive !== true) throw new Error("bench: the feed of the account is not live");
}
