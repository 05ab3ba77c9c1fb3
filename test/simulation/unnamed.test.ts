/** Orders of ours that the exchange shows with a native id which no answer of its own has told us. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { limit, liveOrders, type Scene, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** A modify whose answer is lost, and the order that it placed; from then on no look by client order id finds it. */
async function modifiedUnheard(s: Scene): Promise<{ id: string; live: string }> {
  const placed = shown(await s.tell("placed", limit("buy", 94_000)));
  s.setFate(({ body, path }) => {
    if (body.includes('"batchModify"')) return { arrivesAfterMs: [5], answer: { kind: "silence" } };
    return path === "/info" && /"orderStatus"|"historicalOrders"/.test(body)
      ? { ...directly(5), isBlind: true }
      : directly(5);
  });
  s.ask("modified", { kind: "modify", id: placed.id, price: "94001", size: null, alwaysPlace: false });
  await s.pass(1_000);
  s.setFate(({ body, path }) =>
    path === "/info" && body.includes('"oid":"0x') ? { ...directly(5), isBlind: true } : directly(5),
  );
  const [live] = liveOrders(s).map(String);
  if (live === undefined || live === placed.oid) throw new Error("nothing was replaced");
  return { id: placed.id, live };
}

test("what a modify placed whose answer was lost is found by its native id: it is the order that was modified", async () => {
  const s = await scene();
  const { id, live } = await modifiedUnheard(s);
  expect(shown(await s.tell(null, { kind: "get", id: live }))).toMatchObject({ http: 200, id });
});

test("and it can be canceled by the native id that the open list shows", async () => {
  const s = await scene();
  const { live } = await modifiedUnheard(s);
  const call = s.ask("canceled", { kind: "cancel", id: live });
  await s.pass(30_000);
  expect(call.answer).toMatchObject({ status: expect.any(Number) });
  expect(liveOrders(s)).toEqual([]);
});
