/** S40: the way to the exchange. */
import { type Break, inFile } from "./break.ts";

const EVERY_WAY = {
  test: "test/exchange/every-way.test.ts",
  title: "a certificate that is not the exchange's is refused on every way to it",
};
const NOT_SENT = {
  test: "test/exchange/transport.test.ts",
  title: "a TLS stream that breaks after the request has arrived is unknown, a refused certificate is not_sent",
};
const ENVIRONMENT = {
  test: "test/exchange/connections.test.ts",
  title: "proxies and a switched-off certificate check in the environment have no effect",
};
const CUT_OFF = { test: "test/exchange/http.test.ts", title: "an info answer may have 3 MiB, and 17 MiB are cut off" };
const ACTION_CUT = { test: "test/exchange/line.test.ts", title: "an answer over the limit is unknown" };
const NOT_READ = {
  test: "test/exchange/http-answer.test.ts",
  title: "what breaks the rules of HTTP, is coded, or has two lengths, is not read at all",
};
const HEAD = { test: "test/exchange/http-answer.test.ts", title: "a head may have 16 KiB and not one byte more" };
const NO_REDIRECT = { test: "test/exchange/every-way.test.ts", title: "a redirect is followed nowhere" };
const IN_THE_CLEAR = {
  test: "test/exchange/line.test.ts",
  title: "only an address that says http is spoken to in the clear",
};
const HOLE = {
  test: "test/wire/answer/orders.test.ts",
  title: "with one row that cannot be read are unreadable: a list with a hole",
};
const TOTAL = { test: "test/wire/answer/total.test.ts", title: "gives an answer for any value at all" };

export const EXCHANGE_BREAKS: readonly Break[] = [
  {
    row: "S40",
    name: "the certificate of reads is not checked",
    changes: inFile(
      "src/exchange/transport.ts",
      "tls: { rejectUnauthorized: true }",
      "tls: { rejectUnauthorized: false }",
    ),
    seenBy: EVERY_WAY,
  },
  {
    row: "S40",
    name: "the certificate of reads is checked as the environment says",
    changes: inFile("src/exchange/transport.ts", "    tls: { rejectUnauthorized: true },\n", ""),
    seenBy: EVERY_WAY,
  },
  {
    row: "S40",
    name: "the host name of reads is not checked",
    changes: inFile(
      "src/exchange/transport.ts",
      "tls: { rejectUnauthorized: true }",
      "tls: { rejectUnauthorized: true, checkServerIdentity: () => undefined }",
    ),
    seenBy: EVERY_WAY,
  },
  {
    row: "S40",
    name: "the certificate of the websocket is not checked",
    changes: inFile(
      "src/exchange/socket.ts",
      "{ tls: { rejectUnauthorized: true } }",
      "{ tls: { rejectUnauthorized: false } }",
    ),
    seenBy: EVERY_WAY,
  },
  {
    row: "S40",
    name: "the certificate of the websocket is checked as the environment says",
    changes: inFile(
      "src/exchange/socket.ts",
      "new WebSocket(url, { tls: { rejectUnauthorized: true } })",
      "new WebSocket(url)",
    ),
    seenBy: EVERY_WAY,
  },
  {
    row: "S40",
    name: "the certificate of orders is not checked",
    changes: [
      {
        file: "src/exchange/line.ts",
        find: "const secure = { rejectUnauthorized: true,",
        put: "const secure = { rejectUnauthorized: false,",
      },
      {
        file: "src/exchange/line.ts",
        find: "if (!isVerified || error !== null || !socket.authorized) this",
        put: 'if (socket.remoteAddress === "") this',
      },
    ],
    seenBy: EVERY_WAY,
  },
  {
    row: "S40",
    name: "a handshake that found a fault goes on",
    changes: inFile(
      "src/exchange/line.ts",
      "if (!isVerified || error !== null || !socket.authorized) this",
      "if (!isVerified && error === null) this",
    ),
    seenBy: NOT_SENT,
  },
  {
    row: "S40",
    name: "an old TLS is spoken",
    changes: [
      {
        file: "src/exchange/line.ts",
        find: 'const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"];',
        put: 'const TLS_VERSIONS = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];',
      },
      {
        file: "src/exchange/line.ts",
        find: "const secure = { rejectUnauthorized: true,",
        put: 'const secure = { minVersion: "TLSv1", rejectUnauthorized: true,',
      },
    ],
    seenBy: NOT_SENT,
  },
  {
    row: "S40",
    name: "proxies of the environment are used",
    changes: inFile("src/exchange/transport.ts", "    proxy: false,\n", ""),
    seenBy: ENVIRONMENT,
  },
  {
    row: "S40",
    name: "a proxy holds every read",
    changes: inFile(
      "src/exchange/transport.ts",
      "    proxy: false,\n",
      '    ...(process.env["HTTPS_PROXY"] === undefined ? { proxy: false } : { proxy: process.env["HTTPS_PROXY"] }),\n',
    ),
    seenBy: ENVIRONMENT,
  },
  {
    row: "S40",
    name: "a read may have any length",
    changes: inFile(
      "src/exchange/http.ts",
      "const MAX_INFO_ANSWER_BYTES = 16 * 1024 * 1024;",
      "const MAX_INFO_ANSWER_BYTES = 1024 * 1024 * 1024;",
    ),
    seenBy: CUT_OFF,
  },
  {
    row: "S40",
    name: "a body is read to its end, however long",
    changes: inFile("src/exchange/post.ts", "if (byteCount > maxBytes) {", "if (byteCount > maxBytes * 2) {"),
    seenBy: CUT_OFF,
  },
  {
    row: "S40",
    name: "an answer to an order may have any length",
    changes: [
      {
        file: "src/exchange/line.ts",
        find: "if (asked.receivedBytes > asked.maxAnswerBytes + MAX_HEAD_BYTES) this.#break(tooLarge(asked));\n    else if",
        put: "if",
      },
      {
        file: "src/exchange/line.ts",
        find: "    else if (reading.body.length > asked.maxAnswerBytes) this.#break(tooLarge(asked));\n",
        put: "",
      },
    ],
    seenBy: ACTION_CUT,
  },
  {
    row: "S40",
    name: "reads follow redirects",
    changes: inFile("src/exchange/post.ts", '      redirect: "manual",', '      redirect: "follow" as "manual",'),
    seenBy: NO_REDIRECT,
  },
  {
    row: "S40",
    name: "reads follow redirects in turn",
    changes: inFile(
      "src/exchange/transport.ts",
      "return session.fetch(url, isSingle ? { ...init, keepalive: false } : init);",
      'return session.fetch(url, isSingle ? { ...init, keepalive: false } : { ...init, redirect: "follow" });',
    ),
    seenBy: NO_REDIRECT,
  },
  {
    row: "S40",
    name: "reads on new connections follow redirects",
    changes: inFile(
      "src/exchange/transport.ts",
      "{ ...init, keepalive: false } : init",
      '{ ...init, keepalive: false, redirect: "follow" } : init',
    ),
    seenBy: NO_REDIRECT,
  },
  {
    row: "S40",
    name: "a redirect is an answer",
    changes: inFile(
      "src/exchange/post.ts",
      "return httpStatus >= 300 && httpStatus < 400;",
      "return httpStatus >= 400 && httpStatus < 400;",
    ),
    seenBy: NO_REDIRECT,
  },
  {
    row: "S40",
    name: "two lengths are read by the first",
    changes: inFile("src/exchange/http-answer.ts", "if (lengths.length > 1 || (length", "if ((length"),
    seenBy: NOT_READ,
  },
  {
    row: "S40",
    name: "a length beside chunks is passed over",
    changes: inFile(
      "src/exchange/http-answer.ts",
      "if (!isChunked || lengths.length > 0 || minor",
      "if (!isChunked || minor",
    ),
    seenBy: NOT_READ,
  },
  {
    row: "S40",
    name: "a coded answer is read as it is",
    changes: inFile(
      "src/exchange/http-answer.ts",
      'if (coding.some((value) => value.toLowerCase() !== "identity")) return',
      'if (coding.some((value) => value === "")) return',
    ),
    seenBy: NOT_READ,
  },
  {
    row: "S40",
    name: "a folded header is read",
    changes: inFile(
      "src/exchange/http-answer.ts",
      "    if (name === undefined || value === undefined) return null;",
      "    if (/^[ \\t]/.test(line)) continue;\n    if (name === undefined || value === undefined) return null;",
    ),
    seenBy: NOT_READ,
  },
  {
    row: "S40",
    name: "a head may have any length",
    changes: [
      {
        file: "src/exchange/http-answer.ts",
        find: "const head = end - start > MAX_HEAD_BYTES ? null : readHead",
        put: "const head = end < start ? null : readHead",
      },
      {
        file: "src/exchange/http-answer.ts",
        find: "return bytes.length - start > MAX_HEAD_BYTES + 3 ? MALFORMED : incomplete(bytes.length + 1);",
        put: "return incomplete(bytes.length + 1);",
      },
    ],
    seenBy: HEAD,
  },
  {
    row: "S40",
    name: "whatever is not https is spoken to in the clear",
    changes: inFile(
      "src/exchange/transport.ts",
      'const isSecure = protocol !== "http:";',
      'const isSecure = protocol === "https:" && hostname !== "api.hyperliquid.xyz";',
    ),
    seenBy: IN_THE_CLEAR,
  },
  {
    row: "S40",
    name: "a row that cannot be read is left out of its list",
    changes: inFile(
      "src/wire/answer/read.ts",
      "return value.map((item: unknown) => row(item));",
      "return value.flatMap((item: unknown) => orNull(() => row(item)) ?? []);",
    ),
    seenBy: HOLE,
  },
  {
    row: "S40",
    name: "an exception of a reader leaves its parser",
    changes: inFile(
      "src/wire/answer/read.ts",
      "  } catch {\n    return null;\n  }",
      '  } catch (error) {\n    if (String(error).includes("unreadable")) return null;\n    throw error;\n  }',
    ),
    seenBy: TOTAL,
  },
];
