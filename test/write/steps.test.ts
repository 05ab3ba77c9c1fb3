/** Every verb goes through every step: what one of them forgot would be the first that anybody notices. */

import { expect, test } from "bun:test";
import { adjustMargin } from "../../src/actions/adjust-margin.ts";
import { cancelTwap } from "../../src/actions/cancel-twap.ts";
import { createTwap } from "../../src/actions/create-twap.ts";
import { modifyOrder } from "../../src/actions/modify-order.ts";
import { setLeverage } from "../../src/actions/set-leverage.ts";
import { ApiError } from "../../src/core/errors.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import type { ChargedBucket } from "../../src/write/caller.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

const KEY = "key-of-the-write";
const SAME = { idempotencyKey: KEY, fingerprint: KEY };

type Row = {
  name: string;
  bucket: ChargedBucket;
  /** While the gateway starts, and while writes are stopped. */
  goesAlways: boolean;
  write(rig: GatewayRig, orderId: string): Promise<WriteAnswer>;
};

const ROWS: Row[] = [
  { name: "place", bucket: "orders", goesAlways: false, write: (rig) => rig.place(KEY) },
  { name: "cancel", bucket: "cancels", goesAlways: true, write: (rig, id) => rig.cancel(KEY, id) },
  {
    name: "modify",
    bucket: "orders",
    goesAlways: false,
    write: ({ deps, caller }, id) =>
      modifyOrder(deps, caller, { ...SAME, id, price: "99", size: null, trigger: null, alwaysPlace: false }),
  },
  {
    name: "leverage",
    bucket: "otherWrites",
    goesAlways: false,
    write: ({ deps, caller }) =>
      setLeverage(deps, caller, { ...SAME, market: "BTC", leverage: 5, marginType: "cross" }),
  },
  {
    name: "margin",
    bucket: "otherWrites",
    goesAlways: false,
    write: ({ deps, caller }) => adjustMargin(deps, caller, { ...SAME, market: "BTC", amount: "1" }),
  },
  {
    name: "TWAP",
    bucket: "otherWrites",
    goesAlways: false,
    write: ({ deps, caller }) =>
      createTwap(deps, caller, {
        ...SAME,
        market: "BTC",
        side: "buy",
        size: "1",
        durationMinutes: 30,
        randomize: false,
        reduceOnly: false,
      }),
  },
  {
    name: "cancel of a TWAP",
    bucket: "cancels",
    goesAlways: false,
    write: ({ deps, caller }) => cancelTwap(deps, caller, { ...SAME, market: "BTC", twapId: 7 }),
  },
];

async function openWithOrder(): Promise<{ rig: GatewayRig; orderId: string; sentBefore: number }> {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-of-the-order"));
  return { rig, orderId: String(order["id"]), sentBefore: rig.exchange.sent.length };
}

/** The refusal's code; null where it was not refused. */
async function refusalOf(rig: GatewayRig, asked: Promise<WriteAnswer>): Promise<string | null> {
  try {
    await rig.answerOf(asked);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test.each(ROWS)("$name draws once on its own bucket, and its repeat on that of reads", async ({ bucket, write }) => {
  const { rig, orderId } = await openWithOrder();
  const drawn: ChargedBucket[] = [];
  rig.caller.charge = (each) => void drawn.push(each);
  await rig.answerOf(write(rig, orderId));
  expect(drawn.filter((each) => each !== "reads").map(String)).toEqual([bucket]);
  await rig.answerOf(write(rig, orderId));
  expect(drawn.filter((each) => each !== "reads").map(String)).toEqual([bucket]);
  expect(drawn.at(-1)).toBe("reads");
});

const CLOSED: [string, (rig: GatewayRig) => void, string][] = [
  [
    "while the gateway starts",
    ({ deps }) => {
      deps.state.phase = "starting";
    },
    "not_ready",
  ],
  [
    "while writes are stopped",
    ({ deps }) => {
      deps.state.writesStoppedBecause = "an invariant failed";
    },
    "internal_error",
  ],
];

for (const [when, close, code] of CLOSED) {
  test.each(ROWS)(`${when}: $name`, async ({ goesAlways, write }) => {
    const { rig, orderId, sentBefore } = await openWithOrder();
    close(rig);
    expect(await refusalOf(rig, write(rig, orderId))).toBe(goesAlways ? null : code);
    if (goesAlways) return;
    expect(rig.exchange.sent).toHaveLength(sentBefore);
    expect(findKeyRecord(rig.store, ACCOUNT.id, KEY)).toBeNull();
  });
}

test.each(ROWS)("without weight to send it nothing of it is stored: $name", async ({ write }) => {
  const { rig, orderId, sentBefore } = await openWithOrder();
  rig.deps.exchange = { ...rig.deps.exchange, hasBudgetFor: () => false, budgetWaitS: () => 7 };
  expect(await refusalOf(rig, write(rig, orderId))).toBe("exchange_rate_limited");
  expect(rig.exchange.sent).toHaveLength(sentBefore);
  expect(findKeyRecord(rig.store, ACCOUNT.id, KEY)).toBeNull();
});

test.each(ROWS)("$name is answered to its repeat by its key, and sent once", async ({ write }) => {
  const { rig, orderId, sentBefore } = await openWithOrder();
  const first = await rig.answerOf(write(rig, orderId));
  const sent = rig.exchange.sent.length;
  expect(sent).toBeGreaterThan(sentBefore);
  const again = await rig.answerOf(write(rig, orderId));
  expect(again).toMatchObject({ isReplay: true, httpStatus: first.httpStatus });
  expect(rig.exchange.sent).toHaveLength(sent);
});
