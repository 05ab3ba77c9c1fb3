/** Cancel-all as its client meets it: what goes, what stays, and what a repeat is told. */
import { expect, test } from "bun:test";
import { adoptOutside } from "../../src/actions/adopt-outside.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { findCancelAll } from "../../src/store/cancel-alls.ts";
import { parseFrontendOpenOrders } from "../../src/wire/answer/open-orders.ts";
import type { FrontendOrder } from "../../src/wire/answer/order-status.ts";
import { BOT, inSeconds, limitedRig, openMarketRig, place, refusalOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, START_MS } from "./rig.ts";

type Result = { order_id: string; status: string };
type Shown = { id: string; status: string; results: Result[] };

let made = 0;

type Asking = { apiKey?: string; key?: string };

function cancelAll(rig: Rig, terms: object = {}, { apiKey = KEYS.both, key }: Asking = {}): Promise<Response> {
  made += 1;
  const body = { account: ACCOUNTS.main, ...terms };
  const idempotencyKey = key ?? `cancel-all-${made}-of-this-test`;
  return inSeconds(rig, rig.ask({ path: "/v1/orders/cancel-all", apiKey, idempotencyKey, body }));
}

const REST = { price: "50000" };
const SALE = { side: "sell", price: "70000" };
const GUARD = {
  side: "sell",
  price: "50000",
  reduce_only: true,
  trigger: { price: "55000", kind: "stop_loss", market: true },
};

async function idOf(placed: Promise<Response>): Promise<string> {
  return ((await (await placed).json()) as Shown).id;
}

test.each([
  ["all of the key that increases", {}, ["purchase", "sale"]],
  ["what protects as well, when that is asked for", { keep_protection: false }, ["purchase", "sale", "guard"]],
  ["of one side", { side: "sell" }, ["sale"]],
  ["of another market, where there is nothing", { market: "ETH" }, []],
  ["of whoever placed it", { touches: "all" }, ["purchase", "sale", "other"]],
])("it cancels %s", async (_what, terms, gone) => {
  const rig = openMarketRig();
  const apiKey = KEYS.both;
  const ids = new Map([
    [await idOf(place(rig, REST, { apiKey })), "purchase"],
    [await idOf(place(rig, SALE, { apiKey })), "sale"],
    [await idOf(place(rig, GUARD, { apiKey })), "guard"],
    [await idOf(place(rig, REST, { apiKey: KEYS.writeOnly })), "other"],
  ]);
  const key = "the-same-key";
  await cancelAll(rig, terms, { key });
  for (let waited = 0; waited < 60; waited += 1) await rig.clock.advance(500);
  const answer = await cancelAll(rig, terms, { key });
  expect(answer.status).toBe(200);
  const { id, status, results } = (await answer.json()) as Shown;
  expect(status).toBe("done");
  expect(results.map((each) => [ids.get(each.order_id) ?? "", each.status]).toSorted()).toEqual(
    gone.map((name) => [name, "canceled"]).toSorted(),
  );
  const read = await rig.ask({ path: `/v1/cancel-alls/${id}`, apiKey: KEYS.both });
  expect(await read.json()).toMatchObject({ id, status: "done", results });
});

test("a repeat is told the same, and covers nothing that came later", async () => {
  const rig = openMarketRig();
  await place(rig, REST, { apiKey: KEYS.both });
  await cancelAll(rig, {}, { key: "the-same-key" });
  for (let waited = 0; waited < 60; waited += 1) await rig.clock.advance(500);
  const first = await (await cancelAll(rig, {}, { key: "the-same-key" })).text();
  const later = await idOf(place(rig, REST, { apiKey: KEYS.both }));
  const again = await cancelAll(rig, {}, { key: "the-same-key" });
  expect([await again.text(), again.headers.get("Idempotent-Replayed")]).toEqual([first, "true"]);
  expect(first).not.toContain(later);
  const other = await refusalOf(await cancelAll(rig, { side: "buy" }, { key: "the-same-key" }));
  expect(other).toStartWith("409 idempotency_key_reused");
});

test("what is not settled is burnt; until it is known to be over it is 202, and the repeat says when it is", async () => {
  const rig = openMarketRig();
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "silence" });
  const lost = await idOf(inSeconds(rig, place(rig, REST, { apiKey: KEYS.both })));
  const answer = await cancelAll(rig, {}, { key: "the-same-key" });
  expect([answer.status, ((await answer.json()) as Shown).status]).toEqual([202, "canceling"]);
  rig.deps.exchange.send = send;
  for (let waited = 0; waited < 80; waited += 1) await rig.clock.advance(500);
  const done = await cancelAll(rig, {}, { key: "the-same-key" });
  expect(done.status).toBe(200);
  expect(((await done.json()) as Shown).results).toMatchObject([{ order_id: lost, status: "rejected" }]);
});

test("a bot cancels its own, and others' only where its rails touch all", async () => {
  const rig = await limitedRig({});
  const own = await idOf(place(rig, REST));
  const others = await idOf(place(rig, REST, { apiKey: KEYS.both }));
  expect(await refusalOf(await cancelAll(rig, { touches: "all" }, { apiKey: BOT }))).toStartWith("403 rail_refused");
  const { results } = (await (await cancelAll(rig, {}, { apiKey: BOT })).json()) as Shown;
  expect(results.map(({ order_id }) => order_id)).toEqual([own]);
  expect(results).not.toContain(others);
  const timid = await limitedRig({ may: "increase,reduce" });
  expect(await refusalOf(await cancelAll(timid, {}, { apiKey: BOT }))).toStartWith("403 rail_refused");
});

test("nothing of an account goes by a key of another, nor by one that may only read", async () => {
  const rig = openMarketRig();
  expect(await refusalOf(await cancelAll(rig, { account: ACCOUNTS.other }))).toStartWith("403 account_mismatch");
  expect(await refusalOf(await cancelAll(rig, {}, { apiKey: KEYS.readOnly }))).toStartWith("403 insufficient_scope");
  const { id } = (await (await cancelAll(rig)).json()) as Shown;
  const read = await rig.ask({ path: `/v1/cancel-alls/${id}`, apiKey: KEYS.other });
  expect(await refusalOf(read)).toStartWith("404 cancel_all_not_found");
});

const ELSEWHERE = {
  coin: "BTC",
  side: "B",
  limitPx: "50000",
  sz: "0.01",
  oid: 4_242,
  timestamp: START_MS,
  triggerCondition: "N/A",
  isTrigger: false,
  triggerPx: "0.0",
  children: [],
  isPositionTpsl: false,
  reduceOnly: false,
  orderType: "Limit",
  origSz: "0.01",
  tif: "Gtc",
  cloid: null,
};

function elsewhere(): FrontendOrder[] {
  return parseFrontendOpenOrders([ELSEWHERE]) ?? [];
}

function addressIn({ deps }: Rig): string {
  return findAccount(deps.store, ACCOUNTS.main)?.tradingAddress ?? "";
}

/** The account's feed tells of an order from elsewhere that no list of the exchange shows yet, nor its record. */
function tellOf(rig: Rig, status: string): void {
  const updates = elsewhere().map((order) => ({ order, status, statusTimestampMs: rig.clock.nowMs() }));
  rig.deps.picture.hear(addressIn(rig), { kind: "order_updates", updates });
}

/** Its record is there once a cancel of it has come. */
function listByFeed(rig: Rig): void {
  const { info } = rig.deps.exchange;
  rig.deps.exchange.info = async (request, ...rest) => {
    const isCanceled = rig.sent.some((body) => body.includes(`"o":${ELSEWHERE.oid}`));
    if (request.type !== "orderStatus" || !isCanceled) return info(request, ...rest);
    const record = { order: ELSEWHERE, status: "canceled", statusTimestamp: rig.clock.nowMs() };
    return { kind: "ok", json: { status: "order", order: record } };
  };
  const atMs = rig.clock.nowMs();
  const shown = { part: "open", dex: "", value: elsewhere() } as const;
  rig.deps.picture.take(addressIn(rig), shown, { timeMs: atMs, askedAtMs: atMs });
}

async function later(rig: Rig, seconds: number): Promise<void> {
  for (let waited = 0; waited < seconds * 2; waited += 1) await rig.clock.advance(500);
}

async function again(rig: Rig, { id }: Shown): Promise<Shown> {
  return (await (await rig.ask({ path: `/v1/cancel-alls/${id}`, apiKey: KEYS.both })).json()) as Shown;
}

test.each([
  ["all", {}, ["canceled"]],
  ["its side", { side: "buy" }, ["canceled"]],
  ["another side", { side: "sell" }, []],
])(
  "one that touches %s cancels what the feed has shown and a list that is behind it lacks",
  async (_what, terms, gone) => {
    const rig = openMarketRig();
    listByFeed(rig);
    const asked = (await (await cancelAll(rig, { touches: "all", ...terms })).json()) as Shown;
    await later(rig, 30);
    const shown = await again(rig, asked);
    expect([shown.status, shown.results.map(({ status }) => status)]).toEqual(["done", gone as string[]]);
    expect(rig.sent.filter((body) => body.includes('"o":4242')).length).toBe(gone.length);
  },
);

test("one that was told, and that no server knows yet, keeps it from being done; what is known goes meanwhile", async () => {
  const rig = openMarketRig();
  const known = await idOf(place(rig, REST, { apiKey: KEYS.writeOnly }));
  tellOf(rig, "open");
  const asked = (await (await cancelAll(rig, { touches: "all" })).json()) as Shown;
  const elsewhere = (await (await cancelAll(rig, { touches: "all", market: "ETH" })).json()) as Shown;
  await later(rig, 30);
  const waiting = await again(rig, asked);
  expect([waiting.status, waiting.results]).toMatchObject(["canceling", [{ order_id: known, status: "canceled" }]]);
  expect((await again(rig, elsewhere)).status).toBe("done");
  tellOf(rig, "canceled");
  await later(rig, 10);
  expect((await again(rig, asked)).status).toBe("done");
});

test("what it, before a death, or somebody else has given a row since it was asked for is covered", async () => {
  const rig = openMarketRig();
  const { info } = rig.deps.exchange;
  const failed = { kind: "failed", reason: "silence", httpStatus: null, isOurBudget: false } as const;
  rig.deps.exchange.info = async (request, ...rest) =>
    request.type === "frontendOpenOrders" ? failed : info(request, ...rest);
  const asked = (await (await cancelAll(rig, { touches: "all" })).json()) as Shown;
  expect(asked.status).toBe("canceling");
  rig.deps.exchange.info = info;
  listByFeed(rig);
  const row = findCancelAll(rig.deps.store, asked.id);
  const account = findAccount(rig.deps.store, ACCOUNTS.main);
  if (row === null || account === null) throw new Error("not stored");
  const adopting = adoptOutside(rig.deps, row, account);
  await later(rig, 30);
  const { orderIds } = await adopting;
  const { status, results } = await again(rig, asked);
  expect([status, results.map(({ order_id }) => order_id)]).toEqual(["done", [...orderIds]]);
});
