/** Limit triggers that have fired where nobody heard of it: they rest in the book, and are told to. */
import { expect, test } from "bun:test";
import { limit, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** Met by the mark already, so that it fires as it is placed; far from the book, so that it rests there. */
const FIRES_AT_ONCE = {
  ...limit("buy", 90_000),
  trigger: { price: "94000", kind: "stop_loss" as const, market: false },
};

async function statusOf(s: Awaited<ReturnType<typeof scene>>, id: string): Promise<string> {
  // From the rows alone: a read of the order itself would look.
  const [row] = s.rows(`select status from orders where id = '${id}'`);
  return String(row?.["status"]);
}

test.each([
  ["a list that shows it", 0],
  ["a list that lacks it for the first minute", 60_000],
])("one that fired as it was placed is told open by %s", async (_name, behindMs) => {
  const s = await scene();
  const fromMs = s.timeline.nowMs();
  s.seeThrough(({ type }, answer) =>
    type === "frontendOpenOrders" && s.timeline.nowMs() - fromMs < behindMs ? [] : answer,
  );
  const placed = shown(await s.tell("fires", FIRES_AT_ONCE));
  expect(placed.status).toBe("waiting_for_trigger");
  expect(s.venue.log.at(-1)?.input.action.type).toBe("order");
  await s.pass(behindMs + 65_000);
  expect(await statusOf(s, placed.id)).toBe("open");
});

test("one that fires while there is no feed is told open within two minutes", async () => {
  const s = await scene();
  const placed = shown(
    await s.tell("waits", { ...FIRES_AT_ONCE, trigger: { ...FIRES_AT_ONCE.trigger, price: "97000" } }),
  );
  await s.pass(70_000);
  expect(await statusOf(s, placed.id)).toBe("waiting_for_trigger");
  s.venue.setPrice("BTC", 97_500n * 100_000_000n);
  await s.pass(120_000);
  expect(await statusOf(s, placed.id)).toBe("open");
});

test("where every list beside its record is behind, it is looked for until one shows it", async () => {
  const s = await scene({ hasFeed: true });
  await s.pass(2_000);
  s.muteFeeds({ arePongsHeard: true });
  const fromMs = s.timeline.nowMs();
  let lacksUntilMs = 0;
  s.seeThrough(({ type }, answer) => {
    const nowMs = s.timeline.nowMs();
    if (type === "orderStatus") lacksUntilMs = nowMs + 1_000;
    return type === "frontendOpenOrders" && nowMs < lacksUntilMs && nowMs < fromMs + 60_000 ? [] : answer;
  });
  const placed = shown(await s.tell("fires", FIRES_AT_ONCE));
  await s.pass(110_000);
  expect(await statusOf(s, placed.id)).toBe("open");
});
