/** One trade from its request to its end: half filled, filled, its stop moved, its stop met; by a gateway that dies once on the way. */
import type { Answered, Ask } from "./front.ts";
import { MAKER } from "./plain-venue.ts";
import type { Doom } from "./process.ts";
import { type Call, executed, limit, openScene, type Scene, trade } from "./scene.ts";
import { START_MS } from "./template.ts";

/** A gateway that died is there again after so long, virtual milliseconds. */
const DEAD_FOR_MS = 300;
/** So long each part of the life is given, virtual milliseconds: longer than a look for an order whose answer was lost. */
const PART_MS = 8_000;
/** Between two looks of its client, virtual milliseconds. */
const STEP_MS = 200;
/** So often it is looked whether a reading is answered, virtual milliseconds. */
const ANSWER_STEP_MS = 10;
const UNIT = 100_000_000;
/** Of the entry, in base units. */
const SIZE = 0.05;

export type Life = {
  /** Increasing orders of the trade that the exchange has taken. */
  entries: number;
  /** The most that the account has ever held, in base units. */
  most: number;
  /** The longest that more was held than stops stood for while a gateway lived, virtual milliseconds. */
  unprotectedMs: number;
  /** At rest: what was held and what stops stood for, once the entry was over, and at the end. */
  rests: { held: number; guarded: number; isProtected: boolean | null }[];
  status: string;
  /** The doom was met. */
  hasDied: boolean;
};

type Watch = { sinceMs: number | null; longestMs: number; most: number };

/**
 * @param path by which the trade is protected: whole before the entry, or after each fill
 * @param doom where its gateway dies, counted from its start, before which nothing of the trade was asked for
 */
export async function liveTrade(path: Path, doom: Partial<Doom>): Promise<Life> {
  const watch: Watch = { sinceMs: null, longestMs: 0, most: 0 };
  let open: Scene | null = null;
  const s = await openScene({ hasFeed: true, onChange: () => (open === null ? undefined : observe(open, watch)) });
  open = s;
  try {
    return await livedIn(s, watch, { path, doom });
  } finally {
    s.close();
  }
}

type Living = { path: Path; doom: Partial<Doom> };

async function livedIn(s: Scene, watch: Watch, { path, doom }: Living): Promise<Life> {
  if (path === "after_fills") await s.tell("other-key-1", limit("buy", 70_000));
  s.kill();
  await s.start(doom);
  let hasDied = s.isDead();
  const calls = new Map<string, { ask: Ask; call: Call | null; answer: Answered | null }>();

  /** Time passes; who has died is there again, and what was not answered is asked again under its key. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      if (s.isDead()) {
        hasDied = true;
        watch.sinceMs = null;
        await s.pass(DEAD_FOR_MS);
        await s.start();
      }
      for (const [key, each] of calls) {
        const told = each.call?.answer ?? null;
        if (told !== null && told !== "lost" && told.status !== 503 && told.status !== 202) each.answer ??= told;
        if (each.answer === null && (each.call === null || each.call.answer !== null)) each.call = s.ask(key, each.ask);
      }
      await s.pass(STEP_MS);
      observe(s, watch);
    }
  }

  async function tell(key: string, ask: Ask): Promise<Answered> {
    const one = { ask, call: null, answer: null as Answered | null };
    calls.set(key, one);
    for (let waited = 0; one.answer === null && waited < 60_000; waited += STEP_MS) await pass(STEP_MS);
    calls.delete(key);
    if (one.answer === null) throw new Error(`${key} was never answered`);
    return one.answer;
  }

  async function shown(id: string): Promise<{ status: string; protected: boolean }> {
    for (let waited = 0; waited < 60_000; waited += STEP_MS) {
      if (s.isDead()) await pass(STEP_MS);
      const call = s.ask(null, { kind: "get_trade", id });
      // It may die while it answers.
      while (call.answer === null && !s.isDead()) await s.pass(ANSWER_STEP_MS);
      if (call.answer !== null && call.answer !== "lost")
        return JSON.parse(call.answer.body) as { status: string; protected: boolean };
    }
    throw new Error("a trade could not be read");
  }

  const terms = { market: "BTC", side: "buy", size: String(SIZE), price: "90000", timeInForce: "gtc" } as const;
  const begun = await tell("trade-key-1", { kind: "trade", ...terms, stop: "85000", profit: "99000" });
  const { id } = JSON.parse(begun.body) as { id: string };
  await pass(PART_MS);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  await pass(PART_MS);
  const rests: Life["rests"] = [];
  const rest = async () => void rests.push({ ...standing(s), isProtected: (await shown(id)).protected });
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.03" });
  await pass(PART_MS);
  await rest();
  await tell("move-key-1", { kind: "trade_modify", id, stop: "86000", profit: null });
  await pass(PART_MS);
  await rest();
  trade(s, MAKER, { isBuy: true, price: 85_900, size: String(SIZE) });
  s.venue.setPrice("BTC", 85_950n * BigInt(UNIT));
  await pass(PART_MS);
  await rest();
  const entries = executed(s, "order").filter(({ input }) => isEntry(input.action)).length;
  const { status } = await shown(id);
  return {
    entries,
    most: watch.most,
    unprotectedMs: watch.longestMs,
    rests,
    status,
    hasDied,
  };
}

/** So long at most more is held than stops stand for while a gateway lives and the feed tells it what fills, virtual milliseconds. */
const PROTECTED_WITHIN_MS = 1_000;

export type Path = "stop_first" | "after_fills";

/** What of its promises a trade has not kept. */
export function faultsOf(path: Path, { entries, most, unprotectedMs, rests, status }: Life): string[] {
  const allowedMs = path === "stop_first" ? 0 : PROTECTED_WITHIN_MS;
  const atRest = rests.filter(({ held, guarded, isProtected }) => held !== guarded || !isProtected);
  const isDone = status === "closed" ? entries === 1 : status === "rejected" && entries === 0;
  return [
    ...(entries > 1 ? [`it entered ${entries} times`] : []),
    ...(most > SIZE ? [`${most} was held`] : []),
    ...(unprotectedMs > allowedMs ? [`for ${unprotectedMs} ms more was held than stops stood for`] : []),
    ...atRest.map(({ held, guarded }) => `at rest ${held} was held, and stops stood for ${guarded}`),
    ...(isDone && rests.at(-1)?.held === 0 ? [] : [`it ended as ${status} after ${entries} entries`]),
  ];
}

type Sent = { orders: { r: boolean; s: string; c: string | null; b: boolean }[] };

function isEntry(action: unknown): boolean {
  // What an action of this type holds.
  const [order] = (action as Sent).orders;
  return order !== undefined && order.c !== null && order.b && !order.r && order.s === String(SIZE);
}

function observe(s: Scene, watch: Watch): void {
  const { held, guarded } = standing(s);
  const nowMs = s.venue.nowMs() - START_MS;
  watch.most = Math.max(watch.most, held);
  if (watch.sinceMs !== null && !s.isDead()) watch.longestMs = Math.max(watch.longestMs, nowMs - watch.sinceMs);
  if (held <= guarded) watch.sinceMs = null;
  else if (!s.isDead()) watch.sinceMs ??= nowMs;
}

/** What the account holds, and what triggers below it would close, in base units. */
function standing(s: Scene): { held: number; guarded: number } {
  const { positions, openOids } = s.venue.account(s.party.account.tradingAddress);
  const held = [...positions.values()].reduce((sum, { size }) => sum + Number(size) / UNIT, 0);
  const live = [...openOids].flatMap((oid) => s.venue.record(s.party.account.tradingAddress, oid)?.order ?? []);
  const stops = live.filter(({ trigger }) => trigger !== null && Number(trigger.triggerPrice) < 90_000 * UNIT);
  return { held, guarded: stops.reduce((sum, { size }) => sum + Number(size) / UNIT, 0) };
}
