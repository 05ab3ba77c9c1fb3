/** Run by a test with the authority of `certificates.ts` among the trusted ones: prints what became of each POST. */
import { connect as connectSocket, createServer } from "node:net";
import type { TlsOptions } from "node:tls";
import { EXPIRED, LEAF_KEY, OTHER_NAME, RIGHT } from "./certificates.ts";
import { connect } from "./connect.ts";
import { listen } from "./raw-server.ts";
import { CERTIFICATE, KEY, tlsServer } from "./self-signed.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

/** One byte of every answer is flipped on its way once the request has arrived. */
async function garbling(port: number, hasArrived: () => boolean): Promise<number> {
  const server = createServer((client) => {
    const upstream = connectSocket(port, "127.0.0.1");
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.pipe(upstream);
    upstream.on("data", (data) => {
      const last = data.byteLength - 1;
      if (hasArrived()) data.writeUInt8((data[last] ?? 0) ^ 0xff, last);
      client.write(data);
    });
    upstream.on("close", () => client.destroy());
  });
  return listen(server);
}

type Mode = "answers" | "garbled" | "wants_certificate" | "no_tls" | "closes";
type Server = { mode?: Mode; host?: string; options?: TlsOptions };

/** What became of two POSTs on one transport, and whether the server has read anything of them. */
async function post({ mode = "answers", host = "localhost", options = {} }: Server): Promise<unknown> {
  const secure = tlsServer((socket) => socket.write(ANSWER), {
    requestCert: mode === "wants_certificate",
    ALPNProtocols: ["h2", "http/1.1"],
    key: LEAF_KEY,
    cert: RIGHT,
    ...options,
  });
  const plain = createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  const closing = createServer((socket) => socket.once("data", () => socket.destroy()));
  const servers = { no_tls: plain, closes: closing };
  const direct = await listen(mode === "no_tls" || mode === "closes" ? servers[mode] : secure.server);
  const port = mode === "garbled" ? await garbling(direct, () => secure.received() > 0) : direct;
  const exchange = connect(`https://${host}:${port}`);
  const { kind, ...rest } = await exchange.send("{}", "order");
  const reason = kind === "not_sent" && "reason" in rest ? rest.reason : null;
  await exchange.send("{}", "order");
  const client = secure.client();
  return {
    kind,
    reason,
    hasArrived: secure.received() > 0,
    // `servername` is not among the types of a server's socket.
    asked: client === null ? null : [(client as { servername?: string }).servername, client.alpnProtocol],
  };
}

console.log(
  JSON.stringify({
    good: await post({}),
    good12: await post({ options: { maxVersion: "TLSv1.2" } }),
    selfSigned: await post({ options: { key: KEY, cert: CERTIFICATE } }),
    otherName: await post({ options: { cert: OTHER_NAME } }),
    addressForName: await post({ host: "127.0.0.1" }),
    expired: await post({ options: { cert: EXPIRED } }),
    old: await post({ options: { minVersion: "TLSv1", maxVersion: "TLSv1.1" } }),
    noTls: await post({ mode: "no_tls" }),
    closes: await post({ mode: "closes" }),
    wantsCertificate: await post({ mode: "wants_certificate" }),
    wantsCertificate12: await post({ mode: "wants_certificate", options: { maxVersion: "TLSv1.2" } }),
    garbled: await post({ mode: "garbled" }),
  }),
);
process.exit(0);
