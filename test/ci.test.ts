/** What `.ci/run` goes by: its table of stages, and how stages are run, counted and timed. */
import { expect, test } from "bun:test";
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryDirectory } from "./support/temporary-directory.ts";

const ROOT = join(import.meta.dir, "..");
const STAGES = join(ROOT, "scripts/stages");
/** What `.ci/run` starts by their commands. */
const COMMANDS = ["install", "build", "check", "tests", "smoke"];

type Row = { name: string; seconds: number; manner: string };

function tableOf(text: string): Row[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [name = "", seconds, manner = ""] = line.split(/ +/);
    return { name, seconds: Number(seconds), manner };
  });
}

const TABLE = tableOf(readFileSync(join(ROOT, ".ci/stages"), "utf8"));

function secondsOf(wanted: (row: Row) => boolean): number {
  return TABLE.filter(wanted).reduce((sum, { seconds }) => sum + seconds, 0);
}

test("every stage has one line with its time, and every line its stage", () => {
  const lines = TABLE.filter(({ manner }) => manner === "alone" || manner === "beside").map(({ name }) => name);
  expect(lines.toSorted()).toEqual([...COMMANDS, ...readdirSync(STAGES)].toSorted());
  for (const name of readdirSync(STAGES)) accessSync(join(STAGES, name), constants.X_OK);
});

test("the times of all stages come to no more than twenty minutes", () => {
  const whole = secondsOf(({ name }) => name === "all");
  expect(whole).toBe(1_200);
  expect(
    secondsOf(({ manner }) => manner === "alone") + secondsOf(({ name }) => name === "beside"),
  ).toBeLessThanOrEqual(whole);
});

const FAKES: Readonly<Record<string, string>> = {
  slow: "sleep 2",
  endless: "sleep 60",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  good: "echo all is well, compiled to ${BUN_JSC_useFTLJIT:-the last}",
  bad: "echo what is wrong; exit 3",
};
const FAKE_LINES = Object.keys(FAKES).map((name) => `${name} 1 beside\n`);
const FAKE_TABLE = `# a comment\n\nall 9 together\nbeside 5 together\nearly 1 alone\n${FAKE_LINES.join("")}`;
const PLAY = `
  set -uo pipefail
  log_directory="$1/log"
  . .ci/stages.sh
  HANGS_AT=1
  LEAST_LIMIT_S=6
  read_stages "$1/table"
  stage early echo begun
  beside 2 "$1/stages" slow endless good bad
  finish`;
/** How many of the others run when one begins. */
const COUNTING = 'cd "$(dirname "$0")/.."; touch "log/$$.runs"; ls log | grep -c "[.]runs$" >>log/counts';

test("stages are counted and timed, alone and beside others; one that fails, is over its time or hangs is told", async () => {
  await inTemporaryDirectory(async (directory) => {
    for (const name of ["log", "stages"]) mkdirSync(join(directory, name));
    writeFileSync(join(directory, "table"), FAKE_TABLE);
    for (const [name, words] of Object.entries(FAKES)) {
      const text = `#!/bin/bash\n(${COUNTING})\n(${words})\nstatus=$?\nrm -f "$(dirname "$0")/../log/$$.runs"\nexit $status\n`;
      writeFileSync(join(directory, "stages", name), text, { mode: 0o755 });
    }
    const child = Bun.spawn(["bash", "-c", PLAY, "play", directory], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
    const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: "" });
    expect(out).toMatch(/^── early\nbegun\n── early: passed in \d+ s of 1 s(, OVER)?\n/);
    // Without the runtime's last compiler, as the unit starts the gateway.
    expect(out).toContain("── good\nall is well, compiled to 0\n── good: passed in ");
    expect(out).toMatch(/── bad\nwhat is wrong\n── bad: FAILED after \d+ s of 1 s/);
    expect(out).toMatch(/── slow: passed in \d+ s of 1 s, OVER\n/);
    expect(out).toMatch(/── endless: ended because it hung\n── endless: FAILED after \d+ s of 1 s, OVER\n/);
    expect(out).toMatch(/── beside: all of them in \d+ s of 5 s\n/);
    expect(out).toMatch(/── FAILED: bad\n/);
    expect(out).toMatch(/── all: \d+ s of 9 s\n3 passed, 2 failed\n$/);
    const counts = readFileSync(join(directory, "log/counts"), "utf8").trim().split("\n").map(Number);
    expect([counts.length, Math.max(...counts)]).toEqual([4, 2]);
  });
});
