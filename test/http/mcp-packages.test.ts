/** What the tools bring along: fewer than four packages, and none that a request of `/v1` loads. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGES } from "../../scripts/release/packages.ts";

const SOURCE = join(import.meta.dir, "../../src");
const OF_TOOLS = /Model Context Protocol|of @modelcontextprotocol/;

type Follow = "what is loaded at the start" | "all";

/** Every package that files reach from here, by their own imports; types are none. */
function packagesFrom(start: string, follow: Follow): Set<string> {
  const scanner = new Bun.Transpiler({ loader: "ts" });
  const seen = new Set([join(SOURCE, start)]);
  const packages = new Set<string>();
  for (const file of seen) {
    for (const { path, kind } of scanner.scanImports(readFileSync(file, "utf8"))) {
      if (kind === "dynamic-import" && follow !== "all") continue;
      if (!path.startsWith("."))
        packages.add(
          path
            .split("/")
            .slice(0, path.startsWith("@") ? 2 : 1)
            .join("/"),
        );
      else if (path.endsWith(".ts")) seen.add(join(dirname(file), path));
    }
  }
  return packages;
}

const START = "http/server.ts";

test("no package of the tools is loaded before the first message", () => {
  const early = packagesFrom(START, "what is loaded at the start");
  expect(early).toContain("elysia");
  const late = [...packagesFrom(START, "all")].filter((name) => !early.has(name));
  expect(late).toEqual(["@modelcontextprotocol/server"]);
});

test("they are fewer than four, each with its reason in the list of all", () => {
  const own = Object.entries(PACKAGES).filter(([, why]) => OF_TOOLS.test(why));
  expect(own.map(([name]) => name).toSorted()).toEqual([
    "@modelcontextprotocol/core",
    "@modelcontextprotocol/server",
    "zod",
  ]);
});
