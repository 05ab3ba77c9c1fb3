/** What a command never takes a secret from, and what it leaves behind for others of the machine to read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { makeWorkplace, PASSPHRASE, runHere, type Workplace } from "./outside.ts";
import { startProcess } from "./process.ts";

const OWNER = `0x${"ab".repeat(20)}`;
const NOWHERE = "http://127.0.0.1:1";

let workplace: Workplace;

beforeAll(async () => {
  workplace = makeWorkplace();
  const network = ["--network", "paper", "--exchange-url", NOWHERE, "--owner", OWNER];
  const made = await runHere(["init", ...network, ...at(workplace), "--passphrase-file", workplace.passphraseFile]);
  expect(made).toMatchObject({ exitCode: 0 });
});

afterAll(() => workplace.remove());

function at({ dataDirectory }: Workplace): string[] {
  return ["--data-dir", dataDirectory];
}

/** Names that a passphrase is looked for under elsewhere. */
const NAMES = [
  "PASSPHRASE",
  "PASSWORD",
  "POSTERN_PASSPHRASE",
  "POSTERN_PASSWORD",
  "POSTERN_SECRET",
  "VAULT_PASSPHRASE",
  "CREDENTIALS",
  "passphrase",
  "POSTERN_PASSPHRASE_TEXT",
  "AGENT_PASSPHRASE",
];

test("no variable and no word of the command line is taken for a passphrase", async () => {
  const serve = ["serve", "--listen", "127.0.0.1:0", ...at(workplace)];
  for (const name of NAMES) {
    const ran = await runHere(serve, { [name]: PASSPHRASE });
    expect([name, ran.exitCode === 0]).toEqual([name, false]);
    expect(ran.err).toMatch(/no passphrase: give|is not a setting of Postern/);
    expect(ran.err).not.toContain(PASSPHRASE);
  }
  const asFile = await runHere([...serve, "--passphrase-file", PASSPHRASE]);
  expect(asFile.exitCode).toBe(1);
  expect(asFile.err).toContain("cannot be read");
  const asVariable = await runHere(serve, { POSTERN_PASSPHRASE_FILE: PASSPHRASE });
  expect(asVariable.err).toContain("cannot be read");
  const asWord = await runHere([...serve, PASSPHRASE]);
  expect(asWord.exitCode).toBe(2);
});

/** Options that carry something that is no secret, or name a file that holds one. */
const OPEN: ReadonlySet<string> = new Set(["key-hash", "tls-key"]);
const SECRETIVE = /pass(phrase|word)?|secret|mnemonic|seed-phrase|private|credential|\bkey\b|token/;

function secretiveWords({ options, positionals }: Command): string[] {
  const taken = Object.entries(options).filter(
    ([name, { value }]) => value !== null && value !== "FILE" && !OPEN.has(name),
  );
  const words = [...taken.map(([name]) => name), ...positionals.map((word) => word.toLowerCase())];
  return words.filter((word) => SECRETIVE.test(word) && !/hash|file/.test(word));
}

test("no command has an option or a word for a passphrase, a key of the exchange or an API key", () => {
  const found = COMMANDS.flatMap((command) => secretiveWords(command).map((word) => `${command.name} ${word}`));
  expect(found).toEqual([]);
  for (const { options } of COMMANDS) {
    const file = options["passphrase-file"];
    if (file !== undefined) expect(file.value).toBe("FILE");
  }
});

test("a process that holds keys writes no core dump, and no other of its user reads its memory", async () => {
  const child = Bun.spawn([process.execPath, Bun.fileURLToPath(import.meta.resolve("./memory-child.ts"))], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout] = await Promise.all([child.stdout.text(), child.exited]);
  expect(JSON.parse(stdout)).toMatchObject({
    isProtected: true,
    dumpable: 0,
    coreBytes: expect.stringMatching(/^0\s+0$/),
  });
});

test("a start refuses a directory that others may open, and a link to one", async () => {
  const serve = async (directory: string) =>
    runHere([
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--data-dir",
      directory,
      "--passphrase-file",
      workplace.passphraseFile,
    ]);
  for (const mode of [0o755, 0o750, 0o710, 0o701]) {
    chmodSync(workplace.dataDirectory, mode);
    const ran = await serve(workplace.dataDirectory);
    expect([mode, ran.exitCode, ran.err.includes("chmod 700")]).toEqual([mode, 1, true]);
  }
  chmodSync(workplace.dataDirectory, 0o700);
  const link = join(workplace.directory, "link");
  symlinkSync(workplace.dataDirectory, link);
  const ran = await serve(link);
  expect(ran.exitCode).toBe(1);
  expect(ran.err).toContain("is a link");
});

test("no command listens beyond this machine in the clear", async () => {
  const passphrase = ["--passphrase-file", workplace.passphraseFile];
  for (const address of ["0.0.0.0:0", "[::]:0"]) {
    for (const words of [
      ["serve", ...at(workplace), ...passphrase],
      ["serve", "--paper", "--paper-listen", "127.0.0.1:0", "--data-dir", join(workplace.directory, "demo")],
    ]) {
      const ran = await runHere([...words, "--listen", address]);
      expect([words[1], address, ran.exitCode]).toEqual([words[1], address, 2]);
      expect(ran.err).toContain("can be reached from other machines");
    }
  }
});

/** Everything below a directory that anybody but its user could read, enter or write, sockets included. */
function openToOthers(directory: string): string[] {
  return [
    directory,
    ...readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name)),
  ]
    .map((path) => [path, lstatSync(path).mode & 0o777] as const)
    .flatMap(([path, mode]) => ((mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`]));
}

test("whatever a gateway makes is for its user alone, whatever the umask", async () => {
  const previous = process.umask(0o000);
  const directory = join(workplace.directory, "modes");
  const words = ["serve", "--paper", "--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0", "--json"];
  const running = await startProcess([...words, "--data-dir", directory]).finally(() => process.umask(previous));
  expect(readdirSync(directory)).toContain("control.sock");
  expect(openToOthers(directory)).toEqual([]);
  await running.end("SIGTERM");
  expect(openToOthers(directory)).toEqual([]);
});
