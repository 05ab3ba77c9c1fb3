/**
 * `bun run build`: src/main.ts -> dist/postern, one file that needs nothing beside it.
 *
 *   bun scripts/build.ts --entrypoint FILE --outfile FILE     the same of a test's own entry point
 */
import { statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json";
import { embedPage } from "./embed-page.ts";

const ROOT = join(import.meta.dir, "..");
const { values } = parseArgs({
  options: {
    entrypoint: { type: "string", default: join(ROOT, "src", "main.ts") },
    outfile: { type: "string", default: join(ROOT, "dist", "postern") },
  },
});
const OUTFILE = resolve(values.outfile);
/** Bytes of header that the runtime lets through, so that the gateway itself refuses above its own 16 KiB. */
const MAX_HEADER_BYTES = 65_536;

function git(...command: string[]): string {
  const child = Bun.spawnSync(["git", "-C", ROOT, ...command], { stdin: "ignore", stderr: "ignore" });
  return child.success ? child.stdout.toString().trim() : "";
}

/** The commit, marked when the tree differs from it; "unknown" outside a clone. */
function commit(): string {
  const head = git("rev-parse", "HEAD");
  if (head === "") return "unknown";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? head : `${head}-modified`;
}

const built = await Bun.build({
  entrypoints: [resolve(values.entrypoint)],
  target: "bun",
  minify: { syntax: true, whitespace: true, identifiers: false },
  sourcemap: "inline",
  plugins: [await embedPage()],
  define: { POSTERN_VERSION: JSON.stringify(version), POSTERN_COMMIT: JSON.stringify(commit()) },
  compile: {
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
console.log(`${relative(ROOT, OUTFILE)} ${version} ${(statSync(OUTFILE).size / 1_048_576).toFixed(0)} MiB`);
