/** Reading again what a feed may have missed of an account: its fills, and its list of open orders. */
import type { Account } from "../../core/account.ts";
import { isPerhapsOver } from "../../core/order.ts";
import type { ToFollow, With } from "../../deps.ts";
import type { InfoRequest, Purpose } from "../../exchange/exchange.ts";
import { findLegByOid } from "../../store/legs.ts";
import { findOrder, listLiveOrders, type StoredOrder } from "../../store/orders.ts";
import { parseFrontendOpenOrders } from "../../wire/answer/open-orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import type { ShownAfterEnd } from "../cancel/shown-after-end.ts";
import { heedShownSince } from "../cancel/shown-since.ts";
import type { FillIndex } from "../fills/index-fills.ts";
import { nameUnnamed } from "../look/unnamed.ts";
import type { OtherMachines } from "../restore/other-machine.ts";
import { isUnderWay } from "../unsettled.ts";
import type { FiredUnheard } from "./fired-unheard.ts";
import { reopenShown } from "./known-leg.ts";
import { shownListed, shownParts } from "./shown.ts";
import type { Watch } from "./watch.ts";

/** `quick` asks for the open orders only where one is live here, or has just ended: the question costs 20 of our weight a dex. */
export type Thoroughness = "quick" | "thorough";

export type ResyncParts = {
  watch: Watch;
  index: FillIndex;
  others: OtherMachines;
  fired: FiredUnheard;
  ended: ShownAfterEnd;
};

export type Resyncs = {
  /** Tried again a few times where something could not be read. */
  run(account: Account, how: Thoroughness): Promise<void>;
  /** A feed said something that could not be read. */
  makeUp(account: Account): Promise<void>;
  /** The exchange's list of open orders against our rows. False when it could not be read. */
  compare(account: Account): Promise<boolean>;
  /** Whose reading has been out for longest comes first: where weight is short the same would come too late again and again. */
  longestFirst(accounts: readonly Account[]): Account[];
};

/** Before any moment of this process. */
const NEVER_MS = -1;
/** Live orders of an account that one resync looks at. */
const MAX_LOOKS = 500;
/** Between two resyncs for frames that could not be read, milliseconds: each costs 60 of our weight, and such frames may come one after another. */
const GAP_PAUSE_MS = 10_000;
/** Pauses before a resync that failed is tried again, milliseconds; then the next regular one has to do. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 30_000, 60_000, 60_000] as const;
/** So many retries leave our weight to unknown orders. After them, about a minute on, to be without the feed's news is worse. */
const PATIENT_RETRIES = 3;
/** Longest wait for room in our own weight before a retry, milliseconds: others may use that room up first. */
const MAX_ROOM_WAIT_MS = 15_000;

export function openResyncs(world: ToFollow, parts: ResyncParts, hasStopped: () => boolean): Resyncs {
  /** Accounts whose resync has failed and is tried again. */
  const retrying = new Set<string>();
  /** When each was last read whole, elapsed milliseconds. */
  const readAtMs = new Map<string, number>();
  const gaps = openGaps(world, (account) => (hasStopped() ? Promise.resolve() : run(account, "thorough")));

  async function run(account: Account, how: Thoroughness): Promise<void> {
    if (!(await read(account, how, "catch_up"))) void retry(account, how);
  }

  async function read(account: Account, how: Thoroughness, purpose: Purpose): Promise<boolean> {
    const askedAtMs = world.clock.elapsedMs();
    const isRead = await resyncAccount(world, account, { ...parts, how, purpose });
    if (isRead) readAtMs.set(account.id, askedAtMs);
    return isRead;
  }

  async function retry(account: Account, how: Thoroughness): Promise<void> {
    if (retrying.has(account.id)) return;
    retrying.add(account.id);
    for (const [nth, pauseMs] of RETRY_PAUSES_MS.entries()) {
      const purpose = nth < PATIENT_RETRIES ? "catch_up" : "settle";
      const waitMs = roomWaitS(world, account, purpose) * 1_000;
      await world.clock.sleep(waitMs === 0 ? pauseMs : Math.min(waitMs, MAX_ROOM_WAIT_MS));
      if (hasStopped() || (await read(account, how, purpose))) break;
    }
    retrying.delete(account.id);
  }

  return {
    run,
    makeUp: gaps.makeUp,
    compare(account) {
      const live = listLiveOrders(world.store, account.id, MAX_LOOKS);
      return compareListed(world, account, { ...parts, live, purpose: "read" });
    },
    longestFirst(accounts) {
      const lastMs = ({ id }: Account) => readAtMs.get(id) ?? NEVER_MS;
      return accounts.toSorted((one, other) => lastMs(one) - lastMs(other));
    },
  };
}

/** Resyncs at once after the first gap of a feed, and once more for all gaps of the pause that follows. */
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

/**
 * Fills since the last complete time, and a watch on every order of which the exchange's list of open orders tells
 * something else than we do. False when something could not be read.
 */
async function resyncAccount(
  world: ToFollow,
  account: Account,
  { how, purpose, ...tools }: ResyncParts & { how: Thoroughness; purpose: Purpose },
): Promise<boolean> {
  const { tradingAddress } = account;
  const connection = world.feeds.connectionOf(tradingAddress);
  try {
    const mustList = how === "thorough" || listLiveOrders(world.store, account.id, 1).length > 0;
    const hasRoom = roomWaitS(world, account, purpose) === 0;
    if (mustList && !hasRoom) return false;
    // Where nothing is live a list only bears out what has ended: the next regular one does as well, and keeps no feed from being live.
    const isListing = mustList || (hasRoom && tools.ended.isDue(account));
    const isFilled = await tools.index.backFill(account, purpose);
    const live = listLiveOrders(world.store, account.id, MAX_LOOKS);
    const comparing = { ...tools, live, purpose };
    const isNeeded = how === "thorough" || live.length > 0;
    const isListed = ((isNeeded || isListing) && (await compareListed(world, account, comparing))) || !isNeeded;
    if (isFilled && isListed) world.feeds.caughtUp(tradingAddress, connection);
    return isFilled && isListed;
  } catch (error) {
    world.log.error({ account: account.id, error: String(error) }, "reading again what a feed may have missed failed");
    return false;
  }
}

/** Until there is room for fills and lists together: the fills would be read again with the lists. */
function roomWaitS({ exchange, settings }: With<"exchange" | "settings">, account: Account, purpose: Purpose): number {
  const fills = { type: "userFillsByTime", user: account.tradingAddress, startTime: exchange.nowMs() };
  const lists = ["", ...settings.dexes].map((dex) => listOf(account, dex));
  return exchange.budgetWaitS(purpose, [fills, ...lists]);
}

type ComparingOpen = ResyncParts & { live: readonly StoredOrder[]; purpose: Purpose };

/** The exchange's list of open orders against our rows. False when it could not be read. */
async function compareListed(world: ToFollow, account: Account, comparing: ComparingOpen): Promise<boolean> {
  const { watch, others, fired, ended, live, purpose } = comparing;
  const askedAtMs = world.exchange.nowMs();
  const askedElapsedMs = world.clock.elapsedMs();
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
    if (exchangeOrderId === null || !listed.has(exchangeOrderId)) {
      if (isUnchanged(world, order)) watch.begin(id, "unlisted");
    } else if (isDoubted(world, account, exchangeOrderId) || fired.isDue(order, account.tradingAddress))
      watch.begin(id, "changed");
  }
  nameUnnamed(world, account.id, orders);
  heedShownSince(world, account, { orders, askedAtMs });
  ended.heedRead(account, orders, askedElapsedMs);
  for (const orderId of reopenShown(world, account, orders)) watch.begin(orderId, "changed");
  return true;
}

/**
 * Nothing has changed it since before the list was asked for, or changes it now. Of an account that quotes each list lacks orders that were on their way to
 * the exchange as it was made: who has sent them looks for them himself, and the next list holds them.
 */
function isUnchanged(world: With<"store">, { id, version }: StoredOrder): boolean {
  return findOrder(world.store, id)?.version === version && !isUnderWay(world, id);
}

/** A look has found it perhaps over, and this list shows it: one of the two is behind, and another look tells which. */
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
  const requests = ["", ...world.settings.dexes].map((dex) => listOf(account, dex));
  // Part of the list proves nothing, and reading it would take weight from the next try.
  if (world.exchange.budgetWaitS(purpose, requests) > 0) return null;
  for (const request of requests) {
    const outcome = await world.exchange.info(request, { purpose });
    const orders = outcome.kind === "ok" ? parseFrontendOpenOrders(outcome.json) : null;
    if (orders === null) return null;
    for (const order of orders) listed.set(order.oid, order);
  }
  return listed;
}

function listOf({ tradingAddress: user }: Account, dex: string): InfoRequest {
  return { type: "frontendOpenOrders", user, dex };
}
