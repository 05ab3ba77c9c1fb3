/** Reads that are behind, wrong or cut short, refusals with and without their number, lists of markets that move. */
import { afterEach, describe, expect, test } from "bun:test";
import { ApiRequestError } from "@nktkas/hyperliquid";
import type { OrderParameters } from "@nktkas/hyperliquid/api/exchange";
import { type FaultFile, parseFaults, type RequestFault } from "../../src/paper/faults.ts";
import { type Served, serve, stranger } from "./support.ts";

const CLOID = "0xabc000000000000000000000000000a1";
const RESTING: OrderParameters = {
  orders: [{ a: 0, b: true, p: "90000", s: "0.01", r: false, t: { limit: { tif: "Gtc" } }, c: CLOID }],
  grouping: "na",
};

const served: Served[] = [];
afterEach(async () => {
  for (const one of served.splice(0)) await one.server.stop();
});

function started(file: Partial<FaultFile>): Served {
  // What a test asks for is what a file could hold.
  const one = serve({ faults: parseFaults({ rules: [], ...file }), hasControlRoute: true, hasMarketMaker: false });
  served.push(one);
  return one;
}

function onInfo(fault: RequestFault, type?: string): Served {
  return started({ rules: [{ on: "info", ...(type === undefined ? {} : { type }), fault }] });
}

async function rest(one: Served, some: object = {}): Promise<number> {
  const order = RESTING.orders[0];
  if (order === undefined) throw new Error("no order");
  const { response } = await one.client.order({ orders: [{ ...order, ...some }], grouping: "na" });
  const [status] = response.data.statuses;
  if (typeof status !== "object" || !("resting" in status)) throw new Error("did not rest");
  return status.resting.oid;
}

function statusOf(one: Served, oid: number): Promise<unknown> {
  return one.infoClient.orderStatus({ user: one.owner.address, oid });
}

async function openIds(one: Served): Promise<number[]> {
  return (await one.infoClient.openOrders({ user: one.owner.address })).map(({ oid }) => oid);
}

async function textOf(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(
    () => "answered",
    (error: unknown) => error,
  );
  return failure instanceof ApiRequestError ? failure.message : String(failure);
}

describe("a read", () => {
  test("of one store may be behind, and of another not", async () => {
    const one = onInfo({ kind: "behind", ms: 3_000 }, "openOrders");
    const oid = await rest(one);
    expect(await openIds(one)).toEqual([]);
    expect(await statusOf(one, oid)).toMatchObject({ order: { status: "open" } });
    one.pass(2_999);
    expect(await openIds(one)).toEqual([]);
    one.pass(1);
    expect(await openIds(one)).toEqual([oid]);
    await one.client.cancel({ cancels: [{ a: 0, o: oid }] });
    expect(await openIds(one)).toEqual([oid]);
    one.pass(3_000);
    expect(await openIds(one)).toEqual([]);
  });

  test("tells the time of what it shows", async () => {
    const one = onInfo({ kind: "behind", ms: 3_000 }, "clearinghouseState");
    one.pass(5_000);
    expect((await one.infoClient.clearinghouseState({ user: one.owner.address })).time).toBe(one.nowMs - 3_000);
  });

  test("may go to one of several servers, each as far behind as it is", async () => {
    const one = onInfo({ kind: "balancer", lagsMs: [0, 2_000, 10_000] }, "openOrders");
    const oid = await rest(one);
    one.pass(5_000);
    expect([await openIds(one), await openIds(one), await openIds(one), await openIds(one)]).toEqual([
      [oid],
      [oid],
      [],
      [oid],
    ]);
  });

  test("may tell a wrong time", async () => {
    const one = onInfo({ kind: "clock", wrongByMs: -86_400_000 }, "exchangeStatus");
    expect((await one.infoClient.exchangeStatus()).time).toBe(one.nowMs - 86_400_000);
  });

  test("may have forgotten an order that is over, and no other", async () => {
    const one = onInfo({ kind: "forgets", afterMs: 2_000 });
    const oid = await rest(one);
    one.pass(2_000);
    expect(await statusOf(one, oid)).toMatchObject({ order: { status: "open" } });
    await one.client.cancel({ cancels: [{ a: 0, o: oid }] });
    one.pass(1_999);
    expect(await statusOf(one, oid)).toMatchObject({ order: { status: "canceled" } });
    one.pass(1);
    expect(await statusOf(one, oid)).toEqual({ status: "unknownOid" });
    const history = await one.infoClient.historicalOrders({ user: one.owner.address });
    expect(history.map(({ status }) => status)).toEqual(["open"]);
  });

  test("may be a short page, of which what happened at one moment stays together", async () => {
    const one = onInfo({ kind: "short_page", rows: 2 }, "userFillsByTime");
    const maker = stranger();
    one.paper.fund(maker.address);
    for (const wait of [0, 0, 0, 1_000]) {
      one.pass(wait);
      const terms = { a: 0, p: "95000", s: "0.01", r: false } as const;
      const rests = { ...terms, b: false, t: { limit: { tif: "Gtc" } } } as const;
      await one.clientOf(maker).order({ orders: [rests], grouping: "na" });
      await one.client.order({ orders: [{ ...terms, b: true, t: { limit: { tif: "Ioc" } } }], grouping: "na" });
    }
    const asked = { user: one.owner.address, startTime: 0 };
    expect(await one.infoClient.userFillsByTime(asked)).toHaveLength(3);
    expect(await one.infoClient.userFillsByTime({ ...asked, startTime: one.nowMs })).toHaveLength(1);
    one.paper.setFaults({ rules: [] });
    expect(await one.infoClient.userFillsByTime(asked)).toHaveLength(4);
  });

  test("may say a status in a word that nobody has listed", async () => {
    const one = onInfo({ kind: "new_word", status: "canceled", word: "retired" });
    const oid = await rest(one);
    expect(await statusOf(one, oid)).toMatchObject({ order: { status: "open" } });
    await one.client.cancel({ cancels: [{ a: 0, o: oid }] });
    expect(await one.info({ type: "orderStatus", user: one.owner.address, oid })).toMatchObject({
      order: { status: "retired" },
    });
  });

  test("may show a closed order with all of its size left", async () => {
    const one = onInfo({ kind: "wrong_rest" }, "orderStatus");
    const oid = await rest(one, { p: "90000", s: "0.02" });
    await one.client.modify({
      oid,
      order: { a: 0, b: true, p: "89000", s: "0.02", r: false, t: { limit: { tif: "Alo" } } },
    });
    expect(await statusOf(one, oid)).toMatchObject({ order: { status: "canceled", order: { sz: "0.02" } } });
  });

  test("may be answered with another order of the account", async () => {
    const one = onInfo({ kind: "another_order" }, "orderStatus");
    const [first, second] = [await rest(one), await rest(one, { c: undefined, p: "89000" })];
    expect(await statusOf(one, first)).toMatchObject({ order: { order: { oid: second } } });
  });
});

describe("an action", () => {
  // biome-ignore format: one row for each way in which it may be refused
  const REFUSALS: readonly [RequestFault, isUsed: boolean][] = [
    [{ kind: "refuse", text: "No." }, true],
    [{ kind: "refuse", text: "No.", usesNonce: true }, true],
    [{ kind: "refuse", text: "No.", usesNonce: false }, false],
    [{ kind: "single_error", form: "err", text: "No." }, true],
    [{ kind: "single_error", form: "statuses", text: "No.", usesNonce: false }, false],
  ];
  test.each(REFUSALS)("that meets %j has used its nonce: %p", async (fault, isUsed) => {
    const one = started({ rules: [{ on: "exchange", type: "order", times: 1, fault }] });
    expect(await textOf(one.client.order(RESTING))).toContain("No.");
    // The first number that this client takes.
    const nonce = one.nowMs;
    const again = await textOf(one.client.noop({ nonce }));
    expect(again).toBe(isUsed ? `Invalid nonce: duplicate nonce ${nonce}` : "answered");
    expect(await openIds(one)).toEqual([]);
  });

  test("that would be refused with its number is refused for that number, where it is used already", async () => {
    const one = started({ rules: [{ on: "exchange", type: "order", fault: { kind: "refuse", text: "No." } }] });
    const nonce = one.nowMs;
    await one.client.noop({ nonce });
    expect(await textOf(one.client.order(RESTING))).toBe(`Invalid nonce: duplicate nonce ${nonce}`);
  });

  test("may be answered with another order's ids", async () => {
    const one = started({ rules: [{ on: "exchange", type: "order", fault: { kind: "names_another" } }] });
    const told = await rest(one);
    expect(await openIds(one)).toEqual([told - 1]);
  });

  test("may get a namesake of another hand, of twice its size", async () => {
    const one = started({ rules: [{ on: "exchange", type: "order", times: 1, fault: { kind: "namesake" } }] });
    const oid = await rest(one);
    const open = await one.infoClient.openOrders({ user: one.owner.address });
    expect(open.map(({ cloid, sz }) => [cloid, sz])).toEqual([
      [CLOID, "0.02"],
      [CLOID, "0.01"],
    ]);
    const byCloid = await one.infoClient.orderStatus({ user: one.owner.address, oid: CLOID });
    expect(byCloid).not.toMatchObject({ order: { order: { oid } } });
  });
});

describe("the list of markets", () => {
  async function names(one: Served): Promise<string[]> {
    return (await one.infoClient.meta()).universe.map(({ name }) => name);
  }

  test("may have two change places: ids mean what the list says", async () => {
    const one = started({ marketChanges: [{ afterMs: 10_000, swap: ["BTC", "ETH"] }] });
    const before = await rest(one);
    expect((await names(one)).slice(0, 2)).toEqual(["BTC", "ETH"]);
    one.pass(10_000);
    expect((await names(one)).slice(0, 2)).toEqual(["ETH", "BTC"]);
    const [{ universe }, contexts] = await one.infoClient.metaAndAssetCtxs();
    expect([universe[0]?.name, contexts[0]?.markPx, contexts[1]?.markPx]).toEqual(["ETH", "3200.0", "95000.0"]);
    const ether = await rest(one, { a: 0, p: "3000", c: undefined });
    expect(await statusOf(one, ether)).toMatchObject({ order: { order: { coin: "ETH" } } });
    expect(await textOf(one.client.cancel({ cancels: [{ a: 0, o: before }] }))).toContain("or filled. asset=0");
    await one.client.cancel({ cancels: [{ a: 1, o: before }] });
    expect(await openIds(one)).toEqual([ether]);
  });

  test("may move more than once", async () => {
    const one = started({
      marketChanges: [
        { afterMs: 0, swap: ["BTC", "ETH"] },
        { afterMs: 0, swap: ["BTC", "SOL"] },
      ],
    });
    one.pass(0);
    const [{ universe }, contexts] = await one.infoClient.metaAndAssetCtxs();
    const prices = universe.map(({ name }, at) => [name, contexts[at]?.markPx]);
    expect([prices[0], prices[1], prices[5]]).toEqual([
      ["ETH", "3200.0"],
      ["SOL", expect.stringMatching(/^1[0-9]{2}\.[0-9]$/)],
      ["BTC", "95000.0"],
    ]);
    const oid = await rest(one, { a: 5 });
    expect(await statusOf(one, oid)).toMatchObject({ order: { order: { coin: "BTC" } } });
    const dust = one.client.order({ orders: [{ ...RESTING.orders[0], a: 5, s: "0.0001" }], grouping: "na" } as never);
    expect(await textOf(dust)).toContain("minimum value of $10. asset=5");
  });

  test("may change the decimals of a size, and delist what is traded", async () => {
    const one = started({
      marketChanges: [
        { afterMs: 5_000, coin: "BTC", sizeDecimals: 2 },
        { afterMs: 10_000, coin: "BTC", isDelisted: true },
      ],
    });
    const oid = await rest(one, { s: "0.011" });
    one.pass(5_000);
    expect((await one.infoClient.meta()).universe[0]).toMatchObject({ name: "BTC", szDecimals: 2 });
    expect(
      await textOf(one.client.order({ ...RESTING, orders: [{ ...RESTING.orders[0], s: "0.011" }] } as never)),
    ).toContain("Order has invalid size.");
    expect(await openIds(one)).toEqual([oid]);
    one.pass(5_000);
    expect((await one.infoClient.meta()).universe[0]).toMatchObject({ isDelisted: true });
    expect(await statusOf(one, oid)).toMatchObject({ order: { status: "delistedCanceled" } });
    expect(await textOf(one.client.order(RESTING))).toContain("Trading is halted.");
  });

  test.each([
    [{ afterMs: 0, coin: "NOTHING", sizeDecimals: 2 }, "faults: no perpetual NOTHING"],
    [{ afterMs: 0, swap: ["BTC", "PURR/USDC"] }, "faults: no perpetual PURR/USDC"],
    [{ afterMs: 0, swap: ["BTC", "xyz:TSLA"] }, "faults: BTC and xyz:TSLA stand in different lists"],
  ])("cannot be moved where it is not: %j", async (change, text) => {
    expect(() => started({ marketChanges: [change] as never })).toThrow(text);
    const one = started({});
    const answer = await one.post("/control", JSON.stringify({ faults: { rules: [], marketChanges: [change] } }));
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(text)]);
  });
});
