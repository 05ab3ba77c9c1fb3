/**
 * An order that has ended, and a modify of it that places in any case and is still out: what that places stands beside it. A
 * cancel is for everything that was out when it was asked for.
 */
import { expect, test } from "bun:test";
import { storyOf } from "../../src/actions/tell-story.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, type Delivery, delayed, FIRST, type PaperRig } from "../support/paper-rig.ts";
import { modify, open, opened, read } from "./modified-order.ts";

const END: [string, string, (rig: PaperRig, oid: string) => Promise<unknown>][] = [
  ["was filled", "filled", (rig) => rig.trade("sell", "0.1", "90000")],
  [
    "was canceled elsewhere",
    "canceled",
    (rig, oid) => rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] }),
  ],
];

const OUT: [string, (rig: PaperRig) => Delivery][] = [
  ["has not arrived yet", () => delayed(3_000, 0)],
  [
    "has arrived, was not answered and cannot be looked up yet",
    (rig) => (arrive) => {
      rig.failing.add("orderStatus");
      return DELIVERY.answerLost(arrive);
    },
  ],
  ["is answered late", () => delayed(0, 5_000)],
];

/** It is told that it has ended once it is known how much of it was filled. */
async function ended(rig: PaperRig, id: unknown): Promise<unknown> {
  for (let looks = 0; looks < 5; looks += 1) await read(rig, id);
  return (await read(rig, id)).body["status"];
}

const ROWS = END.flatMap(([ended, status, end]) =>
  OUT.map(([out, deliveryTo]) => ({ ended, out, status, end, deliveryTo })),
);

test.each(ROWS)(
  "an order $ended, its modify $out: a cancel leaves nothing open, and is not final before",
  async ({ status, end, deliveryTo }) => {
    const { rig, id, oid } = await opened();
    await end(rig, oid);
    expect(await ended(rig, id)).toBe(status);
    rig.deliveries.push(deliveryTo(rig));
    const modified = modify(rig, id, { price: "80000", size: "0.1", always_place: true });
    await rig.clock.advance(300);
    const canceled = await rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
    if (canceled.status === 200) expect([canceled.body["status"], await open(rig)]).toEqual([status, []]);
    rig.failing.clear();
    await rig.answerOf(modified);
    await rig.clock.advance(20_000);
    expect(await open(rig)).toEqual([]);
    expect((await read(rig, id)).body["status"]).toBe(status);
  },
);

test.each(OUT)(
  "a cancel-all of an order that was filled, its modify %s, is done when nothing is open",
  async (_what, deliveryTo) => {
    const { rig, id } = await opened();
    await rig.trade("sell", "0.1", "90000");
    expect(await ended(rig, id)).toBe("filled");
    rig.deliveries.push(deliveryTo(rig));
    const modified = modify(rig, id, { price: "80000", size: "0.1", always_place: true });
    await rig.clock.advance(300);
    const body = { account: FIRST.account.id };
    const all = await rig.answer(FIRST, { route: "POST /v1/orders/cancel-all", body });
    if (all.body["status"] === "done") expect(await open(rig)).toEqual([]);
    rig.failing.clear();
    await rig.answerOf(modified);
    await rig.clock.advance(20_000);
    expect(await open(rig)).toEqual([]);
    const told = await rig.answer(FIRST, { route: `GET /v1/cancel-alls/${all.body["id"]}` });
    expect(told.body["status"]).toBe("done");
  },
);

test("once nothing of it is out, a cancel of it sends nothing", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "0.1", "90000");
  await read(rig, id);
  await modify(rig, id, { price: "80000", size: "0.1", always_place: true });
  rig.sent.length = 0;
  const canceled = await rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
  expect([canceled.status, canceled.body["status"], rig.sent]).toEqual([200, "filled", []]);
});

test("the stories of both tell of the modify, and each names the other order", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "0.1", "90000");
  expect(await ended(rig, id)).toBe("filled");
  const { body } = await rig.answerOf(modify(rig, id, { price: "80000", size: "0.1", always_place: true }));
  const beside = String(body["id"]);
  expect(beside).not.toBe(String(id));
  const stories = [beside, String(id)].map((each) => {
    const order = findOrder(rig.deps.store, each);
    if (order === null) throw new Error("an order is missing");
    return storyOf(rig.deps.store, order);
  });
  for (const story of stories) expect(story.attempts.map(({ action }) => action)).toContain("modify");
  const [placed, original] = stories.map(({ steps }) => steps.map(({ detail }) => detail).join("\n"));
  expect(placed).toContain(`modify of the order ${id} 0.1 at 80000`);
  expect(original).toContain(`what it placed is the order ${beside}`);
});
