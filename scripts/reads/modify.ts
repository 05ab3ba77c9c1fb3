/** One order that rests far away, modified again and again, and one that is placed after it. */
import type { Scene } from "../../test/crash/scene.ts";
import { openClient } from "./client.ts";
import type { KnownExchange } from "./exchange.ts";
import { judgeWeight, type Say } from "./judge.ts";
import { openNotes } from "./notes.ts";

type Modifying = { exchange: KnownExchange; scene: Scene; baseUrl: string; everyMs: number; runMs: number; say: Say };

const SETTLE_MS = 8_000;

export async function modifyOne({ exchange, scene, baseUrl, everyMs, runMs, say }: Modifying): Promise<void> {
  const notes = openNotes(exchange.truth);
  const client = openClient(baseUrl, scene.apiKey, notes);
  const order = { account: scene.account, market: "BTC", side: "buy", size: "0.001", price: "50000" };
  await Bun.sleep(SETTLE_MS);
  const placed = await client.post("/v1/orders", order);
  const startedMs = Date.now();
  notes.statuses.clear();
  let [count, slowestMs] = [0, 0];
  for (let nextMs = startedMs; Date.now() - startedMs < runMs; nextMs += everyMs) {
    await Bun.sleep(Math.max(0, nextMs - Date.now()));
    count += 1;
    const price = count % 2 === 0 ? "50000" : "50001";
    const { fromMs, toMs } = await client.post(`/v1/orders/${placed.body["id"]}/modify`, { price });
    slowestMs = Math.max(slowestMs, toMs - fromMs);
  }
  const answers = [...notes.statuses].map(([word, times]) => `${times} x ${word}`).join(", ");
  say(`${count} modifies, slowest ${slowestMs} ms: ${answers}`, [...notes.statuses.keys()].every(is2xx));
  for (const { atMs, text } of notes.refused.slice(0, 3)) console.log(`  after ${atMs - startedMs} ms: ${text}`);
  const spent = exchange.spent.filter(({ atMs }) => atMs >= startedMs).reduce((sum, { weight }) => sum + weight, 0);
  console.log(`weight a modify, everything else included: ${(spent / count).toFixed(2)}`);
  judgeWeight(exchange.spent, startedMs, say);
  const after = await client.post("/v1/orders", { ...order, price: "49000" });
  say(`an order after them: ${after.status} ${after.body["status"]}`, after.status === 201);
}

function is2xx(word: string): boolean {
  return word.startsWith("2");
}
