/** An order that rests ends in a word that is new, on a quiet account: when that is told, and what is told while a word is no end. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig, pass } from "../support/paper-rig.ts";
import { placed, polled } from "./polled-order.ts";

/** Every record, and everything that the feed tells of orders, has the new word instead of this one. */
function sayAnew(rig: PaperRig, word: string, instead: string): void {
  const anew = (text: string) => text.replaceAll(`"status":"${word}"`, `"status":"${instead}"`);
  const types = new Set(["orderStatus", "historicalOrders"]);
  rig.interfere = async (request) =>
    types.has(String(request["type"])) ? JSON.parse(anew(JSON.stringify(await rig.info(request)))) : undefined;
  rig.frames = (text, arrive) => arrive(anew(text));
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
