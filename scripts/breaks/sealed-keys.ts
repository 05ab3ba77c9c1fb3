/** S14 to S16: agent keys at rest. */
import { type Break, inFile } from "./break.ts";

const SCRYPT = {
  test: "test/vault/seal-key.test.ts",
  title: "is scrypt of the passphrase, at 2^17, 8, 1 unless stored otherwise",
};
const ANY_BIT = { test: "test/vault/seal-key.test.ts", title: "with any bit of it changed" };
const PURPOSE = { test: "test/vault/seal-key.test.ts", title: "for another network, owner or address" };
const VERSION = { test: "test/vault/seal-key.test.ts", title: "when it says another version" };
const CUT = { test: "test/vault/seal-key.test.ts", title: "with a part cut off" };
const COSTS = { test: "test/vault/seal-key.test.ts", title: "is refused for stored costs that are too small" };
const GCM = { test: "test/vault/seal-key.test.ts", title: "what is stored is AES-256-GCM" };
const SWAPPED = {
  test: "test/ops/import-agent.test.ts",
  title: "two sealed keys that change places stop the start, and so does one under another owner",
};
const KEYSTORE = {
  test: "test/vault/keystore-v3.test.ts",
  title: "an address that is not its key's is refused, and one that is left out is made good",
};
const NOT_ITS_KEY = { test: "test/vault/signers.test.ts", title: "with a key that belongs to another address" };

export const SEALED_KEY_BREAKS: readonly Break[] = [
  {
    row: "S14",
    name: "scrypt costs half",
    changes: inFile("src/vault/seal-key.ts", "person: { n: 2 ** 17,", "person: { n: 2 ** 16,"),
    seenBy: SCRYPT,
  },
  {
    row: "S14",
    name: "a person's passphrase is stretched as little as random bytes are",
    changes: inFile("src/cli/init.ts", 'const vaultCost = "person";', 'const vaultCost = "random";'),
    seenBy: { test: "test/cli/vault.test.ts", title: "a new directory's passphrase is stretched at the full cost" },
  },
  {
    row: "S14",
    name: "stored parameters may ask for no work at all",
    changes: inFile("src/vault/seal-key.ts", "minN: 2 ** 14", "minN: 2"),
    seenBy: COSTS,
  },
  {
    row: "S14",
    name: "the key of the cipher is half of what scrypt gives, twice",
    changes: [
      {
        file: "src/vault/seal-key.ts",
        find: 'createCipheriv("aes-256-gcm", input.vaultKey.bytes, input.randomNonce)',
        put: 'createCipheriv("aes-128-gcm", input.vaultKey.bytes.subarray(16), input.randomNonce)',
      },
      {
        file: "src/vault/seal-key.ts",
        find: 'createDecipheriv("aes-256-gcm", vaultKey.bytes, nonce,',
        put: 'createDecipheriv("aes-128-gcm", vaultKey.bytes.subarray(16), nonce,',
      },
    ],
    seenBy: GCM,
  },
  {
    row: "S14",
    name: "every key is sealed under one nonce",
    changes: [
      {
        file: "src/vault/seal-key.ts",
        find: 'createCipheriv("aes-256-gcm", input.vaultKey.bytes, input.randomNonce)',
        put: 'createCipheriv("aes-256-gcm", input.vaultKey.bytes, new Uint8Array(NONCE_BYTES))',
      },
      {
        file: "src/vault/seal-key.ts",
        find: "nonce: Buffer.from(input.randomNonce)",
        put: "nonce: Buffer.from(new Uint8Array(NONCE_BYTES))",
      },
    ],
    seenBy: GCM,
  },
  {
    row: "S14",
    name: "the network is not authenticated",
    changes: inFile("src/vault/seal-key.ts", '"1", network, ownerAddress', '"1", ownerAddress'),
    seenBy: PURPOSE,
  },
  {
    row: "S14",
    name: "the owner is not authenticated",
    changes: inFile("src/vault/seal-key.ts", "network, ownerAddress.toLowerCase(), address", "network, address"),
    seenBy: PURPOSE,
  },
  {
    row: "S14",
    name: "the address is not authenticated",
    changes: inFile(
      "src/vault/seal-key.ts",
      "ownerAddress.toLowerCase(), address.toLowerCase()]",
      "ownerAddress.toLowerCase()]",
    ),
    seenBy: PURPOSE,
  },
  {
    row: "S14",
    name: "another version opens",
    changes: inFile("src/vault/seal-key.ts", "if (sealed.version !== 1 || nonce", "if (nonce"),
    seenBy: VERSION,
  },
  {
    row: "S14",
    name: "a shortened tag opens",
    changes: [
      { file: "src/vault/seal-key.ts", find: " || tag.length !== TAG_BYTES) return null;", put: ") return null;" },
      { file: "src/vault/seal-key.ts", find: "{ authTagLength: TAG_BYTES }", put: "{ authTagLength: tag.length }" },
    ],
    seenBy: CUT,
  },
  {
    row: "S14",
    name: "a change is not noticed",
    changes: inFile(
      "src/vault/seal-key.ts",
      "decipher.update(ciphertext), decipher.final()]",
      "decipher.update(ciphertext)]",
    ),
    seenBy: ANY_BIT,
  },
  {
    row: "S15",
    name: "a key that does not open is left out",
    changes: inFile(
      "src/ops/keyring.ts",
      "  return living.map((agent)",
      "  const opens = (agent: StoredAgent) => {\n    try {\n      return openAgentKey(agent, network, vaultKey).length > 0;\n    } catch {\n      return false;\n    }\n  };\n  return living.filter(opens).map((agent)",
    ),
    seenBy: SWAPPED,
  },
  {
    row: "S15",
    name: "a key opens for whatever owner its row names",
    changes: [
      {
        file: "src/ops/keyring.ts",
        find: "  const purpose = { network, ownerAddress: agent.ownerAddress, address: agent.address };\n  // The column",
        put: '  const purpose = { network, ownerAddress: "", address: agent.address };\n  // The column',
      },
      {
        file: "src/ops/keyring.ts",
        find: "      const purpose = { network, ownerAddress: agent.ownerAddress, address: agent.address };\n      const sealed",
        put: '      const purpose = { network, ownerAddress: "", address: agent.address };\n      const sealed',
      },
    ],
    seenBy: SWAPPED,
  },
  {
    row: "S15",
    name: "the network is that of the row and not of the directory",
    changes: [
      {
        file: "src/ops/keyring.ts",
        find: "  const purpose = { network, ownerAddress: agent.ownerAddress, address: agent.address };\n  // The column",
        put: '  const purpose = { network: "paper", ownerAddress: agent.ownerAddress, address: agent.address } as const;\n  // The column',
      },
      {
        file: "src/ops/keyring.ts",
        find: "      const purpose = { network, ownerAddress: agent.ownerAddress, address: agent.address };\n      const sealed",
        put: '      const purpose = { network: "paper", ownerAddress: agent.ownerAddress, address: agent.address } as const;\n      const sealed',
      },
    ],
    seenBy: SWAPPED,
  },
  {
    row: "S16",
    name: "the address in a keystore is believed",
    changes: inFile(
      "src/vault/keystore-v3.ts",
      'if (wanted === address) return { kind: "opened", address, privateKey };',
      'if (wanted !== "") return { kind: "opened", address: wanted, privateKey };',
    ),
    seenBy: KEYSTORE,
  },
  {
    row: "S16",
    name: "a keystore without an address is not opened",
    changes: inFile("src/vault/keystore-v3.ts", 'const wanted = told === "" ? address : ', "const wanted = "),
    seenBy: KEYSTORE,
  },
  {
    row: "S16",
    name: "a key signs for whatever address stands beside it",
    changes: inFile(
      "src/vault/signers.ts",
      "if (addressOfKey(privateKey) !== address.toLowerCase())",
      'if (addressOfKey(privateKey) === "")',
    ),
    seenBy: NOT_ITS_KEY,
  },
];
