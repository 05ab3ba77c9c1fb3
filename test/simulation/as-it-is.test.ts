/** The world as it is, scene by scene: words that are new, records that are forgotten, orders of others under our ids. */
import { expect, test } from "bun:test";
import { directly, type FateOf } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { eachRecord, type Lens } from "./worlds/lens.ts";

const scene = scenesOfThisFile();

function calledOtherwise(words: Record<string, string>): Lens {
  return eachRecord((row) => ({ ...row, status: words[row.status] ?? row.status }));
}

/** The look-up by id has forgotten every order but these. */
function forgottenById(but: (oid: number) => boolean): Lens {
  return eachRecord((row, { type }) => (type === "orderStatus" && !but(row.order.oid) ? null : row));
}

/** Nobody hears what the exchange says to actions of this type. */
function unheard(type: string): FateOf {
  return ({ path, body }) =>
    path === "/exchange" && body.startsWith(`{"action":{"type":"${type}"`)
      ? { arrivesAfterMs: [5], answer: { kind: "silence" } }
      : directly(5);
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Scene["venue"]["act"]>[1];

/** The owner trades beside the gateway, under a client order id or none; gives the native id. */
function placeByHand(s: Scene, order: { isBuy: boolean; price: number; size: string; cloid: string | null }): void {
  const { isBuy: b, price, size, cloid } = order;
  const request = { a: 0, b, p: String(price), s: size, r: false, t: { limit: { tif: "Gtc" as const } }, c: cloid };
  const action = { type: "order" as const, orders: [request], grouping: "na" as const, builder: null };
  s.venue.act(s.party.account.ownerAddress, action as unknown as Act);
}

function cancelByHand(s: Scene, oid: number): void {
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid }] } as unknown as Act);
}

test("an order that was filled whole is filled, whatever word the exchange has for it", async () => {
  const s = await scene();
  s.seeThrough(calledOtherwise({ filled: "completed" }));
  const { id } = shown(await s.tell("word-filled", limit("buy", 94_000)));
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  // As long as it takes until fills are read again without a feed.
  await s.pass(40_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({
    status: "filled",
    filled: "0.01",
    error: null,
  });
});

test("an order that is listed as open is open, whatever word the exchange has for it", async () => {
  const s = await scene();
  s.seeThrough(calledOtherwise({ open: "working" }));
  s.setFate(unheard("order"));
  s.ask("word-open", limit("buy", 94_000));
  await s.pass(10_000);
  expect(shown(await s.tell("word-open", limit("buy", 94_000)))).toMatchObject({
    http: 201,
    status: "open",
    filled: "0",
  });
});

test("a list of open orders that is behind ends no order of which a new word is told", async () => {
  const s = await scene();
  s.seeThrough(calledOtherwise({ open: "working" }));
  s.seeThrough(({ type }, answer) => (type === "frontendOpenOrders" ? [] : answer));
  s.setFate(unheard("order"));
  s.ask("word-behind", limit("buy", 94_000));
  await s.pass(60_000);
  expect(shown(await s.tell("word-behind", limit("buy", 94_000)))).toMatchObject({ http: 202, status: "unknown" });
});

test("an order that the look-up by id has forgotten ends as the history says", async () => {
  const s = await scene();
  const { id } = shown(await s.tell("forgotten-end", limit("buy", 94_000)));
  const [oid = 0] = liveOrders(s);
  s.seeThrough(forgottenById(() => false));
  cancelByHand(s, oid);
  // A list asked so long after its placing bears out what the history alone says.
  await s.pass(200_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({
    status: "canceled",
    filled: "0",
    error: null,
  });
});

test("a modify ends although the look-up by id has forgotten its original", async () => {
  const s = await scene();
  const { id } = shown(await s.tell("forgotten-original", limit("buy", 94_000)));
  const [original = 0] = liveOrders(s);
  s.seeThrough(forgottenById((oid) => oid !== original));
  const change = { kind: "modify", id, price: "94001", size: "0.02", alwaysPlace: false } as const;
  s.ask("forgotten-modify", change);
  await s.pass(30_000);
  const told = shown(await s.tell("forgotten-modify", change));
  expect(told).toMatchObject({ http: 200, status: "open", filled: "0", error: null });
  expect(liveOrders(s).map(String)).toEqual([told.oid ?? ""]);
});

test("an order of another under our client order id does not hide ours, and the alarm was told", async () => {
  const s = await scene();
  s.setFate(unheard("order"));
  s.ask("namesake-hides", limit("buy", 94_000));
  await s.pass(6);
  const [ours = 0] = liveOrders(s);
  const cloid = s.venue.record(s.party.account.tradingAddress, ours)?.order.cloid ?? null;
  placeByHand(s, { isBuy: false, price: 99_000, size: "5", cloid });
  await s.pass(40_000);
  const told = shown(await s.tell("namesake-hides", limit("buy", 94_000)));
  expect(told).toMatchObject({ http: 201, status: "open", oid: String(ours), filled: "0" });
  expect(s.rows("select detail from notes where what = 'difference'")).not.toEqual([]);
  expect(s.takeErrors()).not.toEqual([]);
});

test("where only another's order stands under our client order id, a free number says that ours never ran", async () => {
  const s = await scene();
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.startsWith('{"action":{"type":"order"')
      ? { arrivesAfterMs: [], answer: { kind: "silence" } }
      : directly(5),
  );
  s.ask("namesake-only", limit("buy", 94_000));
  await s.pass(6);
  const [row] = s.rows("select id from orders");
  const cloid = `0x${String(row?.["id"]).replaceAll("-", "")}`;
  placeByHand(s, { isBuy: true, price: 94_000, size: "5", cloid });
  await s.pass(40_000);
  const told = shown(await s.tell("namesake-only", limit("buy", 94_000)));
  expect(told).toMatchObject({ http: 201, status: "rejected", oid: null });
  expect(executed(s, "order")).toEqual([]);
  expect(s.takeErrors()).not.toEqual([]);
});

test("simulated seed 20076: a placing whose order is being closed is answered for good only with its end", async () => {
  const s = await scene();
  s.setFate(unheard("order"));
  s.ask("closing-place", limit("buy", 94_000));
  await s.pass(6);
  const [row] = s.rows("select id from orders");
  // Servers that do not know of the cancel yet, once it is known here, and of nothing before that.
  let isBehind = true;
  const isClosing = () => s.rows("select leg_state from orders")[0]?.["leg_state"] === "closing";
  s.seeThrough(eachRecord((each) => (isBehind ? (isClosing() ? { ...each, status: "open" } : null) : each)));
  s.ask("closing-cancel", { kind: "cancel", id: String(row?.["id"]) });
  await s.pass(20_000);
  expect(isClosing()).toBe(true);
  expect(shown(await s.tell("closing-place", limit("buy", 94_000)))).toMatchObject({ http: 202, status: "unknown" });
  isBehind = false;
  await s.pass(30_000);
  expect(shown(await s.tell("closing-place", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "canceled" });
});
