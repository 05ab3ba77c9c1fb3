/** An agent may be retired after a write has been let in and before its intent is stored. */

import { expect, test } from "bun:test";
import { createTwap } from "../../src/actions/create-twap.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import { retireAgent } from "../../src/store/agents.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { listOperations } from "../../src/store/operations.ts";
import { listOrders } from "../../src/store/orders.ts";
import { ACCOUNT, AGENT_ADDRESS, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

const KEY = "key-00000001";

function twap({ deps, caller }: GatewayRig): Promise<WriteAnswer> {
  const terms = { market: "BTC", side: "buy" as const, size: "1", durationMinutes: 30 };
  const flags = { randomize: false, reduceOnly: false };
  return createTwap(deps, caller, { ...terms, ...flags, idempotencyKey: KEY, fingerprint: KEY });
}

const WRITES: [string, (rig: GatewayRig) => Promise<WriteAnswer>][] = [
  ["an order", (rig) => rig.place(KEY)],
  ["an operation", twap],
];

test.each(WRITES)("%s whose agent is retired meanwhile is refused, and nothing is stored or sent", async (_, write) => {
  const rig = openGatewayRig();
  rig.deps.point = (name) => {
    if (name === "before_intent") retireAgent(rig.store, AGENT_ADDRESS);
    return undefined;
  };
  const refused: unknown = await rig.answerOf(write(rig)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "agent_not_approved" });
  expect(rig.exchange.sent).toEqual([]);
  expect(findKeyRecord(rig.store, ACCOUNT.id, KEY)).toBeNull();
  expect(listOpenAttempts(rig.store)).toEqual([]);
  const page = { accountId: ACCOUNT.id, status: null, dex: null, action: null, after: null, limit: 10 };
  expect([...listOrders(rig.store, page), ...listOperations(rig.store, page)]).toEqual([]);
});
