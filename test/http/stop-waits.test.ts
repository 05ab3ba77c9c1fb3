/** A stop that is not stopped, and a flattening that has not ended, name what they wait for: nothing is kept from their client. */
import { expect, test } from "bun:test";
import { WAITS, type WaitReason } from "../../src/core/wait.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { exchangeThatFills, flatten, pass, showFrom, stopOf } from "./flatten-rig.ts";
import { BOT, limitedRig, openMarketRig, place as placeBy } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

type Waiting = { reason: WaitReason; order: string | null; market: string | null; since: string; until: string };
type Told = {
  id: string;
  status: string;
  waits_for: Waiting[];
  flatten: { status: string; waits_for: Waiting[] } | null;
};

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const TWAP = "01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f";
let asked = 0;

async function place(rig: Rig): Promise<string> {
  asked += 1;
  const answer = await rig.askForSeconds({
    path: "/v1/orders",
    apiKey: KEYS.both,
    body: ORDER,
    idempotencyKey: `stop-waits-${asked}`,
  });
  return ((await answer.json()) as { id: string }).id;
}

function quietRig(): Rig {
  const rig = openRig();
  rig.answers.set("twapHistory", () => []);
  rig.answers.set("meta", () => null);
  return rig;
}

async function shown(rig: Rig, id: string): Promise<Told> {
  return (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Told;
}

function reasons(waits: readonly Waiting[]) {
  return waits.map(({ reason, order, market }) => [reason, order, market]);
}

/** From now on the exchange answers nothing, whatever comes. */
function silence(rig: Rig): void {
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "silence" });
}

const SITUATIONS: [string, (rig: Rig) => Promise<string | null>, WaitReason][] = [
  [
    "an order of which nothing is known",
    async (rig) => {
      silence(rig);
      return place(rig);
    },
    "outcome_unknown",
  ],
  [
    "a cancel that nobody answers",
    async (rig) => {
      const id = await place(rig);
      silence(rig);
      return id;
    },
    "cancel_unanswered",
  ],
  [
    "a cancel that nobody can sign",
    async (rig) => {
      const id = await place(rig);
      rig.deps.signers.has = () => false;
      return id;
    },
    "no_agent",
  ],
  [
    "a cancel that the exchange refuses",
    async (rig) => {
      const id = await place(rig);
      const response = {
        type: "cancel",
        data: { statuses: [{ error: "Cannot cancel an open order that is being settled." }] },
      };
      rig.deps.exchange.send = async () => ({
        kind: "answered",
        httpStatus: 200,
        body: JSON.stringify({ status: "ok", response }),
      });
      return id;
    },
    "cancel_unanswered",
  ],
];

test.each(SITUATIONS)("it names %s, since when, and what ends it", async (_what, begin, reason) => {
  const rig = quietRig();
  const order = await begin(rig);
  const atMs = rig.clock.nowMs();
  const id = await stopOf(rig, "bot");
  await pass(rig, 4);
  const { status, waits_for: waits } = await shown(rig, id);
  expect([status, reasons(waits)]).toEqual(["stopping", [[reason, order, "BTC"]]]);
  expect(waits[0]?.until).toBe(WAITS[reason]);
  expect(Math.abs(Date.parse(waits[0]?.since ?? "") - atMs)).toBeLessThan(10_000);
  const since = waits[0]?.since;
  await pass(rig, 20);
  expect((await shown(rig, id)).waits_for[0]?.since).toBe(since ?? "none");
});

test("it names lists that cannot be read, and is silent once it is stopped", async () => {
  const rig = openRig();
  rig.answers.set("twapHistory", () => null);
  rig.answers.set("meta", () => null);
  const id = await stopOf(rig, "account");
  await pass(rig, 4);
  expect(reasons((await shown(rig, id)).waits_for)).toEqual([["elsewhere_not_read", null, null]]);
  rig.answers.set("twapHistory", () => []);
  await pass(rig, 20);
  expect(await shown(rig, id)).toMatchObject({ status: "stopped", waits_for: [] });
});

test("from its first answer until it is stopped it says what it waits for, whenever it is asked", async () => {
  const rig = quietRig();
  const answer = await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "bot" } });
  const first = (await answer.json()) as Told;
  const told = [first];
  while (told.at(-1)?.status !== "stopped" && told.length < 40) {
    told.push(await shown(rig, first.id));
    await rig.clock.advance(50);
  }
  expect(told.at(-1)).toMatchObject({ status: "stopped", waits_for: [] });
  expect(told.filter(({ status, waits_for: waits }) => status === "stopping" && waits.length === 0)).toEqual([]);
  expect(reasons(first.waits_for)).toEqual([["next_look", null, null]]);
});

test("while no list of markets has been read it says so", async () => {
  const rig = quietRig();
  rig.deps.markets.current = () => null;
  const id = await stopOf(rig, "bot");
  await pass(rig, 2);
  expect(reasons((await shown(rig, id)).waits_for)).toEqual([["markets_not_read", null, null]]);
});

test("an event tells what has been waited for five seconds, and not again while it is the same", async () => {
  const rig = quietRig();
  silence(rig);
  const order = await place(rig);
  const told = () =>
    listEventsAfter(rig.deps.store, { accountId: ACCOUNTS.main, after: 0, limit: 500 })
      .filter(({ type }) => type === "stop.waiting")
      .map(({ payload }) => (JSON.parse(payload ?? "{}") as Told).waits_for);
  await stopOf(rig, "bot");
  await pass(rig, 30);
  const events = told();
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject([{ reason: "outcome_unknown", order, market: "BTC" }]);
});

test("a flattening waits for its stop, for positions of after it, and for what became of its order, and says so", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0.5 });
  rig.answers.set("twapHistory", () => null);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  const waits = async () => reasons((await shown(rig, id)).flatten?.waits_for ?? []);
  expect(await waits()).toEqual([
    ["not_stopped", null, null],
    ["elsewhere_not_read", null, null],
  ]);
  rig.answers.set("twapHistory", () => []);
  const answer = rig.answers.get("clearinghouseState");
  rig.answers.set("clearinghouseState", () => null);
  await pass(rig, 20);
  expect(await waits()).toEqual([["position_not_read", null, null]]);
  if (answer !== undefined) rig.answers.set("clearinghouseState", answer);
  showFrom(rig, () => ({ szi: 0, agoMs: 60_000 }));
  await pass(rig, 20);
  expect(await waits()).toEqual([["position_behind", null, null]]);
  silence(rig);
  showFrom(rig, () => ({ szi: 0.5, agoMs: 0 }));
  await pass(rig, 6);
  const [wait, ...others] = await waits();
  expect([wait?.[0], typeof wait?.[1], wait?.[2], others.length]).toEqual(["order_unsettled", "string", "BTC", 0]);
});

test("a flattening names the market that has no price, and the TWAP that closes the same", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0.5 });
  rig.answers.set("l2Book", () => null);
  rig.answers.delete("metaAndAssetCtxs");
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 12);
  expect(reasons((await shown(rig, id)).flatten?.waits_for ?? [])).toEqual([["no_price", null, "BTC"]]);
  const bots = await limitedRig({});
  exchangeThatFills(bots, { szi: 0.5 });
  await placeBy(bots, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const twap = `'${TWAP}', ?, 'grid-1', 'BTC', 'sell', '0.002', 1, 30, 0, null, '0'`;
  bots.deps.store.$client.run(`insert into bot_twaps values (${twap})`, [ACCOUNTS.main]);
  const own = await stopOf(bots, "bot", BOT);
  await flatten(bots, own, { apiKey: BOT });
  await pass(bots, 12);
  const told = (await shown(bots, own)).flatten?.waits_for;
  expect(told).toMatchObject([{ reason: "twap_reducing", operation: TWAP, market: "BTC" }]);
});
