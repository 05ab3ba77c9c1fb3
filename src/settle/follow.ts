import type { Account } from "../core/account.ts";
import type { Leg, LegState } from "../core/order.ts";
import type { Settling, World } from "../deps.ts";
import type { FeedEvent } from "../exchange/feed-event.ts";
import { listAccounts } from "../store/accounts.ts";
import { findLegByCloid, findLegByOid, findOrder, listLiveOrders } from "../store/orders.ts";
import { parseFrontendOpenOrders } from "../wire/answer/open-orders.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import type { OrderUpdate } from "../wire/answer/stream.ts";
import type { FillIndex } from "./index-fills.ts";
import { openWatch, type Watch } from "./watch.ts";

/** Keeps orders and fills in step with the exchange as things happen. The feed only hints; reads decide. */
export type Follower = {
  onEvent(address: string, event: FeedEvent): void;
  /** Reads again what a feed may have missed, for every account that is not followed live, or for all. */
  resync(which: "all" | "not_live"): Promise<void>;
  stop(): void;
};

/** Live orders of an account that one resync looks at. */
const MAX_LOOKS = 500;
/** Pauses before a resync that failed is tried again, milliseconds; then the next regular one has to do. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 30_000, 60_000, 60_000] as const;

export function openFollower(world: World, settling: Settling, index: FillIndex): Follower {
  const watch = openWatch(world, settling);
  const tools: Tools = { watch, index };
  /** Accounts whose resync has failed and is tried again. */
  const retrying = new Set<string>();
  let isStopped = false;

  function onUpdate(account: Account, update: OrderUpdate): void {
    const leg = legOf(world, account, update);
    if (leg === null || !isNews(leg.state, update)) return;
    watch.begin(leg.orderId, statusMeaning(update.status) === "open" ? "changed" : "closed");
  }

  async function resync(account: Account): Promise<void> {
    if (!(await resyncAccount(world, account, tools))) void retry(account);
  }

  async function retry(account: Account): Promise<void> {
    if (retrying.has(account.id)) return;
    retrying.add(account.id);
    for (const pauseMs of RETRY_PAUSES_MS) {
      await world.clock.sleep(pauseMs);
      if (isStopped || (await resyncAccount(world, account, tools))) break;
    }
    retrying.delete(account.id);
  }

  function onAccountEvent(account: Account, event: FeedEvent): void {
    if (event.kind === "fills") index.add(account, event.fills);
    if (event.kind === "order_updates") for (const update of event.updates) onUpdate(account, update);
    if (event.kind === "connected" || event.kind === "gap") void resync(account);
    if (event.kind === "refused") world.log.warn({ account: account.id, text: event.text }, "the feed was refused");
  }

  return {
    onEvent(address, event) {
      try {
        for (const account of accountsAt(world, address)) onAccountEvent(account, event);
      } catch (error) {
        // A full disk, say. Nobody is behind the connection to hear of it; the next reading makes up for it.
        world.log.error({ error: String(error) }, "what the feed told could not be written down");
      }
    },
    async resync(which) {
      for (const account of listAccounts(world.store)) {
        if (which === "all" || !world.feeds.isLive(account.tradingAddress)) {
          await resync(account);
        }
      }
    },
    stop() {
      isStopped = true;
      watch.stop();
    },
  };
}

function accountsAt(world: World, address: string): Account[] {
  return listAccounts(world.store).filter((account) => account.tradingAddress === address);
}

function legOf(world: World, account: Account, { order }: OrderUpdate): Leg | null {
  const byOid = findLegByOid(world.store, account.id, order.oid);
  if (byOid !== null || order.cloid === null) return byOid;
  const leg = findLegByCloid(world.store, order.cloid);
  return leg !== null && findOrder(world.store, leg.orderId)?.accountId === account.id ? leg : null;
}

const SAME: Partial<Record<LegState, ReturnType<typeof statusMeaning>>> = {
  resting: "open",
  armed: "open",
  filled: "filled",
  canceled: "canceled",
  rejected: "rejected",
};

/** What the row says already, an update of our own action most of the time, is not worth a look. */
function isNews(state: LegState, { status }: OrderUpdate): boolean {
  return SAME[state] !== statusMeaning(status);
}

type Tools = { watch: Watch; index: FillIndex };

/**
 * Fills since the last complete time, and a watch on every live order that the exchange no longer lists as open. False
 * when something could not be read.
 */
async function resyncAccount(world: World, account: Account, { watch, index }: Tools): Promise<boolean> {
  try {
    const isFilled = await index.backFill(account);
    const live = listLiveOrders(world.store, account.id, MAX_LOOKS);
    if (live.length === 0) return isFilled;
    const listed = await readListed(world, account);
    if (listed === null) return false;
    for (const { id, exchangeOrderId } of live) {
      if (exchangeOrderId === null || !listed.has(exchangeOrderId)) watch.begin(id, "unlisted");
    }
    return isFilled;
  } catch (error) {
    world.log.error({ account: account.id, error: String(error) }, "reading again what a feed may have missed failed");
    return false;
  }
}

async function readListed(world: World, account: Account): Promise<Set<string> | null> {
  const listed = new Set<string>();
  for (const dex of ["", ...world.settings.dexes]) {
    const request = { type: "frontendOpenOrders", user: account.tradingAddress, dex };
    const outcome = await world.exchange.info(request, { purpose: "settle" });
    const orders = outcome.kind === "ok" ? parseFrontendOpenOrders(outcome.json) : null;
    if (orders === null) return null;
    for (const order of orders) listed.add(order.oid);
  }
  return listed;
}
