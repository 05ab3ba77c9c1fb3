/** What the feed tells is followed while the gateway runs, and not a moment longer. */
import { expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { openFollower } from "../../src/settle/follow.ts";
import { openFillIndex } from "../../src/settle/index-fills.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

async function openStage() {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  rig.exchange.asked.length = 0;
  return { rig, follower: openFollower(rig.deps, rig.deps.settling, openFillIndex(rig.deps)) };
}

function asked({ exchange }: GatewayRig): string[] {
  return exchange.asked.map(({ request }) => request.type);
}

const CONNECTED: FeedEvent = { kind: "connected" };
const ENDED: FeedEvent[] = [
  CONNECTED,
  { kind: "disconnected", reason: "the gateway stops" },
  { kind: "gap", reason: "" },
];

test("a connection that tells of its own end after the gateway has stopped finds no open database, and no one", async () => {
  const { rig, follower } = await openStage();
  follower.stop();
  rig.store.$client.close();
  for (const event of ENDED) follower.onEvent(ACCOUNT.tradingAddress, event);
  await rig.clock.advance(600_000);
  expect(rig.log).toEqual([]);
  expect(asked(rig)).toEqual([]);
});

test("a reading that failed is tried again until it succeeds", async () => {
  const { rig, follower } = await openStage();
  rig.venue.failing.add("frontendOpenOrders");
  follower.onEvent(ACCOUNT.tradingAddress, CONNECTED);
  await rig.clock.advance(6_500);
  expect(asked(rig).filter((type) => type === "frontendOpenOrders")).toHaveLength(3);
  rig.venue.failing.clear();
  await rig.clock.advance(600_000);
  // Two dexes, once each.
  expect(asked(rig).filter((type) => type === "frontendOpenOrders")).toHaveLength(5);
});

test("a reading that failed is not tried again after the gateway has stopped", async () => {
  const { rig, follower } = await openStage();
  rig.venue.failing.add("frontendOpenOrders");
  follower.onEvent(ACCOUNT.tradingAddress, CONNECTED);
  await rig.clock.advance(500);
  const before = asked(rig).length;
  follower.stop();
  rig.store.$client.close();
  await rig.clock.advance(600_000);
  expect([asked(rig).length, rig.log]).toEqual([before, []]);
});
