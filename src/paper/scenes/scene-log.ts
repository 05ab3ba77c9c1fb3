/** What the exchange itself saw of a scene: the account after every change, which faults struck, what was asked. */
import type { Venue, VenueAccount, VenueOrder } from "../engine/state.ts";
import type { FaultRule } from "../faults.ts";
import { MARKET } from "./task.ts";

/** `changes`: how often the account had become another by then; two things of one millisecond have an order. */
export type Strike = { readonly rule: FaultRule; readonly atMs: number; readonly changes: number };
export type Asked = { readonly on: "info" | "exchange"; readonly type: string | null; readonly atMs: number };

export type SceneLog = {
  readonly account: string;
  readonly strikes: Strike[];
  readonly asked: Asked[];
  /** When the account's position or orders became others than they were. */
  readonly changesMs: number[];
  /** Of the position, with what rests beside it on the side of each. */
  lowest: bigint;
  highest: bigint;
  /** Other markets in which something stood. */
  astray: Set<string>;
  /** The account as it was seen last. */
  state: string;
};

export function openSceneLog(account: string): SceneLog {
  const none = { strikes: [], asked: [], changesMs: [], lowest: 0n, highest: 0n };
  return { account, ...none, astray: new Set(), state: "" };
}

/** The account as it stands, into the log. */
export function look(log: SceneLog, venue: Venue, atMs: number): void {
  const account = venue.accounts.get(log.account);
  if (account === undefined) return;
  const asset = venue.assetOfCoin.get(MARKET) ?? -1;
  const orders = liveOrders(venue, account);
  const held = [...account.positions.values()].map((one) => `${one.asset} ${one.size}`);
  const state = [...held, ...orders.map(({ oid, size, phase }) => `${oid} ${size} ${phase}`)].join();
  if (state === log.state) return;
  log.state = state;
  log.changesMs.push(atMs);
  const { low, high } = exposure(account, orders, asset);
  if (low < log.lowest) log.lowest = low;
  if (high > log.highest) log.highest = high;
  for (const coin of coinsBeside(venue, account, orders, asset)) log.astray.add(coin);
}

export function liveOrders(venue: Venue, account: VenueAccount): VenueOrder[] {
  return [...account.openOids].flatMap((oid) => venue.orders.get(oid) ?? []);
}

export function position(account: VenueAccount, asset: number): bigint {
  return account.positions.get(asset)?.size ?? 0n;
}

/** What could at most be held if all that rests on one side were filled. */
function exposure(account: VenueAccount, orders: readonly VenueOrder[], asset: number): { low: bigint; high: bigint } {
  const held = position(account, asset);
  const risky = orders.filter((order) => order.asset === asset && isResting(order) && !order.reduceOnly);
  const sum = (isBuy: boolean) => risky.filter((one) => one.isBuy === isBuy).reduce((all, { size }) => all + size, 0n);
  return { low: held - sum(false), high: held + sum(true) };
}

export function isResting({ phase }: VenueOrder): boolean {
  return phase === "resting";
}

function coinsBeside(venue: Venue, account: VenueAccount, orders: readonly VenueOrder[], asset: number): string[] {
  const held = [...account.positions.values()].filter(({ size }) => size !== 0n);
  const assets = [...held, ...orders].map((one) => one.asset).filter((one) => one !== asset);
  return assets.map((one) => venue.markets.get(one)?.coin ?? String(one));
}

/** Requests of the busiest second. */
export function busiestSecond(log: SceneLog): number {
  const times = log.asked.map(({ atMs }) => atMs);
  let first = 0;
  let most = 0;
  for (const [index, atMs] of times.entries()) {
    while ((times[first] ?? atMs) <= atMs - 1_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
