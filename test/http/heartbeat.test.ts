/** A heartbeat as its bot meets it: what goes when it falls silent, what stays, and what is no silence. */
import { expect, test } from "bun:test";
import { openHeartbeats } from "../../src/settle/stop/heartbeats.ts";
import { listBotGrants } from "../../src/store/bots.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { BOT, limitedRig, OTHER_BOT, place, register, textOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, rowCounts } from "./rig.ts";

const BUY = { side: "buy", price: "59900" };
const PROTECTION = { side: "sell", price: "70000", reduce_only: true };

function quietRig(options: Parameters<typeof openRig>[0] = {}): Rig {
  const rig = openRig(options);
  rig.answers.set("twapHistory", () => []);
  rig.answers.set("meta", () => null);
  return rig;
}

type Shown = { status: string; stop: string | null; within_s: number | null; missed_at: string | null };

async function beat(rig: Rig, within_s: unknown, apiKey: string = KEYS.both): Promise<Shown> {
  const answer = await rig.ask({ method: "PUT", path: "/v1/heartbeat", apiKey, body: { within_s } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Shown;
}

async function shown(rig: Rig, apiKey: string = KEYS.both): Promise<Shown> {
  return (await (await rig.ask({ path: "/v1/heartbeat", apiKey })).json()) as Shown;
}

async function pass(rig: Rig, seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 4; step += 1) await rig.clock.advance(250);
}

async function openPrices(rig: Rig): Promise<string[]> {
  const answer = await rig.ask({ path: "/v1/orders?limit=100", apiKey: KEYS.both });
  const { data } = (await answer.json()) as { data: { price: string; status: string }[] };
  return data.filter(({ status }) => status === "open").map(({ price }) => price);
}

test("silent for longer than it said, what a bot has placed goes, what protects stays, and it is told once", async () => {
  const rig = quietRig();
  await place(rig, BUY, { apiKey: KEYS.both });
  await place(rig, PROTECTION, { apiKey: KEYS.both });
  await beat(rig, 5);
  await pass(rig, 4.5);
  expect(await openPrices(rig)).toHaveLength(2);
  await pass(rig, 15);
  expect(await openPrices(rig)).toEqual([PROTECTION.price]);
  const { status, stop, missed_at: missedAt } = await shown(rig);
  expect(status).toBe("missed");
  expect(missedAt).not.toBeNull();
  const events = await rig.ask({ path: "/v1/events?after=0&follow=false", apiKey: KEYS.both });
  expect((await events.text()).split("event: heartbeat.missed")).toHaveLength(2);
  const stopped = await rig.ask({ path: `/v1/stops/${stop}`, apiKey: KEYS.both });
  expect(await stopped.json()).toMatchObject({ cause: "heartbeat_missed", status: "stopped", scope: "bot" });
  expect(rig.log.filter(({ message }) => message === "a heartbeat was missed")).toHaveLength(1);
  // Whoever beats again still reads what was missed, and what went then.
  expect(await beat(rig, null)).toMatchObject({ status: "disarmed", stop, missed_at: missedAt });
  // Nothing is stopped, and nobody is listened for any more.
  expect((await place(rig, BUY, { apiKey: KEYS.both })).status).toBe(201);
  await pass(rig, 60);
  expect(await openPrices(rig)).toHaveLength(2);
});

test("each beat counts from when it came, and no other request is one", async () => {
  const rig = quietRig();
  await place(rig, BUY, { apiKey: KEYS.both });
  await beat(rig, 5);
  for (let times = 0; times < 5; times += 1) {
    await pass(rig, 4);
    expect((await beat(rig, 5)).status).toBe("armed");
  }
  for (let times = 0; times < 4; times += 1) {
    await pass(rig, 2);
    await shown(rig);
  }
  expect((await shown(rig)).status).toBe("missed");
});

test("a machine that slept wakes to silence, and a beat that comes first takes nothing of it back", async () => {
  const rig = quietRig();
  await place(rig, BUY, { apiKey: KEYS.both });
  await beat(rig, 60);
  rig.clock.stepWall(61_000);
  expect(await beat(rig, 60)).toMatchObject({ status: "armed", within_s: 60 });
  await pass(rig, 3);
  expect(await openPrices(rig)).toEqual([]);
  expect(await shown(rig)).toMatchObject({ status: "armed", missed_at: expect.any(String) });
});

test.each([[3_000], [-4_000]])("a wall clock that is set by %d ms is no silence", async (byMs) => {
  const rig = quietRig();
  await beat(rig, 5);
  await pass(rig, 3);
  rig.clock.stepWall(byMs);
  await pass(rig, 1.5);
  expect((await shown(rig)).status).toBe("armed");
});

test("disarmed it is not listened for", async () => {
  const rig = quietRig();
  expect(await shown(rig)).toMatchObject({ status: "disarmed", within_s: null });
  await place(rig, BUY, { apiKey: KEYS.both });
  await beat(rig, 5);
  expect(await beat(rig, null)).toMatchObject({ status: "disarmed", within_s: null });
  await pass(rig, 30);
  expect(await openPrices(rig)).toHaveLength(1);
});

test("the silence of one key is none of another's", async () => {
  const rig = quietRig();
  await place(rig, BUY, { apiKey: KEYS.both });
  await place(rig, { ...BUY, price: "59800" }, { apiKey: KEYS.writeOnly });
  await beat(rig, 5, KEYS.writeOnly);
  await pass(rig, 8);
  expect(await openPrices(rig)).toEqual([BUY.price]);
});

test("a bot's keys have one heartbeat: either beats for both, and what both have placed goes", async () => {
  const rig = await limitedRig({});
  rig.answers.set("twapHistory", () => []);
  expect((await register(rig, textOf(rig, {}, OTHER_BOT))).status).toBe(201);
  expect(listBotGrants(rig.deps.store, ACCOUNTS.main, textOf(rig).bot)).toHaveLength(2);
  expect((await place(rig, BUY, { apiKey: BOT })).status).toBe(201);
  expect((await place(rig, { ...BUY, price: "59800" }, { apiKey: OTHER_BOT })).status).toBe(201);
  await beat(rig, 5, BOT);
  await pass(rig, 4);
  await beat(rig, 5, OTHER_BOT);
  await pass(rig, 4);
  expect(await openPrices(rig)).toHaveLength(2);
  await pass(rig, 4);
  expect(await openPrices(rig)).toEqual([]);
  expect(await shown(rig, BOT)).toMatchObject({ status: "missed", bot: textOf(rig).bot });
});

test("a stop that one key of a bot has asked for holds for its other key", async () => {
  const rig = await limitedRig({});
  await rig.ask({ path: "/v1/stop", apiKey: BOT, body: { scope: "bot" } });
  await register(rig, textOf(rig, {}, OTHER_BOT));
  const refused = await place(rig, BUY, { apiKey: OTHER_BOT });
  expect(((await refused.json()) as { error: { code: string } }).error.code).toBe("trading_stopped");
});

test.each([
  ["no time", {}, "missing_parameter"],
  ["a shorter time than 5 s", { within_s: 4 }, "invalid_parameter"],
  ["a longer one than 600 s", { within_s: 601 }, "invalid_parameter"],
  ["a part of a second", { within_s: 5.5 }, "invalid_parameter"],
  ["an unknown member", { within_s: 60, scope: "account" }, "unknown_parameter"],
])("a beat with %s is refused, and arms nothing", async (_what, body, code) => {
  const rig = quietRig();
  const before = rowCounts(rig);
  const answer = await rig.ask({ method: "PUT", path: "/v1/heartbeat", apiKey: KEYS.both, body });
  expect(((await answer.json()) as { error: { code: string } }).error.code).toBe(code);
  expect(rowCounts(rig)).toEqual(before);
  expect((await shown(rig)).status).toBe("disarmed");
});

test("a key that only reads cannot beat, and more than ten at once are refused", async () => {
  const rig = quietRig();
  const ask = (apiKey: string) => rig.ask({ method: "PUT", path: "/v1/heartbeat", apiKey, body: { within_s: 60 } });
  expect((await ask(KEYS.readOnly)).status).toBe(403);
  for (let times = 0; times < 10; times += 1) expect((await ask(KEYS.both)).status).toBe(200);
  expect((await ask(KEYS.both)).status).toBe(429);
});

/** The next process on the same rows: ready at once. */
function restart(rig: Rig): void {
  const next = openHeartbeats(rig.deps, { bootMs: rig.clock.elapsedMs, heed: () => rig.deps.stopper.heed() });
  next.begin();
}

test("a start grants each beat its time once more, and only once", async () => {
  const rig = quietRig();
  await beat(rig, 60);
  const row = () => rig.deps.store.$client.query<{ status: string }, []>("select status from heartbeats").get()?.status;
  // As if it had beaten an hour ago, in a process that is dead.
  const update = (column: string, ms: number) =>
    rig.deps.store.$client.run(`update heartbeats set ${column} = ${rig.clock.nowMs() + ms}`);
  update("beat_at_ms", -3_600_000);
  restart(rig);
  expect(row()).toBe("armed");
  update("grace_at_ms", -59_000);
  restart(rig);
  expect(row()).toBe("armed");
  update("grace_at_ms", -61_000);
  restart(rig);
  expect(row()).toBe("missed");
});

test("a beat that comes before a start is ready has its time once more at the next", async () => {
  const rig = quietRig();
  const starting = openHeartbeats(rig.deps, { bootMs: rig.clock.elapsedMs, heed: () => rig.deps.stopper.heed() });
  starting.beat(ACCOUNTS.main, keyHash(KEYS.both), 60_000);
  starting.begin();
  starting.stop();
  await rig.clock.advance(61_000);
  restart(rig);
  expect((await shown(rig)).status).toBe("armed");
  // That one was granted, and is the only one.
  await rig.clock.advance(61_000);
  restart(rig);
  expect((await shown(rig)).status).toBe("missed");
});

test("who has beaten since a start granted him its time has it once more at the next", async () => {
  const rig = quietRig();
  const parts = { bootMs: rig.clock.elapsedMs, heed: () => rig.deps.stopper.heed() };
  for (const _start of [1, 2]) {
    const process = openHeartbeats(rig.deps, parts);
    process.begin();
    process.beat(ACCOUNTS.main, keyHash(KEYS.both), 60_000);
    process.stop();
    await rig.clock.advance(61_000);
  }
  restart(rig);
  expect((await shown(rig)).status).toBe("armed");
});

test("silence that cannot be written down is heard as soon as it can", async () => {
  const rig = quietRig();
  let isFull = true;
  const randomBytes = (count: number) => {
    if (isFull) throw new Error("the disk is full");
    return rig.deps.randomBytes(count);
  };
  const parts = { bootMs: rig.clock.elapsedMs, heed: () => rig.deps.stopper.heed() };
  const process = openHeartbeats({ ...rig.deps, randomBytes }, parts);
  process.begin();
  process.beat(ACCOUNTS.main, keyHash(KEYS.both), 5_000);
  await pass(rig, 8);
  expect((await shown(rig)).status).toBe("armed");
  isFull = false;
  await pass(rig, 2);
  expect((await shown(rig)).status).toBe("missed");
  process.stop();
});

test("a wall clock that went back over a start is silence", async () => {
  const rig = quietRig();
  await beat(rig, 600);
  rig.deps.store.$client.run(`update heartbeats set grace_at_ms = ${rig.clock.nowMs() + 1_000}`);
  restart(rig);
  expect((await shown(rig)).status).toBe("missed");
});

test("what arms, disarms and is missed has its row of the audit log, and beats between have none", async () => {
  const rig = quietRig();
  for (const withinS of [5, 5, 5, null]) await beat(rig, withinS);
  await beat(rig, 5);
  await pass(rig, 8);
  const rows = rig.deps.store.$client
    .query<{ event: string; actor: string }, []>(
      "select event, actor from audit where event like 'heartbeat%' order by id",
    )
    .all();
  const own = keyHash(KEYS.both);
  expect(rows.map(({ event, actor }) => `${event} ${actor}`)).toEqual([
    `heartbeat_armed ${own}`,
    `heartbeat_disarmed ${own}`,
    `heartbeat_armed ${own}`,
    "heartbeat_missed gateway",
  ]);
});
