import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import type { LineOutcome } from "../../src/exchange/line.ts";
import { openTransport, type Transport, targetOf } from "../../src/exchange/transport.ts";
import { settled } from "./clocks.ts";
import { httpAnswer, listen, type RawRequest, type RawServer, rawServer } from "./raw-server.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const ANSWER = `{"status":"ok"}`;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(onRequest: (request: RawRequest) => void): Promise<RawServer> {
  const server = await rawServer(onRequest);
  closers.push(() => server.close());
  return server;
}

type Asking = {
  transport: Transport;
  isFresh?: boolean;
  signal?: AbortSignal;
  body?: string;
  mayLeave?: () => boolean;
};

/** As an order goes: what became of it, in words. */
async function ask(url: string, asking: Asking): Promise<string> {
  const { transport, isFresh = false, signal = new AbortController().signal, body = "{}" } = asking;
  const { mayLeave = () => true } = asking;
  const delivery = await transport(`${url}/exchange`, {
    method: "POST",
    headers: { Accept: "application/json" },
    body,
    signal,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    mayLeave,
    redirect: "manual",
    connection: { kind: "own", isFresh },
  });
  // The transport's own connections speak no `Response`.
  return told(delivery as LineOutcome);
}

function told(delivery: LineOutcome): string {
  if (delivery.kind !== "whole") return `${delivery.kind}: ${delivery.reason}`;
  return `${delivery.httpStatus} ${Buffer.from(delivery.body).toString()}`;
}

function requestsPerConnection(server: RawServer): number[] {
  return server.requests.map((list) => list.length);
}

test("a request says its host, its length and nothing that asks for a coded or a shared answer", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer(ANSWER)));
  expect(await ask(server.url, { transport: openTransport(setImmediate), body: `{"é":1}` })).toBe(`200 ${ANSWER}`);
  const host = server.url.slice("http://".length);
  const body = Buffer.from(`{"é":1}`).toString("latin1");
  expect(server.requests.flat()).toEqual([
    `POST /exchange HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nContent-Length: 8\r\n\r\n${body}`,
  ]);
});

const ANSWERS: readonly [name: string, bytes: Buffer][] = [
  ["length", httpAnswer(ANSWER)],
  ["interim", Buffer.concat([Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), httpAnswer(ANSWER)])],
  [
    "chunks",
    Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"sta\r\na\r\ntus":"ok"}\r\n0\r\n\r\n`),
  ],
];

test("an answer cut into any pieces is the same answer, and any part of it and then the end is unknown", async () => {
  const cutting = fc.record({
    kind: fc.constantFrom(...ANSWERS),
    cuts: fc.array(fc.nat(), { maxLength: 8 }),
    part: fc.nat(),
    isReset: fc.boolean(),
  });
  const run = async ({ kind: [name, bytes], cuts, part, isReset }: Cutting): Promise<void> => {
    const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
    const short = part % bytes.length;
    const server = await rawServer(({ socket, nth }) => {
      if (nth < 2) writePieces(socket, bytes, ends);
      else socket.write(bytes.subarray(0, short), () => (isReset ? socket.resetAndDestroy() : socket.end()));
    });
    const transport = openTransport(setImmediate);
    const outcomes = [];
    for (let nth = 0; nth < 3; nth += 1) outcomes.push(await ask(server.url, { transport }));
    server.close();
    expect([name, ...outcomes]).toEqual([name, `200 ${ANSWER}`, `200 ${ANSWER}`, "unknown: ECONNRESET"]);
    expect(requestsPerConnection(server)).toEqual([3]);
  };
  await fc.assert(fc.asyncProperty(cutting, run), { numRuns: 100 });
});

type Cutting = { kind: (typeof ANSWERS)[number]; cuts: number[]; part: number; isReset: boolean };

/** Each piece in a turn of its own, so that most arrive apart. */
function writePieces(socket: Socket, bytes: Buffer, ends: readonly number[], from = 0): void {
  const [end, ...rest] = ends;
  if (end === undefined) return;
  socket.setNoDelay(true);
  socket.write(bytes.subarray(from, end), () => setImmediate(() => writePieces(socket, bytes, rest, end)));
}

test("an answer without a length is unknown, because nobody can tell whether it was cut off", async () => {
  const server = await serve(({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${ANSWER}`));
  expect(await ask(server.url, { transport: openTransport(setImmediate) })).toBe("unknown: answer without a length");
});

test("a connection is not used after `Connection: close`, HTTP/1.0, or bytes behind an answer", async () => {
  const last = [
    httpAnswer(ANSWER, "200 OK", "Connection: close\r\n"),
    Buffer.from(`HTTP/1.0 200 OK\r\nContent-Length: ${ANSWER.length}\r\n\r\n${ANSWER}`),
    Buffer.concat([httpAnswer(ANSWER), httpAnswer(`{"status":"another"}`)]),
    Buffer.concat([httpAnswer(ANSWER), Buffer.from("x")]),
  ];
  for (const bytes of last) {
    const server = await serve(({ socket }) => socket.write(bytes));
    const transport = openTransport(setImmediate);
    for (let nth = 0; nth < 2; nth += 1) expect(await ask(server.url, { transport })).toBe(`200 ${ANSWER}`);
    expect(requestsPerConnection(server)).toEqual([1, 1]);
  }
});

test("bytes that arrive on an idle connection are no answer to the next request", async () => {
  const sockets: Socket[] = [];
  const server = await serve(({ socket, nth }) => {
    sockets.push(socket);
    socket.write(httpAnswer(`"${nth}"`));
  });
  const transport = openTransport(setImmediate);
  expect(await ask(server.url, { transport })).toBe(`200 "0"`);
  const stray = Promise.withResolvers<void>();
  sockets[0]?.write(httpAnswer(`"stray"`), () => stray.resolve());
  await stray.promise;
  await settled();
  expect(await ask(server.url, { transport })).toBe(`200 "1"`);
  expect(requestsPerConnection(server)).toEqual([1, 1]);
});

test("bytes and ends that came while this thread was busy are seen before the next request", async () => {
  const transport = openTransport(setImmediate);
  for (const [what, url] of await badlyBehaved()) {
    expect([what, await ask(url, { transport, body: "0" })]).toEqual([what, `200 "0"`]);
    blockFor(BUSY_MS);
    expect([what, await ask(url, { transport, body: "1" })]).toEqual([what, `200 "1"`]);
    expect([what, await ask(url, { transport, body: "2" })]).toEqual([what, `200 "2"`]);
  }
});

/** Longer than the server of the other process waits before it misbehaves. */
const BUSY_MS = 80;

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Servers of a process of their own: ours is busy while they write. Each first connection is answered, and then spoilt. */
async function badlyBehaved(): Promise<[what: string, url: string][]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "stray-child.ts")], { stdout: "pipe" });
  closers.push(() => child.kill());
  const { value } = await child.stdout.getReader().read();
  return JSON.parse(new TextDecoder().decode(value));
}

test("a refusal that comes before the request has left whole is read, and its connection is not used again", async () => {
  const { url, accepted } = await earlyServer(httpAnswer(ANSWER, "413 Content Too Large"));
  const transport = openTransport(setImmediate);
  for (let nth = 0; nth < 2; nth += 1) expect(await ask(url, { transport, body: LARGE })).toBe(`413 ${ANSWER}`);
  expect(accepted()).toBe(2);
});

test("a success that comes before the request has left whole is no answer to it", async () => {
  const { url } = await earlyServer(httpAnswer(ANSWER));
  expect(await ask(url, { transport: openTransport(setImmediate), body: LARGE })).toBe(
    "unknown: answered before it was sent",
  );
});

const LARGE = "x".repeat(16 * 1024 * 1024);

/** Answers at the first bytes of a request and reads no more of it. */
async function earlyServer(answer: Buffer): Promise<{ url: string; accepted(): number }> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.pause();
      socket.write(answer);
    });
  });
  return { url: await urlOf(server), accepted: () => accepted };
}

async function urlOf(server: Server): Promise<string> {
  const url = `http://127.0.0.1:${await listen(server)}`;
  closers.push(() => void server.close());
  return url;
}

test("a request larger than the socket takes at once is continued, byte for byte and once", async () => {
  const body = Array.from({ length: 1_500_000 }, (_, nth) => nth.toString(36)).join(" ");
  const read: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.pause();
    setImmediate(() => socket.resume());
    socket.on("data", (data) => {
      read.push(data);
      if (data.toString("latin1").endsWith(body.slice(-20))) socket.write(httpAnswer(ANSWER));
    });
  });
  const url = await urlOf(server);
  expect(await ask(url, { transport: openTransport(setImmediate), body })).toBe(`200 ${ANSWER}`);
  const text = Buffer.concat(read).toString("latin1");
  expect(text.slice(text.indexOf("\r\n\r\n") + 4) === body).toBe(true);
});

test("an answer over the limit is unknown, whether it says its length, comes in chunks, or never ends", async () => {
  const kib = "x".repeat(1_024);
  const chunk = `400\r\n${kib}\r\n`;
  const endless = (socket: Socket, piece: string): void => {
    if (!socket.destroyed) socket.write(piece, () => setImmediate(() => endless(socket, piece)));
  };
  const tooLong: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.write(httpAnswer("x".repeat(MAX_ANSWER_BYTES + 1))),
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(65)}0\r\n\r\n`),
    (socket) => {
      socket.setNoDelay(true).write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      endless(socket, chunk);
    },
  ];
  for (const misbehave of tooLong) {
    const server = await serve(({ socket }) => misbehave(socket));
    expect(await ask(server.url, { transport: openTransport(setImmediate) })).toBe(
      `unknown: answer over ${MAX_ANSWER_BYTES} bytes`,
    );
  }
  const server = await serve(({ socket }) => socket.write(httpAnswer("x".repeat(MAX_ANSWER_BYTES))));
  expect(await ask(server.url, { transport: openTransport(setImmediate) })).toBe(`200 ${"x".repeat(MAX_ANSWER_BYTES)}`);
});

test("at the same time each request has a connection of its own, and afterwards they are used again", async () => {
  const waiting: RawRequest[] = [];
  const server = await serve((request) => {
    waiting.push(request);
    if (waiting.length % 20 !== 0) return;
    for (const { socket, text } of waiting.splice(0))
      socket.write(httpAnswer(text.slice(text.indexOf("\r\n\r\n") + 4)));
  });
  const transport = openTransport(setImmediate);
  for (let round = 0; round < 3; round += 1) {
    const bodies = Array.from({ length: 20 }, (_, nth) => `"${round} ${nth}"`);
    const answers = await Promise.all(bodies.map((body) => ask(server.url, { transport, body })));
    expect(answers).toEqual(bodies.map((body) => `200 ${body}`));
  }
  expect(requestsPerConnection(server)).toEqual(Array.from({ length: 20 }, () => 3));
});

test("one after the other they go over the connection that was used last", async () => {
  const server = await serve(({ socket }) => setImmediate(() => socket.write(httpAnswer(ANSWER))));
  const transport = openTransport(setImmediate);
  await Promise.all([1, 2, 3].map(() => ask(server.url, { transport })));
  for (let nth = 0; nth < 5; nth += 1) await ask(server.url, { transport });
  expect(requestsPerConnection(server).sort()).toEqual([1, 1, 6]);
});

test("a fresh one leaves all older connections alone, those too that come back from use", async () => {
  const held: RawRequest[] = [];
  const server = await serve((request) => {
    if (request.text.endsWith(`"held"`)) held.push(request);
    else request.socket.write(httpAnswer(ANSWER));
  });
  const transport = openTransport(setImmediate);
  await ask(server.url, { transport });
  const late = ask(server.url, { transport, body: `"held"` });
  while (held.length === 0) await settled();
  await ask(server.url, { transport, isFresh: true });
  held[0]?.socket.write(httpAnswer(`"late"`));
  expect(await late).toBe(`200 "late"`);
  await Promise.all([ask(server.url, { transport }), ask(server.url, { transport })]);
  expect(requestsPerConnection(server)[0]).toBe(2);
  expect(server.requests.length).toBe(3);
});

test("beyond 640 connections nothing is sent, and says so; when they are back it goes on", async () => {
  const held: RawRequest[] = [];
  const server = await serve((request) => held.push(request));
  const transport = openTransport(setImmediate);
  const asked = Array.from({ length: 640 }, () => ask(server.url, { transport }));
  expect(await ask(server.url, { transport })).toBe("not_sent: too many connections");
  while (held.length < 640) await settled();
  for (const { socket } of held.splice(0)) socket.write(httpAnswer(ANSWER));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([`200 ${ANSWER}`]));
  await settled();
  const again = Array.from({ length: 100 }, () => ask(server.url, { transport }));
  while (held.length < 100) await settled();
  for (const { socket } of held.splice(0)) socket.write(httpAnswer(ANSWER));
  expect(new Set(await Promise.all(again))).toEqual(new Set([`200 ${ANSWER}`]));
  expect(server.requests.flat()).toHaveLength(740);
  // So many of the first were kept.
  expect(requestsPerConnection(server).filter((count) => count === 2)).toHaveLength(64);
});

test("connections given up while they open stand in nobody's way, up to a bound of their own", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer(ANSWER)));
  const transport = openTransport(setImmediate);
  const giveUp = (count: number): Promise<string[]> => {
    const early = new AbortController();
    const asked = Array.from({ length: count }, () => ask(server.url, { transport, signal: early.signal }));
    return Promise.resolve()
      .then(() => early.abort())
      .then(() => Promise.all(asked));
  };
  // All in one turn, in which the system cannot end a single one.
  for (let nth = 0; nth < 4; nth += 1) {
    expect(new Set(await giveUp(512))).toEqual(new Set(["not_sent: the connection was given up"]));
  }
  expect(await ask(server.url, { transport })).toBe("not_sent: too many connections");
  while ((await ask(server.url, { transport })) !== `200 ${ANSWER}`) await settled();
  expect(server.requests.flat()).toHaveLength(1);
});

test("given up while an idle connection is looked at nothing has left", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer(ANSWER)));
  const transport = openTransport(setImmediate);
  await ask(server.url, { transport });
  const given = new AbortController();
  const unsent = ask(server.url, { transport, signal: given.signal });
  given.abort();
  expect(await unsent).toBe("not_sent: given up");
  await settled();
  expect(server.requests.flat()).toHaveLength(1);
});

test("given up before it is connected nothing has left, and the connection is closed; afterwards it is unknown", async () => {
  const closed = Promise.withResolvers<void>();
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => received.push(data.toString("latin1")));
    socket.on("close", () => closed.resolve());
  });
  const url = await urlOf(server);
  const early = new AbortController();
  const unsent = ask(url, { transport: openTransport(setImmediate), signal: early.signal });
  // It looks for an idle connection first; no socket can be open before the next turn.
  await Promise.resolve().then(() => undefined);
  early.abort();
  expect(await unsent).toBe("not_sent: the connection was given up");
  await closed.promise;
  expect(received).toEqual([]);
  expect(await ask(url, { transport: openTransport(setImmediate), signal: early.signal })).toStartWith("not_sent");

  const late = new AbortController();
  const sent = ask(url, { transport: openTransport(setImmediate), signal: late.signal });
  while (received.length === 0) await settled();
  late.abort();
  expect(await sent).toBe("unknown: the connection was given up");
  expect(received).toHaveLength(1);
});

test("only an address that says http is spoken to in the clear", () => {
  const rows = [
    ["https://api.hyperliquid.xyz/exchange", { hostname: "api.hyperliquid.xyz", port: 443, isSecure: true }],
    ["https://localhost:8443/exchange", { hostname: "localhost", port: 8443, isSecure: true }],
    ["http://localhost/exchange", { hostname: "localhost", port: 80, isSecure: false }],
    ["https://[::1]:8443/exchange", { hostname: "::1", port: 8443, isSecure: true }],
    ["http://127.0.0.1:4000/exchange", { hostname: "127.0.0.1", port: 4000, isSecure: false }],
  ] as const;
  for (const [url, target] of rows) expect(targetOf(url)).toEqual(target);
});

test("an IPv6 address is reached, and keeps its brackets in the host", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer(ANSWER)));
  // The same server, by its address as IPv6 writes it: found where a machine has no IPv6 network too.
  const port = new URL(server.url).port;
  expect(await ask(`http://[::ffff:127.0.0.1]:${port}`, { transport: openTransport(setImmediate) })).toBe(
    `200 ${ANSWER}`,
  );
  expect(server.requests.flat()[0]).toContain(`\r\nHost: [::ffff:7f00:1]:${port}\r\n`);
});

test("what may not leave any more does not, on a connection that was idle or has just opened, and the next one goes", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer(ANSWER)));
  const transport = openTransport(setImmediate);
  for (const isLate of [true, false, true, false]) {
    const told = await ask(server.url, { transport, mayLeave: () => !isLate });
    expect(told).toBe(isLate ? "not_sent: it could not be sent in time" : `200 ${ANSWER}`);
  }
  expect(requestsPerConnection(server)).toEqual([2]);
});
