/** A trigger that fires at market and finds too little on offer ends with a part, which the exchange shows as filled. */
import { expect, test } from "bun:test";
import type { Ask } from "./front.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** A stop whose part has been filled, and of which nobody has told us yet. */
async function firedShort(s: Scene): Promise<string> {
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.004" });
  const stop = { price: "95050", kind: "stop_loss" as const, market: true };
  const placed = shown(await s.tell("short-stop", { ...limit("buy", 95_350), trigger: stop }));
  expect(placed).toMatchObject({ http: 201, status: "waiting_for_trigger" });
  s.venue.setPrice("BTC", 95_060n * 100_000_000n);
  return placed.id;
}

function modifyOf(id: string, alwaysPlace: boolean): Ask {
  return { kind: "modify", id, price: "94001", size: "0.02", alwaysPlace };
}

const ENDED = { http: 200, status: "canceled", filled: "0.004", error: expect.stringContaining("0.004 of 0.01") };

test("seed 121073933: what always_place places beside it is an order of its own", async () => {
  const s = await scene();
  const id = await firedShort(s);
  // Found closed, and not yet how much of it was filled: nothing is sent, and the key stays free.
  expect(shown(await s.tell("short-modify", modifyOf(id, true))).http).toBe(409);
  expect(shown(await s.tell(null, { kind: "get", id })).status).toBe("unknown");
  // A part is the whole by two readings, two seconds apart, of which the first is three seconds after the close.
  await s.pass(3_000);
  expect(shown(await s.tell(null, { kind: "get", id })).status).toBe("unknown");
  await s.pass(2_000);
  const told = shown(await s.tell("short-modify", modifyOf(id, true)));
  expect(told).toMatchObject({ http: 200, status: "open", filled: "0", error: null });
  expect(told.id).not.toBe(id);
  expect(liveOrders(s).map(String)).toEqual([told.oid ?? ""]);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject(ENDED);
});

test("a modify of it that is refused says so, and did not cancel it", async () => {
  const s = await scene();
  const id = await firedShort(s);
  s.ask("short-refused", modifyOf(id, false));
  await s.pass(40_000);
  const told = shown(await s.tell("short-refused", modifyOf(id, false)));
  expect(told).toMatchObject({
    id,
    status: "canceled",
    error: expect.stringMatching(/not carried out|nothing to modify/),
  });
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject(ENDED);
});
