/** A stop of which one record says that it is over: where it waits, and where it does not. */
import { expect, test } from "bun:test";
import { MAKER } from "./plain-venue.ts";
import { executed, type Scene, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { begin, guarded, placed, shownTrade, until } from "./trade-stage.ts";
import { eachRecord, isOver } from "./worlds/lens.ts";

const scene = scenesOfThisFile();

/** A trade that holds all of its entry, and the record of its stop, which says that it is over. */
async function doubted(hasFeed: boolean): Promise<{ s: Scene; id: string; stopId: string; rights: () => void }> {
  const s = await scene({ hasFeed });
  await s.pass(2_000);
  const id = await begin(s);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  await until(s, id, ({ status }) => status === "open");
  let isWrong = true;
  s.seeThrough(
    eachRecord((row, { type }) =>
      isWrong && type === "orderStatus" && !isOver(row) ? { ...row, status: "marginCanceled" } : row,
    ),
  );
  const [stop] = s.rows("select id from orders where reduce_only = 1");
  return { s, id, stopId: String(stop?.["id"]), rights: () => (isWrong = false) };
}

test.each([false, true])("nothing goes beside a stop that a list holds (live feed: %p)", async (hasFeed) => {
  const { s, id, stopId } = await doubted(hasFeed);
  const seen = new Set<number>();
  for (let second = 0; second < 200; second += 1) {
    await s.tell(null, { kind: "get", id: stopId });
    await s.pass(1_000);
    seen.add(guarded(s));
  }
  expect([[...seen], placed(s).length, executed(s, "cancel").length]).toEqual([[0.05], 2, 0]);
  expect((await shownTrade(s, id)).protected).toBe(true);
});

test.each([false, true])("one that is gone is placed anew at once (live feed: %p)", async (hasFeed) => {
  const { s, id, stopId, rights } = await doubted(hasFeed);
  await s.tell(null, { kind: "get", id: stopId });
  await s.pass(10_000);
  const [oid] = s.venue.account(s.party.account.tradingAddress).openOids;
  // Decimals of these texts are canonical; the brand is the engine's.
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
  rights();
  await s.pass(20_000);
  expect([guarded(s), (await shownTrade(s, id)).protected]).toEqual([0.05, true]);
});

test("beside one that no list holds another goes after a minute", async () => {
  const { s, stopId } = await doubted(false);
  const isHidden = (type: string) => type === "frontendOpenOrders" || type === "historicalOrders";
  s.seeThrough(({ type }, answer) => (isHidden(type) && placed(s).length === 2 ? [] : answer));
  for (let second = 0; second < 75; second += 1) {
    await s.tell(null, { kind: "get", id: stopId });
    await s.pass(1_000);
  }
  expect(placed(s).map(({ isTrigger }) => isTrigger)).toEqual([true, false, true]);
});
