/** A channel of an account's feed that falls silent is found by what its other channels show, at no weight. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Action } from "../../src/wire/action/index.ts";
import { FIRST, limitOrder, type PaperRig } from "../support/paper-rig.ts";
import { EVERY_FIVE_SECONDS, ON_CHANGE, ONE_SECOND, onFrames, openWorld } from "./shown-account.ts";

type Row = Record<string, unknown>;

const WORLDS = [ON_CHANGE, EVERY_FIVE_SECONDS];
/** A state comes within five seconds, and the feed has five to tell what it shows. */
const FOUND_WITHIN_MS = 15 * ONE_SECOND;

function byHand(rig: PaperRig, price: string): Promise<unknown> {
  return rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price }));
}

function distrusts({ deps }: PaperRig): number {
  return deps.feeds.distrusts(FIRST.account.tradingAddress);
}

const SILENT: [channel: string, what: string, price: string][] = [
  ["orderUpdates", "an order that was placed by hand", "59000"],
  ["userFills", "a fill of an order that was placed by hand", "60010"],
];

test.each(SILENT)("%s, which does not tell %s", async (silent, _what, price) => {
  for (const world of WORLDS) {
    const rig = await openWorld(world);
    // The first states show what was before.
    await rig.clock.advance(10 * ONE_SECOND);
    onFrames(rig, ({ channel, arrive }) => (channel === silent ? undefined : arrive()));
    await byHand(rig, price);
    rig.asked.length = 0;
    await rig.clock.advance(FOUND_WITHIN_MS);
    expect([silent, distrusts(rig)]).toEqual([silent, 1]);
  }
});

/** Three of the frames that come every five seconds, and one that had just come. */
const FOUND_SILENT_MS = 21 * ONE_SECOND;
/** `PURR/USDC`. */
const PURR_ASSET = 10_000;
const TWAP: Action = {
  type: "twapOrder",
  twap: { a: 0, b: true, s: decimal("0.1"), r: false, m: 30, t: false },
};

/** What is done by hand moves a figure that only this channel tells. */
const STATES: [channel: string, path: string, figure: (body: Row) => unknown, action: Action][] = [
  ["clearinghouseState", "/v1/account", ({ withdrawable }) => withdrawable, limit(0, "59000")],
  ["spotState", "/v1/account", ({ spot }) => spot, limit(PURR_ASSET, "0.1", "200")],
  ["userTwapHistory", "/v1/twaps", ({ data }) => data, TWAP],
];

test.each(STATES)("%s, without which %s is of before", async (silent, path, figure, action) => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  await rig.clock.advance(5 * ONE_SECOND);
  onFrames(rig, ({ channel, arrive }) => (channel === silent ? undefined : arrive()));
  const look = async () => {
    const { status, body } = await rig.answer(FIRST, { route: `GET ${path}` });
    expect(status).toBe(200);
    return figure(body);
  };
  const before = await look();
  await rig.elsewhere(FIRST, action);
  await rig.clock.advance(FOUND_SILENT_MS);
  expect(await look()).not.toEqual(before);
});

function limit(assetId: number, price: string, size = "0.01"): Action {
  return limitOrder({ assetId, side: "buy", size, price });
}

test("channels that tell all of it are believed, and nothing is read because a state came before its fill", async () => {
  for (const world of WORLDS) {
    const rig = await openWorld(world);
    await rig.clock.advance(10 * ONE_SECOND);
    // A second late.
    onFrames(rig, ({ channel, arrive }) => {
      if (channel === "userFills" || channel === "orderUpdates") void rig.clock.sleep(ONE_SECOND).then(() => arrive());
      else arrive();
    });
    rig.asked.length = 0;
    for (let times = 0; times < 10; times += 1) {
      await byHand(rig, "60010");
      await byHand(rig, "59000");
      await rig.clock.advance(3 * ONE_SECOND);
    }
    expect([distrusts(rig), rig.asked.filter((type) => type === "userFillsByTime")]).toEqual([0, []]);
  }
});
