import { createServer, type Server, type Socket } from "node:net";

/** Bytes in, bytes out: a server that can misbehave where an HTTP library would not let it. */
export type RawServer = {
  url: string;
  /** Requests that arrived whole, one list a connection. */
  requests: readonly string[][];
  close(): void;
};

export type RawRequest = { socket: Socket; text: string; connection: number; nth: number };

/** Calls `onRequest` for each whole request; `nth` counts over all connections from 0. */
export async function rawServer(onRequest: (request: RawRequest) => void): Promise<RawServer> {
  const requests: string[][] = [];
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    const connection = requests.push([]) - 1;
    let buffered = "";
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => {
      buffered += data.toString("latin1");
      const text = wholeRequest(buffered);
      if (text === null) return;
      buffered = buffered.slice(text.length);
      requests[connection]?.push(text);
      onRequest({ socket, text, connection, nth: count++ });
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, requests, close: () => closeAll(server, sockets) };
}

export async function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): void {
  server.close();
  for (const socket of sockets) socket.destroy();
}

function wholeRequest(buffered: string): string | null {
  const headEnd = buffered.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return buffered.length < end ? null : buffered.slice(0, end);
}

export function httpAnswer(body: string | Uint8Array, status = "200 OK", headers = ""): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}
