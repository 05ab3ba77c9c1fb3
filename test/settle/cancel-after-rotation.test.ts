import { expect, test } from "bun:test";
import { insertAgent, listAgents, markAgentApproved, retireAgent } from "../../src/store/agents.ts";
import { findOrder } from "../../src/store/orders.ts";
import { AGENT_ADDRESS, DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";

const NEXT = `0x${"77".repeat(20)}`;

test("an armed cancel is sent again by the agent that signs now, where the one before was retired", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const id = String(placed.order["id"]);
  rig.deliveries.push(...Array.from({ length: 5 }, () => DELIVERY.neverArrived));
  expect((await rig.answerOf(rig.cancel("cancel-01", id))).httpStatus).toBe(202);
  const { signers } = rig.deps;
  const { sign } = signers;
  Object.assign(signers, {
    has: (address: string) => address === NEXT,
    sign: (input: Parameters<typeof sign>[0]) => {
      if (input.agentAddress !== NEXT) throw new Error("this key is gone");
      return sign({ ...input, agentAddress: AGENT_ADDRESS });
    },
  });
  const [old] = listAgents(rig.store);
  if (old === undefined) throw new Error("the rig has no agent");
  insertAgent(rig.store, { ...old, address: NEXT, name: "postern-2" });
  markAgentApproved(rig.store, NEXT, { approvedAtMs: rig.clock.nowMs(), validUntilMs: null });
  retireAgent(rig.store, AGENT_ADDRESS);
  rig.deliveries.length = 0;
  for (let minute = 0; minute < 30; minute += 1) await rig.clock.advance(60_000);
  expect(findOrder(rig.store, id)?.status).toBe("canceled");
  expect((await rig.answerOf(rig.cancel("cancel-01", id))).httpStatus).toBe(200);
});
