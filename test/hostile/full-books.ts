/** Orders, fills and operations beyond the largest page, so that a list at its limit is whole. */
import { ask, type Client } from "../crash/clients.ts";
import type { Started } from "../crash/processes.ts";
import type { Scene } from "../crash/scene.ts";
import type { Wish } from "../crash/wishes.ts";
import { many } from "./target.ts";

/** One more than a page holds. */
const ORDERS = 501;
const OPERATIONS = 501;
/** One change of a market's leverage waits for the one before. */
const MARKETS = ["BTC", "ETH", "SOL", "ATOM", "DYDX"];
const AT_ONCE = 64;
/** Until the exchange's fills have reached the index, milliseconds. */
const FILLS_WITHIN_MS = 20_000;

/** `twap` has ended: what is asked of it is known at once, where one that nobody knows is looked for again and again. */
export type BookIds = { order: string; operation: string; fill: string; twap: number };

export async function fillBooks(gateway: Started, { account, apiKey }: Scene): Promise<BookIds> {
  const baseUrl = gateway.facts["base_url"] ?? "";
  const orders = Array.from({ length: 2 * ORDERS }, (_, nth) => order(account, nth));
  await many(orders.length, AT_ONCE, (nth) => ask({ baseUrl, apiKey }, pick(orders, nth)));
  const operations = Array.from({ length: OPERATIONS }, (_, nth) => leverage(nth));
  await many(operations.length, AT_ONCE, (nth) => ask({ baseUrl, apiKey }, pick(operations, nth)));
  const fill = await firstFill(baseUrl, apiKey);
  return { order: idIn(orders), operation: idIn(operations), fill, twap: await endedTwap({ baseUrl, apiKey }) };
}

const UNTOLD = { mark: null, target: null, lost: 0 } as const;

/** Every second one rests, and the others are filled at once. */
function order(account: string, nth: number): Wish {
  const rests = { price: String(40_000 + nth) };
  const taken = { price: "120000", time_in_force: "ioc" };
  const body = { account, side: "buy", market: "BTC", size: "0.001", ...(nth % 2 === 0 ? rests : taken) };
  return { ...UNTOLD, key: `full-books-${nth}`, kind: "place", path: "/v1/orders", body, heard: [] };
}

function leverage(nth: number): Wish {
  const body = { market: MARKETS[nth % MARKETS.length], leverage: 1 + (nth % 3), margin_type: "cross" };
  return { ...UNTOLD, key: `leverage-${nth}`, kind: "leverage", path: "/v1/leverage", body, heard: [] };
}

async function endedTwap(client: Client): Promise<number> {
  const terms = { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 };
  const made = await ask(client, {
    ...UNTOLD,
    key: "full-books-twap",
    kind: "twap",
    path: "/v1/twaps",
    body: terms,
    heard: [],
  });
  const twap = Number(JSON.parse(made?.body ?? "{}").exchange_id);
  const path = "/v1/twaps/cancel";
  const body = { market: "BTC", twap_id: twap };
  const ended = await ask(client, {
    ...UNTOLD,
    key: "full-books-twap-cancel",
    kind: "twap_cancel",
    path,
    body,
    heard: [],
  });
  if (ended?.status !== 200) throw new Error(`no TWAP was made and canceled: ${made?.body} ${ended?.body}`);
  return twap;
}

function pick(wishes: readonly Wish[], nth: number): Wish {
  const wish = wishes[nth];
  if (wish === undefined) throw new Error("bug: more requests than wishes");
  return wish;
}

/** Of the first that the gateway has taken. */
function idIn(wishes: readonly Wish[]): string {
  const taken = wishes.flatMap(({ heard }) => heard).find(({ status }) => status === 201 || status === 200);
  if (taken === undefined) throw new Error(`the gateway has taken nothing: ${JSON.stringify(wishes[0])}`);
  return String(JSON.parse(taken.body).id);
}

async function firstFill(baseUrl: string, apiKey: string): Promise<string> {
  const deadlineMs = performance.now() + FILLS_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    const answer = await fetch(`${baseUrl}/v1/fills?limit=1`, { headers: { Authorization: `Bearer ${apiKey}` } });
    const { data } = (await answer.json()) as { data?: { id: string }[] };
    if (data?.[0] !== undefined) return data[0].id;
    await Bun.sleep(100);
  }
  throw new Error("no fill has reached the index");
}
