/** Servers that are behind and reads that fail never bring back what was before a write. */
import { describe, expect, test } from "bun:test";
import { FIRST, limitOrder, type PaperRig } from "../support/paper-rig.ts";
import {
  account,
  EVERY_FIVE_SECONDS,
  MAX_AGE_MS,
  NEVER,
  ON_CHANGE,
  ONE_SECOND,
  onFrames,
  openWorld,
  poll,
  positions,
  type Row,
  TAKING,
  WORLDS,
  write,
} from "./shown-account.ts";

const MINE = FIRST.account.tradingAddress;

/** From now on positions of the native dex are read as they are now. */
async function stopServers(rig: PaperRig): Promise<void> {
  const asNow = await rig.info({ type: "clearinghouseState", user: MINE });
  rig.interfere = ({ type, user, dex }) =>
    type === "clearinghouseState" && user === MINE && (dex ?? "") === "" ? asNow : undefined;
}

async function sizesOrRefusal(rig: PaperRig): Promise<unknown> {
  const { status, body, headers } = await rig.answer(FIRST, { route: "GET /v1/positions" });
  const data = (body["data"] ?? []) as Row[];
  if (status === 200) return data.map((row) => row["size"]);
  return { status, code: (body["error"] as Row)["code"], waitS: headers.get("Retry-After") };
}

function silenced(rig: PaperRig, ...channels: string[]): void {
  onFrames(rig, (frame) => void (channels.includes(frame.channel) || frame.arrive()));
}

describe.each(WORLDS)("where states are told %s", (_name, world) => {
  test("a state of before a write is refused, and asked for until it is one of after it", async () => {
    const rig = await openWorld(world, (early) => silenced(early, "clearinghouseState"));
    await write(rig, "/v1/orders", TAKING);
    await rig.clock.advance(2 * ONE_SECOND);
    await stopServers(rig);
    await rig.clock.advance(ONE_SECOND);
    await write(rig, "/v1/orders", TAKING);
    const refused = { status: 503, code: "exchange_unreachable", waitS: "1" };
    expect(await sizesOrRefusal(rig)).toEqual(refused);
    const asked = rig.ask(FIRST, { route: "GET /v1/positions" });
    await rig.clock.advance(3 * ONE_SECOND);
    rig.interfere = () => undefined;
    expect((await rig.answerOf(asked)).body["data"]).toMatchObject([{ size: "0.02" }]);
  });

  test("what is so old that it must not be shown is refused, however often it is read", async () => {
    const rig = await openWorld(world, (early) => silenced(early, "clearinghouseState"));
    await write(rig, "/v1/orders", TAKING);
    await rig.clock.advance(ONE_SECOND);
    await stopServers(rig);
    const answers = new Set<string>();
    for (let times = 0; times < 5; times += 1) {
      await rig.clock.advance(5 * ONE_SECOND);
      const { status, headers } = await rig.answer(FIRST, { route: "GET /v1/positions" });
      const asOf = headers.get("X-Data-As-Of");
      const ageMs = asOf === null ? 0 : rig.deps.exchange.nowMs() - Date.parse(asOf);
      answers.add(`${status} ${status === 503 || ageMs <= MAX_AGE_MS + 100}`);
    }
    expect([...answers]).toEqual(["200 true", "503 true"]);
  });

  test("while nothing can be read, nothing older than ten seconds is shown", async () => {
    const rig = await openWorld(world);
    const routes = ["/v1/account", "/v1/positions", "/v1/orders?status=open", "/v1/twaps"];
    for (const route of routes) await rig.answer(FIRST, { route: `GET ${route}` });
    onFrames(rig, () => undefined);
    rig.interfere = ({ type }) => (type === "exchangeStatus" ? undefined : new Response("", { status: 502 }));
    const statuses = new Set<string>();
    for (let seconds = 0; seconds < 16; seconds += 4) {
      await rig.clock.advance(4 * ONE_SECOND);
      for (const route of routes) {
        const { status, headers } = await rig.answer(FIRST, { route: `GET ${route}` });
        const asOf = headers.get("X-Data-As-Of");
        if (status === 200 && asOf !== null)
          expect(rig.deps.exchange.nowMs() - Date.parse(asOf)).toBeLessThanOrEqual(MAX_AGE_MS + 600);
        statuses.add(`${status} ${seconds >= 12}`);
      }
    }
    expect([...statuses].sort()).toContain("503 true");
    expect([...statuses]).not.toContain("200 true");
  });
});

test("positions and margin are told with their age where the exchange's time may be ahead of what it is taken for", async () => {
  const rig = await openWorld(NEVER);
  expect([(await positions(rig)).ageMs, (await account(rig)).ageMs]).toEqual([null, null]);
  rig.deps.exchange.mayBeAheadMs = () => 7 * ONE_SECOND;
  expect((await positions(rig)).ageMs).toBeLessThan(MAX_AGE_MS);
  expect((await account(rig)).ageMs).toBeLessThan(MAX_AGE_MS);
});

test("what a check of the picture reads from a server that is behind is not shown after a write", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  await write(rig, "/v1/orders", TAKING);
  await rig.clock.advance(2 * ONE_SECOND);
  await stopServers(rig);
  await rig.clock.advance(ONE_SECOND);
  await write(rig, "/v1/orders", TAKING);
  // A frame of after it, and none after that: whatever is shown next is what a check has read.
  await rig.clock.advance(6 * ONE_SECOND);
  silenced(rig, "clearinghouseState");
  const shown = new Set<string>();
  for (let times = 0; times < 9 * 6; times += 1) {
    await rig.clock.advance(10 * ONE_SECOND);
    const held = rig.deps.picture.state(MINE, "");
    shown.add(held?.value.positions[0]?.signedSize ?? "nothing");
  }
  expect([...shown]).toEqual(["0.02"]);
});

test("a list that one server is behind with does not take the place of what was told", async () => {
  const rig = await openWorld(ON_CHANGE);
  const behind = await rig.info({ type: "frontendOpenOrders", user: MINE });
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "59000" }));
  silenced(rig, "openOrders");
  let behinds = 0;
  rig.interfere = ({ type, user, dex }) => {
    if (type !== "frontendOpenOrders" || user !== MINE || (dex ?? "") !== "") return undefined;
    behinds += 1;
    return behinds % 2 === 1 ? behind : undefined;
  };
  for (let times = 0; times < 9 * 6; times += 1) {
    await rig.clock.advance(10 * ONE_SECOND);
    expect(rig.deps.picture.openOrders(MINE, "")?.value).toHaveLength(1);
  }
  expect(behinds).toBeGreaterThan(0);
});

test("what nobody tells, a check finds", async () => {
  const rig = await openWorld(ON_CHANGE);
  silenced(rig, "openOrders", "orderUpdates", "clearinghouseState", "userFills");
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "59000" }));
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
  await rig.clock.advance(9 * 60 * ONE_SECOND);
  const { picture } = rig.deps;
  expect(picture.openOrders(MINE, "")?.value).toMatchObject([{ size: "0.01" }]);
  expect(picture.state(MINE, "")?.value.positions).toMatchObject([{ signedSize: "0.01" }]);
});

test("positions that were told are not taken back by a read of before them", async () => {
  const rig = await openWorld(ON_CHANGE);
  await stopServers(rig);
  await rig.clock.advance(ONE_SECOND);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
  await rig.clock.advance(ONE_SECOND);
  const told = rig.store.$client.query("select 1 from events where type = 'position.updated'");
  expect(told.all()).toHaveLength(1);
  onFrames(rig, () => undefined);
  rig.cut();
  const shown = new Set<string>();
  await poll(rig, 25 * ONE_SECOND, async () => {
    shown.add(JSON.stringify(await sizesOrRefusal(rig)));
  });
  expect([...shown].filter((answer) => answer.startsWith("["))).toEqual(['["0.01"]']);
});

test("leverage that was told is not taken back by a read of before it", async () => {
  const rig = await openWorld(ON_CHANGE);
  await write(rig, "/v1/orders", TAKING);
  await rig.clock.advance(2 * ONE_SECOND);
  await stopServers(rig);
  await rig.clock.advance(ONE_SECOND);
  await rig.elsewhere(FIRST, { type: "updateLeverage", asset: 0, isCross: true, leverage: 9 });
  await rig.clock.advance(ONE_SECOND);
  onFrames(rig, () => undefined);
  rig.cut();
  const shown = new Set<unknown>();
  await poll(rig, 8 * ONE_SECOND, async () => {
    const { body } = await rig.answer(FIRST, { route: "GET /v1/positions" });
    for (const row of (body["data"] ?? []) as Row[]) shown.add(row["leverage"]);
  });
  expect([...shown]).toEqual([9]);
});

test("where nobody tells, the mode is asked for as often as everything else", async () => {
  const rig = await openWorld(NEVER);
  let oldestMs = 0;
  await poll(rig, 30 * ONE_SECOND, async () => {
    oldestMs = Math.max(oldestMs, (await account(rig)).ageMs ?? 0);
  });
  expect(oldestMs).toBeLessThanOrEqual(MAX_AGE_MS);
});
