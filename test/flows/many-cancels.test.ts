/** Many orders that end together: what they ask of the exchange is shared, so that a cancel-all is done while somebody waits for it. */
import { expect, test } from "bun:test";
import { ACTION_WEIGHT, weightOf } from "../../src/exchange/weights.ts";
import { FIRST, openPaperRig } from "../support/paper-rig.ts";

const ORDERS = 40;
/** From the gateway to the exchange and back. */
const AWAY_MS = 60;

type Told = { isDone: boolean; afterMs: number; weightOfEach: number };

/** A cancel-all of forty resting orders, the exchange some way off. */
async function cancelAll(hasFeed: boolean): Promise<Told> {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200, hasFeed });
  for (let step = 0; step < 170; step += 1) await rig.clock.advance(100);
  const order = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.001" };
  for (let nth = 0; nth < ORDERS; nth += 1) {
    const body = { ...order, price: String(80_000 + nth) };
    expect((await rig.answer(FIRST, { route: "POST /v1/orders", body })).status).toBe(201);
    await rig.clock.advance(150);
  }
  await rig.clock.advance(70_000);
  rig.interfere = () => rig.clock.sleep(AWAY_MS).then(() => undefined);
  rig.asked.length = 0;
  const beganMs = rig.clock.nowMs();
  const body = { account: FIRST.account.id, touches: "all", keep_protection: false };
  let { body: told } = await rig.answer(FIRST, { route: "POST /v1/orders/cancel-all", body });
  for (let step = 0; step < 120 && told["status"] !== "done"; step += 1) {
    await rig.clock.advance(1_000);
    ({ body: told } = await rig.answer(FIRST, { route: `GET /v1/cancel-alls/${String(told["id"])}` }));
  }
  const spent = rig.asked.reduce((sum, type) => sum + weightOf({ type }).base, ORDERS * ACTION_WEIGHT);
  const isDone = told["status"] === "done";
  return { isDone, afterMs: rig.clock.nowMs() - beganMs, weightOfEach: spent / ORDERS };
}

test.each([
  ["with a live feed", true, 2_000, 3],
  ["without one", false, 4_000, 14],
] as const)("forty orders are canceled %s", async (_name, hasFeed, withinMs, weight) => {
  const { isDone, afterMs, weightOfEach } = await cancelAll(hasFeed);
  expect(isDone).toBe(true);
  expect(afterMs).toBeLessThan(withinMs);
  expect(weightOfEach).toBeLessThan(weight);
});
