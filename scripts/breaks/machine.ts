/** S24 to S30: files, the lock, packages and hosts. */
import { type Break, inFile } from "./break.ts";

const DIRECTORY = {
  test: "test/ops/doctor.test.ts",
  title: "a directory that others may read, a file of theirs and a link are faults",
};
const NETWORK_FS = {
  test: "test/ops/doctor.test.ts",
  title: "a file system that is reached over a network is a fault",
};
const AT_EVERY_START = { test: "test/cli/secrets.test.ts", title: "a start refuses a directory that others may open" };
const MODES = { test: "test/cli/secrets.test.ts", title: "whatever a gateway makes is for its user alone" };
const ANOTHER_PROCESS = {
  test: "test/store/lock.test.ts",
  title: "another process is refused while one holds it, and let in as soon as that one is killed",
};
const SECOND_OPENER = { test: "test/store/lock.test.ts", title: "a second opener is refused" };
const IN_USE = { test: "test/cli/serve-paper.test.ts", title: "a second process on the same directory is refused" };
const PINNED = { test: "test/tidy.test.ts", title: "every dependency has one exact version" };
const MANIFEST = { test: "test/supply-chain.test.ts", title: "manifest" };
const LOCKFILE = { test: "test/supply-chain.test.ts", title: "lockfile" };
const OWN_FILES = { test: "test/supply-chain.test.ts", title: "our own manifests and lockfiles hold" };
const FIVE_WORDS = { test: "test/cli/words.test.ts", title: "version names the four versions and what signs" };
const OLD_SQLITE = { test: "test/store/open.test.ts", title: "an SQLite that could corrupt its log is refused" };
const STORE = {
  test: "test/store/open.test.ts",
  title: "a store waits for the disk, writes ahead, and gives way to a reader",
};
const NO_HOST = {
  test: "test/security/sources.test.ts",
  title: "no host but the exchange's two and this machine's own is named in the sources",
};
const NO_CODE = { test: "test/security/sources.test.ts", title: "no code is made of text" };
const HOUSE = { test: "test/tidy.test.ts", title: "the tree keeps the rules of the house" };

export const MACHINE_BREAKS: readonly Break[] = [
  {
    row: "S24",
    name: "a directory that the group may open is fine",
    changes: inFile("src/ops/examine-directory.ts", "(permissions & 0o077) === 0", "(permissions & 0o007) === 0"),
    seenBy: DIRECTORY,
  },
  {
    row: "S24",
    name: "links among the files are fine",
    changes: inFile(
      "src/ops/examine-directory.ts",
      'stats.isSymbolicLink() ? "is a link" : accessFault',
      "stats.isSymbolicLink() ? null : accessFault",
    ),
    seenBy: DIRECTORY,
  },
  {
    row: "S24",
    name: "a file of another user is fine",
    changes: inFile(
      "src/ops/examine-directory.ts",
      "if (owner !== uid) return",
      "if (owner < 0 && owner !== uid) return",
    ),
    seenBy: DIRECTORY,
  },
  {
    row: "S24",
    name: "a link to a directory is followed",
    changes: [
      {
        file: "src/ops/examine-directory.ts",
        find: "const stats = lstatSync(directory);\n  if (stats.isSymbolicLink())",
        put: "const stats = statSync(directory);\n  if (stats.isSymbolicLink())",
      },
      {
        file: "src/ops/examine-directory.ts",
        find: "import { lstatSync, readdirSync,",
        put: "import { lstatSync, readdirSync, statSync,",
      },
    ],
    seenBy: AT_EVERY_START,
  },
  {
    row: "S24",
    name: "a start does not look who may open the directory",
    changes: inFile("src/cli/serve.ts", "    failing(() => requireOwnDirectory(at, outside.uid));\n", ""),
    seenBy: AT_EVERY_START,
  },
  {
    row: "S24",
    name: "the directory is made as the umask likes",
    changes: [
      {
        file: "src/ops/data-directory.ts",
        find: "mkdirSync(places.directory, { recursive: true, mode: 0o700 });\n  chmodSync(places.directory, 0o700);",
        put: "mkdirSync(places.directory, { recursive: true });",
      },
      { file: "src/main.ts", find: "process.umask(0o077);", put: "process.umask(0o022);" },
    ],
    seenBy: MODES,
  },
  {
    row: "S24",
    name: "files are made as the umask likes",
    changes: inFile("src/main.ts", "process.umask(0o077);\n", ""),
    seenBy: MODES,
  },
  {
    row: "S24",
    name: "the control socket is open to all",
    changes: inFile("src/cli/listen.ts", "chmodSync(at.control, 0o600);", "chmodSync(at.control, 0o666);"),
    seenBy: MODES,
  },
  {
    row: "S25",
    name: "the lock is shared",
    changes: inFile("src/store/lock.ts", 'client.run("BEGIN EXCLUSIVE");', 'client.run("BEGIN");'),
    seenBy: ANOTHER_PROCESS,
  },
  {
    row: "S25",
    name: "a lock that is taken is taken over",
    changes: inFile(
      "src/store/lock.ts",
      "    throw new DirectoryInUse(`${dataDirectory} is in use by process ${holder}`);",
      "    if (Number(holder) < 0) throw new DirectoryInUse(holder);",
    ),
    seenBy: ANOTHER_PROCESS,
  },
  {
    row: "S25",
    name: "the collector may let the lock go",
    changes: inFile(
      "src/store/lock.ts",
      "  writeFileSync(holderPath, `${processId}\\n`, { mode: 0o600 });",
      '  client.run("ROLLBACK");\n  writeFileSync(holderPath, `${processId}\\n`, { mode: 0o600 });',
    ),
    seenBy: SECOND_OPENER,
  },
  {
    row: "S25",
    name: "a demo is served without the lock",
    changes: inFile(
      "src/cli/serve-paper.ts",
      "  await holding(at, outside, async () => {",
      "  await (async (work: () => Promise<void>) => work())(async () => {",
    ),
    seenBy: IN_USE,
  },
  {
    row: "S25",
    name: "NFS is a local file system",
    changes: inFile("src/ops/examine-directory.ts", '  [0x6969, "NFS"],\n', ""),
    seenBy: NETWORK_FS,
  },
  {
    row: "S25",
    name: "no file system is a fault",
    changes: inFile(
      "src/ops/examine-directory.ts",
      'if (name === undefined) return ok("file_system", "local");',
      'if (name !== "") return ok("file_system", "local");',
    ),
    seenBy: NETWORK_FS,
  },
  {
    row: "S28",
    name: "a version may move",
    changes: inFile("package.json", '"elysia": "1.4.30"', '"elysia": "^1.4.30"'),
    seenBy: PINNED,
  },
  {
    row: "S28",
    name: "our own packages may run scripts",
    changes: inFile("package.json", '"trustedDependencies": [],', '"trustedDependencies": ["esbuild"],'),
    seenBy: OWN_FILES,
  },
  {
    row: "S28",
    name: "ranges pass for pins",
    changes: inFile("scripts/supply-chain.ts", "const EXACT = /^[0-9]", "const EXACT = /^[\\^~]?[0-9]"),
    seenBy: MANIFEST,
  },
  {
    row: "S28",
    name: "packages that Bun knows may run their scripts",
    changes: inFile(
      "scripts/supply-chain.ts",
      "Array.isArray(trusted) && trusted.length === 0",
      "!Array.isArray(trusted) || trusted.length === 0",
    ),
    seenBy: MANIFEST,
  },
  {
    row: "S28",
    name: "a package without a sum passes",
    changes: inFile("scripts/supply-chain.ts", "SHA512.test(integrity) ?", "integrity.length >= 0 ?"),
    seenBy: LOCKFILE,
  },
  {
    row: "S28",
    name: "an address in the lockfile passes",
    changes: inFile("scripts/supply-chain.ts", "address === null ? []", "address?.index !== -1 ? []"),
    seenBy: LOCKFILE,
  },
  {
    row: "S29",
    name: "the version of SQLite is not told",
    changes: inFile("src/cli/version.ts", "sqlite: sqliteVersion(), ", ""),
    seenBy: FIVE_WORDS,
  },
  {
    row: "S29",
    name: "what signs is not told",
    changes: inFile("src/cli/version.ts", ", signing: chooseEcdsa().kind", ""),
    seenBy: FIVE_WORDS,
  },
  {
    row: "S29",
    name: "any SQLite is taken",
    changes: inFile("src/store/open.ts", "    if (part < least) throw", "    if (part < 0) throw"),
    seenBy: OLD_SQLITE,
  },
  {
    row: "S29",
    name: "an old minor of a new major is refused, a new one of an old is not",
    changes: inFile(
      "src/store/open.ts",
      "    if (part > least) return;\n",
      "    if (part > least && index === 0) return;\n",
    ),
    seenBy: OLD_SQLITE,
  },
  {
    row: "S29",
    name: "commits do not wait for the disk",
    changes: inFile("src/store/disk.ts", "        sync.now();\n", ""),
    seenBy: STORE,
  },
  {
    row: "S30",
    name: "another host is asked for news of a version",
    changes: inFile(
      "src/cli/version.ts",
      "export const versionCommand",
      'export const NEWS = "https://updates.postern.dev/latest";\n\nexport const versionCommand',
    ),
    seenBy: NO_HOST,
  },
  {
    row: "S30",
    name: "a number is read by evaluating it",
    changes: inFile(
      "src/core/decimal.ts",
      "  const match = PLAIN.exec(text);",
      "  if (/^[0-9]+$/.test(text)) return `${new Function(`return ${text}`)()}` as Decimal;\n  const match = PLAIN.exec(text);",
    ),
    seenBy: NO_CODE,
  },
  {
    row: "S30",
    name: "a template is compiled from a text",
    changes: inFile(
      "src/http/docs.ts",
      "export function descriptionRoutes(",
      "export const constant = (0, eval)('1');\n\nexport function descriptionRoutes(",
    ),
    seenBy: NO_CODE,
  },
  {
    row: "S30",
    name: "a verb speaks to the network by itself",
    changes: inFile(
      "src/ops/retire-agent.ts",
      "  keyring?.reload();\n",
      "  keyring?.reload();\n  void fetch(`http://127.0.0.1/${agent.address}`);\n",
    ),
    seenBy: HOUSE,
  },
];
