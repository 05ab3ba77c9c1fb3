import { afterEach, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { settled, stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";
import { httpAnswer, listen, type RawRequest, type RawServer, rawServer } from "./raw-server.ts";

const BODY = `{"action":{"type":"noop"},"nonce":1}`;
const ANSWER = `{"status":"ok","response":{"type":"default"}}`;

const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(onRequest: (request: RawRequest) => void): Promise<RawServer> {
  const server = await rawServer(onRequest);
  servers.push(server);
  return server;
}

test("an answer comes back whole, with its status and its very text", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer(ANSWER, "422 Unprocessable Entity")));
  const outcome = await connect(server.url).send(BODY, "order");
  expect(outcome).toEqual({ kind: "answered", httpStatus: 422, body: ANSWER });
  const [request] = server.requests[0] ?? [];
  expect(request).toStartWith("POST /exchange HTTP/1.1\r\n");
  expect(request).toContain("\r\nContent-Type: application/json\r\n");
  expect(request).toEndWith(`\r\n\r\n${BODY}`);
});

/** What the server does to a request, as the second one of a kept-alive connection and as the first of a new one. */
const BROKEN: readonly [name: string, misbehave: (request: RawRequest) => void][] = [
  ["resets after the request", ({ socket }) => socket.resetAndDestroy()],
  ["closes after the request", ({ socket }) => socket.end()],
  ["resets inside the status line", ({ socket }) => cut(socket, 8)],
  ["resets inside the headers", ({ socket }) => cut(socket, 40)],
  ["resets before the body", ({ socket }) => cut(socket, httpAnswer("").byteLength + 1)],
  ["resets inside the body", ({ socket }) => cut(socket, httpAnswer(ANSWER).byteLength - 3)],
  ["closes inside the body", ({ socket }) => socket.end(httpAnswer(ANSWER).subarray(0, -3))],
  ["answers no HTTP", ({ socket }) => socket.end("220 mail.example.org ESMTP\r\n")],
  ["answers invalid UTF-8", ({ socket }) => socket.write(httpAnswer(new Uint8Array([0x22, 0xff, 0xfe, 0x22])))],
  ["answers 2 MiB", ({ socket }) => socket.write(httpAnswer("x".repeat(2 * 1024 * 1024)))],
  [
    "answers 2 MiB in 2 KiB of gzip",
    ({ socket }) => {
      const packed = Bun.gzipSync(new Uint8Array(2 * 1024 * 1024));
      socket.write(httpAnswer(packed, "200 OK", "Content-Encoding: gzip\r\n"));
    },
  ],
  [
    "announces gzip and sends none",
    ({ socket }) => socket.end(httpAnswer(ANSWER, "200 OK", "Content-Encoding: gzip\r\n")),
  ],
  ["redirects", ({ socket }) => socket.write(httpAnswer("", "307 Temporary Redirect", "Location: /elsewhere\r\n"))],
  [
    "redirects elsewhere",
    ({ socket }) => socket.write(httpAnswer("", "302 Found", "Location: http://127.0.0.1:1/\r\n")),
  ],
];

function cut(socket: RawRequest["socket"], byteCount: number): void {
  socket.write(httpAnswer(ANSWER).subarray(0, byteCount), () => setImmediate(() => socket.resetAndDestroy()));
}

for (const [name, misbehave] of BROKEN) {
  test(`when the server ${name}, the outcome is unknown and nothing was sent twice`, async () => {
    for (const goodOnes of [0, 1]) {
      const server = await serve((request) =>
        request.nth < goodOnes ? request.socket.write(httpAnswer(ANSWER)) : misbehave(request),
      );
      const exchange = connect(server.url);
      if (goodOnes === 1) expect((await exchange.send(BODY, "order")).kind).toBe("answered");
      expect((await exchange.send(BODY, "order")).kind).toBe("unknown");
      await settled();
      expect(server.requests.flat()).toHaveLength(goodOnes + 1);
    }
  });
}

test("a reset at any byte of the answer is unknown, on a new and on a kept-alive connection, and nothing is sent twice", async () => {
  const size = httpAnswer(ANSWER).byteLength;
  for (let byteCount = 0; byteCount < size; byteCount += 1) {
    const server = await serve((request) =>
      request.nth === 1 ? request.socket.write(httpAnswer(ANSWER)) : cut(request.socket, byteCount),
    );
    const exchange = connect(server.url, { weightPerMinute: 0 });
    const kinds = [];
    for (let nth = 0; nth < 3; nth += 1) kinds.push((await exchange.send(BODY, "order")).kind);
    expect([byteCount, ...kinds]).toEqual([byteCount, "unknown", "answered", "unknown"]);
    expect(server.requests.map((list) => list.length)).toEqual([1, 2]);
    server.close();
  }
});

test("a connection that is reset before the request was read is unknown, and not opened again", async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on("error", () => {});
    socket.resetAndDestroy();
  });
  const port = await listen(server);
  expect((await connect(`http://127.0.0.1:${port}`).send(BODY, "order")).kind).toBe("unknown");
  await settled();
  server.close();
  expect(accepted).toHaveLength(1);
});

test("bun 28706: a kept-alive connection is used again and a reset of it does not move the POST to a new one", async () => {
  const server = await serve(({ socket, nth }) =>
    nth < 3 ? socket.write(httpAnswer(ANSWER)) : socket.resetAndDestroy(),
  );
  const exchange = connect(server.url);
  for (let nth = 0; nth < 3; nth += 1) await exchange.send(BODY, "order");
  expect((await exchange.send(BODY, "order")).kind).toBe("unknown");
  await settled();
  expect(server.requests.map((list) => list.length)).toEqual([4]);
});

test("a kept-alive connection that breaks with nobody listening any more is unknown, never not_sent", async () => {
  const server = await serve(({ socket, nth }) => {
    if (nth === 0) socket.write(httpAnswer(ANSWER));
    else server.close();
  });
  const exchange = connect(server.url);
  await exchange.send(BODY, "order");
  expect((await exchange.send(BODY, "order")).kind).toBe("unknown");
  expect((await exchange.send(BODY, "order")).kind).toBe("not_sent");
});

test("a connection that the server closed while it was idle is not used", async () => {
  const closed = Promise.withResolvers<void>();
  const server = await serve(({ socket, nth }) => {
    socket.write(httpAnswer(ANSWER));
    if (nth === 0) setImmediate(() => socket.end(() => closed.resolve()));
  });
  const exchange = connect(server.url);
  await exchange.send(BODY, "order");
  await closed.promise;
  await settled();
  expect((await exchange.send(BODY, "order")).kind).toBe("answered");
  expect(server.requests.map((list) => list.length)).toEqual([1, 1]);
});

test("a name that does not exist, and a port where nobody listens, prove that nothing was sent", async () => {
  const server = await serve(() => {});
  server.close();
  expect(await connect(server.url).send(BODY, "order")).toEqual({ kind: "not_sent", reason: "ECONNREFUSED" });
  expect(await connect("http://nowhere.invalid").send(BODY, "order")).toMatchObject({ kind: "not_sent" });
});

test("without an answer the outcome is unknown when the deadline is over, and not before", async () => {
  const clock = stillClock();
  const arrived = Promise.withResolvers<void>();
  const server = await serve(() => arrived.resolve());
  const exchange = connect(server.url, { clock });
  let outcome: unknown = null;
  const sent = exchange.send(BODY, "order").then((value) => {
    outcome = value;
  });
  await arrived.promise;
  await clock.advance(4_999);
  expect(outcome).toBeNull();
  await clock.advance(1);
  await sent;
  expect(outcome).toEqual({ kind: "unknown", reason: "no answer within the deadline" });
});

test("the deadline covers an answer that stops in its middle", async () => {
  const clock = stillClock();
  const half = Promise.withResolvers<void>();
  const server = await serve(({ socket }) => {
    socket.write(httpAnswer(ANSWER).subarray(0, -5), () => half.resolve());
  });
  const sent = connect(server.url, { clock }).send(BODY, "order");
  await half.promise;
  await settled();
  await clock.advance(5_000);
  expect(await sent).toEqual({ kind: "unknown", reason: "no answer within the deadline" });
});

test("a transport that throws at once, or that ignores the deadline's signal, breaks nothing", async () => {
  const throwing = connect("http://exchange.test", {
    transport: () => {
      throw new Error("transport is broken");
    },
  });
  expect((await throwing.send(BODY, "order")).kind).toBe("unknown");
  const clock = stillClock();
  const deaf = connect("http://exchange.test", { clock, transport: () => new Promise(() => {}) });
  const sent = deaf.send(BODY, "order");
  await clock.advance(5_000);
  expect((await sent).kind).toBe("unknown");
});

test("the deadline tells the transport to stop, and leaves an answered request alone", async () => {
  const clock = stillClock();
  const { transport, inits } = answering((body) => (body === BODY ? new Response(ANSWER) : new Promise(() => {})));
  const exchange = connect("http://exchange.test", { clock, transport });
  await exchange.send(BODY, "order");
  void exchange.send("{}", "order");
  await clock.advance(5_000);
  expect(inits.map(({ signal }) => signal.aborted)).toEqual([false, true]);
});

test("an error in the middle of an answer never proves that nothing was sent, whatever its code", async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(Object.assign(new Error("late"), { code: "ECONNREFUSED" }));
    },
  });
  const exchange = connect(
    "http://exchange.test",
    answering(() => new Response(body)),
  );
  expect(await exchange.send(BODY, "order")).toEqual({ kind: "unknown", reason: "ECONNREFUSED" });
});

test("an answered request leaves no sleep behind that keeps growing", async () => {
  const clock = stillClock();
  const exchange = connect("http://exchange.test", { clock, ...answering(() => new Response(ANSWER)) });
  for (let nth = 0; nth < 100; nth += 1) await exchange.send(BODY, "order");
  expect(clock.sleepers()).toBeLessThanOrEqual(1);
  await clock.advance(5_000);
  await clock.advance(5_000);
  expect(clock.sleepers()).toBe(0);
});

test("info answers are parsed, and anything but a JSON answer with status 200 is a failure that says why", async () => {
  const rows: readonly [answer: () => Response, wanted: object][] = [
    [() => new Response(`{"time":5}`), { kind: "ok", json: { time: 5 } }],
    [() => new Response("null"), { kind: "ok", json: null }],
    [() => new Response("null", { status: 500 }), { kind: "failed", httpStatus: 500, isOurBudget: false }],
    [() => new Response("null", { status: 429 }), { kind: "failed", httpStatus: 429, isOurBudget: false }],
    [() => new Response("<html>", { status: 502 }), { kind: "failed", httpStatus: 502, isOurBudget: false }],
    [() => new Response("<html>"), { kind: "failed", httpStatus: 200, isOurBudget: false }],
    [() => new Response(""), { kind: "failed", httpStatus: 200, isOurBudget: false }],
    [() => Response.redirect("http://elsewhere.test/", 302), { kind: "failed", httpStatus: null }],
    [() => new Response(new Uint8Array([0xff])), { kind: "failed", httpStatus: null }],
  ];
  for (const [answer, wanted] of rows) {
    const exchange = connect("http://exchange.test", answering(answer));
    expect(await exchange.info({ type: "meta" }, { purpose: "order" })).toMatchObject(wanted);
  }
});

test("an info answer may have 3 MiB, and 17 MiB are cut off", async () => {
  for (const [size, kind] of [
    [3, "ok"],
    [17, "failed"],
  ] as const) {
    const text = `"${"x".repeat(size * 1024 * 1024)}"`;
    const exchange = connect(
      "http://exchange.test",
      answering(() => new Response(text)),
    );
    expect((await exchange.info({ type: "meta" }, { purpose: "order" })).kind).toBe(kind);
  }
});

test("asks for native ids beyond 2^53 and reads them as they are", async () => {
  const { transport, inits } = answering(() => new Response('[{"oid":9007199254740993,"sz":"1.0"}]'));
  const exchange = connect("http://exchange.test", { transport });
  const json = [{ oid: 9007199254740993n, sz: "1.0" }];
  const asked = { type: "orderStatus", user: "0xa", oid: 9007199254740993n };
  expect(await exchange.info(asked, { purpose: "settle" })).toEqual({ kind: "ok", json });
  expect(inits[0]?.body).toBe('{"type":"orderStatus","user":"0xa","oid":9007199254740993}');
  const inTurn = await exchange.infoInTurn([{ type: "openOrders" }], { purpose: "settle" });
  expect(inTurn).toEqual({ kind: "ok", json: [json] });
});
