/** What the exchange allows an account, asked by the running gateway itself: a builder's fee, and how many actions. */
import { expect, test } from "bun:test";
import type { Builder } from "../../src/deps.ts";
import { type Answer, FIRST, openPaperRig, type PaperRig, SECOND } from "../support/paper-rig.ts";

const BUILDER: Builder = {
  address: "0xb000000000000000000000000000000000000001",
  feeTenthsBps: 50,
  overrides: {},
  isRequired: false,
};

/** The gateway asks again within this time, milliseconds. */
const ASKED_AGAIN_MS = 5 * 60_000 + 1_000;

function buy(rig: PaperRig, party = FIRST): Promise<Answer> {
  const body = { account: party.account.id, market: "BTC", side: "buy", size: "0.01", price: "60000" };
  return rig.answer(party, { route: "POST /v1/orders", body });
}

async function shownFee(rig: PaperRig): Promise<unknown> {
  return (await rig.answer(FIRST, { route: "GET /v1/status" })).body["builder_fee"];
}

test("at start the exchange is asked for the approval, and without it orders go without the fee", async () => {
  const rig = await openPaperRig({ builder: BUILDER });
  expect(await shownFee(rig)).toEqual({ fee_bps: "5", is_required: false, is_approved: false });
  expect((await buy(rig)).body).toMatchObject({ status: "open" });
});

test("an approval that the exchange does not keep to costs one order, and the next go without the fee", async () => {
  const rig = await openPaperRig({ builder: BUILDER });
  rig.interfere = ({ type }) => (type === "maxBuilderFee" ? 50 : undefined);
  await rig.clock.advance(ASKED_AGAIN_MS);
  expect(await shownFee(rig)).toMatchObject({ is_approved: true });
  rig.interfere = () => undefined;
  const refused = await buy(rig);
  expect([refused.status, refused.body["status"]]).toEqual([201, "rejected"]);
  expect(refused.body["error"]).toContain("Builder fee has not been approved");
  expect((await buy(rig)).body).toMatchObject({ status: "open" });
  expect(await shownFee(rig)).toMatchObject({ is_approved: false });
});

test("an account that has used up its actions may still cancel, and place one order in 10 s", async () => {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200 });
  const mine = FIRST.account.tradingAddress;
  rig.interfere = ({ type, user }) =>
    type === "userRateLimit" && user === mine
      ? { cumVlm: "0.0", nRequestsUsed: 9_798, nRequestsCap: 10_000, nRequestsSurplus: 0 }
      : undefined;
  await rig.clock.advance(ASKED_AGAIN_MS);
  const placed = [await buy(rig), await buy(rig)];
  expect(placed.map(({ status }) => status)).toEqual([201, 201]);
  const refused = await buy(rig);
  expect(refused.body).toMatchObject({ error: { type: "rate_limit_error", code: "exchange_rate_limited" } });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await buy(rig, SECOND)).status).toBe(201);
  const route = `POST /v1/orders/${String(placed[0]?.body["id"])}/cancel`;
  expect((await rig.answer(FIRST, { route, body: {} })).body).toMatchObject({ status: "canceled" });
  expect(rig.sent).toEqual(["order", "order", "order", "cancel"]);
  rig.interfere = ({ type }) =>
    type === "userRateLimit" ? { cumVlm: "0.0", nRequestsUsed: 9_999, nRequestsCap: 10_000 } : undefined;
  await rig.clock.advance(10_000);
  expect((await buy(rig)).status).toBe(201);
  expect((await buy(rig)).status).toBe(429);
});
