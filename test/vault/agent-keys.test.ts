import { expect, test } from "bun:test";
import { privateKeyToAddress } from "viem/accounts";
import { agentName, isAgentName, makeAgentKey, nextAgentName } from "../../src/vault/agent-keys.ts";

test("an agent key is the random bytes themselves, and its address what wallets say", () => {
  const random = Uint8Array.from({ length: 32 }, (_item, index) => index + 1);
  const made = makeAgentKey(random);
  expect(made?.privateKey).toBe(random);
  expect(made?.address).toBe(privateKeyToAddress(`0x${Buffer.from(random).toString("hex")}`).toLowerCase());
});

test("bytes that are no key give none, and other lengths are a bug", () => {
  expect(makeAgentKey(new Uint8Array(32))).toBeNull();
  expect(makeAgentKey(new Uint8Array(32).fill(255))).toBeNull();
  expect(() => makeAgentKey(new Uint8Array(31))).toThrow("bug:");
});

test("a new agent takes a free slot, then the one after the newest", () => {
  const table: [taken: string[], next: string][] = [
    [[], "postern-1"],
    [["postern-1"], "postern-2"],
    [["postern-2"], "postern-1"],
    [["postern-1", "postern-2"], "postern-3"],
    [["postern-1", "postern-2", "postern-3"], "postern-1"],
    [["postern-2", "postern-3", "postern-1"], "postern-2"],
    [["mobile", "postern-1"], "postern-2"],
    [["postern-9", "postern-10"], "postern-1"],
  ];
  for (const [taken, next] of table) expect(nextAgentName(taken)).toBe(next);
});

test("names are such as the exchange takes", () => {
  for (const slot of [1, 2, 3]) expect(isAgentName(agentName(slot))).toBe(true);
  for (const slot of [0, 4, 1.5]) expect(() => agentName(slot)).toThrow("bug:");
  for (const name of ["", "x".repeat(17), "a b", "a valid_until 1"]) expect(isAgentName(name)).toBe(false);
});
