import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExchangeClient, HttpTransport, InfoClient } from "@nktkas/hyperliquid";
import { privateKeyToAccount } from "viem/accounts";

const owner = privateKeyToAccount(`0x${"11".repeat(32)}`);
const ROUNDS = 3;
const ORDERS = 24;

type Child = { readonly url: string; kill(): Promise<void> };

async function start(directory: string): Promise<Child> {
  const script = join(import.meta.dir, "paper-child.ts");
  const child = Bun.spawn([process.execPath, script, directory, owner.address], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return {
    url: new TextDecoder().decode(value).trim(),
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Places many orders at once and kills the exchange when so many have been answered; gives back those. */
async function answeredBeforeDeath(child: Child, deaths: number): Promise<number[]> {
  const transport = new HttpTransport({ apiUrl: child.url, timeout: 5_000 });
  const client = new ExchangeClient({ transport, wallet: owner });
  const answered: number[] = [];
  const orders = Array.from({ length: ORDERS }, async (_one, index) => {
    const limit = {
      a: 0,
      b: true,
      p: String(60_000 + index),
      s: "0.001",
      r: false,
      t: { limit: { tif: "Gtc" as const } },
    };
    const { response } = await client.order({ orders: [limit], grouping: "na" });
    const [status] = response.data.statuses;
    if (typeof status === "object" && "resting" in status) answered.push(status.resting.oid);
    if (answered.length === deaths) await child.kill();
  });
  await Promise.allSettled(orders);
  return answered;
}

test("kill -9 in the middle of everything loses no order that was answered", async () => {
  const directory = mkdtempSync(join(tmpdir(), "paper-killed-"));
  const known = new Set<number>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const answered = await answeredBeforeDeath(await start(directory), 5 * round);
    expect(answered.length).toBeGreaterThanOrEqual(5 * round);
    for (const oid of answered) known.add(oid);
  }
  const last = await start(directory);
  const infoClient = new InfoClient({ transport: new HttpTransport({ apiUrl: last.url }) });
  const open = new Set((await infoClient.openOrders({ user: owner.address })).map(({ oid }) => oid));
  await last.kill();
  rmSync(directory, { recursive: true });
  expect([...known].filter((oid) => !open.has(oid))).toEqual([]);
});
