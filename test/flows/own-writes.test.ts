/** Nobody is shown an account as it was before his own last write, however the exchange tells of it. */
import { describe, expect, test } from "bun:test";
import type { FaultFile } from "../../src/paper/faults.ts";
import {
  type Answer,
  FIRST,
  limitOrder,
  openPaperRig,
  type PaperRig,
  type PaperRigOptions,
} from "../support/paper-rig.ts";

const SECOND = 1_000;
/** Time in which a feed is live, and everything is read once. */
const SETTLED = 20 * SECOND;

/** How the exchange tells states: every few seconds alone, on change as well, or not at all. */
const WORLDS: readonly [string, { hasFeed: boolean; faults: FaultFile }][] = [
  ["every five seconds", { hasFeed: true, faults: { rules: [], states: { onChange: false, everyTicks: 5 } } }],
  ["on change", { hasFeed: true, faults: { rules: [], states: { onChange: true, everyTicks: 5 } } }],
  ["never", { hasFeed: false, faults: { rules: [] } }],
];

type Row = Record<string, unknown>;

async function open(options: PaperRigOptions): Promise<PaperRig> {
  const rig = await openPaperRig(options);
  await rig.trade("sell", "1", "60010");
  await rig.trade("buy", "1", "59990");
  await rig.clock.advance(SETTLED);
  return rig;
}

async function write(rig: PaperRig, path: string, body: object): Promise<Answer> {
  const answer = await rig.answer(FIRST, { route: `POST ${path}`, body });
  expect([path, answer.status < 202, answer.status < 202 ? null : answer.text]).toEqual([path, true, null]);
  return answer;
}

async function rows(rig: PaperRig, path: string): Promise<Row[]> {
  const { status, body } = await rig.answer(FIRST, { route: `GET ${path}` });
  expect([path, status]).toEqual([path, 200]);
  return body["data"] as Row[];
}

async function account(rig: PaperRig): Promise<Row> {
  return (await rig.answer(FIRST, { route: "GET /v1/account" })).body;
}

/** `xyz:TSLA`. */
const TSLA_ASSET = 110_001;
const BUY = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.01" };

for (const [world, options] of WORLDS) {
  describe(`states told ${world}`, () => {
    test("what was bought in one dex is in the positions of all", async () => {
      const rig = await open(options);
      await rig.trade("sell", "1", "400", TSLA_ASSET);
      await write(rig, "/v1/orders", { ...BUY, price: "60010", time_in_force: "ioc" });
      expect(await rows(rig, "/v1/positions")).toHaveLength(1);
      const order = { ...BUY, market: "xyz:TSLA", size: "0.1", price: "400", time_in_force: "ioc" };
      expect((await write(rig, "/v1/orders", order)).body["error"]).toBeNull();
      const shown = await rows(rig, "/v1/positions");
      expect(shown).toMatchObject([{ market: "BTC" }, { market: "xyz:TSLA", size: "0.1" }]);
    });

    test("what was bought is in the positions, five times over", async () => {
      const rig = await open(options);
      for (let times = 1; times <= 5; times += 1) {
        const bought = await write(rig, "/v1/orders", { ...BUY, price: "60010", time_in_force: "ioc" });
        expect(bought.body["status"]).toBe("filled");
        expect(await rows(rig, "/v1/positions")).toMatchObject([{ market: "BTC", size: `0.0${times}` }]);
      }
    });

    test("an order is among the open ones once it was answered, and out of them once it was canceled", async () => {
      const rig = await open(options);
      const placed = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
      const before = await account(rig);
      expect(await rows(rig, "/v1/orders?status=open")).toMatchObject([{ id: placed.body["id"], status: "open" }]);
      await write(rig, `/v1/orders/${placed.body["id"]}/cancel`, {});
      expect(await rows(rig, "/v1/orders?status=open")).toEqual([]);
      const after = await account(rig);
      expect(Number(after["withdrawable"])).toBeGreaterThan(Number(before["withdrawable"]));
    });

    test("a modified order is shown under its new id alone", async () => {
      const rig = await open(options);
      const placed = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
      await rows(rig, "/v1/orders?status=open");
      const modified = await write(rig, `/v1/orders/${placed.body["id"]}/modify`, { price: "59001" });
      const shown = await rows(rig, "/v1/orders?status=open");
      expect(shown).toMatchObject([{ price: "59001", exchange_order_id: modified.body["exchange_order_id"] }]);
    });

    test("an order is listed beside one that was placed elsewhere after it", async () => {
      const rig = await open(options);
      const placed = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
      expect(await rows(rig, "/v1/orders?status=open")).toHaveLength(1);
      await rig.clock.advance(SECOND / 2);
      await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "58000" }));
      await rig.clock.advance(SECOND / 2);
      const shown = await rows(rig, "/v1/orders?status=open");
      expect(shown.map(({ id }) => id)).toContain(placed.body["id"]);
      await rig.clock.advance(12 * SECOND);
      expect(await rows(rig, "/v1/orders?status=open")).toHaveLength(2);
    });

    test("leverage and margin are as they were set", async () => {
      const rig = await open(options);
      await write(rig, "/v1/leverage", { market: "BTC", leverage: 7, margin_type: "isolated" });
      await write(rig, "/v1/orders", { ...BUY, price: "60010", time_in_force: "ioc" });
      const [before] = await rows(rig, "/v1/positions");
      expect(before).toMatchObject({ leverage: 7, margin_type: "isolated" });
      await write(rig, "/v1/margin", { market: "BTC", amount: "25" });
      const [after] = await rows(rig, "/v1/positions");
      expect(Number(after?.["margin_used"]) - Number(before?.["margin_used"])).toBeCloseTo(25, 0);
    });

    test("a TWAP runs once it was answered, and is canceled once that was", async () => {
      const rig = await open(options);
      const asked = { market: "BTC", side: "buy", size: "0.3", duration_minutes: 30 };
      const started = await write(rig, "/v1/twaps", asked);
      const id = started.body["exchange_id"];
      expect(await rows(rig, "/v1/twaps")).toMatchObject([{ exchange_id: id, size: "0.3", status: "running" }]);
      await write(rig, "/v1/twaps/cancel", { market: "BTC", twap_id: Number(id) });
      const [canceled] = await rows(rig, "/v1/twaps");
      expect(canceled).toMatchObject({ exchange_id: id, status: "canceled" });
      expect(canceled?.["ended_at"]).not.toBeNull();
    });
  });
}

test.each(WORLDS.filter(([, { hasFeed }]) => hasFeed))(
  "what is canceled is not open while its cancel is not answered yet, states told %s",
  async (_world, options) => {
    const rig = await open(options);
    const placed = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
    // A list holds it by then.
    await rig.clock.advance(6 * SECOND);
    const canceled = rig.ask(FIRST, { route: `POST /v1/orders/${placed.body["id"]}/cancel`, body: {} });
    await rig.clock.advance(300);
    expect(await rows(rig, "/v1/orders?status=open")).toEqual([]);
    expect((await rig.answerOf(canceled)).body["status"]).toBe("canceled");
  },
);

test("reading as fast as a key may costs the exchange nothing while its feed lives", async () => {
  const faults: FaultFile = { rules: [], states: { onChange: false, everyTicks: 5 } };
  const rig = await open({ hasFeed: true, faults, exchangeWeightPerMinute: 1_200 });
  await account(rig);
  await rig.clock.advance(5 * SECOND);
  rig.asked.length = 0;
  const startedMs = rig.clock.elapsedMs();
  for (let times = 0; times < 100; times += 1) {
    await account(rig);
    for (const path of ["/v1/positions", "/v1/orders?status=open", "/v1/twaps"]) await rows(rig, path);
    await rig.answer(FIRST, { route: "GET /v1/status" });
    await rig.clock.advance(200);
  }
  const states = [
    "clearinghouseState",
    "spotClearinghouseState",
    "userAbstraction",
    "frontendOpenOrders",
    "twapHistory",
    "userRateLimit",
  ];
  // One part of each of the two accounts is compared a minute.
  const minutes = 1 + Math.floor((rig.clock.elapsedMs() - startedMs) / 60_000);
  expect(rig.asked.filter((type) => states.includes(type)).length).toBeLessThanOrEqual(2 * minutes);
});

test("an account that says of when it is names the time of its oldest part", async () => {
  const rig = await open({ hasFeed: true, faults: { rules: [], states: { onChange: false, everyTicks: 10 } } });
  await write(rig, "/v1/orders", { ...BUY, price: "60010", time_in_force: "ioc" });
  const user = FIRST.account.tradingAddress;
  const isShown = () => rig.deps.picture.state(user, "")?.value.positions.length === 1;
  for (let times = 0; times < 100 && !isShown(); times += 1) await rig.clock.advance(SECOND / 5);
  const shownMs = rig.deps.picture.state(user, "")?.asOfMs ?? 0;
  await rig.clock.advance(2 * SECOND);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "58000" }));
  await rig.clock.advance(1.5 * SECOND);
  expect(rig.deps.picture.spot(user)?.asOfMs).toBeGreaterThan(shownMs);
  const { headers } = await rig.answer(FIRST, { route: "GET /v1/account" });
  expect(headers.get("X-Data-As-Of")).toBe(new Date(shownMs).toISOString());
});

test("what was traded in perpetuals asks for no token where collateral is not shared", async () => {
  const rig = await open({ hasFeed: true, faults: { rules: [], states: { onChange: true, everyTicks: 5 } } });
  await account(rig);
  await rig.clock.advance(5 * SECOND);
  rig.asked.length = 0;
  const before = await account(rig);
  await write(rig, "/v1/orders", { ...BUY, price: "60010", time_in_force: "ioc" });
  expect((await account(rig))["margin_used"]).not.toEqual(before["margin_used"]);
  expect(rig.asked).not.toContain("spotClearinghouseState");
});

test("what changes a position or a balance is told as it happens, whoever changed it, and marks are not", async () => {
  const rig = await open({ hasFeed: true, faults: { rules: [], states: { onChange: true, everyTicks: 5 } } });
  const all = () =>
    rig.store.$client
      .query<{ type: string; payload: string }, []>("select type, payload from events order by id")
      .all()
      .filter(({ type }) => type === "position.updated" || type === "balance.updated");
  const atStart = all().map(({ type }) => type);
  expect(new Set(atStart)).toEqual(new Set(["balance.updated"]));
  const told = () => all().slice(atStart.length);
  await write(rig, "/v1/orders", { ...BUY, price: "60010", time_in_force: "ioc" });
  await rig.clock.advance(SECOND);
  const [position, balance, ...others] = told();
  expect(JSON.parse(position?.payload ?? "")).toMatchObject({ object: "position", market: "BTC", size: "0.01" });
  expect(JSON.parse(balance?.payload ?? "")).toMatchObject({ object: "account" });
  expect(others).toEqual([]);
  rig.paper.setPrice("BTC", 61_000n * 10n ** 8n);
  await rig.clock.advance(20 * SECOND);
  expect(told()).toHaveLength(2);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "sell", size: "0.01", price: "59990" }));
  await rig.clock.advance(SECOND);
  const closed = told().filter(({ type }) => type === "position.updated")[1];
  expect(JSON.parse(closed?.payload ?? "")).toMatchObject({ market: "BTC", size: "0" });
});

test.each(["position.updated", "balance.updated"])(
  "a %s that could not be written is told afterwards",
  async (type) => {
    const rig = await open({ hasFeed: true, faults: { rules: [], states: { onChange: false, everyTicks: 5 } } });
    const { $client } = rig.store;
    const all = () =>
      $client.query<{ type: string }, [string]>("select type from events where type = ?").all(type).length;
    const atStart = all();
    const told = () => all() - atStart;
    const isIt = `new.type = '${type}'`;
    $client.run(`create trigger full before insert on events when ${isIt} begin select raise(abort, 'full'); end`);
    await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
    await rig.clock.advance(6 * SECOND);
    expect(told()).toBe(0);
    $client.run("drop trigger full");
    await rig.clock.advance(6 * SECOND);
    expect(told()).toBe(1);
    await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "sell", size: "0.01", price: "59990" }));
    await rig.clock.advance(6 * SECOND);
    expect(told()).toBe(2);
  },
);
