/** Scripts stand alone: each says what it does and what it lacks, and leaves nothing behind. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quickDirectory } from "../scripts/own-directory.ts";
import { inTemporaryDirectory } from "./support/temporary-directory.ts";

const ROOT = join(import.meta.dir, "..");
const SHELL_SCRIPTS = [
  ".ci/run",
  ...["try-arm64.sh", "try-in-a-container.sh"].map((name) => `scripts/systemd/${name}`),
  ...readdirSync(join(ROOT, "scripts/stages")).map((name) => `scripts/stages/${name}`),
];
const CONTRIBUTING = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const NAMED = [...CONTRIBUTING.matchAll(/bun@[\d.]+ run ([\w-]+)/g)].map(([, name = ""]) => name);
const COMMANDS: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;

type Ran = { exitCode: number; out: string; err: string };

/** As somebody would call it who has no more programs than these, with temporary files in a directory. */
async function run(command: readonly string[], environment: Record<string, string>): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: environment,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, out, err };
}

function environmentIn(directory: string, path = "/usr/bin:/bin") {
  return { PATH: path, HOME: process.env["HOME"] ?? "", TMPDIR: directory };
}

describe("--help prints the head", () => {
  test.each([...new Set(NAMED)])("of `bun run %s`", async (name) => {
    const file = /bun (scripts\/[\w-]+\.ts)$/.exec(COMMANDS[name] ?? "")?.[1] ?? "";
    await inTemporaryDirectory(async (directory) => {
      const { exitCode, out } = await run([process.execPath, file, "--help"], environmentIn(directory));
      expect(exitCode).toBe(0);
      const first = out.split("\n")[0] ?? "";
      expect(first.length).toBeGreaterThan(20);
      expect(readFileSync(join(ROOT, file), "utf8")).toContain(first);
    });
  });

  test.each(SHELL_SCRIPTS)("of %s", async (file) => {
    await inTemporaryDirectory(async (directory) => {
      const { exitCode, out } = await run(["bash", file, "--help"], environmentIn(directory));
      expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringMatching(/^[A-Z0-9].{20}/) });
    });
  });
});

test("a script says in one line which program is missing, and ends", async () => {
  await inTemporaryDirectory(async (directory) => {
    const ran = await run([process.execPath, "scripts/power-cut.ts"], environmentIn(directory, "/nonexistent"));
    expect(ran).toEqual({ exitCode: 2, out: "", err: "power-cut.ts: cc is missing (apt-get install gcc libc6-dev)\n" });
    expect(readdirSync(directory)).toEqual([]);
  });
});

test("nothing is fetched by its name alone", async () => {
  await inTemporaryDirectory(async (directory) => {
    symlinkSync(join(ROOT, "bunfig.toml"), join(directory, "bunfig.toml"));
    mkdirSync(join(directory, "scripts"));
    await Bun.write(join(directory, "scripts/prepare.ts"), "");
    await Bun.write(join(directory, "one.ts"), 'import "is-odd";');
    const child = Bun.spawn([process.execPath, "one.ts"], {
      cwd: directory,
      env: environmentIn(directory),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await child.stderr.text()).toContain("Cannot find package 'is-odd'");
    expect(await child.exited).toBe(1);
  });
});

test.each([
  ["ends", null, 0],
  ["is ended by a signal", "SIGTERM", 143],
] as const)("nothing of a script stays in memory or among temporary files when it %s", async (_, signal, exitCode) => {
  await inTemporaryDirectory(async (directory) => {
    const seeds = signal === null ? "1" : "100000";
    const child = Bun.spawn([process.execPath, "scripts/simulate.ts", "--seeds", seeds, "--quiet"], {
      cwd: ROOT,
      env: environmentIn(directory),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    });
    const memory = existsSync("/dev/shm") ? "/dev/shm" : directory;
    const ours = () => readdirSync(memory).filter((name) => name.startsWith(`postern-simulation-${child.pid}-`));
    while (signal !== null && (ours().length === 0 || readdirSync(directory).length === 0)) await Bun.sleep(5);
    if (signal !== null) child.kill(signal);
    expect(await child.exited).toBe(exitCode);
    expect([...ours(), ...readdirSync(directory)]).toEqual([]);
  });
});

const DISK = "/dev/vda / ext4 rw,relatime 0 0";
const MEMORY_MOUNT = "tmpfs /dev/shm tmpfs rw,nosuid,nodev,size=8388608k 0 0";
const ROOMY_BYTES = 8 * 1024 ** 3;

test.each([
  ["in memory", {}, "/dev/shm"],
  ["where somebody has said", { named: "/srv/files" }, "/srv/files"],
  [
    "on the disk where memory starts no program",
    { mounts: `${DISK}\n${MEMORY_MOUNT.replace("nodev", "noexec")}` },
    null,
  ],
  ["on the disk where memory is only read", { mounts: `${DISK}\n${MEMORY_MOUNT.replace("rw", "ro")}` }, null],
  [
    "as what was mounted last is",
    { mounts: `${MEMORY_MOUNT.replace("nodev", "noexec")}\n${MEMORY_MOUNT}` },
    "/dev/shm",
  ],
  ["on the disk where there is no such memory", { mounts: DISK }, null],
  ["on the disk where memory is a container's 64 MiB", { freeBytes: 64 * 1024 ** 2 }, null],
])("files that nobody times lie %s", (_, changes, place) => {
  const machine = { named: undefined, mounts: `${DISK}\n${MEMORY_MOUNT}`, freeBytes: ROOMY_BYTES };
  expect(quickDirectory({ ...machine, ...changes })).toBe(place ?? tmpdir());
});
