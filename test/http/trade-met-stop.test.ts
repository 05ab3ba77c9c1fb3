/** A stop that the mark has come to already is none to enter with. */
import { expect, test } from "bun:test";
import { inSeconds, MARK, openMarketRig, refusalOf } from "./rails-rig.ts";
import type { Rig } from "./rig.ts";
import { ask, create, created, guard, read, rows, silent } from "./trades-rig.ts";

const SHORT = { side: "sell", stop_loss: { trigger_price: "61000" } };

test.each([
  ["a long's stop under the mark", {}, "58000.1", null],
  [
    "a long's stop at the mark",
    {},
    "58000",
    "The mark of BTC is 58000, and stop_loss.trigger_price 58000 is not below",
  ],
  [
    "a long's stop over the mark",
    {},
    "57000",
    "The mark of BTC is 57000, and stop_loss.trigger_price 58000 is not below",
  ],
  ["a short's stop over the mark", SHORT, "60999", null],
  [
    "a short's stop at the mark",
    SHORT,
    "61000",
    "The mark of BTC is 61000, and stop_loss.trigger_price 61000 is not above",
  ],
] as const)("of %s by the mark of that moment", async (_what, terms, mark, why) => {
  const rig = silent(marked(openMarketRig(), mark));
  const before = rows(rig);
  const words = await refusalOf(await create(rig, terms));
  if (why === null) return expect(words).toBe("201");
  expect(words).toStartWith(`409 stop_already_met: ${why}`);
  expect([rows(rig), rig.sent]).toEqual([before, []]);
});

test("while the mark is not known nothing is entered, and the same key enters afterwards", async () => {
  const rig = silent(openMarketRig());
  rig.answers.delete("metaAndAssetCtxs");
  const key = "trade-asked-again";
  expect(await refusalOf(await inSeconds(rig, create(rig, {}, { key })))).toStartWith("503 exchange_unreachable");
  marked(rig, MARK);
  await rig.clock.advance(2_000);
  await created(rig, {}, { key });
});

test("a stop is not moved to where the mark is; while nobody knows that it is moved", async () => {
  const rig = silent(marked(openMarketRig(), "59500"));
  const { id } = await created(rig);
  const moved = (trigger: string) => ask(rig, `/v1/trades/${id}/modify`, { stop_loss: guard(trigger) });
  expect(await refusalOf(await moved("59600"))).toStartWith("409 stop_already_met: The mark of BTC is 59500");
  expect(await (await read(rig, `/v1/trades/${id}`)).json()).toMatchObject({ stop_loss: { trigger_price: "58000" } });
  rig.answers.delete("metaAndAssetCtxs");
  await rig.clock.advance(6_000);
  expect(await refusalOf(await inSeconds(rig, moved("59600")))).toBe("200");
});

function marked(rig: Rig, mark: string): Rig {
  const context = { markPx: mark, oraclePx: mark, funding: "0", openInterest: "1", dayNtlVlm: "1", prevDayPx: mark };
  rig.answers.set("metaAndAssetCtxs", () => [{ universe: [{ name: "BTC" }, { name: "ETH" }] }, [context, context]]);
  return rig;
}
