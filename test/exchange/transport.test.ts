import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provesNothingLeft } from "../../src/exchange/network-error.ts";
import { CERTIFICATE } from "./self-signed.ts";

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

test("a TLS stream that breaks after the request has arrived is unknown, a refused certificate is not_sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-tls-"));
  try {
    const trusted = join(folder, "trusted.pem");
    writeFileSync(trusted, CERTIFICATE);
    const child = Bun.spawn([process.execPath, Bun.fileURLToPath(import.meta.resolve("./tls-child.ts"))], {
      env: { NODE_EXTRA_CA_CERTS: trusted },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout] = await Promise.all([child.stdout.text(), child.exited]);
    expect(JSON.parse(stdout)).toEqual({
      good: { kind: "answered", hasArrived: true },
      wrongName: { kind: "not_sent", hasArrived: false },
      noTls: { kind: "unknown", hasArrived: false },
      wantsCertificate: { kind: "unknown", hasArrived: false },
      garbled: { kind: "unknown", hasArrived: true },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
