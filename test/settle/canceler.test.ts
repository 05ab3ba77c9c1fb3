/** What a cancel-all covers, and when it is done. */
import { expect, test } from "bun:test";
import type { CancelAll } from "../../src/core/cancel-all.ts";
import { decimal } from "../../src/core/decimal.ts";
import { openCanceler } from "../../src/settle/cancel-all/canceler.ts";
import { findCancelAll, insertCancelAll } from "../../src/store/cancel-alls.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { markRestored, markTakenUp } from "../../src/store/restores.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { placingRows } from "../support/rows.ts";

const ROW: CancelAll = {
  id: "01a21f1b-0000-7472-b94f-c406016b9da1",
  accountId: ACCOUNT.id,
  keyHash: "hash-of-a-key",
  cause: "asked",
  market: null,
  side: null,
  touches: "own",
  keepsProtection: true,
  createdAtMs: START_MS,
  outsideAtMs: null,
  doneAtMs: null,
  idempotencyKey: null,
};

/** One order of the account that is open, or canceled. */
function openWith(row: CancelAll, isOpen: boolean) {
  const rig = openGatewayRig();
  const { order, keyRecord, leg, attempt } = placingRows(1, { state: "done" });
  const stands = isOpen
    ? ({ status: "open", state: "resting" } as const)
    : ({ status: "canceled", state: "canceled" } as const);
  inTransaction(rig.store, () => {
    insertPlacing(rig.store, {
      order: { ...order, status: stands.status, exchangeOrderId: "99", filledSize: decimal("0") },
      keyRecord,
      leg: { ...leg, state: stands.state, oid: "99", isExchangesWord: true },
      attempt,
    });
    insertCancelAll(rig.store, row, [order.id]);
  });
  const asked: string[] = [];
  /** While its lists of what was placed elsewhere can be read. */
  const lists = { areRead: true };
  const adoptOutside = async ({ id }: CancelAll) => {
    asked.push(id);
    return { orderIds: [], isWhole: lists.areRead };
  };
  const canceler = openCanceler(rig.deps, { settling: rig.deps.settling, adoptOutside });
  const isDone = () => findCancelAll(rig.store, row.id)?.doneAtMs !== null;
  return { rig, canceler, asked, lists, isDone };
}

test.each([
  ["own", false],
  ["all", true],
] as const)("orders of elsewhere are looked for where it touches %s: %p", async (touches, areThey) => {
  const { rig, canceler, asked, isDone } = openWith({ ...ROW, touches }, false);
  canceler.heed();
  await rig.clock.advance(5_000);
  expect([asked.length > 0, isDone()]).toEqual([areThey, true]);
});

test("one that was done is not done where an order of it turns out to live, and cancels that", async () => {
  const { rig, canceler, isDone } = openWith({ ...ROW, doneAtMs: START_MS }, true);
  expect(isDone()).toBe(true);
  canceler.heed();
  expect(isDone()).toBe(false);
  await rig.clock.advance(5_000);
  expect(rig.exchange.sent.some(({ body }) => body.includes('"o":99'))).toBe(true);
});

test("one that was done stays so where all of it is over", async () => {
  const { rig, canceler, isDone } = openWith({ ...ROW, doneAtMs: START_MS }, false);
  canceler.heed();
  await rig.clock.advance(5_000);
  expect([isDone(), rig.exchange.sent.length]).toEqual([true, 0]);
});

test("one that touches all is not done before what was placed elsewhere has been read", async () => {
  const { rig, canceler, lists, isDone } = openWith({ ...ROW, touches: "all" }, false);
  lists.areRead = false;
  canceler.heed();
  await rig.clock.advance(20_000);
  expect(isDone()).toBe(false);
  lists.areRead = true;
  await rig.clock.advance(5_000);
  expect(isDone()).toBe(true);
});

test("none is done before what a lost machine has placed since the backup is known", async () => {
  const { rig, canceler, isDone } = openWith(ROW, false);
  inTransaction(rig.store, () => markRestored(rig.store, START_MS));
  canceler.heed();
  await rig.clock.advance(20_000);
  expect(isDone()).toBe(false);
  inTransaction(rig.store, () => markTakenUp(rig.store, ACCOUNT.id, { takenUpAtMs: START_MS, readToMs: START_MS }));
  await rig.clock.advance(5_000);
  expect(isDone()).toBe(true);
});
