/** Runs that are split among processes: each prints what it finds, and its totals in one marked line at the end. */
import { KEPT_MEMORY } from "./kept-memory.ts";

const TOTALS_MARK = "totals ";

export type Job = Bun.Subprocess<"ignore", "pipe", "inherit">;

/** Starts a script as one job of several. */
export function startJob(script: string, flags: readonly string[]): Job {
  return Bun.spawn([process.execPath, script, ...flags], {
    env: { ...process.env, ...KEPT_MEMORY },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** How a job tells its totals to the one that started it. */
export function tellTotals(totals: unknown): void {
  console.log(`${TOTALS_MARK}${JSON.stringify(totals)}`);
}

/** Shows what a job prints as it comes and gives its totals; throws for one that ended without them. */
export async function readTotals<Totals>(job: Job): Promise<Totals> {
  const decoder = new TextDecoder();
  let totals: Totals | null = null;
  let rest = "";
  for await (const piece of job.stdout) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      // Written by the same program a moment ago.
      if (line.startsWith(TOTALS_MARK)) totals = JSON.parse(line.slice(TOTALS_MARK.length)) as Totals;
      else if (line !== "") console.log(line);
    }
  }
  if (totals === null) throw new Error(`a job ended with exit code ${await job.exited} and no totals`);
  return totals;
}
