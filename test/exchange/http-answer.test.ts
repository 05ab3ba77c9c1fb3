import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AnswerReading, MAX_HEAD_BYTES, readAnswer } from "../../src/exchange/http-answer.ts";

function read(text: string): unknown {
  const reading = readAnswer(Buffer.from(text, "latin1"));
  return reading.kind === "whole" ? told(reading) : reading.kind;
}

function told({ httpStatus, body, isLast }: Extract<AnswerReading, { kind: "whole" }>): string {
  return `${httpStatus} ${Buffer.from(body).toString("latin1")}${isLast ? " last" : ""}`;
}

const OK = "HTTP/1.1 200 OK\r\n";

/** What the server sends, and what is read. */
// biome-ignore format: a table is read by its columns
const WHOLE: readonly [sent: string, reading: string][] = [
  [`${OK}Content-Length: 2\r\n\r\n{}`, "200 {}"],
  [`${OK}content-LENGTH:2\r\n\r\n{}`, "200 {}"],
  [`${OK}Content-Length:  2 \t\r\n\r\n{}`, "200 {}"],
  [`${OK}Content-Length: 0\r\n\r\n`, "200 "],
  ["HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}", "200 {}"],
  ["HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 2\r\n\r\n{}", "422 {}"],
  ["HTTP/1.1 307 Temporary Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "307 "],
  ["HTTP/1.1 204 No Content\r\n\r\n", "204  last"],
  ["HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n", "204  last"],
  [`${OK}Content-Length: 2\r\nConnection: close\r\n\r\n{}`, "200 {} last"],
  [`${OK}Content-Length: 2\r\nConnection: X-Hop , Close\r\n\r\n{}`, "200 {} last"],
  [`${OK}Content-Length: 2\r\nConnection: keep-alive\r\n\r\n{}`, "200 {}"],
  ["HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", "200 {} last"],
  ["HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}", "200 {} last"],
  [`${OK}Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}`, "200 {}"],
  [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}Content-Length: 2\r\n\r\n{}`, "200 {}"],
  [`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, "200 {}"],
  [`${OK}Transfer-Encoding: Chunked\r\n\r\n1\r\n{\r\n00A;name=value\r\n0123456789\r\n1 ; x\r\n}\r\n000\r\n\r\n`, "200 {0123456789}"],
  [`${OK}Transfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n`, "200 \r\n\r\n"],
  // Something stands behind it: the answer is whole, the connection is not to be used again.
  [`${OK}Content-Length: 2\r\n\r\n{}}`, "200 {} last"],
  [`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${OK}`, "200  last"],
];

test("an answer is read by its length, its chunks or its status, and says whether another may follow", () => {
  for (const [sent, reading] of WHOLE) expect([sent, read(sent)]).toEqual([sent, reading]);
});

/** Nothing that another reader could have read otherwise is taken for an answer. */
const UNREADABLE = [
  // Its end could not be told from a cut.
  `${OK}Server: x\r\n\r\n{"a":1}`,
  "HTTP/1.0 200 OK\r\n\r\n{}",
  "220 mail.example.org ESMTP\r\n\r\n",
  "HTTP/2 200\r\n\r\n",
  "HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\n{}",
  "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
  "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}",
  "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
  "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\n{}",
  "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
  "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(9)}${OK}Content-Length: 2\r\n\r\n{}`,
  `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}`,
  `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  `${OK}Content-Length: 2, 2\r\n\r\n{}`,
  `${OK}Content-Length: +2\r\n\r\n{}`,
  // A space to JavaScript, not to HTTP.
  `${OK}Content-Length: 2\xa0\r\n\r\n{}`,
  `${OK}Transfer-Encoding: chunked\xa0\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Content-Length: -2\r\n\r\n{}`,
  `${OK}Content-Length: 0x2\r\n\r\n{}`,
  `${OK}Content-Length: 2.0\r\n\r\n{}`,
  `${OK}Content-Length: \r\n\r\n{}`,
  `${OK}Content-Length: 9999999999999999\r\n\r\n{}`,
  `${OK}Content-Length : 2\r\n\r\n{}`,
  `${OK} Content-Length: 2\r\n\r\n{}`,
  `${OK}Content-Length: 2\r\n folded\r\n\r\n{}`,
  `${OK}Content-Length: 2\nX: y\r\n\r\n{}`,
  `${OK}Content-Length: 2\rX: y\r\n\r\n{}`,
  `${OK}X: \0\r\nContent-Length: 2\r\n\r\n{}`,
  `${OK}no field\r\nContent-Length: 2\r\n\r\n{}`,
  `${OK}: nameless\r\nContent-Length: 2\r\n\r\n{}`,
  `${OK}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: identity\r\n\r\n{}`,
  `${OK}Transfer-Encoding:\r\n\r\n{}`,
  "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  `${OK}Transfer-Encoding: chunked\r\n\r\n{}\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n12345678\r\n{}`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(300)}\r\n{}\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n${"x".repeat(300)}`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(1_024)}0\r\n\r\n`,
  `${OK}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
  `${OK}Content-Encoding: identity\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}`,
];

test("what breaks the rules of HTTP, is coded, or has two lengths, is not read at all", () => {
  for (const sent of UNREADABLE) {
    expect([sent, read(sent)]).toEqual([sent, "unreadable"]);
  }
});

test("a head may have 16 KiB and not one byte more, whether or not its end is there", () => {
  const start = `${OK}Content-Length: 2\r\nX: `;
  const head = start + "x".repeat(MAX_HEAD_BYTES - start.length);
  expect(read(`${head}\r\n\r\n{}`)).toBe("200 {}");
  for (const cut of ["", "\r", "\r\n", "\r\n\r"]) expect(read(head + cut)).toBe("incomplete");
  expect(read(`${head}x\r\n\r\n{}`)).toBe("unreadable");
  expect(read(`${head}xxxx`)).toBe("unreadable");
});

test("any part of a whole answer asks for more bytes than it has, and never for more than the answer has", () => {
  for (const [sent] of WHOLE.slice(0, -2)) {
    for (let size = 0; size < sent.length; size += 1) {
      const reading = readAnswer(Buffer.from(sent.slice(0, size), "latin1"));
      if (reading.kind !== "incomplete") throw new Error(`${JSON.stringify(sent.slice(0, size))} is ${reading.kind}`);
      expect(reading.atLeast).toBeGreaterThan(size);
      expect(reading.atLeast).toBeLessThanOrEqual(sent.length);
    }
  }
});

test("any bytes at all are read without an exception", () => {
  const parts = [
    OK,
    "HTTP/1.0 200\r\n",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "\r\n",
    "3\r\n",
    "abc",
    "0\r\n\r\n",
  ];
  const piece = fc.oneof(fc.constantFrom(...parts), fc.string({ unit: "binary", maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(["whole", "incomplete", "unreadable"]).toContain(readAnswer(Buffer.from(pieces.join(""))).kind);
    }),
    { numRuns: 2_000 },
  );
});
