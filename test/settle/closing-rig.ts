/** A close that is over, with a trigger that may be left over, and the closer that looks at it. */
import { decimal } from "../../src/core/decimal.ts";
import { type HeldShown, type LastKnown, openCloser } from "../../src/settle/close/closer.ts";
import { insertClose } from "../../src/store/closes.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listNotes } from "../../src/store/notes.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";
import { placingRows } from "../support/rows.ts";

const TRIGGER = { price: "90", kind: "stop_loss", market: true } as const;
export const NOTHING: LastKnown = { shown: null, left: null };

/** The close, which is over, and a trigger that may be left over. */
export function openWith(position: () => HeldShown | null, known: LastKnown) {
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
    endTwaps: async () => undefined,
  });
  closer.heed();
  const told = () => listNotes(rig.store, closing.order.id).map(({ what, detail }) => `${what}: ${detail}`);
  return { rig, closer, told, asked: () => asked, guardId: guard.order.id };
}

export async function pass({ clock }: ReturnType<typeof openGatewayRig>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 60_000) await clock.advance(60_000);
}
