/** Orders that are placed as one action: one key, one number, and the truth of each by itself. */
import { describe, expect, test } from "bun:test";
import type { FaultFile, RequestFault } from "../../src/paper/faults.ts";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { listNotes } from "../../src/store/notes.ts";
import { type Answer, DELIVERY, FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const RESTS = { market: "BTC", side: "buy", size: "0.1", price: "90000" };
const FILLS = { ...RESTS, price: "95000" };
/** The exchange refuses it when its turn comes: there is no short position. */
const REFUSED = { ...RESTS, reduce_only: true };
/** The price is no multiple of the tick. */
const OFF_TICK = { ...RESTS, price: "90000.01" };

const KEY = "batch-key-0001";
const ROUTE = "POST /v1/orders/batch";

type Row = Record<string, unknown>;

function batch(rig: PaperRig, orders: readonly object[], key = KEY): Promise<Answer> {
  return rig.answer(FIRST, { route: ROUTE, key, body: { account: FIRST.account.id, orders } });
}

function ordersIn({ body }: Answer): Row[] {
  return body["orders"] as Row[];
}

function statuses(answer: Answer): unknown[] {
  return ordersIn(answer).map(({ status }) => status);
}

function idsIn(answer: Answer): string[] {
  return ordersIn(answer).map(({ id }) => String(id));
}

async function shown(rig: PaperRig, answer: Answer): Promise<Row[]> {
  const read: Row[] = [];
  for (const id of idsIn(answer)) read.push((await rig.answer(FIRST, { route: `GET /v1/orders/${id}` })).body);
  return read;
}

function onExchange(fault: RequestFault): FaultFile {
  return { rules: [{ on: "exchange", type: "order", times: 1, fault }] };
}

/** Open orders at the exchange, whoever placed them. */
async function openPrices(rig: PaperRig): Promise<unknown[]> {
  const open = (await rig.info({ type: "openOrders", user: FIRST.account.tradingAddress })) as Row[];
  return open.map(({ limitPx }) => limitPx).sort();
}

describe("a batch that is answered", () => {
  test("has a word for each order, which then is an order like any other; all have one number", async () => {
    const rig = await openPaperRig();
    await rig.trade("sell", "0.1", "95000");
    const answer = await batch(rig, [RESTS, FILLS, REFUSED]);
    expect([answer.status, statuses(answer)]).toEqual([201, ["open", "filled", "rejected"]]);
    expect(rig.sent.filter((type) => type === "order")).toEqual(["order"]);
    const nonces = idsIn(answer).map((id) => listAttemptsOf(rig.store, id)[0]?.nonce);
    expect(new Set(nonces).size).toBe(1);
    expect(await shown(rig, answer)).toEqual(ordersIn(answer));
    const again = await batch(rig, [RESTS, FILLS, REFUSED]);
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, answer.text, "true"]);
    const other = await batch(rig, [RESTS, FILLS]);
    expect(other).toMatchObject({ status: 409, body: { error: { code: "idempotency_key_reused" } } });
  });

  test("can be modified and canceled order by order", async () => {
    const rig = await openPaperRig();
    const [first = "", second = ""] = idsIn(await batch(rig, [RESTS, { ...RESTS, price: "90100" }]));
    const modified = await rig.answer(FIRST, { route: `POST /v1/orders/${first}/modify`, body: { price: "89900" } });
    const canceled = await rig.answer(FIRST, { route: `POST /v1/orders/${second}/cancel`, body: {} });
    expect([modified.body["status"], canceled.body["status"]]).toEqual(["open", "canceled"]);
    expect(await openPrices(rig)).toEqual(["89900.0"]);
  });

  test("is told order by order, with the key and which of its orders each is", async () => {
    const rig = await openPaperRig();
    await batch(rig, [RESTS, REFUSED]);
    const events = (await rig.answer(FIRST, { route: "GET /v1/events?after=0&follow=false" })).text;
    const told = events
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as Row] : []));
    const created = told.filter(({ type }) => type === "order.created");
    expect(created.map(({ idempotency_key: key, batch_index: index }) => [key, index])).toEqual([
      [KEY, 0],
      [KEY, 1],
    ]);
  });

  test.each([
    ["in its statuses", "statuses"],
    ["as a whole", "err"],
  ] as const)("with one error for all %s says so of each", async (_how, form) => {
    const text = "Order price cannot be more than 95% away from the reference price";
    const rig = await openPaperRig({ faults: onExchange({ kind: "single_error", form, text }) });
    const answer = await batch(rig, [RESTS, RESTS, RESTS]);
    expect([answer.status, statuses(answer)]).toEqual([201, ["rejected", "rejected", "rejected"]]);
    for (const { error } of ordersIn(answer)) expect(error).toContain(text);
    expect(await openPrices(rig)).toEqual([]);
  });

  test.each([0, 1, 2])("with words for %i of three orders is looked up, order by order", async (words) => {
    const rig = await openPaperRig({ faults: onExchange({ kind: "short_answer", words }) });
    const answer = await batch(rig, [RESTS, REFUSED, { ...RESTS, price: "90100" }]);
    expect([answer.status, statuses(answer)]).toEqual([201, ["open", "rejected", "open"]]);
    expect(await openPrices(rig)).toEqual(["90000.0", "90100.0"]);
  });
});

describe("a batch whose answer is lost", () => {
  test("is settled order by order, by what the exchange shows of each", async () => {
    const fault = { kind: "lose_answer", executed: true } as const;
    const rig = await openPaperRig({
      faults: { rules: [{ on: "exchange", type: "order", skip: 1, times: 1, fault }] },
    });
    await rig.trade("sell", "0.1", "95000");
    const answer = await batch(rig, [RESTS, FILLS, REFUSED]);
    expect([answer.status, statuses(answer)]).toEqual([201, ["open", "filled", "rejected"]]);
    expect(await openPrices(rig)).toEqual(["90000.0"]);
  });

  test("and that never ran left nothing: one empty action proves it of all", async () => {
    const rig = await openPaperRig({ faults: onExchange({ kind: "lose_answer", executed: false }) });
    const answer = await batch(rig, [RESTS, FILLS, RESTS]);
    expect([answer.status, statuses(answer)]).toEqual([201, ["rejected", "rejected", "rejected"]]);
    for (const { error } of ordersIn(answer)) expect(error).toContain("an empty action has taken its number");
    expect(rig.sent.filter((type) => type === "noop")).toEqual(["noop"]);
    expect(await openPrices(rig)).toEqual([]);
  });

  test("and that ran tells of an order that left no record: two histories that hold another of it lack this", async () => {
    const forgets: FaultFile["rules"] = ["orderStatus", "historicalOrders"].map((type) => ({
      on: "info",
      type,
      fault: { kind: "forgets", afterMs: 0 },
    }));
    const { rules } = onExchange({ kind: "lose_answer", executed: true });
    const rig = await openPaperRig({ faults: { rules: [...rules, ...forgets] } });
    const answer = await batch(rig, [RESTS, REFUSED]);
    expect([answer.status, statuses(answer)]).toEqual([201, ["open", "rejected"]]);
    expect(ordersIn(answer)[1]?.["error"]).toContain("shows other orders of its batch");
    const [first = "", second = ""] = idsIn(answer);
    // That the other was there is the answer on the number: nothing had to be asked for it.
    expect(listAttemptsOf(rig.store, second)[0]).toMatchObject({ seal: "nonce_taken", hasLanded: true });
    expect(listNotes(rig.store, first).length).toBeGreaterThan(0);
  });

  test("ends for all of it when an order of it is canceled that never ran", async () => {
    const rig = await openPaperRig({ faults: onExchange({ kind: "lose_answer", executed: false }) });
    const asked = rig.ask(FIRST, {
      route: ROUTE,
      key: KEY,
      body: { account: FIRST.account.id, orders: [RESTS, RESTS] },
    });
    const answer = await rig.answerOf(asked);
    const canceled = await rig.answer(FIRST, { route: `POST /v1/orders/${idsIn(answer)[0]}/cancel`, body: {} });
    expect(["canceled", "rejected"]).toContain(String(canceled.body["status"]));
    expect(await openPrices(rig)).toEqual([]);
  });
});

describe("a batch of which nothing is sent", () => {
  test.each([
    ["a price off the tick", [RESTS, OFF_TICK, OFF_TICK], "order_refused", [1, 2]],
    ["a market that is not there", [{ ...RESTS, market: "NOPE" }, RESTS], "unknown_market", [0]],
    ["a size of nothing", [RESTS, { ...RESTS, size: "0" }], "invalid_parameter", [1]],
  ] as const)("%s is named by its place, and the key stays free", async (_what, orders, code, indexes) => {
    const rig = await openPaperRig();
    const refused = await batch(rig, orders);
    const error = refused.body["error"] as { code: string; orders: { index: number; code: string }[] };
    expect([refused.status, error.code, error.orders.map(({ index }) => index)]).toEqual([400, code, [...indexes]]);
    expect(new Set(error.orders.map((each) => each.code))).toEqual(new Set([code]));
    expect([rig.sent, findKeyRecord(rig.store, FIRST.account.id, KEY)]).toEqual([[], null]);
    expect((await batch(rig, [RESTS])).status).toBe(201);
  });

  test("is one of spot and perpetuals together", async () => {
    const rig = await openPaperRig();
    const refused = await batch(rig, [RESTS, { ...RESTS, market: "PURR/USDC", price: "0.1", size: "200" }]);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_parameter" } } });
    expect(rig.sent).toEqual([]);
  });

  test("vanishes as a whole when no byte of it left", async () => {
    const rig = await openPaperRig();
    rig.deliveries.push(DELIVERY.notSent);
    const refused = await batch(rig, [RESTS, FILLS]);
    expect(refused.status).toBe(503);
    const rows = rig.store.$client.query<{ n: number }, []>("select count(*) n from orders").get();
    expect([rows?.n, findKeyRecord(rig.store, FIRST.account.id, KEY)]).toEqual([0, null]);
    expect(statuses(await batch(rig, [RESTS, { ...RESTS, price: "90100" }]))).toEqual(["open", "open"]);
  });

  test("draws on the bucket of its key as often as it has orders, all at once or not at all", async () => {
    const off = { perSecond: 0, burst: 0 };
    const orders = { perSecond: 1, burst: 3 };
    const limits = { orders, cancels: off, otherWrites: off, reads: off };
    const failures = {
      failedAuthenticationsPerMinute: 0,
      failedRegistrationsPerMinute: 0,
      failedRevocationsPerMinute: 0,
    };
    const rig = await openPaperRig({ settings: { limits: { ...limits, ...failures } } });
    const four = await batch(rig, [RESTS, RESTS, RESTS, RESTS]);
    expect(four).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
    expect((await batch(rig, [RESTS, RESTS, RESTS])).status).toBe(201);
    expect((await batch(rig, [RESTS], "batch-key-0002")).status).toBe(429);
  });
});
