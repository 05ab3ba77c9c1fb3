/** Every action type that the simulator reads; any other is a schema error, as at the exchange. */
import * as account from "./account-actions.ts";
import * as approvals from "./approvals.ts";
import { cancel, cancelByCloid } from "./cancel.ts";
import { topUpIsolatedOnlyMargin, updateIsolatedMargin, updateLeverage } from "./margin.ts";
import { batchModify, modify } from "./modify.ts";
import { order } from "./order.ts";
import type { ActionReader } from "./reader.ts";
import * as refused from "./refused.ts";
import * as transfers from "./transfers.ts";
import { twapCancel, twapOrder } from "./twap.ts";

const READERS: ReadonlyMap<string, ActionReader> = new Map<string, ActionReader>(
  Object.entries({
    order,
    cancel,
    cancelByCloid,
    modify,
    batchModify,
    updateLeverage,
    updateIsolatedMargin,
    topUpIsolatedOnlyMargin,
    twapOrder,
    twapCancel,
    ...account,
    ...approvals,
    ...transfers,
    ...refused,
  }),
);

export function actionReader(type: string): ActionReader | null {
  return READERS.get(type) ?? null;
}

export function actionTypes(): readonly string[] {
  return [...READERS.keys()];
}
