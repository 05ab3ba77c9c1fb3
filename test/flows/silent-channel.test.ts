/** A channel of an account's feed that falls silent is found by what its other channels show, at no weight. */
import { expect, test } from "bun:test";
import { FIRST, limitOrder, type PaperRig } from "../support/paper-rig.ts";
import { EVERY_FIVE_SECONDS, ON_CHANGE, ONE_SECOND, onFrames, openWorld } from "./shown-account.ts";

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
