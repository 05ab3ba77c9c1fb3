/** S17 to S20: the passphrase, and keys that are open. */
import { type Break, inFile } from "./break.ts";

const CREDENTIAL_FIRST = {
  test: "test/vault/passphrase.test.ts",
  title: "the systemd credential before anything else",
};
const LOCKED_FILE = { test: "test/vault/passphrase.test.ts", title: "when anybody but its owner may read it" };
const OWN_FILE = { test: "test/vault/passphrase.test.ts", title: "when it belongs to another user" };
const NO_LINK = { test: "test/vault/passphrase.test.ts", title: "when it is a link, a directory or missing" };
const NO_WAY_IN = { test: "test/cli/secrets.test.ts", title: "no variable and no word of the command line" };
const NO_OPTION = { test: "test/cli/secrets.test.ts", title: "no command has an option or a word for a passphrase" };
const SYSTEMD = {
  test: "test/cli/vault.test.ts",
  title: "a gateway whose passphrase comes from systemd shows it nowhere, and writes no core dumps",
};
const DEBUGGER = {
  test: "test/cli/vault.test.ts",
  title: "no key is opened beside a variable that opens the runtime to a debugger",
};
const CLOSED_MEMORY = { test: "test/cli/secrets.test.ts", title: "a process that holds keys writes no core dump" };
const WIPES = {
  test: "test/vault/signers.test.ts",
  title: "locking wipes the very bytes that were handed over, and signing stops",
};
const WIPES_VAULT = { test: "test/vault/seal-key.test.ts", title: "once the vault key is wiped" };
const WIPES_KEYRING = { test: "test/ops/keyring.test.ts", title: "what a keyring has opened is wiped" };
const WIPES_MADE = {
  test: "test/ops/keyring.test.ts",
  title: "the bytes of a key that was made or taken in are wiped",
};
const WATCHED = {
  test: "test/ops/watch-agents.test.ts",
  title: "the log warns at 30, 14, 7, 3 and 1 days and at the end, each once",
};
const NEVER_TWICE = { test: "test/ops/import-agent.test.ts", title: "twice, not even after it was retired" };
const ROTATION = { test: "test/ops/agents.test.ts", title: "a rotation takes the next slot" };
const MADE_HERE = { test: "test/vault/agent-keys.test.ts", title: "an agent key is the random bytes themselves" };
const RETIRED = {
  test: "test/settle/retired-signer.test.ts",
  title: "a new order is refused before anything is stored",
};
const ENDED = { test: "test/ops/watch-agents.test.ts", title: "an agent that has ended signs nothing more" };

export const OPEN_KEY_BREAKS: readonly Break[] = [
  {
    row: "S17",
    name: "a file comes before systemd's credential",
    changes: inFile(
      "src/vault/passphrase.ts",
      "  if (sources.credentialsDirectory !== null) {",
      "  if (sources.credentialsDirectory !== null && sources.file === null) {",
    ),
    seenBy: CREDENTIAL_FIRST,
  },
  {
    row: "S17",
    name: "a file that the group may read is taken",
    changes: inFile(
      "src/vault/passphrase.ts",
      "if (permissions !== 0o400 && permissions !== 0o600) {",
      "if ((permissions & 0o007) !== 0) {",
    ),
    seenBy: LOCKED_FILE,
  },
  {
    row: "S17",
    name: "a file that others may read is taken with a warning at most",
    changes: inFile(
      "src/vault/passphrase.ts",
      "if (permissions !== 0o400 && permissions !== 0o600) {",
      "if ((permissions & 0o070) !== 0) {",
    ),
    seenBy: LOCKED_FILE,
  },
  {
    row: "S17",
    name: "a file of another user is taken",
    changes: inFile("src/vault/passphrase.ts", "if (uid !== ownerUid) return", "if (uid < 0) return"),
    seenBy: OWN_FILE,
  },
  {
    row: "S17",
    name: "a link is followed",
    changes: inFile(
      "src/vault/passphrase.ts",
      "constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK",
      "constants.O_RDONLY | constants.O_NONBLOCK",
    ),
    seenBy: NO_LINK,
  },
  {
    row: "S17",
    name: "the environment is asked before the keyboard",
    changes: [
      {
        file: "src/cli/passphrase-input.ts",
        find: "const prompt = askHidden === null ? null : () =>",
        put: 'const given = environment["POSTERN_PASSPHRASE"] ?? environment["PASSPHRASE"];\n  const prompt = given !== undefined ? async () => given : askHidden === null ? null : () =>',
      },
      {
        file: "src/config.ts",
        find: 'new Set(["POSTERN_DATA_DIR",',
        put: 'new Set(["POSTERN_PASSPHRASE", "POSTERN_DATA_DIR",',
      },
    ],
    seenBy: NO_WAY_IN,
  },
  {
    row: "S17",
    name: "an option takes the passphrase itself",
    changes: inFile(
      "src/cli/serve.ts",
      "    ...OPERATING,\n",
      '    ...OPERATING,\n    passphrase: { value: "WORDS", help: "the passphrase of the agent keys" },\n',
    ),
    seenBy: NO_OPTION,
  },
  {
    row: "S17",
    name: "what --passphrase-file names is the passphrase where there is no such file",
    changes: inFile(
      "src/vault/passphrase.ts",
      "      ? refused(`the passphrase file ${sources.file} cannot be read`)\n      : checked",
      '      ? checked({ kind: "read", text: sources.file }, "file")\n      : checked',
    ),
    seenBy: NO_WAY_IN,
  },
  {
    row: "S17",
    name: "systemd's credential is not looked for",
    changes: inFile("src/cli/passphrase-input.ts", 'environment["CREDENTIALS_DIRECTORY"] ?? null', "null"),
    seenBy: SYSTEMD,
  },
  {
    row: "S18",
    name: "locking forgets the keys and leaves their bytes",
    changes: inFile("src/vault/signers.ts", "      for (const key of keys.values()) key.fill(0);\n", ""),
    seenBy: WIPES,
  },
  {
    row: "S18",
    name: "signers work on a copy of the key",
    changes: inFile(
      "src/vault/signers.ts",
      "keys.set(address.toLowerCase(), privateKey);",
      "keys.set(address.toLowerCase(), privateKey.slice());",
    ),
    seenBy: WIPES,
  },
  {
    row: "S18",
    name: "the vault key stays",
    changes: inFile(
      "src/vault/seal-key.ts",
      "  vaultKey.bytes.fill(0);",
      "  vaultKey.bytes = new Uint8Array(KEY_BYTES);",
    ),
    seenBy: WIPES_VAULT,
  },
  {
    row: "S18",
    name: "locking a keyring leaves the key that seals",
    changes: inFile("src/ops/keyring.ts", "        open.lock();\n        wipe(vaultKey);", "        open.lock();"),
    seenBy: WIPES_KEYRING,
  },
  {
    row: "S18",
    name: "reading the agents again leaves the old arrays",
    changes: inFile("src/ops/keyring.ts", "      before.lock();\n", "      before.addresses();\n"),
    seenBy: WIPES_KEYRING,
  },
  {
    row: "S18",
    name: "an agent key that was made stays beside its sealed form",
    changes: inFile("src/ops/new-agent.ts", "    made.privateKey.fill(0);\n", ""),
    seenBy: WIPES_MADE,
  },
  {
    row: "S18",
    name: "an imported key stays beside its sealed form",
    changes: inFile("src/ops/import-agent.ts", "  privateKey.fill(0);\n", ""),
    seenBy: WIPES_MADE,
  },
  {
    row: "S19",
    name: "core dumps are written",
    changes: inFile(
      "src/cli/memory.ts",
      "    library.symbols.setrlimit(RLIMIT_CORE, ptr(none));\n",
      "    ptr(none);\n",
    ),
    seenBy: SYSTEMD,
  },
  {
    row: "S19",
    name: "other processes of the user may read the memory",
    changes: inFile(
      "src/cli/memory.ts",
      "library.symbols.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0",
      "library.symbols.prctl(PR_SET_DUMPABLE, 1n, 0n, 0n, 0n) === 0",
    ),
    seenBy: CLOSED_MEMORY,
  },
  {
    row: "S19",
    name: "the memory is not protected before the passphrase is read",
    changes: inFile(
      "src/cli/passphrase-input.ts",
      "  if (!protectMemory()) warn(",
      "  if (protectMemory === null) warn(",
    ),
    seenBy: SYSTEMD,
  },
  {
    row: "S19",
    name: "a debugger's variable is no obstacle",
    changes: inFile("src/cli/passphrase-input.ts", "(BUN_INSPECT.*|BUN_OPTIONS", "(BUN_OPTIONS"),
    seenBy: DEBUGGER,
  },
  {
    row: "S19",
    name: "options for the runtime are no obstacle",
    changes: inFile("src/cli/passphrase-input.ts", "|BUN_BE_BUN|NODE_OPTIONS)$/", "|BUN_BE_BUN)$/"),
    seenBy: DEBUGGER,
  },
  {
    row: "S19",
    name: "the check comes with a new passphrase only",
    changes: inFile(
      "src/cli/passphrase-input.ts",
      "  secure(outside);\n  const found = await readPassphrase(",
      "  const found = await readPassphrase(",
    ),
    seenBy: DEBUGGER,
  },
  {
    row: "S20",
    name: "nobody is warned on the last day",
    changes: inFile(
      "src/ops/watch-agents.ts",
      "const WARNING_DAYS = [30, 14, 7, 3, 1] as const;",
      "const WARNING_DAYS = [30, 14, 7, 3] as const;",
    ),
    seenBy: WATCHED,
  },
  {
    row: "S20",
    name: "the log warns at every look",
    changes: inFile(
      "src/ops/watch-agents.ts",
      "level !== null && level !== warnedAt.get(agent.address)",
      "level !== null",
    ),
    seenBy: WATCHED,
  },
  {
    row: "S20",
    name: "the end itself is not told",
    changes: inFile(
      "src/ops/watch-agents.ts",
      "if (validUntilMs <= nowMs) return 0;",
      "if (validUntilMs <= nowMs) return 1;",
    ),
    seenBy: WATCHED,
  },
  {
    row: "S20",
    name: "a key that was retired is taken in again",
    changes: inFile(
      "src/ops/import-agent.ts",
      "if (isAgentAddress(store, address)) {",
      'if (isAgentAddress(store, address) && address === "") {',
    ),
    seenBy: NEVER_TWICE,
  },
  {
    row: "S20",
    name: "a retired agent is approved again",
    changes: inFile(
      "src/ops/approve-agent.ts",
      'if (found.state === "retired") throw new OperatorError("this agent is retired',
      'if (found.state === "new" && found.approvedAtMs !== null) throw new OperatorError("this agent is retired',
    ),
    seenBy: NEVER_TWICE,
  },
  {
    row: "S20",
    name: "an agent whose slot was taken over goes on signing",
    changes: inFile(
      "src/ops/approve-agent.ts",
      "for (const other of others) if (other.address !== agent.address) retireAgent(store, other.address);",
      "for (const other of others) if (other.address === agent.address) retireAgent(store, other.address);",
    ),
    seenBy: ROTATION,
  },
  {
    row: "S20",
    name: "an agent key is made of half of the random bytes",
    changes: inFile(
      "src/vault/agent-keys.ts",
      "return { address: addressOfKey(randomBytes), privateKey: randomBytes };",
      "const halved = randomBytes.map((byte, index) => (index < KEY_BYTES / 2 ? 0 : byte));\n    return { address: addressOfKey(halved), privateKey: halved };",
    ),
    seenBy: MADE_HERE,
  },
  {
    row: "S20",
    name: "an agent whose approval has ended signs",
    changes: inFile(
      "src/store/agents.ts",
      "found.find(({ validUntilMs }) => validUntilMs === null || validUntilMs > nowMs) ?? null",
      "found.at(nowMs < 0 ? 1 : 0) ?? null",
    ),
    seenBy: ENDED,
  },
  {
    row: "S20",
    name: "a missing key is told only when it comes to signing",
    changes: inFile(
      "src/settle/pre-trade/obstacles.ts",
      "if (world.signers.has(agent.address)) return",
      'if (world.signers.has(agent.address) || agent.name !== "") return',
    ),
    seenBy: RETIRED,
  },
];
