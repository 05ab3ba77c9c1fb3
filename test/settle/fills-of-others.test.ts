/** Fills that were read for one order are of others too: none is known as filled by a part of an answer. */
import { expect, test } from "bun:test";
import { listOpenOrders } from "../../src/actions/open-orders.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import { openFillIndex } from "../../src/settle/fills/index-fills.ts";
import { openOtherMachines } from "../../src/settle/restore/other-machine.ts";
import { openSettler } from "../../src/settle/settler.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { findLegByCloid } from "../../src/store/legs.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import type { BookOrder } from "../support/small-venue.ts";
import { recordOf } from "../support/small-venue.ts";

/** A gateway without a feed that heeds what its readings show, and two orders that rest; the second was placed 200 s later. */
async function openStage() {
  const rig = openGatewayRig();
  const { order: first } = await rig.answerOf(rig.place("key-first"));
  await rig.clock.advance(200_000);
  const { order: second } = await rig.answerOf(rig.place("key-second", { side: "sell" }));
  const [one, other] = rig.venue.orders;
  if (one === undefined || other === undefined) throw new Error("bug: nothing was placed");
  const index = openFillIndex(rig.deps, openOtherMachines(rig.deps));
  const settling = openSettler(rig.deps, { onFills: index.addRead });
  return {
    rig,
    deps: { ...rig.deps, settling },
    one,
    other,
    ids: [String(first["id"]), String(second["id"])] as const,
  };
}

function filledOf({ store }: GatewayRig, { cloid }: BookOrder): string | undefined {
  return findLegByCloid(store, cloid)?.filledSize;
}

function askedSince(rig: GatewayRig): number {
  const asked = rig.exchange.asked.findLast(({ request }) => request.type === "userFillsByTime");
  return Number(asked?.request["startTime"]);
}

test.each(["open", "canceled"])("a look at an order that is %s makes known what another was filled", async (status) => {
  const { rig, deps, one, other, ids } = await openStage();
  rig.venue.fill(one, "0.4");
  rig.venue.fill(other, "0.3");
  if (status !== "open") rig.venue.close(other, status);
  await deps.settling.look(ids[1]);
  expect([filledOf(rig, one), filledOf(rig, other)]).toEqual(["0.4", "0.3"]);
});

test("a list of open orders makes known what an order was filled that it shows as untouched, and tells that", async () => {
  const { rig, deps, one, other } = await openStage();
  const untouched = (recordOf(one) as { order: unknown }).order;
  rig.venue.fill(one, "0.4");
  rig.venue.fill(other, "0.3");
  const begun = (recordOf(other) as { order: unknown }).order;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [untouched, begun] : []));
  const page = { reader: { reader: "a client" }, dex: null, below: null, count: 10 };
  const { orders } = await listOpenOrders(deps, ACCOUNT, page);
  expect(orders.map(({ side, filledSize }) => `${side} ${filledSize}`)).toEqual(["sell 0.3", "buy 0.4"]);
  expect(filledOf(rig, one)).toBe("0.4");
});

test.each([
  ["its placing, where the index ends later", 1_000, 0],
  ["where the index ends before its placing", -20_000, -20_000],
  ["no earlier than any server is behind", -200_000, -BEHIND_MS],
])("fills of an order are read from %s", async (_what, indexedMs, sinceMs) => {
  const { rig, deps, other, ids } = await openStage();
  inTransaction(rig.store, (store) => setFillCursor(store, ACCOUNT.id, other.placedAtMs + indexedMs));
  rig.venue.fill(other, "0.3");
  await deps.settling.look(ids[1]);
  expect(askedSince(rig) - other.placedAtMs).toBe(sinceMs);
  const page = { reader: { reader: "a client" }, dex: null, below: null, count: 10 };
  await rig.clock.advance(1_000);
  const lone = (recordOf(other) as { order: unknown }).order;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [lone] : []));
  await listOpenOrders(deps, ACCOUNT, page);
  expect(askedSince(rig) - other.placedAtMs).toBe(sinceMs);
});
