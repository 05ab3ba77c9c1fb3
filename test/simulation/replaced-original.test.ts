/** What a modify has replaced it has replaced: no word and no time of the record of its original outweighs that. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";
import { eachRecord } from "./worlds/lens.ts";

const scene = scenesOfThisFile();

test("a modify whose cancel half is recorded with a word of its own has replaced its order all the same", async () => {
  const s = await scene();
  const placed = shown(await s.tell("own-word", limit("buy", 94_000)));
  s.seeThrough(
    eachRecord((row) =>
      row.status === "canceled" && String(row.order.oid) === placed.oid ? { ...row, status: "modifyCanceled" } : row,
    ),
  );
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("own-word-modify", modify);
  await s.pass(30_000);
  const [live] = liveOrders(s).map(String);
  expect(shown(await s.tell("own-word-modify", modify))).toMatchObject({ id: placed.id, status: "open", oid: live });
  expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "open", oid: live });
});

/** Signs by a clock that is five seconds ahead; records of what the modify places are late. */
async function modifyByClockAhead(s: Scene, placed: { id: string; oid: string | null }, alwaysPlace: boolean) {
  await s.pass(3_000);
  const { exchange } = s.process().gateway.deps;
  const { nowMs } = exchange;
  Object.assign(exchange, { nowMs: () => nowMs() + 5_000 });
  s.seeThrough((request, answer) => {
    // As the exchange answers.
    const { order } = answer as { order?: { order: { oid: number } } };
    const isReplacement = order !== undefined && String(order.order.oid) !== placed.oid;
    return request.type === "orderStatus" && isReplacement && s.timeline.nowMs() < 40_000
      ? { status: "unknownOid" }
      : answer;
  });
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace };
  s.ask("ahead-modify", modify);
  await s.pass(100);
  Object.assign(exchange, { nowMs });
  await s.pass(60_000);
  return modify;
}

test.each([false, true])(
  "a modify that a clock ahead has signed has replaced its order although the replacement's record is late (always_place: %p)",
  async (alwaysPlace) => {
    const s = await scene();
    const placed = shown(await s.tell("ahead", limit("buy", 94_000)));
    const modify = await modifyByClockAhead(s, placed, alwaysPlace);
    const [live] = liveOrders(s).map(String);
    expect(shown(await s.tell("ahead-modify", modify))).toMatchObject({ id: placed.id, status: "open", oid: live });
  },
);

test("what always_place placed seconds after somebody had canceled the order is an order of its own, however late its record", async () => {
  const s = await scene();
  const placed = shown(await s.tell("before", limit("buy", 94_000)));
  s.setFate(({ path }) => (path === "/exchange" ? directly(3_500) : directly(5)));
  s.timeline.after(3_300, () => {
    const cancels = [{ a: 0, o: Number(placed.oid) }];
    s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels, f: false });
  });
  const modify = await modifyByClockAhead(s, placed, true);
  const ended = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect(ended).toMatchObject({ status: "canceled", oid: placed.oid });
  const told = shown(await s.tell("ahead-modify", modify));
  expect(told).toMatchObject({ http: 200, status: "open", oid: String(liveOrders(s)[0]) });
  expect(told.id).not.toBe(placed.id);
  expect(
    s.rows(`select payload from events where resource_id = '${placed.id}' and payload like '%${told.oid}%'`),
  ).toEqual([]);
});

test("so has one that was refused at its placing, whatever the clock says that signed it", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
  const placed = shown(await s.tell("ahead-refused", limit("buy", 94_000)));
  await s.pass(3_000);
  const { exchange } = s.process().gateway.deps;
  const { nowMs } = exchange;
  Object.assign(exchange, { nowMs: () => nowMs() + 5_000 });
  const modify = { kind: "modify" as const, id: placed.id, price: "95200", size: null, alwaysPlace: false };
  s.ask("ahead-refused-modify", modify);
  await s.pass(100);
  Object.assign(exchange, { nowMs });
  await s.pass(60_000);
  const told = shown(await s.tell("ahead-refused-modify", modify));
  const error = expect.stringContaining("The modify canceled the order and its replacement was refused");
  expect(told).toMatchObject({ http: 200, status: "canceled", error });
});

test("what was filled of a replacement is told while the record of its original is behind", async () => {
  const s = await scene({ hasFeed: true });
  const stores = holdStores(s);
  const placed = shown(await s.tell("behind", limit("buy", 94_000)));
  await s.pass(2_000);
  stores.stop("orderStatus");
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("behind-modify", modify);
  await s.pass(2_000);
  trade(s, TAKER, { isBuy: false, price: 94_001, size: "0.004" });
  await s.pass(20_000);
  const [live] = liveOrders(s).map(String);
  const told = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect(s.rows("select sum(cast(size as real)) as filled from fills")).toEqual([{ filled: 0.004 }]);
  expect(told).toMatchObject({ status: "open", oid: live, filled: "0.004" });
});

test("what was filled while a modify was on its way is taken off, whatever word its cancel half is recorded with", async () => {
  const s = await scene();
  const placed = shown(await s.tell("too-much", limit("buy", 94_000)));
  s.seeThrough(
    eachRecord((row) =>
      row.status === "canceled" && String(row.order.oid) === placed.oid ? { ...row, status: "modifyCanceled" } : row,
    ),
  );
  s.setFate(({ path }) => (path === "/exchange" ? directly(400) : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("too-much-modify", modify);
  await s.pass(150);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(60_000);
  trade(s, TAKER, { isBuy: false, price: 93_900, size: "0.02" });
  await s.pass(30_000);
  const filled = s.rows("select round(sum(cast(size as real)), 5) as filled from fills");
  expect(filled).toEqual([{ filled: 0.01 }]);
});
