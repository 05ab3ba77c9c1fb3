/**
 * What each route answers when the exchange is not asked because our own weight is used up, when it has told us to slow
 * down, and when it cannot be reached. The three are told apart, and the wait that is told is true.
 */
import { expect, test } from "bun:test";
import type { Purpose } from "../../src/exchange/exchange.ts";
import { keyHash } from "../../src/wire/grant.ts";
import {
  type Answer,
  type Ask,
  DELIVERY,
  FIRST,
  limitOrder,
  openPaperRig,
  type PaperRig,
  SECOND,
} from "../support/paper-rig.ts";

const ACCOUNT = FIRST.account.id;
const READER: Purpose = { reader: keyHash(FIRST.apiKeys[0]) };
const LIMIT = { account: ACCOUNT, market: "BTC", side: "buy", size: "0.01", price: "90000" };

/** An order of ours that rests, one placed elsewhere, and an isolated position in ETH. */
type Stage = { rig: PaperRig; own: string; outside: string };

async function openStage(): Promise<Stage> {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200 });
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: LIMIT });
  const placed = await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.02", price: "80000" }));
  const oid = /"oid":([0-9]+)/.exec(JSON.stringify(placed))?.[1];
  const leverage = { market: "ETH", leverage: 5, margin_type: "isolated" };
  await rig.answer(FIRST, { route: "POST /v1/leverage", body: leverage });
  await rig.trade("sell", "1", "3000", 1);
  const order = { account: ACCOUNT, market: "ETH", side: "buy", size: "0.1", price: "3000", time_in_force: "ioc" };
  await rig.answer(FIRST, { route: "POST /v1/orders", body: order });
  // What that came to is over a minute ago, and so is what is read for the record after a minute.
  await pass(rig, 130);
  return { rig, own: String(body["id"]), outside: String(oid) };
}

async function pass({ clock }: PaperRig, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await clock.advance(1_000);
}

/** Spends what there is for this purpose, in reads of the exchange that cost `size`. */
async function useUp({ deps }: PaperRig, purpose: Purpose): Promise<void> {
  for (let nth = 0; nth < 700; nth += 1) {
    const request = { type: "exchangeStatus" };
    if ((await deps.exchange.info(request, { purpose })).kind === "failed") return;
  }
  throw new Error("there was no end of it");
}

type Row = { name: string; ask(stage: Stage): Ask; purpose: Purpose; what: string };

function post(route: string, body: object): Ask {
  return { route: `POST ${route}`, body };
}

const READS: Row[] = [
  {
    name: "the account",
    ask: () => ({ route: "GET /v1/account" }),
    purpose: READER,
    what: "The exchange could not be asked for",
  },
  { name: "the positions", ask: () => ({ route: "GET /v1/positions" }), purpose: READER, what: "for the positions" },
  { name: "the prices", ask: () => ({ route: "GET /v1/prices" }), purpose: READER, what: "for prices" },
  { name: "the TWAPs", ask: () => ({ route: "GET /v1/twaps" }), purpose: READER, what: "for the TWAPs" },
  {
    name: "the open orders",
    ask: () => ({ route: "GET /v1/orders?status=open" }),
    purpose: READER,
    what: "for the open orders",
  },
  {
    name: "an order that is not ours",
    ask: ({ outside }) => ({ route: `GET /v1/orders/${outside}` }),
    purpose: READER,
    what: "about this order, which is not ours",
  },
];

const WRITES: Row[] = [
  { name: "an order", ask: () => post("/v1/orders", LIMIT), purpose: "order", what: "" },
  {
    name: "a reduce-only order",
    ask: () => post("/v1/orders", { ...LIMIT, market: "ETH", side: "sell", price: "9000", reduce_only: true }),
    purpose: "reduce",
    what: "",
  },
  {
    name: "a modify",
    ask: ({ own }) => post(`/v1/orders/${own}/modify`, { price: "89000" }),
    purpose: "order",
    what: "",
  },
  {
    name: "a modify of an order that is not ours",
    ask: ({ outside }) => post(`/v1/orders/${outside}/modify`, { price: "79000" }),
    purpose: "order",
    what: "about this order, which is not ours",
  },
  {
    name: "a leverage",
    ask: () => post("/v1/leverage", { market: "BTC", leverage: 7, margin_type: "cross" }),
    purpose: "order",
    what: "The place of BTC in the list of markets could not be read",
  },
  {
    name: "a change of margin",
    ask: () => post("/v1/margin", { market: "ETH", amount: "5" }),
    purpose: "order",
    what: "The place of ETH in the list of markets could not be read",
  },
  {
    name: "a TWAP",
    ask: () => post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 }),
    purpose: "order",
    what: "The place of BTC in the list of markets could not be read",
  },
  { name: "a cancel", ask: ({ own }) => post(`/v1/orders/${own}/cancel`, {}), purpose: "cancel", what: "" },
  {
    name: "a cancel of an order that is not ours",
    ask: ({ outside }) => post(`/v1/orders/${outside}/cancel`, {}),
    purpose: "cancel",
    what: "about this order, which is not ours",
  },
  {
    name: "a cancel of a TWAP",
    ask: () => post("/v1/twaps/cancel", { market: "BTC", twap_id: 1 }),
    purpose: "cancel",
    what: "",
  },
];

function refusalIn({ status, headers, body }: Answer) {
  const error = body["error"] as { type: string; code: string; message: string };
  return { status, waitS: Number(headers.get("retry-after")), ...error };
}

test.each([...READS, ...WRITES])("$name: our own weight used up is 429, and after the wait it is done", async (row) => {
  const stage = await openStage();
  const { rig } = stage;
  await useUp(rig, row.purpose);
  const key = "own-budget-01";
  const sent = rig.sent.length;
  const refused = refusalIn(await rig.ask(FIRST, { ...row.ask(stage), key }));
  expect(refused).toMatchObject({ status: 429, type: "rate_limit_error", code: "exchange_rate_limited" });
  expect(refused.message).toContain("POSTERN_EXCHANGE_WEIGHT");
  expect(refused.message).toContain(row.what);
  expect(refused.message).not.toContain("slow down");
  expect(refused.waitS).toBeGreaterThan(0);
  expect(refused.waitS).toBeLessThanOrEqual(61);
  expect(rig.sent).toHaveLength(sent);
  await pass(rig, refused.waitS);
  const answer = await rig.answer(FIRST, { ...row.ask(stage), key });
  // What became of it may still have to be looked up, with weight that there is none of yet.
  expect([200, 201, 202]).toContain(answer.status);
});

test.each([...READS, ...WRITES])("$name: an exchange that has said slow down is named as who said it", async (row) => {
  const stage = await openStage();
  const { rig } = stage;
  rig.deps.exchange.slowDown("too_fast");
  const key = "own-budget-02";
  const sent = rig.sent.length;
  const asked = rig.ask(FIRST, { ...row.ask(stage), key });
  // A cancel always tries.
  if (row.purpose === "cancel") return expect([200, 202]).toContain((await rig.answerOf(asked)).status);
  const refused = refusalIn(await asked);
  expect(refused).toMatchObject({ status: 429, code: "exchange_rate_limited", waitS: 10 });
  expect(refused.message).toContain("told this gateway to slow down (HTTP 429)");
  expect(refused.message).not.toContain("POSTERN_EXCHANGE_WEIGHT");
  expect(rig.sent).toHaveLength(sent);
  await pass(rig, refused.waitS);
  expect([200, 201, 202]).toContain((await rig.answer(FIRST, { ...row.ask(stage), key })).status);
});

test.each([...READS, ...WRITES])(
  "$name: an exchange that cannot be reached is 503, and not our budget",
  async (row) => {
    const stage = await openStage();
    const { rig } = stage;
    rig.interfere = () => Response.error();
    rig.deliveries.push(DELIVERY.notSent);
    const key = "own-budget-03";
    const refused = refusalIn(await rig.answer(FIRST, { ...row.ask(stage), key }));
    expect(refused).toMatchObject({ status: 503, type: "service_unavailable_error", code: "exchange_unreachable" });
    expect(refused.waitS).toBe(5);
    expect(refused.message).not.toContain("POSTERN_EXCHANGE_WEIGHT");
    rig.interfere = () => undefined;
    rig.deliveries.length = 0;
    await pass(rig, refused.waitS);
    expect([200, 201, 202]).toContain((await rig.answer(FIRST, { ...row.ask(stage), key })).status);
  },
);

test.each(READS)("$name: a read that the exchange itself answers with 429 is told as its word", async (row) => {
  const stage = await openStage();
  const { rig } = stage;
  rig.interfere = () => Response.json(null, { status: 429 });
  const refused = refusalIn(await rig.answer(FIRST, row.ask(stage)));
  expect(refused).toMatchObject({ status: 429, code: "exchange_rate_limited", waitS: 10 });
  expect(refused.message).toContain("told this gateway to slow down (HTTP 429)");
});

test("an order of ours is shown as last known, with its age, when there is no weight for a look at it", async () => {
  const { rig, own } = await openStage();
  await useUp(rig, READER);
  const shown = await rig.ask(FIRST, { route: `GET /v1/orders/${own}` });
  expect(shown).toMatchObject({ status: 200, body: { id: own, status: "open" } });
  expect(shown.headers.get("X-Data-As-Of")).not.toBeNull();
});

test("the fills of an order that is not ours, when only they are not asked for, are not told as unknown", async () => {
  const { rig, outside } = await openStage();
  // There is room for its record, and not for the most that a list of fills may weigh.
  for (const reader of ["a", "b", "c"]) await useUp(rig, { reader });
  const refused = refusalIn(await rig.ask(FIRST, { route: `GET /v1/orders/${outside}` }));
  expect(refused).toMatchObject({ status: 429, code: "exchange_rate_limited" });
  expect(refused.message).toContain("for the fills of this order, which is not ours");
  await pass(rig, refused.waitS);
  expect(await rig.answer(FIRST, { route: `GET /v1/orders/${outside}` })).toMatchObject({ status: 200 });
});

test("so are those of the open orders that have begun to fill", async () => {
  const { rig } = await openStage();
  await rig.trade("sell", "0.005", "90000");
  for (const reader of ["a", "b"]) await useUp(rig, { reader });
  const refused = refusalIn(await rig.ask(FIRST, { route: "GET /v1/orders?status=open" }));
  expect(refused).toMatchObject({ status: 429, code: "exchange_rate_limited" });
  expect(refused.message).toContain("for the open orders");
  await pass(rig, refused.waitS);
  expect(await rig.answer(FIRST, { route: "GET /v1/orders?status=open" })).toMatchObject({ status: 200 });
});

test("what the open orders are told to wait for has room for their fills as well, where there was none for the list either", async () => {
  const { rig } = await openStage();
  const { exchange } = rig.deps;
  await rig.trade("sell", "0.005", "90000");
  const left = exchange.budgetLeft(READER) ?? 0;
  // As much as the lists cost comes back before the rest does.
  while ((exchange.budgetLeft(READER) ?? 0) > left - LISTS_WEIGHT)
    await exchange.info({ type: "exchangeStatus" }, { purpose: READER });
  await pass(rig, 5);
  await useUp(rig, READER);
  // What was spent a moment ago counts as other parts of the same request.
  await pass(rig, 3);
  const refused = refusalIn(await rig.ask(FIRST, { route: "GET /v1/orders?status=open" }));
  expect(refused).toMatchObject({ status: 429, code: "exchange_rate_limited" });
  await pass(rig, refused.waitS);
  expect(await rig.ask(FIRST, { route: "GET /v1/orders?status=open" })).toMatchObject({ status: 200 });
});

/** Of two dexes. */
const LISTS_WEIGHT = 40;

test("a change of margin is not begun when the position before it is not read", async () => {
  const { rig } = await openStage();
  while ((rig.deps.exchange.budgetLeft("order") ?? 0) >= 22)
    await rig.deps.exchange.info({ type: "exchangeStatus" }, { purpose: "order" });
  const ask = { ...post("/v1/margin", { market: "ETH", amount: "5" }), key: "own-budget-04" };
  const refused = refusalIn(await rig.ask(FIRST, ask));
  expect(refused).toMatchObject({ status: 429, code: "exchange_rate_limited" });
  expect(refused.message).toContain("The position could not be read before the change");
  await pass(rig, refused.waitS);
  expect(await rig.answer(FIRST, ask)).toMatchObject({ status: 200 });
});

const PAGE = { "sec-fetch-site": "same-origin" };

test("one key that reads all it may stops neither the other key of its account, nor the page, nor another account", async () => {
  const { rig } = await openStage();
  const account = { route: "GET /v1/account" };
  await useUp(rig, READER);
  expect(await rig.ask(FIRST, account)).toMatchObject({ status: 429 });
  expect(await rig.ask(FIRST, { ...account, apiKey: 1 })).toMatchObject({ status: 200 });
  await rig.clock.advance(1_000);
  expect(await rig.ask(FIRST, { ...account, headers: PAGE })).toMatchObject({ status: 200 });
  expect(await rig.ask(SECOND, account)).toMatchObject({ status: 200 });
  const orders = { route: "POST /v1/orders", body: LIMIT };
  expect(await rig.answer(FIRST, orders)).toMatchObject({ status: 201 });
});

test("the status says what is left for each, of the key that asks, and when the next fits", async () => {
  const { rig } = await openStage();
  type Left = { left: number; wait_s: number };
  const told = async (apiKey: 0 | 1) => {
    const { body } = await rig.ask(FIRST, { route: "GET /v1/status", apiKey });
    return body["exchange_budget"] as { weight: Record<string, Left>; actions_used: number | null };
  };
  rig.asked.length = 0;
  const { weight: quiet } = await told(0);
  expect(Object.keys(quiet)).toEqual(["reads", "orders", "reductions", "settling", "cancels"]);
  expect(Object.values(quiet).every(({ wait_s: waitS }) => waitS === 0)).toBe(true);
  const lefts = ["orders", "reductions", "settling", "cancels"].map((name) => quiet[name]?.left ?? 0);
  const [orders, reductions, settling] = lefts.map((left) => (lefts[3] ?? 0) - left);
  expect([orders, reductions]).toEqual([420, 360]);
  // What settling has read of its half minute is taken off as well.
  expect(settling).toBeGreaterThanOrEqual(300);
  await useUp(rig, READER);
  // No answer of a second ago stands in.
  await rig.clock.advance(1_000);
  const { weight: hungry, actions_used: used } = await told(0);
  expect(hungry["reads"]).toEqual({ left: 0, wait_s: expect.any(Number) as number });
  expect(hungry["reads"]?.wait_s).toBeGreaterThan(0);
  // As the exchange last told, and what was sent since: nobody asks for it.
  expect(used).toBeGreaterThanOrEqual(0);
  expect(rig.asked).not.toContain("userRateLimit");
  expect((await told(1)).weight["reads"]?.left).toBeGreaterThan(20);
  await useUp(rig, "order");
  const { weight: spent } = await told(1);
  expect(spent["orders"]).toMatchObject({ left: 0 });
  expect(spent["orders"]?.wait_s).toBeGreaterThan(0);
  expect(spent["reductions"]).toEqual({ left: 60, wait_s: 0 });
});

test.each([
  [true, 429, "exchange_rate_limited"],
  [false, 503, "exchange_unreachable"],
])(
  "a list of markets that is old, our own weight being why: %p, is told as that",
  async (isOurBudget, status, code) => {
    const { rig } = await openStage();
    const { markets } = rig.deps;
    Object.assign(markets, {
      ageMs: () => 400_000,
      refresh: async () => markets.current(),
      nextReading: () => ({ isOurBudget, waitS: 9 }),
    });
    const sent = rig.sent.length;
    for (const ask of [
      post("/v1/orders", LIMIT),
      post("/v1/leverage", { market: "BTC", leverage: 7, margin_type: "cross" }),
    ]) {
      const refused = refusalIn(await rig.ask(FIRST, ask));
      expect(refused).toMatchObject({ status, code, waitS: 9 });
      expect(refused.message).toContain("older than five minutes");
      expect(refused.message.includes("POSTERN_EXCHANGE_WEIGHT")).toBe(isOurBudget);
    }
    expect(rig.sent).toHaveLength(sent);
  },
);

test("reads that are used up stop neither a modify nor a cancel of an order that is not ours", async () => {
  const { rig, outside } = await openStage();
  for (const reader of ["a", "b", "c", "d", "e", "f"]) await useUp(rig, { reader });
  await useUp(rig, READER);
  expect(await rig.ask(FIRST, { route: `GET /v1/orders/${outside}` })).toMatchObject({ status: 429 });
  const path = `/v1/orders/${outside}`;
  expect(await rig.answer(FIRST, post(`${path}/modify`, { price: "79000" }))).toMatchObject({ status: 200 });
  expect(await rig.answer(FIRST, post(`${path}/cancel`, {}))).toMatchObject({
    status: 200,
    body: { status: "canceled" },
  });
});

test("orders that are used up stop none that only makes a position smaller", async () => {
  const { rig } = await openStage();
  await useUp(rig, "order");
  const smaller = { ...LIMIT, market: "ETH", side: "sell", price: "9000" };
  expect(await rig.ask(FIRST, post("/v1/orders", smaller))).toMatchObject({ status: 429 });
  const reduced = await rig.answer(FIRST, post("/v1/orders", { ...smaller, reduce_only: true }));
  expect(reduced).toMatchObject({ status: 201 });
  const twap = { market: "ETH", side: "sell", size: "0.1", duration_minutes: 5 };
  expect(await rig.ask(FIRST, post("/v1/twaps", twap))).toMatchObject({ status: 429 });
  expect(await rig.answer(FIRST, post("/v1/twaps", { ...twap, reduce_only: true }))).toMatchObject({ status: 200 });
});

test("orders are placed without a feed, whatever it costs to find out what became of them", async () => {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200 });
  const told = { placed: [] as number[], canceled: [] as number[] };
  await useUp(rig, READER);
  await useUp(rig, "settle");
  for (let second = 0; second < 15; second += 1) {
    const { status, body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: { ...LIMIT, price: "59000" } });
    told.placed.push(status);
    const cancel = { route: `POST /v1/orders/${body["id"]}/cancel`, body: {} };
    if (status === 201) void rig.ask(FIRST, cancel).then((answer) => told.canceled.push(answer.status));
    await rig.clock.advance(1_000);
  }
  await pass(rig, 8);
  expect(told.placed).toEqual(told.placed.map(() => 201));
  // What became of some is looked up later; nobody is told that there was no room.
  expect(told.canceled).toEqual(told.placed.map(() => 202));
});

test("the story of an order of unknown outcome says how long its reading waits for our own weight", async () => {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200 });
  rig.deliveries.push(...Array.from({ length: 9 }, () => DELIVERY.neverArrived));
  const body = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "50000" };
  const { id } = (await rig.answer(FIRST, { route: "POST /v1/orders", body })).body;
  const waits = async () => JSON.stringify((await rig.answer(FIRST, { route: `GET /v1/orders/${id}/story` })).body);
  expect(await waits()).not.toContain("has room for that");
  Object.assign(rig.deps.exchange, { budgetWaitS: () => 26 });
  expect(await waits()).toContain("has room for that in about 26 s");
});
