/** Long runs that are split among processes. */
import { expect, test } from "bun:test";
import { readTotals, startJob } from "../scripts/jobs.ts";

const ENDS: [string, string, object | string][] = [
  ["told its totals", `tellTotals({ seeds: 3 })`, { seeds: 3 }],
  ["was killed before it could tell them", `process.kill(process.pid, "SIGKILL")`, "exit code 137 and no totals"],
  ["ended well and told nothing", `process.exit(0)`, "exit code 0 and no totals"],
];

test.each(ENDS)("a job that %s is counted as that", async (_name, script, expected) => {
  const words = `import { tellTotals } from "${import.meta.dir}/../scripts/jobs.ts"; ${script}; void tellTotals;`;
  const job = Bun.spawn([process.execPath, "-e", words], { stdout: "pipe", stderr: "inherit" });
  const totals = await readTotals<object>(job).catch((error: Error) => error.message);
  if (typeof expected === "string") expect(totals).toContain(expected);
  else expect(totals).toEqual(expected);
});

test("a job keeps the memory that it frees, and no test hands that on", async () => {
  const setting = `Bun.spawnSync(["printenv", "MIMALLOC_PURGE_DELAY"], { env: process.env }).stdout.toString().trim()`;
  const tell = `import { tellTotals } from "${import.meta.dir}/../scripts/jobs.ts"; tellTotals(${setting});`;
  const asTest = `import "${import.meta.dir}/support/draws.ts"; ${tell}`;
  expect(await readTotals<string>(startJob("-e", [tell]))).toBe("-1");
  expect(await readTotals<string>(startJob("-e", [asTest]))).toBe("");
});
