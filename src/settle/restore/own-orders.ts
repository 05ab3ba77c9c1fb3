import type { Account } from "../../core/account.ts";
import { uuidOfCloid } from "../../core/cloid.ts";
import { averagePrice, findMarket } from "../../core/market.ts";
import type { LegEvent, OrderTerms } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { giveOrder } from "../../store/given-orders.ts";
import { passKeyOn } from "../../store/idempotency.ts";
import { findLegByCloid, insertLeg } from "../../store/legs.ts";
import { appendNote } from "../../store/notes.ts";
import { findOrder, insertOrder, type StoredOrder } from "../../store/orders.ts";
import { insertAdoption, signedCloids } from "../../store/restores.ts";
import { termsOf } from "../../wire/answer/order-terms.ts";
import { carriesTag, keyDigitsOfCloid, mintedAtMs } from "../../wire/order-id.ts";
import { askedTerms } from "../evidence/difference.ts";
import { applySight } from "../look/apply-sight.ts";
import { interpretOrder, type Sight } from "../look/look.ts";
import { findInSweep, type Sweep, type Swept } from "../look/sweep.ts";
import { firstLeg } from "../place/new-order.ts";
import type { Tools } from "../pursuit.ts";
import { type Whose, whoseOf } from "./bot-marks.ts";

type FoundOwn = { cloid: string; swept: Exclude<Swept, { kind: "not_found" }> };

/** Orders at the exchange that carry our tag and that this database never signed, beside all that the last sweep shows. */
export type OwnOrders = Sweep & { unknown: FoundOwn[] };

/** All that several sweeps show together: what one of them misses, another may have. */
export function findOwn(world: With<"instance" | "store">, account: Account, sweeps: readonly Sweep[]): OwnOrders {
  const newest = sweeps.at(-1) ?? { open: [], history: [], fills: [] };
  const signed = signedCloids(world.store, account.id);
  const cloids = new Set(sweeps.flatMap(cloidsOf).filter((cloid) => isOwn(world, cloid) && !signed.has(cloid)));
  const unknown = [...cloids].flatMap((cloid) => {
    const seen = sweeps.map((sweep) => findInSweep(sweep, cloid, 0)).filter((swept) => swept.kind !== "not_found");
    const swept = seen.at(-1);
    return swept === undefined ? [] : [{ cloid, swept }];
  });
  // In the order of their placing (an id begins with its time): books are kept in that order where nothing else tells one.
  return { ...newest, unknown: unknown.sort((a, b) => (a.cloid < b.cloid ? -1 : 1)) };
}

function cloidsOf({ open, history, fills }: Sweep): string[] {
  const all = [...open, ...history.map(({ order }) => order), ...fills];
  return all.flatMap(({ cloid }) => (cloid === null ? [] : [cloid]));
}

function isOwn({ instance }: With<"instance">, cloid: string): boolean {
  const uuid = uuidOfCloid(cloid);
  return uuid !== null && carriesTag(uuid, instance.tag);
}

/**
 * Stores the orders that were found, so that their keys answer with them, and writes down what the exchange shows of each. Returns
 * the ids of those of which it does not show enough yet.
 */
export async function storeOwn(tools: Tools, account: Account, { unknown }: OwnOrders): Promise<string[]> {
  const { world } = tools;
  const orders = unknown.flatMap((found) => {
    const order = orderOf(world, account, found);
    return order === null ? [] : [{ ...found, order }];
  });
  const whose = whoseOf(world, account.id);
  inTransaction(world.store, () => {
    for (const each of orders) storeOne(world, { ...each, whose: whose(each.cloid) });
  });
  const open: string[] = [];
  for (const { cloid, swept } of orders) {
    const leg = findLegByCloid(world.store, cloid);
    const order = leg === null ? null : findOrder(world.store, leg.orderId);
    if (leg === null || order === null) throw new Error("bug: an order that was just stored is gone");
    const sought = { user: account.tradingAddress, accountId: account.id, leg, ...askedTerms(order) };
    const sight = await readSwept(tools, sought, swept);
    applySight(world, leg, sight);
    if (sight.kind !== "seen") open.push(order.id);
  }
  return open;
}

type SoughtOrder = Parameters<typeof interpretOrder>[2];

function readSwept({ world, evidence }: Tools, sought: SoughtOrder, swept: FoundOwn["swept"]): Sight | Promise<Sight> {
  const options = { purpose: "settle" } as const;
  switch (swept.kind) {
    case "open":
      return interpretOrder(world, evidence, sought, { ...swept, status: "open", statusTimestampMs: 0, options });
    case "past":
      return interpretOrder(world, evidence, sought, { ...swept, options });
    case "fills_only": {
      const { oid, filled } = swept;
      const reason = "Only its fills are left: the exchange keeps no record that old, and it may have asked for more.";
      const events: LegEvent[] = [
        { type: "filled", oid, filled },
        { type: "doubted", reason },
      ];
      return { kind: "seen", events, isClosed: true };
    }
  }
}

/** Null for a market that this gateway does not know: nothing is placed there through it. */
function orderOf(world: With<"log" | "markets">, account: Account, { cloid, swept }: FoundOwn): StoredOrder | null {
  const terms = swept.kind === "fills_only" ? termsOfFills(swept) : termsOf(swept.order);
  const universe = world.markets.current();
  const market = universe === null ? null : findMarket(universe, terms.market);
  const id = uuidOfCloid(cloid);
  if (market === null || id === null) {
    world.log.warn({ cloid, market: terms.market }, "an order of ours is in a market that is not configured");
    return null;
  }
  return {
    ...terms,
    id,
    accountId: account.id,
    market: market.name,
    assetId: market.assetId,
    keyHash: null,
    idempotencyKey: null,
    batchId: null,
    batchIndex: 0,
    status: "unknown",
    exchangeOrderId: null,
    filledSize: null,
    averagePrice: null,
    error: "found at the exchange after a restore; what became of it is being looked up",
    createdAtMs: mintedAtMs(id),
    seenAtMs: null,
    releasedAtMs: null,
    version: 0,
  };
}

/** What fills tell of the terms: market and side are certain; size and price are those of the fills, and more may have been asked for. */
function termsOfFills({ coin, side, filled }: FoundOwn["swept"] & { kind: "fills_only" }): OrderTerms {
  const price = averagePrice(filled.notional, filled.size) ?? "0";
  const plain = { timeInForce: "gtc", reduceOnly: false, trigger: null } as const;
  return { market: coin, side: side === "B" ? "buy" : "sell", size: filled.size, price, ...plain };
}

type OrderToAdopt = FoundOwn & { order: StoredOrder; whose: Whose };

function storeOne(world: With<"clock" | "store">, { cloid, swept, order, whose }: OrderToAdopt): void {
  const { store } = world;
  const keyDigits = keyDigitsOfCloid(cloid);
  const { id: orderId, accountId } = order;
  insertAdoption(store, { accountId, keyDigits, orderId, hasTerms: swept.kind !== "fills_only" });
  // A cancel that came while the account was waiting may have made its row already.
  if (findOrder(store, orderId) === null) {
    insertOrder(store, order);
    insertLeg(store, { ...firstLeg(order), cloid, state: "lost", reason: order.error });
  }
  if (whose.kind === "bot") giveOrder(store, orderId, whose.keyHash);
  passKeyToIt(world, { keyDigits, accountId, orderId });
  appendNote(store, {
    resourceId: orderId,
    attemptId: null,
    atMs: world.clock.nowMs(),
    what: "found after a restore",
    detail: `the exchange has ${cloid}, which carries our tag and is not in the snapshot; ${wordsOf(whose)}`,
  });
}

function wordsOf(whose: Whose): string {
  if (whose.kind === "bot") return `by its mark it is of the bot ${whose.bot}`;
  return whose.kind === "nobody" ? "by its mark it is of no bot" : "its mark is of no bot that is known here";
}

/** The snapshot holds another write under the same key: nothing of that had left, so after the snapshot the key was used for this order. */
function passKeyToIt(world: With<"store">, to: { keyDigits: string; accountId: string; orderId: string }): void {
  const { store } = world;
  const same = [...signedCloids(store, to.accountId)].find((cloid) => keyDigitsOfCloid(cloid) === to.keyDigits);
  const attempt = same === undefined ? null : findAttemptByCloid(store, same);
  if (attempt !== null)
    passKeyOn(store, { accountId: to.accountId, idempotencyKey: attempt.idempotencyKey }, to.orderId);
}
