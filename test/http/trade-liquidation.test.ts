/** A stop has to come before the liquidation, by what the exchange shows. */
import { expect, test } from "bun:test";
import { openMarketRig, refusalOf } from "./rails-rig.ts";
import { backed, CROSS, create, created, guard, isolated, rows, silent } from "./trades-rig.ts";

// 0.1 at 60,000 of a market of 40x: 1/80 of its value has to be left.
test.each([
  ["behind which 300 stand", { equity: "300", leverage: CROSS }, "57000", "57722"],
  ["the same, before it", { equity: "300", leverage: CROSS }, "57723", null],
  ["behind which enough stands", { equity: "5000", leverage: CROSS }, "30000", null],
  ["at 20x of its own", { equity: "5000", leverage: isolated(20) }, "57000", "57722"],
  ["at 20x of its own, before it", { equity: "5000", leverage: isolated(20) }, "57800", null],
  ["at 2x of its own", { equity: "5000", leverage: isolated(2) }, "31000", null],
  [
    "that shares the spot balance",
    { equity: "0", leverage: CROSS, mode: "unifiedAccount", spot: "300" },
    "57000",
    "57722",
  ],
  ["that shares enough", { equity: "0", leverage: CROSS, mode: "unifiedAccount", spot: "5000" }, "30000", null],
  ["under portfolio margin", { equity: "0", leverage: CROSS, mode: "portfolioMargin" }, "57000", null],
] as const)(
  "a stop of a position %s is refused with the price of its liquidation",
  async (_what, account, trigger, at) => {
    const rig = silent(backed(openMarketRig(), account));
    const before = rows(rig);
    const words = await refusalOf(await create(rig, { size: "0.1", stop_loss: guard(trigger) }));
    if (at === null) return expect(words).toBe("201");
    expect(words).toStartWith(
      `409 stop_beyond_liquidation: A position of 0.1, filled at 60000, would be liquidated at ${at} `,
    );
    expect([rows(rig), rig.sent]).toEqual([before, []]);
  },
);

test.each(["clearinghouseState", "userAbstraction", "activeAssetData"])(
  "while %s cannot be read nothing is entered, and the same key enters afterwards",
  async (type) => {
    const rig = silent(openMarketRig());
    const answer = rig.answers.get(type);
    rig.answers.delete(type);
    const key = "trade-asked-again";
    expect(await refusalOf(await create(rig, {}, { key }))).toStartWith("503 exchange_unreachable");
    rig.answers.set(type, answer ?? (() => null));
    await rig.clock.advance(2_000);
    await created(rig, {}, { key });
  },
);
