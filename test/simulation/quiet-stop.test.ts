/** A stop in an account that does nothing else, where what was lost leaves no trace: each kind of it has an end that can be proven. */
import { expect, test } from "bun:test";
import { fieldOf } from "./clients.ts";
import type { Ask } from "./front.ts";
import { neverKnown } from "./never-known.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, type Scene, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const MINUTE_MS = 60_000;
const EVERYTHING: Ask = { kind: "stop", scope: "account", keepsProtection: false };

async function stopStatus(s: Scene): Promise<unknown> {
  return fieldOf((await s.tell("stop-key-1", EVERYTHING)).body, "status");
}

async function takeLong(s: Scene): Promise<void> {
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.05" });
  await s.tell("long-key-1", { ...limit("buy", 95_200, "0.05"), timeInForce: "ioc" });
}

const ON_SPOT: Ask = { ...limit("buy", 0.17, "100"), market: "PURR/USDC" };
const TRIGGER: Ask = { ...limit("sell", 80_000), trigger: { price: "85000", kind: "stop_loss", market: true } };

/** Sent, lost, and its number taken by an empty action whose answer is lost as well. Minutes in which it is not over, and by which it is. */
const LOST: [string, { ask: Ask; stopsAfter: number; stopsBy: number }][] = [
  ["an order on a perpetual", { ask: limit("buy", 90_000), stopsAfter: 4, stopsBy: 9 }],
  ["an order on spot", { ask: ON_SPOT, stopsAfter: 7, stopsBy: 12 }],
  ["a trigger", { ask: TRIGGER, stopsAfter: 4, stopsBy: 9 }],
];

test.each(LOST)("%s of which nothing is ever shown keeps no stop from its end", async (_what, lost) => {
  const { ask, stopsAfter, stopsBy } = lost;
  const s = await scene({ isHttp: true });
  s.setFate(neverKnown((body) => body.includes('"type":"order"')));
  s.ask("lost-key-1", ask);
  await s.pass(200);
  await s.tell("stop-key-1", EVERYTHING);
  await s.pass(stopsAfter * MINUTE_MS);
  expect(await stopStatus(s)).toBe("stopping");
  await s.pass((stopsBy - stopsAfter) * MINUTE_MS);
  expect(await stopStatus(s)).toBe("stopped");
  expect(fieldOf((await s.tell("lost-key-1", ask)).body, "status")).toBe("canceled");
});

const NO_INCREASE: [string, string, Ask][] = [
  ["a leverage", "updateLeverage", { kind: "leverage", market: "BTC", leverage: 3, marginType: "isolated" }],
  ["margin", "updateIsolatedMargin", { kind: "margin", market: "ETH", amount: "10" }],
];

test.each(NO_INCREASE)("%s that was lost increases nothing: a stop does not wait for it", async (_what, type, ask) => {
  const s = await scene({ isHttp: true });
  await takeLong(s);
  s.setFate(neverKnown((body) => body.includes(`"type":"${type}"`)));
  s.ask("lost-key-1", ask);
  await s.pass(200);
  await s.tell("stop-key-1", EVERYTHING);
  await s.pass(10_000);
  expect(await stopStatus(s)).toBe("stopped");
});
