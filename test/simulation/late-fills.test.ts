/** Fills that a list shows minutes late: they are told when they are shown, and no reading of before vouches for them. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

async function filledWhileBehind(s: Scene, key: string): Promise<string> {
  const stores = holdStores(s);
  const placed = shown(await s.tell(key, limit("buy", 94_000)));
  await s.pass(5_000);
  stores.stop("userFillsByTime");
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(240_000);
  stores.go();
  return placed.id;
}

test("a fill that is shown four minutes late is indexed, listed and told", async () => {
  const s = await scene();
  const id = await filledWhileBehind(s, "late");
  await s.pass(60_000);
  expect(s.rows("select size from fills where market = 'BTC'")).toEqual([{ size: "0.004" }]);
  expect(s.rows("select 1 from events where type = 'fill.created'")).toHaveLength(1);
  expect(s.rows(`select status, filled_size from orders where id = '${id}'`)).toEqual([
    { status: "open", filled_size: "0.004" },
  ]);
});

test("so is one across a restart", async () => {
  const s = await scene();
  const id = await filledWhileBehind(s, "late-restart");
  s.kill();
  await s.start();
  await s.pass(60_000);
  expect(s.rows(`select filled_size from orders where id = '${id}'`)).toEqual([{ filled_size: "0.004" }]);
});

test("an order that had ended by itself before its modify is told as ended when all that was filled of it is shown", async () => {
  const s = await scene();
  // Records with a wrong rest, fills that are behind, and positions that nobody can read.
  const stores = holdStores(s, (type, text) =>
    type === "orderStatus" ? text.replace('"sz":"0.006"', '"sz":"0.01"') : text,
  );
  s.setFate(({ body }) =>
    body.includes('"clearinghouseState"')
      ? { arrivesAfterMs: [], answer: { kind: "page", status: 502, afterMs: 5 } }
      : directly(5),
  );
  const placed = shown(await s.tell("own-end", limit("buy", 94_000)));
  stores.stop("userFillsByTime");
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  // A sell of the same owner meets the rest of it.
  trade(s, s.party.account.ownerAddress, { isBuy: false, price: 94_000, size: "0.01" });
  const modify = { kind: "modify" as const, id: placed.id, price: "93990", size: "0.02", alwaysPlace: true };
  s.ask("own-end-modify", modify);
  for (let waited = 0; waited < 900; waited += 100) {
    await s.pass(100);
    expect(s.rows(`select status from orders where id = '${placed.id}'`)).not.toEqual([{ status: "canceled" }]);
  }
  stores.go();
  await s.pass(60_000);
  const told = shown(await s.tell("own-end-modify", modify));
  expect(told).toMatchObject({ http: 200, status: "open" });
  expect(told.id).not.toBe(placed.id);
  expect(s.rows(`select status, filled_size from orders where id = '${placed.id}'`)).toEqual([
    { status: "canceled", filled_size: "0.004" },
  ]);
});
