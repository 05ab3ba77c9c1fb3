/** Whether an order that was placed elsewhere is over, as the record of one server tells: what bears that out, or speaks against it. */
import type { Account } from "../core/account.ts";
import { isRefusalBorneOut, judgeEnd, listWord, type RefusalWord } from "../core/end-evidence.ts";
import { dexOf } from "../core/market.ts";
import type { ToLook } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import { type EndAbout, type EndLists, endAbout, keepEndLists } from "../settle/evidence/end-lists.ts";
import type { FrontendOrder, OrderRecord } from "../wire/answer/order-status.ts";
import { saysOver, statusMeaning } from "../wire/answer/status-words.ts";
import { isWhole, mostFilled } from "./told-outside.ts";

/** `refuted`: it is open, as a list shows it. `open`: nothing else says either. */
export type OutsideEnd = { kind: "told" } | { kind: "refuted"; shown: FrontendOrder } | { kind: "open" };

/** What is known already costs nothing; else a list is read, and the history where the list may be of before its placing. */
export async function weighOutsideEnd(
  deps: ToLook,
  account: Account,
  record: OrderRecord,
  purpose: Purpose,
): Promise<OutsideEnd> {
  const lists = keepEndLists();
  const { order, status } = record;
  const about = endAbout(account.tradingAddress, record);
  const end = await weighOver(deps, { account, record, lists, about }, purpose);
  if (end.kind !== "told" || statusMeaning(status) !== "rejected") return end;
  // What is over may have been filled: that it was refused another store has to say.
  const told = deps.picture.toldOf(about.user, order.oid)?.end ?? (await lists.past(deps, about, { purpose }));
  return isRefusalBorneOut(refusalWord(told), deps.exchange.nowMs() - order.timestampMs) ? end : { kind: "open" };
}

function refusalWord(told: Pick<OrderRecord, "status"> | null | "unread"): RefusalWord {
  if (told === null || told === "unread") return "silent";
  return statusMeaning(told.status) === "rejected" ? "refused" : "another_end";
}

type Weighing = { account: Account; record: OrderRecord; lists: EndLists; about: EndAbout };

/** Whether it is over. */
async function weighOver(
  deps: ToLook,
  { account, record: { order }, lists, about }: Weighing,
  purpose: Purpose,
): Promise<OutsideEnd> {
  if (isToldOtherwise(deps, account, order)) return { kind: "told" };
  const known = listKnown(deps, about);
  if (known !== null && known.kind !== "open") return known;
  const list = await lists.open(deps, about, { purpose });
  if (list === null) return { kind: "open" };
  const row = list.word === "may_be_before" ? await lists.past(deps, about, { purpose }) : null;
  const isInHistory = row !== null && row !== "unread" && saysOver(row.status);
  return verdictOf(list.shown, judgeEnd({ isToldOtherwise: false, list: list.word, isInHistory }));
}

/** Its feed has told its end, or its fills are all that it asked for. */
function isToldOtherwise(deps: ToLook, account: Account, order: FrontendOrder): boolean {
  if (deps.picture.toldOf(account.tradingAddress, order.oid)?.end != null) return true;
  const filled = mostFilled(deps, account, order, null);
  return filled !== null && isWhole(order, filled);
}

/** By the list that the account's feed tells, or that was read last; null where there is none. */
function listKnown({ picture }: ToLook, about: EndAbout): OutsideEnd | null {
  const list = picture.openOrders(about.user, dexOf(about.market));
  if (list === null) return null;
  const word = listWord({ orders: list.value, askedAtMs: list.toldToMs }, about);
  const shown = list.value.find(({ oid }) => oid === about.oid) ?? null;
  return verdictOf(shown, judgeEnd({ isToldOtherwise: false, list: word, isInHistory: false }));
}

function verdictOf(shown: FrontendOrder | null, verdict: ReturnType<typeof judgeEnd>): OutsideEnd {
  if (verdict !== "refuted") return { kind: verdict };
  return shown === null ? { kind: "open" } : { kind: "refuted", shown };
}
