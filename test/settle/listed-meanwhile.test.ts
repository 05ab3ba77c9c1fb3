/** A list of open orders that lacks one of ours is news of it, but not where it was changed, or is on its way, as the list was made. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { NOTHING_FILLED } from "../../src/settle/fills/fill-pages.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listLegs } from "../../src/store/legs.ts";
import { listLiveOrders } from "../../src/store/orders.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, delayed, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

const LISTED_AFTER_MS = 300;

/** What was filled of it is told, while the list is on its way. */
function fillSome({ store, clock }: GatewayRig): void {
  const [order] = listLiveOrders(store, ACCOUNT.id, 1);
  const leg = order === undefined ? undefined : listLegs(store, order.id)[0];
  if (leg === undefined) throw new Error("nothing is live");
  const filled = { ...NOTHING_FILLED, size: decimal("0.1"), averagePrice: leg.price };
  const event = { type: "fills_seen", filled } as const;
  inTransaction(store, () => recordLegEvent(store, leg.cloid, event, clock.nowMs()));
}

/** How often it was looked at by its id in the three seconds after a list lacked it. */
async function looksAfterList(answeredAfterMs: number, meanwhile: (rig: GatewayRig) => void): Promise<number> {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  rig.deliveries.push(delayed(0, answeredAfterMs));
  void rig.place("key-0001");
  await rig.clock.advance(100);
  rig.exchange.answer("frontendOpenOrders", () => rig.clock.sleep(LISTED_AFTER_MS).then(() => []));
  follower.onEvent(ACCOUNT.tradingAddress, { kind: "connected" });
  await rig.clock.advance(LISTED_AFTER_MS - 1);
  meanwhile(rig);
  rig.exchange.asked.length = 0;
  await rig.clock.advance(3_000);
  return rig.exchange.asked.filter(({ request }) => request.type === "orderStatus").length;
}

test.each([
  ["that stood there all the time", 0, () => undefined, true],
  ["that has changed since the list was asked for", 0, fillSome, false],
  ["to which the exchange has not answered yet", 4_000, () => undefined, false],
] as const)("an order %s", async (_name, answeredAfterMs, meanwhile, isLookedAt) => {
  expect((await looksAfterList(answeredAfterMs, meanwhile)) > 0).toBe(isLookedAt);
});
