import type { Account } from "../../core/account.ts";
import { add, compare } from "../../core/decimal.ts";
import { type Leg, type LegEvent, type LegState, wasTaken } from "../../core/order.ts";
import type { ToFollow, With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { sumFillsOf } from "../../store/fills.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { saysOver, statusMeaning } from "../../wire/answer/status-words.ts";
import type { OrderUpdate } from "../../wire/answer/stream.ts";
import { isSuccessor } from "../evidence/difference.ts";
import { filledOrder } from "../fills/fill-pages.ts";
import type { FillIndex } from "../fills/index-fills.ts";
import { applySight, isKnownAnothers } from "../look/apply-sight.ts";
import { SHOWN_AS_BEFORE_MS } from "../look/ended.ts";
import type { Sight } from "../look/look.ts";
import { recordLegEvent } from "../record/record.ts";
import type { OtherMachines } from "../restore/other-machine.ts";
import { isLost, openEarlyWords } from "./early-words.ts";
import { isAnother, legOf, noteReported } from "./known-leg.ts";
import type { Watch } from "./watch.ts";

/** What a feed tells of orders and of their fills. */
export type ToldOrders = {
  onUpdate(account: Account, update: OrderUpdate): void;
  onFills(account: Account, fills: readonly Fill[]): void;
  stop(): void;
};

type ToldOrdersParts = { watch: Watch; index: FillIndex; others: OtherMachines };

export function openToldOrders(world: ToFollow, { watch, index, others }: ToldOrdersParts): ToldOrders {
  const early = openEarlyWords(world, onUpdate);

  function onUpdate(account: Account, update: OrderUpdate): void {
    const leg = legOf(world, account, update);
    if (leg === null) others.see(account, [update.order.cloid]);
    if (leg === null || isAnother(world, leg, update.order)) return;
    early.heed(account, leg, update);
    nameTaken(world, leg, update.order.oid);
    if (!isNews(leg, update)) return;
    if (statusMeaning(update.status) !== "rejected") noteReported(world, leg, update.order.oid);
    if (isOpenByAll(world, account, update) && isLost(world, leg) && isAllTold(world, account, update))
      applySight(world, leg, openSight(leg, update));
    if (isPursued(world, leg, update)) return;
    if (LIVES.has(statusMeaning(update.status))) watch.beginSoon(leg.orderId, "changed");
    else watch.beginSoon(leg.orderId, "closed", () => tellOver(world, leg.cloid, update));
  }

  /** A fill of an order whose answer was lost, or that we had given up, is news of that order. */
  function onFills(account: Account, fills: readonly Fill[]): void {
    index.add(account, fills);
    for (const cloid of new Set(fills.map((fill) => fill.cloid))) {
      const leg = cloid === null ? null : findLegByCloid(world.store, cloid);
      // Whole fills are the end of it, and the answer to the placing that was still open.
      if (leg?.state === "filled") applySight(world, leg, { kind: "seen", isClosed: true, events: [] });
      if (leg?.state === "lost") watch.begin(leg.orderId, "changed");
    }
  }

  return { onUpdate, onFills, stop: early.stop };
}

/** One that has fired goes on. */
const LIVES: ReadonlySet<ReturnType<typeof statusMeaning>> = new Set(["open", "triggered"]);

const SAME: Partial<Record<LegState, ReturnType<typeof statusMeaning>>> = {
  resting: "open",
  armed: "open",
  filled: "filled",
  canceled: "canceled",
  rejected: "rejected",
};

/** What the row says already, an update of our own action most of the time, is not worth a look. */
function isNews(leg: Leg, { status, order }: OrderUpdate): boolean {
  return SAME[leg.state] !== statusMeaning(status) || isSuccessor(leg, order);
}

/** Who waits for just this looks himself: for the answer to a placing, or for the end after a cancel or a modify. */
function isPursued({ store }: With<"store">, { orderId, state, oid }: Leg, { status }: OrderUpdate): boolean {
  if (statusMeaning(status) === "open") return state === "sent";
  return listAttemptsOf(store, orderId).some(
    ({ kind, targetOid, state: stands }) =>
      stands !== "done" && (kind === "cancel" || (kind === "modify" && targetOid === oid)),
  );
}

/** Some answers to triggers name no id, and a cancel by client order id names none: the stream does, and may be the only one that ever will. */
function nameTaken(world: With<"clock" | "store">, leg: Leg, oid: string): void {
  if (leg.oid !== null || !wasTaken(leg) || isKnownAnothers(world, leg, oid)) return;
  const event = { type: "reported", oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, event, world.clock.nowMs()));
}

/**
 * It is the last word of all that its feed has told. Frames overtake one another (a late `open` of what was canceled has been seen), a trigger that has
 * fired waits no more, and while its connection was away, or could not be read, nobody was told of an end.
 */
function isOpenByAll(
  { picture }: With<"picture">,
  { tradingAddress }: Account,
  { order, status }: OrderUpdate,
): boolean {
  return statusMeaning(status) === "open" && picture.toldOf(tradingAddress, order.oid)?.isOpen === true;
}

/**
 * Nothing was filled of it, or the fills are here: of one that rests with a part filled the order's own record is asked, and no smaller size
 * is told meanwhile.
 */
function isAllTold({ store }: With<"store">, { id: accountId }: Account, { order }: OrderUpdate): boolean {
  const { size, originalSize } = order;
  if (originalSize === null || compare(size, originalSize) >= 0) return true;
  return compare(add(size, sumFillsOf(store, accountId, filledOrder(order)).size), originalSize) >= 0;
}

/**
 * That it is over is the exchange's word whether or not its record can be read, for want of weight, say: nobody is told any more that it
 * is open. How much of it was filled the record tells.
 */
function tellOver(world: With<"clock" | "exchange" | "store">, cloid: string, update: OrderUpdate): void {
  const leg = findLegByCloid(world.store, cloid);
  if (leg === null || leg.oid !== update.order.oid || !mayEnd(leg, update)) return;
  if (world.exchange.nowMs() - update.statusTimestampMs < SHOWN_AS_BEFORE_MS) return;
  const event = { type: "closing", oid: update.order.oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, cloid, event, world.clock.nowMs()));
}

/** What a trigger became that was refused as it fired is told with its reason, by its record: where that was at its placing it was never taken. */
function mayEnd({ state }: Leg, { status }: OrderUpdate): boolean {
  return saysOver(status) && statusMeaning(status) !== "rejected" && (state === "armed" || state === "resting");
}

/** What the stream says of an order that rests is the exchange's word; what it does not say is nothing. */
function openSight({ trigger }: Leg, { order }: OrderUpdate): Sight {
  const { oid } = order;
  const event: LegEvent = trigger === null ? { type: "rested", oid } : { type: "armed", oid };
  return { kind: "seen", events: [event], isClosed: false };
}
