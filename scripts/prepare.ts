/**
 * Runs before every script (bunfig.toml), so that each of them stands alone in a fresh clone:
 *
 *   --help                   prints what the file's own head says
 *   packages, dist/postern   are installed and built where they are missing
 *   programs of the system   are named in one line where they are missing, with the way to get them
 *   temporary files          lie below one directory, which goes when the script ends, by a signal too; in memory where
 *                            nothing of theirs is timed
 *
 * It imports no package: there may be none yet.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openOwnDirectory, quickDirectory, roomForFiles } from "./own-directory.ts";

type Program = keyof typeof PROGRAMS;
type Needs = {
  packages?: string;
  isBuilt?: true;
  programs?: readonly Program[];
  /** Its temporary files lie in memory where there is room. */
  isInMemory?: true;
};

const SCRIPTS = import.meta.dir;
const ROOT = dirname(SCRIPTS);
const EXECUTABLE = join(ROOT, "dist/postern");
/** Set for what a script starts itself: that is prepared by its parent. */
const MARK = "PREPARED_FOR_SCRIPT";
/** Exit code of a script that lacks something. */
const LACKING = 2;
/** Scripts that begin together install side by side, and one may trip over what the other is about to put down. */
const INSTALL_TRIES = 3;
const INSTALL_PAUSE_MS = 500;

/** How each is got, on Debian. */
const PROGRAMS = {
  cc: "apt-get install gcc libc6-dev",
  chromium: "apt-get install chromium",
  curl: "apt-get install curl",
  git: "apt-get install git",
  java: "Java 17 or newer: apt-get install openjdk-17-jre-headless",
  node: "Node.js",
  openssl: "apt-get install openssl",
  python3: "apt-get install python3",
  tar: "apt-get install tar",
} as const;

/** What a script needs beside the packages of package.json; packages are those of a folder below this one. */
const NEEDS: Readonly<Record<string, Needs>> = {
  "bench.ts": { packages: "bench", isBuilt: true, programs: ["node"] },
  "breaks.ts": { programs: ["git"] },
  "browser.ts": { programs: ["chromium"], isInMemory: true },
  "client-scenes.ts": { programs: ["python3", "node"] },
  "clients.ts": { packages: "clients", isBuilt: true },
  "contract.ts": { packages: "contract", programs: ["java"], isInMemory: true },
  "costs.ts": { isBuilt: true },
  "examples.ts": { isBuilt: true, programs: ["python3", "node", "curl"] },
  "flood.ts": { isBuilt: true },
  "full-disk.ts": { isBuilt: true },
  "hostile.ts": { isBuilt: true },
  "kills.ts": { isBuilt: true },
  "litestream.ts": { packages: "litestream" },
  "mcp.ts": { packages: "mcp", isBuilt: true },
  "mishaps.ts": { isBuilt: true },
  "paper-scenes.ts": { packages: "bench", isBuilt: true },
  "power-cut.ts": { programs: ["cc"] },
  "reads.ts": { isBuilt: true },
  "release.ts": { programs: ["git", "tar"] },
  "rows-from-outside.ts": { isBuilt: true },
  "long-history.ts": { programs: ["chromium"] },
  "screens.ts": { programs: ["chromium"] },
  "supply-chain.ts": { isBuilt: true, programs: ["git"] },
  "test.ts": { isInMemory: true },
  "tls.ts": { isBuilt: true, programs: ["openssl", "curl"] },
};

if (dirname(Bun.main) === SCRIPTS) prepare(basename(Bun.main), process.argv.slice(2));

function prepare(script: string, words: readonly string[]): void {
  if (words.includes("--help")) {
    console.log(headOf(Bun.main));
    process.exit(0);
  }
  if (process.env[MARK] !== undefined) return;
  process.env[MARK] = script;
  const { packages, isBuilt = false, programs = [], isInMemory = false } = NEEDS[script] ?? {};
  const place = isInMemory ? quickDirectory(roomForFiles()) : tmpdir();
  process.env["TMPDIR"] = openOwnDirectory(place, `postern-${script.replace(".ts", "")}-`);
  for (const name of programs) {
    if (Bun.which(name) === null) endLacking(script, `${name} is missing (${PROGRAMS[name]})`);
  }
  const isFresh = !existsSync(join(ROOT, "node_modules"));
  install(script, ROOT, []);
  if (packages !== undefined) install(script, join(SCRIPTS, packages), ["--ignore-scripts"]);
  if (isBuilt && !words.some((word) => word.startsWith("--executable")) && !existsSync(EXECUTABLE)) build(script);
  // This process has looked for packages where there were none, and goes on believing it.
  if (isFresh) process.exit(spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit" }).status ?? 1);
}

/** The comment that a file begins with, as text. */
function headOf(path: string): string {
  const [head = ""] = readFileSync(path, "utf8").split("*/");
  const lines = head.replace("/**", "").trim().split("\n");
  return lines.map((line) => line.replace(/^ ?\* ?/, "")).join("\n");
}

function install(script: string, directory: string, more: readonly string[]): void {
  const command = ["install", "--frozen-lockfile", "--silent", ...more];
  let reason = "";
  for (let tries = 0; tries < INSTALL_TRIES; tries += 1) {
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: directory, encoding: "utf8" });
    if (status === 0) return;
    [reason = ""] = stderr.trim().split("\n").slice(-1);
    Bun.sleepSync(INSTALL_PAUSE_MS);
  }
  endLacking(script, `its packages could not be installed in ${directory}: ${reason}`);
}

function build(script: string): void {
  console.error(`${script}: there is no dist/postern yet: building it`);
  const { status } = spawnSync(process.execPath, [join(SCRIPTS, "build.ts")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) endLacking(script, "dist/postern could not be built");
}

function endLacking(script: string, what: string): never {
  console.error(`${script}: ${what}`);
  process.exit(LACKING);
}
