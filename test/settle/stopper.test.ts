/** What a stop covers, and that stopped is taken back where something lives after all. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Stop } from "../../src/core/stop.ts";
import { openStopper } from "../../src/settle/stop/stopper.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { findStop, insertStop } from "../../src/store/stops.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { placingRows } from "../support/rows.ts";

const STOP: Stop = {
  id: "01a21f1b-0000-7472-b94f-c406016b9da1",
  accountId: ACCOUNT.id,
  scope: "account",
  keyHash: null,
  cause: "asked",
  keepsProtection: true,
  upTo: 0,
  createdAtMs: START_MS,
  outsideAtMs: START_MS,
  stoppedAtMs: START_MS,
  resumedAtMs: null,
};

test.each([
  ["open", "resting", true],
  ["canceled", "canceled", false],
] as const)("what was stopped is taken back where an order is %s after all: %p %p", async (status, state, isBack) => {
  const rig = openGatewayRig();
  const { order, keyRecord, leg, attempt } = placingRows(1, { state: "done" });
  inTransaction(rig.store, () => {
    insertPlacing(rig.store, {
      order: { ...order, status, exchangeOrderId: "99", filledSize: decimal("0") },
      keyRecord,
      leg: { ...leg, state, oid: "99", isExchangesWord: true },
      attempt,
    });
    insertStop(rig.store, STOP, { actor: "operator", idempotencyKey: null });
  });
  const stopper = openStopper(rig.deps, { settling: rig.deps.settling, cancelOutside: async () => true });
  stopper.heed();
  expect(findStop(rig.store, STOP.id)?.stoppedAtMs === null).toBe(isBack);
  await rig.clock.advance(5_000);
  expect(rig.exchange.sent.some(({ body }) => body.includes('"o":99'))).toBe(isBack);
});
