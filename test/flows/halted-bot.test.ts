/** While a bot may not increase, nothing in its books is increased by who holds another key, nor by the gateway itself. */
import { expect, test } from "bun:test";
import { ZERO } from "../../src/core/decimal.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertTrip } from "../../src/store/trips.ts";
import { grantBody, grantText, signGrant } from "../support/limited-key.ts";
import { type Answer, FIRST, openPaperRig, type PaperRig, type Party } from "../support/paper-rig.ts";
import { after, modify, open, PLACED, place, read } from "./modified-order.ts";

const BOT: Party = { ...FIRST, apiKeys: [`api_trade_${"e5".repeat(32)}`, `api_trade_${"f6".repeat(32)}`] };
const OWNERS_KEY = `0x${"41".repeat(32)}`;
const RAILS = { maxOrder: "50000 USD", maxPosition: "50000 USD", maxExposure: "50000 USD", maxDistance: "20 %" };
const BESIDE = { price: "89000", size: "0.1", always_place: true };

async function withBot(): Promise<PaperRig> {
  const rig = await openPaperRig();
  const { ownerAddress: owner, tradingAddress, id: account } = FIRST.account;
  const of = { audience: "http://127.0.0.1:8787", account, owner, tradingAddress };
  const text = grantText(BOT.apiKeys[0], rig.clock.nowMs(), { ...of, ...RAILS, may: "increase,reduce,modify,cancel" });
  const body = { grant: grantBody(text), signature: await signGrant(OWNERS_KEY, text) };
  expect((await rig.answer(FIRST, { route: "POST /v1/api-keys/limited", body })).status).toBe(201);
  return rig;
}

async function placeAsBot(rig: PaperRig, some: object = {}): Promise<unknown> {
  const { status, body } = await rig.answer(BOT, { route: "POST /v1/orders", body: { ...PLACED, ...some } });
  expect(status).toBe(201);
  rig.sent.length = 0;
  return body["id"];
}

function trip({ store, clock }: PaperRig): void {
  const id = "0190a0b0-0000-7007-8000-000000000099";
  const of = { accountId: FIRST.account.id, bot: "grid-1", cause: "loss" } as const;
  const made = { id, ...of, day: dayOf(clock.nowMs()), loss: ZERO, limit: ZERO, createdAtMs: clock.nowMs() };
  inTransaction(store, (within) => insertTrip(within, { ...made, clearedAtMs: null }, "gateway"));
}

function refusalIn({ status, text }: Answer): string {
  return `${status} ${/Rail ([a-z_]+) of bot ([a-z0-9-]+)/.exec(text)?.slice(1).join(" ") ?? ""}`.trim();
}

test("an order of a bot that has lost its limit is modified by no other key, also where what is placed would stand beside it", async () => {
  const rig = await withBot();
  const [filled, resting] = [await placeAsBot(rig), await placeAsBot(rig, { price: "85000" })];
  await rig.trade("sell", "0.1", "90000");
  expect((await read(rig, filled)).body).toMatchObject({ status: "filled" });
  const besideBefore = await modify(rig, filled, { ...BESIDE, price: "84000" });
  expect(besideBefore).toMatchObject({ status: 200, body: { status: "open" } });
  trip(rig);
  rig.sent.length = 0;
  for (const id of [filled, resting, besideBefore.body["id"]]) {
    const asked = await modify(rig, id, BESIDE, `modify-${id}`);
    expect([refusalIn(asked), asked.text]).toEqual([
      "403 max_loss_per_day grid-1",
      expect.stringContaining("as an order of this key's own"),
    ]);
  }
  expect(rig.sent).toEqual([]);
  expect((await rig.answer(FIRST, { route: `POST /v1/orders/${resting}/cancel`, body: {} })).status).toBe(200);
});

test("what only reduces, and what no bot has placed, is modified as before", async () => {
  const rig = await withBot();
  await placeAsBot(rig);
  await rig.trade("sell", "0.1", "90000");
  const closing = await placeAsBot(rig, { side: "sell", price: "99000", reduce_only: true });
  const plain = await place(rig, { price: "80000", size: "0.01" });
  trip(rig);
  const moved = await modify(rig, closing, { price: "98000" });
  expect(moved).toMatchObject({ status: 200, body: { status: "open", price: "98000" } });
  expect((await modify(rig, plain.body["id"], { price: "81000" })).body).toMatchObject({ status: "open" });
});

test("what a modify has placed too much is taken off whole, once its bot may not increase", async () => {
  const rig = await withBot();
  const id = await placeAsBot(rig);
  const work = async () => {
    await rig.trade("sell", "0.04", "90000");
    trip(rig);
  };
  rig.deliveries.push(after(work));
  await modify(rig, id, { price: "89999" });
  await rig.clock.advance(120_000);
  expect(await open(rig)).toEqual([]);
  expect(rig.sent.filter((type) => type === "batchModify")).toHaveLength(1);
  expect((await read(rig, id)).body).toMatchObject({ status: "canceled", filled_size: "0.04" });
});
