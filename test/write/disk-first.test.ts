/** Nothing of a write leaves this machine before its intent is on the disk: neither its action, nor what goes beside it. */
import { expect, test } from "bun:test";
import { cancelOrder } from "../../src/actions/cancel-order.ts";
import { placeOrder } from "../../src/actions/place-order.ts";
import type { ToWrite } from "../../src/deps.ts";
import { delayed, type GatewayRig, openGatewayRig, wanted } from "../support/gateway-rig.ts";

/** What of it is on the disk is said by the test. */
function withSlowDisk({ deps }: GatewayRig): { deps: GatewayRig["deps"]; finish: () => void } {
  const disk = Promise.withResolvers<void>();
  const { commits } = deps;
  const slow: ToWrite["commits"] = {
    ...commits,
    intent: async (work) => ({ ...(await commits.intent(work)), onDisk: disk.promise }),
  };
  return { deps: { ...deps, commits: slow }, finish: disk.resolve };
}

test("an order leaves once its intent is on the disk", async () => {
  const rig = openGatewayRig();
  const { deps, finish } = withSlowDisk(rig);
  const placed = placeOrder(deps, rig.caller, wanted("key-0001"));
  await rig.clock.advance(1_000);
  expect(rig.exchange.sent).toEqual([]);
  finish();
  await rig.answerOf(placed);
  expect(rig.venue.orders).toHaveLength(1);
});

test("a cancel's empty action on the number of an order that may still arrive leaves no earlier", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(5_000, 0));
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(100);
  const sentBefore = rig.exchange.sent.length;
  const { deps, finish } = withSlowDisk(rig);
  const [{ id }] = rig.store.$client.prepare("SELECT id FROM orders").all() as [{ id: string }];
  cancelOrder(deps, rig.caller, { idempotencyKey: "key-0002", fingerprint: "", id }).catch(() => undefined);
  await rig.clock.advance(100);
  const isOf = (kind: string) =>
    rig.exchange.sent.slice(sentBefore).filter(({ body }) => body.includes(`"type":"${kind}"`));
  expect(isOf("noop")).toEqual([]);
  finish();
  await rig.clock.advance(100);
  expect(isOf("noop")).toHaveLength(1);
});
