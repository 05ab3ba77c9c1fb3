/** Every key is asked for again until everything is known. */
import { ask, type Client, isOpen } from "./clients.ts";
import { isOfSetting } from "./compare.ts";
import type { Wish, Wishes } from "./wishes.ts";

/** While nothing happens the history stands still, and says nothing of what was refused and lost: between two more orders. */
const ORDER_EVERY_MS = 8_000;
const ROUND_MS = 250;
/** How long one is asked for that nothing but its being in force proves, milliseconds. */
const SETTING_WITHIN_MS = 30_000;
/** The answer to one more order may be lost as well, and then it has a time of its own: so many times in all. */
const MOST_TIMES = 3;

/** Gives back what is still open when its time is up; `withinMs` counts from when a key is asked for here first. */
export async function settleAll(
  client: Client,
  wishes: Wishes,
  { clients, withinMs }: { clients: number; withinMs: number },
): Promise<readonly Wish[]> {
  const startedMs = performance.now();
  const sinceMs = new Map(wishes.all.map((wish) => [wish, startedMs]));
  const isWaitedFor = (wish: Wish) => {
    const mostMs = isUnsettledSetting(wish) ? Math.min(SETTING_WITHIN_MS, withinMs) : withinMs;
    return isOpen(wish) && performance.now() < (sinceMs.get(wish) ?? startedMs) + mostMs;
  };
  const latestMs = startedMs + MOST_TIMES * withinMs;
  let nextOrderMs = startedMs;
  for (let waited = [...wishes.all]; waited.length > 0 && performance.now() < latestMs; ) {
    for (let from = 0; from < waited.length; from += clients) {
      await Promise.all(waited.slice(from, from + clients).map((wish) => ask(client, wish)));
    }
    waited = waited.filter(isWaitedFor);
    if (waited.length > 0) await Bun.sleep(ROUND_MS);
    if (waited.every(isUnsettledSetting) || performance.now() < nextOrderMs) continue;
    nextOrderMs = performance.now() + ORDER_EVERY_MS;
    const another = wishes.place();
    sinceMs.set(another, performance.now());
    await ask(client, another);
    waited.push(another);
  }
  return [...sinceMs.keys()].filter(isOpen);
}

function isUnsettledSetting({ heard }: Wish): boolean {
  const last = heard.at(-1);
  return last?.status === 202 && isOfSetting(last.body);
}
