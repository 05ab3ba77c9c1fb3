/** What goes wrong on request: each fault, and what is true at the exchange behind it. */
import { afterEach, describe, expect, test } from "bun:test";
import { ApiRequestError, HttpRequestError } from "@nktkas/hyperliquid";
import type { OrderParameters } from "@nktkas/hyperliquid/api/exchange";
import { type FaultFile, parseFaults, type RequestFault } from "../../src/paper/faults.ts";
import { UNOBSERVED } from "../../src/paper/runtime.ts";
import { type Served, serve, stranger } from "./support.ts";

const CLOID = "0xabc000000000000000000000000000a1";
const ORDER = {
  a: 0,
  b: true,
  p: "90000",
  s: "0.01",
  r: false,
  t: { limit: { tif: "Gtc" as const } },
  c: CLOID,
} as const;
const RESTING: OrderParameters = { orders: [ORDER], grouping: "na" };

const served: Served[] = [];
afterEach(async () => {
  for (const one of served.splice(0)) await one.server.stop();
});

function withRules(...rules: FaultFile["rules"]): Served {
  const started = serve({ faults: { rules }, hasControlRoute: true });
  served.push(started);
  return started;
}

function onExchange(fault: RequestFault, times = 1): Served {
  return withRules({ on: "exchange", times, fault });
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "answered",
    (failure: unknown) => failure,
  );
}

async function textOf(promise: Promise<unknown>): Promise<string> {
  const failure = await failureOf(promise);
  return failure instanceof ApiRequestError ? failure.message : String(failure);
}

function openCount({ paper, owner }: Served): number {
  return paper.venue.accounts.get(owner.address.toLowerCase())?.openOids.size ?? -1;
}

async function rested(started: Served): Promise<number> {
  const { response } = await started.client.order(RESTING);
  const [status] = response.data.statuses;
  if (typeof status !== "object" || !("resting" in status)) throw new Error("did not rest");
  return status.resting.oid;
}

describe("an action", () => {
  // biome-ignore format: one fault a row, and how many orders there are behind it
  const LOST: readonly [RequestFault, number][] = [
    [{ kind: "bad_gateway", status: 502, executed: true }, 1],
    [{ kind: "bad_gateway", status: 504, executed: false }, 0],
    [{ kind: "reset", executed: true }, 1],
    [{ kind: "reset", executed: false }, 0],
    [{ kind: "status", status: 429 }, 0],
    [{ kind: "status", status: 422 }, 0],
    [{ kind: "status", status: 500 }, 0],
  ];
  test.each(LOST)("that meets %j is lost to the client and leaves %d order", async (fault, orders) => {
    const started = onExchange(fault);
    expect(await failureOf(started.client.order(RESTING))).toBeInstanceOf(HttpRequestError);
    expect(openCount(started)).toBe(orders);
    // The rule was for once.
    expect(await started.client.order({ orders: [{ ...ORDER, a: 1, p: "2900" }], grouping: "na" })).toBeDefined();
  });

  test("may be refused by one server while a copy of it is executed by another, a little later", async () => {
    let wake: () => void = () => {};
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const text = "Must deposit before performing actions.";
    const fault = { kind: "refuse", text, usesNonce: false, copyAfterMs: 5_000 } as const;
    const waits: number[] = [];
    const started = serve({
      faults: { rules: [{ on: "exchange", times: 1, fault }] },
      sleep: (ms) => {
        waits.push(ms);
        return slept;
      },
    });
    served.push(started);
    expect(await textOf(started.client.order(RESTING))).toContain("Must deposit");
    expect([waits, openCount(started)]).toEqual([[5_000], 0]);
    wake();
    while (openCount(started) === 0) await started.infoClient.exchangeStatus();
    expect(openCount(started)).toBe(1);
  });

  test.each([true, false])("may never be answered, executed: %p", async (executed) => {
    const arrived = Promise.withResolvers<unknown>();
    const started = serve({
      faults: { rules: [{ on: "exchange", times: 1, fault: { kind: "lose_answer", executed } }] },
      observer: { ...UNOBSERVED, struck: arrived.resolve },
    });
    served.push(started);
    const gone = new AbortController();
    const pending = failureOf(started.client.order(RESTING, { signal: gone.signal }));
    await arrived.promise;
    gone.abort();
    expect(await pending).toBeInstanceOf(HttpRequestError);
    expect(openCount(started)).toBe(executed ? 1 : 0);
  });

  test("may be answered late, after other things have happened", async () => {
    let wake: () => void = () => {};
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waits: number[] = [];
    const started = serve({
      faults: { rules: [{ on: "exchange", times: 1, fault: { kind: "delay", ms: 5_000, executed: true } }] },
      sleep: (ms) => {
        waits.push(ms);
        return slept;
      },
    });
    served.push(started);
    const pending = started.client.order(RESTING);
    while (waits.length === 0) await started.infoClient.exchangeStatus();
    expect([waits, openCount(started)]).toEqual([[5_000], 1]);
    wake();
    expect((await pending).response.data.statuses[0]).toHaveProperty("resting");
  });

  test("that comes twice is told of the nonce of the first time, and there is one order", async () => {
    const started = onExchange({ kind: "twice" });
    expect(await textOf(started.client.order(RESTING))).toMatch(/^Invalid nonce: duplicate nonce [0-9]+$/);
    expect(openCount(started)).toBe(1);
  });

  test.each(["statuses", "err"] as const)("of a batch may have one error for all in the form %s", async (form) => {
    const started = onExchange({ kind: "single_error", form, text: "Orders are empty." });
    const orders = [ORDER, { ...ORDER, p: "89000" }];
    expect(await textOf(started.client.order({ orders, grouping: "na" }))).toContain("Orders are empty.");
    expect(openCount(started)).toBe(0);
  });

  test("may be refused with any text, as by the address limit", async () => {
    const text = "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0.0.";
    const started = onExchange({ kind: "refuse", text });
    expect(await textOf(started.client.order(RESTING))).toBe(text);
    expect(openCount(started)).toBe(0);
  });

  test("that modifies may kill the original and place nothing", async () => {
    const started = withRules({
      on: "exchange",
      type: "batchModify",
      fault: {
        kind: "modify_kills",
        text: "Post only order would have immediately matched, bbo was 94990@95009. asset=0",
      },
    });
    const oid = await rested(started);
    const modify = started.client.batchModify({ modifies: [{ oid, order: { ...ORDER, p: "89000" } }] });
    expect(await textOf(modify)).toContain("Post only order would have immediately matched");
    const { owner, infoClient } = started;
    expect(await infoClient.openOrders({ user: owner.address })).toEqual([]);
    expect(await infoClient.orderStatus({ user: owner.address, oid })).toMatchObject({ order: { status: "canceled" } });
  });

  test("that cancels may miss an order that was acknowledged just now", async () => {
    const started = withRules({ on: "exchange", type: "cancel", fault: { kind: "cancel_misses", withinMs: 3_000 } });
    const oid = await rested(started);
    const text = await textOf(started.client.cancel({ cancels: [{ a: 0, o: oid }] }));
    expect(text).toContain("Order was never placed, already canceled, or filled. asset=0");
    expect(openCount(started)).toBe(1);
    started.pass(3_000);
    await started.client.cancel({ cancels: [{ a: 0, o: oid }] });
    expect(openCount(started)).toBe(0);
  });

  test.each(["cancel", "cancelByCloid", "modify", "batchModify"] as const)(
    "%s may come after the fill",
    async (type) => {
      const started = withRules({ on: "exchange", type, fault: { kind: "fills_first" } });
      const oid = await rested(started);
      const { client, infoClient, owner } = started;
      const asks = {
        cancel: () => client.cancel({ cancels: [{ a: 0, o: oid }] }),
        cancelByCloid: () => client.cancelByCloid({ cancels: [{ asset: 0, cloid: CLOID }] }),
        modify: () => client.modify({ oid, order: { ...ORDER, p: "89000" } }),
        batchModify: () => client.batchModify({ modifies: [{ oid: CLOID, order: { ...ORDER, p: "89000" } }] }),
      };
      expect(await textOf(asks[type]())).toMatch(/filled/);
      expect(openCount(started)).toBe(0);
      const fills = await infoClient.userFills({ user: owner.address });
      expect(fills.map(({ oid: of, px, sz, crossed }) => ({ of, px, sz, crossed }))).toEqual([
        { of: oid, px: "90000.0", sz: "0.01", crossed: false },
      ]);
      expect((await infoClient.l2Book({ coin: "BTC" }))?.levels[0]).toHaveLength(6);
    },
  );

  test("may leave an order that others fill in part, at once or after a while", async () => {
    const fault = { kind: "part_fills", percent: 50 } as const;
    const started = withRules(
      { on: "exchange", type: "order", times: 1, fault },
      { on: "exchange", type: "order", times: 1, skip: 1, fault: { ...fault, percent: 100, afterMs: 2_000 } },
    );
    const filled = async () =>
      (await started.infoClient.userFills({ user: started.owner.address })).map(({ sz }) => sz);
    await rested(started);
    expect(await filled()).toEqual(["0.005"]);
    expect(openCount(started)).toBe(1);
    await rested(started);
    expect(openCount(started)).toBe(2);
    started.pass(1_999);
    expect(openCount(started)).toBe(2);
    started.pass(1);
    // The older order stands before it and goes first.
    expect(openCount(started)).toBe(0);
  });

  test("may find its agent removed", async () => {
    const started = withRules({ on: "exchange", type: "order", skip: 1, fault: { kind: "agent_removed" } });
    const agent = stranger();
    await started.client.approveAgent({ agentAddress: agent.address, agentName: "bot" });
    const client = started.clientOf(agent);
    await client.order(RESTING);
    expect(await textOf(client.order(RESTING))).toContain(started.owner.address.toLowerCase());
    started.pass(61_000);
    expect(await textOf(client.order(RESTING))).toContain(agent.address.toLowerCase());
  });

  test("may fall into the minutes after an upgrade, when only post-only orders are taken", async () => {
    const started = onExchange({ kind: "post_only", ms: 60_000 });
    const crossing: OrderParameters = { orders: [{ ...ORDER, p: "97000" }], grouping: "na" };
    expect(await textOf(started.client.order(crossing))).toContain(
      "Only post-only orders allowed immediately after a network upgrade",
    );
    started.pass(61_000);
    expect((await started.client.order(crossing)).response.data.statuses[0]).toHaveProperty("filled");
  });

  test("may be followed by the end of all orders", async () => {
    const started = withRules({
      on: "exchange",
      type: "noop",
      fault: { kind: "system_cancel", status: "marginCanceled" },
    });
    const oid = await rested(started);
    await started.client.noop({ nonce: started.nowMs + 10 });
    const status = await started.infoClient.orderStatus({ user: started.owner.address, oid });
    expect(status).toMatchObject({ order: { status: "marginCanceled" } });
    expect(openCount(started)).toBe(0);
  });
});

describe("a read", () => {
  test("of an order may lag behind its acknowledgement", async () => {
    const started = withRules({ on: "info", type: "orderStatus", fault: { kind: "status_lag", ms: 1_000 } });
    const oid = await rested(started);
    const user = started.owner.address;
    expect(await started.infoClient.orderStatus({ user, oid })).toEqual({ status: "unknownOid" });
    expect(await started.infoClient.openOrders({ user })).toHaveLength(1);
    started.pass(1_000);
    expect(await started.infoClient.orderStatus({ user, oid })).toMatchObject({ status: "order" });
  });

  test("may come from a node that is stuck in the past, while others answer", async () => {
    const started = withRules({ on: "info", type: "openOrders", fault: { kind: "stuck_node", every: 2 } });
    const user = started.owner.address;
    expect(await started.infoClient.openOrders({ user })).toHaveLength(0);
    await rested(started);
    const seen = [];
    for (let turn = 0; turn < 4; turn += 1) seen.push((await started.infoClient.openOrders({ user })).length);
    expect(seen).toEqual([0, 1, 0, 1]);
  });

  test("uses up the weight of its address, and is answered 429 with null when that is gone", async () => {
    const started = serve({ faults: { rules: [], ipWeightPerMinute: 44 } });
    served.push(started);
    const ask = () => started.post("/info", '{"type":"meta"}');
    const statuses = [(await ask()).status, (await ask()).status];
    const third = await ask();
    expect([...statuses, third.status, await third.text()]).toEqual([200, 200, 429, "null"]);
    expect((await started.post("/info", '{"type":"allMids"}')).status).toBe(200);
    started.pass(60_000);
    expect((await ask()).status).toBe(200);
  });
});

describe("rules", () => {
  test("wait for their turn, last as long as they say, and let others be", async () => {
    const started = withRules({ on: "info", type: "meta", skip: 1, times: 2, fault: { kind: "status", status: 500 } });
    const statuses: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      await started.post("/info", '{"type":"allMids"}');
      statuses.push((await started.post("/info", '{"type":"meta"}')).status);
    }
    expect(statuses).toEqual([200, 500, 500, 200, 200]);
  });

  test("can be changed while it runs, when that was asked for", async () => {
    const started = withRules();
    const set = (body: object) => started.post("/control", JSON.stringify(body));
    const faults = { rules: [{ on: "info", fault: { kind: "status", status: 429 } }] };
    expect((await set({ faults })).status).toBe(200);
    expect((await started.post("/info", '{"type":"meta"}')).status).toBe(429);
    await set({ faults: { rules: [] }, prices: [{ coin: "BTC", price: "80000" }], fund: [`0x${"77".repeat(20)}`] });
    expect((await started.infoClient.allMids())["BTC"]).toBe("80000.0");
    expect(await started.infoClient.userRole({ user: `0x${"77".repeat(20)}` })).toEqual({ role: "user" });
  });

  // biome-ignore format: one mistake a row
  const WRONG: readonly [unknown, string][] = [
    [{}, "faults/rules"],
    [{ rules: [], more: 1 }, "faults/more"],
    [{ rules: [{ on: "info", fault: { kind: "nothing" } }] }, "faults/rules/0"],
    [{ rules: [{ on: "info", fault: { kind: "delay", ms: -1, executed: true } }] }, "faults/rules/0"],
    [{ rules: [{ on: "ws", fault: { kind: "twice" } }] }, "faults/rules/0"],
    [{ rules: [{ on: "info", times: 0, fault: { kind: "twice" } }] }, "faults/rules/0"],
  ];
  test.each(WRONG)("such as %j are refused with the place of the mistake", (file, place) => {
    expect(() => parseFaults(file)).toThrow(place);
  });
});
