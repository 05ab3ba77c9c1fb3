/** Which change was the last does not depend on our wall clock, nor on how many there were. */
import { describe, expect, test } from "bun:test";
import { appendEvent } from "../../src/store/events.ts";
import { FIRST } from "../support/paper-rig.ts";
import {
  account,
  EVERY_FIVE_SECONDS,
  MAX_AGE_MS,
  ONE_SECOND,
  onFrames,
  openWorld,
  positions,
  TAKING,
  WORLDS,
  write,
} from "./shown-account.ts";

describe.each(WORLDS)("where states are told %s", (_name, world) => {
  test.each([-5, 5])("our clock may be set by %i minutes at any time", async (minutes) => {
    const rig = await openWorld(world);
    const step = () => rig.clock.stepWall(minutes * 60 * ONE_SECOND);
    await positions(rig);
    for (const [nth, when] of (["never", "before the write", "after it", "after a read of it"] as const).entries()) {
      if (when === "before the write") step();
      await write(rig, "/v1/orders", TAKING);
      if (when === "after it") step();
      if (when === "after a read of it") {
        await positions(rig);
        step();
      }
      expect((await positions(rig)).rows).toMatchObject([{ size: `0.0${nth + 1}` }]);
      expect((await account(rig)).ageMs ?? 0).toBeLessThanOrEqual(MAX_AGE_MS);
      await rig.clock.advance(2 * ONE_SECOND);
    }
    for (const leverage of [9, 8]) {
      await write(rig, "/v1/leverage", { market: "BTC", leverage, margin_type: "cross" });
      step();
      expect((await positions(rig)).rows).toMatchObject([{ leverage }]);
    }
  });

  test("what one write has changed in one dex is shown after many in another", async () => {
    const rig = await openWorld(world, (early) =>
      onFrames(early, ({ channel, arrive }) => void (channel === "clearinghouseState" || arrive())),
    );
    await rig.clock.advance(ONE_SECOND);
    await positions(rig);
    await write(rig, "/v1/leverage", { market: "BTC", leverage: 9, margin_type: "cross" });
    const { store, clock } = rig;
    await write(rig, "/v1/orders", TAKING);
    for (let nth = 0; nth < 300; nth += 1) {
      const about = { type: "fill.created", resourceId: `${rig.deps.exchange.nowMs()}-xyz:TSLA-${nth}` } as const;
      appendEvent(store, { ...about, accountId: FIRST.account.id, atMs: clock.nowMs(), payload: null });
    }
    expect((await positions(rig)).rows).toMatchObject([{ size: "0.01", leverage: 9 }]);
  });
});

test("a clock of ours that was always wrong changes nothing", async () => {
  for (const minutes of [-7, 7]) {
    const rig = await openWorld(EVERY_FIVE_SECONDS, (early) => early.clock.stepWall(minutes * 60 * ONE_SECOND));
    for (let times = 1; times <= 3; times += 1) {
      await write(rig, "/v1/orders", TAKING);
      const shown = await positions(rig);
      expect(shown).toMatchObject({ rows: [{ size: `0.0${times}` }], ageMs: null });
      await rig.clock.advance(3 * ONE_SECOND);
    }
  }
});
