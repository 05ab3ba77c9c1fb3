/** A close whose position nobody can read any more: its dex is gone from the list, or answers fail for good. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { type HeldShown, type LastKnown, openCloser } from "../../src/settle/close/closer.ts";
import { insertClose, listRunningCloses } from "../../src/store/closes.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listNotes } from "../../src/store/notes.ts";
import { findOrder, insertPlacing } from "../../src/store/orders.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { placingRows } from "../support/rows.ts";

const HOUR_MS = 3_600_000;
const TRIGGER = { price: "90", kind: "stop_loss", market: true } as const;
const NOTHING: LastKnown = { shown: null, left: null };

/** The close, which is over, and a trigger that may be left over. */
function openWith(position: () => HeldShown | null, known: LastKnown) {
  const rig = openGatewayRig();
  const [closing, guard] = [placingRows(1, { state: "done" }), placingRows(2, { state: "done" })];
  const taken = { isExchangesWord: true, filledSize: decimal("0") };
  inTransaction(rig.store, () => {
    insertPlacing(rig.store, {
      ...closing,
      order: { ...closing.order, side: "sell", status: "canceled", exchangeOrderId: "98", filledSize: decimal("0") },
      leg: { ...closing.leg, ...taken, state: "canceled", oid: "98" },
    });
    insertPlacing(rig.store, {
      ...guard,
      order: { ...guard.order, side: "sell", reduceOnly: true, trigger: TRIGGER, status: "waiting_for_trigger" },
      leg: { ...guard.leg, ...taken, trigger: TRIGGER, state: "armed", oid: "99" },
    });
    insertClose(rig.store, {
      orderId: closing.order.id,
      accountId: ACCOUNT.id,
      market: "BTC",
      keyHash: "hash-of-a-key",
      touches: "all",
      keepsTriggers: false,
      upTo: 1_000_000,
      endedAtMs: null,
    });
  });
  let asked = 0;
  const closer = openCloser(rig.deps, {
    canceler: { heed: () => undefined },
    position: async () => {
      asked += 1;
      return position();
    },
    lastKnown: () => known,
  });
  closer.heed();
  const told = () => listNotes(rig.store, closing.order.id).map(({ what, detail }) => `${what}: ${detail}`);
  return { rig, closer, told, asked: () => asked, guardId: guard.order.id };
}

async function pass({ clock }: ReturnType<typeof openGatewayRig>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 60_000) await clock.advance(60_000);
}

const AS_SHOWN = { size: decimal("0.5"), timeMs: START_MS };
test.each<[string, LastKnown, string]>([
  ["nothing that was shown", NOTHING, "none was shown since the start, the known fills do not tell"],
  [
    "what was shown last, and what the fills leave",
    { shown: AS_SHOWN, left: decimal("0.25") },
    `0.5 was shown as of ${new Date(START_MS).toISOString()}, the known fills leave 0.25`,
  ],
])("it ends after a day with its triggers kept, and tells %s", async (_what, known, words) => {
  const scene = openWith(() => null, known);
  await pass(scene.rig, 23 * HOUR_MS);
  expect([listRunningCloses(scene.rig.store).length, scene.told()]).toEqual([1, []]);
  await pass(scene.rig, 1.1 * HOUR_MS);
  expect(listRunningCloses(scene.rig.store)).toEqual([]);
  expect(scene.told()).toEqual([
    expect.stringContaining("left-over triggers kept: the position could not be read for 24 hours"),
  ]);
  expect(scene.told()[0]).toContain(words);
  expect(scene.told()[0]).toContain(scene.guardId);
  expect(findOrder(scene.rig.store, scene.guardId)?.status).toBe("waiting_for_trigger");
  const asked = scene.asked();
  await pass(scene.rig, 60_000);
  expect(scene.asked()).toBe(asked);
});

test("one reading within the day begins it anew", async () => {
  let isRead = false;
  const scene = openWith(() => (isRead ? { size: decimal("0"), left: decimal("0.5") } : null), NOTHING);
  await pass(scene.rig, 13 * HOUR_MS);
  isRead = true;
  await pass(scene.rig, 60_000);
  isRead = false;
  await pass(scene.rig, 13 * HOUR_MS);
  expect([listRunningCloses(scene.rig.store).length, scene.told()]).toEqual([1, []]);
  scene.closer.stop();
});
