/** Clients of a gateway that may die at any moment: how they ask, and what they were told. */
import type { Heard, Wish, Wishes } from "./wishes.ts";

export type Client = { baseUrl: string; apiKey: string };

/** A request that has no answer by then has lost it, milliseconds. */
const REQUEST_DEADLINE_MS = 12_000;

/** Sends it once and writes down what came back. */
export async function ask({ baseUrl, apiKey }: Client, one: Wish): Promise<Heard | null> {
  try {
    const response = await fetch(baseUrl + one.path, {
      method: "POST",
      headers: { ...authorization(apiKey), "Content-Type": "application/json", "Idempotency-Key": one.key },
      body: JSON.stringify(one.body),
      signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
    });
    const heard = { status: response.status, body: await response.text() };
    one.heard.push(heard);
    return heard;
  } catch {
    one.lost += 1;
    return null;
  }
}

export async function readOrder({ baseUrl, apiKey }: Client, id: string) {
  const response = await fetch(`${baseUrl}/v1/orders/${id}`, { headers: authorization(apiKey) });
  return JSON.parse(await response.text());
}

/** What the gateway itself tells of what became of an order, as text. */
export async function readStory({ baseUrl, apiKey }: Client, id: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/orders/${id}/story`, { headers: authorization(apiKey) });
  return response.text();
}

function authorization(apiKey: string) {
  return { Authorization: `Bearer ${apiKey}` };
}

/** Concurrent clients, each with one request at a time, until the gateway is gone or `isOver`. */
export async function load(client: Client, wishes: Wishes, run: { clients: number; isOver: () => boolean }) {
  async function one(): Promise<void> {
    while (!run.isOver()) if ((await ask(client, wishes.next())) === null) return;
  }
  await Promise.all(Array.from({ length: run.clients }, one));
}

/** Rounds of asking for what is still unknown, a quarter of a second each. */
const MAX_ROUNDS = 160;
const ROUND_MS = 250;

/** Asks for all of them, one after the other, and again for what is still unknown; gives back what stays so. */
export async function askUntilKnown(client: Client, wishes: readonly Wish[]): Promise<readonly Wish[]> {
  let open = wishes;
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round += 1) {
    for (const wish of open) await ask(client, wish);
    open = open.filter(isOpen);
    if (open.length > 0) await Bun.sleep(ROUND_MS);
  }
  return open;
}

/** Unknown, not ready, or held up by another write that is itself still unknown. */
export function isOpen({ heard }: Wish): boolean {
  const last = heard.at(-1);
  if (last === undefined || last.status === 202 || last.status >= 500) return true;
  return last.status === 409 && last.body.includes("idempotency_in_progress");
}
