/** The public port as it is served: TLS by files that may change, slow and idle clients, and too many at once. */
import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { type Door, openDoor } from "../../src/cli/door.ts";
import { readConfig } from "../../src/config.ts";
import type { Gateway } from "../../src/gateway.ts";
import { BUN_SERVE_OPTIONS } from "../../src/http/server.ts";
import { CERTIFICATE, KEY } from "../exchange/self-signed.ts";
import { RENEWED_CERTIFICATE, RENEWED_KEY } from "./renewed-certificate.ts";

const doors: Door[] = [];
const directories: string[] = [];

afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.stop(true)));
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

type Files = { certificate: string; key: string; write(certificate: string, key: string): void };

function openFiles(): Files {
  const directory = mkdtempSync(join(tmpdir(), "postern-door-"));
  directories.push(directory);
  const [certificate, key] = [join(directory, "fullchain.pem"), join(directory, "key.pem")];
  return {
    certificate,
    key,
    write(certificateText, keyText) {
      writeFileSync(certificate, certificateText);
      writeFileSync(key, keyText, { mode: 0o600 });
    },
  };
}

function open(environment: Record<string, string>, answer = () => Promise.resolve(new Response("hello"))): Door {
  const door = openDoor(readConfig({ POSTERN_LISTEN: "127.0.0.1:0", ...environment }, {}));
  doors.push(door);
  // Of a gateway the door uses nothing but this.
  door.open({ server: { handle: answer } } as unknown as Gateway);
  return door;
}

function openTls(files: Files): Door {
  return open({ POSTERN_TLS_CERTIFICATE: files.certificate, POSTERN_TLS_KEY: files.key });
}

type TlsVersion = "TLSv1.1" | "TLSv1.2" | "TLSv1.3";

/** Name in the certificate that a new connection is shown; the alert's text when there is none. */
function shownBy({ port }: Door, maxVersion: TlsVersion = "TLSv1.3", ciphers: string | null = null): Promise<string> {
  return new Promise((resolve) => {
    const options = {
      host: "127.0.0.1",
      port,
      rejectUnauthorized: false,
      minVersion: "TLSv1" as const,
      maxVersion,
      ...(ciphers === null ? {} : { ciphers }),
    };
    const socket = connectTls(options, () => {
      resolve(`${socket.getPeerCertificate().subject.CN} over ${socket.getProtocol()}`);
      socket.destroy();
    });
    socket.on("error", () => resolve("refused"));
  });
}

describe("TLS by files", () => {
  test("is 1.2 or later, and a renewed certificate is shown to new connections without a new start", async () => {
    const files = openFiles();
    files.write(CERTIFICATE, KEY);
    const door = openTls(files);
    expect(await shownBy(door)).toBe("localhost over TLSv1.3");
    expect(await shownBy(door, "TLSv1.2")).toBe("localhost over TLSv1.2");
    expect(await shownBy(door, "TLSv1.1")).toBe("refused");
    for (const mode of ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]) {
      const ciphers = `ECDHE-RSA-${mode}:ECDHE-ECDSA-${mode}`;
      expect([mode, await shownBy(door, "TLSv1.2", ciphers)]).toEqual([mode, "localhost over TLSv1.2"]);
    }
    for (const mode of ["ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES256-SHA:ECDHE-ECDSA-AES256-SHA"]) {
      expect([mode, await shownBy(door, "TLSv1.2", mode)]).toEqual([mode, "refused"]);
    }
    files.write(RENEWED_CERTIFICATE, RENEWED_KEY);
    expect(await shownBy(door)).toBe("localhost over TLSv1.3");
    expect(door.reload()?.subject).toBe("CN=renewed.localhost");
    expect(await shownBy(door)).toBe("renewed.localhost over TLSv1.3");
  });

  test("files that do not fit change nothing, and say which", async () => {
    const files = openFiles();
    files.write(CERTIFICATE, KEY);
    const door = openTls(files);
    const broken: [string, string, string][] = [
      [RENEWED_CERTIFICATE, KEY, "is not the one of the certificate"],
      ["no certificate", KEY, "fullchain.pem is not usable PEM"],
      [CERTIFICATE, "no key", "key.pem is not usable PEM"],
    ];
    for (const [certificate, key, words] of broken) {
      files.write(certificate, key);
      expect(() => door.reload()).toThrow(words);
      expect(await shownBy(door)).toBe("localhost over TLSv1.3");
      expect(() => openTls(files)).toThrow(words);
    }
    rmSync(files.certificate);
    expect(() => door.reload()).toThrow("ENOENT");
    expect(await shownBy(door)).toBe("localhost over TLSv1.3");
    chmodSync(files.key, 0o600);
  });

  test("what is being answered when the certificate changes is answered", async () => {
    const files = openFiles();
    files.write(CERTIFICATE, KEY);
    const { promise, resolve } = Promise.withResolvers<void>();
    const environment = { POSTERN_TLS_CERTIFICATE: files.certificate, POSTERN_TLS_KEY: files.key };
    const door = open(environment, () => promise.then(() => new Response("late")));
    const asked = fetch(`https://127.0.0.1:${door.port}/`, { tls: { rejectUnauthorized: false } });
    while (door.pending() === 0) await Bun.sleep(5);
    door.reload();
    expect(door.pending()).toBe(1);
    resolve();
    expect(await (await asked).text()).toBe("late");
  });

  test("without a certificate there is nothing to read again", () => {
    expect(open({}).reload()).toBeNull();
  });
});

test("a port is one gateway's alone, with TLS and without", () => {
  const files = openFiles();
  files.write(CERTIFICATE, KEY);
  const tls = { POSTERN_TLS_CERTIFICATE: files.certificate, POSTERN_TLS_KEY: files.key };
  for (const first of [{}, tls]) {
    const { port } = open(first);
    for (const second of [{}, tls]) {
      expect(() => open({ ...second, POSTERN_LISTEN: `127.0.0.1:${port}` })).toThrow(/in use/);
    }
  }
});

test("clients that are silent or trickle are given up by the runtime within its timeout", () => {
  // The runtime counts in steps of 4 s and does not let pieces of a head or body put it off; tried by the hostile run.
  expect(BUN_SERVE_OPTIONS.idleTimeout).toBe(10);
});

test("a client that leaves at once does no harm", async () => {
  const door = open({});
  await new Promise<void>((resolve) => {
    const socket = connect(door.port, "127.0.0.1", () => socket.end("GET / HTTP/1.1\r\n"));
    socket.on("close", () => resolve());
  });
  expect(await (await fetch(`http://127.0.0.1:${door.port}/`)).text()).toBe("hello");
});
