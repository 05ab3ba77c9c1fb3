/** Our wall clock is behind, and so is a store of the exchange. */
import { expect, test } from "bun:test";
import { limit, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

test("an order that was just placed is in the list of open ones although the list and our wall clock are behind", async () => {
  const s = await scene();
  const stores = holdStores(s);
  s.jumpClock(-120_000);
  await s.pass(1_000);
  shown(await s.tell("older", limit("buy", 93_000)));
  await s.pass(20_000);
  stores.stop("frontendOpenOrders");
  const newer = shown(await s.tell("newer", limit("buy", 94_000)));
  expect(newer).toMatchObject({ http: 201, status: "open" });
  await s.pass(2_000);
  const { body } = await s.tell(null, { kind: "list_open" });
  expect(body).toContain(newer.id);
});
