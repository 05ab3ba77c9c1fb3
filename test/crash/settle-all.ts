/** Every key is asked for again until everything is known. */
import { ask, type Client, isOpen } from "./clients.ts";
import type { Wish, Wishes } from "./wishes.ts";

/** While nothing happens the history stands still, and says nothing of what was refused and lost: between two more orders. */
const ORDER_EVERY_MS = 8_000;
const ROUND_MS = 250;

/** Gives back what is still open when the time is up. */
export async function settleAll(
  client: Client,
  wishes: Wishes,
  { clients, withinMs }: { clients: number; withinMs: number },
): Promise<readonly Wish[]> {
  const startedMs = performance.now();
  let open: Wish[] = [...wishes.all];
  let nextOrderMs = startedMs;
  while (open.length > 0 && performance.now() < startedMs + withinMs) {
    for (let from = 0; from < open.length; from += clients) {
      await Promise.all(open.slice(from, from + clients).map((wish) => ask(client, wish)));
    }
    open = open.filter(isOpen);
    if (open.length > 0) await Bun.sleep(ROUND_MS);
    if (open.length === 0 || performance.now() < nextOrderMs) continue;
    nextOrderMs = performance.now() + ORDER_EVERY_MS;
    const another = wishes.place();
    await ask(client, another);
    open = [...open, another].filter(isOpen);
  }
  return open;
}
