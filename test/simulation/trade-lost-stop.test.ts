/** A stop that somebody takes away while no feed tells of it: how long what is held stands without one. */
import { expect, test } from "bun:test";
import { MAKER } from "./plain-venue.ts";
import { type Scene, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { begin, guarded, until } from "./trade-stage.ts";

const scene = scenesOfThisFile();

type Act = Parameters<Scene["venue"]["act"]>[1];

/** The owner takes the only trigger away beside the gateway. */
function cancelTriggerByHand(s: Scene): void {
  const user = s.party.account.tradingAddress;
  const { openOids } = s.venue.account(user);
  const o = [...openOids].find((oid) => (s.venue.record(user, oid)?.order.trigger ?? null) !== null) ?? 0;
  // The exchange's engine reads it as the action of a request.
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o }] } as unknown as Act);
}

test("a stop that was taken away is looked for until its end is known: another stands within fifteen seconds", async () => {
  const s = await scene({ weightPerMinute: 1_200 });
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  await until(s, id, (shown) => shown.status === "open" && shown.protected);
  // Its lists have just been read, and are read again in half a minute.
  await s.pass(20_000);
  cancelTriggerByHand(s);
  expect(guarded(s)).toBe(0);
  await s.pass(15_000);
  expect(guarded(s)).toBe(0.05);
});
