/** Records and lists of open orders that are behind what the exchange has said itself. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

const UNHEARD: Fate = { arrivesAfterMs: [5], answer: { kind: "silence" } };

test("an order whose cancel the exchange said it carried out is not told as open, canceled again, or a reason for doubts", async () => {
  const s = await scene();
  const stores = holdStores(s);
  const placed = shown(await s.tell("carried-out", limit("buy", 94_000)));
  stores.stop("orderStatus");
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("carried-out-cancel", cancel);
  await s.pass(2_000);
  for (let second = 2; second < 30; second += 4) {
    expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "unknown" });
    expect((await s.tell(`beside-${second}`, limit("buy", 93_000))).status).toBe(201);
    await s.pass(4_000);
  }
  expect(executed(s, "cancel")).toHaveLength(1);
  stores.go();
  await s.pass(60_000);
  expect(shown(await s.tell("carried-out-cancel", cancel))).toMatchObject({
    http: 200,
    status: "canceled",
    filled: "0",
  });
});

test("fills that are shown more than a minute late are waited for, whole or in part", async () => {
  const s = await scene();
  const stores = holdStores(s);
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "0.014" });
  stores.stop("userFillsByTime");
  s.setFate(({ path }) => (path === "/exchange" ? UNHEARD : directly(5)));
  const asks = {
    "late-gtc": limit("buy", 95_100),
    "late-ioc": { ...limit("buy", 95_100), timeInForce: "ioc" as const },
  };
  for (const [key, ask] of Object.entries(asks)) s.ask(key, ask);
  await s.pass(80_000);
  for (const [key, ask] of Object.entries(asks)) {
    expect(shown(await s.tell(key, ask))).toMatchObject({ http: 202, status: "unknown" });
  }
  stores.go();
  await s.pass(60_000);
  expect(shown(await s.tell("late-gtc", asks["late-gtc"]))).toMatchObject({ status: "filled", filled: "0.01" });
  expect(shown(await s.tell("late-ioc", asks["late-ioc"]))).toMatchObject({ status: "canceled", filled: "0.004" });
});

test("a position that shows a fill outweighs a record and a list that show none", async () => {
  const s = await scene();
  const stores = holdStores(s, (type, text) =>
    type === "orderStatus" ? text.replace('"sz":"0.006"', '"sz":"0.01"') : text,
  );
  const placed = shown(await s.tell("position", limit("buy", 94_000)));
  await s.pass(2_000);
  stores.stop("userFillsByTime");
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("position-cancel", cancel);
  await s.pass(45_000);
  expect(shown(await s.tell("position-cancel", cancel))).toMatchObject({ http: 202, status: "unknown" });
  stores.go();
  await s.pass(60_000);
  expect(shown(await s.tell("position-cancel", cancel))).toMatchObject({
    http: 200,
    status: "canceled",
    filled: "0.004",
  });
});

test("cancels that find nothing of an original say nothing of what has replaced it", async () => {
  const s = await scene();
  const stores = holdStores(s);
  const placed = shown(await s.tell("replaced", limit("buy", 94_000)));
  // From here on its records show the original open, and nothing of what replaces it.
  for (const type of ["orderStatus", "frontendOpenOrders", "historicalOrders"]) stores.stop(type);
  const modify = { kind: "modify" as const, id: placed.id, price: "93999", size: null, alwaysPlace: true };
  s.ask("replaced-modify", modify);
  await s.pass(2_000);
  const [beside] = liveOrders(s).map(String);
  expect(beside).not.toBe(placed.oid ?? "");
  // The one that names the replacement is lost; those after it name what a record shows open.
  const lost: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
  s.setFate(({ body }) => (body.includes(`"o":${beside}`) ? lost : directly(5)));
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("replaced-cancel", cancel);
  await s.pass(60_000);
  expect(liveOrders(s).map(String)).toEqual([beside ?? ""]);
  s.setFate(() => directly(5));
  stores.go();
  await s.pass(90_000);
  expect(shown(await s.tell("replaced-cancel", cancel))).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  expect(liveOrders(s)).toEqual([]);
});

test("what replaced an order is canceled while a record of before still shows the original open", async () => {
  const s = await scene();
  const stores = holdStores(s);
  const placed = shown(await s.tell("turns", limit("buy", 94_000)));
  for (const type of ["orderStatus", "frontendOpenOrders", "historicalOrders"]) stores.stop(type);
  s.ask("turns-modify", { kind: "modify", id: placed.id, price: "93999", size: null, alwaysPlace: true });
  await s.pass(2_000);
  const [beside] = liveOrders(s).map(String);
  let lost = 0;
  s.setFate(({ body }) => {
    if (!body.includes(`"o":${beside}`) || lost > 0) return directly(5);
    lost += 1;
    return { arrivesAfterMs: [], answer: { kind: "silence" } };
  });
  s.ask("turns-cancel", { kind: "cancel", id: placed.id });
  await s.pass(20_000);
  expect([lost, liveOrders(s)]).toEqual([1, []]);
});

test("a status word that is new ends no order that a list of before lacks", async () => {
  const s = await scene();
  const stores = holdStores(s, (type, text) =>
    type === "orderStatus" ? text.replace('"status":"open"', '"status":"queuedForBlock"') : text,
  );
  stores.stop("frontendOpenOrders");
  const placed = shown(await s.tell("new-word", limit("buy", 94_000)));
  await s.pass(30_000);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).not.toBe("canceled");
  stores.go();
  await s.pass(30_000);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).toBe("open");
});

test("a cancel that finds nothing because a modify has replaced the order raises no doubt about the market", async () => {
  const s = await scene();
  const placed = shown(await s.tell("replaced", limit("buy", 94_000)));
  s.setFate(({ body }) => (body.includes('"batchModify"') ? UNHEARD : directly(5)));
  s.ask("replaced-modify", { kind: "modify", id: placed.id, price: "94001", size: null, alwaysPlace: false });
  await s.pass(100);
  const { markets } = s.process().gateway.deps;
  let doubts = 0;
  const { doubt } = markets;
  Object.assign(markets, {
    doubt: (...about: Parameters<typeof doubt>) => {
      doubts += 1;
      doubt(...about);
    },
  });
  const cancel = { kind: "cancel" as const, id: placed.id };
  const canceled = shown(await s.tell("replaced-cancel", cancel));
  expect(executed(s, "cancel").map(({ reply }) => JSON.stringify(reply).includes("never placed"))).toEqual([
    true,
    false,
  ]);
  expect([canceled.http, canceled.status, doubts]).toEqual([200, "canceled", 0]);
});
