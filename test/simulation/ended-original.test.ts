/** A modify of which nobody hears, and whose original had an end of its own: what that says of the modify, and of the order. */
import { expect, test } from "bun:test";
import { directly, type FateOf } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

/** Actions arrive or are lost, and nobody hears what the exchange says to them. */
function unheard({ hasArrived }: { hasArrived: boolean }): FateOf {
  return ({ path }) =>
    path === "/exchange" ? { arrivesAfterMs: hasArrived ? [5] : [], answer: { kind: "silence" } } : directly(5);
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Scene["venue"]["act"]>[1];

/** The owner trades beside the gateway. */
function byHand(s: Scene, order: { a?: number; isBuy: boolean; price: string; size: string; cloid?: string }): void {
  const { a = 0, isBuy: b, price: p, size, cloid: c = null } = order;
  const request = { a, b, p, s: size, r: false, t: { limit: { tif: "Gtc" as const } }, c };
  const action = { type: "order" as const, orders: [request], grouping: "na" as const, builder: null };
  s.venue.act(s.party.account.ownerAddress, action as unknown as Act);
}

/** Another's order stands under the client order id of what the last modify was to place. */
function placeNamesake(s: Scene): void {
  const body = s.network.sent.findLast((each) => each.body.includes('"batchModify"'))?.body ?? "";
  const cloid = /"c":"(0x[0-9a-f]{32})"/.exec(body)?.[1];
  if (cloid === undefined) throw new Error("no modify was sent");
  byHand(s, { a: 1, isBuy: true, price: "3000", size: "0.02", cloid });
}

const ENDS = {
  filled: { end: (s: Scene) => trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" }), status: "filled" },
  // Our own buy meets it: the exchange cancels what rests.
  "canceled by a trade with itself": {
    end: (s: Scene) => byHand(s, { isBuy: false, price: "94000", size: "0.01" }),
    status: "canceled",
  },
};

const CASES = Object.entries(ENDS).flatMap(([name, end]) => [
  { name, ...end, hasNamesake: false },
  { name: `${name}, with a namesake`, ...end, hasNamesake: true },
]);

async function openModified(alwaysPlace: boolean, about: { hasNamesake: boolean; end: (s: Scene) => void }) {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 99_000, size: "1" });
  const placed = shown(await s.tell("ended", limit("buy", 94_000)));
  s.setFate(unheard({ hasArrived: false }));
  const modify = { kind: "modify" as const, id: placed.id, price: "93999", size: null, alwaysPlace };
  s.ask("ended-modify", modify);
  await s.pass(50);
  about.end(s);
  if (about.hasNamesake) placeNamesake(s);
  // The account is quiet from here on: no history goes past the modify.
  await s.pass(90_000);
  return { s, id: placed.id, modify };
}

test.each(CASES)("a plain modify placed nothing where its original was $name", async ({ status, ...about }) => {
  const { s, id, modify } = await openModified(false, about);
  const told = shown(await s.tell("ended-modify", modify));
  expect(told).toMatchObject({ http: 200, status, error: expect.stringContaining("The modify was not carried out") });
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status });
  expect(executed(s, "batchModify")).toEqual([]);
  expect(s.takeErrors().length > 0).toBe(about.hasNamesake);
});

test.each(CASES)("an order that was $name is told so while what was placed in any case is open", async (about) => {
  const { s, id, modify } = await openModified(true, about);
  const told = shown(await s.tell("ended-modify", modify));
  expect(told).toMatchObject({ http: 202, status: "unknown" });
  const filled = about.status === "filled" ? "0.01" : "0";
  const seen = shown(await s.tell(null, { kind: "get", id }));
  expect(seen).toMatchObject({ status: about.status, filled });
  for (const { error } of [told, seen]) expect(error?.includes("ALARM") === true).toBe(about.hasNamesake);
  expect(s.takeErrors().length > 0).toBe(about.hasNamesake);
});

test("what was placed in any case beside an original that had ended is an order of its own when it is seen", async () => {
  const s = await scene();
  const stores = holdStores(s);
  const placed = shown(await s.tell("own", limit("buy", 94_000)));
  for (const type of ["orderStatus", "frontendOpenOrders", "historicalOrders"]) stores.stop(type);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  s.setFate(unheard({ hasArrived: true }));
  const modify = { kind: "modify" as const, id: placed.id, price: "93999", size: "0.02", alwaysPlace: true };
  s.ask("own-modify", modify);
  await s.pass(60_000);
  expect(shown(await s.tell("own-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "filled", filled: "0.01" });
  stores.go();
  await s.pass(60_000);
  const split = shown(await s.tell("own-modify", modify));
  expect(split).toMatchObject({ http: 200, status: "open", oid: String(liveOrders(s)[0]) });
  expect(split.id).not.toBe(placed.id);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "filled", filled: "0.01" });
});

test("a plain cancel of the original may have been the modify's own", async () => {
  const s = await scene();
  const placed = shown(await s.tell("plain", limit("buy", 94_000)));
  s.setFate(unheard({ hasArrived: false }));
  const modify = { kind: "modify" as const, id: placed.id, price: "93999", size: null, alwaysPlace: false };
  s.ask("plain-modify", modify);
  await s.pass(50);
  const cancels = [{ a: 0, o: Number(placed.oid) }];
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels } as unknown as Act);
  await s.pass(90_000);
  expect(shown(await s.tell("plain-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
});

test("what our own cancel closed no plain modify has replaced, as soon as a history goes past it", async () => {
  const s = await scene();
  const placed = shown(await s.tell("ours", limit("buy", 94_000)));
  const lost = unheard({ hasArrived: false });
  s.setFate((sent) => (sent.body.includes('"type":"cancel"') ? directly(5) : lost(sent)));
  const modify = { kind: "modify" as const, id: placed.id, price: "93999", size: null, alwaysPlace: false };
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("ours-modify", modify);
  await s.pass(50);
  s.ask("ours-cancel", cancel);
  await s.pass(60_000);
  // The success may be the answer to another: by itself it is no proof of whose the cancel was.
  expect(shown(await s.tell("ours-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  byHand(s, { isBuy: true, price: "93000", size: "0.01" });
  await s.pass(60_000);
  const told = shown(await s.tell("ours-modify", modify));
  expect(told).toMatchObject({ http: 200, status: "canceled", error: expect.stringContaining("not carried out") });
  expect(shown(await s.tell("ours-cancel", cancel))).toMatchObject({ http: 200, status: "canceled" });
});
