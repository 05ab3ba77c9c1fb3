/** A proxy that lets HTTP through and resets the connection at a given byte of a given POST to /exchange. */
import { createConnection, createServer, type Socket } from "node:net";

/** Where a connection breaks: after so many bytes of the request, or of its answer, have been passed on. */
export type Fault = { way: "request" | "answer"; offset: number };

export type FaultProxy = {
  url: string;
  /** What becomes of the next POSTs to /exchange, in order; null or nothing more: they pass. Forgets what it has seen. */
  arm(faults: readonly (Fault | null)[]): void;
  /** POSTs to /exchange since then, as the client sent them. */
  readonly posts: readonly Post[];
  close(): void;
};

export type Post = {
  body: string;
  requestBytes: number;
  /** Length of the whole answer; null while none has come. */
  answerBytes: number | null;
};

type State = { port: number; faults: (Fault | null)[]; posts: Post[]; sockets: Set<Socket> };

/** The request that a connection is busy with; one after the other, as HTTP/1.1 without pipelining has it. */
type Exchange = { fault: Fault | null; post: Post | null; answer: Buffer };

export async function openFaultProxy(upstreamPort: number): Promise<FaultProxy> {
  const state: State = { port: upstreamPort, faults: [], posts: [], sockets: new Set() };
  const server = createServer((client) => serve(state, client));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    arm(faults) {
      state.faults = [...faults];
      state.posts = [];
    },
    get posts() {
      return state.posts;
    },
    close() {
      server.close();
      for (const socket of state.sockets) socket.destroy();
    },
  };
}

function serve(state: State, client: Socket): void {
  const upstream = createConnection({ host: "127.0.0.1", port: state.port });
  let unread: Buffer = Buffer.alloc(0);
  let current: Exchange | null = null;
  for (const socket of [client, upstream]) {
    state.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => state.sockets.delete(socket));
  }
  client.on("close", () => upstream.destroy());
  upstream.on("close", () => client.destroy());

  function breakOff(): void {
    client.resetAndDestroy();
    upstream.end();
  }

  client.on("data", (data: Buffer) => {
    unread = Buffer.concat([unread, data]);
    const whole = wholeMessage(unread);
    if (whole === null) return;
    unread = unread.subarray(whole.length);
    current = { ...take(state, whole), answer: Buffer.alloc(0) };
    const { fault } = current;
    if (fault?.way !== "request") return void upstream.write(whole);
    if (fault.offset === 0) return breakOff();
    upstream.write(whole.subarray(0, fault.offset), breakOff);
  });

  upstream.on("data", (data: Buffer) => {
    if (current === null) return;
    const { fault, post } = current;
    if (post === null) return void client.write(data);
    current.answer = Buffer.concat([current.answer, data]);
    const before = current.answer.length - data.length;
    const whole = wholeMessage(current.answer);
    if (whole !== null) post.answerBytes = whole.length;
    if (fault === null) return void client.write(data);
    if (current.answer.length < fault.offset && whole === null) return void client.write(data);
    const rest = data.subarray(0, Math.max(0, fault.offset - before));
    if (rest.length === 0) return breakOff();
    client.write(rest, breakOff);
  });
}

function take(state: State, request: Buffer): Pick<Exchange, "fault" | "post"> {
  const text = request.toString("utf8");
  if (!text.startsWith("POST /exchange ")) return { fault: null, post: null };
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  const post: Post = { body, requestBytes: request.length, answerBytes: null };
  state.posts.push(post);
  return { fault: state.faults.shift() ?? null, post };
}

/** Head and body by Content-Length, once they are there. */
function wholeMessage(bytes: Buffer): Buffer | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length < end ? null : bytes.subarray(0, end);
}
