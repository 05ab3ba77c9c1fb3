/** What a modify by price alone has placed too much, and waits for its trigger. */
import { expect, test } from "bun:test";
import { after, modify, open, opened, read } from "./modified-order.ts";

const TRIGGER = { price: "105000", kind: "stop_loss", market: false };

test("a trigger that replaced an order which was filled meanwhile is not left for more than was asked", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(after(() => rig.trade("sell", "0.04", "90000")));
  const answer = await modify(rig, id, { price: "106000", trigger: TRIGGER, always_place: true });
  expect(answer.body).toMatchObject({ id });
  await rig.clock.advance(120_000);
  // The exchange replaces a trigger only by what it places in any case: beside one that has just fired, for another time.
  expect(await open(rig)).toEqual([]);
  const error = expect.stringContaining("more than was left");
  expect((await read(rig, id)).body).toMatchObject({ status: "canceled", filled_size: "0.04", error });
});

test("a trigger that replaced an order of which nothing was filled waits as asked", async () => {
  const { rig, id } = await opened();
  await modify(rig, id, { price: "106000", trigger: TRIGGER, always_place: true });
  await rig.clock.advance(120_000);
  expect(await open(rig)).toMatchObject([{ sz: "0.1", isTrigger: true }]);
  expect((await read(rig, id)).body).toMatchObject({ status: "waiting_for_trigger", size: "0.1", error: null });
});
