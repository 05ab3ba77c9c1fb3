/** A close whose position nobody can read any more: its dex is gone from the list, or answers fail for good. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { LastKnown } from "../../src/settle/close/closer.ts";
import { listRunningCloses } from "../../src/store/closes.ts";
import { findOrder } from "../../src/store/orders.ts";
import { START_MS } from "../support/gateway-rig.ts";
import { NOTHING, openWith, pass } from "./closing-rig.ts";

const HOUR_MS = 3_600_000;
const AS_SHOWN = { size: decimal("0.5"), timeMs: START_MS };
test.each<[string, LastKnown, string]>([
  ["nothing that was shown", NOTHING, "none was shown since the start, the known fills do not tell"],
  [
    "what was shown last, and what the fills leave",
    { shown: AS_SHOWN, left: decimal("0.25") },
    `0.5 was shown as of ${new Date(START_MS).toISOString()}, the known fills leave 0.25`,
  ],
])("it ends after a day with its triggers kept, and tells %s", async (_what, known, words) => {
  const scene = openWith(() => null, known);
  await pass(scene.rig, 23 * HOUR_MS);
  expect([listRunningCloses(scene.rig.store).length, scene.told()]).toEqual([1, []]);
  await pass(scene.rig, 1.1 * HOUR_MS);
  expect(listRunningCloses(scene.rig.store)).toEqual([]);
  expect(scene.told()).toEqual([
    expect.stringContaining("left-over triggers kept: the position could not be read for 24 hours"),
  ]);
  expect(scene.told()[0]).toContain(words);
  expect(scene.told()[0]).toContain(scene.guardId);
  expect(findOrder(scene.rig.store, scene.guardId)?.status).toBe("waiting_for_trigger");
  const asked = scene.asked();
  await pass(scene.rig, 60_000);
  expect(scene.asked()).toBe(asked);
});

test("one reading within the day begins it anew", async () => {
  let isRead = false;
  const scene = openWith(() => (isRead ? { size: decimal("0"), left: decimal("0.5") } : null), NOTHING);
  await pass(scene.rig, 13 * HOUR_MS);
  isRead = true;
  await pass(scene.rig, 60_000);
  isRead = false;
  await pass(scene.rig, 13 * HOUR_MS);
  expect([listRunningCloses(scene.rig.store).length, scene.told()]).toEqual([1, []]);
  scene.closer.stop();
});
