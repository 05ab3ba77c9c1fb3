/** Stores of the exchange that stand still, and records that it keeps no longer. */
import { expect, test } from "bun:test";
import { directly, type Fate, type FateOf, NODES } from "./network.ts";
import { executed, limit, liveOrders, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** Fates of actions; everything else goes straight through. */
function fates(choose: (body: string) => Fate | null): FateOf {
  return ({ path, body }) => (path === "/exchange" ? choose(body) : null) ?? directly(5);
}

/** Arrives, and nobody ever hears what the exchange says. */
function unheard(afterMs: number): Fate {
  return { arrivesAfterMs: [afterMs], answer: { kind: "silence" } };
}

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

function isAction(body: string, type: string): boolean {
  return body.startsWith(`{"action":{"type":"${type}"`);
}

test("nothing is concluded while the exchange's own time stands still", async () => {
  const s = await scene();
  for (let node = 0; node < NODES; node += 1) s.network.freeze(node);
  s.setFate(fates(() => LOST));
  s.ask("standstill", limit("buy", 94_000));
  for (let minute = 0; minute < 30; minute += 1) {
    await s.pass(60_000);
    expect(shown(await s.tell("standstill", limit("buy", 94_000)))).toMatchObject({ http: 202, status: "unknown" });
  }
  for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
  s.setFate(() => directly(5));
  await s.pass(45_000);
  expect(shown(await s.tell("standstill", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "rejected" });
  expect(executed(s, "order")).toEqual([]);
});

test("an order older than anything that the exchange still shows is not called rejected", async () => {
  const s = await scene();
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(5) : null)));
  s.ask("sequence-a9", limit("buy", 94_000));
  await s.pass(100);
  s.kill();
  const { tradingAddress, ownerAddress } = s.party.account;
  const [oid] = liveOrders(s);
  s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
  await s.pass(3_600_000);
  for (let nth = 0; nth < 2_600; nth += 1) {
    trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
    const newest = [...s.venue.account(tradingAddress).openOids].at(-1) ?? 0;
    s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: newest }], f: false });
  }
  // Only the list by id would still have it; most clients of the exchange say that it forgets.
  const forgotten = (body: string) => body.includes('"orderStatus"');
  s.setFate(({ body }) => (forgotten(body) ? { ...directly(5), isBlind: true } : directly(5)));
  await s.start();
  await s.pass(90_000);
  // Of what may rest since then only a list of open orders tells, and it may be behind.
  expect(shown(await s.tell("sequence-a9", limit("buy", 94_000)))).toMatchObject({ http: 202, status: "unknown" });
  trade(s, ownerAddress, { isBuy: true, price: 92_000, size: "0.01" });
  await s.pass(90_000);
  const last = shown(await s.tell("sequence-a9", limit("buy", 94_000)));
  expect(last).toMatchObject({ http: 201, status: "canceled" });
  expect(last.error).toContain("no record that old");
});

test("an order that closed unseen, and that the exchange has forgotten, is open no longer and its cancel ends", async () => {
  const s = await scene();
  const wanted = limit("buy", 94_000);
  const { id } = shown(await s.tell("sequence-a9-rested", wanted));
  s.kill();
  const { tradingAddress, ownerAddress } = s.party.account;
  const [oid] = liveOrders(s);
  s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
  for (let nth = 0; nth < 2_100; nth += 1) {
    trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
    const newest = [...s.venue.account(tradingAddress).openOids].at(-1) ?? 0;
    s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: newest }], f: false });
  }
  await s.start();
  s.ask("sequence-a9-cancel", { kind: "cancel", id });
  await s.pass(60_000);
  trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
  await s.pass(150_000);
  const last = shown(await s.tell("sequence-a9-cancel", { kind: "cancel", id }));
  expect(last).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  expect(last.error).toContain("no record of it");
});
