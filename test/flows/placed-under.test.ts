/** What became of a request whose answer was lost is found by its Idempotency-Key, whatever kind of request it was. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";
import { modify, opened, PLACED, read } from "./modified-order.ts";

type Listed = { data: { id: string }[]; next_cursor: string | null };

const KEY = "placed-under-01";

async function list(rig: PaperRig, query: string): Promise<Listed> {
  const answer = await rig.answer(FIRST, { route: `GET /v1/orders?${query}` });
  // The description is held against every answer.
  return answer.body as Listed;
}

async function idsUnder(rig: PaperRig, rest = ""): Promise<string[]> {
  return (await list(rig, `idempotency_key=${KEY}${rest}`)).data.map(({ id }) => id);
}

const [{ market, side, size, price }, account] = [PLACED, FIRST.account.id];

test("of a batch all its orders, in pages where they are more than asked for", async () => {
  const rig = await openPaperRig();
  const orders = ["90000", "89000", "88000"].map((each) => ({ market, side, size, price: each }));
  const answer = await rig.answer(FIRST, { route: "POST /v1/orders/batch", body: { account, orders }, key: KEY });
  const made = (answer.body["orders"] as { id: string }[]).map(({ id }) => id).toSorted();
  expect(made).toHaveLength(3);
  expect((await idsUnder(rig)).toSorted()).toEqual(made);
  const paged: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Listed = await list(rig, `idempotency_key=${KEY}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    paged.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(paged.toSorted()).toEqual(made);
  expect(await idsUnder(rig, "&status=filled")).toEqual([]);
});

test("of a trade its entry and its stop", async () => {
  const rig = await openPaperRig();
  const body = { account, market, side, size, entry: { price }, stop_loss: { trigger_price: "85000" } };
  await rig.answer(FIRST, { route: "POST /v1/trades", body, key: KEY });
  await rig.clock.advance(3_000);
  const all = (await list(rig, "limit=10")).data.map(({ id }) => id);
  expect([all.length, await idsUnder(rig)]).toEqual([2, all]);
});

test("of a modify nothing while it has changed an order, and what it has placed beside one that had ended", async () => {
  const { rig, id } = await opened();
  const moved = await modify(rig, id, { price: "89000" }, KEY);
  expect([moved.body["id"], await idsUnder(rig)]).toEqual([id, []]);
  await rig.trade("sell", "0.1", "89000");
  await read(rig, id);
  const beside = { price: "80000", size: "0.1", always_place: true };
  const placed = await modify(rig, id, beside, "beside-key-01");
  expect(placed.body["id"]).not.toBe(id);
  const found = await list(rig, "idempotency_key=beside-key-01");
  expect(found.data.map((order) => order.id)).toEqual([String(placed.body["id"])]);
});

test("of a cancel-all and of a TWAP no order", async () => {
  const { rig } = await opened();
  await rig.answer(FIRST, { route: "POST /v1/orders/cancel-all", body: { account }, key: KEY });
  expect(await idsUnder(rig)).toEqual([]);
  const body = { market, side, size, duration_minutes: 30 };
  await rig.answer(FIRST, { route: "POST /v1/twaps", body, key: "twap-key-0001" });
  expect((await list(rig, "idempotency_key=twap-key-0001")).data).toEqual([]);
});
