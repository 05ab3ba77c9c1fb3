import { expect, test } from "bun:test";
import { privateKeyToAddress } from "viem/accounts";
import { agentName, agentPrefix, isAgentName, makeAgentKey, nextAgentName } from "../../src/vault/agent-keys.ts";

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

test.each([["postern-"], ["postern-k7q2m-"]])(
  "a new agent of %s takes a free slot, then the one after the newest",
  (prefix) => {
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
    const named = (name: string) => name.replace("postern-", prefix);
    for (const [taken, next] of table) expect(nextAgentName(prefix, taken.map(named))).toBe(named(next));
  },
);

test("another installation's agents take none of its slots", () => {
  const others = ["postern-1", "postern-2", "postern-aaaaa-1", "postern-k7q2n-1", "postern-k7q2m-11"];
  expect(nextAgentName("postern-k7q2m-", others)).toBe("postern-k7q2m-1");
});

test("names are such as the exchange takes, and each installation has its own for good", () => {
  const prefixes = Array.from({ length: 500 }, (_, at) =>
    agentPrefix(new Uint8Array(32).fill(at % 256).fill(at >> 8, 16)),
  );
  expect(new Set(prefixes).size).toBe(500);
  for (const prefix of prefixes) {
    expect(prefix).toMatch(/^postern-[a-z2-7]{5}-$/);
    for (const slot of [1, 2, 3]) expect(isAgentName(agentName(prefix, slot))).toBe(true);
  }
  // Kept by every directory that was ever made.
  expect(agentPrefix(new Uint8Array(32).fill(9))).toBe("postern-kqy7u-");
  for (const slot of [0, 4, 1.5]) expect(() => agentName("postern-", slot)).toThrow("bug:");
  for (const name of ["", "x".repeat(17), "a b", "a valid_until 1"]) expect(isAgentName(name)).toBe(false);
});
