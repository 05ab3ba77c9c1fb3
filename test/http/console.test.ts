import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { testRequest } from "../support/request.ts";
import { openRig, type Rig } from "./rig.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Not by `rig.ask`: the page is no part of the interface that is described. */
function get(rig: Rig, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return rig.server.handle(testRequest({ path, headers }), "10.0.0.1");
}

/** The owner's, and that of the description. */
const PAGES = ["/", "/docs"];

async function assetsOf(rig: Rig, page = "/"): Promise<string[]> {
  const html = await (await get(rig, page)).text();
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? "");
}

test.each(PAGES)(
  "the page is answered at %s with its own policy and the headers that every answer has",
  async (page) => {
    const response = await get(openRig(), page);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toBe(POLICY);
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    expect(await response.text()).toContain("<title>Postern");
  },
);

test.each(PAGES)("everything that %s names is answered under a name that never changes its meaning", async (page) => {
  const rig = openRig();
  const assets = await assetsOf(rig, page);
  expect(assets.length).toBeGreaterThan(0);
  for (const path of assets) {
    const response = await get(rig, path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-security-policy")).toBe(POLICY);
    expect(path).toMatch(/-[0-9a-z]{8,}\.(js|css|svg|png|webmanifest)$/);
  }
});

test("the page needs nothing from anywhere else and has no script or style in its text", async () => {
  const rig = openRig();
  const html = await (await get(rig, "/")).text();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son[a-z]+=/i);
  expect(html).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//i);
  for (const path of await assetsOf(rig)) {
    const text = await (await get(rig, path)).text();
    // Any address is named here, and none is asked: each is a namespace or stands in a text for people.
    const hosts = [...text.matchAll(/(?:https?:|wss?:|["'`(])\/\/([a-z0-9.-]+\.[a-z]{2,})/gi)].map((match) => match[1]);
    expect([path, hosts.filter((host) => host !== "www.w3.org")]).toEqual([path, []]);
    expect(text).not.toMatch(/@import|url\((?!["']?data:)/);
    // Nor one that is put together: what is asked begins with a slash of our own.
    expect(text).not.toMatch(/["'`](?:https?:|wss?:)?\/\/(?!www\.w3\.org)/);
  }
});

const ACCEPTED: [string | null, string | null][] = [
  [null, null],
  ["identity", null],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP;q=0.5, br;q=0", "gzip"],
  ["br ; q=0.1", "br"],
  ["gzip;q=0", null],
  ["brotli, xgzip", null],
  ["br;q=0.000, gzip;q=1.000", "gzip"],
  ["br;q=2, gzip;Q=0.001", "gzip"],
  ["br;q=0.5;x=1, gzip;level=9", null],
  ["\tbr\t,\tgzip", "br"],
  [`${",".repeat(100)}br`, null],
];

test.each(ACCEPTED)("a client that accepts %p gets it as %p, and the bytes are the same", async (accepts, encoding) => {
  const rig = openRig();
  for (const path of ["/", ...(await assetsOf(rig))]) {
    const plain = new Uint8Array(await (await get(rig, path)).arrayBuffer());
    const response = await get(rig, path, accepts === null ? {} : { "Accept-Encoding": accepts });
    expect([path, response.headers.get("content-encoding")]).toEqual([path, encoding]);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    const bytes = new Uint8Array(await response.arrayBuffer());
    const decoded =
      encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : Buffer.from(bytes);
    expect(new Uint8Array(decoded)).toEqual(plain);
  }
});

const REFUSED: [string, string, Record<string, string>, string][] = [
  ["a foreign name", "/", { Host: "evil.example" }, "host_not_allowed"],
  ["a foreign name for a file", "/assets/index.css", { Host: "evil.example" }, "host_not_allowed"],
  ["a file that is not there", "/assets/index-00000000.js", {}, "route_not_found"],
  ["a way out of the folder", "/assets/..%2f..%2fpackage.json", {}, "route_not_found"],
  ["the folder itself", "/assets", {}, "route_not_found"],
  ["a folder below", "/assets/a/b.js", {}, "route_not_found"],
  ["a query", "/?x=1", {}, "unknown_parameter"],
];

test.each(REFUSED)("%s is refused", async (_what, path, headers, code) => {
  const response = await get(openRig(), path, headers);
  expect(((await response.json()) as { error: { code: string } }).error.code).toBe(code);
});

test.each(["POST", "HEAD", "OPTIONS"])("%s is no way to ask for the page", async (method) => {
  const rig = openRig();
  for (const path of ["/", "/assets/index.css"]) {
    expect((await rig.server.handle(testRequest({ method, path }), "10.0.0.1")).status).toBe(404);
  }
});

test("a browser at an address that is not here reads so in words with links, and a program in JSON", async () => {
  const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const page = await get(openRig(), "/trade", browser);
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  const html = await page.text();
  expect(html).toContain("No such page");
  expect([...html.matchAll(/href="([^"]+)"/g)].map((match) => match[1])).toEqual(["/", "/docs"]);
  for (const [path, headers] of [
    ["/trade", { Accept: "*/*" }],
    ["/trade", {}],
    ["/v1/trade", browser],
  ] as const) {
    const answer = await get(openRig(), path, headers);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/json"]);
  }
});
