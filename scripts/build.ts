/**
 * `bun run build`: src/main.ts -> dist/postern, one file that needs nothing beside it.
 *
 *   bun scripts/build.ts --entrypoint FILE --outfile FILE     the same of a test's own entry point
 *   --architecture x64|arm64 --runtime FILE                   for a machine of that kind, on that runtime
 *   --version X.Y.Z                                           instead of the one in package.json, to try an upgrade
 */
import { statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json";
import { bundleOptions, ROOT } from "./release/bundle.ts";
import { commitOf } from "./release/commit.ts";

const { values } = parseArgs({
  options: {
    entrypoint: { type: "string", default: join(ROOT, "src", "main.ts") },
    outfile: { type: "string", default: join(ROOT, "dist", "postern") },
    architecture: { type: "string" },
    runtime: { type: "string" },
    version: { type: "string", default: version },
  },
});
const OUTFILE = resolve(values.outfile);
/** Bytes of header that the runtime lets through, so that the gateway itself refuses above its own 16 KiB. */
const MAX_HEADER_BYTES = 65_536;

function runtime(): { target?: "bun-linux-x64" | "bun-linux-arm64"; executablePath?: string } {
  const { architecture, runtime: executablePath } = values;
  if (architecture === undefined || executablePath === undefined) return {};
  if (architecture !== "x64" && architecture !== "arm64") throw new Error("--architecture is x64 or arm64");
  return { target: `bun-linux-${architecture}`, executablePath };
}

const built = await Bun.build({
  ...(await bundleOptions(resolve(values.entrypoint), { version: values.version, commit: commitOf(ROOT).id })),
  sourcemap: "inline",
  // Parsed when it is built and not at each start: half of the time to the first answer.
  bytecode: true,
  format: "esm",
  compile: {
    ...runtime(),
    outfile: OUTFILE,
    // Whoever may write to the directory we are started in must not be able to run code in us or set our environment.
    autoloadBunfig: false,
    autoloadDotenv: false,
    autoloadPackageJson: false,
    autoloadTsconfig: false,
    execArgv: [`--max-http-header-size=${MAX_HEADER_BYTES}`],
  },
});
for (const message of built.logs) console.error(message);
if (!built.success) process.exit(1);
console.log(`${relative(ROOT, OUTFILE)} ${values.version} ${(statSync(OUTFILE).size / 1_048_576).toFixed(0)} MiB`);
