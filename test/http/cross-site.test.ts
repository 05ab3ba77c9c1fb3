/** Pages of other sites in the operator's own browser: they may send what they like, and reach nothing. */
import { describe, expect, test } from "bun:test";
import { NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { TEST_HOST } from "../support/request.ts";
import { ACCOUNTS, KEYS, openRig, rowCounts } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

const PORT = TEST_HOST.split(":").at(-1);

const ELSEWHERE: [string, Record<string, string>][] = [
  ["another site", { Origin: "https://evil.example" }],
  ["a form in a sandbox", { Origin: "null" }],
  ["our name on another port", { Origin: "http://127.0.0.1:3000" }],
  ["our name without its port", { Origin: "http://127.0.0.1" }],
  ["a name that starts like ours", { Origin: `http://${TEST_HOST}.evil.example` }],
  ["another name of this machine", { Origin: `http://localhost:${PORT}` }],
  ["another scheme", { Origin: `ftp://${TEST_HOST}` }],
  ["two of them", { Origin: `http://${TEST_HOST}, http://${TEST_HOST}` }],
  ["an image, a script", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" }],
  ["a neighbour's port", { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" }],
  ["a frame", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" }],
];

describe("a page of another site is refused on every route", () => {
  test.each(ELSEWHERE)("%s", async (_what, headers) => {
    const rig = openRig();
    const before = rowCounts(rig);
    for (const { contract } of allRoutes()) {
      const path = contract.path.replace(NAME_IN_PATH, contract.id?.example ?? "");
      const post = contract.method === "POST" ? { body: ORDER, idempotencyKey: "cross-site-1" } : {};
      const response = await rig.ask({ method: contract.method, path, apiKey: KEYS.both, headers, ...post });
      const { error } = (await response.json()) as { error: { code: string } };
      expect([path, response.status, error.code]).toEqual([path, 403, "host_not_allowed"]);
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect(rowCounts(rig)).toEqual(before);
    expect(rig.sent).toEqual([]);
  });
});

test("the gateway's own page is answered, over either scheme, and so is what no browser sends", async () => {
  const rig = openRig();
  const own: Record<string, string>[] = [
    {},
    { Origin: `http://${TEST_HOST}`, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors" },
    { Origin: `https://${TEST_HOST}`, "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
  ];
  for (const headers of own) {
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both, headers })).status).toBe(200);
  }
});

test("a link may be followed from anywhere, a form may not", async () => {
  const rig = openRig();
  const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  expect((await rig.ask({ path: "/docs", headers: link })).status).toBe(200);
  const form = { method: "POST", path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "cross-site-2", body: ORDER };
  expect((await rig.ask({ ...form, headers: link })).status).toBe(403);
  expect(rig.sent).toEqual([]);
});
