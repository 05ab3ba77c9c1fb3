// Requests in requests: what two readers of HTTP could read differently.
import { brief, newlyOpen, sleep } from "../raw.mjs";

const HIDDEN = "GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n";

/** One message that hides another: told is at most one answer, and none of the hidden one. */
const hides = (variants) => async (context) => {
  for (const [name, write] of Object.entries(variants)) {
    const hidden = HIDDEN.replace("HOST", context.plain.host);
    const result = await context.plain.speak(write(context.plain, hidden), { quietMs: 120, waitMs: 800 });
    const opened = result.answers.filter((answer) => answer.status === 200);
    if (opened.length > 0 || result.answers.length > 1) context.broken(`${name}: ${brief(result)}`);
  }
  context.figure(`${Object.keys(variants).length} spellings`);
};

const post = (door, headers, body) =>
  `POST /v1/orders HTTP/1.1\r\nHost: ${door.host}\r\nContent-Type: application/json\r\n${headers.join("\r\n")}\r\n\r\n${body}`;

/** None of these may be answered as if it were well formed. */
const refuses = (variants) => async (context) => {
  for (const [name, write] of Object.entries(variants)) {
    const result = await context.plain.speak(write(context.plain), { waitMs: 600 });
    if (result.answers.some((answer) => answer.status >= 200 && answer.status < 300))
      context.broken(`${name}: ${brief(result)}`);
  }
  context.figure(`${Object.keys(variants).length} spellings`);
};

const whoami = (door, target, ...lines) =>
  `GET ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\nAuthorization: Bearer ${door.key}\r\n\r\n`;

const chunkedOrder = (door, id, write, headers = []) => {
  const body = JSON.stringify(door.orderBody());
  const lines = [
    `Authorization: Bearer ${door.key}`,
    `Idempotency-Key: ${id}`,
    "Transfer-Encoding: chunked",
    ...headers,
  ];
  return post(door, lines, write(body, body.length.toString(16)));
};

export const messages = [
  [
    "smuggling: Content-Length and Transfer-Encoding in one message",
    hides({
      "CL.TE": (door, hidden) =>
        post(door, [`Content-Length: ${5 + hidden.length}`, "Transfer-Encoding: chunked"], `0\r\n\r\n${hidden}`),
      "TE.CL": (door, hidden) => post(door, ["Transfer-Encoding: chunked", "Content-Length: 5"], `0\r\n\r\n${hidden}`),
      "CL 0 and TE": (door, hidden) => post(door, ["Content-Length: 0", "Transfer-Encoding: chunked"], hidden),
      "TE, the case": (door, hidden) =>
        post(door, ["Content-Length: 5", "transfer-ENCODING: CHUNKED"], `0\r\n\r\n${hidden}`),
    }),
  ],
  [
    "smuggling: two Content-Lengths and lengths that are none",
    hides({
      "5 and all": (door, hidden) =>
        post(door, ["Content-Length: 2", `Content-Length: ${2 + hidden.length}`], `{}${hidden}`),
      "all and 5": (door, hidden) =>
        post(door, [`Content-Length: ${2 + hidden.length}`, "Content-Length: 2"], `{}${hidden}`),
      list: (door, hidden) => post(door, ["Content-Length: 2, 2"], `{}${hidden}`),
      "list of two": (door, hidden) => post(door, [`Content-Length: 2, ${2 + hidden.length}`], `{}${hidden}`),
      plus: (door, hidden) => post(door, ["Content-Length: +2"], `{}${hidden}`),
      minus: (door, hidden) => post(door, ["Content-Length: -1"], `{}${hidden}`),
      hex: (door, hidden) => post(door, ["Content-Length: 0x2"], `{}${hidden}`),
      exponent: (door, hidden) => post(door, ["Content-Length: 2e0"], `{}${hidden}`),
      "beyond 64 bits": (door, hidden) => post(door, ["Content-Length: 18446744073709551618"], `{}${hidden}`),
      "space before colon": (door, hidden) => post(door, ["Content-Length : 2"], `{}${hidden}`),
      underline: (door, hidden) =>
        post(door, ["Content_Length: 2", "Content-Length: 999999999999999999999"], `{}${hidden}`),
    }),
  ],
  [
    "smuggling: Transfer-Encodings that are not chunked",
    hides({
      x: (door, hidden) => post(door, ["Transfer-Encoding: xchunked"], `0\r\n\r\n${hidden}`),
      identity: (door, hidden) => post(door, ["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${hidden}`),
      twice: (door, hidden) =>
        post(
          door,
          ["Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Content-Length: 5"],
          `0\r\n\r\n${hidden}`,
        ),
      "space before colon": (door, hidden) =>
        post(door, ["Transfer-Encoding : chunked", `Content-Length: ${5 + hidden.length}`], `0\r\n\r\n${hidden}`),
      "vertical tab": (door, hidden) =>
        post(door, ["Transfer-Encoding: \x0bchunked", "Content-Length: 5"], `0\r\n\r\n${hidden}`),
      folded: (door, hidden) =>
        post(door, ["Transfer-Encoding:\r\n chunked", "Content-Length: 5"], `0\r\n\r\n${hidden}`),
      quoted: (door, hidden) => post(door, ['Transfer-Encoding: "chunked"', "Content-Length: 5"], `0\r\n\r\n${hidden}`),
      "gzip, chunked": (door, hidden) => post(door, ["Transfer-Encoding: gzip, chunked"], `0\r\n\r\n${hidden}`),
    }),
  ],
  [
    "smuggling: a body that looks like a request, refused before it is read",
    async (context) => {
      const { plain, broken } = context;
      const hidden = HIDDEN.replace("HOST", plain.host);
      const long = `${" ".repeat(70_000)}${hidden}`;
      const rows = {
        "no key": post(plain, [`Content-Length: ${hidden.length}`], hidden),
        "no route": `POST /nowhere HTTP/1.1\r\nHost: ${plain.host}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
        "foreign host": `POST /v1/orders HTTP/1.1\r\nHost: evil.example\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
        "a GET": `GET /v1/whoami HTTP/1.1\r\nHost: ${plain.host}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
        "an OPTIONS": `OPTIONS /v1/orders HTTP/1.1\r\nHost: ${plain.host}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
        "70,000 bytes": post(
          plain,
          [`Authorization: Bearer ${plain.key}`, "Idempotency-Key: too-long-1", `Content-Length: ${long.length}`],
          long,
        ),
        "chunked, no key": post(
          plain,
          ["Transfer-Encoding: chunked"],
          `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
        ),
        Expect: post(plain, ["Expect: 100-continue", `Content-Length: ${hidden.length}`], hidden),
      };
      for (const [name, bytes] of Object.entries(rows)) {
        const result = await plain.speak(bytes, { quietMs: 150, waitMs: 1200 });
        const final = result.answers.filter((answer) => answer.status >= 200);
        if (final.length > 1 || final.some((answer) => answer.status === 200)) broken(`${name}: ${brief(result)}`);
      }
    },
  ],
  [
    "smuggling: chunks with extensions, bad sizes, bare line ends and trailers that are headers",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      const bad = {
        "bare line ends": (body, size) => `${size}\n${body}\n0\n\n`,
        "size beyond 64 bits": (body, size) => `1000000000000000${size}\r\n${body}\r\n0\r\n\r\n`,
        "negative size": (body) => `-1\r\n${body}\r\n0\r\n\r\n`,
        "0x": (body, size) => `0x${size}\r\n${body}\r\n0\r\n\r\n`,
        "no size": (body) => `\r\n${body}\r\n0\r\n\r\n`,
        "size too small": (body) => `5\r\n${body}\r\n0\r\n\r\n`,
        "bare line end in an extension": (body, size) => `${size};a\n${body}\r\n0\r\n\r\n`,
        "extension of 70,000 bytes": (body, size) => `${size};${"a".repeat(70_000)}\r\n${body}\r\n0\r\n\r\n`,
        "line end missing": (body, size) => `${size}\r\n${body}0\r\n\r\n`,
      };
      for (const [name, write] of Object.entries(bad)) {
        const result = await plain.speak(chunkedOrder(plain, `chunk-${name.replaceAll(/[ ,]/g, "-")}`, write), {
          waitMs: 500,
        });
        if (result.answers.some((answer) => answer.status < 300)) broken(`${name}: ${brief(result)}`);
      }
      const trailers = (body, size) =>
        `${size}\r\n${body}\r\n0\r\nAuthorization: Bearer ${plain.key}\r\nIdempotency-Key: trailer-key-1\r\n\r\n`;
      const body = JSON.stringify(plain.orderBody());
      const result = await plain.speak(
        post(plain, ["Transfer-Encoding: chunked"], trailers(body, body.length.toString(16))),
      );
      if (result.answers.some((answer) => answer.status < 300)) broken(`a key in a trailer: ${brief(result)}`);
      const after = await plain.executedCount();
      if (after !== before) broken(`${after - before} orders were placed`);
    },
  ],
  [
    "smuggling: one order in 3 chunks with extensions is one order, and its key the same without them",
    async ({ plain, broken }) => {
      const split = (body) =>
        `5;a=b\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)};c="d"\r\n${body.slice(5)}\r\n0\r\n\r\n`;
      const result = await plain.speak(chunkedOrder(plain, "chunk-extension-1", split), { waitMs: 1500 });
      const again = await plain.order("chunk-extension-1");
      const first = result.first?.status === 201 ? JSON.parse(result.first.text).id : null;
      const isSame = first === null ? again.status === 201 : again.json?.id === first;
      if (!isSame) broken(`${brief(result)}, then ${again.status} ${again.text.slice(0, 80)}`);
    },
  ],
  [
    "splitting: folded headers, bare CR and LF, NUL and other control characters in headers",
    refuses({
      "obs-fold": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, "X-A: b\r\n c"),
      "fold of Authorization": (door) =>
        `GET /v1/whoami HTTP/1.1\r\nHost: ${door.host}\r\nAuthorization: Bearer\r\n ${door.key}\r\n\r\n`,
      "bare LF everywhere": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`).replaceAll("\r\n", "\n"),
      "bare LF in a header": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, "X-A: b\nX-B: c"),
      "bare CR in a header": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, "X-A: b\rX-B: c"),
      "NUL in a value": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, "X-A: b\0c"),
      "NUL in a name": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, "X-\0A: b"),
      "space before the first header": (door) => whoami(door, "/v1/whoami", ` X: y`, `Host: ${door.host}`),
      "a header without a colon": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, "nonsense"),
      "an empty name": (door) => whoami(door, "/v1/whoami", `Host: ${door.host}`, ": value"),
      "space before the colon": (door) => whoami(door, "/v1/whoami", `Host : ${door.host}`),
    }),
  ],
  [
    "splitting: line ends in path, query and headers never become a header of the answer",
    async ({ plain, broken }) => {
      const mark = "X-Thief";
      for (const target of [
        `/%0d%0a${mark}:1`,
        `/v1/orders/%0d%0a${mark}:1`,
        `/docs?a=%0d%0a${mark}:1`,
        `/v1/orders?status=%0a${mark}:1`,
      ]) {
        const result = await plain.speak(whoami(plain, target, `Host: ${plain.host}`));
        if (result.answers.some((answer) => answer.header("x-thief") !== null)) broken(`${target}: ${brief(result)}`);
      }
    },
  ],
  [
    "targets: absolute form of another host, authority form, and what is no path",
    refuses({
      "absolute, foreign": (door) => whoami(door, "http://evil.example/v1/whoami", "Host: evil.example"),
      "absolute ours, Host foreign": (door) => whoami(door, `http://${door.host}/v1/whoami`, "Host: evil.example"),
      "absolute with a user": (door) =>
        whoami(door, `http://${door.host}@evil.example/v1/whoami`, "Host: evil.example"),
      "scheme ftp": (door) => whoami(door, `ftp://${door.host}/v1/whoami`, `Host: evil.example`),
      authority: (door) => whoami(door, "evil.example:443", `Host: ${door.host}`),
      CONNECT: (door) => whoami(door, "evil.example:443", `Host: ${door.host}`).replace("GET", "CONNECT"),
      asterisk: (door) => whoami(door, "*", `Host: ${door.host}`),
      "no slash": (door) => whoami(door, "v1/whoami", `Host: ${door.host}`),
      "two spaces": (door) => whoami(door, " /v1/whoami", `Host: ${door.host}`),
      "a space in it": (door) => whoami(door, "/v1/whoami /x", `Host: ${door.host}`),
    }),
  ],
  [
    "versions: HTTP/0.9, 1.0, 1.2, 2.0, an HTTP/2 preface, upgrades",
    async (context) => {
      const { plain, broken } = context;
      const preface = Buffer.concat([
        Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
      ]);
      const key = `Authorization: Bearer ${plain.key}`;
      const rows = {
        0.9: "GET /healthz\r\n\r\n",
        "1.0 without Host": `GET /v1/whoami HTTP/1.0\r\n${key}\r\n\r\n`,
        "1.1 without Host": `GET /v1/whoami HTTP/1.1\r\n${key}\r\n\r\n`,
        "two Hosts": `GET /v1/whoami HTTP/1.1\r\nHost: ${plain.host}\r\nHost: evil.example\r\n${key}\r\n\r\n`,
        "two Hosts, ours last": `GET /v1/whoami HTTP/1.1\r\nHost: evil.example\r\nHost: ${plain.host}\r\n${key}\r\n\r\n`,
        "2.0": `GET /v1/whoami HTTP/2.0\r\nHost: ${plain.host}\r\n${key}\r\n\r\n`,
        11.1: `GET /v1/whoami HTTP/11.1\r\nHost: ${plain.host}\r\n${key}\r\n\r\n`,
        lower: `GET /v1/whoami http/1.1\r\nHost: ${plain.host}\r\n${key}\r\n\r\n`,
        "HTTP/2 preface": preface,
      };
      for (const [name, bytes] of Object.entries(rows)) {
        const result = await plain.speak(bytes, { waitMs: 600 });
        if (result.answers.some((answer) => answer.status < 300) || /"status":"ok"/.test(result.bytes))
          broken(`${name}: ${brief(result)}`);
      }
      for (const lines of [
        ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"],
        [
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ],
      ]) {
        const result = await plain.speak(plain.head("GET", "/v1/events", [key, ...lines]), {
          waitMs: 500,
          quietMs: 100,
        });
        if (result.answers.some((answer) => answer.status === 101)) broken(`${lines[1]}: ${brief(result)}`);
      }
    },
  ],
  [
    "pipelining: 1,000 requests in one piece are answered in their order, each its own",
    async ({ plain, broken, figure }) => {
      const key = `Authorization: Bearer ${plain.key}`;
      let bytes = "";
      for (let index = 0; index < 1000; index += 1)
        bytes += index % 2 === 0 ? plain.head("GET", "/v1/whoami", [key]) : plain.head("GET", `/nowhere-${index}`);
      const startedAt = Date.now();
      const result = await plain.speak(bytes, { count: 1000, waitMs: 15_000 });
      const statuses = result.answers.map((answer) => answer.status);
      const wrong = statuses.findIndex((status, index) => status !== (index % 2 === 0 ? 200 : 404));
      if (wrong >= 0) broken(`answer ${wrong} is ${statuses[wrong]}`);
      if (statuses.length !== 1000 && !result.isClosed) broken(`${statuses.length} answers and left open`);
      const ids = new Set(result.answers.map((answer) => answer.header("x-request-id")));
      if (ids.size !== result.answers.length) broken("a request id came twice");
      figure(`${statuses.length} answers in ${Date.now() - startedAt} ms`);
    },
  ],
  [
    "pipelining: a key in one request does nothing for the next one on the connection",
    async ({ plain, broken }) => {
      const key = `Authorization: Bearer ${plain.key}`;
      const bytes = [plain.head("GET", "/v1/orders", [key]), plain.head("GET", "/v1/orders")].join("").repeat(10);
      const { answers } = await plain.speak(bytes, { count: 20, waitMs: 4000 });
      const wrong = answers.findIndex((answer, index) => answer.status !== (index % 2 === 0 ? 200 : 401));
      if (wrong >= 0 || answers.length !== 20)
        broken(`${answers.length} answers, number ${wrong} is ${answers[wrong]?.status}`);
    },
  ],
  [
    "pipelining: 20 orders in one piece, whatever is answered of them, are one order for each key",
    async ({ plain, broken, figure }) => {
      const before = await plain.executedCount();
      const body = JSON.stringify(plain.orderBody());
      const lines = (index) => [
        `Authorization: Bearer ${plain.key}`,
        `Idempotency-Key: pipelined-${index}`,
        `Content-Length: ${body.length}`,
      ];
      const bytes = Array.from({ length: 20 }, (_, index) => post(plain, lines(index), body)).join("");
      const result = await plain.speak(bytes, { count: 20, waitMs: 4000 });
      const first = new Map(result.answers.map((answer, index) => [index, JSON.parse(answer.text).id]));
      for (let index = 0; index < 20; index += 1) {
        const again = await plain.order(`pipelined-${index}`);
        if (again.status >= 300) broken(`pipelined-${index}: ${again.status} ${again.code}`);
        if (first.has(index) && first.get(index) !== again.json.id) broken(`answer ${index} is another's`);
      }
      const after = await plain.executedCount();
      if (after - before !== 20) broken(`${after - before} orders for 20 keys`);
      figure(`${result.answers.length} of 20 answered at once${result.isClosed ? ", then closed" : ""}`);
    },
  ],
  [
    "half requests: 300 heads and bodies that never end are closed, and orders go on meanwhile",
    async ({ plain, broken, figure }) => {
      const from = "127.8.0.1";
      const key = `Authorization: Bearer ${plain.key}`;
      const halves = [
        `GET /v1/whoami HTTP/1.1\r\nHost: ${plain.host}\r\nX-A: `,
        `${post(plain, [key, "Idempotency-Key: half-request-1", "Content-Length: 500"], '{"account":')}`,
        `${post(plain, [key, "Idempotency-Key: half-request-2", "Transfer-Encoding: chunked"], "ff\r\n{")}`,
      ];
      const sockets = await newlyOpen(plain, 300, { from });
      for (const [index, socket] of sockets.entries()) socket.write(halves[index % 3]);
      const startedAt = Date.now();
      const order = await plain.order("beside-half-requests");
      if (order.status !== 201) broken(`an order beside them: ${order.status} ${order.code}`);
      while (sockets.some((socket) => !socket.destroyed) && Date.now() - startedAt < 22_000) await sleep(100);
      const left = sockets.filter((socket) => !socket.destroyed).length;
      if (left > 0) broken(`${left} of 300 are open after 22 s`);
      figure(`order ${order.ms.toFixed(0)} ms, all closed after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
      for (const socket of sockets) socket.destroy();
      for (const id of ["half-request-1", "half-request-2"]) {
        const again = await plain.order(id, { size: "0.002" });
        if (again.status !== 201) broken(`${id}: ${again.status} ${again.code}: the half was taken`);
      }
    },
  ],
  [
    "order cut off: 40 clients that leave before the answer, then ask again: one order each",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      const body = JSON.stringify(plain.orderBody());
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const [socket] = await newlyOpen(plain, 1, {});
          const lines = [
            `Authorization: Bearer ${plain.key}`,
            `Idempotency-Key: cut-off-${index}`,
            `Content-Length: ${body.length}`,
          ];
          socket.write(post(plain, lines, body));
          await sleep(index % 8);
          socket.resetAndDestroy();
        }),
      );
      const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => plain.order(`cut-off-${index}`)));
      const after = await plain.executedCount();
      const bad = answers.find((answer) => answer.status !== 201 && answer.status !== 200);
      if (bad) broken(`${bad.status} ${bad.code}`);
      if (after - before !== 40) broken(`${after - before} orders for 40 keys`);
    },
  ],
];
