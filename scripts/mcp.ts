/**
 * `bun run mcp`: what others have made for the Model Context Protocol, against dist/postern. The official conformance suite for both
 * revisions that are spoken, the inspector's command line, and the official client, which does what a new user would: a paper
 * gateway, a key in a file, the configuration that is printed, and an order within a minute.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gateway, startGateway } from "./contract/gateway.ts";
import { checkConformance } from "./mcp/conformance.ts";
import { mustRun, PACKAGES } from "./mcp/run.ts";

const PROGRAM = join(import.meta.dir, "../dist/postern");
/** From nothing to an order on paper, milliseconds. */
const NEW_USER_MS = 60_000;

const directory = mkdtempSync(join(tmpdir(), "postern-mcp-"));
try {
  await beNewUser();
  const gateway = await startGateway(join(directory, "data"), [PROGRAM]);
  try {
    await inspect(gateway);
    await checkConformance(gateway, directory);
  } finally {
    await gateway.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function beNewUser(): Promise<void> {
  const startedMs = performance.now();
  const script = join(import.meta.dir, "mcp/use/new-user.ts");
  const told = await mustRun({ name: "new user", command: [process.execPath, script, PROGRAM], cwd: directory });
  const tookMs = performance.now() - startedMs;
  if (tookMs > NEW_USER_MS) throw new Error(`mcp: from install to an order on paper took ${Math.round(tookMs)} ms`);
  console.log(`${told.trimEnd()}\nok      from nothing to an order on paper in ${(tookMs / 1_000).toFixed(1)} s`);
}

/** Over HTTP and over standard streams. */
async function inspect({ baseUrl, apiKey }: Gateway): Promise<void> {
  const keyFile = join(directory, "key");
  writeFileSync(keyFile, apiKey, { mode: 0o600 });
  const ways = [
    ["over HTTP", `${baseUrl}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${apiKey}`],
    ["over standard streams", PROGRAM, "mcp", "--key-file", keyFile, "--url", baseUrl],
  ] as const;
  const inspector = join(PACKAGES, ".bin/mcp-inspector");
  for (const [way, ...words] of ways) {
    const ask = async (...asked: string[]): Promise<string> =>
      mustRun({
        name: `inspector ${way}`,
        command: [process.execPath, inspector, "--cli", ...words, ...asked],
        cwd: directory,
      });
    const { tools } = JSON.parse(await ask("--method", "tools/list"));
    const account = JSON.parse(await ask("--method", "tools/call", "--tool-name", "account"));
    if (tools.length !== 11 || account.structuredContent.outcome !== "ok")
      throw new Error(`mcp: the inspector ${way} was told ${JSON.stringify({ tools, account })}`);
    console.log(`ok      the inspector ${way}: ${tools.length} tools, one called`);
  }
}
