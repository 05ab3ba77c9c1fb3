/** Run by a test in a hostile environment: asks a server with another's certificate, on every way to the exchange. */
import { openSocket } from "../../src/exchange/socket.ts";
import { EXPIRED, LEAF_KEY, OTHER_NAME, RIGHT } from "./certificates.ts";
import { connect } from "./connect.ts";
import { listen } from "./raw-server.ts";
import { CERTIFICATE, KEY, type TlsServer, tlsServer } from "./self-signed.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const READ = { type: "meta" };

const SERVERS = {
  right: tlsServer((socket) => socket.write(ANSWER), { key: LEAF_KEY, cert: RIGHT }),
  selfSigned: tlsServer((socket) => socket.write(ANSWER), { key: KEY, cert: CERTIFICATE }),
  otherName: tlsServer((socket) => socket.write(ANSWER), { key: LEAF_KEY, cert: OTHER_NAME }),
  expired: tlsServer((socket) => socket.write(ANSWER), { key: LEAF_KEY, cert: EXPIRED }),
};

/** Bytes of a request that reached the server, by the way on which it was made. */
async function askOnEveryWay({ server, received }: TlsServer): Promise<Record<string, boolean>> {
  const base = `localhost:${await listen(server)}`;
  const exchange = connect(`https://${base}`);
  const ways: [string, () => Promise<unknown>][] = [
    ["order", () => exchange.send("{}", "order")],
    ["clock", () => exchange.measureClock()],
    ["read", () => exchange.info(READ, { purpose: "read" })],
    ["read on a new connection", () => exchange.info(READ, { purpose: "settle", onNewConnection: true })],
    ["reads in turn", () => exchange.infoInTurn([READ, READ], { purpose: "settle" })],
    ["reads in turn, anew", () => exchange.infoInTurn([READ, READ], { purpose: "settle", onNewConnection: true })],
    ["websocket", () => greet(`wss://${base}/ws`)],
  ];
  const hasArrived: Record<string, boolean> = {};
  for (const [name, ask] of ways) {
    const before = received();
    await ask();
    hasArrived[name] = received() > before;
  }
  return hasArrived;
}

/** Until it is closed: the servers here speak no websocket, so even the right one ends it. */
function greet(url: string): Promise<void> {
  return new Promise((resolve) => {
    openSocket(url, { onOpen: resolve, onText: () => undefined, onClose: () => resolve() });
  });
}

const told = Object.entries(SERVERS).map(async ([name, server]) => [name, await askOnEveryWay(server)] as const);
console.log(JSON.stringify(Object.fromEntries(await Promise.all(told))));
process.exit(0);
