/** A stop and the TWAPs that the exchange has named: they are canceled by that number at once, whatever its history shows. */
import { expect, test } from "bun:test";
import { cancelRunningTwap } from "../../src/settle/stop/cancel-twaps.ts";
import { fieldOf } from "../simulation/clients.ts";
import type { Ask } from "../simulation/front.ts";
import { directly } from "../simulation/network.ts";
import { executed, type Scene } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import { fates, holdBack, LOST, TOO_LATE, told, typeIn } from "./stale-stage.ts";

const scene = scenesOfThisFile();

const TWAP: Ask = { kind: "twap", market: "BTC", side: "buy", size: "1", minutes: 5 };
const CANCEL: Ask = { kind: "twap_cancel", market: "BTC", twapId: 1 };
const STOP: Ask = { kind: "stop", scope: "account", keepsProtection: true };
const MINUTE_MS = 60_000;

async function statusOf(s: Scene): Promise<string | null> {
  return fieldOf((await s.tell("stop-key-1", STOP)).body, "status");
}

async function waitsOf(s: Scene): Promise<string[]> {
  const { waits_for: waits } = JSON.parse((await s.tell("stop-key-1", STOP)).body) as {
    waits_for: { reason: string }[];
  };
  return waits.map(({ reason }) => reason);
}

function running(s: Scene): number {
  return s.venue.runtime.world.venue.twaps.size;
}

/** Every row of the history that is an end, or each row, says this word instead. */
function sayInHistory(s: Scene, word: string, of: "ends" | "all"): void {
  s.seeThrough(({ type }, answer) => {
    if (type !== "twapHistory") return answer;
    return (answer as { status: { status: string } }[]).map((row) =>
      of === "ends" && row.status.status === "activated" ? row : { ...row, status: { status: word } },
    );
  });
}

/** From before there was any TWAP, or as one that no server answers. */
const HISTORIES: [string, string[], (s: Scene) => void][] = [
  ["does not show it yet", [], (s) => holdBack(s).set("twapHistory", s.venue.snapshot())],
  [
    "cannot be read",
    ["elsewhere_not_read"],
    (s) => s.setFate(({ path, body }) => (path === "/info" && typeIn(body) === "twapHistory" ? LOST : directly(5))),
  ],
];

test.each(HISTORIES)("a stop cancels a TWAP that was named at once where the history %s", async (_how, waits, hide) => {
  const s = await scene({ hasFeed: true });
  hide(s);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1" });
  await statusOf(s);
  await s.pass(300);
  expect([executed(s, "twapCancel").length, running(s)]).toEqual([1, 0]);
  await s.pass(5_000);
  // The exchange has said that it carried the cancel out: no history has to show it.
  expect([await waitsOf(s), executed(s, "twapCancel").length]).toEqual([waits, 1]);
});

test.each(HISTORIES)("and so while nothing else has shown it, where the history %s", async (_how, waits, hide) => {
  const s = await scene();
  hide(s);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "1" });
  await statusOf(s);
  await s.pass(300);
  expect([executed(s, "twapCancel").length, running(s)]).toEqual([1, 0]);
  await s.pass(5_000);
  expect((await waitsOf(s)).toSorted()).toEqual([...waits, "outcome_unknown"].toSorted());
});

test("a TWAP whose minutes are over is not canceled by its number, and ends for a stop by the history", async () => {
  const s = await scene({ hasFeed: true });
  const held = holdBack(s);
  held.set("twapHistory", s.venue.snapshot());
  await told(s, "made", TWAP);
  await s.pass(9 * MINUTE_MS);
  await statusOf(s);
  await s.pass(20_000);
  expect([executed(s, "twapCancel").length, await statusOf(s)]).toEqual([0, "stopping"]);
  held.clear();
  await s.pass(20_000);
  expect([executed(s, "twapCancel").length, await statusOf(s)]).toEqual([0, "stopped"]);
});

test("a number that the history speaks against is not canceled by it", async () => {
  const s = await scene();
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) => {
      const answer = execute(body);
      if (typeIn(body) !== "twapOrder") return answer;
      return { ...answer, body: answer.body.replace(/"twapId":[0-9]+/, '"twapId":99') };
    },
  });
  expect(await told(s, "made", TWAP)).toMatchObject({ status: "unknown", exchange_id: "99" });
  await statusOf(s);
  await s.pass(20_000);
  const canceled = executed(s, "twapCancel").map(({ input }) => input.action);
  expect([canceled, await statusOf(s)]).toMatchObject([[{ t: 1 }], "stopping"]);
});

test("a word of the history that is new is no end of a TWAP", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  sayInHistory(s, "paused", "all");
  s.setFate(fates("twapCancel", LOST));
  await statusOf(s);
  await s.pass(20_000);
  expect(await statusOf(s)).toBe("stopping");
  s.setFate(() => directly(5));
  await s.pass(30_000);
  expect([await statusOf(s), running(s)]).toEqual(["stopped", 0]);
});

test("nor does it say of a cancel that it came too late, or that the TWAP had ended by itself", async () => {
  const s = await scene();
  await told(s, "made", { ...TWAP, minutes: 30 });
  await s.pass(20_000);
  sayInHistory(s, "paused", "all");
  s.setFate(fates("twapCancel", TOO_LATE, 2));
  s.ask("cancel", CANCEL);
  await s.pass(240_000);
  expect(await told(s, "cancel", CANCEL)).toMatchObject({ http: 202, status: "unknown" });
});

test("simulated seed 201230: a cancel of which nothing is heard, nor of its number, holds no other back", async () => {
  const s = await scene({ hasFeed: true });
  expect(await told(s, "made", TWAP)).toMatchObject({ status: "succeeded", exchange_id: "1" });
  let isFirstLost = false;
  s.setFate(({ path, body }) => {
    const type = path === "/exchange" ? typeIn(body) : "";
    const isLost = type === "noop" || (type === "twapCancel" && !isFirstLost);
    isFirstLost ||= type === "twapCancel";
    return isLost ? LOST : directly(5);
  });
  await statusOf(s);
  await s.pass(9_000);
  expect(running(s)).toBe(1);
  await s.pass(6_000);
  expect([executed(s, "twapCancel").length, running(s)]).toEqual([1, 0]);
});

test("two that ask for a TWAP's cancel at once send one", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  const { deps } = s.process().gateway;
  // All slots are taken, and the two wait for one.
  const { take } = deps.flights;
  const wait: typeof deps.flights.wait = async (owner, rank) => take(owner, rank);
  Object.assign(deps.flights, { take: () => null, wait });
  const { account } = s.party;
  const canceling = { name: "stop of this test", account, twapId: "1", market: "BTC" };
  const settling = { pursue: async () => undefined };
  const both = [cancelRunningTwap(deps, settling, canceling), cancelRunningTwap(deps, settling, canceling)];
  await s.pass(1_000);
  await Promise.all(both);
  expect(executed(s, "twapCancel")).toHaveLength(1);
});

test("a stop that could sign nothing, as no list of markets was read after the start, cancels a TWAP soon after there is one", async () => {
  const s = await scene();
  expect(await told(s, "made", { ...TWAP, minutes: 60 })).toMatchObject({ status: "succeeded", exchange_id: "1" });
  s.kill();
  const unread = new Set(["meta", "spotMeta", "perpDexs"]);
  s.setFate(({ path, body }) => (path === "/info" && unread.has(typeIn(body) ?? "") ? LOST : directly(5)));
  await s.start();
  await statusOf(s);
  await s.pass(2 * MINUTE_MS);
  expect(executed(s, "twapCancel").length).toBe(0);
  s.setFate(() => directly(5));
  await s.pass(15_000);
  expect([executed(s, "twapCancel").length, running(s)]).toEqual([1, 0]);
});
