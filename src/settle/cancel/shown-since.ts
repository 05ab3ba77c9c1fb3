import type { Account } from "../../core/account.ts";
import { endsAtMs } from "../../core/attempt.ts";
import { BEHIND_MS, CLOCK_DOUBT_MS, goesPast } from "../../core/evidence.ts";
import { dexOf } from "../../core/market.ts";
import { isClosed, type Leg, LISTED_SINCE, wasListedSince } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, listOpenAttempts, updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByOid, listLegs } from "../../store/legs.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { askedTerms, differenceFrom } from "../evidence/difference.ts";
import { legOf } from "../feed/known-leg.ts";
import { raiseAlarm } from "../look/apply-sight.ts";
import { note } from "../record/note.ts";
import { notedAtLatestMs } from "../record/noted-time.ts";
import { recordLegEvent } from "../record/record.ts";
import { listedAssetId } from "./asset-id.ts";
import { isAimedAt, lastCancelOf, missedUnder, NOT_FOUND_THERE } from "./cancel.ts";

/** Open orders of an account. `askedAtMs`: the exchange's time when they were asked for, unix milliseconds. */
export type ListedOrders = { orders: readonly FrontendOrder[]; askedAtMs: number };

/**
 * An order that was taken for over, by the answer to a cancel or by what did not show it, and that a list of open orders
 * shows, which itself holds one placed after that was concluded, or was asked for so long after it that no server is as far
 * behind: it lives, and what said otherwise was wrong or another's. An answer may come from somewhere on the way, and the
 * cancel that it is given to may never have arrived; in a quiet account nothing newer is ever placed. So does one that a cancel did
 * not find before: where it was looked for the list of markets has another one. An end that the exchange itself has told stays, and
 * what such a list shows is the alarm beside it.
 */
export function heedShownSince(
  world: With<"clock" | "exchange" | "log" | "markets" | "store">,
  account: Account,
  { orders, askedAtMs }: ListedOrders,
): void {
  // Most orders are canceled by nobody: of those nothing more is looked up.
  const canceled = new Set(
    listOpenAttempts(world.store).flatMap(({ kind, resource }) => (kind === "cancel" ? resource.id : [])),
  );
  const byDex = Map.groupBy(orders, ({ coin }) => dexOf(coin));
  for (const shown of orders) {
    const list = byDex.get(dexOf(shown.coin)) ?? [];
    reopen(world, account, { shown, list, askedAtMs });
    if (canceled.size > 0) doubtPlace(world, account, { shown, list, canceled });
  }
}

type ListedOrder = { shown: FrontendOrder; list: readonly FrontendOrder[]; askedAtMs: number };

function reopen(
  world: With<"clock" | "exchange" | "log" | "markets" | "store">,
  account: Account,
  { shown, list, askedAtMs }: ListedOrder,
): void {
  const { store, clock } = world;
  const { oid } = shown;
  const leg = legOf(world, account, { order: shown });
  const isEnded = leg !== null && hasEnded(leg);
  const order = isEnded || leg?.state === "closing" ? findOrder(store, leg.orderId) : null;
  if (leg === null || order === null || differenceFrom({ ...askedTerms(order), leg }, shown) !== null) return;
  const nowMs = clock.nowMs();
  // Its row was changed last when that was concluded, by our own clock.
  const sinceMs = notedAtLatestMs(world, order, nowMs) + CLOCK_DOUBT_MS;
  if (!goesPast(list, sinceMs) && askedAtMs - sinceMs < BEHIND_MS) return;
  if (isEnded) {
    tellListed(world, { leg, order, oid });
    return;
  }
  inTransaction(store, () => {
    for (const attempt of listAttemptsOf(store, order.id)) {
      if (attempt.kind !== "cancel" || !attempt.hasLanded || !isAimedAt(attempt, leg)) continue;
      updateAttempt(store, attempt, { hasLanded: false });
      note(world, attempt, "contradiction", `${oid} is listed as open after it was said to be over`);
    }
    recordLegEvent(store, leg.cloid, { type: "shown_since", oid, isArmed: shown.isTrigger }, nowMs);
  });
}

/** What never was there, as far as we had concluded, is opened again by whoever reads the list (`reopenShown`). */
function hasEnded(leg: Leg): boolean {
  return isClosed(leg) && leg.state !== "absent" && !wasListedSince(leg);
}

/** Of the leg that the order now stands for: an earlier one is what a modify has canceled, and that modify's own look tells of it. */
function tellListed(
  world: With<"clock" | "log" | "markets" | "store">,
  { leg, order, oid }: { leg: Leg; order: StoredOrder; oid: string },
): void {
  if (listLegs(world.store, order.id).at(-1)?.cloid !== leg.cloid) return;
  raiseAlarm(world, leg, { words: LISTED_SINCE, isOtherMarket: false, mayBeOurs: true, oid });
}

/** `canceled`: orders of which a cancel is open. */
type ListedBeside = Pick<ListedOrder, "list" | "shown"> & { canceled: ReadonlySet<string> };

function doubtPlace(world: With<"markets" | "store">, account: Account, { shown, list, canceled }: ListedBeside): void {
  const { store, markets } = world;
  const leg = findLegByOid(store, account.id, shown.oid);
  if (leg === null || !canceled.has(leg.orderId)) return;
  const [order, last] = [findOrder(store, leg.orderId), lastCancelOf(world, leg)];
  if (order === null || last === null || last.state === "done") return;
  const missedAt = missedUnder(last, leg);
  if (missedAt === null || missedAt !== listedAssetId(world, order)) return;
  // It was answered before it had expired.
  if (!goesPast(list, endsAtMs(last) + CLOCK_DOUBT_MS)) return;
  markets.doubt(order.market, NOT_FOUND_THERE);
}
