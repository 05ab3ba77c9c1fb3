/** Run by a test with the certificate of `self-signed.ts` among the trusted ones: prints what became of each POST. */
import { connect as connectSocket, createServer } from "node:net";
import { connect } from "./connect.ts";
import { listen } from "./raw-server.ts";
import { tlsServer } from "./self-signed.ts";

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

/** The outcome of one POST and how many bytes of it the server has read. */
async function post(host: string, mode: "answers" | "garbled" | "wants_certificate" | "no_tls"): Promise<unknown> {
  const secure = tlsServer((socket) => socket.write(ANSWER), { requestCert: mode === "wants_certificate" });
  const plain = createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  const direct = await listen(mode === "no_tls" ? plain : secure.server);
  const port = mode === "garbled" ? await garbling(direct, () => secure.received() > 0) : direct;
  const { kind } = await connect(`https://${host}:${port}`).send("{}", "order");
  return { kind, hasArrived: secure.received() > 0 };
}

console.log(
  JSON.stringify({
    good: await post("localhost", "answers"),
    wrongName: await post("127.0.0.1", "answers"),
    noTls: await post("localhost", "no_tls"),
    wantsCertificate: await post("localhost", "wants_certificate"),
    garbled: await post("localhost", "garbled"),
  }),
);
process.exit(0);
