import { describe, expect, test } from "bun:test";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { findSigningAgent, listAgents } from "../../src/store/agents.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { addressOfKey } from "../../src/vault/signers.ts";
import { toHex } from "../../src/wire/hex.ts";
import { NOW_MS, PASSPHRASE, type Rig, withOperator } from "./operator.ts";

const KEY = new Uint8Array(32).fill(0x44);
const ADDRESS = addressOfKey(KEY);
const VALID_UNTIL_MS = NOW_MS + 30 * 86_400_000;

function importing({ operator, account }: Rig, key: Uint8Array = KEY) {
  return perform(operator, "import_agent", { ownerAddress: account.ownerAddress, privateKey: toHex(key) });
}

/** What the exchange says the key is. */
function roleOf(role: unknown, listed: unknown = []) {
  return { infos: { userRole: () => role, extraAgents: () => listed } };
}

test("a key that the exchange does not know waits for the owner's approval like one made here", async () => {
  await withOperator(roleOf({ role: "missing" }), async (rig) => {
    expect(await importing(rig)).toMatchObject({ address: ADDRESS, state: "new", name: rig.agent.name });
    expect(rig.operator.keyring.signers.has(ADDRESS)).toBeTrue();
    const vaultKey = await vaultKeyOf(rig.instance, PASSPHRASE);
    expect(openKeyring({ ...rig.operator, vaultKey }).signers.has(ADDRESS)).toBeTrue();
    expect(findBrokenAuditRow(rig.operator.store)).toBeNull();
    const told = JSON.stringify(rig.operator.store.select().from(audit).all());
    expect(told).toContain("agent_imported");
    expect(told).not.toContain("44".repeat(8));
  });
});

test("an agent that the owner has approved elsewhere signs at once, under its name and until its end", async () => {
  const listed = [{ name: "desk", address: ADDRESS, validUntil: VALID_UNTIL_MS }];
  let owner = "";
  await withOperator(
    { infos: { userRole: () => ({ role: "agent", data: { user: owner } }), extraAgents: () => listed } },
    async (rig) => {
      owner = rig.account.ownerAddress;
      expect(await importing(rig)).toMatchObject({ state: "approved", name: "desk", validUntilMs: VALID_UNTIL_MS });
      expect(findSigningAgent(rig.operator.store, owner, NOW_MS)?.address).toBe(ADDRESS);
    },
  );
});

describe("a key is never taken", () => {
  test("when it is an account's own, whatever the exchange says of it", async () => {
    await withOperator(roleOf({ role: "missing" }), async (rig) => {
      // The owner's wallet of the test has the bytes 1 to 32.
      const owners = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
      expect(addressOfKey(owners)).toBe(rig.account.ownerAddress);
      await expect(importing(rig, owners)).rejects.toThrow("can move money");
      const facts = { label: "sub", kind: "subaccount", address: ADDRESS, parentId: rig.account.id };
      await perform(rig.operator, "add_account", facts);
      await expect(importing(rig)).rejects.toThrow("can move money");
      expect(rig.operator.exchange.asked).toEqual([]);
    });
  });

  test("when the exchange knows it as anything but an agent of this owner, or cannot be asked", async () => {
    const roles: [unknown, string][] = [
      [{ role: "user" }, "is a user, not an agent"],
      [{ role: "vault" }, "is a vault, not an agent"],
      [{ role: "subAccount", data: { master: `0x${"ab".repeat(20)}` } }, "is a subAccount, not an agent"],
      [{ role: "agent", data: { user: `0x${"ab".repeat(20)}` } }, "is an agent of 0xabab"],
      [{ role: "something new" }, "cannot be asked"],
      [{ kind: "failed", reason: "down", httpStatus: null, isOurBudget: false }, "cannot be asked"],
    ];
    for (const [role, words] of roles) {
      await withOperator(roleOf(role), async (rig) => {
        await expect(importing(rig)).rejects.toThrow(words);
        expect(listAgents(rig.operator.store)).toHaveLength(1);
      });
    }
  });

  test("twice, not even after it was retired", async () => {
    await withOperator(roleOf({ role: "missing" }), async (rig) => {
      await importing(rig);
      await expect(importing(rig)).rejects.toThrow("never used twice");
      expect(await perform(rig.operator, "retire_agent", { address: ADDRESS })).toMatchObject({ signing: null });
      expect(rig.operator.keyring.signers.has(ADDRESS)).toBeFalse();
      await expect(importing(rig)).rejects.toThrow("never used twice");
      const approval = { agentAddress: ADDRESS, nonce: NOW_MS, signature: `0x${"11".repeat(65)}` };
      await expect(perform(rig.operator, "approve_agent", approval)).rejects.toThrow("never used again");
    });
  });

  test("when it is no key at all", async () => {
    await withOperator({}, async (rig) => {
      for (const bytes of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)]) {
        await expect(importing(rig, bytes)).rejects.toThrow("no private key");
      }
    });
  });
});

test("two sealed keys that change places stop the start, and so does one under another owner", async () => {
  await withOperator({}, async ({ operator, instance, account }) => {
    newAgent(operator, account.ownerAddress);
    const vaultKey = async () => vaultKeyOf(instance, PASSPHRASE);
    const [first, second] = listAgents(operator.store);
    if (first === undefined || second === undefined) throw new Error("two agents are expected");
    const put = (address: string, sealed: Uint8Array) =>
      operator.store.$client.run("UPDATE agents SET sealed_key = ? WHERE address = ?", [sealed, address]);
    put(first.address, second.sealedKey);
    put(second.address, first.sealedKey);
    const swapped = { ...operator, vaultKey: await vaultKey() };
    expect(() => openKeyring(swapped)).toThrow("belongs elsewhere");
    put(first.address, first.sealedKey);
    put(second.address, second.sealedKey);
    openKeyring({ ...operator, vaultKey: await vaultKey() });
    operator.store.$client.run("UPDATE agents SET owner_address = ? WHERE address = ?", [
      `0x${"ab".repeat(20)}`,
      first.address,
    ]);
    const moved = { ...operator, vaultKey: await vaultKey() };
    expect(() => openKeyring(moved)).toThrow("belongs elsewhere");
    operator.store.$client.run("UPDATE agents SET owner_address = ?", [account.ownerAddress]);
    openKeyring({ ...operator, vaultKey: await vaultKey() });
    const elsewhere = { ...operator, network: "mainnet" as const, vaultKey: await vaultKey() };
    expect(() => openKeyring(elsewhere)).toThrow("belongs elsewhere");
  });
});

test("a successor of a key that leaked takes its name, and unapproved keys do not pile up", async () => {
  await withOperator({}, async ({ operator, account, agent }) => {
    const facts = { ownerAddress: account.ownerAddress, replaces: agent.address };
    expect(await perform(operator, "new_agent", facts)).toMatchObject({ name: agent.name });
    const stranger = { ...facts, replaces: `0x${"ab".repeat(20)}` };
    await expect(perform(operator, "new_agent", stranger)).rejects.toThrow("no agent");
    while (listAgents(operator.store).length < 8) newAgent(operator, account.ownerAddress);
    expect(() => newAgent(operator, account.ownerAddress)).toThrow("wait for their approval");
  });
});
