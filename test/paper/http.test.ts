/** Failures at the level of HTTP, with the very bytes of the exchange. */
import { describe, expect, test } from "bun:test";
import { bench } from "./support.ts";

const TEXT = "text/plain; charset=utf-8";
const UNREADABLE = "Failed to parse the request body as JSON";
const WRONG_TYPE = "Failed to deserialize the JSON body into the target type";
const WRONG_CONTENT = "Expected request with `Content-Type: application/json`";

const started = bench({ hasMarketMaker: false });

// biome-ignore format: one request a row: path, content type, body, status, content type and body of the answer
const REQUESTS: readonly [string, string | null, string, number, string, string][] = [
  ["/info", "application/json", "", 400, TEXT, UNREADABLE],
  ["/info", "application/json", "{", 400, TEXT, UNREADABLE],
  ["/exchange", "application/json", '{"action":}', 400, TEXT, UNREADABLE],
  ["/info", null, '{"type":"meta"}', 415, TEXT, WRONG_CONTENT],
  ["/info", "text/plain", '{"type":"meta"}', 415, TEXT, WRONG_CONTENT],
  ["/exchange", "application/x-www-form-urlencoded", "{}", 415, TEXT, WRONG_CONTENT],
  ["/info", "application/json", "{}", 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", "null", 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", '{"type":"nothing"}', 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", '{"type":"openOrders"}', 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", '{"type":"openOrders","user":"0x12"}', 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", '{"type":"orderStatus","user":"0x0000000000000000000000000000000000000001","oid":"0x12"}', 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", '{"type":"spotDeployState","user":"0x12"}', 501, TEXT, "spotDeployState is not modelled by the paper exchange."],
  ["/exchange", "application/json", '{"action":{"type":"perpDeploy"},"nonce":1}', 501, TEXT, "perpDeploy is not modelled by the paper exchange."],
  ["/exchange", "application/json", "{}", 422, TEXT, WRONG_TYPE],
  ["/exchange", "application/json", '{"action":{"type":"noop"},"nonce":1}', 422, TEXT, WRONG_TYPE],
  ["/info", "application/json", '{"type":"l2Book","coin":"BTC","nSigFigs":7}', 500, "application/json", "null"],
  ["/info", "application/json", '{"type":"l2Book","coin":"BTC","nSigFigs":5,"mantissa":1}', 500, "application/json", "null"],
  ["/info", "application/json", '{"type":"l2Book","coin":"NOTHING"}', 200, "application/json", "null"],
  ["/info", "application/json", '{"type":"userAbstraction","user":"0x0000000000000000000000000000000000000001"}', 200, "application/json", '"default"'],
  ["/info", "application/vnd.api+json; charset=utf-8", '{"type":"exchangeStatus"} and more', 200, "application/json", '{"time":1795000000000,"specialStatuses":null}'],
  ["/info", "application/json", '["exchangeStatus"]', 200, "application/json", '{"time":1795000000000,"specialStatuses":null}'],
  ["/info", "application/json", '{"type":"exchangeStatus","more":[1,{"a":2}]}', 200, "application/json", '{"time":1795000000000,"specialStatuses":null}'],
  ["/info", "application/json", `{"type":"userRole","user":"${"AB".repeat(20)}"}`, 200, "application/json", '{"role":"missing"}'],
  ["/exchange", "application/json", '{"action":{"type":"noop"},"nonce":1,"signature":{"r":"0x0","s":"0x0","v":27}}', 200, "application/json", '{"status":"err","response":"Unable to recover signer."}'],
  ["/nothing", "application/json", "{}", 404, TEXT, ""],
  ["/control", "application/json", "{}", 404, TEXT, ""],
];

describe("a request", () => {
  test.each(REQUESTS)("to %s as %s with %s is answered %d", async (...row) => {
    const [path, type, body, ...answer] = row;
    const response = await started.post(path, body, type);
    const given: unknown[] = [response.status, response.headers.get("content-type"), await response.text()];
    expect(given).toEqual(answer);
  });

  test("that is no UTF-8 is no JSON", async () => {
    const bytes = Uint8Array.of(0x22, 0xff, 0x22);
    const response = await started.paper.handle(
      new Request("http://paper.test/info", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: bytes,
      }),
    );
    expect(response.status).toBe(400);
  });

  test("that is longer than the exchange reads is refused unread", async () => {
    expect((await started.post("/info", `"${"a".repeat(2 * 1024 * 1024)}"`)).status).toBe(413);
  });

  test("is a POST", async () => {
    expect((await started.paper.handle(new Request("http://paper.test/info"))).status).toBe(405);
  });

  test("may come from a page of any origin", async () => {
    const asked = await started.paper.handle(new Request("http://paper.test/info", { method: "OPTIONS" }));
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const answered = await started.post("/info", '{"type":"meta"}');
    expect(answered.headers.get("access-control-allow-origin")).toBe("*");
  });
});
