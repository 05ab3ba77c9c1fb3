import { expect, test } from "bun:test";
import { answerEarly } from "../../src/http/health.ts";

const HOSTS = new Set(["127.0.0.1:8787"]);

function ask(path: string, { method = "GET", host = "127.0.0.1:8787" } = {}): Response | null {
  return answerEarly(new Request(`http://127.0.0.1:8787${path}`, { method, headers: { Host: host } }), HOSTS, "req_1");
}

test("health is answered before the keys are open, with the headers of every answer", async () => {
  const response = ask("/healthz");
  expect(response?.status).toBe(200);
  expect(await response?.json()).toEqual({ status: "ok" });
  expect(ask("/healthz", { method: "HEAD" })?.status).toBe(200);
  expect(response?.headers.get("X-Request-Id")).toBe("req_1");
  expect(response?.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(response?.headers.get("Cache-Control")).toBe("no-store");
});

test("nothing else is answered before there is a gateway, and no name that is not ours", () => {
  expect(ask("/readyz")).toBeNull();
  expect(ask("/v1/orders")).toBeNull();
  expect(ask("/healthz?a=1")).toBeNull();
  expect(ask("/healthz", { method: "POST" })).toBeNull();
  expect(ask("/healthz", { host: "evil.example" })).toBeNull();
});
