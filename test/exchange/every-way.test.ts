/** What holds for orders holds for every read and for the websocket: each has a way of its own to the exchange. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectedExchange } from "../../src/exchange/http.ts";
import { openSocket } from "../../src/exchange/socket.ts";
import { AUTHORITY } from "./certificates.ts";
import { connect } from "./connect.ts";
import { httpAnswer, type RawServer, rawServer } from "./raw-server.ts";

const WAYS = [
  "order",
  "clock",
  "read",
  "read on a new connection",
  "reads in turn",
  "reads in turn, anew",
  "websocket",
];

function onEveryWay(hasArrived: boolean): Record<string, boolean> {
  return Object.fromEntries(WAYS.map((way) => [way, hasArrived]));
}

test("a certificate that is not the exchange's is refused on every way to it: orders, reads of every kind, the websocket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-every-way-"));
  try {
    const trusted = join(folder, "trusted.pem");
    writeFileSync(trusted, AUTHORITY);
    for (const hostile of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }]) {
      const child = Bun.spawn([process.execPath, Bun.fileURLToPath(import.meta.resolve("./every-way-child.ts"))], {
        env: { NODE_EXTRA_CA_CERTS: trusted, ...hostile },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout] = await Promise.all([child.stdout.text(), child.exited]);
      expect(JSON.parse(stdout)).toEqual({
        right: onEveryWay(true),
        selfSigned: onEveryWay(false),
        otherName: onEveryWay(false),
        expired: onEveryWay(false),
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const READ = { type: "meta" };
const READS: [string, (exchange: ConnectedExchange) => Promise<{ kind: string }>][] = [
  ["an order", (exchange) => exchange.send("{}", "order")],
  ["a read", (exchange) => exchange.info(READ, { purpose: "read" })],
  ["a read on a new connection", (exchange) => exchange.info(READ, { purpose: "settle", onNewConnection: true })],
  ["reads in turn", (exchange) => exchange.infoInTurn([READ], { purpose: "settle" })],
  ["reads in turn, anew", (exchange) => exchange.infoInTurn([READ], { purpose: "settle", onNewConnection: true })],
];

describe("a redirect is followed nowhere", () => {
  let elsewhere: RawServer;
  beforeAll(async () => {
    elsewhere = await rawServer(({ socket }) => socket.write(httpAnswer(`{"time":1700000000000}`)));
  });
  afterAll(() => elsewhere.close());

  test.each(READS)("by an order or by a read of any kind: %s", async (_what, ask) => {
    for (const status of [301, 302, 303, 307, 308]) {
      // To a host that is not the exchange, and to another path of the exchange itself.
      for (const to of [`${elsewhere.url}/info`, "/elsewhere"]) {
        const server = await rawServer(({ socket, nth }) =>
          socket.write(nth === 0 ? httpAnswer("{}", `${status} Found`, `Location: ${to}\r\n`) : httpAnswer("{}")),
        );
        const outcome = await ask(connect(server.url));
        expect([status, to, outcome.kind]).toEqual([status, to, outcome.kind === "unknown" ? "unknown" : "failed"]);
        expect(server.requests.flat()).toHaveLength(1);
        expect(elsewhere.requests.flat()).toEqual([]);
        server.close();
      }
    }
  });

  test("by the websocket either", async () => {
    const server = await rawServer(({ socket }) =>
      socket.write(httpAnswer("", "302 Found", `Location: ${elsewhere.url.replace("http", "ws")}/ws\r\n`)),
    );
    const { promise, resolve } = Promise.withResolvers<string>();
    openSocket(`${server.url.replace("http", "ws")}/ws`, {
      onOpen: () => resolve("opened"),
      onText: () => resolve("text"),
      onClose: () => resolve("closed"),
    });
    expect(await promise).toBe("closed");
    expect(elsewhere.requests.flat()).toEqual([]);
    server.close();
  });
});
