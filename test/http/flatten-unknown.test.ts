/** Flattening where what is known just then is not what is: a word, a clock, a position that is left out. */
import { expect, test } from "bun:test";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import type { StoredFill } from "../../src/store/fills.ts";
import { hasNote } from "../../src/store/notes.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import {
  awaitTakeUp,
  endOf,
  exchangeThatFills,
  flatten,
  indexFill,
  pass,
  type Shown,
  showFrom,
  shownStop,
  stopOf,
} from "./flatten-rig.ts";
import { whileItWaits } from "./idle-rig.ts";
import { BOT, limitedRig, openMarketRig, place, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

type Word = "processing" | "unknown" | "waiting_for_trigger";

/** A bot that has bought, and has a stop for that, of which the gateway is then told this. */
async function guarded() {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const trigger = { price: "59000", kind: "stop_loss", market: true };
  const guard = { side: "sell", size: "0.002", price: "58900", reduce_only: true, trigger };
  const placed = (await (await place(rig, guard)).json()) as Shown & { exchange_order_id: string };
  const { store } = rig.deps;
  const tell = (status: Word) =>
    inTransaction(store, () => {
      const order = findOrder(store, placed.id);
      if (order === null) throw new Error("bug: a stop without its order");
      updateOrder(store, { ...order, status });
    });
  const id = await stopOf(rig, "bot", BOT);
  await pass(rig, 4);
  return { rig, sales, placed, kept: placed.id, store, tell, id };
}

test.each<{ word: Word; means: string; isTold: boolean; ends: string }>([
  { word: "unknown", means: "a look shows that it waits", isTold: true, ends: "waiting_for_trigger" },
  { word: "processing", means: "its answer tells that it waits", isTold: true, ends: "waiting_for_trigger" },
  { word: "unknown", means: "nothing tells it for three rounds", isTold: false, ends: "canceled" },
  { word: "processing", means: "nothing tells it for three rounds", isTold: false, ends: "canceled" },
])("a stop whose status is not known is not taken away at once: $word, $means", async ({ word, isTold, ends }) => {
  const { rig, sales, kept, store, tell, id } = await guarded();
  tell(word);
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 5);
  expect([findOrder(store, kept)?.status, sales.length]).toEqual([word, 1]);
  if (isTold) tell("waiting_for_trigger");
  await pass(rig, 40);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", r: true }]);
  expect(findOrder(store, kept)?.status).toBe(ends as never);
});

test.each([
  { means: "told to wait when its cancel was lost is not canceled again", word: "waiting_for_trigger", isLeft: true },
  { means: "of which nothing is told is canceled again and again", word: "unknown", isLeft: false },
] as const)("a stop $means", async ({ word, isLeft }) => {
  const { rig, placed, kept, store, tell, id } = await guarded();
  const cancels: string[] = [];
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...rest) => {
    if (!body.includes('"cancels"')) return send(body, ...rest);
    cancels.push(body);
    return { kind: "unknown", reason: "silence" };
  };
  tell("unknown");
  await flatten(rig, id, { apiKey: BOT });
  while (cancels.length === 0) await pass(rig, 1);
  expect(cancels[0]).toContain(placed.exchange_order_id);
  const before = cancels.length;
  // Its record cannot be read: it is told as its answer, or a feed, tells it.
  for (let second = 0; second < 60; second += 1) {
    tell(word);
    await pass(rig, 1);
  }
  expect(cancels.length > before).toBe(!isLeft);
  expect(findOrder(store, kept)?.status).toBe(word);
  const open = listAttemptsOf(store, kept).filter(({ kind, state }) => kind === "cancel" && state !== "done");
  expect(open.length === 0).toBe(isLeft);
});

test("a stop that is told to wait while its cancel waits its turn is not canceled", async () => {
  const { rig, kept, store, tell, id } = await guarded();
  tell("unknown");
  await flatten(rig, id, { apiKey: BOT });
  let hasWaited = false;
  whileItWaits({ rig }, async () => {
    hasWaited = true;
    tell("waiting_for_trigger");
  });
  await pass(rig, 60);
  expect(hasWaited).toBe(true);
  expect(listAttemptsOf(store, kept).filter(({ kind }) => kind === "cancel")).toEqual([]);
});

test("a stop of all that keeps no protection cancels what waits again and again", async () => {
  const { rig, kept, store, tell } = await guarded();
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...rest) =>
    body.includes('"cancels"') ? { kind: "unknown", reason: "silence" } : send(body, ...rest);
  await rig.ask({ path: "/v1/stop", apiKey: BOT, body: { scope: "bot", keep_protection: false } });
  for (let second = 0; second < 60; second += 1) {
    tell("waiting_for_trigger");
    await pass(rig, 1);
  }
  const cancels = listAttemptsOf(store, kept).filter(({ kind }) => kind === "cancel");
  expect(cancels.length).toBeGreaterThan(1);
  expect(hasNote(store, kept, "cancel given up")).toBe(false);
});

test("a server's clock that was ten minutes ahead, and was believed when it began, keeps nothing open for ten minutes", async () => {
  const rig = await openMarketRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  const { exchange } = rig.deps;
  const { nowMs } = exchange;
  const id = await stopOf(rig, "account");
  await pass(rig, 4);
  exchange.nowMs = () => nowMs() + 600_000;
  expect((await flatten(rig, id)).code).toBe("202");
  await pass(rig, 4);
  exchange.nowMs = nowMs;
  await pass(rig, 20);
  expect(sales.length).toBeGreaterThan(0);
  const { flatten: end } = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown;
  expect(end).toMatchObject({ status: "flat", left: [] });
});

test("what a bot holds by the answers to its orders, and no server shows, is not told to be closed before their fills are known", async () => {
  const rig = await limitedRig({});
  const held = { szi: 0 };
  exchangeThatFills(rig, held);
  const bought = (await (await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" })).json()) as {
    exchange_order_id: string;
  };
  held.szi = 0;
  const id = await stopOf(rig, "bot", BOT);
  await flatten(rig, id, { apiKey: BOT });
  await pass(rig, 60);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flattening");
  const nowMs = rig.clock.nowMs();
  const of = { market: "BTC", size: "0.002" as StoredFill["size"] };
  indexFill(rig, { ...of, timeMs: nowMs - 50_000, oid: bought.exchange_order_id });
  // Closed by hand.
  const startPosition = "0.002" as StoredFill["startPosition"];
  indexFill(rig, { ...of, timeMs: nowMs - 40_000, oid: "78", side: "sell", startPosition });
  await pass(rig, 10);
  expect((await shownStop(rig, id)).flatten).toMatchObject({ status: "flat", left: [] });
});

test("a bot's flattening tells nothing by books that a restore has cut: what was bought since the backup is read first", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  const id = await stopOf(rig, "bot", BOT);
  await pass(rig, 4);
  const takeUp = awaitTakeUp(rig);
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 20);
  const waits_for = [expect.objectContaining({ reason: "restore_not_taken_up" })];
  expect((await shownStop(rig, id)).flatten).toMatchObject({ status: "flattening", waits_for });
  takeUp();
  await pass(rig, 20);
  expect((await shownStop(rig, id)).flatten).toMatchObject({ status: "flat", left: [] });
  expect(sales).toEqual([]);
});

/** An order of the bot's of which no answer ever comes, nor of the empty actions on its number until these are answered. */
async function loseOne(rig: Rig) {
  const { send } = rig.deps.exchange;
  const soldAtMs: number[] = [];
  const at = { soldAtMs, areNoopsTaken: false };
  rig.deps.exchange.send = async (body, ...rest) => {
    if (body.includes("Ioc")) {
      soldAtMs.push(rig.clock.nowMs());
      return send(body, ...rest);
    }
    if (!at.areNoopsTaken || !body.includes("noop")) return { kind: "unknown", reason: "silence" };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response: { type: "default" } }) };
  };
  void place(rig, { size: "0.001", price: "50000" });
  await pass(rig, 1);
  return at;
}

/** When it can be executed no more, exchange time, unix milliseconds. */
function lostUntilMs(rig: Rig): number {
  const sql = "select expires_at_ms as ms from orders where attempt_state <> 'done'";
  const [lost] = rig.deps.store.$client.query<{ ms: number }, []>(sql).all();
  return (lost?.ms ?? Number.POSITIVE_INFINITY) + 3_000;
}

test.each([
  { whose: "an account", scope: "account", size: "0.5" },
  { whose: "a bot", scope: "bot", size: "0.002" },
])(
  "an order without a trace keeps what $whose holds open no longer than it can come, and its stop is not told to be over",
  async ({ scope, size }) => {
    const rig = await limitedRig({});
    const sales = exchangeThatFills(rig, { szi: 0.498 });
    await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
    const { soldAtMs } = await loseOne(rig);
    const id = await stopOf(rig, scope, scope === "bot" ? BOT : KEYS.both);
    await flatten(rig, id, { apiKey: scope === "bot" ? BOT : KEYS.both });
    await pass(rig, 5);
    const waits_for = [{ reason: "not_stopped" }, { reason: "outcome_unknown", market: "BTC" }];
    expect(await endOf(rig, id)).toMatchObject({ status: "flattening", waits_for });
    await pass(rig, 40);
    expect(sales.slice(1)).toMatchObject([{ b: false, s: size, r: true }]);
    const [lost] = rig.deps.store.$client
      .query<{ ms: number }, []>("select expires_at_ms as ms from orders where attempt_state <> 'done'")
      .all();
    expect(soldAtMs[0]).toBeGreaterThan((lost?.ms ?? Number.POSITIVE_INFINITY) + 3_000);
    expect(await shownStop(rig, id)).toMatchObject({
      status: "stopping",
      flatten: {
        status: "flattening",
        waits_for: [{ reason: "not_stopped" }, { reason: "outcome_unknown", market: "BTC" }],
      },
    });
  },
);

/** Everything but what executes at once goes without an answer, and nothing of it is ever shown. */
function loseAll(rig: Rig): void {
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...rest) =>
    body.includes("Ioc") ? send(body, ...rest) : { kind: "unknown", reason: "silence" };
}

/** While it goes on; that a TWAP may run has a reason of its own. */
async function waitedFor(rig: Rig, id: string): Promise<string[]> {
  const shown = (await shownStop(rig, id)) as Shown & { flatten: { waits_for: { reason: string; market: string }[] } };
  expect([shown.status, shown.flatten.status]).toEqual(["stopping", "flattening"]);
  const waits = shown.flatten.waits_for.filter(({ reason }) => reason !== "twap_not_ended");
  return waits.map(({ reason, market }) => `${reason} ${market}`);
}

async function loseTwap(rig: Rig, market: string): Promise<void> {
  const body = { market, side: "buy", size: "0.1", duration_minutes: 30 };
  void rig.ask({ path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: `twap-of-this-test-${market}`, body });
  await pass(rig, 1);
  expect(rig.deps.store.$client.query("select count(*) as n from operations").get()).toEqual({ n: 1 });
}

test.each([
  ["a TWAP", loseTwap],
  [
    "an order",
    async (rig: Rig, market: string) => {
      void place(rig, { account: ACCOUNTS.main, market, size: "0.1", price: "1000" }, { apiKey: KEYS.both });
      await pass(rig, 1);
    },
  ],
])("%s of unknown outcome holds back what is held in its own market alone, and is named", async (_what, lose) => {
  const rig = await openMarketRig({});
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  const shown = rig.answers.get("clearinghouseState");
  const eth = { coin: "ETH", szi: "2" };
  rig.answers.set("clearinghouseState", (asked) =>
    (asked["dex"] ?? "") === ""
      ? stateOf([...(held.szi === 0 ? [] : [{ coin: "BTC", szi: String(held.szi) }]), eth], rig.clock.nowMs())
      : (shown?.(asked) ?? null),
  );
  loseAll(rig);
  await lose(rig, "ETH");
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 8);
  expect(sales).toMatchObject([{ b: false, s: "0.5", r: true }]);
  expect(await waitedFor(rig, id)).toEqual(["not_stopped null", "outcome_unknown ETH"]);
});

test("of a TWAP whose outcome is not known nothing is closed in its own market", async () => {
  const rig = await openMarketRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  loseAll(rig);
  await loseTwap(rig, "BTC");
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 60);
  expect(sales).toEqual([]);
  expect(await waitedFor(rig, id)).toEqual(["not_stopped null", "outcome_unknown BTC"]);
});

test("what is left while an order without a trace is out ends nothing: what turns up of that is closed as well", async () => {
  const rig = await limitedRig({});
  const held = { szi: 0.0001 };
  const sales = exchangeThatFills(rig, held);
  refuseTooLittle(rig);
  await loseOne(rig);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 60);
  expect(await shownStop(rig, id)).toMatchObject({
    status: "stopping",
    flatten: { status: "flattening", left: [], waits_for: [{ reason: "not_stopped" }, { reason: "outcome_unknown" }] },
  });
  expect((await endOf(rig, id))?.order_ids).toHaveLength(1);
  held.szi = 0.0011;
  await pass(rig, 10);
  expect(sales).toMatchObject([{ b: false, s: "0.0011", r: true }]);
});

/** As the exchange refuses what is worth less than it takes. */
function refuseTooLittle(rig: Rig): void {
  const { send } = rig.deps.exchange;
  const error = "Order must have minimum value of $10. asset=0";
  const refused = { status: "ok", response: { type: "order", data: { statuses: [{ error }] } } };
  rig.deps.exchange.send = async (body, ...rest) => {
    const isTooLittle = body.includes("Ioc") && body.includes('"s":"0.0001"');
    return isTooLittle ? { kind: "answered", httpStatus: 200, body: JSON.stringify(refused) } : send(body, ...rest);
  };
}

test("by a clock that was ahead the time of an order without a trace is not over", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  const { soldAtMs } = await loseOne(rig);
  const untilMs = lostUntilMs(rig);
  const { exchange } = rig.deps;
  const { nowMs } = exchange;
  exchange.nowMs = () => nowMs() + 600_000;
  await flatten(rig, await stopOf(rig, "account"));
  await pass(rig, 8);
  exchange.nowMs = nowMs;
  await pass(rig, 30);
  expect(soldAtMs[0]).toBeGreaterThan(untilMs);
});

test("what was read before an order without a trace was over tells nobody that it is flat", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  const lost = await loseOne(rig);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 40);
  expect(lost.soldAtMs).toHaveLength(1);
  const readAtMs = rig.clock.nowMs();
  let isBehind = true;
  showFrom(rig, (atMs) => (isBehind ? { szi: 0, agoMs: atMs - readAtMs } : null));
  lost.areNoopsTaken = true;
  await pass(rig, 60);
  expect(await shownStop(rig, id)).toMatchObject({ status: "stopped", flatten: { status: "flattening" } });
  isBehind = false;
  await pass(rig, 20);
  expect(await endOf(rig, id)).toMatchObject({ status: "flat", left: [] });
});

test("a closing order of a bot whose answer was lost is told to go once its time is over: nothing else tells what became of it", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const id = await stopOf(rig, "bot", BOT);
  await pass(rig, 4);
  const { send } = rig.deps.exchange;
  const actions: string[] = [];
  rig.deps.exchange.send = async (body, ...rest) => {
    const { action } = JSON.parse(body) as { action: { type: string } };
    actions.push(action.type);
    return action.type === "order" || action.type === "noop"
      ? { kind: "unknown", reason: "no answer" }
      : send(body, ...rest);
  };
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 4);
  expect(actions).not.toContain("cancelByCloid");
  await pass(rig, 30);
  expect(actions).toContain("cancelByCloid");
});
