/** The 8 s of an answer count from the request, whatever was read or waited for before the intent was stored. */

import { expect, test } from "bun:test";
import { createTwap } from "../../src/actions/create-twap.ts";
import { modifyOrder } from "../../src/actions/modify-order.ts";
import { setLeverage } from "../../src/actions/set-leverage.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import { type Delivery, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

const SLOW_MS = 3_000;

function neverAnswered(..._delivery: Parameters<Delivery>): ReturnType<Delivery> {
  return new Promise(() => undefined);
}

/** From now on this read takes a while. */
function slowDown(rig: GatewayRig, type: string): void {
  const answer = rig.venue.infos[type] ?? (() => null);
  rig.exchange.answer(type, async (request) => {
    await rig.clock.sleep(SLOW_MS);
    return answer(request);
  });
}

function twap(rig: GatewayRig, idempotencyKey: string): Promise<WriteAnswer> {
  const terms = { market: "BTC", side: "buy" as const, size: "1", durationMinutes: 30 };
  const flags = { randomize: false, reduceOnly: false };
  return createTwap(rig.deps, rig.caller, { ...terms, ...flags, idempotencyKey, fingerprint: idempotencyKey });
}

const WRITES: [string, (rig: GatewayRig) => Promise<WriteAnswer>][] = [
  [
    "leverage whose reading is slow",
    async (rig) => {
      slowDown(rig, "activeAssetData");
      rig.deliveries.push(neverAnswered);
      const terms = { market: "BTC", leverage: 5, marginType: "cross" as const };
      return setLeverage(rig.deps, rig.caller, { ...terms, idempotencyKey: "key-0002", fingerprint: "leverage" });
    },
  ],
  [
    "a TWAP behind an equal one whose outcome is lost",
    async (rig) => {
      rig.deliveries.push(neverAnswered, neverAnswered);
      twap(rig, "key-0003").catch(() => undefined);
      await rig.clock.advance(100);
      return { ...(await started(rig, twap(rig, "key-0004"))) };
    },
  ],
  [
    "a modify whose remaining size is slow to read",
    async (rig) => {
      const order = (await rig.answerOf(rig.place("key-0005"))).order as { id: string };
      slowDown(rig, "frontendOpenOrders");
      rig.deliveries.push(neverAnswered);
      const terms = { id: order.id, price: "99", size: null, trigger: null, alwaysPlace: false };
      const wanted = { ...terms, idempotencyKey: "key-0006", fingerprint: "modify" };
      return started(rig, modifyOrder(rig.deps, rig.caller, wanted));
    },
  ],
];

const startedAtMs = new WeakMap<GatewayRig, number>();

function started(rig: GatewayRig, asked: Promise<WriteAnswer>): Promise<WriteAnswer> {
  startedAtMs.set(rig, rig.clock.elapsedMs());
  return asked;
}

test.each(WRITES)("%s is answered 202 after 8 s", async (_what, ask) => {
  const rig = openGatewayRig();
  let answer: WriteAnswer | null = null;
  let answeredAtMs = 0;
  void ask(rig).then((given) => {
    answer = given;
    answeredAtMs = rig.clock.elapsedMs();
  });
  for (let waitedMs = 0; answer === null && waitedMs < 20_000; waitedMs += 100) await rig.clock.advance(100);
  expect(answer).toMatchObject({ status: 202 });
  expect(answeredAtMs - (startedAtMs.get(rig) ?? 0)).toBe(8_000);
});
