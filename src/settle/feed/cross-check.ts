import type { Account } from "../../core/account.ts";
import type { With } from "../../deps.ts";
import type { Purpose } from "../../exchange/exchange.ts";
import { hasLiveOrder } from "../../store/orders.ts";
import { isShortOfFills } from "../../store/short-of-fills.ts";
import type { ShownAfterEnd } from "../cancel/shown-after-end.ts";
import type { FillIndex } from "../fills/index-fills.ts";

/** Reads that a live feed is held against: what they show and it has not told ends its being live. */
export type CrossChecks = {
  /** The regular one: more often where an order is live, and nothing where no feed is. */
  run(account: Account): Promise<void>;
  /** The fills alone, as soon as they were not read a moment ago. */
  runFills(account: Account): void;
  stop(): void;
};

/** How often the regular check comes, milliseconds: four a minute, however minutes are cut. */
export const CROSS_CHECK_MS = 15_500;
/** The fills of an account without a live order are read this often, milliseconds. */
const QUIET_MS = 60_000;
/** The open orders of an account with one are read this often, milliseconds: each dex costs as much as all fills. */
const LIST_MS = 30_000;
/** A check out of turn comes so long after the last one, milliseconds. */
const SPACING_MS = 5_000;
/** Fills that were not read for this long, one check more, are read with the weight of settling, milliseconds. */
const OVERDUE_MS = QUIET_MS + CROSS_CHECK_MS - 1_000;
/** A timer that wakes a moment early is in time, milliseconds. */
const EARLY_MS = 500;

/** When each was read last, elapsed milliseconds; minus infinity where it is due. `askedMs`: the fills, whatever came of it. */
type Last = { fillsMs: number; askedMs: number; listMs: number };

export type CrossCheckParts = {
  index: Pick<FillIndex, "backFill" | "readToMs">;
  ended: Pick<ShownAfterEnd, "heedTold" | "isDoubting">;
  /** Reads the open orders of an account and compares them with its rows. */
  readListed: (account: Account) => Promise<boolean>;
};

export function openCrossChecks(
  world: With<"clock" | "exchange" | "feeds" | "log" | "picture" | "settings" | "store">,
  { index, ended, readListed }: CrossCheckParts,
): CrossChecks {
  const last = new Map<string, Last>();
  /** Accounts whose fills are about to be read out of turn. */
  const waiting = new Set<string>();
  let isStopped = false;

  function lastOf({ id }: Account): Last {
    const due = Number.NEGATIVE_INFINITY;
    const known = last.get(id) ?? { fillsMs: due, askedMs: due, listMs: due };
    last.set(id, known);
    return known;
  }

  /** What could not be read is due at the next check: our weight may have had no room for it. */
  async function readFills(account: Account): Promise<void> {
    const times = lastOf(account);
    times.askedMs = world.clock.elapsedMs();
    const isRead = await index.backFill(account, purposeOf(world, index.readToMs(account)));
    times.fillsMs = isRead ? times.askedMs : Number.NEGATIVE_INFINITY;
  }

  async function readSoon(account: Account): Promise<void> {
    const leftMs = lastOf(account).askedMs + SPACING_MS - world.clock.elapsedMs();
    if (leftMs > 0) await world.clock.sleep(leftMs);
    const isAsked = world.clock.elapsedMs() - lastOf(account).askedMs < SPACING_MS;
    if (!isStopped && !isAsked) await readFills(account);
  }

  /** What the feed lists costs nothing: an order of it whose end was told has the list read. */
  function heedTold(account: Account): void {
    for (const dex of ["", ...world.settings.dexes]) {
      const list = world.picture.openOrders(account.tradingAddress, dex);
      if (list?.isTold === true) ended.heedTold(account, list.value);
    }
  }

  return {
    async run(account) {
      if (isStopped || !world.feeds.isLive(account.tradingAddress)) return;
      const nowMs = world.clock.elapsedMs() + EARLY_MS;
      const times = lastOf(account);
      const isBusy = hasLiveOrder(world.store, account.id);
      if (!isBusy) heedTold(account);
      const mustList = isBusy || ended.isDoubting(account);
      // A list that lacks a fill of which an order tells is behind for good where nothing else asks for it.
      const isDue = mustList || nowMs - times.fillsMs >= QUIET_MS || isShortOfFills(world.store, account.id);
      if (isDue) await readFills(account);
      if (isStopped || !mustList || nowMs - times.listMs < LIST_MS) return;
      if (await readListed(account)) times.listMs = nowMs;
    },
    runFills(account) {
      if (isStopped || waiting.has(account.id)) return;
      waiting.add(account.id);
      readSoon(account)
        .catch((error: unknown) => {
          if (!isStopped) world.log.error({ account: account.id, error: String(error) }, "fills could not be checked");
        })
        .finally(() => waiting.delete(account.id));
    },
    stop() {
      isStopped = true;
    },
  };
}

/** What reads may spend, which leaves most of the weight to orders; in the end the truth matters more. */
function purposeOf(world: With<"exchange">, readToMs: number | null): Purpose {
  return world.exchange.nowMs() - (readToMs ?? 0) > OVERDUE_MS ? "settle" : "read";
}
