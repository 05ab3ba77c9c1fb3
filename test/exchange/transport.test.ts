import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provesNothingLeft } from "../../src/exchange/network-error.ts";
import { AUTHORITY } from "./certificates.ts";

function coded(code: unknown): Error {
  return Object.assign(new Error("as the runtime throws it"), { code });
}

test("only errors that come before the first byte prove that nothing was sent", () => {
  for (const code of ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"])
    expect(provesNothingLeft(coded(code))).toBe(true);
  const unproven = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "EPROTO", "EHOSTUNREACH", "ConnectionClosed", "", 23, null];
  for (const error of [
    ...unproven.map(coded),
    new Error("ECONNREFUSED"),
    "ECONNREFUSED",
    null,
    { code: "ECONNREFUSED" },
  ])
    expect(provesNothingLeft(error)).toBe(false);
});

const SENT = { kind: "answered", reason: null, hasArrived: true, asked: ["localhost", "http/1.1"] };
const LOST = { kind: "unknown", reason: null, hasArrived: false };

function refused(reason: string): object {
  return { kind: "not_sent", reason, hasArrived: false, asked: null };
}

test("a TLS stream that breaks after the request has arrived is unknown, a refused certificate is not_sent", async () => {
  // A switched-off check changes nothing.
  for (const hostile of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }]) {
    expect(await runTlsChild(hostile)).toEqual({
      good: SENT,
      good12: SENT,
      selfSigned: refused("DEPTH_ZERO_SELF_SIGNED_CERT"),
      otherName: refused("ERR_TLS_CERT_ALTNAME_INVALID"),
      addressForName: refused("ERR_TLS_CERT_ALTNAME_INVALID"),
      expired: refused("CERT_HAS_EXPIRED"),
      old: refused("EPROTO"),
      noTls: refused("EPROTO"),
      closes: refused("ECONNRESET"),
      // With TLS 1.3 the client is through before the server refuses it.
      wantsCertificate: { ...LOST, asked: null },
      wantsCertificate12: refused("EPROTO"),
      garbled: { ...SENT, kind: "unknown" },
    });
  }
});

async function runTlsChild(environment: Record<string, string>): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "postern-tls-"));
  try {
    const trusted = join(folder, "trusted.pem");
    writeFileSync(trusted, AUTHORITY);
    const child = Bun.spawn([process.execPath, Bun.fileURLToPath(import.meta.resolve("./tls-child.ts"))], {
      env: { NODE_EXTRA_CA_CERTS: trusted, ...environment },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout] = await Promise.all([child.stdout.text(), child.exited]);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
