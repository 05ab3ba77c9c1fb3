/** `bun run check`: everything that can be said about the source without running it, side by side. */
import { join } from "node:path";

type Step = { name: string; command: readonly string[] };
type Outcome = { name: string; exitCode: number; seconds: number; output: string };

const ROOT = join(import.meta.dir, "..");
/** Seconds for one step; the whole check is meant to stay under thirty. */
const STEP_DEADLINE_S = 300;

/** Tools are run by Bun itself: a fresh machine may have no Node.js new enough for them. */
const STEPS: readonly Step[] = [
  { name: "types", command: [tool("typescript/bin/tsc")] },
  { name: "types of the page", command: [tool("typescript/bin/tsc"), "-p", "src/console"] },
  // Without the runtime's own: it runs in others, and in browsers.
  { name: "types of the client", command: [tool("typescript/bin/tsc"), "-p", "clients/typescript"] },

  { name: "format and lint", command: [tool("@biomejs/biome/bin/biome"), "check", "--error-on-warnings"] },
  {
    name: "promises",
    command: [tool("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings", "src", "test", "scripts", "clients"],
  },
  { name: "unused code", command: [tool("knip/bin/knip.js"), "--no-progress"] },
  { name: "house rules", command: ["scripts/tidy.ts"] },
];

function tool(path: string): string {
  return join("node_modules", path);
}

async function run(step: Step): Promise<Outcome> {
  const startedAtMs = performance.now();
  const child = Bun.spawn([process.execPath, ...step.command], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: STEP_DEADLINE_S * 1_000,
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { name: step.name, exitCode, seconds, output: `${stdout}${stderr}`.trim() };
}

function report(outcome: Outcome): void {
  const verdict = outcome.exitCode === 0 ? "ok    " : "FAILED";
  console.log(`${verdict} ${outcome.seconds.toFixed(1).padStart(5)} s  ${outcome.name}`);
  if (outcome.exitCode !== 0) console.log(outcome.output);
}

const outcomes = await Promise.all(STEPS.map(run));
for (const outcome of outcomes) report(outcome);
process.exit(outcomes.every((outcome) => outcome.exitCode === 0) ? 0 : 1);
