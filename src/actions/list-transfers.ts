import { API_NETWORK } from "../core/account.ts";
import { pageLooked } from "../core/page.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { listTransfers as listStored, type StoredTransfer } from "../store/ledger.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { type ListFunding, ledgerText, pageOf } from "./list-funding.ts";
import { requirePlace } from "./list-place.ts";

export type ListTransfers = Omit<ListFunding, "market">;

/** `GET /v1/transfers`: newest first, from the local index, which keeps what the exchange forgets. */
export function listTransfers(
  deps: With<"exchange" | "store">,
  { account }: Caller,
  wanted: ListTransfers,
): ReadAnswer {
  const { sinceMs, untilMs, cursor, limit } = wanted;
  const after = requirePlace(cursor);
  const looked = listStored(deps.store, { accountId: account.id, sinceMs, untilMs, after, limit });
  const page = pageLooked(looked, limit, (row) => row.id);
  const told = pageOf(page, transferResource);
  return { body: ledgerText(deps, { accountId: account.id, list: "transfers" }, told), asOfMs: null };
}

export function transferResource(transfer: StoredTransfer) {
  return {
    object: "transfer" as const,
    id: transfer.id,
    account: transfer.accountId,
    network: API_NETWORK,
    type: snakeCase(transfer.kind),
    token: transfer.token,
    amount: transfer.amount,
    fee: transfer.fee,
    value: transfer.value,
    counterparty: transfer.counterparty,
    transaction_hash: transfer.transactionHash,
    created_at: isoTime(transfer.timeMs),
  };
}

/** The exchange's word as this interface writes words. */
function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
