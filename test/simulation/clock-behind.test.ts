/** The first reading of the exchange's clock comes from a node that stands still: what is shown is not older than what was told. */

import { expect, test } from "bun:test";
import { stateWith } from "../support/state-with.ts";
import { directly } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const BEHIND_MS = 3_000;
const LAG_MS = 2_000;

test.each([
  ["what was dated before the fill proves the exchange's time", true, false],
  ["what was dated after it does, while the positions are being read", false, false],
  [
    "only what is late itself is dated: it proves that the time is behind, and not by how much (seed 805587)",
    false,
    true,
  ],
])("seed 802302: positions from before a fill are not shown after it: %s", async (_name, isReadBefore, isAllLate) => {
  const s = await scene();
  s.kill();
  let filledAtMs = Number.POSITIVE_INFINITY;
  s.seeThrough((request, answer) => {
    if (request.type === "exchangeStatus") return { ...(answer as object), time: s.venue.nowMs() - BEHIND_MS };
    if (s.timeline.nowMs() < filledAtMs || s.timeline.nowMs() > filledAtMs + LAG_MS) return answer;
    if (request.type === "userFillsByTime") return [];
    if (request.type !== "clearinghouseState") return answer;
    const isOther = (request as { dex?: string }).dex === "xyz";
    if (isOther && !isAllLate) return answer;
    const beforeMs = s.venue.nowMs() - (s.timeline.nowMs() - filledAtMs) - 100;
    if (isOther) return { ...(answer as object), time: beforeMs };
    return { ...stateWith(answer, []), time: beforeMs };
  });
  // The native dex answers last.
  s.setFate(({ body }) => directly(body.includes("clearinghouseState") && !body.includes("xyz") ? 40 : 5));
  await s.start();
  await s.pass(3_000);
  if (isReadBefore) await s.tell(null, { kind: "positions" });
  trade(s, MAKER, { isBuy: false, price: 95_010, size: "0.5" });
  const sent = s.venue.log.length;
  const placed = s.ask("filled", { ...limit("buy", 95_500), timeInForce: "ioc" });
  while (placed.answer === null) {
    if (s.venue.log.length === sent) filledAtMs = s.timeline.nowMs() + 1;
    await s.pass(1);
  }
  if (placed.answer === "lost") throw new Error("lost");
  expect(shown(placed.answer).status).toBe("filled");
  const { body } = await s.tell(null, { kind: "positions" });
  expect(body).toContain('"market":"BTC"');
});
