/** The exchange as a client sees it that we did not write. */
import { afterAll, describe, expect, test } from "bun:test";
import { ApiRequestError } from "@nktkas/hyperliquid";
import { serve, stranger } from "./support.ts";

const bench = serve();
const { client, infoClient, owner } = bench;
const user = owner.address;
afterAll(() => bench.server.stop());

const BTC = 0;
/** High bits set: the SDK turns a cloid that is small as a number into an oid. */
const CLOID = "0xabc000000000000000000000000000a1";

async function refusal(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(
    () => new Error("accepted"),
    (error: unknown) => error,
  );
  if (!(failure instanceof ApiRequestError)) throw failure;
  return failure.message;
}

describe("a client of the exchange", () => {
  test("rests an order, finds it, modifies it and cancels it", async () => {
    const placed = await client.order({
      orders: [{ a: BTC, b: true, p: "90000", s: "0.001", r: false, t: { limit: { tif: "Gtc" } }, c: CLOID }],
      grouping: "na",
    });
    const [status] = placed.response.data.statuses;
    if (status === undefined || typeof status === "string" || !("resting" in status)) throw new Error("did not rest");
    const { oid } = status.resting;
    expect(status.resting).toEqual({ oid, cloid: CLOID });

    expect(await infoClient.openOrders({ user })).toEqual([
      {
        coin: "BTC",
        side: "B",
        limitPx: "90000.0",
        sz: "0.001",
        oid,
        timestamp: bench.nowMs,
        origSz: "0.001",
        cloid: CLOID,
      },
    ]);
    const byCloid = await infoClient.orderStatus({ user, oid: CLOID });
    expect(byCloid).toMatchObject({ status: "order", order: { status: "open", order: { oid, tif: "Gtc" } } });

    const modified = await client.batchModify({
      modifies: [{ oid, order: { a: BTC, b: true, p: "89000", s: "0.002", r: false, t: { limit: { tif: "Alo" } } } }],
    });
    const [after] = modified.response.data.statuses;
    if (after === undefined || typeof after === "string" || !("resting" in after)) throw new Error("did not rest");
    expect(after.resting.oid).not.toBe(oid);
    expect(await infoClient.orderStatus({ user, oid })).toMatchObject({ order: { status: "canceled" } });

    await client.cancel({ cancels: [{ a: BTC, o: after.resting.oid }] });
    expect(await infoClient.openOrders({ user })).toEqual([]);
    expect(await refusal(client.cancel({ cancels: [{ a: BTC, o: after.resting.oid }] }))).toContain(
      "Order was never placed, already canceled, or filled. asset=0",
    );
  });

  test("fills a marketable order and reads the fill, the position and the fees", async () => {
    const placed = await client.order({
      orders: [{ a: BTC, b: true, p: "97000", s: "0.01", r: false, t: { limit: { tif: "Ioc" } } }],
      grouping: "na",
    });
    const [status] = placed.response.data.statuses;
    if (status === undefined || typeof status === "string" || !("filled" in status)) throw new Error("did not fill");
    expect(status.filled.totalSz).toBe("0.01");
    const [fill] = await infoClient.userFills({ user });
    expect(fill).toMatchObject({
      coin: "BTC",
      oid: status.filled.oid,
      px: status.filled.avgPx,
      sz: "0.01",
      side: "B",
      dir: "Open Long",
      crossed: true,
      feeToken: "USDC",
    });
    const state = await infoClient.clearinghouseState({ user });
    expect(state.assetPositions[0]?.position).toMatchObject({ coin: "BTC", szi: "0.01", leverage: { type: "cross" } });
  });

  test("trades spot and a perpetual of another dex", async () => {
    const spot = await client.order({
      orders: [{ a: 10_107, b: true, p: "44", s: "1", r: false, t: { limit: { tif: "Ioc" } } }],
      grouping: "na",
    });
    expect(spot.response.data.statuses[0]).toHaveProperty("filled");
    const tesla = await client.order({
      orders: [{ a: 110_001, b: true, p: "430", s: "0.1", r: false, t: { limit: { tif: "Ioc" } } }],
      grouping: "na",
    });
    expect(tesla.response.data.statuses[0]).toHaveProperty("filled");
    const state = await infoClient.clearinghouseState({ user, dex: "xyz" });
    expect(state.assetPositions.map(({ position }) => position.coin)).toEqual(["xyz:TSLA"]);
    const coins = (await infoClient.userFills({ user })).map(({ coin }) => coin);
    expect(coins.slice(0, 2)).toEqual(["xyz:TSLA", "@107"]);
  });

  test("is told who it is when nobody knows the signer", async () => {
    const nobody = stranger();
    const text = await refusal(bench.clientOf(nobody).cancel({ cancels: [{ a: BTC, o: 1 }] }));
    expect(text).toBe(`User or API Wallet ${nobody.address.toLowerCase()} does not exist.`);
  });

  test("approves an agent, which then trades for its owner and nobody else", async () => {
    const agent = stranger();
    await client.approveAgent({ agentAddress: agent.address, agentName: "bot" });
    const listed = await infoClient.extraAgents({ user });
    expect(listed).toMatchObject([{ name: "bot", address: agent.address.toLowerCase() }]);
    const placed = await bench.clientOf(agent).order({
      orders: [{ a: 1, b: true, p: "2500", s: "0.01", r: false, t: { limit: { tif: "Alo" } } }],
      grouping: "na",
    });
    expect(placed.response.data.statuses[0]).toHaveProperty("resting");
    expect(await infoClient.userRole({ user: agent.address })).toEqual({
      role: "agent",
      data: { user: user.toLowerCase() as `0x${string}` },
    });
    expect(await infoClient.openOrders({ user: agent.address })).toEqual([]);
    expect(await infoClient.openOrders({ user })).toHaveLength(1);
  });
});
