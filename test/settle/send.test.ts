/** What leaves under a number, and what an answer to it says: by sending alone, without what is looked up afterwards. */
import { expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import { burnNonce } from "../../src/settle/send/seal.ts";
import { sendAttempt } from "../../src/settle/send/send.ts";
import { findAttempt, listOpenAttempts, updateAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { DELIVERY, type Delivery, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

/** An order that was sent so, and which nobody looks for. */
async function sent(delivery: Delivery): Promise<{ rig: GatewayRig; attempt: Attempt }> {
  const rig = openGatewayRig();
  rig.stopAt.add("settle_before_look");
  rig.deliveries.push(delivery);
  void rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(100);
  const [attempt] = listOpenAttempts(rig.store);
  if (attempt === undefined) throw new Error("nothing is open");
  return { rig, attempt };
}

function change({ store }: GatewayRig, attempt: Attempt, some: Partial<Attempt>): Attempt {
  inTransaction(store, () => updateAttempt(store, attempt, some));
  return findAttempt(store, attempt.id) ?? attempt;
}

function countNoops({ exchange }: GatewayRig): number {
  return exchange.sent.filter(({ body }) => body.includes('"noop"')).length;
}

test("no empty action is signed on a number that was found to be taken meanwhile", async () => {
  const { rig, attempt } = await sent(DELIVERY.neverArrived);
  change(rig, attempt, { seal: "nonce_taken" });
  await burnNonce(rig.deps, attempt);
  expect(countNoops(rig)).toBe(0);
});

test.each([
  ["are used up", false, 0],
  ["are left", true, 1],
])("where the account's actions %s", async (_what, fits, noops) => {
  const { rig, attempt } = await sent(DELIVERY.neverArrived);
  await burnNonce({ ...rig.deps, allowance: { ...rig.deps.allowance, fits: () => fits } }, attempt);
  expect(countNoops(rig)).toBe(noops);
});

test.each([
  ["first", 0, true],
  ["second, which may meet the first one's copy", 1, false],
])(
  "the %s empty action that is a duplicate says whether the action itself has landed",
  async (_which, noops, isOwn) => {
    const { rig, attempt } = await sent(DELIVERY.answerLost);
    const counted = change(rig, attempt, { noops });
    expect(await burnNonce(rig.deps, counted)).toMatchObject({ seal: "nonce_taken", hasLanded: isOwn });
  },
);

test.each([
  ["half of its life is left", 0, true],
  ["less is left", 1, false],
] as const)("an action leaves only while it can arrive in time: %s", async (_what, lateMs, hasLeft) => {
  const { rig, attempt } = await sent(DELIVERY.neverArrived);
  const halfMs = rig.deps.settings.timings.actionLifeMs / 2;
  const expiresAtMs = rig.deps.exchange.nowMs() + halfMs - lateMs;
  const result = await sendAttempt(rig.deps, { ...attempt, nonce: attempt.nonce + 1, expiresAtMs }, "order");
  expect(result.kind !== "not_sent").toBe(hasLeft);
});

test("an action in time leaves also where the exchange's clock may meanwhile be seconds ahead of what is known of it", async () => {
  const { rig, attempt } = await sent(DELIVERY.neverArrived);
  const { exchange } = rig.deps;
  const doubtful = { ...rig.deps, exchange: { ...exchange, nowMs: () => exchange.nowMs(), mayBeAheadMs: () => 5_000 } };
  const expiresAtMs = exchange.nowMs() + rig.deps.settings.timings.actionLifeMs / 2;
  const result = await sendAttempt(doubtful, { ...attempt, nonce: attempt.nonce + 1, expiresAtMs }, "order");
  expect(result.kind).not.toBe("not_sent");
});

test.each<[what: string, delivery: Delivery, isLost: boolean]>([
  ["nobody answered", DELIVERY.neverArrived, true],
  ["a server in front of the exchange answered", DELIVERY.badGateway, true],
  ["it was too fast for the exchange", DELIVERY.tooFast, false],
])("an action has its slot for as long as it may still arrive: %s", async (_what, delivery, isLost) => {
  const { rig, attempt } = await sent(delivery);
  expect(rig.deps.flights.isLost(attempt.id)).toBe(isLost);
});

test("of an answer with one word too many nobody can tell which is whose", async () => {
  const both = [{ resting: { oid: 1 } }, { resting: { oid: 2 } }];
  const body = JSON.stringify({ status: "ok", response: { type: "order", data: { statuses: both } } });
  const { rig, attempt } = await sent(DELIVERY.neverArrived);
  rig.deliveries.push(() => ({ kind: "answered", httpStatus: 200, body }));
  const result = await sendAttempt(rig.deps, { ...attempt, nonce: attempt.nonce + 1 }, "order");
  expect(result).toMatchObject({ kind: "ambiguous" });
});

test.each([
  ["User or API Wallet 0x1111111111111111111111111111111111111111 does not exist.", 1],
  ["Insufficient margin to place order.", 0],
])("who watches the agents hears of a refusal for the key that signed, and of no other: %s", async (text, count) => {
  const rig = openGatewayRig();
  const heard: string[] = [];
  rig.deps.state.heedRefusedAgent = (address) => void heard.push(address);
  rig.deliveries.push(() => ({
    kind: "answered",
    httpStatus: 200,
    body: JSON.stringify({ status: "err", response: text }),
  }));
  const { order } = await rig.answerOf(rig.place("key-0001"));
  expect(order["status"]).toBe("rejected");
  const signer = rig.store.$client.query<{ signer: string }, []>("select signer from orders").get()?.signer ?? "";
  expect(heard).toEqual(Array.from({ length: count }, () => signer));
});
