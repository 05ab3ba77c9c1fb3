import { expect, test } from "bun:test";
import type { AgentStanding } from "../../src/core/account.ts";
import { listOwnAgents } from "../../src/ops/list-agents.ts";
import { prepareSuccessors } from "../../src/ops/renew-agent.ts";
import { retireOwnAgent } from "../../src/ops/retire-agent.ts";
import { listAgents, markAgentApproved } from "../../src/store/agents.ts";
import { unanswered } from "../support/scripted-exchange.ts";
import { NOW_MS, type Rig, withOperator } from "./operator.ts";

const DAY_MS = 86_400_000;

/** What the gateway does every ten minutes. */
function prepare({ operator }: Rig, standing: AgentStanding = "listed"): string[] {
  const said: string[] = [];
  const say = (_fields: object, message: string) => void said.push(message);
  const log = { debug: say, info: say, warn: say, error: say };
  prepareSuccessors({ ...operator, log, agents: { standing: () => standing } });
  return said;
}

function states({ operator }: Rig): string[] {
  return listAgents(operator.store)
    .map(({ state }) => state)
    .sort();
}

test("from 14 days before the end one key an owner is made, by itself and once", async () => {
  await withOperator({ nowMs: () => NOW_MS }, async (rig) => {
    const { operator, agent } = rig;
    expect(prepare(rig)).toEqual([]);
    markAgentApproved(operator.store, agent.address, { approvedAtMs: NOW_MS, validUntilMs: NOW_MS + 14 * DAY_MS + 1 });
    expect(prepare(rig)).toEqual([]);
    markAgentApproved(operator.store, agent.address, { approvedAtMs: NOW_MS, validUntilMs: NOW_MS + 14 * DAY_MS });
    expect(prepare(rig)).toEqual(["a new agent key waits for its owner's approval"]);
    for (let turn = 0; turn < 3; turn += 1) expect(prepare(rig)).toEqual([]);
    expect(states(rig)).toEqual(["approved", "new"]);
    const made = operator.store.$client.query(
      "SELECT actor FROM audit WHERE event = 'agent_made' ORDER BY id DESC LIMIT 1",
    );
    expect(made.get()).toEqual({ actor: "gateway" });
  });
});

test.each([
  ["whose approval has ended", NOW_MS - 1, "listed", 2],
  ["that the exchange does not list any more", NOW_MS + 80 * DAY_MS, "missing", 2],
  ["whose end is not known", null, "listed", 1],
] as const)("for an agent %s", async (_what, validUntilMs, standing, count) => {
  await withOperator({ nowMs: () => NOW_MS }, async (rig) => {
    markAgentApproved(rig.operator.store, rig.agent.address, { approvedAtMs: NOW_MS, validUntilMs });
    prepare(rig, standing);
    expect(states(rig)).toHaveLength(count);
  });
});

test("after one was retired by hand the next is the operator's to make", async () => {
  await withOperator({ nowMs: () => NOW_MS }, async (rig) => {
    markAgentApproved(rig.operator.store, rig.agent.address, { approvedAtMs: NOW_MS, validUntilMs: NOW_MS + DAY_MS });
    retireOwnAgent(rig.operator, rig.agent.address);
    prepare(rig);
    expect(states(rig)).toEqual(["retired"]);
  });
});

test("the list says of each agent what the exchange says", async () => {
  await withOperator({ nowMs: () => NOW_MS }, async ({ operator, agent }) => {
    const { store, exchange } = operator;
    const at = async () => (await listOwnAgents(store, exchange)).map(({ atExchange }) => atExchange);
    exchange.answer("extraAgents", () => unanswered("ECONNREFUSED"));
    expect(await at()).toEqual([{ kind: "not_asked" }]);
    exchange.answer("extraAgents", () => []);
    expect(await at()).toEqual([{ kind: "not_known" }]);
    markAgentApproved(store, agent.address, { approvedAtMs: NOW_MS, validUntilMs: NOW_MS + DAY_MS });
    exchange.answer("userRole", () => ({ role: "missing" }));
    expect(await at()).toEqual([{ kind: "not_known" }]);
    const validUntil = NOW_MS + 5 * DAY_MS;
    exchange.answer("extraAgents", () => [{ name: agent.name, address: agent.address, validUntil }]);
    expect(await at()).toEqual([{ kind: "approved", untilMs: validUntil }]);
    const by = `0x${"99".repeat(20)}`;
    exchange.answer("extraAgents", () => [{ name: agent.name, address: by, validUntil }]);
    expect(await at()).toEqual([{ kind: "replaced", by }]);
  });
});
