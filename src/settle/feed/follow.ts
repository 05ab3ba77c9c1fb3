import type { Account } from "../../core/account.ts";
import { isPerhapsOver, type Leg, type LegEvent, type LegState, wasTaken } from "../../core/order.ts";
import type { Settling, ToFollow, With } from "../../deps.ts";
import type { Purpose } from "../../exchange/exchange.ts";
import type { FeedEvent } from "../../exchange/feed-event.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid, findLegByOid } from "../../store/legs.ts";
import { findOrder, listLiveOrders, type StoredOrder } from "../../store/orders.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { parseFrontendOpenOrders } from "../../wire/answer/open-orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import type { OrderUpdate } from "../../wire/answer/stream.ts";
import { heedShownSince } from "../cancel/shown-since.ts";
import { askedTerms, differenceFrom, isSuccessor } from "../evidence/difference.ts";
import { withoutCut } from "../fills/fill-pages.ts";
import type { FillIndex } from "../fills/index-fills.ts";
import { applySight, raiseAlarm } from "../look/apply-sight.ts";
import type { Sight } from "../look/look.ts";
import { nameUnnamed } from "../look/unnamed.ts";
import { recordLegEvent } from "../record/record.ts";
import type { OtherMachines } from "../restore/other-machine.ts";
import { openCrossChecks } from "./cross-check.ts";
import { isLost, openEarlyWords } from "./early-words.ts";
import { type FiredUnheard, openFiredUnheard } from "./fired-unheard.ts";
import { shownListed, shownParts } from "./shown.ts";
import { openTestifying } from "./testify.ts";
import { openWatch, type Watch } from "./watch.ts";

/** Keeps orders and fills in step with the exchange as things happen. The feed only hints; reads decide. */
export type Follower = {
  onEvent(address: string, event: FeedEvent): void;
  /**
   * Reads again what a feed may have missed, for every account that is not followed live, whose feed has not connected (it
   * is read with that), or for all.
   */
  resync(which: "all" | "not_live" | "not_connected"): Promise<void>;
  /** The same at once for one address, whose feed has left something out. */
  onDistrust(address: string, because: string): void;
  /** Holds live feeds against what reads show: those of accounts with a live order, and now and then of every other. */
  crossCheck(): Promise<void>;
  /** Holds the feed of one address against the exchange's fills, unless that was done a moment ago. */
  checkFills(address: string): void;
  stop(): void;
};

/** Live orders of an account that one resync looks at. */
const MAX_LOOKS = 500;
/** Between two resyncs for frames that cannot be read, milliseconds: one costs 60 of our weight, and they may come in rows. */
const GAP_PAUSE_MS = 10_000;
/** Pauses before a resync that failed is tried again, milliseconds; then the next regular one has to do. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 30_000, 60_000, 60_000] as const;

/** `others`: one for all that are shown orders. */
export type FollowerParts = { index: FillIndex; others: OtherMachines };

export function openFollower(world: ToFollow, settling: Settling, parts: FollowerParts): Follower {
  const { index, others } = parts;
  const watch = openWatch(world, settling);
  const early = openEarlyWords(world, onUpdate);
  const tools = { watch, index, others, fired: openFiredUnheard(world) };
  const checks = openCrossChecks(world, index, (account) => {
    const live = listLiveOrders(world.store, account.id, MAX_LOOKS);
    return compareListed(world, account, { ...tools, live, purpose: "read" });
  });
  /** Accounts whose resync has failed and is tried again. */
  const retrying = new Set<string>();
  const gaps = openGaps(world, (account) => (isStopped ? Promise.resolve() : resync(account, "thorough")));
  const states = openTestifying(world, () => isStopped);
  let isStopped = false;

  function onUpdate(account: Account, update: OrderUpdate): void {
    const leg = legOf(world, account, update);
    if (leg === null) others.see(account, [update.order.cloid]);
    if (leg === null || isAnother(world, leg, update.order)) return;
    early.heed(account, leg, update);
    nameTaken(world, leg, update.order.oid);
    if (!isNews(leg, update)) return;
    if (statusMeaning(update.status) !== "rejected") noteReported(world, leg, update.order.oid);
    if (statusMeaning(update.status) === "open" && isLost(world, leg)) applySight(world, leg, openSight(leg, update));
    if (!isPursued(world, leg, update))
      watch.beginSoon(leg.orderId, LIVES.has(statusMeaning(update.status)) ? "changed" : "closed");
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

  async function resync(account: Account, how: Thoroughness): Promise<void> {
    if (!(await resyncAccount(world, account, { ...tools, how }))) void retry(account, how);
  }

  async function retry(account: Account, how: Thoroughness): Promise<void> {
    if (retrying.has(account.id)) return;
    retrying.add(account.id);
    for (const pauseMs of RETRY_PAUSES_MS) {
      await world.clock.sleep(pauseMs);
      if (isStopped || (await resyncAccount(world, account, { ...tools, how }))) break;
    }
    retrying.delete(account.id);
  }

  function onAccountEvent(account: Account, event: FeedEvent): void {
    if (event.kind === "fills") {
      const { fills, isSnapshot } = event;
      onFills(account, isSnapshot ? withoutCut(fills, world.settings.fillsPageRows) : fills);
    }
    if (event.kind === "order_updates") for (const update of event.updates) onUpdate(account, update);
    if (event.kind === "account_part") states.heed(account.tradingAddress, event.shown);
    if (event.kind === "connected") void resync(account, "thorough");
    if (event.kind === "gap") void gaps.makeUp(account);
    if (event.kind === "refused") world.log.warn({ account: account.id, text: event.text }, "the feed was refused");
  }

  return {
    onEvent(address, event) {
      // The connection tells of its own end as well, and the database is closed by then.
      if (isStopped) return;
      try {
        for (const account of accountsAt(world, address)) onAccountEvent(account, event);
      } catch (error) {
        // A full disk, say. Nobody is behind the connection to hear of it; the next reading makes up for it.
        world.log.error({ error: String(error) }, "what the feed told could not be written down");
      }
    },
    onDistrust(address, because) {
      if (isStopped) return;
      for (const account of accountsAt(world, address)) {
        const fields = { account: account.id, reason: because };
        world.log.warn(fields, "the feed has left something out: it is not live, and is connected anew");
        void resync(account, "thorough");
      }
    },
    async crossCheck() {
      for (const account of listAccounts(world.store)) await checks.run(account);
    },
    checkFills(address) {
      if (!isStopped) for (const account of accountsAt(world, address)) checks.runFills(account);
    },
    async resync(which) {
      for (const account of listAccounts(world.store))
        if (isMissing(world, account, which)) await resync(account, which === "not_live" ? "quick" : "thorough");
    },
    stop() {
      isStopped = true;
      watch.stop();
      early.stop();
      checks.stop();
    },
  };
}

function isMissing(
  { feeds }: With<"feeds">,
  { tradingAddress: user }: Account,
  which: "all" | "not_live" | "not_connected",
) {
  if (which === "not_connected") return feeds.connectionOf(user) === null;
  return which === "all" || !feeds.isLive(user);
}

/** A resync at once after the first gap of a feed; whatever comes soon after it is made up for together. */
function openGaps({ clock }: With<"clock">, resync: (account: Account) => Promise<void>) {
  const gaps = new Map<string, "once" | "again">();

  async function makeUp(account: Account): Promise<void> {
    if (gaps.has(account.id)) {
      gaps.set(account.id, "again");
      return;
    }
    do {
      gaps.set(account.id, "once");
      await resync(account);
      await clock.sleep(GAP_PAUSE_MS);
    } while (gaps.get(account.id) === "again");
    gaps.delete(account.id);
  }

  return { makeUp };
}

function accountsAt(world: With<"store">, address: string): Account[] {
  return listAccounts(world.store).filter((account) => account.tradingAddress === address);
}

function legOf(world: With<"store">, account: Account, { order }: Pick<OrderUpdate, "order">): Leg | null {
  const byOid = findLegByOid(world.store, account.id, order.oid);
  if (byOid !== null || order.cloid === null) return byOid;
  const leg = findLegByCloid(world.store, order.cloid);
  return leg !== null && findOrder(world.store, leg.orderId)?.accountId === account.id ? leg : null;
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

/** `quick` asks for the open orders only where one is live here: the question costs 20 of our weight a dex. */
type Thoroughness = "quick" | "thorough";

type FollowerTools = { watch: Watch; index: FillIndex; others: OtherMachines; fired: FiredUnheard; how: Thoroughness };

/**
 * Fills since the last complete time, and a watch on every order of which the exchange's list of open orders tells
 * something else than we do. False when something could not be read.
 */
async function resyncAccount(world: ToFollow, account: Account, { how, ...tools }: FollowerTools): Promise<boolean> {
  const { tradingAddress } = account;
  const connection = world.feeds.connectionOf(tradingAddress);
  try {
    const isFilled = await tools.index.backFill(account);
    const live = listLiveOrders(world.store, account.id, MAX_LOOKS);
    const comparing = { ...tools, live, purpose: "settle" } as const;
    const isListed = (live.length === 0 && how === "quick") || (await compareListed(world, account, comparing));
    if (isFilled && isListed) world.feeds.caughtUp(tradingAddress, connection);
    return isFilled && isListed;
  } catch (error) {
    world.log.error({ account: account.id, error: String(error) }, "reading again what a feed may have missed failed");
    return false;
  }
}

type ComparingOpen = Omit<FollowerTools, "how"> & { live: readonly StoredOrder[]; purpose: Purpose };

/** The exchange's list of open orders against our rows. False when it could not be read. */
async function compareListed(world: ToFollow, account: Account, comparing: ComparingOpen): Promise<boolean> {
  const { watch, others, fired, live, purpose } = comparing;
  const listed = await readListed(world, account, purpose);
  if (listed === null) return false;
  const orders = [...listed.values()];
  world.feeds.showed(account.tradingAddress, [...shownListed(orders), ...shownParts(world, account.id, orders)]);
  others.see(
    account,
    orders.map(({ cloid }) => cloid),
  );
  for (const order of live) {
    const { id, exchangeOrderId, releasedAtMs } = order;
    if (releasedAtMs !== null) continue;
    if (exchangeOrderId === null || !listed.has(exchangeOrderId)) watch.begin(id, "unlisted");
    else if (isDoubted(world, account, exchangeOrderId) || fired.isDue(order, account.tradingAddress))
      watch.begin(id, "changed");
  }
  nameUnnamed(world, account.id, orders);
  heedShownSince(world, account, orders);
  for (const orderId of reportedIn(world, account, listed)) watch.begin(orderId, "changed");
  return true;
}

/** A look that found it perhaps over met a list that was behind, or this one is: another look tells. */
function isDoubted({ store }: With<"store">, { id }: Account, oid: string): boolean {
  const leg = findLegByOid(store, id, oid);
  return leg !== null && isPerhapsOver(leg);
}

/** Open orders of the account by native id; null when they could not be read. */
async function readListed(
  world: With<"exchange" | "settings">,
  account: Account,
  purpose: Purpose,
): Promise<ReadonlyMap<string, FrontendOrder> | null> {
  const listed = new Map<string, FrontendOrder>();
  for (const dex of ["", ...world.settings.dexes]) {
    const request = { type: "frontendOpenOrders", user: account.tradingAddress, dex };
    const outcome = await world.exchange.info(request, { purpose });
    const orders = outcome.kind === "ok" ? parseFrontendOpenOrders(outcome.json) : null;
    if (orders === null) return null;
    for (const order of orders) listed.set(order.oid, order);
  }
  return listed;
}

/** Orders that are listed as open and of which we had concluded that they never arrived. */
function reportedIn(
  world: With<"clock" | "log" | "markets" | "store">,
  account: Account,
  listed: ReadonlyMap<string, FrontendOrder>,
): string[] {
  return [...listed.values()].flatMap((shown) => {
    const leg = legOf(world, account, { order: shown });
    if (leg === null || isAnother(world, leg, shown) || leg.state !== "absent") return [];
    noteReported(world, leg, shown.oid);
    return [leg.orderId];
  });
}

/**
 * The exchange has it, whatever its other stores show: what was lost has a name, and what we concluded is open again. A look
 * says what it is.
 */
function noteReported(world: With<"clock" | "store">, leg: Leg, oid: string): void {
  if (leg.oid !== null && leg.state !== "absent") return;
  if (!isLost(world, leg) && leg.state !== "absent") return;
  const event = { type: "reported", oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, event, world.clock.nowMs()));
}

/** Some answers to triggers name no id, and a cancel by client order id names none: the stream does, and may be the only one that ever will. */
function nameTaken(world: With<"clock" | "store">, leg: Leg, oid: string): void {
  if (leg.oid !== null || !wasTaken(leg)) return;
  const event = { type: "reported", oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, event, world.clock.nowMs()));
}

/** What the stream says of an order that rests is the exchange's word; what it does not say is nothing. */
function openSight({ trigger }: Leg, { order }: OrderUpdate): Sight {
  const { oid } = order;
  const event: LegEvent = trigger === null ? { type: "rested", oid } : { type: "armed", oid };
  return { kind: "seen", events: [event], isClosed: false };
}

/** Something else under our id: nothing of it is believed. */
function isAnother(
  world: With<"clock" | "log" | "markets" | "store">,
  leg: Leg,
  shown: Parameters<typeof differenceFrom>[1],
): boolean {
  const order = findOrder(world.store, leg.orderId);
  const difference = order === null ? null : differenceFrom({ ...askedTerms(order), leg }, shown);
  if (difference !== null) raiseAlarm(world, leg, difference);
  return difference !== null;
}
