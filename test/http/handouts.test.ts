/** What is handed to programs and agents names nothing that is not there. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PosternError, round } from "../../clients/typescript/postern.ts";
import { ERROR_STATUS } from "../../src/core/errors.ts";
import { HANDOUTS } from "../../src/http/handout-table.ts";
import { toolsFor } from "../../src/http/mcp/tools.ts";
import { testRequest } from "../support/request.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { openRig, type Rig } from "./rig.ts";

const ROOT = join(import.meta.dir, "../..");
const NAMES = Object.entries(HANDOUTS);
const SKILL = readFileSync(join(ROOT, HANDOUTS["SKILL.md"].from), "utf8");
/** One glance of a model. */
const MAX_CHARACTERS = 4_000;

function get(rig: Rig, path: string): Promise<Response> {
  return rig.server.handle(testRequest({ path }), "10.0.0.1");
}

async function llms(): Promise<string> {
  return (await get(openRig(), "/llms.txt")).text();
}

describe("/llms.txt", () => {
  test("is a title, what it is, and links, for anybody, and short", async () => {
    const response = await openRig().ask({ path: "/llms.txt", apiKey: null });
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    expect(text).toStartWith("# Postern\n\n> A self-hosted trading gateway");
    expect(text.length).toBeLessThan(MAX_CHARACTERS);
  });

  test("links to the description, the page, the tools and every file that is handed out, and each is there", async () => {
    const rig = openRig();
    const links = [...(await llms()).matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    const wanted = [...NAMES.map(([name]) => `/llms/${name}`), "/openapi.json", "/docs", "/mcp"];
    expect(links.toSorted()).toEqual(wanted.toSorted());
    for (const path of links) {
      // The tools answer POST; that they are there is told by a 405.
      expect([path, (await get(rig, path)).status]).toEqual([path, path === "/mcp" ? 405 : 200]);
    }
  });
});

test.each(NAMES.filter(([name]) => !name.endsWith(".js")))("/llms/%s is the file as it stands", async (name, about) => {
  const response = await get(openRig(), `/llms/${name}`);
  expect(response.headers.get("content-type")).toBe(about.contentType);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await response.text()).toBe(readFileSync(join(ROOT, about.from), "utf8"));
});

test("/llms/postern.js is the client of TypeScript, and runs", async () => {
  const text = await (await get(openRig(), "/llms/postern.js")).text();
  expect(text).toStartWith("/**\n * A client of Postern in one file");
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.mjs");
    await Bun.write(path, text);
    const served: { round: typeof round; PosternError: typeof PosternError } = await import(path);
    const market = { market: "X", size_decimals: 2, price_decimals: 4, price_significant_figures: 5 };
    expect(served.round(market, "price", "64123.456", "up")).toBe(round(market, "price", "64123.456", "up"));
    expect(() => served.round(market, "size", "0.001", "down")).toThrow(served.PosternError);
  });
});

test.each(["/llms/", "/llms/nothing.md", "/llms/..%2fpackage.json", "/llms/toString", "/llms/SKILL.md/"])(
  "%s is no route",
  async (path) => {
    expect((await get(openRig(), path)).status).toBe(404);
  },
);

test.each(["/llms.txt", "/llms/SKILL.md"])("%s takes no parameter", async (path) => {
  expect((await get(openRig(), `${path}?a=1`)).status).toBe(400);
});

describe("what is written for agents", () => {
  const live = openRig().server.app.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:[a-z]+/g, "*")}`);

  test.each([
    ["SKILL.md", async () => SKILL],
    ["llms.txt", llms],
    ["agents.md", async () => readFileSync(join(ROOT, "docs/agents.md"), "utf8")],
  ])("names only routes that answer, in %s", async (_name, read) => {
    const named = [...(await read()).matchAll(/\b(GET|POST|PUT) (\/[\w./{}-]*)/g)];
    const routes = named.map(([, method, path = ""]) => `${method} ${path.replaceAll(/\{[a-z]+\}/g, "*")}`);
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter((route) => !live.includes(route))).toEqual([]);
  });

  test("names only files that are there, codes and tools that exist", () => {
    const paths = [...SKILL.matchAll(/`(\/llms[\w./]*|\/openapi\.json|\/mcp)`/g)].map(([, path = ""]) => path);
    const files = paths.filter((path) => path.startsWith("/llms/")).map((path) => path.slice("/llms/".length));
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((file) => !Object.hasOwn(HANDOUTS, file))).toEqual([]);
    const codes = [...SKILL.matchAll(/40[0-9] `(\w+)`/g)].map(([, code = ""]) => code);
    expect(codes.toSorted()).toEqual(["rail_refused", "trading_stopped"]);
    expect(codes.filter((code) => !Object.hasOwn(ERROR_STATUS, code))).toEqual([]);
    const tools = toolsFor(["trading:read", "trading:write"]).map(({ name }) => name);
    for (const tool of ["propose_order", "place"]) {
      expect(SKILL).toContain(`\`${tool}\``);
      expect(tools).toContain(tool);
    }
  });

  test("is a skill as clients look for one: its folder's name, and when it is to be read", () => {
    const [, head = ""] = SKILL.split("---\n");
    expect(head).toMatch(/^name: postern\ndescription: .{50,1000}\n$/);
  });
});
