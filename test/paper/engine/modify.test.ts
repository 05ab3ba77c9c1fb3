import { describe, expect, test } from "bun:test";
import type { VenueReply } from "../../../src/paper/engine/action.ts";
import { ALICE, BOB, type Desk, newDesk, requestOf, statusesOf, type Wanted } from "./support.ts";

const ORIGINAL: Wanted = { buy: true, price: "94000", size: "0.1" };
const DONE: VenueReply = { status: "ok", response: { type: "default" } };

type Modified = { reply: VenueReply; statuses: unknown[]; oid: number; next: number; desk: Desk };

/** Modifies ALICE's resting bid in a market of 94900 at 95100. */
function modified(
  order: Wanted,
  rest: { a?: boolean; batch?: boolean; gone?: boolean; original?: Wanted } = {},
): Modified {
  const desk = newDesk();
  desk.rest(BOB, { buy: true, price: "94900", size: "1" });
  desk.rest(BOB, { buy: false, price: "95100", size: "1" });
  const oid = desk.rest(ALICE, rest.original ?? ORIGINAL);
  if (rest.gone === true) desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: oid }], f: false });
  const next = desk.venue.nextOid;
  const a = rest.a ?? false;
  const request = { oid, order: requestOf(order) };
  const reply = desk.act(
    ALICE,
    rest.batch === true ? { type: "batchModify", modifies: [request], a } : { type: "modify", ...request, a },
  );
  return { reply, statuses: statusesOf(reply), oid, next, desk };
}

describe("modify", () => {
  test("answers default and gives the replacement a new oid", () => {
    const { reply, desk, oid, next } = modified({ ...ORIGINAL, price: "93000" });
    expect(reply).toEqual(DONE);
    expect([desk.status(ALICE, oid), desk.live(next)?.tif]).toEqual(["canceled", "Alo"]);
  });

  test("tells the new oid in a batch", () => {
    const { statuses, next } = modified({ ...ORIGINAL, price: "93000" }, { batch: true });
    expect(statuses).toEqual([{ resting: { oid: next } }]);
  });

  test("resolves a reused cloid to the newest order", () => {
    const cloid = `0x${"c".repeat(32)}`;
    const { desk, next } = modified({ ...ORIGINAL, price: "93000", cloid }, { original: { ...ORIGINAL, cloid } });
    expect(desk.account(ALICE).cloids.get(cloid)).toBe(next);
  });

  // biome-ignore format: a table is read by its columns
  const KEPT: [string, Wanted, string][] = [
    ["an Ioc replacement", { ...ORIGINAL, tif: "Ioc" }, "Attempted to modify to invalid new order"],
    ["a trigger replacement", { ...ORIGINAL, price: "99000", trigger: { at: "98000", tpsl: "sl" } }, "Attempted to modify to invalid new order"],
    ["another side", { ...ORIGINAL, buy: false, price: "96000" }, "Attempted to modify to invalid new order"],
    ["another market", { ...ORIGINAL, asset: 1, price: "3000" }, "Attempted to modify to invalid new order"],
    ["a price outside the band", { ...ORIGINAL, price: "4000" }, "Order price cannot be more than 95% away from the reference price"],
  ];

  test.each(KEPT)("leaves the original open for %s", (_name, order, text) => {
    const single = modified(order);
    expect(single.reply).toEqual({ status: "err", response: text });
    expect(single.desk.status(ALICE, single.oid)).toBe("open");
    const batch = modified(order, { batch: true });
    expect(batch.statuses).toEqual([{ error: text }]);
    expect(batch.desk.live(batch.oid)).toBeDefined();
  });

  test("leaves a reduce-only order open when the replacement drops the flag", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const oid = desk.rest(ALICE, { buy: false, price: "96000", size: "0.1", reduceOnly: true });
    const order = requestOf({ buy: false, price: "97000", size: "0.1" });
    expect(desk.act(ALICE, { type: "modify", oid, order, a: false })).toEqual({
      status: "err",
      response: "Attempted to modify to invalid new order",
    });
    expect(desk.status(ALICE, oid)).toBe("open");
  });

  test("has killed the original when the replacement would cross", () => {
    const crossing = { ...ORIGINAL, price: "95100" };
    const single = modified(crossing);
    const text = "Post only order would have immediately matched, bbo was 94900@95100";
    expect(single.reply).toEqual({ status: "err", response: `Error placing new order during modify: ${text}` });
    expect(single.desk.status(ALICE, single.oid)).toBe("canceled");
    const batch = modified(crossing, { batch: true });
    expect(batch.statuses).toEqual([{ error: `${text}. asset=0` }]);
    expect([batch.desk.status(ALICE, batch.oid), batch.desk.status(ALICE, batch.next)]).toEqual([
      "canceled",
      "badAloPxRejected",
    ]);
  });

  test("has killed the original when the replacement fails for any other reason", () => {
    const { reply, desk, oid } = modified({ ...ORIGINAL, size: "50" });
    const text = "Error placing new order during modify: Insufficient margin to place order";
    expect(reply).toEqual({ status: "err", response: text });
    expect(desk.live(oid)).toBeUndefined();
  });

  test("refuses a target that is gone", () => {
    const text = "Cannot modify canceled or filled order";
    expect(modified(ORIGINAL, { gone: true }).reply).toEqual({ status: "err", response: text });
    expect(modified(ORIGINAL, { gone: true, batch: true }).statuses).toEqual([{ error: text }]);
  });

  test("places regardless of the target with always_place", () => {
    const { reply, desk, next } = modified({ ...ORIGINAL, price: "93000" }, { gone: true, a: true });
    expect(reply).toEqual(DONE);
    expect(desk.live(next)).toMatchObject({ tif: "Gtc", phase: "resting" });
  });

  test("may cross, or become a trigger, with always_place", () => {
    const crossing = modified({ ...ORIGINAL, price: "95100" }, { a: true, batch: true });
    expect(crossing.statuses).toMatchObject([{ filled: { totalSz: "0.1" } }]);
    const order: Wanted = { ...ORIGINAL, price: "99000", trigger: { at: "98000", tpsl: "sl" } };
    const trigger = modified(order, { a: true, batch: true });
    expect(trigger.statuses).toEqual([{ resting: { oid: trigger.next } }]);
  });

  test("carries the builder over to the replacement", () => {
    const desk = newDesk({ builderNeedsBalance: false });
    desk.act(ALICE, { type: "approveBuilderFee", builder: BOB, maxFeeRate: "0.05%" });
    const oid = desk.venue.nextOid;
    const orders = [requestOf(ORIGINAL)];
    desk.act(ALICE, { type: "order", orders, grouping: "na", builder: { b: BOB, f: 50 } });
    desk.act(ALICE, { type: "modify", oid, order: requestOf({ ...ORIGINAL, price: "93000" }), a: false });
    expect(desk.live(oid + 1)?.builder).toEqual({ address: BOB, feeTenthsBp: 50 });
  });

  test("takes the children with the original and does not bring them back", () => {
    const desk = newDesk();
    const oid = desk.venue.nextOid;
    const stop: Wanted = {
      buy: false,
      price: "85000",
      size: "0.1",
      reduceOnly: true,
      trigger: { at: "91000", tpsl: "sl" },
    };
    desk.place(ALICE, [ORIGINAL, stop], "normalTpsl");
    desk.act(ALICE, { type: "modify", oid, order: requestOf({ ...ORIGINAL, price: "93000" }), a: false });
    expect(desk.status(ALICE, oid + 1)).toBe("canceled");
    expect([...desk.account(ALICE).openOids]).toEqual([oid + 2]);
  });
});
