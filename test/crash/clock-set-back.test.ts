/** The machine's clock is set while the gateway runs, and again before it starts anew. */
import { expect, test } from "bun:test";
import { lookAtInterrupted } from "../../src/settle/start-up.ts";
import { DELIVERY, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

function noncesOf({ exchange }: GatewayRig): number[] {
  return exchange.sent.map(({ body }) => JSON.parse(body).nonce);
}

test.each([-3 * DAY_MS, -3_600_000, -1, 3 * DAY_MS])(
  "a clock that jumps by %d ms: numbers go on rising, and every key is executed once",
  async (stepMs) => {
    const rig = openGatewayRig();
    await rig.answerOf(rig.place("key-0001"));
    rig.clock.stepWall(stepMs);
    await rig.answerOf(rig.place("key-0002"));
    rig.deliveries.push(DELIVERY.answerLost);
    rig.stopAt.add("after_answer");
    rig.place("key-0003").catch(() => undefined);
    await rig.clock.advance(100);

    const next = await rig.restart();
    next.clock.stepWall(stepMs);
    void lookAtInterrupted(next.deps, next.settler);
    await next.answerOf(next.place("key-0004"));
    await next.clock.advance(60_000);

    const nonces = [...noncesOf(rig), ...noncesOf(next)];
    expect(nonces).toEqual([...new Set(nonces)].toSorted((a, b) => a - b));
    // The exchange takes numbers from two days before its own time to one day after it.
    for (const nonce of nonces) expect(Math.abs(nonce - START_MS)).toBeLessThan(DAY_MS);
    expect(next.venue.orders).toHaveLength(4);
    for (const key of ["key-0001", "key-0002", "key-0003", "key-0004"]) {
      const again = await next.answerOf(next.place(key));
      expect(again).toMatchObject({ httpStatus: 201, isReplay: true, order: { status: "open" } });
    }
    expect(next.venue.orders).toHaveLength(4);
  },
);
