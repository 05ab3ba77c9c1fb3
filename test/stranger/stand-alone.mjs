// What a program for Node.js needs to stand alone in a fresh clone: says what it is, or in one line what it lacks, and
// leaves nothing in the temporary directory. Asked before anything is imported that may be missing.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const OWN = "postern-run-";
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

const lacking = (what) => {
  console.error(what);
  process.exit(2);
};

// `binary` is null where none is needed; what was made is kept where that was asked for.
export const standAlone = ({ path, binary, programs = [], isKept = false }) => {
  if (process.argv.includes("--help")) {
    const head = readFileSync(path, "utf8").split("\n").slice(1);
    const length = head.findIndex((line) => !line.startsWith("//"));
    console.log(
      head
        .slice(0, length)
        .map((line) => line.slice(3))
        .join("\n"),
    );
    process.exit(0);
  }
  try {
    createRequire(path).resolve("ethers");
  } catch {
    lacking("the packages are missing: npx -y bun@1.4.5 install --frozen-lockfile");
  }
  if (binary !== null && !existsSync(resolve(binary))) lacking(`there is no ${binary}: npx -y bun@1.4.5 run build`);
  for (const program of programs) {
    if (spawnSync(program, ["version"]).error) lacking(`${program} is missing: apt-get install ${program}`);
  }
  if (isKept || tmpdir().includes(OWN)) return;
  const directory = mkdtempSync(join(tmpdir(), OWN));
  // Others may pass through it: what they cannot read below it is then the doing of the executable and not of this directory.
  chmodSync(directory, 0o711);
  process.env.TMPDIR = directory;
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const [name, number] of Object.entries(SIGNALS)) {
    // Whoever has a listener of his own ends things himself.
    process.on(name, () => process.listenerCount(name) === 1 && process.exit(128 + number));
  }
};
