/** A gateway in one market, and keys with rails for it. */

import { expect } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Side } from "../../src/core/order.ts";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { bookTrade } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { grantBody, grantText, signGrant } from "../support/limited-key.ts";
import { stateWith } from "../support/state-with.ts";
import { ACCOUNTS, AUDIENCE, openRig, type Rig, type RigOptions } from "./rig.ts";

export const OWNERS_KEY = `0x${"11".repeat(32)}`;
export const BOT = `api_trade_${"e5".repeat(32)}`;
export const OTHER_BOT = `api_trade_${"f6".repeat(32)}`;
export const MARK = "60000";

export type Position = { coin: string; szi: string; leverage?: { type: string; value: number; rawUsd: string } };

/** An account at the exchange with these positions, and one price for everything. */
export function openMarketRig(options: RigOptions = {}, positions: Position[] = []): Rig {
  const rig = openRig(options);
  const context = { markPx: MARK, oraclePx: MARK, funding: "0", openInterest: "1", dayNtlVlm: "1", prevDayPx: MARK };
  rig.answers.set("metaAndAssetCtxs", () => [{ universe: [{ name: "BTC" }, { name: "ETH" }] }, [context, context]]);
  rig.answers.set("clearinghouseState", () => stateOf(positions, rig.clock.nowMs()));
  rig.answers.set("userAbstraction", () => "default");
  rig.answers.set("activeAssetData", ({ coin }) => activeAsset(String(coin), { type: "cross", value: 5 }));
  return rig;
}

export function activeAsset(coin: string, leverage: { type: string; value: number }) {
  return { coin, leverage, maxTradeSzs: ["1", "1"], availableToTrade: ["1", "1"], markPx: MARK };
}

export function stateOf(positions: readonly Position[], time: number) {
  const summary = { accountValue: "100000", totalNtlPos: "0", totalRawUsd: "100000", totalMarginUsed: "0" };
  const rest = {
    leverage: { type: "cross", value: 5 },
    entryPx: MARK,
    positionValue: "0",
    unrealizedPnl: "0",
    returnOnEquity: "0",
    liquidationPx: null,
    marginUsed: "0",
    maxLeverage: 40,
    cumFunding: { allTime: "0", sinceOpen: "0", sinceChange: "0" },
  };
  const state = {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0",
    withdrawable: "0",
    time,
  };
  return stateWith(
    state,
    positions.map((position) => ({ type: "oneWay", position: { ...rest, ...position } })),
  );
}

export function textOf(rig: Rig, wanted: Partial<LimitedGrantText> = {}, apiKey = BOT): LimitedGrantText {
  const account = findAccount(rig.deps.store, wanted.account ?? ACCOUNTS.main);
  const { ownerAddress: owner = "", tradingAddress = "" } = account ?? {};
  const of = { audience: AUDIENCE, account: ACCOUNTS.main, owner, tradingAddress };
  return grantText(apiKey, rig.clock.nowMs(), { ...of, ...wanted });
}

export async function register(rig: Rig, text: LimitedGrantText, signature?: string): Promise<Response> {
  const body = { grant: grantBody(text), signature: signature ?? (await signGrant(OWNERS_KEY, text)) };
  return rig.ask({ path: "/v1/api-keys/limited", body });
}

export async function limitedRig(wanted: Partial<LimitedGrantText>, positions: Position[] = []): Promise<Rig> {
  const rig = openMarketRig({}, positions);
  expect((await register(rig, textOf(rig, wanted))).status).toBe(201);
  return rig;
}

let made = 0;
export type Body = Record<string, unknown>;

export function place(
  rig: Rig,
  terms: Body,
  { apiKey = BOT, key }: { apiKey?: string; key?: string } = {},
): Promise<Response> {
  made += 1;
  const body = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.001", price: MARK, ...terms };
  return rig.ask({ path: "/v1/orders", apiKey, idempotencyKey: key ?? `key-${made}-of-this-test`, body });
}

export async function refusalOf(response: Response): Promise<string> {
  if (response.ok) return String(response.status);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return `${response.status} ${error.code}: ${error.message}`;
}

/** The rail that refused; `passed` where nothing did. */
export async function railOf(response: Response): Promise<string> {
  const words = await refusalOf(response);
  return /^403 rail_refused: Rail ([a-z_]+) /.exec(words)?.[1] ?? (/^20[012]$/.test(words) ? "passed" : words);
}

/** What waits for an answer that does not come gets the seconds that it waits. */
export async function inSeconds(rig: Rig, asked: Promise<Response>): Promise<Response> {
  const isThere = asked.then(() => true);
  for (let waitedMs = 0; waitedMs < 12_000; waitedMs += 500) {
    if (await Promise.race([isThere, rig.clock.advance(500).then(() => false)])) break;
  }
  return asked;
}

export const stop = { reduce_only: true, trigger: { price: "55000", kind: "stop_loss", market: true } };

/** The exchange fills what comes, whole, at this price. */
export function fillAt(rig: Rig, price: string, afterOid = 9_000): void {
  let oid = afterOid;
  rig.deps.exchange.send = async (body) => {
    const { action } = JSON.parse(body) as { action: { orders: { s: string; c: string }[] } };
    const statuses = action.orders.map(({ s, c }) => {
      oid += 1;
      return { filled: { totalSz: s, avgPx: price, oid, cloid: c } };
    });
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
}

/** The bot holds so much more there, by a purchase that cost nothing, or so much less by a sale. */
export function hold(rig: Rig, size: string): void {
  bookFor(rig, "buy", size);
}

/** As if it had been alone there when it sold: beside what rests, and others, a sale that is asked for is refused. */
export function sell(rig: Rig, size: string): void {
  bookFor(rig, "sell", size);
}

function bookFor({ deps: { store }, clock }: Rig, side: Side, size: string): void {
  const booked = { side, size: decimal(size), turnover: decimal("0"), atMs: clock.nowMs() };
  const of = { accountId: ACCOUNTS.main, bot: "grid-1", market: "BTC" };
  inTransaction(store, () => bookTrade(store, of, booked));
}
