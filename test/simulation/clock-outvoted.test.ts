/** Right after a start three servers that lag agree on a time by chance: what is shown is not older than what was told. */

import { expect, test } from "bun:test";
import { stateWith } from "../support/state-with.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** Of the first readings of the clock: the first, the fourth and the fifth are believed. */
const CLOCKS_LAG_MS = [14_154, 29_019, 28_721, 15_539, 16_710];

/** Filled, told and killed; the gateway starts anew among servers that lag, and are as they were before the fill. */
async function startAmongLaggards(s: Scene, stateLagMs: number): Promise<void> {
  await s.pass(20_000);
  trade(s, MAKER, { isBuy: false, price: 95_010, size: "0.5" });
  const placed = await s.tell("filled", { ...limit("buy", 95_500), timeInForce: "ioc" });
  expect(shown(placed).status).toBe("filled");
  const toldMs = s.venue.nowMs();
  s.kill();
  let readings = 0;
  s.seeThrough((request, answer) => {
    const nowMs = s.venue.nowMs();
    if (request.type === "exchangeStatus") {
      const lagMs = CLOCKS_LAG_MS[readings % CLOCKS_LAG_MS.length] ?? 0;
      readings += 1;
      return { ...(answer as object), time: nowMs - lagMs };
    }
    if (request.type === "userFillsByTime" || request.type === "userFills") return [];
    if (request.type !== "clearinghouseState") return answer;
    const timeMs = nowMs - stateLagMs;
    return timeMs < toldMs ? { ...stateWith(answer, []), time: timeMs } : { ...(answer as object), time: timeMs };
  });
  await s.start();
  await s.pass(3_000);
  expect(readings).toBe(CLOCKS_LAG_MS.length);
}

test("a position that was told to be filled before the start is shown, or nothing is (a stranger's seed 33)", async () => {
  const s = await scene();
  await startAmongLaggards(s, 10_387);
  // By the number of the order it was told later than the servers' time goes: a state has to be of now.
  const first = await s.tell(null, { kind: "positions" });
  expect(first.body).toContain("still shows the positions as of before");
  const { body } = await s.tell(null, { kind: "positions" });
  expect(body).toContain('"market":"BTC"');
});

test("an order that is signed then has not expired before it is sent (strangers' seeds 3, 33 and 36)", async () => {
  const s = await scene();
  await startAmongLaggards(s, 10_387);
  const placed = await s.tell("resting", limit("buy", 80_000));
  expect(shown(placed).status).toBe("open");
});
