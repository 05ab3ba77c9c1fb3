/** Clients of a gateway that may die at any moment: what they want, and what they were told. */
import type { Chance } from "../simulation/chance.ts";

/** One thing that a client wants to happen, under one Idempotency-Key. */
export type Wish = {
  key: string;
  kind: "place" | "modify" | "cancel";
  path: string;
  body: object;
  /** Nobody else's, so that the exchange's log tells whose action it holds; null for a cancel. */
  price: string | null;
  /** The order that it changes; null for a placing. */
  target: string | null;
  heard: Heard[];
  /** Requests that had no answer. */
  lost: number;
};

export type Heard = { status: number; body: string };

export type Client = { baseUrl: string; apiKey: string };

/** A request that has no answer by then has lost it, milliseconds. */
const REQUEST_DEADLINE_MS = 12_000;
/** Below the market, where orders rest: one whole number each. */
const RESTING_BASE = 40_000;
/** Far enough above it to take what is there. */
const TAKING_BASE = 120_000;

export type Wishes = {
  all: Wish[];
  /** The next wish, or an earlier one again. */
  next(): Wish;
};

export function openWishes(chance: Chance, account: string): Wishes {
  const all: Wish[] = [];

  function placed(): string[] {
    return all.flatMap(({ kind, heard }) => (kind === "place" ? heard.flatMap(({ body }) => idIn(body)) : []));
  }

  function place(number: number): Wish {
    const isTaking = chance.isLucky(0.4);
    const price = String((isTaking ? TAKING_BASE : RESTING_BASE) + number);
    const terms = isTaking
      ? { size: `0.00${chance.between(1, 9)}`, price, time_in_force: "ioc" }
      : { size: "0.002", price };
    return wish(number, {
      kind: "place",
      path: "/v1/orders",
      body: { account, market: "BTC", side: "buy", ...terms },
      price,
    });
  }

  function change(number: number, target: string): Wish {
    if (chance.isLucky(0.5)) {
      return wish(number, { kind: "cancel", path: `/v1/orders/${target}/cancel`, body: {}, target });
    }
    const price = String(RESTING_BASE + number);
    return wish(number, { kind: "modify", path: `/v1/orders/${target}/modify`, body: { price }, price, target });
  }

  return {
    all,
    next() {
      if (all.length > 0 && chance.isLucky(0.2)) return chance.pick(all.slice(-8));
      const known = placed();
      const target = known.length === 0 || chance.isLucky(0.6) ? null : chance.pick(known.slice(-12));
      const made = target === null ? place(all.length) : change(all.length, target);
      all.push(made);
      return made;
    },
  };
}

type Terms = Pick<Wish, "kind" | "path" | "body"> & Partial<Pick<Wish, "price" | "target">>;

function wish(number: number, { price = null, target = null, ...terms }: Terms): Wish {
  return { key: `crash-${String(number).padStart(4, "0")}`, ...terms, price, target, heard: [], lost: 0 };
}

function idIn(body: string): string[] {
  const id: unknown = JSON.parse(body).id;
  return typeof id === "string" ? [id] : [];
}

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
