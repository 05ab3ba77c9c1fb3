/** The one order of a flattening's step: whose it is, and when there is none by now. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Flatten } from "../../src/core/flatten.ts";
import type { Stop } from "../../src/core/stop.ts";
import { sendStep } from "../../src/settle/stop/flatten-step.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { putFlatten } from "../../src/store/flattens.ts";
import { listOrders } from "../../src/store/orders.ts";
import { markRestored } from "../../src/store/restores.ts";
import { insertStop } from "../../src/store/stops.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";

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

const FLATTEN: Flatten = {
  stopId: STOP.id,
  accountId: ACCOUNT.id,
  askedAtMs: START_MS,
  askedBy: "hash-of-who-asked",
  maxSlippageBps: 50,
  steps: 0,
  endedAtMs: null,
  left: [],
};

type Change = {
  flatten?: Partial<Flatten>;
  mayClose?: () => boolean;
  number?: number;
  arrange?: (rig: GatewayRig) => void;
};

async function stepOf({ flatten = {}, mayClose = () => true, number = 0, arrange = () => undefined }: Change) {
  const rig = openGatewayRig();
  const listed = rig.deps.markets.current()?.byName.get("BTC");
  if (listed === undefined) throw new Error("bug: no such market");
  inTransaction(rig.store, (store) => {
    insertStop(store, STOP, { actor: "operator", idempotencyKey: null });
    putFlatten(store, { ...FLATTEN, ...flatten });
  });
  arrange(rig);
  const sizes = { closable: decimal("1"), side: "sell", size: decimal("1"), price: decimal("99") } as const;
  const step = { stop: STOP, account: ACCOUNT, flatten: FLATTEN, listed: { ...listed, assetId: number } };
  const sent = sendStep(rig.deps, rig.deps.settling, { ...step, ...sizes, shownMs: START_MS, mayClose });
  await rig.clock.advance(5_000);
  await sent;
  return listOrders(rig.store, { accountId: ACCOUNT.id, status: null, dex: null, after: null, limit: 10 });
}

test("it only reduces, rests nowhere, and is of who asked for the flattening", async () => {
  const orders = await stepOf({});
  const terms = { side: "sell", size: "1", price: "99", timeInForce: "ioc", reduceOnly: true };
  expect(orders).toMatchObject([{ ...terms, keyHash: FLATTEN.askedBy }]);
});

test.each<[string, Change]>([
  ["the flattening has ended", { flatten: { endedAtMs: START_MS + 1 } }],
  ["it was asked for again", { flatten: { askedAtMs: START_MS + 1 } }],
  ["its market has moved in the list", { number: 7 }],
  ["something of before the stop may come", { mayClose: () => false }],
  [
    "what a lost machine had signed is not known",
    { arrange: ({ store }) => inTransaction(store, (within) => void markRestored(within, START_MS)) },
  ],
])("there is none where by now %s", async (_why, change) => {
  expect(await stepOf(change)).toEqual([]);
});
