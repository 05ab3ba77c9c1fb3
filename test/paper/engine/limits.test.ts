import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { chargeRequest, openOrderFault, requestCap } from "../../../src/paper/engine/limits.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, type Desk, newDesk } from "./support.ts";

function noop(desk: Desk): string {
  const reply = desk.act(ALICE, { type: "noop" });
  return reply.status === "err" ? reply.response : "ok";
}

describe("the address limit", () => {
  test("allows a start, one action per dollar traded, and what was reserved", () => {
    const desk = newDesk();
    const account = desk.account(ALICE);
    account.volume = units(decimal("2854574.593578"));
    expect(requestCap(desk.venue, account)).toBe(2_864_574);
    expect(desk.act(ALICE, { type: "reserveRequestWeight", weight: 100, destination: null }).status).toBe("ok");
    expect(requestCap(desk.venue, account)).toBe(2_864_674);
    expect(account.cash.get(0)).toBe(units(decimal("99999.95")));
  });

  test("lets an exhausted address send one action in ten seconds, whatever else it tries", () => {
    const desk = newDesk({ requestAllowance: 2 });
    expect([noop(desk), noop(desk), noop(desk)]).toEqual(["ok", "ok", "ok"]);
    const text =
      "Too many cumulative requests sent (4 > 2) for cumulative volume traded $0. " +
      "Place taker orders to free up 1 request per USDC traded.";
    expect(noop(desk)).toBe(text);
    desk.wait(9_999);
    expect(noop(desk)).toBe(text);
    desk.wait(1);
    expect(noop(desk)).toBe("ok");
  });

  test.each([
    [false, "ok"],
    [true, "duplicate"],
  ])("uses the nonce of a refused action only where the switch says so (%s)", (rateLimitUsesNonce, expected) => {
    const desk = newDesk({ requestAllowance: 1, rateLimitUsesNonce });
    noop(desk);
    noop(desk);
    expect(noop(desk)).toContain("Too many");
    desk.wait(10_000);
    desk.nonce -= 1;
    expect(noop(desk)).toContain(expected);
  });

  test("counts a batch by its length, a stale action five times, and cancels against a wider cap", () => {
    const desk = newDesk({ requestAllowance: 100 });
    const { requests } = desk.account(ALICE);
    const order = { buy: true, price: "90000", size: "0.01" };
    desk.place(ALICE, [order, order, order]);
    expect(requests.used).toBe(3);
    desk.act(ALICE, { type: "noop" }, { expiresAfter: desk.nowMs - 1 });
    expect(requests.used).toBe(8);
    requests.used = 100;
    requests.freeAtMs = desk.nowMs + 1;
    expect(chargeRequest(desk.venue, desk.account(ALICE), { count: 100, isCancel: true }, desk.nowMs)).toBeNull();
    expect(chargeRequest(desk.venue, desk.account(ALICE), { count: 1, isCancel: true }, desk.nowMs)).not.toBeNull();
  });

  test("is earned by trading, at a tenth in growth mode", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    desk.hold(BOB, { asset: 110_001, buy: true, price: "400", size: "10" });
    expect(desk.account(ALICE).volume).toBe(units(decimal("9500")));
    expect(desk.account(BOB).volume).toBe(units(decimal("400")));
  });
});

describe("open orders", () => {
  function open(count: number, volume: string): Desk {
    const desk = newDesk();
    for (let oid = 0; oid < count; oid += 1) desk.account(ALICE).openOids.add(oid);
    desk.account(ALICE).volume = units(decimal(volume));
    return desk;
  }

  const plain = { buy: true, price: "90000", size: "0.1" };
  const trigger = { buy: true, price: "99000", size: "0.1", trigger: { at: "98000", tpsl: "sl" } } as const;

  test.each([
    [999, "0", plain, null],
    [1_000, "0", plain, "Too many open orders"],
    [1_000, "5000000", plain, null],
    [1_001, "5000000", plain, "Too many open orders"],
    [1_000, "5000000", trigger, "Too many open orders"],
    [4_999, "99000000000", plain, null],
    [5_000, "99000000000", plain, "Too many open orders"],
  ])("of %s with %s dollars traded", (count, volume, wanted, expected) => {
    const model = newDesk();
    const order = model.live(model.rest(ALICE, wanted));
    if (order === undefined) throw new Error("no order");
    expect(openOrderFault(open(count, volume).account(ALICE), order)).toBe(expected);
  });
});
