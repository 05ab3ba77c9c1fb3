import type { Account } from "../core/account.ts";
import { isLive, type Leg, type LegState } from "../core/order.ts";
import type { Settling, World } from "../deps.ts";
import type { FeedEvent } from "../exchange/feed-event.ts";
import { listAccounts } from "../store/accounts.ts";
import { findLegByCloid, findLegByOid, findOrder, listLiveOrders } from "../store/orders.ts";
import { parseFrontendOpenOrders } from "../wire/answer/open-orders.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import type { OrderUpdate } from "../wire/answer/stream.ts";
import type { FillIndex } from "./index-fills.ts";

/** Keeps orders and fills in step with the exchange as things happen. The feed only hints; reads decide. */
export type Follower = {
  onEvent(address: string, event: FeedEvent): void;
  /** Reads again what a feed may have missed, for every account that is not followed live, or for all. */
  resync(which: "all" | "not_live"): Promise<void>;
};

/** Live orders of an account that one resync looks at. */
const MAX_LOOKS = 500;
/**
 * Pauses between looks, milliseconds. The first look may have been shared with one that began before the news; short
 * fills take two readings, 3 s after the close and 2 s apart, and no more news comes of a closed order.
 */
const LOOK_PAUSES_MS = [1_100, 3_000, 3_000, 10_000, 30_000] as const;
/** Orders whose further looks are waited for at once. */
const MAX_WAITING = 10_000;

export function openFollower(world: World, settling: Settling, index: FillIndex): Follower {
  const waiting = new Set<string>();
  /** Orders of which a close was told and has not been seen. */
  const closing = new Set<string>();

  /** Looks, pauses, and looks once more; where a close was told, until the order is closed here as well. */
  async function lookAgain(orderId: string): Promise<void> {
    if (waiting.has(orderId) || waiting.size >= MAX_WAITING) return;
    waiting.add(orderId);
    try {
      await settling.look(orderId);
      for (const pauseMs of LOOK_PAUSES_MS) {
        await world.clock.sleep(pauseMs);
        const order = findOrder(world.store, orderId);
        if (order === null || !isLive(order.status)) return;
        if (!closing.has(orderId)) break;
        await settling.look(orderId);
      }
    } finally {
      // From here on news is worth a round of its own.
      waiting.delete(orderId);
      closing.delete(orderId);
    }
    await settling.look(orderId);
  }

  function onUpdate(account: Account, update: OrderUpdate): void {
    const leg = legOf(world, account, update);
    if (leg === null || !isNews(leg.state, update)) return;
    const { orderId } = leg;
    if (statusMeaning(update.status) !== "open" && closing.size < MAX_WAITING) closing.add(orderId);
    lookAgain(orderId).catch((error: unknown) => {
      world.log.error({ order_id: orderId, error: String(error) }, "news of an order could not be followed");
    });
  }

  function onAccountEvent(account: Account, event: FeedEvent): void {
    if (event.kind === "fills") index.add(account, event.fills);
    if (event.kind === "order_updates") for (const update of event.updates) onUpdate(account, update);
    if (event.kind === "connected" || event.kind === "gap") void resyncAccount(world, account, { settling, index });
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
          await resyncAccount(world, account, { settling, index });
        }
      }
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

type Tools = { settling: Settling; index: FillIndex };

/** Fills since the last complete time, and a look at every live order that the exchange no longer lists as open. */
async function resyncAccount(world: World, account: Account, { settling, index }: Tools): Promise<void> {
  try {
    await index.backFill(account);
    const live = listLiveOrders(world.store, account.id, MAX_LOOKS);
    if (live.length === 0) return;
    const listed = await readListed(world, account);
    if (listed === null) return;
    for (const order of live) {
      if (order.exchangeOrderId === null || !listed.has(order.exchangeOrderId)) await settling.look(order.id);
    }
  } catch (error) {
    world.log.error({ account: account.id, error: String(error) }, "reading again what a feed may have missed failed");
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
