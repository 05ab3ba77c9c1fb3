import type { Account } from "../../core/account.ts";
import { isClosed } from "../../core/order.ts";
import type { Settling, ToFollow, With } from "../../deps.ts";
import type { FeedEvent } from "../../exchange/feed-event.ts";
import { listAccounts, listAccountsAt } from "../../store/accounts.ts";
import { findLegByOid } from "../../store/legs.ts";
import { openShownAfterEnd } from "../cancel/shown-after-end.ts";
import { withoutCut } from "../fills/fill-pages.ts";
import type { FillIndex } from "../fills/index-fills.ts";
import type { OtherMachines } from "../restore/other-machine.ts";
import { isUnderWay } from "../unsettled.ts";
import { openCrossChecks } from "./cross-check.ts";
import { openFiredUnheard } from "./fired-unheard.ts";
import { lastWords } from "./last-words.ts";
import { openResyncs } from "./resync.ts";
import { openTestifying } from "./testify.ts";
import { openToldOrders } from "./told-orders.ts";
import { openWatch, type Watch } from "./watch.ts";

/** Keeps orders and fills in step with the exchange as things happen. The feed only hints; reads decide. */
export type Follower = {
  onEvent(address: string, event: FeedEvent): void;
  /**
   * Reads again what a feed may have missed: of all accounts, of those whose feed is not live, or of those whose feed has not
   * connected yet (the others are read when it connects).
   */
  resync(which: "all" | "not_live" | "not_connected"): Promise<void>;
  /** Reads again, at once, what the feed of one address has left out. */
  onDistrust(address: string, because: string): void;
  /** Holds live feeds against what reads show: those of accounts with a live order, and now and then of every other. */
  crossCheck(): Promise<void>;
  /** Holds the feed of one address against the exchange's fills, unless that was done a moment ago. */
  checkFills(address: string): void;
  /** A look, whoever asked for it, has found an order over and not how much of it was filled: nobody has to ask again for that. */
  onUnfinished(orderId: string): void;
  stop(): void;
};

/** `others` is the one detector of a second machine: everything that shows orders feeds the same one. */
export type FollowerParts = { index: FillIndex; others: OtherMachines };

export function openFollower(world: ToFollow, settling: Settling, { index, others }: FollowerParts): Follower {
  let isStopped = false;
  const hasStopped = () => isStopped;
  const watch = openWatch(world, settling);
  const told = openToldOrders(world, { watch, index, others });
  const ended = openShownAfterEnd(world);
  const resyncs = openResyncs(world, { watch, index, others, fired: openFiredUnheard(world), ended }, hasStopped);
  const checks = openCrossChecks(world, { index, ended, readListed: resyncs.compare });
  const states = openTestifying(world, hasStopped);

  function onAccountEvent(account: Account, event: FeedEvent): void {
    if (event.kind === "fills") {
      const { fills, isSnapshot } = event;
      told.onFills(account, isSnapshot ? withoutCut(fills, world.settings.fillsPageRows) : fills);
    }
    if (event.kind === "order_updates") for (const update of lastWords(event.updates)) told.onUpdate(account, update);
    if (event.kind === "account_part") {
      states.heed(account.tradingAddress, event.shown);
      if (event.shown.part === "open") heedLeftList(world, account, watch);
    }
    if (event.kind === "connected") void resyncs.run(account, "thorough");
    if (event.kind === "gap") void resyncs.makeUp(account);
    if (event.kind === "refused") world.log.warn({ account: account.id, text: event.text }, "the feed was refused");
  }

  /**
   * Nobody is behind the connection to hear of a fault, a full disk, say: it must end neither what watches over the feed nor the process. The
   * next reading makes up for it. The connection tells of its own end as well, and the database is closed by then.
   */
  function heedEach(address: string, words: string, heed: (account: Account) => void): void {
    if (isStopped) return;
    try {
      for (const account of listAccountsAt(world.store, address)) heed(account);
    } catch (error) {
      world.log.error({ error: String(error) }, words);
    }
  }

  return {
    onEvent(address, event) {
      heedEach(address, "what the feed told could not be written down", (account) => onAccountEvent(account, event));
    },
    onDistrust(address, because) {
      heedEach(address, "what a feed has left out could not be read again", (account) => {
        const fields = { account: account.id, reason: because };
        world.log.warn(fields, "the feed has left something out: it is not live, and is connected anew");
        void resyncs.run(account, "thorough");
      });
    },
    async crossCheck() {
      for (const account of listAccounts(world.store)) await checks.run(account);
    },
    checkFills(address) {
      heedEach(address, "the fills of a feed could not be checked", checks.runFills);
    },
    async resync(which) {
      for (const account of resyncs.longestFirst(listAccounts(world.store)))
        if (isMeant(world, account, which)) await resyncs.run(account, which === "not_live" ? "quick" : "thorough");
    },
    onUnfinished(orderId) {
      if (!isStopped) watchUnfinished(world, orderId, watch);
    },
    stop() {
      isStopped = true;
      for (const each of [watch, told, checks, ended]) each.stop();
    },
  };
}

function isMeant(
  { feeds }: With<"feeds">,
  { tradingAddress: user }: Account,
  which: "all" | "not_live" | "not_connected",
): boolean {
  if (which === "not_connected") return feeds.connectionOf(user) === null;
  return which === "all" || !feeds.isLive(user);
}

/**
 * Orders that a list of a feed has held and its next one does not. The channel that tells of their end may have fallen silent while that of
 * the list goes on: what protects a position may be gone. To be called for each list, once the picture has it.
 */
function heedLeftList(world: With<"picture" | "store">, account: Account, watch: Pick<Watch, "beginSoon">): void {
  for (const oid of world.picture.justLeftList(account.tradingAddress)) {
    const leg = findLegByOid(world.store, account.id, oid);
    if (leg !== null && !isClosed(leg) && !isUnderWay(world, leg.orderId)) watch.beginSoon(leg.orderId, "unlisted");
  }
}

/** Nobody waits for it: a fault is no fault of the look that has found it over. */
function watchUnfinished(world: With<"log" | "store">, orderId: string, watch: Pick<Watch, "goOn">): void {
  try {
    if (!isUnderWay(world, orderId)) watch.goOn(orderId);
  } catch (error) {
    world.log.error({ order_id: orderId, error: String(error) }, "an order that is over could not be watched");
  }
}
