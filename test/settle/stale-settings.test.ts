/** Leverage: what a server that is behind shows must never be told as what became of them. */
import { expect, test } from "bun:test";
import { tellPending } from "../../src/settle/operation/operation.ts";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import type { Ask } from "../simulation/front.ts";
import { directly, type Fate } from "../simulation/network.ts";
import { executed, type Scene } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import type { Snapshot } from "../simulation/venue.ts";
import { fates, holdBack, LOST, TOO_LATE, told, typeIn, UNHEARD } from "./stale-stage.ts";

const scene = scenesOfThisFile();

function leverage(value: number, marginType: "cross" | "isolated" = "cross"): Ask {
  return { kind: "leverage", market: "BTC", leverage: value, marginType };
}

test("a leverage is sent whatever a server from before the last change shows", async () => {
  const s = await scene();
  const held = holdBack(s);
  await told(s, "first-10", leverage(10));
  held.set("activeAssetData", s.venue.snapshot());
  await told(s, "then-25", leverage(25));
  await s.pass(61_000);
  expect(await told(s, "again-10", leverage(10))).toMatchObject({ http: 200, status: "succeeded" });
  expect(leveragesSet(s)).toEqual([10, 25, 10]);
});

function leveragesSet(s: Scene): number[] {
  return executed(s, "updateLeverage").flatMap(({ input: { action }, reply }) =>
    action.type === "updateLeverage" && reply.status === "ok" ? [action.leverage] : [],
  );
}

test("a leverage that came too late has not succeeded because a server from before the last change shows it", async () => {
  const s = await scene();
  const held = holdBack(s);
  await told(s, "first-10", leverage(10));
  held.set("activeAssetData", s.venue.snapshot());
  await told(s, "then-25", leverage(25));
  s.setFate(fates("updateLeverage", TOO_LATE, 2));
  s.ask("late-10", leverage(10));
  await s.pass(140_000);
  expect(await told(s, "late-10", leverage(10))).toMatchObject({ http: 202, status: "unknown" });
  held.clear();
  await s.pass(60_000);
  expect(await told(s, "late-10", leverage(10))).toMatchObject({
    http: 202,
    status: "unknown",
    error: "Whether it was applied cannot be proven. The exchange shows 25x cross.",
  });
  expect(leveragesSet(s)).toEqual([10, 25]);
});

test("a leverage that ran soon after another change is told as soon as no server can be that far behind", async () => {
  const s = await scene();
  await told(s, "first-25", leverage(25));
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  await s.pass(20_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({
    http: 202,
    status: "unknown",
    error: expect.stringContaining("count once none can be, at the latest from 20"),
  });
  await s.pass(130_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(40_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 200, status: "succeeded" });
});

test("of three leverages whose answers died with the gateway, each in force for a minute, no one stays unknown for long", async () => {
  const s = await scene();
  s.setFate(fates("updateLeverage", UNHEARD));
  for (const value of [5, 6, 7]) {
    s.ask(`lost-${value}`, leverage(value));
    await s.pass(1_000);
    s.kill();
    await s.start();
    await s.pass(60_000);
  }
  expect(await told(s, "lost-5", leverage(5))).toMatchObject({ http: 200, status: "succeeded" });
  await s.pass(140_000);
  expect(await told(s, "lost-7", leverage(7))).toMatchObject({ http: 200, status: "succeeded" });
  expect(await told(s, "lost-6", leverage(6))).toMatchObject({
    http: 202,
    status: "unknown",
    error: "Whether it was applied cannot be proven. The exchange shows 7x cross.",
  });
});

test("a leverage that came too late is rejected once no server can be from before it, and says until then what it waits for", async () => {
  const s = await scene();
  await told(s, "first-25", leverage(25));
  await s.pass(60_000);
  s.setFate(fates("updateLeverage", TOO_LATE, 2));
  s.ask("late-10", leverage(10));
  await s.pass(140_000);
  expect(await told(s, "late-10", leverage(10))).toMatchObject({
    http: 202,
    status: "unknown",
    error: expect.stringContaining("count once none can be, at the latest from 20"),
  });
  await s.pass(40_000);
  expect(await told(s, "late-10", leverage(10))).toMatchObject({
    http: 200,
    status: "rejected",
    error: "It is not in force. The exchange shows 25x cross, long after it can last have run.",
  });
  expect(leveragesSet(s)).toEqual([25]);
});

test("a leverage that servers from before it do not show is not rejected by them", async () => {
  const s = await scene();
  const held = holdBack(s);
  held.set("activeAssetData", s.venue.snapshot());
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  await s.pass(145_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 202, status: "unknown" });
  held.clear();
  await s.pass(20_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 200, status: "succeeded" });
});

test("what an operation waits for is not told of one that was settled meanwhile", async () => {
  const s = await scene();
  const { id } = JSON.parse((await s.tell("set-10", leverage(10))).body) as { id: string };
  const { deps } = s.process().gateway;
  const [attempt] = listAttemptsOf(deps.store, id);
  if (attempt === undefined) throw new Error("no attempt");
  tellPending(deps, { ...attempt, state: "ambiguous" }, "it is looked at");
  expect(await told(s, "set-10", leverage(10))).toMatchObject({ http: 200, status: "succeeded", error: null });
  expect(s.rows(`select status, error from operations where id = '${id}'`)).toEqual([
    { status: "succeeded", error: null },
  ]);
});

test("a leverage that was shown and is not in force later is not said to have been refused", async () => {
  const s = await scene();
  s.setFate(({ body }) => (typeIn(body) === "updateLeverage" ? UNHEARD : typeIn(body) === "noop" ? LOST : directly(5)));
  s.ask("lost-10", leverage(10));
  await s.pass(20_000);
  s.venue.act(s.party.account.ownerAddress, { type: "updateLeverage", asset: 0, isCross: true, leverage: 3 });
  s.setFate(() => directly(5));
  await s.pass(200_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject(REPLACED);
});

const REPLACED = {
  http: 202,
  status: "unknown",
  error: "Whether it was applied cannot be proven. The exchange shows 3x cross.",
};

test("a leverage that ours has replaced at once is not said to have been refused", async () => {
  const s = await scene();
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  await s.pass(20);
  s.setFate(() => directly(5));
  await told(s, "then-3", leverage(3));
  await s.pass(200_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject(REPLACED);
  expect(leveragesSet(s)).toEqual([10, 3]);
});

test("a leverage that an earlier one of ours has replaced, because that was slower, is not said to have been refused", async () => {
  const s = await scene();
  const held = holdBack(s);
  held.set("activeAssetData", s.venue.snapshot());
  const slow: Fate = { arrivesAfterMs: [11_000], answer: { kind: "silence" } };
  s.setFate(({ body }) => {
    if (typeIn(body) === "noop") return LOST;
    if (typeIn(body) !== "updateLeverage") return directly(5);
    return body.includes('"leverage":3') ? slow : UNHEARD;
  });
  s.ask("slow-3", leverage(3));
  await s.pass(5_000);
  s.ask("lost-10", leverage(10));
  await s.pass(15_000);
  held.clear();
  s.setFate(() => directly(5));
  await s.pass(200_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject(REPLACED);
  expect(leveragesSet(s)).toEqual([10, 3]);
});

test("what a server shows of another market says nothing of a leverage", async () => {
  const s = await scene();
  s.seeThrough(({ type }, answer) => (type === "activeAssetData" ? { ...(answer as object), coin: "ETH" } : answer));
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  await s.pass(250_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 202, status: "unknown" });
});

test("a leverage that somebody replaced while the gateway was down is not said to have been refused", async () => {
  const s = await scene();
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  await s.pass(10);
  s.kill();
  await s.pass(60_000);
  s.venue.act(s.party.account.ownerAddress, { type: "updateLeverage", asset: 0, isCross: true, leverage: 3 });
  await s.start();
  await s.pass(200_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject(REPLACED);
});

test("a leverage that somebody replaced while nothing could be read is not said to have been refused", async () => {
  const s = await scene();
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  let areReadsLost = true;
  const { read } = s.venue;
  let reads = 0;
  // The first reading is of a server that is behind.
  const before = s.venue.snapshot();
  Object.assign(s.venue, {
    read: (body: string, past: Snapshot | null) => {
      if (typeIn(body) !== "activeAssetData" || !areReadsLost) return read(body, past);
      reads += 1;
      return reads === 1 ? read(body, before) : { status: 500, contentType: "text/plain", body: "" };
    },
  });
  await s.pass(60_000);
  s.venue.act(s.party.account.ownerAddress, { type: "updateLeverage", asset: 0, isCross: true, leverage: 3 });
  areReadsLost = false;
  await s.pass(200_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject(REPLACED);
});

test("a leverage of the other margin type is not in force", async () => {
  const s = await scene();
  s.setFate(fates("updateLeverage", TOO_LATE, 2));
  s.venue.act(s.party.account.ownerAddress, { type: "updateLeverage", asset: 0, isCross: true, leverage: 7 });
  s.ask("other-type", leverage(7, "isolated"));
  await s.pass(60_000);
  expect(await told(s, "other-type", leverage(7, "isolated"))).toMatchObject({ http: 202, status: "unknown" });
});

const UNLISTED = "Leverage is frozen for a while.";

/** Actions of one type use their number up and are refused with these words. */
function refuse(s: Scene, type: string, answer: object): void {
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) => {
      if (typeIn(body) !== type) return execute(body);
      execute(body.replace(`"type":"${type}"`, '"type":"noop"').replace(/"type":"noop",[^}]*/, '"type":"noop"'));
      return { status: 200, contentType: "application/json", body: JSON.stringify(answer) };
    },
  });
}

test("a leverage that is refused in words that are new is rejected with them", async () => {
  const s = await scene();
  refuse(s, "updateLeverage", { status: "err", response: UNLISTED });
  expect(await told(s, "frozen", leverage(7))).toMatchObject({
    http: 200,
    status: "rejected",
    error: `The exchange refused it, in words that are new to this gateway: "${UNLISTED}"`,
  });
});

test.each([
  ["every second one", 2],
  ["the first one", Number.POSITIVE_INFINITY],
])(
  "seed 7257: one of which only a copy was refused so is not rejected by servers that are behind: %s",
  async (_name, every) => {
    const s = await scene();
    const { execute } = s.venue;
    // The relay brought it twice, and the answer to the second is heard.
    Object.assign(s.venue, {
      execute: (body: string) => {
        const reply = execute(body);
        if (typeIn(body) !== "updateLeverage") return reply;
        return { ...reply, body: JSON.stringify({ status: "err", response: UNLISTED }) };
      },
    });
    let areBehind = true;
    let reads = 0;
    s.seeThrough(({ type }, answer) => {
      if (type !== "activeAssetData") return answer;
      const isBehind = areBehind && reads % every === 0;
      reads += 1;
      return isBehind ? { ...(answer as object), leverage: { type: "cross", value: 20 } } : answer;
    });
    const first = await told(s, "copied", leverage(7));
    expect(first["status"]).not.toBe("rejected");
    areBehind = false;
    await s.pass(30_000);
    expect(await told(s, "copied", leverage(7))).toMatchObject({ http: 200, status: "succeeded" });
  },
);

test("a refusal in new words whose number nobody can tell of is shown with what was said, at once and for good", async () => {
  const s = await scene();
  refuse(s, "updateLeverage", { status: "err", response: UNLISTED });
  s.setFate(({ body }) => (typeIn(body) === "noop" ? LOST : directly(5)));
  const first = await told(s, "frozen", leverage(7));
  expect(first).toMatchObject({ http: 202, error: expect.stringContaining("words that are new to us") });
  await s.pass(700_000);
  const last = await told(s, "frozen", leverage(7));
  expect(last).toMatchObject({ http: 202, status: "unknown", error: expect.stringContaining(UNLISTED) });
});

test("a leverage is set by the place that its market has in the list now", async () => {
  const s = await scene();
  const { read, execute } = s.venue;
  /** BTC and ETH have changed places. */
  const swapped = (body: string): string => {
    const json = JSON.parse(body);
    const [btc, eth, ...rest] = json.universe;
    return JSON.stringify({ ...json, universe: [eth, btc, ...rest] });
  };
  Object.assign(s.venue, {
    read: (body: string, past: Snapshot | null) => {
      const answer = read(body, past);
      const isNative = typeIn(body) === "meta" && !body.includes('"dex":"xyz"');
      return isNative ? { ...answer, body: swapped(answer.body) } : answer;
    },
    execute: (body: string) =>
      execute(body.replace(/"asset":[01],/, (all) => (all.includes("0") ? '"asset":1,' : '"asset":0,'))),
  });
  expect(await told(s, "moved", leverage(7))).toMatchObject({ http: 200, status: "succeeded" });
  const [change] = executed(s, "updateLeverage");
  expect(change?.input.action).toMatchObject({ asset: 0, leverage: 7 });
});
