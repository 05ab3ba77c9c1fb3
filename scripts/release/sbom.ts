/** What an executable is made of, as CycloneDX: the packages that were bundled and the runtime that carries them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { type Locked, type Lockfile, readLockfile } from "./lockfile.ts";

export type Described = {
  version: string;
  commit: string;
  /** When the commit was made, unix seconds: the same commit gives the same document. */
  committedAtS: number;
  /** Package of the runtime: `@oven/bun-linux-x64`. */
  runtime: string;
  /** What is in the executable, as the lockfile names it. */
  places: readonly string[];
};

export function describeParts(root: string, described: Described): string {
  const program = new Models.Component(Enums.ComponentType.Application, "postern", {
    version: described.version,
    bomRef: "postern",
    licenses: new Models.LicenseRepository([new Models.NamedLicense("MIT")]),
    properties: new Models.PropertyRepository([new Models.Property("postern:commit", described.commit)]),
  });
  const lockfile = readLockfile(join(root, "bun.lock"));
  const runtime = readLockfile(join(root, "scripts/release/bun.lock")).packages.get(described.runtime);
  if (runtime === undefined) throw new Error(`${described.runtime} is not among the pinned runtimes`);
  const parts = [runtime, ...described.places.map((place) => lockedAt(lockfile, place))];
  const components = parts.map((part) => componentOf(part, part === runtime ? null : root));
  for (const component of components) program.dependencies.add(component.bomRef);
  const bom = new Models.Bom({
    version: 1,
    metadata: new Models.Metadata({ timestamp: new Date(described.committedAtS * 1_000), component: program }),
    components: new Models.ComponentRepository(components),
  });
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function lockedAt({ packages }: Lockfile, place: string): Locked {
  const found = packages.get(place);
  if (found === undefined) throw new Error(`${place} is in the executable and not in the lockfile`);
  return found;
}

function componentOf(part: Locked, root: string | null): Models.Component {
  const url = `pkg:npm/${part.name.replace("@", "%40")}@${part.version}`;
  const digest = Buffer.from(part.integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  const license = root === null ? "MIT" : licenseOf(join(root, "node_modules", part.place));
  return new Models.Component(Enums.ComponentType.Library, part.name, {
    version: part.version,
    bomRef: `${part.place}@${part.version}`,
    purl: url,
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-512"], digest]]),
    licenses: new Models.LicenseRepository(license === null ? [] : [new Models.NamedLicense(license)]),
  });
}

function licenseOf(directory: string): string | null {
  try {
    const { license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    return typeof license === "string" ? license : null;
  } catch {
    return null;
  }
}
