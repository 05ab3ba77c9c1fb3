/** An entry that has not been sent when a stop comes is not sent after it, whatever the clock was set to in between. */
import { expect, test } from "bun:test";
import { narrowKey } from "../../src/ops/narrow-key.ts";
import { resumeTrading } from "../../src/ops/stop-trading.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { BOT, limitedRig, openMarketRig } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";
import { created, read, silent } from "./trades-rig.ts";

async function stopAndResume(rig: Rig): Promise<void> {
  await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "account" } });
  resumeTrading({ ...rig.deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId: null });
}

async function narrow(rig: Rig): Promise<void> {
  narrowKey(
    { ...rig.deps, network: "paper" },
    { keyHash: keyHash(BOT), rails: { maxOrder: "900 USD" }, cancelOrders: true },
  );
}

async function shown(rig: Rig, id: string): Promise<object> {
  return (await (await read(rig, `/v1/trades/${id}`)).json()) as object;
}

test.each([
  ["a stop that was ended again", stopAndResume, KEYS.both],
  ["a narrowing that cancels", narrow, BOT],
] as const)(
  "%s takes along what has not been entered, also where the clock was set back before it",
  async (_what, stop, apiKey) => {
    for (const byMs of [0, -30_000]) {
      const rig = silent(apiKey === BOT ? await limitedRig({}) : openMarketRig());
      rig.answers.set("frontendOpenOrders", () => []);
      const { id } = await created(rig, {}, { apiKey });
      rig.clock.stepWall(byMs);
      await stop(rig);
      await rig.clock.advance(2_000);
      expect(await shown(rig, id)).toMatchObject({ error: "trading was stopped" });
      expect(rig.sent.filter((body) => body.includes('"r":false'))).toEqual([]);
    }
  },
);

test.each([
  ["of all there is", {}, true],
  ["of its market", { market: "BTC", keep_protection: true }, true],
  ["of its side", { side: "buy" }, true],
  ["of another market", { market: "ETH" }, false],
  ["of the other side", { side: "sell" }, false],
] as const)("a cancel-all %s takes along what has not been entered: %p", async (_what, some, isTaken) => {
  const rig = silent(openMarketRig());
  rig.answers.set("frontendOpenOrders", () => []);
  const { id } = await created(rig);
  const asked = { path: "/v1/orders/cancel-all", apiKey: KEYS.both, idempotencyKey: "all-of-this-test" };
  const answer = await rig.askForSeconds({ ...asked, body: { account: ACCOUNTS.main, ...some } });
  expect(answer.status).toBeLessThan(300);
  await rig.clock.advance(2_000);
  expect(await shown(rig, id)).toMatchObject({ error: isTaken ? expect.stringContaining("cancel-all") : null });
});

test("a bot that the clock has made fall silent enters nothing by what it had asked for before", async () => {
  const rig = silent(openMarketRig());
  rig.answers.set("frontendOpenOrders", () => []);
  await rig.ask({ method: "PUT", path: "/v1/heartbeat", apiKey: KEYS.both, body: { within_s: 5 } });
  const { id } = await created(rig);
  rig.clock.stepWall(-30_000);
  await rig.clock.advance(2_000);
  expect(await shown(rig, id)).toMatchObject({ error: "trading was stopped" });
});

test("a stop of an hour ahead, which the clock was set back from, is none of what is asked for after it", async () => {
  const rig = silent(openMarketRig());
  rig.answers.set("frontendOpenOrders", () => []);
  rig.clock.stepWall(3_600_000);
  await stopAndResume(rig);
  rig.clock.stepWall(-3_600_000);
  const { id } = await created(rig);
  await rig.clock.advance(2_000);
  expect(await shown(rig, id)).toMatchObject({ error: null });
});
