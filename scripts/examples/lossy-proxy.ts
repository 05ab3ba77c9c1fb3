/**
 * Stands between an example and the gateway and does what networks do: a request goes through and its answer is lost, a stream breaks
 * off in the middle of an event. Each of these once, and never again.
 */
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type LossyProxy = {
  url: string;
  /** The gateway's answers to writes, whether they arrived or not: `POST /v1/orders key 201 lost`. */
  writes: string[];
  /** For each stream the place that it was to go on from; null for one that began. */
  streams: (string | null)[];
  close(): void;
};

const STREAM = "/v1/events";
/** What an example waits for after its order. */
const TOLD = "event: order.";

export async function openLossyProxy(gatewayUrl: string): Promise<LossyProxy> {
  const { hostname, port, host } = new URL(gatewayUrl);
  const writes: string[] = [];
  const streams: (string | null)[] = [];
  const lost = new Set<string>();

  function answer(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
    const { method = "", url = "", headers } = incoming;
    const onward = ask({ hostname, port, method, path: url, headers: { ...headers, host } }, (answered) => {
      if (url.startsWith(STREAM)) {
        streams.push(textOf(headers["last-event-id"]));
        return passStream(answered, outgoing, streams.length === 1);
      }
      void bytesOf(answered).then((bytes) => {
        const kind = url.replace(/[0-9a-f-]{36}/, "{id}");
        const isLost = method === "POST" && !lost.has(kind);
        if (isLost) lost.add(kind);
        const words = [method, kind, textOf(headers["idempotency-key"]), answered.statusCode, isLost ? "lost" : "told"];
        if (method === "POST") writes.push(words.join(" "));
        if (isLost) return void outgoing.socket?.destroy();
        outgoing.writeHead(answered.statusCode ?? 502, answered.headers).end(bytes);
      });
    });
    onward.on("error", () => outgoing.socket?.destroy());
    outgoing.on("close", () => onward.destroy());
    onward.end(body);
  }

  const server = createServer((incoming, outgoing) => {
    void bytesOf(incoming).then((body) => answer(incoming, outgoing, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // It listens on a port and not on a path.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    streams,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The first ends in the middle of what was waited for. */
function passStream(answered: IncomingMessage, outgoing: ServerResponse, isFirst: boolean): void {
  outgoing.writeHead(answered.statusCode ?? 502, answered.headers);
  answered.on("error", () => outgoing.socket?.destroy());
  answered.on("end", () => outgoing.end());
  answered.on("data", (piece: Buffer) => {
    const at = isFirst ? piece.indexOf(TOLD) : -1;
    if (at < 0) return void outgoing.write(piece);
    answered.destroy();
    outgoing.write(piece.subarray(0, at + TOLD.length + 60), () => outgoing.socket?.destroy());
  });
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces);
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === "string" ? header : null;
}
