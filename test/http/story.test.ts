import { describe, expect, test } from "bun:test";
import { DELIVERY, FIRST, openPaperRig } from "../support/paper-rig.ts";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

type Story = {
  order: { id: string; status: string };
  legs: { exchange_order_id: string; state: string; client_order_id: string }[];
  attempts: { action: string; idempotency_key: string; state: string }[];
  steps: { at: string; what: string; detail: string }[];
};

async function placed(rig: Rig, some: object = {}): Promise<{ id: string; exchange_order_id: string }> {
  const body = { ...ORDER, ...some };
  const response = await rig.ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "story-place", body });
  return (await response.json()) as { id: string; exchange_order_id: string };
}

describe("an order's story", () => {
  test("tells every leg, every signed action and every step, oldest first", async () => {
    const rig = openRig();
    const order = await placed(rig);
    await rig.clock.advance(2_000);
    const path = `/v1/orders/${order.id}/modify`;
    await rig.ask({ path, apiKey: KEYS.both, idempotencyKey: "story-modify", body: { price: "59900" } });
    const response = await rig.ask({ path: `/v1/orders/${order.id}/story`, apiKey: KEYS.readOnly });
    expect(response.status).toBe(200);
    const story = (await response.json()) as Story;
    expect(story.order).toMatchObject({ id: order.id, status: "open" });
    expect(story.legs.map((leg) => [leg.exchange_order_id, leg.state])).toEqual([
      ["1001", "canceled"],
      ["1002", "resting"],
    ]);
    expect(story.attempts.map((each) => [each.action, each.idempotency_key, each.state])).toEqual([
      ["place", "story-place", "done"],
      ["modify", "story-modify", "done"],
    ]);
    expect(story.steps[0]).toMatchObject({ what: "taken", detail: "buy BTC" });
    expect(story.steps[1]?.detail).toStartWith("place 0.01 at 60000 gtc");
    expect(story.steps[3]?.detail).toStartWith("modify 0.01 at 59900 alo");
    expect(story.steps.map((step) => step.what)).toEqual([
      "taken",
      "intent stored",
      "settled",
      "intent stored",
      "settled",
    ]);
    const times = story.steps.map((step) => step.at);
    expect(times).toEqual(times.toSorted());
    expect(JSON.stringify(story)).not.toContain("signature");
  });

  test("says what an order whose answer was lost waits for, and how far that is", async () => {
    const rig = await openPaperRig();
    rig.deliveries.push(DELIVERY.neverArrived, DELIVERY.neverArrived);
    const body = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.01", price: "60000" };
    const asked = rig.ask(FIRST, { route: "POST /v1/orders", key: "story-lost", body });
    await rig.clock.advance(500);
    const [order] = rig.store.$client.query<{ id: string }, []>("SELECT id FROM orders").all();
    const waiting = async () => {
      const { body: story } = await rig.answer(FIRST, { route: `GET /v1/orders/${order?.id}/story` });
      const [attempt] = (story as { attempts: Record<string, unknown>[] }).attempts;
      return attempt ?? {};
    };
    expect(await waiting()).toMatchObject({
      state: "ambiguous",
      looks_needed: null,
      waits_for: expect.stringContaining("to say of its number whether anything took it"),
    });
    await rig.answerOf(asked);
    await rig.clock.advance(20_000);
    expect(await waiting()).toMatchObject({ state: "done", waits_for: null });
  });

  test("is found by every id of the order, and not by a stranger", async () => {
    const rig = openRig();
    const order = await placed(rig);
    for (const id of [order.id.toUpperCase(), order.exchange_order_id, `0x${order.id.replaceAll("-", "")}`]) {
      const mine = await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both });
      expect([id, mine.status]).toEqual([id, 200]);
      const theirs = await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.other });
      expect([id, theirs.status]).toEqual([id, 404]);
    }
  });

  test("says why an order was refused here, and that nothing was signed for it", async () => {
    const rig = openRig();
    const order = await placed(rig, { size: "0.0000001" });
    const story = (await (
      await rig.ask({ path: `/v1/orders/${order.id}/story`, apiKey: KEYS.both })
    ).json()) as Story & {
      order: { error: string };
    };
    expect([story.order.status, story.legs, story.attempts]).toEqual(["rejected", [], []]);
    expect(story.order.error).toContain("decimals");
  });

  test.each([
    ["no id at all", "nonsense", 400],
    ["an id that nobody has", "01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f", 404],
  ])("%s is refused", async (_what, id, status) => {
    const response = await openRig().ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both });
    expect(response.status).toBe(status);
  });
});
