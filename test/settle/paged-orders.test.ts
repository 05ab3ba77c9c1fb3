/** Orders whose fills take more than one page: each answer says nothing of what another lacks. */
import { expect, test } from "bun:test";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import { findOrder } from "../../src/store/orders.ts";
import { type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";

const PAGE_ROWS = 2_000;
type Shown = { time: number; oid: number; sz: string };

function fillsAt(times: readonly number[], oid: number, size: string, firstTid: number): Shown[] {
  return times.map((time, nth) => ({
    coin: "BTC",
    px: "100.0",
    sz: size,
    side: "B",
    time,
    startPosition: `${nth}.0`,
    dir: "Open Long",
    closedPnl: "0.0",
    hash: `0x${"00".repeat(32)}`,
    oid,
    crossed: false,
    fee: "0.0",
    feeToken: "USDC",
    tid: firstTid + nth,
    cloid: null,
  }));
}

function others(fromMs: number, count: number, firstTid: number): Shown[] {
  const times = Array.from({ length: count }, (_, nth) => fromMs + nth);
  return fillsAt(times, 7, "1.0", firstTid);
}

async function placed(): Promise<{ rig: GatewayRig; id: string; order: BookOrder }> {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { rig, id: String(shown["id"]), order };
}

function answerFills(rig: GatewayRig, shownFor: (startMs: number) => readonly Shown[], newest: readonly Shown[]): void {
  rig.exchange.answer("userFillsByTime", ({ startTime, endTime, reversed }: InfoRequest) => {
    const all = shownFor(Number(startTime));
    const asked = all.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime ?? time));
    return (reversed === true ? asked.toReversed() : asked).slice(0, PAGE_ROWS);
  });
  rig.exchange.answer("userFills", () => newest.toReversed().slice(0, PAGE_ROWS));
}

function listed(order: BookOrder, size: string): object {
  return { ...(recordOf(order) as { order: object }).order, sz: size };
}

test("fills of an open order that are more than its late record leaves room for are not taken for all of them", async () => {
  const { rig, id, order } = await placed();
  const first = others(order.placedAtMs + 1, PAGE_ROWS, 1);
  const between = others(order.placedAtMs + 5_000, PAGE_ROWS, 10_000);
  const last = others(order.placedAtMs + 10_000, PAGE_ROWS - 1, 20_000);
  const [inBetween] = fillsAt([order.placedAtMs + 6_000], order.oid, "0.4", 90_000);
  const [newest] = fillsAt([order.placedAtMs + 13_000], order.oid, "0.5", 90_001);
  if (inBetween === undefined || newest === undefined) throw new Error("no fills");
  const all = [...first, ...between, inBetween, ...last, newest].toSorted((a, b) => a.time - b.time);
  answerFills(rig, () => all, all);
  // The record is of before the second fill.
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: { order: listed(order, "0.6"), status: "open", statusTimestamp: order.placedAtMs },
  }));
  await rig.clock.advance(20_000);
  await rig.deps.settling.look(id);
  // It was filled by 0.4 and is by 0.9; it was never filled by 0.5.
  expect(["0.4", "0.9"]).toContain(findOrder(rig.store, id)?.filledSize ?? "");
});

test("a newest fill in one answer is no witness of what another answer lacks", async () => {
  const { rig, id, order } = await placed();
  const first = others(order.placedAtMs + 1, PAGE_ROWS, 1);
  const late = others(order.placedAtMs + 20_000, PAGE_ROWS, 20_000);
  const [own] = fillsAt([order.placedAtMs + 6_000], order.oid, "0.4", 90_000);
  if (own === undefined) throw new Error("no fills");
  const all = [...first, own, ...late].toSorted((a, b) => a.time - b.time);
  // The second page is asked of a server that is fifteen seconds behind; the newest page is fresh.
  answerFills(rig, (startMs) => (startMs > order.placedAtMs + 1_000 ? first : all), all);
  order.statusAtMs = START_MS + 10_000;
  rig.venue.fill(order, "0.4");
  // Canceled; its record carries the whole size.
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: { order: listed(order, "1.0"), status: "canceled", statusTimestamp: order.placedAtMs + 10_000 },
  }));
  await rig.clock.advance(30_000);
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.clock.advance(2_000);
    await rig.deps.settling.look(id);
  }
  expect(findOrder(rig.store, id)).not.toMatchObject({ status: "canceled", filledSize: "0" });
});
