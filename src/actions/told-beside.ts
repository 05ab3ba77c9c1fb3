import type { Account } from "../core/account.ts";
import { dexOf } from "../core/market.ts";
import type { With } from "../deps.ts";
import type { ToldOpen } from "../exchange/account-picture.ts";
import type { Purpose } from "../exchange/exchange.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import { isOfElsewhere } from "./of-elsewhere.ts";

type ToLookAtTold = With<"picture" | "reads" | "store">;

/** What lists of these dexes show of an account. */
export type ListedIn = { dexes: readonly string[]; listed: readonly FrontendOrder[] };

/**
 * What an account's feed has told open, and not over since, and these lists lack: the server that answered may be behind it. Orders of ours
 * may be among it.
 */
export function toldBeside(
  { picture }: With<"picture">,
  { tradingAddress: user }: Account,
  { dexes, listed }: ListedIn,
): ToldOpen[] {
  const oids = new Set(listed.map(({ oid }) => oid));
  const told = picture.toldOpen(user).filter(({ market }) => dexes.includes(dexOf(market)));
  const shown = dexes.flatMap((dex) => {
    const list = picture.openOrders(user, dex);
    return (list?.value ?? []).map((order) => ({ order, timeMs: list?.timeMs ?? 0 }));
  });
  const all = new Map<string, ToldOpen>([
    ...told.map((each) => [each.oid, each] as const),
    ...shown.map(({ order, timeMs }) => [order.oid, asTold(order, timeMs)] as const),
  ]);
  return [...all.values()].filter(({ oid }) => !oids.has(oid) && (picture.toldOf(user, oid)?.end ?? null) === null);
}

function asTold(record: FrontendOrder, timeMs: number): ToldOpen {
  const { oid, cloid, coin: market } = record;
  return { oid, cloid, market, timeMs, record };
}

/** `unread`: told open, and nothing shows its terms yet. */
export type FoundBeside = { orders: FrontendOrder[]; unread: ToldOpen[] };

/**
 * What was placed elsewhere of `toldBeside`, each asked for by its number. One whose record says nothing of its end counts as the feed has shown
 * it. Of ours the rows tell.
 */
export async function lookBeside(deps: ToLookAtTold, account: Account, among: ListedIn): Promise<FoundBeside> {
  const { tradingAddress: user } = account;
  const looked = await Promise.all(
    toldBeside(deps, account, among)
      .filter((told) => isOfElsewhere(deps, account, told))
      .map(async (told) => {
        const now = await lookAtTold(deps, { user, oid: told.oid }, "cancel");
        return { told, order: now === "unknown" ? told.record : now };
      }),
  );
  return {
    orders: looked.flatMap(({ order }) => (order === null || order === "over" ? [] : order)),
    unread: looked.flatMap(({ told, order }) => (order === null ? told : [])),
  };
}

/** The record of an order from elsewhere that was told open, which is kept in mind where it shows one. */
export async function lookAtTold(
  { reads, picture }: With<"picture" | "reads">,
  { user, oid }: { user: string; oid: string },
  purpose: Purpose,
): Promise<FrontendOrder | "over" | "unknown"> {
  const read = await reads.orderStatus(user, oid, purpose);
  if (read.kind === "failed" || read.value.kind === "not_found") return "unknown";
  const meaning = statusMeaning(read.value.status);
  if (meaning === "triggered" || meaning === "unknown") return "unknown";
  const order = meaning === "open" ? read.value.order : null;
  picture.takeRecord(user, oid, order);
  return order ?? "over";
}
