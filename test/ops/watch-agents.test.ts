import { expect, test } from "bun:test";
import type { GatewayState, LogFields } from "../../src/deps.ts";
import { openAgentWatch } from "../../src/ops/watch-agents.ts";
import { findSigningAgent, listAgents } from "../../src/store/agents.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { writeBehind } from "../support/write-behind.ts";
import { type Rig, withOperator } from "./operator.ts";

const DAY_MS = 86_400_000;

type Line = { level: string; fields: LogFields; message: string };

function watching(rig: Rig) {
  const lines: Line[] = [];
  const note = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, fields, message });
  const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const exchange = { ...rig.operator.exchange, nowMs: () => rig.operator.clock.nowMs() };
  const { store, clock } = rig.operator;
  writeBehind(store, "UPDATE agents SET state = 'approved', approved_at_ms = 1");
  const state: Pick<GatewayState, "heedRefusedAgent"> = {};
  return { lines, state, watch: openAgentWatch({ store, exchange, clock, log, state }, () => false) };
}

function listing({ agent, operator }: Rig, validUntilMs: number): void {
  operator.exchange.answer("extraAgents", () => [
    { name: agent.name, address: agent.address, validUntil: validUntilMs },
  ]);
}

test("the log warns at 30, 14, 7, 3 and 1 days and at the end, each once", async () => {
  await withOperator({}, async (rig) => {
    const { watch, lines } = watching(rig);
    listing(rig, rig.operator.clock.nowMs() + 40 * DAY_MS);
    for (let hour = 0; hour <= 41 * 24; hour += 6) {
      await watch.look();
      rig.pass(6 * 60 * 60_000);
    }
    expect(lines.map(({ level, fields }) => [level, fields["count"]])).toEqual(
      [30, 14, 7, 3, 1, 0].map((days) => ["warn", days]),
    );
  });
});

test("the exchange's word on the end is kept, with an audit row when it changes", async () => {
  await withOperator({}, async (rig) => {
    const { watch } = watching(rig);
    const { store, clock } = rig.operator;
    const endMs = clock.nowMs() + 90 * DAY_MS;
    listing(rig, endMs);
    await watch.look();
    await watch.look();
    expect(listAgents(store)[0]?.validUntilMs).toBe(endMs);
    expect(watch.standing(rig.agent.address)).toBe("listed");
    const events = store
      .select()
      .from(audit)
      .all()
      .map(({ event }) => event);
    expect(events.filter((event) => event === "agent_validity_changed")).toHaveLength(1);
  });
});

test("an agent that has ended signs nothing more, and an older one that lasts does", async () => {
  await withOperator({}, async (rig) => {
    watching(rig);
    const { store } = rig.operator;
    const owner = rig.account.ownerAddress;
    const nowMs = rig.operator.clock.nowMs();
    writeBehind(store, `UPDATE agents SET valid_until_ms = ${nowMs}`);
    expect(findSigningAgent(store, owner, nowMs - 1)?.address).toBe(rig.agent.address);
    expect(findSigningAgent(store, owner, nowMs)).toBeNull();
    writeBehind(
      store,
      `INSERT INTO agents SELECT '0xolder', owner_address, 'postern-2', state, sealed_key, 0, 0, NULL FROM agents`,
    );
    expect(findSigningAgent(store, owner, nowMs)?.address).toBe("0xolder");
  });
});

test("an agent without a name is found by its role, one that is in neither is missing and told once", async () => {
  await withOperator({ infos: { extraAgents: () => [] } }, async (rig) => {
    const { watch, lines } = watching(rig);
    rig.operator.exchange.answer("userRole", () => ({ role: "agent", data: { user: rig.account.ownerAddress } }));
    await watch.look();
    expect(watch.standing(rig.agent.address)).toBe("listed");
    rig.operator.exchange.answer("userRole", () => ({ role: "missing" }));
    await watch.look();
    await watch.look();
    expect(watch.standing(rig.agent.address)).toBe("missing");
    expect(lines.map(({ level }) => level)).toEqual(["error"]);
    expect(
      rig.operator.exchange.asked
        .filter(({ request }) => request.type === "userRole")
        .every(({ options }) => options.onNewConnection === true),
    ).toBeTrue();
  });
});

test("an exchange that cannot be asked changes nothing", async () => {
  await withOperator({}, async (rig) => {
    const { watch, lines } = watching(rig);
    await watch.look();
    expect(watch.standing(rig.agent.address)).toBe("not_asked");
    rig.operator.exchange.answer("extraAgents", () => []);
    await watch.look();
    expect(watch.standing(rig.agent.address)).toBe("not_asked");
    expect(lines).toEqual([]);
  });
});

test("an agent for which an action is refused is looked at at once, and while that goes on every ten seconds", async () => {
  await withOperator({ infos: { extraAgents: () => [], userRole: () => ({ role: "missing" }) } }, async (rig) => {
    const { watch, state } = watching(rig);
    let looks = 0;
    rig.operator.exchange.answer("extraAgents", () => {
      looks += 1;
      return [];
    });
    const refuse = async () => {
      state.heedRefusedAgent?.(rig.agent.address);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    };
    await refuse();
    expect([looks, watch.standing(rig.agent.address)]).toEqual([1, "missing"]);
    await refuse();
    rig.pass(9_999);
    await refuse();
    expect(looks).toBe(1);
    rig.pass(1);
    await refuse();
    expect(looks).toBe(2);
    state.heedRefusedAgent?.("0xanother");
    expect(looks).toBe(2);
  });
});
