/** What a modify by price alone has placed too much, and waits for its trigger. */
import { expect, test } from "bun:test";
import { beginStop } from "../../src/settle/stop/begin-stop.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { FIRST } from "../support/paper-rig.ts";
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

test.each([
  ["goes on for what is left", false, [{ sz: "0.06" }], { status: "open", size: "0.1" }],
  ["is taken off whole under a stop: nothing is placed anew", true, [], { status: "canceled", filled_size: "0.04" }],
])("what replaced an order that was filled meanwhile %s", async (_what, isStopped, left, shown) => {
  const { rig, id } = await opened();
  const { id: accountId } = FIRST.account;
  const asked = { accountId, scope: "account", keyHash: null, cause: "asked", keepsProtection: true } as const;
  const work = async () => {
    await rig.trade("sell", "0.04", "90000");
    const stop = { ...asked, actor: "owner", idempotencyKey: null };
    if (isStopped) inTransaction(rig.store, (store) => beginStop(store, rig.deps, stop));
  };
  rig.deliveries.push(after(work));
  await modify(rig, id, { price: "89999" });
  await rig.clock.advance(120_000);
  expect(await open(rig)).toMatchObject(left);
  expect(rig.sent.filter((type) => type === "batchModify")).toHaveLength(isStopped ? 1 : 2);
  expect((await read(rig, id)).body).toMatchObject(shown);
});
