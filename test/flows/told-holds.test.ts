/**
 * Without a feed: what an order on spot holds back is missed beside what orders of other hands do, whose list nobody has read. Each row: what is
 * open already, what the server of balances shows after the own order that is placed then, and what of that may be told.
 */
import { expect, test } from "bun:test";
import { markInterrupted } from "../../src/settle/start-up.ts";
import { delayed, FIRST, limitOrder, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const SECOND = 1_000;
const MINE = FIRST.account.tradingAddress;
const PURR = 10_000;

type Spot = { balances: { coin: string; total: string; hold: string }[] };

/** In USDC, each a purchase of PURR at 0.1. */
type Row = { byHand: number; own: number; placed: number; canceledByHand?: boolean };

async function place(rig: PaperRig, usd: number): Promise<void> {
  const body = { account: FIRST.account.id, market: "PURR/USDC", side: "buy", size: String(usd * 10), price: "0.1" };
  expect((await rig.answer(FIRST, { route: "POST /v1/orders", body })).body["status"]).toBe("open");
}

async function byHand(rig: PaperRig, usd: number): Promise<number> {
  const terms = { assetId: PURR, side: "buy", size: String(usd * 10), price: "0.1" } as const;
  const reply = JSON.stringify(await rig.elsewhere(FIRST, limitOrder(terms)));
  return Number(/"oid":(\d+)/.exec(reply)?.[1]);
}

/** What of USDC is told to be held back, or the word of the refusal, and how long that took. */
async function told(rig: PaperRig): Promise<{ hold: unknown; tookMs: number }> {
  const beganMs = rig.clock.nowMs();
  const { status, body } = await rig.answer(FIRST, { route: "GET /v1/account" });
  const spot = body["spot"] as { token: string; hold: string }[] | undefined;
  const hold = status === 200 ? spot?.find(({ token }) => token === "USDC")?.hold : body["error"];
  return { hold, tookMs: rig.clock.nowMs() - beganMs };
}

async function stage({ byHand: others, own }: Row): Promise<{ rig: PaperRig; oid: number }> {
  const rig = await openPaperRig();
  await rig.clock.advance(20 * SECOND);
  const oid = others > 0 ? await byHand(rig, others) : 0;
  if (own > 0) await place(rig, own);
  await rig.clock.advance(30 * SECOND);
  expect(await told(rig)).toMatchObject({ hold: String(others + own) });
  return { rig, oid };
}

test.each<[string, Row]>([
  ["another hand's that holds more", { byHand: 50, own: 0, placed: 12 }],
  ["another hand's that holds as much", { byHand: 12, own: 0, placed: 12 }],
  ["another hand's and an own one", { byHand: 50, own: 20, placed: 12 }],
  ["an own one", { byHand: 0, own: 20, placed: 12 }],
])(
  "balances of before an own order are not told beside %s, and those of now are as soon as they are shown",
  async (_what, row) => {
    const { rig } = await stage(row);
    const before = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
    await place(rig, row.placed);
    const untilMs = rig.clock.nowMs() + 3 * SECOND;
    rig.interfere = ({ type, user }) =>
      type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? before : undefined;
    const now = String(row.byHand + row.own + row.placed);
    expect(await told(rig)).toMatchObject({ hold: now });
    expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
    // And not once more, by another server that is behind.
    await rig.clock.advance(2 * SECOND);
    const againMs = rig.clock.nowMs() + 3 * SECOND;
    rig.interfere = ({ type, user }) =>
      type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < againMs ? before : undefined;
    expect(await told(rig)).toMatchObject({ hold: now });
  },
);

test("an honest exchange is told at once, whatever orders of whoever come and go", async () => {
  const { rig, oid } = await stage({ byHand: 50, own: 20, placed: 0 });
  const answers: { hold: unknown; tookMs: number }[] = [];
  for (let nth = 0; nth < 12; nth += 1) {
    await place(rig, 12 + nth);
    answers.push(await told(rig));
    if (nth === 5) await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: PURR, o: BigInt(oid) }] });
    await rig.clock.advance(2 * SECOND);
    answers.push(await told(rig));
  }
  expect(answers.filter(({ hold, tookMs }) => typeof hold !== "string" || tookMs > SECOND)).toEqual([]);
});

test("an own order of just what another hand has canceled is told after 20 s, when no server can be behind any more", async () => {
  const { rig, oid } = await stage({ byHand: 12, own: 0, placed: 0 });
  await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: PURR, o: BigInt(oid) }] });
  await place(rig, 12);
  expect(await told(rig)).toMatchObject({ hold: { code: "exchange_unreachable" } });
  await rig.clock.advance(14 * SECOND);
  expect(await told(rig)).toMatchObject({ hold: "12" });
});

/** What is done by ourselves after 20 of ours, and what another hand's hold, were told: what of USDC our orders come to then. */
const DONE: [string, (rig: PaperRig, id: string) => Promise<void>, number][] = [
  ["is canceled", cancel, 0],
  ["is made smaller", (rig, id) => modify(rig, id, { size: "150" }), 15],
  ["is made larger", (rig, id) => modify(rig, id, { size: "310" }), 31],
  ["is moved to a lower price", (rig, id) => modify(rig, id, { price: "0.07" }), 14],
  [
    "is canceled after another was placed, which nobody has read,",
    async (rig, id) => {
      await place(rig, 12);
      await cancel(rig, id);
    },
    12,
  ],
];

async function write(rig: PaperRig, route: string, body: object): Promise<void> {
  const answer = await rig.answer(FIRST, { route, body });
  expect(new Set<unknown>(["open", "canceled"]).has(answer.body["status"])).toBe(true);
}

function cancel(rig: PaperRig, id: string): Promise<void> {
  return write(rig, `POST /v1/orders/${id}/cancel`, {});
}

function modify(rig: PaperRig, id: string, terms: object): Promise<void> {
  return write(rig, `POST /v1/orders/${id}/modify`, terms);
}

const HANDS = [0, 20, 35];

test.each(DONE.flatMap((one) => HANDS.map((hand) => [...one, hand] as const)))(
  "balances of before an own order %s are not told, and those of now are: beside another hand's",
  async (_what, act, own, byHand) => {
    const { rig } = await stage({ byHand, own: 20, placed: 0 });
    const list = await rig.answer(FIRST, { route: "GET /v1/orders?status=open" });
    const rows = list.body["data"] as { id: string | null }[];
    const id = rows.flatMap((row) => row.id ?? [])[0] ?? "";
    const before = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
    await act(rig, id);
    const now = String(byHand + own);
    const honest = await told(rig);
    expect(honest).toMatchObject({ hold: now });
    expect(honest.tookMs).toBeLessThanOrEqual(SECOND);
    await rig.clock.advance(3 * SECOND);
    const untilMs = rig.clock.nowMs() + 3 * SECOND;
    rig.interfere = ({ type, user }) =>
      type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? before : undefined;
    expect(await told(rig)).toMatchObject({ hold: now });
    expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
  },
);

test("what was held between two own writes, which nobody was told, is not told as of now", async () => {
  const { rig } = await stage({ byHand: 35, own: 0, placed: 0 });
  await place(rig, 12);
  const between = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
  const list = await rig.answer(FIRST, { route: "GET /v1/orders?status=open" });
  const id = (list.body["data"] as { id: string | null }[]).flatMap((row) => row.id ?? [])[0] ?? "";
  await cancel(rig, id);
  const untilMs = rig.clock.nowMs() + 3 * SECOND;
  rig.interfere = ({ type, user }) =>
    type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? between : undefined;
  expect(await told(rig)).toMatchObject({ hold: "35" });
  expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
});

/** What is asked for while an own write is on its way is told as it is, and makes nothing of after it one of before. */
test.each([
  ["placed", 0],
  ["placed", 35],
  ["canceled", 0],
  ["canceled", 35],
] as const)(
  "balances that were read while an order was being %s do not hold up those of after it: beside %p of another hand",
  async (done, byHand) => {
    const { rig } = await stage({ byHand, own: 20, placed: 0 });
    const list = await rig.answer(FIRST, { route: "GET /v1/orders?status=open" });
    const id = (list.body["data"] as { id: string | null }[]).flatMap((row) => row.id ?? [])[0] ?? "";
    const terms = { account: FIRST.account.id, market: "PURR/USDC", side: "buy", size: "120", price: "0.1" };
    const ask =
      done === "placed"
        ? { route: "POST /v1/orders", body: terms }
        : { route: `POST /v1/orders/${id}/cancel`, body: {} };
    // What was read before stands no longer.
    await rig.clock.advance(3 * SECOND);
    rig.deliveries.push(delayed(0, SECOND));
    const asked = rig.ask(FIRST, ask);
    await rig.clock.advance(SECOND / 4);
    const now = String(byHand + (done === "placed" ? 32 : 0));
    expect(await told(rig)).toMatchObject({ hold: now });
    expect((await rig.answerOf(asked)).body["status"]).toBe(done === "placed" ? "open" : "canceled");
    await rig.clock.advance(3 * SECOND);
    const after = await told(rig);
    expect(after).toMatchObject({ hold: now });
    expect(after.tookMs).toBeLessThanOrEqual(SECOND);
  },
);

/** What others do with an order of ours, which is known later than it has happened: balances were told in between. */
test.each<[string, boolean, (rig: PaperRig, oid: string) => Promise<unknown>]>([
  ["a part of it was filled", false, (rig) => rig.trade("buy", "150", "0.25", PURR)],
  ["a part of it was filled, and we have canceled the rest", true, (rig) => rig.trade("buy", "150", "0.25", PURR)],
  [
    "another hand has canceled it",
    false,
    (rig, oid) => rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: PURR, o: BigInt(oid) }] }),
  ],
])("balances are told at once, when it is known that %s", async (_what, cancels, act) => {
  const rig = await openPaperRig();
  await rig.clock.advance(20 * SECOND);
  const body = { account: FIRST.account.id, market: "PURR/USDC", side: "sell", size: "300", price: "0.25" };
  const { body: order } = await rig.answer(FIRST, { route: "POST /v1/orders", body });
  expect(order["status"]).toBe("open");
  await rig.clock.advance(30 * SECOND);
  await told(rig);
  await act(rig, String(order["exchange_order_id"]));
  await rig.clock.advance(3 * SECOND);
  await told(rig);
  await rig.answer(FIRST, { route: `GET /v1/orders/${String(order["id"])}` });
  if (cancels) await cancel(rig, String(order["id"]));
  await rig.clock.advance(3 * SECOND);
  const after = await told(rig);
  expect(after).toMatchObject({ hold: "0" });
  expect(after.tookMs).toBeLessThanOrEqual(SECOND);
});

/** What is asked of an order that another hand has placed, of 50: what of USDC it holds back then. */
const TAKEN_OVER: [string, object, number][] = [
  ["to hold as much", { size: "1000", price: "0.05" }, 50],
  ["to hold less", { size: "300" }, 30],
];

const READ_BEFORE = [true, false];

test.each(TAKEN_OVER.flatMap((one) => READ_BEFORE.map((isRead) => [...one, isRead] as const)))(
  "balances are told at once when an order of another hand was modified %s, and those of before are not",
  async (_what, terms, left, isRead) => {
    const rig = await openPaperRig();
    await byHand(rig, 35);
    const oid = await byHand(rig, 50);
    await rig.clock.advance(20 * SECOND);
    await place(rig, 20);
    await rig.clock.advance(30 * SECOND);
    expect(await told(rig)).toMatchObject({ hold: "105" });
    const before = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
    await modify(rig, String(oid), terms);
    const now = { hold: String(35 + left + 20) };
    if (isRead) {
      await rig.clock.advance(3 * SECOND);
      expect((await told(rig)).tookMs).toBeLessThanOrEqual(SECOND);
      await rig.clock.advance(3 * SECOND);
    }
    const untilMs = rig.clock.nowMs() + 3 * SECOND;
    rig.interfere = ({ type, user }) =>
      type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? before : undefined;
    expect(await told(rig)).toMatchObject(now);
  },
);

test("an order that was given a row has not held less before, whatever another hand cancels", async () => {
  const { rig, oid } = await stage({ byHand: 50, own: 0, placed: 0 });
  const other = await byHand(rig, 50);
  await modify(rig, String(oid), { size: "1000", price: "0.05" });
  await rig.clock.advance(3 * SECOND);
  expect(await told(rig)).toMatchObject({ hold: "100" });
  await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: PURR, o: BigInt(other) }] });
  await rig.clock.advance(3 * SECOND);
  const after = await told(rig);
  expect(after).toMatchObject({ hold: "50" });
  expect(after.tookMs).toBeLessThanOrEqual(SECOND);
});

test("what an order held that an earlier process has placed is not told once it is canceled", async () => {
  const { rig } = await stage({ byHand: 35, own: 20, placed: 0 });
  // All that a process keeps in mind of it goes with it.
  rig.store.memory.heldChanges.clear();
  rig.store.memory.toldHolds.clear();
  markInterrupted(rig.deps);
  await rig.clock.advance(3 * SECOND);
  expect(await told(rig)).toMatchObject({ hold: "55" });
  const list = await rig.answer(FIRST, { route: "GET /v1/orders?status=open" });
  const id = (list.body["data"] as { id: string | null }[]).flatMap((row) => row.id ?? [])[0] ?? "";
  const before = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
  await cancel(rig, id);
  const untilMs = rig.clock.nowMs() + 3 * SECOND;
  rig.interfere = ({ type, user }) =>
    type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? before : undefined;
  expect(await told(rig)).toMatchObject({ hold: "35" });
  expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
});
