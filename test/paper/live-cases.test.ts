/**
 * What other people's live runs against the real exchange showed, told again here by a client that we did not write. Each
 * case names its source.
 */
import { afterAll, describe, expect, test } from "bun:test";
import type { OrderParameters } from "@nktkas/hyperliquid";
import { ApiRequestError } from "@nktkas/hyperliquid";
import { serve } from "./support.ts";

const SOL = 5;
const PURR = 10_000;
const bench = serve();
const { client, infoClient } = bench;
const user = bench.owner.address;
afterAll(() => bench.server.stop());

type Terms = OrderParameters["orders"][number];
type Trigger = Extract<Terms["t"], { trigger: unknown }>["trigger"];

/** Five per cent below and above the middle, as that suite takes them, and 15 dollars' worth. */
async function around(): Promise<{ down: string; up: string; size: string }> {
  const middle = Number((await infoClient.allMids())["SOL"]);
  const price = (factor: number) => (middle * factor).toFixed(2);
  return { down: price(0.95), up: price(1.05), size: (15 / middle).toFixed(2) };
}

function statusOf(reply: { response: { data: { statuses: readonly unknown[] } } }): unknown {
  return reply.response.data.statuses[0];
}

function oidOf(status: unknown): number {
  const { resting } = status as { resting?: { oid: number } };
  if (resting === undefined) throw new Error(`no order rests: ${JSON.stringify(status)}`);
  return resting.oid;
}

/** What became of an order, by its record. */
async function endOf(oid: number): Promise<string> {
  const shown = await infoClient.orderStatus({ user, oid });
  return shown.status === "order" ? shown.order.status : shown.status;
}

async function restingBuy(): Promise<number> {
  const { down, size } = await around();
  const order: Terms = { a: SOL, b: true, p: down, s: size, r: false, t: { limit: { tif: "Gtc" } } };
  return oidOf(statusOf(await client.order({ orders: [order], grouping: "na" })));
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(
    () => new Error("it was taken"),
    (error: unknown) => error,
  );
  if (!(failure instanceof ApiRequestError)) throw failure;
  return failure.message;
}

describe("live cases", () => {
  // biome-ignore format: a table is read by its columns
  const MODIFIES: [string, (at: { down: string; up: string }) => Trigger, string[]][] = [
    // The worst price stays below the trigger: no stop at market could have it there. Nothing is offered so low.
    ["a take profit at market that is met", ({ up }) => ({ isMarket: true, triggerPx: up, tpsl: "tp" }), ["marketOrderNoLiquidityRejected"]],
    ["a stop limit that is met", ({ down }) => ({ isMarket: false, triggerPx: down, tpsl: "sl" }), ["triggered"]],
  ];

  test.each(MODIFIES)(
    "nktkas/hyperliquid, batchModify.test.ts: %s replaces a resting order, answered with an oid",
    async (_name, trigger, ends) => {
      const target = await restingBuy();
      const at = await around();
      const order: Terms = { a: SOL, b: true, p: at.down, s: at.size, r: false, t: { trigger: trigger(at) } };
      const oid = oidOf(statusOf(await client.batchModify({ modifies: [{ oid: target, order }], a: true })));
      expect(ends).toContain(await endOf(oid));
    },
  );

  test("hyperliquid-python-sdk issue 117: a stop limit that is met fires at once and then rests in the book", async () => {
    const { down, size } = await around();
    const trigger: Trigger = { isMarket: false, triggerPx: down, tpsl: "sl" };
    const order: Terms = { a: SOL, b: true, p: down, s: size, r: false, t: { trigger } };
    const oid = oidOf(statusOf(await client.order({ orders: [order], grouping: "na" })));
    expect(await endOf(oid)).toBe("triggered");
    expect((await infoClient.openOrders({ user })).map((open) => open.oid)).toContain(oid);
  });

  test("hyperliquid-python-sdk issue 190: a trigger at market that is met is taken, and refused a moment later", async () => {
    const { down, up, size } = await around();
    const trigger: Trigger = { isMarket: true, triggerPx: up, tpsl: "tp" };
    const order: Terms = { a: SOL, b: true, p: down, s: size, r: false, t: { trigger } };
    const oid = oidOf(statusOf(await client.order({ orders: [order], grouping: "na" })));
    expect(await endOf(oid)).toEndWith("Rejected");
  });

  test("MetaMask/core pull request 9674: a reduce-only trigger rests without a position, of size 0 as well", async () => {
    const { down, size } = await around();
    for (const s of [size, "0"]) {
      const trigger: Trigger = { isMarket: true, triggerPx: down, tpsl: "sl" };
      const order: Terms = { a: SOL, b: false, p: (Number(down) * 0.9).toFixed(2), s, r: true, t: { trigger } };
      const oid = oidOf(statusOf(await client.order({ orders: [order], grouping: "na" })));
      expect(await endOf(oid)).toBe("open");
      await client.cancel({ cancels: [{ a: SOL, o: oid }] });
    }
  });

  test("nautilus_trader issue 3611: a stop at market whose worst price is better than its trigger is refused", async () => {
    const { down, size } = await around();
    const trigger: Trigger = { isMarket: true, triggerPx: down, tpsl: "sl" };
    const better = (Number(down) * 1.01).toFixed(2);
    const order: Terms = { a: SOL, b: false, p: better, s: size, r: false, t: { trigger } };
    expect(await refusal(client.order({ orders: [order], grouping: "na" }))).toContain("Invalid TP/SL price.");
  });

  test("freqtrade pull request 10839: spot takes no triggers", async () => {
    const trigger: Trigger = { isMarket: true, triggerPx: "0.15", tpsl: "sl" };
    const order: Terms = { a: PURR, b: false, p: "0.14", s: "100", r: false, t: { trigger } };
    const text = "Placing trigger orders is not enabled on spot trading yet.";
    expect(await refusal(client.order({ orders: [order], grouping: "na" }))).toContain(text);
  });
});
