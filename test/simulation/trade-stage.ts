/** Trades in scenes: asked for, shown, and what of them has reached the exchange. */
import { expect } from "bun:test";
import type { Ask } from "./front.ts";
import { executed, type Scene } from "./scene.ts";

/** Buys 0.05 at 90,000, and is out at 85,000. */
export function bracket(some: Partial<Extract<Ask, { kind: "trade" }>> = {}): Ask {
  const terms = { market: "BTC", side: "buy", size: "0.05", price: "90000", timeInForce: "gtc" } as const;
  return { kind: "trade", ...terms, stop: "85000", profit: null, ...some };
}

type Shown = {
  id: string;
  status: string;
  path: string;
  protected: boolean;
  unprotected_because: string | null;
  held_size: string;
  filled_size: string;
  error: string | null;
  entry: { order: string | null };
};

export async function shownTrade(s: Scene, id: string): Promise<Shown> {
  return JSON.parse((await s.tell(null, { kind: "get_trade", id })).body) as Shown;
}

export async function begin(s: Scene, asked: Ask = bracket()): Promise<string> {
  const told = await s.tell("trade-key-1", asked);
  expect(told.status).toBe(201);
  return (JSON.parse(told.body) as Shown).id;
}

export async function until(s: Scene, id: string, isSo: (shown: Shown) => boolean): Promise<Shown> {
  for (let waited = 0; waited < 240; waited += 1) {
    const shown = await shownTrade(s, id);
    if (isSo(shown)) return shown;
    await s.pass(500);
  }
  throw new Error(`never came to be: ${JSON.stringify(await shownTrade(s, id))}`);
}

type Placed = { size: string; isBuy: boolean; isReduction: boolean; isTrigger: boolean };
type Sent = { b: boolean; r: boolean; s: string; t: object; c: string | null };

/** Orders of the gateway that have reached the exchange's engine, in order. */
export function placed(s: Scene): Placed[] {
  return executed(s, "order").flatMap(({ input }) => {
    // What an action of this type holds.
    const { orders } = input.action as unknown as { orders: Sent[] };
    return orders
      .filter(({ c }) => c !== null)
      .map(({ s: size, b, r, t }) => ({ size, isBuy: b, isReduction: r, isTrigger: "trigger" in t }));
  });
}

/** Sum of the triggers of the party that live at the exchange, in base units. */
export function guarded(s: Scene): number {
  return sumOf(s, () => true);
}

/** The same of its stop-losses alone. */
export function stopped(s: Scene): number {
  return sumOf(s, (isStop) => isStop);
}

function sumOf(s: Scene, isWanted: (isStop: boolean) => boolean): number {
  const { openOids } = s.venue.account(s.party.account.tradingAddress);
  const live = [...openOids].flatMap((oid) => s.venue.record(s.party.account.tradingAddress, oid)?.order ?? []);
  return live
    .filter(({ trigger }) => trigger !== null && isWanted(trigger.tpsl === "sl"))
    .reduce((sum, { size }) => sum + Number(size) / 1e8, 0);
}

/** What the account holds, in base units. */
export function held(s: Scene): string {
  const { positions } = s.venue.account(s.party.account.tradingAddress);
  return [...positions.values()].map(({ size }) => String(Number(size) / 1e8)).join(",") || "0";
}
