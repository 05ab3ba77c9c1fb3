/** A trigger that fires, and is filled in part, while a modify by price alone is on its way to it. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

const STOP = { price: "95050", kind: "stop_loss" as const, market: false };

const PRICES = { met: 95_060n * 100_000_000n, notMet: 95_000n * 100_000_000n };

/** A stop for 0.01 of which 0.004 is filled before its modify arrives; what replaces it waits. */
async function firedMeanwhile(s: Scene) {
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.004" });
  const placed = shown(await s.tell("fired-stop", { ...limit("buy", 95_350), trigger: STOP }));
  expect(placed).toMatchObject({ http: 201, status: "waiting_for_trigger" });
  s.setFate(({ path }) => (path === "/exchange" ? directly(400) : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "95340", size: null, alwaysPlace: true };
  s.ask("fired-modify", modify);
  await s.pass(150);
  s.venue.setPrice("BTC", PRICES.met);
  await s.pass(50);
  s.venue.setPrice("BTC", PRICES.notMet);
  return { id: placed.id, modify };
}

function openSizes(s: Scene): number[] {
  return liveOrders(s).map((oid) => Number(s.venue.runtime.world.venue.orders.get(oid)?.size) / 1e8);
}

test("what replaced it and waits for more than was left is canceled", async () => {
  const s = await scene();
  const { id, modify } = await firedMeanwhile(s);
  await s.pass(60_000);
  expect(openSizes(s)).toEqual([]);
  const end = { status: "canceled", filled: "0.004", error: expect.stringContaining("more than was left") };
  expect(shown(await s.tell("fired-modify", modify))).toMatchObject({ id, http: 200, ...end });
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject(end);
});

/** The modify is answered while no store shows what was filled. */
async function modifiedBeforeItsFillIsShown(s: Scene) {
  let isWrong = true;
  const stores = holdStores(s, (type, text) =>
    type === "orderStatus" && isWrong ? text.replaceAll('"sz":"0.006"', '"sz":"0.01"') : text,
  );
  for (const type of ["userFillsByTime", "clearinghouseState"]) stores.stop(type);
  const { id, modify } = await firedMeanwhile(s);
  await s.pass(8_000);
  expect(shown(await s.tell("fired-modify", modify))).toMatchObject({ id, status: "waiting_for_trigger", filled: "0" });
  const showAll = () => {
    isWrong = false;
    stores.go();
  };
  return { id, showAll };
}

test("what has fired in its turn before the fills are shown is reduced, as the plain order that it has become", async () => {
  const s = await scene();
  const { id, showAll } = await modifiedBeforeItsFillIsShown(s);
  s.venue.setPrice("BTC", PRICES.met);
  await s.pass(3_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "open", filled: "0" });
  showAll();
  await s.pass(60_000);
  expect(openSizes(s)).toEqual([0.006]);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({
    status: "open",
    filled: "0.004",
    error: null,
  });
});

test("what waits for too much is told so, and is taken off by the next process where this one dies", async () => {
  const s = await scene();
  const { id, showAll } = await modifiedBeforeItsFillIsShown(s);
  // It dies in the very turn that has written the fill down.
  Object.assign(s.process().gateway.deps.state, { phase: "draining" });
  showAll();
  await s.pass(45_000);
  const error = expect.stringContaining("0.004 more than asked for is open");
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "waiting_for_trigger", error });
  s.kill();
  await s.start();
  await s.pass(30_000);
  expect(openSizes(s)).toEqual([]);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "canceled", filled: "0.004" });
});
