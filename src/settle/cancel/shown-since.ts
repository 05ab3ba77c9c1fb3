import type { Account } from "../../core/account.ts";
import { endsAtMs } from "../../core/attempt.ts";
import { BEHIND_MS, CLOCK_DOUBT_MS, goesPast } from "../../core/evidence.ts";
import { dexOf } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, listOpenAttempts, updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByOid } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { askedTerms, differenceFrom } from "../evidence/difference.ts";
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
 * not find before: where it was looked for the list of markets has another one.
 */
export function heedShownSince(
  world: With<"clock" | "exchange" | "markets" | "store">,
  account: Account,
  { orders, askedAtMs }: ListedOrders,
): void {
  // Most orders are canceled by nobody: of those nothing more is looked up.
  const canceled = new Set(
    listOpenAttempts(world.store).flatMap(({ kind, resource }) => (kind === "cancel" ? resource.id : [])),
  );
  for (const shown of orders) {
    const list = orders.filter(({ coin }) => dexOf(coin) === dexOf(shown.coin));
    reopen(world, account, { shown, list, askedAtMs });
    if (canceled.size > 0) doubtPlace(world, account, { shown, list, canceled });
  }
}

type ListedOrder = { shown: FrontendOrder; list: readonly FrontendOrder[]; askedAtMs: number };

function reopen(
  world: With<"clock" | "exchange" | "store">,
  account: Account,
  { shown, list, askedAtMs }: ListedOrder,
): void {
  const { store, clock } = world;
  const { oid } = shown;
  const leg = findLegByOid(store, account.id, oid);
  const order = leg?.state === "closing" ? findOrder(store, leg.orderId) : null;
  if (leg === null || order === null || differenceFrom({ ...askedTerms(order), leg }, shown) !== null) return;
  const nowMs = clock.nowMs();
  // Its row was changed last when that was concluded, by our own clock.
  const sinceMs = notedAtLatestMs(world, order, nowMs) + CLOCK_DOUBT_MS;
  if (!goesPast(list, sinceMs) && askedAtMs - sinceMs < BEHIND_MS) return;
  inTransaction(store, () => {
    for (const attempt of listAttemptsOf(store, order.id)) {
      if (attempt.kind !== "cancel" || !attempt.hasLanded || !isAimedAt(attempt, leg)) continue;
      updateAttempt(store, attempt, { hasLanded: false });
      note(world, attempt, "contradiction", `${oid} is listed as open after it was said to be over`);
    }
    recordLegEvent(store, leg.cloid, { type: "shown_since", oid, isArmed: shown.isTrigger }, nowMs);
  });
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
