/** The public port with the real routes behind it: where a request goes does not depend on how it came. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { type Door, openDoor } from "../../src/cli/door.ts";
import { hostsOf } from "../../src/cli/exposure.ts";
import { readConfig } from "../../src/config.ts";
import type { Gateway } from "../../src/gateway.ts";
import { NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { CERTIFICATE, KEY } from "../exchange/self-signed.ts";
import { KEYS, openRig } from "../http/rig.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-door-routes-"));
const TLS = { POSTERN_TLS_CERTIFICATE: join(directory, "cert.pem"), POSTERN_TLS_KEY: join(directory, "key.pem") };
/** One letter, a name, a long one, an IPv6 address: the path begins at another place behind each. */
const NAMES = ["g", "gateway", `${"long.".repeat(40)}example`, "[2001:db8::1]:8443"];
/** What may stand before the path in a request's first line. */
const TARGETS = ["", "http://g", "https://gateway.example", "HTTP://[2001:db8::2]:99"];

const doors: Record<"http" | "https", Door | null> = { http: null, https: null };

function openReal(environment: Record<string, string>): Door {
  const rig = openRig({ allowedHosts: NAMES });
  const door = openDoor(readConfig({ POSTERN_LISTEN: "127.0.0.1:0", ...environment }, {}));
  // Of a gateway the door uses nothing but its server, and this is a real one.
  door.open({ server: rig.server } as unknown as Gateway);
  return door;
}

beforeAll(() => {
  writeFileSync(TLS.POSTERN_TLS_CERTIFICATE, CERTIFICATE);
  writeFileSync(TLS.POSTERN_TLS_KEY, KEY);
  doors.http = openReal({});
  doors.https = openReal(TLS);
});

afterAll(async () => {
  await Promise.all(Object.values(doors).map((door) => door?.stop(true)));
  rmSync(directory, { recursive: true, force: true });
});

/** Status and headers, as they came. */
function raw(scheme: "http" | "https", firstLine: string, headers: readonly string[]): Promise<string> {
  const port = doors[scheme]?.port ?? 0;
  return new Promise((resolve) => {
    const there = { host: "127.0.0.1", port };
    const socket = scheme === "http" ? connect(there) : connectTls({ ...there, rejectUnauthorized: false });
    let text = "";
    socket.on("data", (data: Buffer) => {
      text += data.toString("latin1");
      if (text.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text.split("\r\n\r\n")[0] ?? ""));
    socket.write(`${firstLine} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
  });
}

function statusOf(head: string): number {
  return Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(head)?.[1]);
}

describe.each(["http", "https"] as const)("over %s", (scheme) => {
  test("every route is found, whatever its name is and however the target is written", async () => {
    for (const { contract } of allRoutes()) {
      const path = contract.path.replace(NAME_IN_PATH, contract.id?.example ?? "");
      // Without a key, so that nothing but the door and the router decides.
      const wanted = contract.access === "anybody" && contract.method === "GET" ? [200, 503] : [400, 401, 403];
      for (const name of NAMES) {
        for (const before of TARGETS) {
          const head = await raw(scheme, `${contract.method} ${before}${path}`, [`Host: ${name}`, "Content-Length: 0"]);
          expect({ path, name, before, status: wanted.includes(statusOf(head)) || head }).toMatchObject({
            status: true,
          });
        }
      }
    }
  });

  test("a key opens its routes, and what is no route is none", async () => {
    const asked = [`Host: ${NAMES[0]}`, `Authorization: Bearer ${KEYS.both}`];
    expect(statusOf(await raw(scheme, "GET /v1/whoami", asked))).toBe(200);
    for (const path of ["/v1/who", "/x/v1/whoami", "/v1/whoami/", "//v1/whoami", "/v1%2Fwhoami"]) {
      expect([path, statusOf(await raw(scheme, `GET ${path}`, asked))]).toEqual([path, 404]);
    }
  });

  test("a name that is not ours is refused over it as well", async () => {
    for (const target of ["/healthz", `http://${NAMES[0]}/healthz`]) {
      expect(statusOf(await raw(scheme, `GET ${target}`, ["Host: evil.example"]))).toBe(403);
    }
  });

  test("browsers are told to stay with TLS where it is ours, and never under the name that others share", async () => {
    const said = async (name: string) => {
      const head = await raw(scheme, "GET /healthz", [`Host: ${name}`]);
      return /^strict-transport-security: (.*)$/im.exec(head)?.[1] ?? null;
    };
    expect(await said("gateway")).toBe(scheme === "https" ? "max-age=31536000" : null);
    expect(await said("evil.example")).toBe(scheme === "https" ? "max-age=31536000" : null);
    expect(await said(`localhost:${doors[scheme]?.port}`)).toBeNull();
  });
});

test("an IPv6 address is listened at, and answers to its name in brackets", async () => {
  const config = readConfig({ POSTERN_LISTEN: "[::1]:0" }, {});
  const door = openDoor(config);
  const hosts = hostsOf({ ...config, listen: { ...config.listen, port: door.port } });
  const rig = openRig({ allowedHosts: hosts });
  door.open({ server: rig.server } as unknown as Gateway);
  expect(hosts).toContain(`[::1]:${door.port}`);
  expect((await fetch(`http://[::1]:${door.port}/healthz`)).status).toBe(200);
  await door.stop(true);
});
