/** What a command says to do next is to be done to the same gateway. */
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { linesOf } from "../../src/cli/backup.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { programOf, sayWhere, type Where } from "../../src/cli/say-where.ts";
import { makeWorkplace, runHere } from "./outside.ts";

const DIRECTORY = { POSTERN_DATA_DIR: "/srv/a" };
const BOTH = { ...DIRECTORY, POSTERN_LISTEN: "127.0.0.1:9" };
const ALL = { ...BOTH, POSTERN_PASSPHRASE_FILE: "/root/p" };

const SAID: [string, Where["values"], string][] = [
  ["  postern agent approval --agent 0xaa", DIRECTORY, "  postern agent approval --data-dir /srv/a --agent 0xaa"],
  ["run postern init first", DIRECTORY, "run postern init --data-dir /srv/a first"],
  ["(see postern key list)", BOTH, "(see postern key list --data-dir /srv/a)"],
  ["postern key register --account b", BOTH, "postern key register --data-dir /srv/a --listen 127.0.0.1:9 --account b"],
  ["postern key", BOTH, "postern key"],
  ["postern version", BOTH, "postern version"],
  ["postern paper --listen 127.0.0.1:1", ALL, "postern paper --listen 127.0.0.1:1"],
  ["Postern listens; /var/lib/postern backup", BOTH, "Postern listens; /var/lib/postern backup"],
  ["postern doctor", { POSTERN_DATA_DIR: "/srv/it's here" }, "postern doctor --data-dir '/srv/it'\\''s here'"],
  ["postern doctor", ALL, "postern doctor --data-dir /srv/a --passphrase-file /root/p"],
  ["postern serve", ALL, "postern serve --data-dir /srv/a --listen 127.0.0.1:9 --passphrase-file /root/p"],
];

test.each(SAID)("%s, told %j", (text, values, said) => {
  expect(sayWhere(text, { program: "postern", starter: null, values }, COMMANDS)).toBe(said);
});

test("a program that no shell finds by its name is called by its path", () => {
  const { directory, remove } = makeWorkplace();
  const [executable, elsewhere] = [join(directory, "it's mine", "postern"), join(directory, "bin")];
  const run = { executable, script: "/$bunfs/root/postern", path: `${elsewhere}:/nowhere` };
  try {
    mkdirSync(join(directory, "it's mine"));
    mkdirSync(elsewhere);
    writeFileSync(executable, "");
    expect(programOf(run)).toEqual([executable]);
    symlinkSync(executable, join(elsewhere, "postern"));
    expect(programOf(run)).toEqual(["postern"]);
    expect(programOf({ ...run, executable: join(directory, "passphrase") })).toEqual([join(directory, "passphrase")]);
    expect(programOf({ ...run, executable: "/bin/bun", script: "/src/main.ts" })).toEqual(["/bin/bun", "/src/main.ts"]);
  } finally {
    remove();
  }
});

test("what the service's own user is told goes through its operator's command", async () => {
  const { dataDirectory, remove } = makeWorkplace();
  try {
    const ran = await runHere(["setup"], { STATE_DIRECTORY: dataDirectory });
    expect(ran.err).toContain("sudo postern-operator init --network testnet");
    const where = { program: "sudo postern-operator", starter: "sudo systemctl start postern", values: {} };
    expect(sayWhere("start it: postern serve", where, COMMANDS)).toBe("start it: sudo systemctl start postern");
  } finally {
    remove();
  }
});

/** The lines of an output that are to be copied. */
function nextOf(out: string): string[] {
  return out.split("\n").filter((line) => line.startsWith("  postern "));
}

test("from the set-up to the owner's grant each next command says where, if this one was told", async () => {
  const { directory, dataDirectory, passphraseFile, remove } = makeWorkplace();
  const at = ["--data-dir", dataDirectory];
  const unlocked = [...at, "--passphrase-file", passphraseFile];
  const owner = `0x${"ab".repeat(20)}`;
  const network = ["--network", "paper", "--passphrase-file", passphraseFile];
  try {
    const made = await runHere(["init", "--owner", owner, ...network, ...at]);
    expect(nextOf(made.out)).toEqual([
      `  postern paper --listen 127.0.0.1:9797 --fund ${owner}`,
      `  postern serve ${unlocked.join(" ")}`,
      `  postern agent approval ${at.join(" ")}`,
    ]);
    const hash = "ab".repeat(32);
    const listen = ["--listen", "127.0.0.1:9"];
    const chain: [string[], string][] = [
      [["agent", "approval", ...at], `postern agent approve ${at.join(" ")} --agent`],
      [["key", "new", ...at], `postern key grant ${at.join(" ")} --key-hash`],
      [
        ["key", "grant", "--key-hash", hash, ...at, ...listen],
        `postern key register ${[...at, ...listen].join(" ")} --acc`,
      ],
      [
        ["key", "revoke", "--key-hash", hash, ...at, ...listen],
        `postern key revoke ${[...at, ...listen].join(" ")} --acc`,
      ],
    ];
    for (const [words, next] of chain)
      expect(nextOf((await runHere(words)).out)).toEqual([expect.stringContaining(next)]);
    // A variable may have been set for this one command, and a relative path leads elsewhere from elsewhere.
    const told = await runHere(["agent", "approval"], { POSTERN_DATA_DIR: relative(process.cwd(), dataDirectory) });
    expect(nextOf(told.out)).toEqual([expect.stringContaining(`postern agent approve ${at.join(" ")} --agent`)]);
    const missing = await runHere(["doctor", "--data-dir", `${directory}/none`]);
    expect(nextOf(missing.err)).toEqual([
      `  postern init --data-dir ${directory}/none --network testnet`,
      `  postern serve --data-dir ${directory}/none --paper`,
    ]);
  } finally {
    remove();
  }
});

test("a key that is made where no gateway is names no directory for the next command", async () => {
  expect(nextOf((await runHere(["key", "new"])).out)).toEqual([
    expect.stringMatching(/^ {2}postern key grant --key-hash [0-9a-f]{64}$/),
  ]);
});

test("of one thing and of several it is said as people do", () => {
  const held = { network: "paper", exchangeUrl: "http://127.0.0.1:9797", bytes: 1 } as const;
  const holds = (count: number) =>
    linesOf({ ...held, accounts: count, agents: count, apiKeys: count, orders: count }).find((line) =>
      line.startsWith("Holds"),
    );
  expect(holds(1)).toEndWith("1 account, 1 agent key (encrypted), 1 API key hash, 1 order");
  expect(holds(2)).toEndWith("2 accounts, 2 agent keys (encrypted), 2 API key hashes, 2 orders");
});

test("a document for programs is printed as it is, whatever command a text in it names", async () => {
  const { out } = await runHere(["openapi"], { POSTERN_DATA_DIR: "/srv/a" });
  expect(out).toContain("`postern log`");
  expect(out).not.toContain("/srv/a");
  const data = COMMANDS.filter(({ printsData }) => printsData === true).map(({ name }) => name);
  expect(data.sort()).toEqual(["export", "log", "mcp", "openapi"]);
});
