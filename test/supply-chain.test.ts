import { expect, test } from "bun:test";
import { checkFiles, lockfileFaults, manifestFaults, packageFaults } from "../scripts/supply-chain.ts";

const SUM = `sha512-${"A".repeat(86)}==`;

test.each([
  [{ trustedDependencies: [], dependencies: { a: "1.2.3" } }, null],
  [{ trustedDependencies: [], dependencies: { a: "1.2.3-beta.1" } }, null],
  [{ trustedDependencies: [], dependencies: { a: "1.2.3-" } }, "a is not pinned"],
  [{ trustedDependencies: [], dependencies: { a: "^1.2.3" } }, "a is not pinned"],
  [{ trustedDependencies: [], devDependencies: { a: "latest" } }, "a is not pinned"],
  [{ trustedDependencies: [], dependencies: { a: "https://example.org/a.tgz" } }, "a is not pinned"],
  [{ dependencies: { a: "1.2.3" } }, "trustedDependencies is not empty"],
  [{ trustedDependencies: ["a"], dependencies: { a: "1.2.3" } }, "trustedDependencies is not empty"],
  [{ trustedDependencies: [], overrides: { a: "1.2.3" } }, "overridden"],
])("manifest %j: %p", (manifest, fault) => {
  const faults = manifestFaults(JSON.stringify(manifest));
  if (fault === null) expect(faults).toEqual([]);
  else expect(faults.join()).toContain(fault);
});

test.each([
  ["", { place: "b/a", name: "a", version: "1.2.3", integrity: SUM }, null],
  ["", { place: "@x/a", name: "@x/a", version: "1.2.3-beta.1", integrity: SUM }, null],
  ["", { place: "a", name: "a", version: "1.2.3", integrity: "" }, "a has no sum"],
  ["", { place: "a", name: "a", version: "1.2.3", integrity: "sha1-abc" }, "a has no sum"],
  ["", { place: "a", name: "a", version: "github:b/a#1234", integrity: SUM }, "no released version"],
  ["", { place: "a", name: "evil", version: "1.2.3", integrity: SUM }, "another package: evil"],
  ['"https://example.org/a.tgz"', { place: "a", name: "a", version: "1.2.3", integrity: SUM }, "names an address"],
])("lockfile %s%j: %p", (text, locked, fault) => {
  const faults = lockfileFaults(text, [locked]);
  if (fault === null) expect(faults).toEqual([]);
  else expect(faults.join()).toContain(fault);
});

test("our own manifests and lockfiles hold", () => {
  expect(checkFiles()).toEqual([]);
});

test("a package without a reason, and a reason without its package, are faults", () => {
  const faults = packageFaults(["a", "b/c"], { a: "why", gone: "why" });
  expect(faults).toEqual([
    "b/c is in the executable without a reason",
    "gone has a reason and is not in the executable",
  ]);
});
