/** After a restore: TWAPs of which nobody can say whether they were a bot's, and what is told of what they bought. */
import { expect, test } from "bun:test";
import { resumeTrading } from "../../src/ops/stop-trading.ts";
import type { StoredFill } from "../../src/store/fills.ts";
import { awaitTakeUp, endOf, exchangeThatFills, flatten, indexFill, pass, stopOf } from "./flatten-rig.ts";
import { BOT, inSeconds, limitedRig, place, railOf, refusalOf, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, type Rig } from "./rig.ts";

const MAY = "increase,reduce,modify,cancel,twap,stop";
const CLOSE = "/v1/positions/close";

type Bought = { may?: string; maxPosition?: string; startPosition?: string; held?: number };

/** Restored, and then a TWAP of nobody is shown to have bought 0.5 BTC before that. */
async function rigAfter({ may = MAY, maxPosition = "any", held = 0.5 }: Bought = {}): Promise<Rig> {
  const rig = await limitedRig({ may, maxPosition });
  exchangeThatFills(rig, { szi: held });
  const takeUp = awaitTakeUp(rig);
  takeUp();
  // Longer ago than a server may be behind, so that a position without it is one of after it.
  indexFill(rig, { ...BTC, timeMs: rig.clock.nowMs() - 200_000, twapId: "5" });
  await pass(rig, 4);
  return rig;
}

const BTC = { market: "BTC", oid: "77", size: "0.5" as StoredFill["size"] };

function close(rig: Rig): Promise<Response> {
  return inSeconds(
    rig,
    rig.ask({
      path: CLOSE,
      apiKey: BOT,
      idempotencyKey: "the-close-1",
      body: { account: ACCOUNTS.main, market: "BTC" },
    }),
  );
}

test("a close does not tell that its bot holds nothing, and names who can close it", async () => {
  const told = await refusalOf(await close(await rigAfter()));
  expect(told).toStartWith("409 position_unproven: A TWAP in BTC");
  expect(told).toContain("touches");
});

test.each([
  ["the key may ask for no TWAP", { may: "increase,reduce,modify,cancel,stop" }],
  ["the account holds nothing", { held: 0 }],
  ["the account holds the other side", { held: -0.5 }],
])("it does where %s", async (_what, some) => {
  expect(await refusalOf(await close(await rigAfter(some)))).toStartWith("409 nothing_to_close");
});

test("it does once a fill has begun from nothing since: what was bought had been sold by then", async () => {
  const rig = await rigAfter();
  indexFill(rig, { ...BTC, timeMs: rig.clock.nowMs(), id: "later", startPosition: "0" as StoredFill["startPosition"] });
  expect(await refusalOf(await close(rig))).toStartWith("409 nothing_to_close");
});

test("a TWAP that began after all had been read is somebody else's", async () => {
  const rig = await limitedRig({ may: MAY });
  exchangeThatFills(rig, { szi: 0.5 });
  awaitTakeUp(rig)();
  await pass(rig, 70);
  indexFill(rig, { ...BTC, timeMs: rig.clock.nowMs(), twapId: "5" });
  expect(await refusalOf(await close(rig))).toStartWith("409 nothing_to_close");
});

test("a flattening of its bot does not end as flat, and says what is left and why", async () => {
  const rig = await rigAfter();
  const id = await stopOf(rig, "bot", BOT);
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 30);
  expect(await endOf(rig, id)).toMatchObject({ left: [{ market: "BTC", size: "0.5", reason: "unproven" }] });
});

test.each([
  ["at its end", (_rig: Rig, _id: string): void => undefined, "twap_running"],
  [
    "when its stop is ended",
    ({ deps }: Rig, stopId: string): void =>
      void resumeTrading({ ...deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId }),
    "resumed",
  ],
])("and names that beside what is left in another market, %s", async (_when, ends, reason) => {
  const rig = await limitedRig({ may: MAY, markets: "BTC,ETH", maxPosition: "any" });
  const held = { szi: 0 };
  exchangeThatFills(rig, held);
  awaitTakeUp(rig)();
  indexFill(rig, { ...BTC, market: "ETH", timeMs: rig.clock.nowMs() - 200_000, twapId: "5" });
  await pass(rig, 4);
  expect((await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" })).status).toBe(201);
  const twap = "'op-1', ?, 'grid-1', 'BTC', 'sell', '0.002', 1, 30, 0, null, '0'";
  rig.deps.store.$client.run(`insert into bot_twaps values (${twap})`, [ACCOUNTS.main]);
  const positions = [
    { coin: "BTC", szi: "0.002" },
    { coin: "ETH", szi: "0.5" },
  ];
  rig.answers.set("clearinghouseState", ({ dex }) => stateOf((dex ?? "") === "" ? positions : [], rig.clock.nowMs()));
  const id = await stopOf(rig, "bot", BOT);
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 8);
  ends(rig, id);
  await pass(rig, 60);
  expect((await endOf(rig, id))?.left).toEqual([
    { market: "BTC", size: "0.002", reason },
    { market: "ETH", size: "0.5", reason: "unproven" },
  ]);
});

test.each([
  ["all of it counts as the bot's", {}, "max_position"],
  ["not of an account that holds nothing", { held: 0 }, "passed"],
  ["nor of a key that may ask for no TWAP", { may: "increase,reduce,modify,cancel,stop" }, "passed"],
])("what a bot may hold is judged with it: %s", async (_what, some, rail) => {
  const rig = await rigAfter({ maxPosition: "20000 USD", ...some });
  expect(await railOf(await inSeconds(rig, place(rig, { size: "0.001" })))).toBe(rail);
});

test("it makes no reduction of what is the bot's own too large", async () => {
  const rig = await rigAfter();
  expect((await inSeconds(rig, place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" }))).status).toBe(201);
  indexFill(rig, { ...BTC, timeMs: rig.clock.nowMs() - 9_000, id: "sold", side: "sell", twapId: "6" });
  const sale = { side: "sell", price: "59990", size: "0.002", time_in_force: "ioc", reduce_only: true };
  expect(await railOf(await inSeconds(rig, place(rig, sale)))).toBe("passed");
});
