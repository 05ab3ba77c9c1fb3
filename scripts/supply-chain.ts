/**
 * What the executable is made of is pinned, small and needs no script of anybody else's to be installed:
 *
 *   bun scripts/supply-chain.ts             checks manifests and lockfiles, and that each package in the executable has a reason
 *   bun scripts/supply-chain.ts --rebuild   and builds it in another directory, from an install without scripts: the
 *                                           bytes have to be those of dist/postern
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { bundledPlaces, ROOT } from "./release/bundle.ts";
import { cloneAndInstall, run, sha256 } from "./release/clone.ts";
import { type Locked, readLockfile } from "./release/lockfile.ts";
import { PACKAGES } from "./release/packages.ts";

/** Packages in the executable: what a bigger one would bring is weighed first. */
const MAX_PACKAGES = 30;
const EXACT = /^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9a-z]+(?:\.[0-9a-z]+)*)?$/;
/** A version, with the words that some packages put behind one; no address, file or branch. */
const RELEASED = /^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** Any address: the lockfile names none, so that the sums alone decide what is installed, wherever it comes from. */
const ADDRESS = /[a-z+]+:\/\/|\bregistry\./i;

export function manifestFaults(text: string): string[] {
  const manifest: Readonly<Record<string, unknown>> = JSON.parse(text);
  const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
  const pins = kinds.flatMap((kind) => Object.entries(Object(manifest[kind])));
  const trusted = manifest["trustedDependencies"];
  return [
    ...pins.flatMap(([name, version]) => (EXACT.test(String(version)) ? [] : [`${name} is not pinned: ${version}`])),
    ...(Array.isArray(trusted) && trusted.length === 0
      ? []
      : ["trustedDependencies is not empty: without it Bun runs the install scripts of packages that it knows"]),
    ...("patchedDependencies" in manifest || "overrides" in manifest ? ["packages are patched or overridden"] : []),
  ];
}

export function lockfileFaults(text: string, packages: readonly Locked[]): string[] {
  const address = ADDRESS.exec(text);
  return [
    ...(address === null ? [] : [`it names an address: ${address[0]}`]),
    ...packages.flatMap(({ place, name, version, integrity }) => [
      ...(RELEASED.test(version) ? [] : [`${place} is no released version: ${version}`]),
      ...(SHA512.test(integrity) ? [] : [`${place} has no sum`]),
      ...(place === name || place.endsWith(`/${name}`) ? [] : [`${place} is another package: ${name}`]),
    ]),
  ];
}

/** What is wrong with this tree's own manifests and lockfiles, one line each. */
export function checkFiles(): string[] {
  const manifests = ["package.json", ...new Bun.Glob("scripts/*/package.json").scanSync(ROOT)].sort();
  return manifests.flatMap((path) => {
    const lockPath = join(ROOT, path.replace(/package\.json$/, "bun.lock"));
    const { packages, trusted } = readLockfile(lockPath);
    const faults = [
      ...manifestFaults(readFileSync(join(ROOT, path), "utf8")),
      ...lockfileFaults(readFileSync(lockPath, "utf8"), [...packages.values()]),
      ...trusted.map((name) => `${name} may run scripts`),
    ];
    console.log(`${path}: ${packages.size} packages in its lockfile, ${faults.length} faults`);
    return faults.map((fault) => `${path}: ${fault}`);
  });
}

/** Each has a reason, and no reason is of one that has gone. */
async function checkPackages(): Promise<string[]> {
  const places = await bundledPlaces({ version: "0.0.0", commit: "count" });
  console.log(`${places.length} packages in the executable: ${places.join(", ")}`);
  const surplus = places.length > MAX_PACKAGES ? [`${places.length} packages, at most ${MAX_PACKAGES}`] : [];
  return [...surplus, ...packageFaults(places, PACKAGES)];
}

export function packageFaults(places: readonly string[], reasons: Readonly<Record<string, string>>): string[] {
  return [
    ...places.filter((place) => !(place in reasons)).map((place) => `${place} is in the executable without a reason`),
    ...Object.keys(reasons)
      .filter((place) => !places.includes(place))
      .map((place) => `${place} has a reason and is not in the executable`),
  ];
}

/** Another directory, no development tools, no install scripts. */
async function rebuild(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "postern-rebuild-"));
  try {
    const clone = join(directory, "a", "place", "with", "another", "name");
    await cloneAndInstall(clone);
    await run(clone, [process.execPath, "scripts/build.ts"]);
    const [ours, theirs] = await Promise.all([ROOT, clone].map((root) => sha256(join(root, "dist/postern"))));
    console.log(`dist/postern    ${ours}\nbuilt elsewhere ${theirs}`);
    return ours === theirs ? [] : [`${relative(ROOT, clone)} gives other bytes`];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rebuild: { type: "boolean", default: false } } });
  const faults = [...checkFiles(), ...(await checkPackages()), ...(values.rebuild ? await rebuild() : [])];
  for (const fault of faults) console.log(`FAULT ${fault}`);
  process.exit(faults.length === 0 ? 0 : 1);
}
