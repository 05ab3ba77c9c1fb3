/** Key bytes end with what they were needed for: looked at in the very arrays that the random source and callers hand over. */
import { expect, test } from "bun:test";
import { importAgent } from "../../src/ops/import-agent.ts";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import { closeStore } from "../../src/store/open.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { NOW_MS, PASSPHRASE, withOperator } from "./operator.ts";

const INPUT = { action: { type: "noop" }, nonce: NOW_MS, vaultAddress: null, expiresAfter: NOW_MS + 1 } as const;

function isWiped(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

test("what a keyring has opened is wiped when it is locked, and when the agents are read again", async () => {
  await withOperator({}, async ({ operator, instance, agent }) => {
    const vaultKey = await vaultKeyOf(instance, PASSPHRASE);
    const keyring = openKeyring({ ...operator, vaultKey });
    const before = keyring.signers;
    const sign = () => before.sign({ ...INPUT, agentAddress: agent.address });
    const body = sign();
    const opened = privateKeysOf(() => keyring.reload());
    expect(opened.filter(isWiped)).toHaveLength(1);
    expect(sign()).toBe(body);
    const locked = privateKeysOf(() => keyring.signers.lock());
    expect(locked.length).toBeGreaterThan(0);
    expect(locked.every(isWiped)).toBeTrue();
    expect(isWiped(vaultKey.bytes)).toBeTrue();
    expect(sign).toThrow("bug:");
  });
});

/** Arrays of the length of a key that are overwritten while `work` runs. */
function privateKeysOf(work: () => void): Uint8Array[] {
  const found: Uint8Array[] = [];
  const fill = Uint8Array.prototype.fill;
  Uint8Array.prototype.fill = function (this: Uint8Array, ...given: [number, number?, number?]) {
    if (this.length === 32 && !(this instanceof Buffer)) found.push(this);
    return fill.apply(this, given);
  } as typeof fill;
  try {
    work();
  } finally {
    Uint8Array.prototype.fill = fill;
  }
  return found;
}

test("the bytes of a key that was made or taken in are wiped once they are sealed", async () => {
  await withOperator({ infos: { userRole: () => ({ role: "missing" }) } }, async ({ operator, account }) => {
    const made = new Uint8Array(32).fill(0x55);
    const random = (count: number) => (count === made.length ? made : operator.randomBytes(count));
    newAgent({ ...operator, randomBytes: random }, account.ownerAddress);
    expect(isWiped(made)).toBeTrue();
    const taken = new Uint8Array(32).fill(0x66);
    await importAgent(operator, { ownerAddress: account.ownerAddress, privateKey: taken });
    expect(isWiped(taken)).toBeTrue();
  });
});

test("a store without agents opens with any key, and has nothing to sign with", () => {
  const store = openMemoryStore();
  const randomBytes = (count: number) => new Uint8Array(count);
  const keyring = openKeyring({ store, network: "paper", vaultKey: { bytes: new Uint8Array(32) }, randomBytes });
  expect(keyring.signers.addresses()).toEqual([]);
  closeStore(store);
});
