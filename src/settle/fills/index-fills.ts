import type { Account } from "../../core/account.ts";
import { isNamedByLead, type Leg } from "../../core/order.ts";
import type { ToFollow, With } from "../../deps.ts";
import type { Purpose } from "../../exchange/exchange.ts";
import { listAccounts } from "../../store/accounts.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { isOfBotTwap } from "../../store/bot-twaps.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { HOLE, insertHole, listHoles } from "../../store/fill-holes.ts";
import { findFillCursor, insertFills, type StoredFill, setFillCursor, sumFillsOf } from "../../store/fills.ts";
import { KEPT_MS, noteJustFilled } from "../../store/just-filled.ts";
import { findLegByCloid, findLegByOid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import { findOrder } from "../../store/orders.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { askedTerms } from "../evidence/difference.ts";
import { isKnownAnothers, raiseAlarm } from "../look/apply-sight.ts";
import { recordLegEvent } from "../record/record.ts";
import type { OtherMachines } from "../restore/other-machine.ts";
import { fittingFills } from "./fill-fits.ts";
import { type FillLead, isLead } from "./fill-leads.ts";
import { fillPages, type PagesProgress, pagesFrom } from "./fill-pages.ts";

/** The local index of fills: back-filled by reads, kept up by the feed, complete across reconnects and restarts. */
export type FillIndex = {
  /** Adds fills that a feed has told, whose frames name their account; what is known already changes nothing. */
  add(account: Account, fills: readonly Fill[]): void;
  /** Adds those of an answer, which names no account, but for those of orders that were signed here for another account. */
  addRead(account: Account, fills: readonly Fill[]): void;
  /**
   * Reads everything since the index was last complete, for settling unless another purpose is named. False when the
   * exchange could not be asked to the end.
   */
  backFill(account: Account, purpose?: Purpose): Promise<boolean>;
  /**
   * When the exchange's list of fills was last read to its end, exchange time in unix milliseconds; null before the first
   * time. The list may itself have been behind: `findWholeTo` tells up to when it was certainly whole.
   */
  readToMs(account: Account): number | null;
};

/** Read again before the newest fill that an answer held, for what a server shows out of turn, milliseconds. */
export const OVERLAP_MS = 60_000;
/** Pages of one back-fill; the exchange keeps about 10,000 fills. */
const MAX_PAGES = 10;

/** @param others heard by all that are shown orders of ours: what one in 4,096 strangers may be is counted over all of them */
export function openFillIndex(world: ToFollow, others: OtherMachines, heeding: Heeding = NOBODY): FillIndex {
  const { store } = world;
  const readToMs = new Map<string, number>();
  const brokenOff = new Map<string, BrokenOff>();
  return {
    add: (account, fills) => addFills(world, account, fills, heeding),
    addRead: (account, fills) => addFills(world, account, withoutOthers(world, account, fills), heeding),
    async backFill(account, purpose = "settle") {
      const askedAtMs = world.exchange.nowMs();
      const isWhole = await backFill(world, account, { others, heeding, purpose, brokenOff });
      if (isWhole) readToMs.set(account.id, askedAtMs);
      return isWhole;
    },
    readToMs: (account) => readToMs.get(account.id) ?? findFillCursor(store, account.id),
  };
}

const NOBODY: Heeding = { onGrown: () => undefined, onLead: () => undefined };

/** The exchange can be asked for them again, so nobody waits for the disk. */
function addFills(
  world: With<"clock" | "exchange" | "log" | "markets" | "store">,
  account: Account,
  fills: readonly Fill[],
  { onGrown, onLead }: Heeding,
): void {
  if (fills.length === 0) return;
  const { store } = world;
  const byOid = [...Map.groupBy(fills, ({ oid }) => oid)].map(([oid, ofOid]) => ({ oid, fills: ofOid }));
  const fresh = inTransactionNotWaiting(store, () => {
    const added = insertFills(store, toRows(account, ownFirst(store, account, byOid)), {
      atMs: world.clock.nowMs(),
      toldFromMs: bornAtMs(world, account),
    });
    const oids = new Set(added.map((fill) => fill.oid));
    const grown = byOid
      .filter(({ oid }) => oids.has(oid))
      .map((named) => ({ named, grownId: growLeg(world, account, named) }));
    noteElsewhere(world, added);
    return grown;
  });
  for (const orderId of new Set(fresh.flatMap(({ grownId }) => grownId ?? []))) onGrown(orderId);
  for (const lead of leadsIn(world, account, byOid)) onLead(lead);
  // Once: what is shown of the order itself, right after that, takes the alarm back.
  for (const { named } of fresh) alarmAtForeign(world, account, named);
}

/** What orders and TWAPs of nobody here were filled a moment ago has moved the position as well; those of ours are noted with their orders. */
function noteElsewhere({ exchange, store }: With<"exchange" | "store">, fills: readonly StoredFill[]): void {
  for (const { accountId, market, oid, twapId, side, size, timeMs: atMs } of fills) {
    const isNew = exchange.nowMs() - atMs <= KEPT_MS;
    if (!isNew || findLegByOid(store, accountId, oid) !== null || isOfBotTwap(store, { accountId, twapId })) continue;
    const at = { clock: "exchange" as const, atMs };
    noteJustFilled(store, { accountId, market }, { bot: null, side, reduceOnly: false, size, at });
  }
}

/** When it was made, by the exchange's clock, which dates the fills; no later than ours says, which may have been right then. */
function bornAtMs({ clock, exchange }: With<"clock" | "exchange">, { createdAtMs }: Account): number {
  return createdAtMs + Math.min(0, exchange.nowMs() - clock.nowMs());
}

/** The answer to an order names a native id and no market: where it was filled at once, its fills are the first that do. */
function alarmAtForeign(
  world: With<"clock" | "log" | "markets" | "store">,
  account: Account,
  { oid, fills }: LegFills,
): void {
  const leg = findLegByOid(world.store, account.id, oid);
  const order = leg === null || isNamedByLead(leg) ? null : findOrder(world.store, leg.orderId);
  const foreign = fills.find(({ coin, side }) => coin !== order?.market || side !== (order.side === "buy" ? "B" : "A"));
  if (leg === null || order === null || foreign === undefined) return;
  const words = `a fill in ${foreign.coin} on the ${foreign.side === "B" ? "buy" : "sell"} side`;
  const isOtherMarket = foreign.coin !== order.market;
  raiseAlarm(world, leg, { words, isOtherMarket, mayBeOurs: isOtherMarket, oid });
}

/** Who is told of what fills say. */
export type Heeding = {
  /** Of every order of which a fill has become known. */
  onGrown(orderId: string): void;
  /** Of every fill under a client order id of ours that has to be confirmed. */
  onLead(lead: FillLead): void;
};

/** What fills under one native id, and one client order id at most, say. */
type LegFills = { oid: string; fills: readonly Fill[] };

/**
 * A leg's total is the sum of its indexed fills; it only grows, so a part of them does no harm. Returns its order, null
 * where it is none of ours, or where only these fills say that it is.
 */
function growLeg({ store, clock }: With<"clock" | "store">, account: Account, { oid, fills }: LegFills): string | null {
  const nowMs = clock.nowMs();
  const named = findLegByOid(store, account.id, oid);
  if (named !== null) {
    const order = findOrder(store, named.orderId);
    if (order === null || isNamedByLead(named)) return null;
    const filled = sumFillsOf(store, account.id, { ...order, oid });
    recordLegEvent(store, named.cloid, { type: "fills_seen", filled }, nowMs);
    return named.orderId;
  }
  // That there is a trace of it is known from now on; the look by this name tells whether it is its own.
  const leg = fittingLeg(store, account, fills);
  if (leg?.oid !== null || (leg.state !== "lost" && leg.state !== "sent")) return null;
  if (isKnownAnothers({ store }, leg, oid)) return null;
  recordLegEvent(store, leg.cloid, { type: "reported", oid }, nowMs);
  return null;
}

/** The leg under whose client order id the fills are, where they may be its own. */
function fittingLeg(store: Store, account: Account, fills: readonly Fill[]): Leg | null {
  const cloid = fills[0]?.cloid ?? null;
  const leg = cloid === null ? null : findLegByCloid(store, cloid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  if (leg === null || order?.accountId !== account.id) return null;
  return fittingFills(store, { ...askedTerms(order), leg }, fills).length > 0 ? leg : null;
}

/** Leads of all fills that were shown, new or not: a process before this one may have died before it could follow them. */
function leadsIn({ store }: With<"store">, account: Account, named: readonly LegFills[]): FillLead[] {
  return named.flatMap(({ oid, fills }) => {
    const leg = findLegByOid(store, account.id, oid) === null ? fittingLeg(store, account, fills) : null;
    if (leg === null || !isLead(leg, { oid, cloid: leg.cloid })) return [];
    return { cloid: leg.cloid, oid, user: account.tradingAddress, accountId: account.id };
  });
}

type FillReading = {
  others: OtherMachines;
  heeding: Heeding;
  purpose: Purpose;
  /** By account. */
  brokenOff: Map<string, BrokenOff>;
};

/** A reading that was broken off, and since when, elapsed milliseconds. */
type BrokenOff = { progress: PagesProgress; sinceMs: number };

/**
 * An answer is whole up to the newest fill in it, and what it lacks after that says nothing: the next reading begins there
 * again, however long nothing was shown. One that was broken off is gone on with, for no longer
 * than what a later one reads once more.
 */
async function backFill(
  world: ToFollow,
  account: Account,
  { others, heeding, purpose, brokenOff }: FillReading,
): Promise<boolean> {
  const sinceMs = Math.max(0, (findFillCursor(world.store, account.id) ?? 0) - OVERLAP_MS);
  const known = brokenOff.get(account.id);
  const nowMs = world.clock.elapsedMs();
  const isToGoOn = known !== undefined && nowMs - known.sinceMs <= OVERLAP_MS;
  const own = isToGoOn ? known : { progress: pagesFrom(sinceMs), sinceMs: nowMs };
  brokenOff.set(account.id, own);
  const asked = { user: account.tradingAddress, progress: own.progress, maxPages: MAX_PAGES };
  for await (const page of fillPages(world, asked, { purpose })) {
    if (page === "failed") return false;
    addFills(world, account, withoutOthers(world, account, page.fills), heeding);
    others.see(account, new Set(page.fills.map(({ cloid }) => cloid)));
    if (page.holeMs !== undefined) noteHole(world, account, { fills: page.fills, timeMs: page.holeMs });
    // After a restart a long back-fill that was broken off goes on from there.
    noteCompleteTo(world, account, page.fills.at(-1)?.timeMs ?? 0);
    if (!page.isLast) continue;
    brokenOff.delete(account.id);
    return true;
  }
  return false;
}

function withoutOthers({ store }: With<"store">, account: Account, fills: readonly Fill[]): Fill[] {
  const others = listAccounts(store).filter(({ tradingAddress }) => tradingAddress !== account.tradingAddress);
  if (others.length === 0) return [...fills];
  return fills.filter(({ oid }) => !isOfAnother(store, account, { oid, others }));
}

/**
 * Whether a fill of an answer, which names no account, is another account's of this gateway: its order was signed here for that one. An
 * order from elsewhere, or the very fill, that another account has tells nothing: the wrong answer may have been that one's.
 */
function isOfAnother(
  store: Store,
  account: Account,
  { oid, others }: { oid: string; others: readonly Account[] },
): boolean {
  if (findLegByOid(store, account.id, oid) !== null) return false;
  return others.some(({ id }) => {
    const leg = findLegByOid(store, id, oid);
    return leg !== null && findAttemptByCloid(store, leg.cloid) !== null;
  });
}

function noteCompleteTo({ store }: With<"store">, { id }: Account, newestMs: number): void {
  const knownMs = findFillCursor(store, id);
  if (knownMs !== null && newestMs <= knownMs) return;
  inTransactionNotWaiting(store, () => setFillCursor(store, id, newestMs));
}

/**
 * Both sides of a trade have its name, and an account has one of them: where an answer holds the other as well, which is another account's, the one
 * of an order that is known here stands.
 */
function ownFirst(store: Store, account: Account, byOid: readonly LegFills[]): Fill[] {
  const isOwn = ({ oid }: LegFills) => findLegByOid(store, account.id, oid) !== null;
  const [own, others] = [byOid.filter(isOwn), byOid.filter((named) => !isOwn(named))];
  return [...own, ...others].flatMap(({ fills }) => fills);
}

function toRows(account: Account, fills: readonly Fill[]): StoredFill[] {
  const seen = new Map<string, number>();
  return fills.map((fill) => {
    const base = `${fill.timeMs}-${fill.coin}-${fill.tid}`;
    return toRow(
      account,
      fill,
      fill.tid === "0" ? `${base}-${fill.oid}-${countOf(seen, `${base}-${fill.oid}`)}` : base,
    );
  });
}

/** Dust conversions carry no trade id: equal ones are told apart by their place among their like. */
function countOf(seen: Map<string, number>, name: string): number {
  const count = seen.get(name) ?? 0;
  seen.set(name, count + 1);
  return count;
}

function toRow(account: Account, fill: Fill, id: string): StoredFill {
  return {
    accountId: account.id,
    id,
    timeMs: fill.timeMs,
    market: fill.coin,
    oid: fill.oid,
    side: fill.side === "B" ? "buy" : "sell",
    price: fill.price,
    size: fill.size,
    isTaker: fill.crossed,
    fee: fill.fee,
    feeToken: fill.feeToken,
    builderFee: fill.builderFee,
    realizedPnl: fill.closedPnl,
    startPosition: fill.startPosition,
    direction: fill.direction,
    twapId: fill.twapId,
    isLiquidation: fill.liquidation !== null,
    transactionHash: fill.hash,
  };
}

/** What is said of a millisecond in which more was filled than the exchange gives: what may lack of it is named. */

/** Once: on the account, and on each order of ours that was filled in that millisecond. */
function noteHole(
  world: With<"clock" | "log" | "store">,
  account: Account,
  { fills, timeMs }: { fills: readonly Fill[]; timeMs: number },
): void {
  const { store, clock } = world;
  const accountId = account.id;
  if (listHoles(store, accountId).includes(timeMs)) return;
  const orderIds = new Set(fills.flatMap(({ oid }) => findLegByOid(store, accountId, oid)?.orderId ?? []));
  world.log.error({ account: accountId, text: String(timeMs) }, HOLE);
  const hole = { accountId, orderIds, timeMs, atMs: clock.nowMs() };
  inTransactionNotWaiting(store, () => insertHole(store, hole));
}
