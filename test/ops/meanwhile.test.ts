import { expect, test } from "bun:test";
import { storeApproval } from "../../src/ops/approve-agent.ts";
import { importAgent } from "../../src/ops/import-agent.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { lookAgain } from "../../src/ops/set-up/approvals.ts";
import { chooseOwner } from "../../src/ops/set-up/choose-owner.ts";
import type { SettingUp } from "../../src/ops/set-up/setting-up.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import { findSigningAgent, listAgents } from "../../src/store/agents.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { addressOfKey } from "../../src/vault/signers.ts";
import { toHex } from "../../src/wire/hex.ts";
import { NOW_MS, type Rig, withOperator } from "./operator.ts";

const NO_EXCHANGE = { sends: [], infos: {} };
const OTHER = `0x${"cd".repeat(20)}`;
const THIRD = `0x${"ef".repeat(20)}`;

/** An exchange that answers when it is told to; until then everything else may happen. */
function slowExchange(json: unknown) {
  const answering = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  async function info() {
    asked.resolve();
    await answering.promise;
    return { kind: "ok", json };
  }
  return { asked: asked.promise, answer: () => answering.resolve(), exchange: { info } };
}

function settingUp({ operator, instance }: Rig, exchange: unknown): SettingUp {
  const settings = { builder: null };
  // Of all that a gateway has, these steps use no more.
  return { ...operator, instance, settings, exchange, follow: () => undefined } as unknown as SettingUp;
}

test("another owner chosen while an agent is approved and a key registered takes neither away", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const { operator, account, agent } = rig;
    const slow = slowExchange({ role: "user" });
    const choosing = chooseOwner(settingUp(rig, slow.exchange), { address: OTHER, label: "other" });
    await slow.asked;
    storeApproval(operator, agent, null);
    const key = { keyHash: "ab".repeat(32), accountId: account.id, scopes: ["trading:write"] as const };
    insertApiKey(operator.store, { ...key, issuedAtMs: NOW_MS, registeredAtMs: NOW_MS });
    slow.answer();
    expect((await choosing).status).toBe("rejected");
    expect(listAccounts(operator.store).map(({ id }) => id)).toEqual([account.id]);
    expect(findSigningAgent(operator.store, account.ownerAddress, NOW_MS)?.address).toBe(agent.address);
  });
});

test("two owners chosen at once leave one account", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const slow = slowExchange({ role: "user" });
    const setting = settingUp(rig, slow.exchange);
    const both = [OTHER, THIRD].map((address) => chooseOwner(setting, { address, label: "one" }));
    slow.answer();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual(["succeeded", "rejected"]);
    expect(listAccounts(rig.operator.store).map(({ ownerAddress }) => ownerAddress)).toEqual([OTHER]);
  });
});

test("an agent that is retired while the exchange is asked stays retired", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const { operator, account, agent } = rig;
    const slow = slowExchange([{ name: agent.name, address: agent.address, validUntil: NOW_MS + 9e9 }]);
    const looking = lookAgain(settingUp(rig, slow.exchange));
    await slow.asked;
    await perform(operator, "retire_agent", { address: agent.address });
    slow.answer();
    await looking;
    expect(listAgents(operator.store).map(({ state }) => state)).toEqual(["retired"]);
    expect(findSigningAgent(operator.store, account.ownerAddress, NOW_MS)).toBeNull();
    expect(() => storeApproval(operator, agent, null)).toThrow("never used again");
  });
});

test("an address whose key is kept here as an agent's is never an account's", async () => {
  const privateKey = new Uint8Array(32).fill(0x44);
  const infos = { userRole: () => ({ role: "missing" }), extraAgents: () => [] };
  await withOperator({ sends: [], infos }, async (rig) => {
    const { operator, account } = rig;
    const imported = { ownerAddress: account.ownerAddress, privateKey: toHex(privateKey) };
    await perform(operator, "import_agent", imported);
    const wanted = { label: "mine", kind: "main", address: addressOfKey(privateKey), parentId: null };
    expect(perform(operator, "add_account", wanted)).rejects.toThrow("never kept");
  });
});

test("a key that becomes an account's own, or is taken in, while the exchange is asked is not taken", async () => {
  const privateKey = new Uint8Array(32).fill(0x44);
  const address = addressOfKey(privateKey);
  const infos = { userRole: () => ({ role: "missing" }) };
  const meanwhile: [(rig: Rig) => Promise<unknown>, string][] = [
    [
      ({ operator, account }) =>
        perform(operator, "add_account", { label: "sub", kind: "subaccount", address, parentId: account.id }),
      "can move money",
    ],
    [
      ({ operator, account: { ownerAddress } }) =>
        perform(operator, "import_agent", { ownerAddress, privateKey: toHex(privateKey) }),
      "never used twice",
    ],
  ];
  for (const [happens, words] of meanwhile) {
    await withOperator({ sends: [], infos }, async (rig) => {
      const { ownerAddress } = rig.account;
      const slow = slowExchange({ role: "missing" });
      // An import asks the exchange nothing but what a key is.
      const exchange = slow.exchange as unknown as typeof rig.operator.exchange;
      const importing = importAgent({ ...rig.operator, exchange }, { ownerAddress, privateKey: privateKey.slice() });
      const refused = importing.then(
        () => "taken",
        (error: Error) => error.message,
      );
      await slow.asked;
      await happens(rig);
      const known = listAgents(rig.operator.store).length;
      slow.answer();
      expect(await refused).toContain(words);
      expect(listAgents(rig.operator.store)).toHaveLength(known);
    });
  }
});
