/** Our own weight towards the exchange is short: what settling needs at once it has to get all the same. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { executed, limit, type Scene, shown } from "./scene.ts";
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

const MODIFY = { kind: "modify", price: "94001", size: null, alwaysPlace: false } as const;

test.each([
  ["an order", "order", async (s: Scene) => void s.ask("unread", limit("buy", 94_000))],
  [
    "a modify",
    "batchModify",
    async (s: Scene) => {
      const { id } = shown(await s.tell("modified", limit("buy", 94_000)));
      s.ask("unread", { ...MODIFY, id });
    },
  ],
])("%s that never arrived is known by its number alone where nothing can be read", async (_what, type, ask) => {
  const s = await scene();
  let isSent = false;
  s.setFate(({ path, body }) => {
    isSent ||= body.includes(`"type":"${type}"`);
    if (isSent && path === "/info" && !body.includes('"exchangeStatus"')) return LOST;
    return body.includes(`"type":"${type}"`) ? LOST : directly(5);
  });
  await ask(s);
  await s.pass(30_000);
  const placed = s.rows("select state from legs union all select leg_state as state from orders");
  expect(placed).toContainEqual({ state: "absent" });
  expect(executed(s, "noop")).toHaveLength(1);
});
