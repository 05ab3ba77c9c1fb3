/** Our own weight towards the exchange is short: what settling needs at once it has to get all the same. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { limit } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

const scene = scenesOfThisFile();

test("seed 900045: what only a sweep shows is found though smaller questions of settling eat all the weight", async () => {
  const s = await scene({ weightPerMinute: 1_200 });
  const { exchange } = s.process().gateway.deps;
  const user = s.party.account.tradingAddress;
  const eat = async () => {
    void exchange.info({ type: "userFillsByTime", user, startTime: 0 }, { purpose: "settle" });
    await s.pass(1_000);
  };
  let areListsLost = true;
  // The order is there, its answer is lost, and no look by id finds it.
  s.setFate(({ path, body }) => {
    if (path === "/exchange" && body.includes('"type":"order"'))
      return { arrivesAfterMs: [5], answer: { kind: "silence" } };
    if (areListsLost && body.includes('"frontendOpenOrders"')) return LOST;
    return body.includes('"orderStatus"') ? { ...directly(5), isBlind: true } : directly(5);
  });
  s.ask("starved", limit("buy", 94_000));
  for (let nth = 0; nth < 90; nth += 1) await eat();
  areListsLost = false;
  for (let nth = 0; nth < 60; nth += 1) await eat();
  const [row] = s.rows("select status from orders");
  expect(row).toEqual({ status: "open" });
});
