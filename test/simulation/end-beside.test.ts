/** What a modify has placed in any case beside an order that is over, where nobody can look at that order. */
import { expect, test } from "bun:test";
import { legStates } from "../support/every-row.ts";
import { directly, type Fate } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, statusHere, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
/** The modify comes to the exchange after the order's end. */
const LATE: Fate = { arrivesAfterMs: [2_500], answer: { kind: "true", ofCopy: 0, afterMs: 5 } };

/** What was placed is canceled by hand. */
async function endBeside(end: (s: Scene, oid: number) => void) {
  const s = await scene();
  const placed = shown(await s.tell("not-its-end", limit("sell", 95_100)));
  s.setFate(({ body }) => (body.includes('"batchModify"') ? LATE : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "95200", size: "0.02", alwaysPlace: true };
  s.ask("not-its-end-modify", modify);
  await s.pass(100);
  s.setFate(({ body }) => (body.includes(`"oid":${placed.oid}`) ? LOST : directly(5)));
  end(s, Number(placed.oid));
  await s.pass(4_000);
  const [beside] = liveOrders(s);
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: beside ?? 0 }], f: false });
  for (let look = 0; look < 3; look += 1) {
    await s.tell(null, { kind: "get", id: placed.id });
    await s.pass(1_200);
  }
  const endOfSplit = async () => {
    s.setFate(() => directly(5));
    await s.pass(30_000);
    // Its key tells the order as it was when that was known: it may have been open then.
    const { id } = shown(await s.tell("not-its-end-modify", modify));
    const split = shown(await s.tell(null, { kind: "get", id }));
    expect(split).toMatchObject({ http: 200, status: "canceled", oid: String(beside), filled: "0" });
  };
  return { s, id: placed.id, endOfSplit };
}

test("seed 50066111: the end of what always_place placed is not the order's while nobody knows of the order", async () => {
  const { s, id, endOfSplit } = await endBeside((each, oid) =>
    each.venue.act(each.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid }], f: false }),
  );
  expect(legStates(s)).toEqual(["resting", "canceled"]);
  expect(statusHere(s, id)).toMatchObject({ status: "unknown" });
  await endOfSplit();
  expect(statusHere(s, id)).toEqual({ status: "canceled", filled_size: "0" });
});

test("an order that was filled is filled by the fills that were read for what always_place placed beside it", async () => {
  const { s, id, endOfSplit } = await endBeside((each) =>
    trade(each, TAKER, { isBuy: true, price: 95_100, size: "0.01" }),
  );
  expect(statusHere(s, id)).toEqual({ status: "filled", filled_size: "0.01" });
  await endOfSplit();
  expect(statusHere(s, id)).toEqual({ status: "filled", filled_size: "0.01" });
});
