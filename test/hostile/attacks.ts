/** Attacks that are over at once. Each is bounded; `scale` 1 is a whole storm. */
import type { Chance } from "../simulation/chance.ts";
import { CANARY, head, many, post, send, statusesOf, type Target } from "./target.ts";

export type Attack = { name: string; run(target: Target, chance: Chance, scale: number): Promise<string[]> };

const AT_ONCE = 20;

function times(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale));
}

function randomBytes(chance: Chance, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => chance.between(0, 255));
}

/** Statuses of an answer that must all be among these. */
function only(name: string, text: string, allowed: readonly number[]): string[] {
  const others = statusesOf(text).filter((status) => !allowed.includes(status));
  return others.length === 0 ? [] : [`${name}: answered ${others.join()}`];
}

const oversized: Attack = {
  name: "oversized bodies",
  async run(target, _chance, scale) {
    const findings: string[] = [];
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const chunked = head(target, { method: "POST", path: "/v1/orders", headers: ["Transfer-Encoding: chunked"] });
    await many(times(40, scale), AT_ONCE, async (nth) => {
      const pieces = [
        post(target, "x".repeat(65_537)),
        post(target, "x".repeat(1_048_577)),
        post(target, "{", { length: 4_000_000_000 }),
        [chunked, ...Array.from({ length: 100 }, () => chunk)],
        post(target, `{"a":"${"y".repeat(65_000)}"}`),
      ][nth % 5];
      const { text } = await send(target, { pieces: pieces ?? [] });
      findings.push(...only("an oversized body", text, [400, 413]));
    });
    return findings;
  },
};

const unreadable: Attack = {
  name: "invalid UTF-8, deep JSON, doubled and poisoned members",
  async run(target, chance, scale) {
    const findings: string[] = [];
    const bodies: (string | Uint8Array)[] = [
      Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
      "[".repeat(30_000),
      `${'{"a":'.repeat(12_000)}1${"}".repeat(12_000)}`,
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
      '{"side":"buy","side":"sell"}',
      '{"price":1e400,"size":-0,"market":null}',
      `{"${CANARY}":"${CANARY}","market":"${CANARY}","account":"${CANARY}","price":"${CANARY}"}`,
      '{"market":"\\ud800","side":"\\u0000\\u001b[31m"}',
      "\ufeff{}",
      "",
    ];
    await many(times(200, scale), AT_ONCE, async (nth) => {
      const random = randomBytes(chance, chance.between(1, 2_000));
      const body = nth % 3 === 0 ? random : (bodies[nth % bodies.length] ?? "");
      const { text } = await send(target, { pieces: post(target, body) });
      findings.push(...only("an unreadable body", text, [400]));
    });
    return findings;
  },
};

const headers: Attack = {
  name: "floods of headers, and headers that hold anything",
  async run(target, chance, scale) {
    const findings: string[] = [];
    const filler = (count: number, length: number) =>
      Array.from({ length: count }, (_, nth) => `X-Filler-${nth}: ${"a".repeat(length)}`);
    const floods: readonly string[][] = [
      filler(20, 900),
      filler(1, 20_000),
      filler(400, 20),
      filler(1, 80_000),
      filler(3_000, 5),
      [`Idempotency-Key: ${"k".repeat(5_000)}`],
      ["X-Forwarded-For: 1.2.3.4, \u001b[31m, ::1, %00", "X-Request-Id: a\tb", "Cookie: a=b"],
      [`Authorization: Bearer ${CANARY}`],
      ["Content-Length: 5", "Content-Length: 6"],
      ["Expect: 100-continue", "Connection: upgrade", "Upgrade: h2c", "HTTP2-Settings: AAA"],
      ["X-A: b\u0000c", "X-\u00ff: d"],
    ];
    await many(times(120, scale), AT_ONCE, async (nth) => {
      const asking = { path: chance.pick(["/v1/whoami", "/healthz", "/docs", "/v1/orders"]) };
      const lines = floods[nth % floods.length] ?? [];
      const { text } = await send(target, {
        pieces: [Buffer.from(head(target, { ...asking, headers: lines }), "latin1")],
      });
      findings.push(...only("a flood of headers", text, [200, 400, 401, 429, 431]));
    });
    return findings;
  },
};

const noise: Attack = {
  name: "random bytes, broken request lines, other protocols",
  async run(target, chance, scale) {
    const findings: string[] = [];
    const lines = [
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "\r\n\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "*1\r\n$4\r\nPING\r\n",
      `GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      "GET / HTTP/1.1\nHost: x\n\n",
      `POST / HTTP/1.1\r\nHost: ${target.host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ];
    await many(times(200, scale), AT_ONCE, async (nth) => {
      const piece = nth % 2 === 0 ? randomBytes(chance, chance.between(1, 4_000)) : (lines[nth % lines.length] ?? "");
      const { text } = await send(target, { pieces: [piece], waitMs: 400 });
      findings.push(...only("noise", text, [400, 403, 404, 413, 431, 505]));
    });
    return findings;
  },
};

const guessing: Attack = {
  name: "guessing keys, while a valid one works",
  async run(target, chance, scale) {
    const findings: string[] = [];
    let throttled = 0;
    const guesses = times(300, scale);
    await many(guesses, AT_ONCE, async (nth) => {
      const hex = Buffer.from(randomBytes(chance, 32)).toString("hex");
      const key =
        [`api_trade_${hex}`, hex, "", CANARY, `${target.apiKey}0`, target.apiKey.toUpperCase()][nth % 6] ?? "";
      const { text } = await send(target, { pieces: [head(target, { key })] });
      if (text.includes(" 429 ")) throttled += 1;
      findings.push(...only("a guessed key", text, [401, 429]));
      if (nth % 10 !== 0) return;
      const valid = await send(target, { pieces: [head(target, {})] });
      if (!/^HTTP\/1\.1 (200|429)/.test(valid.text) || /failed attempts/.test(valid.text)) {
        findings.push(`a valid key was refused while others were guessed: ${valid.text.slice(0, 200)}`);
      }
    });
    if (guesses > 100 && throttled === 0) findings.push("guessing was never throttled");
    return findings;
  },
};

const names: Attack = {
  name: "names of other hosts, pages of other sites",
  async run(target, _chance, scale) {
    const findings: string[] = [];
    const hosts = [
      "evil.example",
      `${target.host}.evil.example`,
      `evil.example:${target.port}`,
      "localhost",
      "127.0.0.1",
      "",
      `user@${target.host}`,
      `${target.host},${target.host}`,
      "[::1]",
      `0x7f.1:${target.port}`,
      "2130706433",
      "*",
    ];
    const paths = ["/v1/whoami", "/healthz", "/docs", "/", "/openapi.json", "/nowhere"];
    await many(times(hosts.length * paths.length, scale), AT_ONCE, async (nth) => {
      const asking = { host: hosts[nth % hosts.length] ?? "", path: paths[nth % paths.length] ?? "/" };
      const { text } = await send(target, { pieces: [head(target, asking)] });
      // No Host at all, or one that is no name, is no HTTP/1.1 and the runtime's to refuse.
      findings.push(...only(`Host ${asking.host}`, text, [400, 403]));
      const sites = ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"];
      const site = await send(target, { pieces: [head(target, { headers: [sites[nth % sites.length] ?? ""] })] });
      findings.push(...only("a page of another site", site.text, [403]));
    });
    return findings;
  },
};

const paths: Attack = {
  name: "tricks with paths and methods",
  async run(target, _chance, scale) {
    const findings: string[] = [];
    const tricks = [
      "/../etc/passwd",
      "/v1/orders/../../etc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/assets/..%2f..%2fpostern.db",
      "/assets/../postern.db",
      "/v1/orders/%00",
      "//v1/whoami",
      "/v1//whoami",
      "/V1/WHOAMI",
      "/v1/whoami/",
      "/v1/whoami;a=b",
      "/metrics",
      "/debug",
      "/.git/config",
      "/.env",
      "/admin",
      "/v2/orders",
      "/control.sock",
      `/v1/orders/${"a".repeat(5_000)}`,
      "/v1/orders/\u00ff",
      "/\\..\\..\\windows",
      "/v1/orders/%F0%9F%92%A9",
    ];
    const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "HEAD", "CONNECT", "BREW"];
    await many(times(tricks.length * 4, scale), AT_ONCE, async (nth) => {
      const path = tricks[nth % tricks.length] ?? "/";
      const method = methods[Math.floor(nth / tricks.length) % methods.length] ?? "GET";
      const { text } = await send(target, { pieces: [Buffer.from(head(target, { method, path }), "latin1")] });
      findings.push(...only(`${method} ${path.slice(0, 60)}`, text, [400, 404]));
    });
    return findings;
  },
};

const pipelines: Attack = {
  name: "pipelines, smuggled requests, half-closed and deaf clients",
  async run(target, _chance, scale) {
    const findings: string[] = [];
    const smuggled = head(target, { path: "/v1/api-keys" });
    const both = ["Transfer-Encoding: chunked", "Content-Type: application/json"];
    const page = head(target, { path: "/openapi.json" });
    await many(times(60, scale), AT_ONCE, async (nth) => {
      const attempts = [
        () => send(target, { pieces: [head(target, { path: "/healthz" }).repeat(100)] }),
        () => send(target, { pieces: post(target, `0\r\n\r\n${smuggled}`, { headers: both }) }),
        () => send(target, { pieces: [head(target, {})], halfClose: true }),
        () => send(target, { pieces: [head(target, {}).slice(0, 30)], halfClose: true, waitMs: 500 }),
        () => send(target, { pieces: post(target, '{"market":', { length: 500 }), halfClose: true, waitMs: 500 }),
        () => send(target, { pieces: [page.repeat(10)], isDeaf: true, waitMs: 1_500 }),
      ];
      const got = await attempts[nth % attempts.length]?.();
      if (nth % attempts.length === 1 && got?.text.includes("key_hash"))
        findings.push("a smuggled request was answered");
    });
    return findings;
  },
};

export const ATTACKS: readonly Attack[] = [oversized, unreadable, headers, noise, guessing, names, paths, pipelines];
