/** An order that rests ends in a word that is new, on a quiet account: when that is told, and what is told while a word is no end. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig, pass } from "../support/paper-rig.ts";

const ORDER = {
  account: FIRST.account.id,
  market: "BTC",
  side: "buy",
  size: "0.01",
  price: "50000",
  time_in_force: "gtc",
};

/** Every record, and everything that the feed tells of orders, has the new word instead of this one. */
function sayAnew(rig: PaperRig, word: string, instead: string): void {
  const anew = (text: string) => text.replaceAll(`"status":"${word}"`, `"status":"${instead}"`);
  const types = new Set(["orderStatus", "historicalOrders"]);
  rig.interfere = async (request) =>
    types.has(String(request["type"])) ? JSON.parse(anew(JSON.stringify(await rig.info(request)))) : undefined;
  rig.frames = (text, arrive) => arrive(anew(text));
}

async function placed(rig: PaperRig): Promise<{ id: string; oid: number }> {
  const { status, body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: ORDER });
  expect([status, body["status"]]).toEqual([201, "open"]);
  return { id: String(body["id"]), oid: Number(body["exchange_order_id"]) };
}

/** Each status with when it was told first, milliseconds. */
async function polled(rig: PaperRig, id: string, forMs: number): Promise<[unknown, number][]> {
  const startedMs = rig.clock.elapsedMs();
  const seen: [unknown, number][] = [];
  while (rig.clock.elapsedMs() - startedMs < forMs) {
    const { body } = await rig.answer(FIRST, { route: `GET /v1/orders/${id}` });
    if (seen.at(-1)?.[0] !== body["status"]) seen.push([body["status"], rig.clock.elapsedMs() - startedMs]);
    await pass(rig, 500);
  }
  return seen;
}

test.each(["somethingNewCanceled", "retired", "brandNewCancel"])(
  "its end as %s is told within sixteen seconds where the feed's list has held it and lacks it now",
  async (word) => {
    const rig = await openPaperRig({ hasFeed: true });
    sayAnew(rig, "canceled", word);
    const { id, oid } = await placed(rig);
    await pass(rig, 5_000);
    await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
    const seen = await polled(rig, id, 25_000);
    expect(seen.at(-1)?.[0]).toBe("canceled");
    expect(seen.at(-1)?.[1]).toBeLessThan(16_000);
  },
);

test("without a feed it is told 150 s after its placing", async () => {
  const rig = await openPaperRig({});
  sayAnew(rig, "canceled", "somethingNewCanceled");
  const { id, oid } = await placed(rig);
  await pass(rig, 5_000);
  await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
  const seen = await polled(rig, id, 170_000);
  expect(seen.map(([status]) => status)).toEqual(["unknown", "canceled"]);
});

test.each([
  ["a live feed", { hasFeed: true }],
  ["no feed", {}],
] as const)("with %s, a word for one that rests is no end of it, however it ends", async (_feed, options) => {
  const rig = await openPaperRig(options);
  const { id } = await placed(rig);
  sayAnew(rig, "open", "pendingCancel");
  await pass(rig, 5_000);
  const seen = await polled(rig, id, 200_000);
  expect(seen.flatMap(([status]) => (status === "open" || status === "unknown" ? [] : [status]))).toEqual([]);
});
