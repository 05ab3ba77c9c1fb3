import type { Account } from "../core/account.ts";
import { dexOf } from "../core/market.ts";
import type { With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";

type ToLookAtTold = With<"picture" | "reads" | "settings">;

/** `isWhole` false where one was told whose terms nothing shows yet. */
export type ToldBeside = { orders: FrontendOrder[]; isWhole: boolean };

/**
 * What an account's feed has told open and these lists lack: the server that answered may be behind it. Each is asked for by its number.
 * One whose record says nothing of its end counts as the feed has shown it.
 */
export async function toldBeside(
  deps: ToLookAtTold,
  account: Account,
  listed: readonly FrontendOrder[],
): Promise<ToldBeside> {
  const { picture, settings } = deps;
  const { tradingAddress: user } = account;
  const oids = new Set(listed.map(({ oid }) => oid));
  const shown = ["", ...settings.dexes].flatMap((dex) => picture.openOrders(user, dex)?.value ?? []);
  const told = picture.toldOpen(user).filter(({ market }) => ["", ...settings.dexes].includes(dexOf(market)));
  const records = new Map<string, FrontendOrder | null>([
    ...told.map(({ oid, record }) => [oid, record] as const),
    ...shown.map((order) => [order.oid, order] as const),
  ]);
  const beside = [...records].filter(([oid]) => !oids.has(oid) && isNotToldOver(deps, user, oid));
  const looked = await Promise.all(
    beside.map(async ([oid, record]) => ({ record, now: await lookAtTold(deps, { user, oid }, "cancel") })),
  );
  const known = looked.map(({ record, now }) => (now === "over" ? "over" : now === "unknown" ? record : now));
  return {
    orders: known.filter((order) => order !== "over" && order !== null),
    isWhole: !known.includes(null),
  };
}

function isNotToldOver({ picture }: With<"picture">, user: string, oid: string): boolean {
  return (picture.toldOf(user, oid)?.end ?? null) === null;
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
