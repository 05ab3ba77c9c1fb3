import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, type Desk, error, newDesk, START_MS, statusesOf } from "./support.ts";

const CLOID = `0x${"0".repeat(31)}1`;
const NEVER = error("Order was never placed, already canceled, or filled. asset=0");

function cancel(desk: Desk, user: string, cancels: { a: number; o: number }[], f = false): unknown[] {
  return statusesOf(desk.act(user, { type: "cancel", cancels, f }));
}

describe("cancel", () => {
  test("succeeds once, and only for the owner and the order's own market", () => {
    const desk = newDesk();
    const oid = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    expect(cancel(desk, BOB, [{ a: 0, o: oid }])).toEqual([NEVER]);
    expect(cancel(desk, ALICE, [{ a: 1, o: oid }])).toEqual([error(NEVER.error.replace("=0", "=1"))]);
    expect(
      cancel(desk, ALICE, [
        { a: 0, o: oid },
        { a: 0, o: oid },
        { a: 0, o: 1 },
      ]),
    ).toEqual(["success", NEVER, NEVER]);
    expect(desk.status(ALICE, oid)).toBe("canceled");
  });

  test("finds an order by the latest use of its cloid", () => {
    const desk = newDesk();
    const older = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1", cloid: CLOID });
    const newer = desk.rest(ALICE, { buy: true, price: "93000", size: "0.1", cloid: CLOID });
    const cancels = [{ asset: 0, cloid: CLOID }];
    expect(statusesOf(desk.act(ALICE, { type: "cancelByCloid", cancels, f: false }))).toEqual(["success"]);
    expect([desk.status(ALICE, older), desk.status(ALICE, newer)]).toEqual(["open", "canceled"]);
    expect(statusesOf(desk.act(ALICE, { type: "cancelByCloid", cancels, f: false }))).toEqual([NEVER]);
  });

  test("refuses more than 200 at once", () => {
    const desk = newDesk();
    const many = Array.from({ length: 201 }, (_, index) => ({ a: 0, o: index }));
    expect(cancel(desk, ALICE, many)).toEqual(["Signed action over weight limit of 200."]);
    expect(cancel(desk, ALICE, many.slice(1))).toHaveLength(200);
  });

  test("does not take a trigger order when it is fast", () => {
    const desk = newDesk();
    const oid = desk.rest(ALICE, { buy: true, price: "99000", size: "0.1", trigger: { at: "98000", tpsl: "sl" } });
    expect(cancel(desk, ALICE, [{ a: 0, o: oid }], true)).toEqual([NEVER]);
    expect(cancel(desk, ALICE, [{ a: 0, o: oid }])).toEqual(["success"]);
  });
});

function schedule(desk: Desk, time: number | null): unknown {
  const reply = desk.act(ALICE, { type: "scheduleCancel", time });
  return reply.status === "err" ? reply.response : "ok";
}

describe("scheduleCancel", () => {
  test("needs a million dollars traded, even to clear", () => {
    const desk = newDesk();
    desk.account(ALICE).volume = units(decimal("12066.7599"));
    const text = "Cannot set scheduled cancel time until enough volume traded. Required: $1000000. Traded: $12066.75.";
    expect(schedule(desk, START_MS + 10_000)).toBe(text);
    expect(schedule(desk, null)).toBe(text);
  });

  test("cancels everything at its time", () => {
    const desk = newDesk({ scheduleCancelVolumeUsd: 0 });
    const oids = [
      desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" }),
      desk.rest(ALICE, { buy: true, price: "99000", size: "0.1", trigger: { at: "98000", tpsl: "sl" } }),
    ];
    const other = desk.rest(BOB, { buy: true, price: "94000", size: "0.1" });
    expect(schedule(desk, START_MS + 4_999)).toContain("at least 5 seconds from now");
    expect(schedule(desk, START_MS + 5_000)).toBe("ok");
    desk.wait(4_999);
    expect(desk.account(ALICE).openOids.size).toBe(2);
    desk.wait(1);
    expect(oids.map((oid) => desk.status(ALICE, oid))).toEqual(["scheduledCancel", "scheduledCancel"]);
    expect(desk.live(other)).toBeDefined();
    expect(desk.account(ALICE).records.get(oids[0] ?? 0)?.statusTimestampMs).toBe(START_MS + 5_000);
  });

  test("can be cleared, and fires at most ten times a day", () => {
    const desk = newDesk({ scheduleCancelVolumeUsd: 0 });
    const oid = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    schedule(desk, START_MS + 5_000);
    expect(schedule(desk, null)).toBe("ok");
    desk.wait(60_000);
    expect(desk.status(ALICE, oid)).toBe("open");
    for (let count = 0; count < 10; count += 1) {
      expect(schedule(desk, desk.nowMs + 5_000)).toBe("ok");
      desk.wait(5_000);
    }
    expect(schedule(desk, desk.nowMs + 5_000)).toBe("Too many scheduled cancels triggered for the day. Limit is 10");
    desk.wait(86_400_000);
    expect(schedule(desk, desk.nowMs + 5_000)).toBe("ok");
  });
});
