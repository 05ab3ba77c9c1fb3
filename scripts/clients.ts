/**
 * `bun run clients`: whoever lets a program write the client gets one that can be used. Three generators make one each
 * from the description that dist/postern serves; what they made is type-checked and trades at the paper exchange.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GENERATORS, generate } from "./clients/generators.ts";
import { mustRun, TOOLS } from "./clients/tools.ts";
import { startGateway } from "./contract/gateway.ts";

const PROGRAM = join(import.meta.dir, "../dist/postern");

const directory = mkdtempSync(join(tmpdir(), "postern-clients-"));
const startedMs = performance.now();
try {
  await clients();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function clients(): Promise<void> {
  const gateway = await startGateway(join(directory, "data"), [PROGRAM]);
  try {
    const place = join(directory, "clients");
    mkdirSync(place);
    cpSync(join(TOOLS, "use"), place, { recursive: true });
    symlinkSync(join(TOOLS, "node_modules"), join(directory, "node_modules"));
    await Bun.write(join(place, "openapi.json"), await (await fetch(`${gateway.baseUrl}/openapi.json`)).text());
    await Promise.all(GENERATORS.map((each) => generate(each, place, gateway.baseUrl)));
    console.log(`ok      ${GENERATORS.length} clients made after ${seconds()} s`);
    await mustRun({
      name: "tsc",
      command: [process.execPath, join(TOOLS, "node_modules/typescript/bin/tsc"), "-p", place],
      cwd: place,
    });
    console.log(`ok      their uses are type-checked after ${seconds()} s`);
    for (const { use } of GENERATORS) {
      const environment = { POSTERN: gateway.baseUrl, ACCOUNT: gateway.accountId, API_KEY: gateway.apiKey };
      const output = await mustRun({ name: use, command: [process.execPath, use], cwd: place, environment });
      console.log(`── ${use}\n${output.trimEnd()}`);
    }
    console.log(`${GENERATORS.length} clients in ${seconds()} s`);
  } finally {
    await gateway.stop();
  }
}

function seconds(): string {
  return ((performance.now() - startedMs) / 1_000).toFixed(1);
}
