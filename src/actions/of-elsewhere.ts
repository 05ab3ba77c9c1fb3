/** Whether an order that the exchange has told or shown was placed elsewhere: asked by what goes with it, and by what is told of it. */
import type { Account } from "../core/account.ts";
import type { With } from "../deps.ts";
import { findLegByOid } from "../store/legs.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { adoptedRow } from "./adopt-order.ts";
import { legShown } from "./outside-order.ts";

/** By its number; where its record is known, also by its name and terms. */
export type OpenAtExchange = { oid: string; record: FrontendOrder | null };

/** No row of ours has it. */
export function isWithoutRow({ store }: With<"store">, account: Account, { oid, record }: OpenAtExchange): boolean {
  if (findLegByOid(store, account.id, oid) !== null) return false;
  return record === null || legShown({ store }, account, record) === null;
}

/** Also where it has a row by now: whoever gave it one (a change of it, a cancel before a death) has not said that it goes. */
export function isOfElsewhere(deps: With<"store">, account: Account, open: OpenAtExchange): boolean {
  return isWithoutRow(deps, account, open) || adoptedRow(deps.store, account, open.oid) !== null;
}
