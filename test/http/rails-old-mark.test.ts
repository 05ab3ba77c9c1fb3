/** A mark that nobody has told for a while says nothing of what an increase may come to. */
import { expect, test } from "bun:test";
import { inSeconds, limitedRig, place, railOf } from "./rails-rig.ts";

test("what increases is valued by no mark of before", async () => {
  const rig = await limitedRig({}, [{ coin: "BTC", szi: "1" }]);
  expect(await railOf(await inSeconds(rig, place(rig, { price: "60010", time_in_force: "ioc" })))).toBe("passed");
  rig.answers.set("metaAndAssetCtxs", () => null);
  await rig.clock.advance(20_000);
  expect(await railOf(await inSeconds(rig, place(rig, {})))).toStartWith("503 rails_unproven");
});
