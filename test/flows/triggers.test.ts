/** Triggers where the exchange was read in two ways: what is told is true under either. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig, type PaperRigOptions, pass } from "../support/paper-rig.ts";

const REFUSED_ON_SPOT = "Placing trigger orders is not enabled on spot trading yet.";

function place(rig: PaperRig, some: object, key = "trigger-0001") {
  const order = { account: FIRST.account.id, market: "BTC", side: "sell", size: "0.1", price: "90000", ...some };
  return rig.answer(FIRST, { route: "POST /v1/orders", body: order, key });
}

function read(rig: PaperRig, id: unknown) {
  return rig.answer(FIRST, { route: `GET /v1/orders/${id}` });
}

/** The middle is 95,000, and there are both sides of a book. */
async function opened(options: PaperRigOptions = {}): Promise<PaperRig> {
  const rig = await openPaperRig(options);
  await rig.trade("buy", "1", "94000");
  await rig.trade("sell", "1", "96000");
  return rig;
}

const SPOT = { market: "PURR/USDC", size: "100", price: "0.14" };
const SPOT_STOP = { ...SPOT, trigger: { price: "0.15", kind: "stop_loss", market: true } };

test("a trigger on spot is rejected in words before anything is sent, and the key stays with that answer", async () => {
  const rig = await opened();
  const sentBefore = rig.sent.length;
  const answer = await place(rig, SPOT_STOP);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    status: "rejected",
    exchange_order_id: null,
    error: "PURR/USDC is spot, and the exchange takes no trigger orders on spot. Nothing was sent.",
  });
  expect(await place(rig, SPOT_STOP)).toMatchObject({ status: 201, text: answer.text });
  expect(rig.sent.slice(sentBefore)).toEqual([]);
  // The rule needs no list of markets that is new: none was read again for it.
  expect(rig.asked.filter((type) => type === "meta")).toHaveLength(
    rig.asked.filter((type) => type === "spotMeta").length * 2,
  );
});

test("an order on spot is not modified into a trigger, and stays as it is", async () => {
  const rig = await opened();
  const { body } = await place(rig, { ...SPOT, price: "0.3" });
  const sentBefore = rig.sent.length;
  const change = { trigger: SPOT_STOP.trigger, price: "0.14", always_place: true };
  const answer = await rig.answer(FIRST, {
    route: `POST /v1/orders/${body["id"]}/modify`,
    body: change,
    key: "modify-0001",
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { status: "open", error: expect.stringContaining("no trigger orders on spot") },
  });
  expect(rig.sent.slice(sentBefore)).toEqual([]);
});

test("where the setting says so a trigger on spot is sent, and the exchange's own refusal is told", async () => {
  const rig = await opened({ settings: { areSpotTriggersSent: true } });
  const { body } = await place(rig, SPOT_STOP);
  expect(body).toMatchObject({ status: "rejected", error: expect.stringContaining(REFUSED_ON_SPOT) });
  const lenient = await opened({ settings: { areSpotTriggersSent: true }, engine: { spotTriggers: "accept" } });
  expect((await place(lenient, SPOT_STOP)).body).toMatchObject({ status: "waiting_for_trigger" });
});

const MET_STOP = { trigger: { price: "95500", kind: "stop_loss", market: true } };

test.each([
  [true, "filled"],
  // The exchange answers it like one that waits, and nothing else has been shown by then.
  [false, "waiting_for_trigger"],
])("a stop that is met gets out at once, and is told as it ended (feed: %p)", async (hasFeed, first) => {
  const rig = await opened({ hasFeed });
  const { status, body } = await place(rig, MET_STOP);
  expect([status, body["status"]]).toEqual([201, first]);
  expect(rig.sent.filter((type) => type === "order")).toHaveLength(1);
  await pass(rig, 5_000);
  const ended = { status: "filled", filled_size: "0.1", average_price: "94000" };
  expect((await read(rig, body["id"])).body).toMatchObject(ended);
});

test.each([
  ["95200", { status: "open", filled_size: "0" }],
  ["93000", { status: "filled", filled_size: "0.1", average_price: "94000" }],
])("a stop limit that is met, at %s, is told as the plain order that it has become", async (price, shown) => {
  const rig = await opened();
  const { body } = await place(rig, { price, trigger: { price: "95500", kind: "stop_loss", market: false } });
  expect((await read(rig, body["id"])).body).toMatchObject(shown);
});

test("a stop that is met is sent as asked where the exchange refuses it, and the refusal is told", async () => {
  const rig = await opened({ engine: { metTrigger: "reject" } });
  const { body } = await place(rig, MET_STOP);
  expect(body).toMatchObject({ status: "rejected", error: expect.stringContaining("Invalid TP/SL price.") });
  expect(rig.sent).toContain("order");
});

test.each([
  ["taken, and told as rejected when it fires", {}, "waiting_for_trigger", "rejected"],
  [
    "told as rejected at once where the exchange says so",
    { reduceOnlyTriggerWithoutPosition: "reject" },
    "rejected",
    "rejected",
  ],
] as const)("a reduce-only stop without a position is %s", async (_words, engine, first, last) => {
  const rig = await opened({ engine, hasFeed: true });
  const { body } = await place(rig, {
    reduce_only: true,
    trigger: { price: "92000", kind: "stop_loss", market: true },
  });
  expect(body).toMatchObject({ status: first });
  rig.paper.setPrice("BTC", 9_100_000_000_000n);
  await pass(rig, 5_000);
  expect((await read(rig, body["id"])).body).toMatchObject({ status: last });
});
