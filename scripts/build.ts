/** `bun run build`: src/main.ts -> dist/postern, one file that needs nothing beside it. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json";

const ROOT = join(import.meta.dir, "..");
const OUTFILE = join(ROOT, "dist", "postern");
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
  entrypoints: [join(ROOT, "src", "main.ts")],
  target: "bun",
  minify: { syntax: true, whitespace: true, identifiers: false },
  sourcemap: "inline",
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
console.log(`dist/postern ${version} ${(statSync(OUTFILE).size / 1_048_576).toFixed(0)} MiB`);
