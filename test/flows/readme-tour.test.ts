import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { curlRequest } from "../cli/curl.ts";
import { makeWorkplace } from "../cli/outside.ts";
import { startProcess } from "../cli/process.ts";

/** The readme's tour as a reader would copy it, line by line, against the demo. */

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const TOUR = /## Tour[\s\S]*?```sh\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
const LINES = TOUR.split("\n").filter((line) => line.startsWith("curl "));

test("every line of the readme's tour does what it says", async () => {
  const workplace = makeWorkplace();
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  const gateway = await startProcess(["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory, ...ports]);
  try {
    const facts = JSON.parse(gateway.firstLine);
    const variables: Record<string, string> = {
      URL: facts.base_url,
      KEY: facts.api_key,
      ACCOUNT: facts.account,
      AUTH: `Authorization: Bearer ${facts.api_key}`,
      JSON: "Content-Type: application/json",
    };
    expect(LINES.length).toBeGreaterThan(15);
    for (const line of LINES) {
      const response = await fetch(curlRequest(line, variables));
      const text = await response.text();
      if (response.headers.get("content-type") === "text/event-stream") {
        expect({ line, isTold: /^event: (bbo|mark)$/m.test(text) }).toEqual({ line, isTold: true });
        continue;
      }
      const answer = JSON.parse(text);
      expect({ line, isSuccess: response.ok, error: answer.error ?? null }).toEqual({
        line,
        isSuccess: true,
        error: null,
      });
      expect({ line, settled: answer.status }).not.toMatchObject({ settled: "unknown" });
      remember(answer, variables);
    }
  } finally {
    await gateway.end("SIGKILL");
    workplace.remove();
  }
});

/** What the tour's text asks the reader to keep. */
function remember(answer: Record<string, unknown>, variables: Record<string, string>): void {
  if (answer["object"] === "order") variables["ORDER"] = String(answer["id"]);
  if (answer["object"] === "trade") variables["TRADE"] = String(answer["id"]);
  if (answer["object"] === "cancel_all") variables["ALL"] = String(answer["id"]);
  if (answer["object"] === "operation") variables["OPERATION"] = String(answer["id"]);
  if (answer["action"] === "twap") variables["TWAP"] = String(answer["exchange_id"]);
}

test("the tour visits every endpoint that a key can use", () => {
  const visited = LINES.map((line) => {
    const path = /"\$URL([^"?]*)/.exec(line)?.[1] ?? "";
    return `${line.includes(" -d ") ? "POST" : "GET"} ${path.replace(/\$[A-Z]+/, "{id}")}`;
  });
  expect([...new Set(visited)].sort()).toEqual([
    "GET /v1/account",
    "GET /v1/api-keys",
    "GET /v1/cancel-alls/{id}",
    "GET /v1/equity",
    "GET /v1/fills",
    "GET /v1/markets",
    "GET /v1/markets/BTC",
    "GET /v1/markets/BTC/book",
    "GET /v1/operations",
    "GET /v1/operations/{id}",
    "GET /v1/orders",
    "GET /v1/orders/{id}",
    "GET /v1/orders/{id}/story",
    "GET /v1/performance",
    "GET /v1/positions",
    "GET /v1/status",
    "GET /v1/stream",
    "GET /v1/trades",
    "GET /v1/trades/{id}",
    "GET /v1/twaps",
    "GET /v1/whoami",
    "POST /v1/leverage",
    "POST /v1/margin",
    "POST /v1/orders",
    "POST /v1/orders/batch",
    "POST /v1/orders/cancel-all",
    "POST /v1/orders/market",
    "POST /v1/orders/{id}/cancel",
    "POST /v1/orders/{id}/modify",
    "POST /v1/positions/close",
    "POST /v1/trades",
    "POST /v1/trades/{id}/cancel",
    "POST /v1/trades/{id}/modify",
    "POST /v1/twaps",
    "POST /v1/twaps/cancel",
  ]);
});
