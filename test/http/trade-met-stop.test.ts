/** A stop that the mark has come to already is none to enter with. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { findTrade, putTrade } from "../../src/store/trades.ts";
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

test.each([
  [
    "a long's to the mark",
    {},
    "59500",
    "409 take_profit_already_met: The mark of BTC is 59500, and take_profit.trigger_price 59500 is not above",
  ],
  ["a long's under it", {}, "59400", "409 take_profit_already_met"],
  ["a long's over it", {}, "59501", "200"],
  [
    "a short's to the mark",
    SHORT,
    "59500",
    "409 take_profit_already_met: The mark of BTC is 59500, and take_profit.trigger_price 59500 is not below",
  ],
  ["a short's under it", SHORT, "59499", "200"],
] as const)("the take-profit of what is held is moved, %s", async (_what, terms, trigger, outcome) => {
  const rig = silent(marked(openMarketRig(), "59500"));
  const { id } = await created(rig, terms);
  const { store } = rig.deps;
  const trade = findTrade(store, id);
  if (trade === null) throw new Error("no trade");
  putTrade(store, { ...trade, status: "open", heldSize: decimal("0.01") }, rig.clock.nowMs());
  const moved = ask(rig, `/v1/trades/${id}/modify`, { take_profit: guard(trigger) });
  expect(await refusalOf(await moved)).toStartWith(outcome);
});

test("while nothing is held the take-profit is moved wherever it gains: it is placed later", async () => {
  const rig = silent(marked(openMarketRig(), "60500"));
  const { id } = await created(rig);
  const moved = ask(rig, `/v1/trades/${id}/modify`, { take_profit: guard("60400") });
  expect(await refusalOf(await moved)).toBe("200");
});

function marked(rig: Rig, mark: string): Rig {
  const context = { markPx: mark, oraclePx: mark, funding: "0", openInterest: "1", dayNtlVlm: "1", prevDayPx: mark };
  rig.answers.set("metaAndAssetCtxs", () => [{ universe: [{ name: "BTC" }, { name: "ETH" }] }, [context, context]]);
  return rig;
}
