/** Fills that a list shows minutes late: they are told when they are shown, and no reading of before vouches for them. */
import { expect, test } from "bun:test";
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
