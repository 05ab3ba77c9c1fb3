import { expect, test } from "bun:test";
import { cloidOf, uuidOfCloid } from "../../src/core/cloid.ts";
import { takeUpAccounts } from "../../src/settle/restore/after-restore.ts";
import { listAgents, markAgentApproved } from "../../src/store/agents.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { awaitsTakeUp, markRestored, markTakenUp } from "../../src/store/restores.ts";
import { mintOrderId } from "../../src/wire/order-id.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

const KEY = "given-back";

/** The lost machine gave the key back after the snapshot, and placed another order under it. */
function placedElsewhere(rig: GatewayRig): string {
  const { tag, secret } = rig.deps.instance;
  const nowMs = rig.clock.nowMs();
  const cloid = cloidOf(
    mintOrderId({ nowMs, instanceTag: tag, secret, accountId: ACCOUNT.id, idempotencyKey: KEY, bot: null }),
  );
  const terms = { isBuy: true, price: "100", size: "1", tif: "Gtc", reduceOnly: false, isTrigger: false, fills: [] };
  rig.venue.orders.push({ oid: 7_001, cloid, status: "open", ...terms, placedAtMs: nowMs, statusAtMs: nowMs });
  return cloid;
}

function approve(rig: GatewayRig): void {
  const { store, clock } = rig;
  const approval = { approvedAtMs: clock.nowMs(), validUntilMs: null };
  for (const { address } of listAgents(store)) markAgentApproved(store, address, approval);
  setKeyState(store, rig.caller.key.keyHash, "active", clock.nowMs());
  const index = { backFill: async () => true, add: () => undefined, addRead: () => undefined, readToMs: () => null };
  void takeUpAccounts({ settler: rig.settler, index, isStopped: () => false });
}

test.each([
  ["long before", 5 * 60_000],
  ["right before", 0],
])(
  "the order that a key placed since the snapshot answers it, the one of the snapshot being settled %s",
  async (_, beforeMs) => {
    const first = openGatewayRig();
    first.deliveries.push(DELIVERY.neverArrived);
    first.stopAt.add("after_intent");
    void first.place(KEY).catch(() => undefined);
    await first.clock.advance(100);
    const rig = await first.restart();
    const cloid = placedElsewhere(rig);
    markRestored(rig.store, rig.clock.nowMs());
    // Another process marks it in life; here what this one remembers has to be told.
    markTakenUp(rig.store, "nobody", { takenUpAtMs: 0, readToMs: 0 });
    void rig.settler.takeUp();
    await rig.clock.advance(beforeMs);
    approve(rig);
    await rig.clock.advance(5 * 60_000);
    expect(awaitsTakeUp(rig.store, ACCOUNT.id)).toBeFalse();
    const answer = await rig.answerOf(rig.place(KEY));
    expect([answer.order["id"], answer.order["status"]]).toEqual([uuidOfCloid(cloid), "open"]);
  },
);
