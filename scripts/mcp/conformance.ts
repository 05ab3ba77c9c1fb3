/** The official suite: every check that fails is named in `not-offered` with its reason, and no name is there for nothing. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Gateway } from "../contract/gateway.ts";
import { NOT_OFFERED } from "./not-offered.ts";
import { openProxy } from "./proxy.ts";
import { PACKAGES, runToEnd } from "./run.ts";

const SUITE = join(PACKAGES, "@modelcontextprotocol/conformance/dist/index.js");

/** Each revision, and how many checks of it pass at least: a suite that looks at nothing passes all. */
const REVISIONS = [
  { words: ["--suite", "all", "--spec-version", "2025-11-25"], least: 30 },
  { words: ["--requirements", "2026-07-28"], least: 90 },
] as const;

type Check = { id: string; status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"; errorMessage?: string };
type Seen = Check & { scenario: string };

export async function checkConformance(gateway: Gateway, directory: string): Promise<void> {
  // The suite sends no API key.
  const proxy = openProxy(gateway);
  const failed: Seen[] = [];
  try {
    for (const { words, least } of REVISIONS) {
      const revision = words[words.length - 1] ?? "";
      const results = join(directory, revision);
      const url = `http://localhost:${proxy.port}/mcp`;
      const command = [process.execPath, SUITE, "server", "--url", url, "-o", results, ...words];
      const { output } = await runToEnd({ name: "conformance", command, cwd: directory });
      const checks = checksIn(results);
      const passed = checks.filter(({ status }) => status === "SUCCESS").length;
      if (passed < least) throw new Error(`mcp: of ${revision} only ${passed} checks passed\n${output}`);
      const ofRevision = checks.filter(({ status }) => status === "FAILURE");
      failed.push(...ofRevision);
      const scenarios = new Set(checks.map(({ scenario }) => scenario)).size;
      console.log(
        `ok      ${revision}: ${passed} checks of ${scenarios} scenarios pass, ${ofRevision.length} are of what is not offered`,
      );
    }
  } finally {
    await proxy.stop(true);
  }
  judge(failed);
}

function judge(failed: readonly Seen[]): void {
  const unnamed = failed.filter((check) => !NOT_OFFERED.some((each) => isNamed(each, check)));
  if (unnamed.length > 0) throw new Error(`mcp: the suite found\n${unnamed.map(said).join("\n")}`);
  const idle = NOT_OFFERED.filter((each) => !failed.some((check) => isNamed(each, check)));
  if (idle.length > 0) throw new Error(`mcp: named and not failed: ${idle.map(({ what }) => what).join(", ")}`);
  for (const { what, because } of NOT_OFFERED) console.log(`        ${what}: ${because}`);
}

function isNamed({ what }: { what: string }, { scenario, id }: Seen): boolean {
  return (
    what === scenario || what === `${scenario} ${id}` || (what.endsWith("*") && scenario.startsWith(what.slice(0, -1)))
  );
}

function said({ scenario, id, errorMessage }: Seen): string {
  return `${scenario} ${id}: ${errorMessage}`;
}

/** A directory for each scenario, with its time. */
const SCENARIO = /^server-(.+)-\d{4}-\d{2}-\d{2}T/;

function checksIn(results: string): Seen[] {
  return readdirSync(results).flatMap((name) => {
    const scenario = SCENARIO.exec(name)?.[1] ?? name;
    // The suite's own form.
    const checks = JSON.parse(readFileSync(join(results, name, "checks.json"), "utf8")) as Check[];
    return checks.map((check) => ({ ...check, scenario }));
  });
}
