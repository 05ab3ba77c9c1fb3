/** What the feed tells is followed while the gateway runs, and not a moment longer. */
import { expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { forget } from "../../src/store/remembered.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";

async function openStage() {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  rig.exchange.asked.length = 0;
  return { rig, ...openFollowing(rig.deps, rig.deps.settling) };
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

test("what is told while the database cannot be read ends nothing: it is said, and the next reading makes up for it", async () => {
  const { rig, follower } = await openStage();
  // Not even whose feed it is: a statement that was compiled before would still be answered.
  forget(rig.store);
  rig.store.memory.statements.clear();
  rig.store.$client.close();
  follower.onDistrust(ACCOUNT.tradingAddress, "it has left out a fill");
  follower.checkFills(ACCOUNT.tradingAddress);
  follower.onEvent(ACCOUNT.tradingAddress, { kind: "fills", fills: [], isSnapshot: false });
  await rig.clock.advance(0);
  expect(rig.log.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
    "what a feed has left out could not be read again",
    "the fills of a feed could not be checked",
    "what the feed told could not be written down",
  ]);
});

test("each account at an address is followed by its feed", async () => {
  const { rig, follower } = await openStage();
  insertAccount(rig.store, {
    ...ACCOUNT,
    id: "22222222-aaaa-4aaa-8aaa-222222222222",
    kind: "vault",
    parentId: ACCOUNT.id,
  });
  follower.checkFills(ACCOUNT.tradingAddress);
  await rig.clock.advance(5_000);
  expect(asked(rig).filter((type) => type === "userFillsByTime")).toHaveLength(2);
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

test("an order of another machine that both feed and fills show is told once", async () => {
  const { rig, follower, index } = await openStage();
  const cloid = `0x0199a1b2c3d47${rig.deps.instance.tag.toString(16).padStart(3, "0")}8000000000000001`;
  const fill = {
    coin: "BTC",
    px: "100.0",
    sz: "1.0",
    side: "B",
    time: START_MS,
    startPosition: "0.0",
    dir: "Open Long",
    closedPnl: "0.0",
    hash: `0x${"00".repeat(32)}`,
    oid: 9,
    crossed: false,
    fee: "0.0",
    feeToken: "USDC",
    tid: 1,
    cloid,
  };
  rig.exchange.answer("userFills", () => [fill]);
  rig.exchange.answer("userFillsByTime", () => [fill]);
  const terms = {
    coin: "BTC",
    side: "B",
    limitPx: "100.0",
    sz: "1.0",
    oid: 9,
    timestamp: START_MS,
    origSz: "1.0",
    cloid,
  };
  const told = { order: terms, status: "open", statusTimestamp: START_MS };
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: [told] }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own frame cannot be read");
  const [update] = frame.updates;
  if (update === undefined) throw new Error("no update");
  follower.onEvent(ACCOUNT.tradingAddress, { kind: "order_updates", updates: [update] });
  await index.backFill(ACCOUNT);
  expect(rig.log.filter(({ message }) => message.includes("two machines trade"))).toHaveLength(1);
});
