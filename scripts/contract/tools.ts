/** The linters and the generator, each a process of its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export const TOOLS = import.meta.dir;
/** Seconds for one tool: less than what ends the stage, and more than a busy machine takes. */
const DEADLINE_S = 540;
/** How a Java program ends that is asked to. */
const TERMINATED = 143;
/** Variations of one request; all of them would be some ten thousand. */
const MAX_COMBINATIONS = "10";
/**
 * Seconds for one answer: more than the gateway waits for the outcome of a write. An answer that is later ends the whole run,
 * and the generator's own limit is six.
 */
const ANSWER_WITHIN_S = 30;
/** Lines of a tool's output that are shown when it fails. */
const SHOWN_LINES = 40;

type Run = { name: string; command: readonly string[]; cwd: string; env?: Record<string, string> };
type Outcome = { exitCode: number; output: string };

async function run({ name, command, cwd, env = {} }: Run): Promise<Outcome> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEADLINE_S * 1_000,
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (child.signalCode !== null || exitCode === TERMINATED) {
    throw new Error(`contract: ${name} was ended, after ${DEADLINE_S} s if nobody else did it`);
  }
  return { exitCode, output: stdout + stderr };
}

/** Runs both linters; returns the names of those that found an error. */
export async function lint(documentPath: string, directory: string): Promise<string[]> {
  const modules = join(TOOLS, "node_modules");
  const spectral = ["lint", documentPath, "--ruleset", join(TOOLS, "spectral.yaml"), "--fail-severity", "error"];
  const runs: Run[] = [
    {
      name: "redocly",
      command: [process.execPath, join(modules, "@redocly/cli/bin/cli.js"), "lint", documentPath],
      cwd: directory,
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
    {
      name: "spectral",
      command: [process.execPath, join(modules, "@stoplight/spectral-cli/dist/index.js"), ...spectral],
      cwd: directory,
    },
  ];
  const outcomes = await Promise.all(runs.map(async (each) => ({ name: each.name, ...(await run(each)) })));
  for (const { name, exitCode, output } of outcomes) {
    console.log(exitCode === 0 ? `ok      ${name}: no errors` : `FAILED  ${name}\n${lastLines(output)}`);
  }
  return outcomes.filter(({ exitCode }) => exitCode !== 0).map(({ name }) => name);
}

/** Runs the generator. Its own verdicts are not asked: it knows neither the state nor the conditions between members. */
export async function generate(viewPath: string, target: { url: string; apiKey: string }): Promise<void> {
  const directory = join(viewPath, "../specmatic");
  mkdirSync(directory);
  const jar = join(TOOLS, "node_modules/specmatic/specmatic.jar");
  const quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];
  const { output } = await run({
    name: "specmatic",
    command: [
      "java",
      ...quick,
      "-jar",
      jar,
      "test",
      `--testBaseURL=${target.url}`,
      `--timeout=${ANSWER_WITHIN_S}`,
      viewPath,
    ],
    cwd: directory,
    env: {
      SPECMATIC_GENERATIVE_TESTS: "true",
      MAX_TEST_REQUEST_COMBINATIONS: MAX_COMBINATIONS,
      apiKey: target.apiKey,
    },
  });
  await Bun.write(join(directory, "output.txt"), output);
  if (!/^Tests run: [0-9]+/m.test(output)) throw new Error(`contract: no run of the generator: ${lastLines(output)}`);
}

function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
}
