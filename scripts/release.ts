/**
 * `bun run release`: dist/release/ with an archive for each kind of machine (executable, unit, scripts), the list of its
 * parts as CycloneDX, and SHA256SUMS. The same commit gives the same bytes.
 *
 *   bun scripts/release.ts --twice                   builds again in another directory and compares
 *   bun scripts/release.ts --architecture x64        only that
 *   bun scripts/release.ts --version X.Y.Z --out DIR   to try an upgrade with
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json";
import { bundledPlaces, ROOT } from "./release/bundle.ts";
import { cloneAndInstall, run, sha256 } from "./release/clone.ts";
import { commitOf } from "./release/commit.ts";
import { describeParts } from "./release/sbom.ts";

const RUNTIMES = { x64: "@oven/bun-linux-x64", arm64: "@oven/bun-linux-aarch64" } as const;
type Architecture = keyof typeof RUNTIMES;

const FROM_ROOT = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"];
/** What users take along, where it stands in the tree. */
const TAKEN_ALONG = [
  "clients/python/postern.py",
  "clients/typescript/postern.ts",
  "examples/trade.mjs",
  "examples/trade.py",
  "examples/trade.sh",
  "skills/postern/SKILL.md",
  "src/paper/README.md",
];
const UNIT_FILES = join(ROOT, "scripts/systemd");
/** Of the unit's folder; what tries it in a container is not for the operator. */
const OPERATORS_FILES =
  /^(install|upgrade|uninstall|common)\.sh$|^postern-operator$|^postern\.(service|env)$|^plain-credential\.conf$/;
const COMPRESSION_LEVEL = 6;

const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(ROOT, "dist/release") },
    architecture: { type: "string", multiple: true, default: Object.keys(RUNTIMES) },
    version: { type: "string", default: version },
    twice: { type: "boolean", default: false },
  },
});

async function release(architecture: Architecture, out: string): Promise<void> {
  const name = `postern-${values.version}-linux-${architecture}`;
  const directory = join(out, name);
  mkdirSync(directory, { recursive: true });
  const runtime = join(ROOT, "scripts/release/node_modules", RUNTIMES[architecture], "bin/bun");
  const built = ["--architecture", architecture, "--runtime", runtime, "--version", values.version];
  await run(ROOT, [process.execPath, "scripts/build.ts", ...built, "--outfile", join(directory, "postern")]);
  // What the runtime writes beside it is in it already.
  rmSync(join(directory, "postern.map"), { force: true });
  for (const file of [...FROM_ROOT, ...documents(), ...TAKEN_ALONG]) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(directory, file));
  }
  for (const file of readdirSync(UNIT_FILES)) {
    if (OPERATORS_FILES.test(file)) copyFileSync(join(UNIT_FILES, file), join(directory, file));
  }
  await writeParts(architecture, join(out, `${name}.cdx.json`));
  await pack(out, name);
  rmSync(directory, { recursive: true });
}

/** README points at them, and its pictures lie among them. */
function documents(): string[] {
  return readdirSync(join(ROOT, "docs")).map((file) => join("docs", file));
}

async function writeParts(architecture: Architecture, path: string): Promise<void> {
  const { id: commit, madeAtS: committedAtS } = commitOf(ROOT);
  const places = await bundledPlaces({ version: values.version, commit });
  const runtime = RUNTIMES[architecture];
  writeFileSync(path, describeParts(ROOT, { version: values.version, commit, committedAtS, runtime, places }));
}

/** Sorted, owned by root, dated by the commit; packed by the runtime, so that its version alone decides the bytes. */
async function pack(out: string, name: string): Promise<void> {
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const order = ["--sort=name", "--format=ustar", `--mtime=@${commitOf(ROOT).madeAtS}`];
  const child = Bun.spawn(["tar", ...order, ...owner, "-cf", "-", name], {
    cwd: out,
    stdout: "pipe",
    stderr: "inherit",
  });
  const archive = await child.stdout.bytes();
  if ((await child.exited) !== 0) throw new Error("tar failed");
  writeFileSync(join(out, `${name}.tar.gz`), Bun.gzipSync(archive, { level: COMPRESSION_LEVEL }));
}

async function writeSums(out: string): Promise<string> {
  const files = readdirSync(out).filter((file) => file !== "SHA256SUMS");
  const lines = await Promise.all(files.sort().map(async (file) => `${await sha256(join(out, file))}  ${file}\n`));
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
  return lines.join("");
}

/** The same in a fresh clone in another directory; prints each file and whether it is the same. */
async function compare(sums: string): Promise<boolean> {
  if (!commitOf(ROOT).isClean) throw new Error("commit first: what is not committed is not in another clone");
  const directory = mkdtempSync(join(tmpdir(), "postern-release-"));
  try {
    const clone = join(directory, "a", "place", "with", "another", "name");
    await cloneAndInstall(clone, "all");
    const words = ["--out", join(clone, "out"), "--version", values.version];
    const architectures = values.architecture.flatMap((architecture) => ["--architecture", architecture]);
    await run(clone, [process.execPath, "scripts/release.ts", ...words, ...architectures]);
    const again = await Bun.file(join(clone, "out", "SHA256SUMS")).text();
    const different = sums.split("\n").filter((line) => !again.split("\n").includes(line));
    for (const line of different) console.log(`DIFFERS ${line}`);
    if (different.length === 0) console.log("built again in another directory: the same bytes, every file");
    return different.length === 0;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const out = resolve(values.out);
const architectures = values.architecture.map((name): Architecture => {
  if (name === "x64" || name === "arm64") return name;
  throw new Error("--architecture is x64 or arm64");
});
rmSync(out, { recursive: true, force: true });
const forAny = ["--frozen-lockfile", "--ignore-scripts", "--os=linux", "--cpu=*", "--silent"];
await run(join(ROOT, "scripts/release"), [process.execPath, "install", ...forAny]);
for (const architecture of architectures) await release(architecture, out);
const sums = await writeSums(out);
console.log(sums.trimEnd());
if (values.twice && !(await compare(sums))) process.exit(1);
