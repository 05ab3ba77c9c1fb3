/** What a bot's order was refused for at one door: a copy of it counts against the bot's limits until none can be taken any more. */
import { expect, test } from "bun:test";
import { listUnusedNumbers, sealUnused } from "../../src/store/unused-numbers.ts";
import { type Body, limitedRig, place, railOf } from "./rails-rig.ts";
import { ACCOUNTS, type Rig } from "./rig.ts";

const USED_UP =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";
/** What the exchange refuses after it has come to the number. */
const NO_MARGIN = "Insufficient margin to place order.";

async function told(rig: Rig, terms: Body): Promise<string> {
  return ((await (await place(rig, terms)).json()) as { status: string }).status;
}

const ROWS: readonly [string, string, string][] = [
  ["at the door, and a copy may come", USED_UP, "max_exposure"],
  ["with its number used up", NO_MARGIN, "passed"],
];

test.each(ROWS)("an order that was refused %s", async (_what, text, rail) => {
  const rig = await limitedRig({ maxExposure: "100 USD" });
  rig.refusals.push(text);
  expect(await told(rig, { size: "0.001" })).toBe("rejected");
  expect(await railOf(await place(rig, { size: "0.001" }))).toBe(rail);
});

test("it counts no more once its number is taken", async () => {
  const rig = await limitedRig({ maxExposure: "100 USD" });
  rig.refusals.push(USED_UP);
  await told(rig, { size: "0.001" });
  const { store } = rig.deps;
  const [unused] = listUnusedNumbers(store, ACCOUNTS.main, 0);
  if (unused === undefined) throw new Error("no number was left unused");
  store.transaction(() => sealUnused(store, unused.attempt, "noop"));
  expect(await railOf(await place(rig, { size: "0.001" }))).toBe("passed");
});

test("what reduces was no larger position, and is not counted as one", async () => {
  const rig = await limitedRig({ maxExposure: "100 USD" }, [{ coin: "BTC", szi: "0.001" }]);
  rig.refusals.push(USED_UP);
  await told(rig, { size: "0.001", side: "sell", reduce_only: true });
  expect(await railOf(await place(rig, { size: "0.001" }))).toBe("passed");
});
