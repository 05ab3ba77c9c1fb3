/** An account with an order of elsewhere that has a stop-loss, and a stop of ours that stands in for that. */
import type { CancelAll } from "../../src/core/cancel-all.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Stop } from "../../src/core/stop.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { insertStop, listOutside } from "../../src/store/stops.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { placingRows } from "../support/rows.ts";

export const OID = 4242;

export const STOP: Stop = {
  id: "01a21f1b-0000-7472-b94f-c406016b9da1",
  accountId: ACCOUNT.id,
  scope: "account",
  keyHash: null,
  cause: "asked",
  keepsProtection: true,
  upTo: 0,
  createdAtMs: START_MS,
  outsideAtMs: null,
  stoppedAtMs: null,
  resumedAtMs: null,
};

// The rest of the row is not asked for.
export const CANCEL_ALL = { id: "c", market: null, side: null, touches: "all", keepsProtection: true } as CancelAll;

export const shared = { coin: "BTC", timestamp: START_MS, isPositionTpsl: false, cloid: null };
export const child = {
  ...shared,
  side: "A",
  limitPx: "70.0",
  sz: "1.0",
  oid: OID + 1,
  triggerCondition: "Price below 80",
  isTrigger: true,
  triggerPx: "80.0",
  children: [],
  reduceOnly: true,
  orderType: "Stop Market",
  origSz: "1.0",
  tif: null,
};

/** An account with one order of elsewhere that has a stop-loss; `left` is what the list shows of it. */
export function openWithBracket(children: readonly object[] = [child]) {
  const rig = openGatewayRig();
  const now = { left: "1.0" };
  const plain = { triggerCondition: "N/A", isTrigger: false, triggerPx: "0.0", reduceOnly: false, orderType: "Limit" };
  const parent = () => ({
    ...shared,
    ...plain,
    side: "B",
    limitPx: "100.0",
    sz: now.left,
    oid: OID,
    children,
    origSz: "1.0",
    tif: "Gtc",
  });
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [parent()] : []));
  inTransaction(rig.store, () => insertStop(rig.store, STOP, { actor: "operator", idempotencyKey: null }));
  return { rig, now };
}

export async function goOn<T>({ clock }: GatewayRig, done: Promise<T>): Promise<T> {
  await clock.advance(10_000);
  return done;
}

export function outcomes({ store }: GatewayRig): string[] {
  return listOutside(store, STOP.id).map(({ outcome }) => outcome);
}

export function sent({ exchange }: GatewayRig, what: string): number {
  return exchange.sent.filter(({ body }) => body.includes(what)).length;
}

/** A stop of ours that waits for the mark in place of that of the bracket. */
export function placeStandIn({ store }: GatewayRig, isCanceled = false): void {
  const idempotencyKey = `stand-in ${OID} ${OID + 1}`;
  const { order, keyRecord, leg, attempt } = placingRows(1, { idempotencyKey, state: "done" });
  const standing = isCanceled
    ? ({ status: "canceled", state: "canceled" } as const)
    : ({ status: "waiting_for_trigger", state: "armed" } as const);
  const trigger = { price: "80", kind: "stop_loss", market: true } as const;
  const terms = { side: "sell", size: "1", price: "70", reduceOnly: true, trigger } as const;
  inTransaction(store, () =>
    insertPlacing(store, {
      order: { ...order, ...terms, idempotencyKey, status: standing.status, exchangeOrderId: "99" },
      keyRecord: { ...keyRecord, idempotencyKey },
      leg: { ...leg, ...terms, size: decimal("1"), state: standing.state, oid: "99" },
      attempt,
    }),
  );
}
