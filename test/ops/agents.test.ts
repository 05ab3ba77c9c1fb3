import { expect, test } from "bun:test";
import { approvalOf } from "../../src/ops/approve-agent.ts";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { listAgents, markAgentApproved } from "../../src/store/agents.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { agentPrefix } from "../../src/vault/agent-keys.ts";
import { approvalTypedData } from "../../src/wire/approval.ts";
import { walletOf } from "../cli/wallet.ts";
import type { Script } from "../support/scripted-exchange.ts";
import { writeBehind } from "../support/write-behind.ts";
import { NOW_MS, PASSPHRASE, type Rig, withOperator } from "./operator.ts";

const VALID_UNTIL_MS = NOW_MS + 90 * 86_400_000;
const ACCEPTED = { kind: "answered", httpStatus: 200, body: '{"status":"ok","response":{"type":"default"}}' } as const;
const REFUSED_TEXT = "Must deposit before performing actions. User: 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
const REFUSED = {
  kind: "answered",
  httpStatus: 200,
  body: JSON.stringify({ status: "err", response: REFUSED_TEXT }),
} as const;
const LOST = { kind: "unknown", reason: "ECONNRESET" } as const;

/** An exchange that answers the approval so, and lists these agents then. */
function exchange(send: (typeof ACCEPTED | typeof REFUSED | typeof LOST)[], listed: () => unknown): Script {
  return { sends: send, infos: { extraAgents: listed } };
}

function approve({ operator, agent, wallet }: Rig, nonce = NOW_MS) {
  const signature = wallet.sign(walletForm(approvalTypedData(approvalOf("testnet", agent, nonce))));
  return perform(operator, "approve_agent", { agentAddress: agent.address, nonce, signature });
}

function walletForm(data: ReturnType<typeof approvalTypedData>): Parameters<Rig["wallet"]["sign"]>[0] {
  // The wallet's library infers its types from literals; ours are data.
  return data as unknown as Parameters<Rig["wallet"]["sign"]>[0];
}

function stateOf({ operator, agent }: Rig) {
  return listAgents(operator.store).find(({ address }) => address === agent.address);
}

function listing(rig: () => Rig) {
  return () => [{ name: rig().agent.name, address: rig().agent.address, validUntil: VALID_UNTIL_MS }];
}

test("an approval that the exchange takes is stored with its end", async () => {
  let rig: Rig | null = null;
  const script = exchange([ACCEPTED], () => (rig === null ? [] : listing(() => rig as Rig)()));
  await withOperator(script, async (made) => {
    rig = made;
    expect(await approve(made)).toMatchObject({ state: "approved", validUntilMs: VALID_UNTIL_MS });
    expect(stateOf(made)).toMatchObject({ state: "approved", validUntilMs: VALID_UNTIL_MS });
    expect(made.operator.exchange.sent).toHaveLength(1);
    expect(JSON.parse(made.operator.exchange.sent[0]?.body ?? "")).toMatchObject({
      action: { type: "approveAgent", hyperliquidChain: "Testnet", agentName: made.agent.name, nonce: NOW_MS },
      nonce: NOW_MS,
    });
    expect(findBrokenAuditRow(made.operator.store)).toBeNull();
  });
});

test("an approval whose answer is lost counts when the exchange lists the agent, and is not sent again", async () => {
  let rig: Rig | null = null;
  let looks = 0;
  const script = exchange([LOST], () => {
    looks += 1;
    return looks < 3 || rig === null ? [] : listing(() => rig as Rig)();
  });
  await withOperator(script, async (made) => {
    rig = made;
    expect(await approve(made)).toMatchObject({ state: "approved" });
    expect(made.operator.exchange.sent).toHaveLength(1);
  });
});

test("an approval whose answer is lost and which is never listed stays unapproved", async () => {
  await withOperator(
    exchange([LOST], () => []),
    async (rig) => {
      await expect(approve(rig)).rejects.toThrow("not known whether the approval arrived");
      await approve(rig).catch(() => null);
      expect(stateOf(rig)).toMatchObject({ state: "new" });
    },
  );
});

test("a refusal is told in the exchange's words and nothing is stored", async () => {
  await withOperator(
    exchange([REFUSED], () => []),
    async (rig) => {
      const refusal = await approve(rig).catch((error: unknown) => String(error));
      expect(refusal).toContain("Must deposit");
      expect(stateOf(rig)).toMatchObject({ state: "new" });
    },
  );
});

test("the signature of another wallet, or of another nonce, sends nothing", async () => {
  await withOperator(
    exchange([ACCEPTED], () => []),
    async (rig) => {
      const stranger = walletOf(new Uint8Array(32).fill(7));
      const wrong = [
        approve({ ...rig, wallet: stranger }),
        perform(rig.operator, "approve_agent", {
          agentAddress: rig.agent.address,
          nonce: NOW_MS + 1,
          signature: rig.wallet.sign(walletForm(approvalTypedData(approvalOf("testnet", rig.agent, NOW_MS)))),
        }),
        // Signed for the real exchange, offered to a testnet directory.
        perform(rig.operator, "approve_agent", {
          agentAddress: rig.agent.address,
          nonce: NOW_MS,
          signature: rig.wallet.sign(walletForm(approvalTypedData(approvalOf("mainnet", rig.agent, NOW_MS)))),
        }),
      ];
      for (const attempt of wrong) {
        expect(await attempt.catch((error: unknown) => String(error))).toContain(`the owner is ${rig.wallet.address}`);
      }
      expect(rig.operator.exchange.sent).toEqual([]);
    },
  );
});

test("a new agent can be signed with at once and opens again with the passphrase", async () => {
  await withOperator({}, async ({ operator, instance, account, agent }) => {
    const made = newAgent(operator, account.ownerAddress);
    expect(operator.keyring.signers.addresses().toSorted()).toEqual([agent.address, made.address].toSorted());
    const vaultKey = await vaultKeyOf(instance, PASSPHRASE);
    const again = openKeyring({ ...operator, vaultKey });
    expect(again.signers.has(made.address)).toBe(true);
    const wrongKey = await vaultKeyOf(instance, `${PASSPHRASE}.`);
    expect(() => openKeyring({ ...operator, vaultKey: wrongKey })).toThrow("the passphrase is wrong");
  });
});

test("a rotation takes the next slot, and an agent whose slot is taken over is retired", async () => {
  const names: string[] = [];
  await withOperator({}, async (rig) => {
    const { operator, account } = rig;
    for (let round = 0; round < 4; round++) {
      rig.pass(1_000);
      const next = round === 0 ? rig.agent : newAgent(operator, account.ownerAddress);
      names.push(next.name);
      operator.exchange.answer("extraAgents", () => [{ name: next.name, address: next.address, validUntil: null }]);
      const signature = rig.wallet.sign(walletForm(approvalTypedData(approvalOf("testnet", next, NOW_MS + round))));
      const facts = { agentAddress: next.address, nonce: NOW_MS + round, signature };
      await perform(
        { ...operator, exchange: { ...operator.exchange, send: async () => ACCEPTED } },
        "approve_agent",
        facts,
      );
    }
    const prefix = agentPrefix(rig.instance.secret);
    const slots = names.map((name) => name.replace(prefix, ""));
    const states = listAgents(operator.store).map(({ name, state }) => `${name.replace(prefix, "")} ${state}`);
    expect(slots).toEqual(["1", "2", "3", "1"]);
    expect(states).toEqual(["1 retired", "2 approved", "3 approved", "1 approved"]);
  });
});

test("a directory from before keeps its names, and one with names of its own is not led astray by an older key", async () => {
  await withOperator({}, async (rig) => {
    const { operator, account } = rig;
    const own = agentPrefix(rig.instance.secret);
    expect([rig.agent.name, newAgent(operator, account.ownerAddress).name]).toEqual([`${own}1`, `${own}1`]);
    // Imported: another gateway had made it.
    writeBehind(
      operator.store,
      `UPDATE agents SET name = 'postern-1', state = 'approved' WHERE address != '${rig.agent.address}'`,
    );
    expect(newAgent(operator, account.ownerAddress).name).toBe(`${own}1`);
    writeBehind(operator.store, "UPDATE agents SET name = 'postern-1', state = 'approved', approved_at_ms = 1");
    expect(newAgent(operator, account.ownerAddress).name).toBe("postern-2");
    writeBehind(operator.store, "UPDATE agents SET state = 'retired'");
    expect(newAgent(operator, account.ownerAddress).name).toBe("postern-1");
  });
});

const HOUR_MS = 3_600_000;
test.each([
  ["ended by the exchange's clock, which our own is a day behind", 24 * HOUR_MS, 12 * HOUR_MS, "approval has ended"],
  ["goes on by the exchange's clock, which our own is a day ahead of", -24 * HOUR_MS, -12 * HOUR_MS, "of other data"],
] as const)("an approval that has %s", async (_what, exchangeAheadMs, endsAfterMs, refusal) => {
  await withOperator({ nowMs: () => NOW_MS + exchangeAheadMs }, async (rig) => {
    const times = { approvedAtMs: NOW_MS - 48 * HOUR_MS, validUntilMs: NOW_MS + endsAfterMs };
    markAgentApproved(rig.operator.store, rig.agent.address, times);
    const stranger = walletOf(Uint8Array.from({ length: 32 }, () => 9));
    await expect(approve({ ...rig, wallet: stranger })).rejects.toThrow(refusal);
  });
});
