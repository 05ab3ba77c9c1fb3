/** `paper --scenes` from the command line: what it says, and how somebody's program is started and ended. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runBot } from "../../src/cli/run-bot.ts";
import { SCENES } from "../../src/paper/scenes/list.ts";
import { stillClock } from "../support/still-clock.ts";
import { makeWorkplace, runHere } from "./outside.ts";

const workplace = makeWorkplace();
afterAll(() => workplace.remove());

function scenes(...words: string[]): ReturnType<typeof runHere> {
  return runHere(["paper", "--scenes", ...words]);
}

test("without a bot it lists the scenes, with words that make no sense it is misused", async () => {
  const { exitCode, out } = await scenes();
  expect(exitCode).toBe(0);
  for (const { name, task, story } of SCENES) {
    expect(
      out.split("\n").some((line) => line.startsWith(`${name} `) && line.includes(` ${task} `) && line.endsWith(story)),
    ).toBe(true);
  }
  expect((await scenes("--scene", "stream-*", "--json")).out.match(/"name":"stream-/g)).toHaveLength(4);
  for (const words of [
    ["--scene", "nothing"],
    ["--seconds", "0"],
    ["--seconds", "601"],
    ["--jobs", "x"],
  ]) {
    expect(await scenes("--bot", "true", ...words)).toMatchObject({ exitCode: 2 });
  }
});

test("a bot that does nothing has shown nothing, and CI is told so", async () => {
  const junit = join(workplace.directory, "scenes.xml");
  const ran = await scenes(
    "--bot",
    "echo $SCENE_TASK $SCENE_SIDE; exit 5",
    "--scene",
    "stop-*,answer-lost",
    "--junit",
    junit,
  );
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(ran.err).toContain("the bot met nothing of any scene");
  expect(ran.out).toMatch(/^not exercised {2}answer-lost .*it sent no order; it ended with exit code 5$/m);
  expect(ran.out).toEndWith("0 passed, 0 failed, 3 not exercised\n");
  const report = readFileSync(junit, "utf8");
  expect(report).toContain('tests="3" failures="0" skipped="3"');
  expect(report).toMatch(/^stop (?:buy|sell)$/m);
});

test("a bot that doubles fails, and so does the command", async () => {
  const bot = join(import.meta.dir, "doubling-bot-child.ts");
  const words = ["--bot", `'${process.execPath}' '${bot}'`, "--scene", "gateway-error-taken", "--json"];
  const { exitCode, out, err } = await scenes(...words);
  expect([exitCode, err]).toEqual([1, "postern paper: 1 of 1 scenes failed\n"]);
  expect(JSON.parse(out)).toMatchObject({
    seed: 1,
    passed: 0,
    failed: 1,
    not_exercised: 0,
    scenes: [
      { scene: "gateway-error-taken", verdict: "failed", orders_taken: 2, why: expect.stringMatching(/^doubled: /) },
    ],
  });
});

test("a bot that does not end is ended with all that it has started", async () => {
  const clock = stillClock(0);
  const started = join(workplace.directory, "started");
  // Whole when it is there, however slowly a busy machine starts a shell.
  const command = "echo begun; sleep 1000 & echo $$ $! > $STARTED.new; mv $STARTED.new $STARTED; sleep 1000";
  const running = runBot(
    { command, variables: { STARTED: started }, limitMs: 60_000 },
    { clock, environment: process.env },
  );
  await clock.advance(59_999);
  await comesTrue(() => existsSync(started));
  const processes = readFileSync(started, "utf8").trim().split(" ").map(Number);
  expect(processes.map(isRunning)).toEqual([true, true]);
  await clock.advance(1);
  expect(await running).toEqual({ exitCode: null, output: "begun\n", errors: "" });
  // A signal is sent, not served: the machine ends a process when it comes to it.
  await comesTrue(() => !processes.some(isRunning));
});

/** Fails by the time limit of the test. */
async function comesTrue(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

/** One that has ended and that nobody has waited for yet is not running. */
function isRunning(processId: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${processId}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("of what it prints the end is kept, with the exit code of one that is killed or cannot be started", async () => {
  const clock = stillClock(0);
  const run = (command: string) =>
    runBot({ command, variables: { A: "b" }, limitMs: 1 }, { clock, environment: process.env });
  expect(await run("echo $A; echo no >&2; exit 77")).toEqual({ exitCode: 77, output: "b\n", errors: "no\n" });
  const { output } = await run("yes | head -c 100000; echo last");
  expect([output.length, output.endsWith("y\nlast\n")]).toEqual([16_384, true]);
  expect(await run("kill -9 $$")).toMatchObject({ exitCode: 1 });
  expect(await run("/nowhere/at/all")).toMatchObject({ exitCode: 127 });
});
