import { expect, test } from "bun:test";
import { storeApproval } from "../../src/ops/approve-agent.ts";
import { openAgentWatch } from "../../src/ops/watch-agents.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { NOW_MS, type Rig, withOperator } from "./operator.ts";

const DAY_MS = 86_400_000;
const VALID_UNTIL_MS = NOW_MS + 90 * DAY_MS;

function told({ operator, account }: Rig): unknown[] {
  return listEventsAfter(operator.store, { accountId: account.id, after: 0, limit: 100 }).map(({ type, payload }) => [
    type,
    JSON.parse(payload ?? "")["days_left"] ?? null,
  ]);
}

/** A gateway that is started and looks once. */
async function lookOnce({ operator }: Rig): Promise<void> {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const { store, clock, exchange } = operator;
  await openAgentWatch(
    { store, clock, log, state: {}, exchange: { ...exchange, nowMs: () => clock.nowMs() } },
    () => false,
  ).look();
}

test("an account is told of its agent's approval and of its end, once for each step, whatever is started again", async () => {
  let listed: unknown[] = [];
  await withOperator({ sends: [], infos: { extraAgents: () => listed } }, async (rig) => {
    const { agent, operator, pass } = rig;
    listed = [{ name: agent.name, address: agent.address, validUntil: VALID_UNTIL_MS }];
    storeApproval(operator, agent, VALID_UNTIL_MS);
    await lookOnce(rig);
    expect(told(rig)).toEqual([["agent.approved", null]]);
    for (const days of [61, 10, 0, 6, 5, 4, 1, 2]) {
      pass(days * DAY_MS);
      await lookOnce(rig);
      await lookOnce(rig);
    }
    const steps = [30, 14, 7, 3].map((days) => ["agent.expiring", days]);
    expect(told(rig)).toEqual([["agent.approved", null], ...steps, ["agent.expiring", 1]]);
    const [event] = listEventsAfter(operator.store, { accountId: rig.account.id, after: 0, limit: 1 });
    expect(JSON.parse(event?.payload ?? "")).toEqual({
      object: "agent",
      address: agent.address,
      name: agent.name,
      valid_until: new Date(VALID_UNTIL_MS).toISOString(),
    });
  });
});
