// Bytes to the door and back, with nothing in between that would mend them.
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every byte that any door ever answered, for the search for secrets at the end. */
export const told = [];

export const open = ({ port, isTls, from, servername = "localhost", ...more }) =>
  new Promise((resolve, reject) => {
    const place = { host: "127.0.0.1", port, localAddress: from };
    const socket = isTls ? connectTls({ ...place, servername, rejectUnauthorized: false, ...more }) : connect(place);
    socket.setNoDelay(true);
    socket.once(isTls ? "secureConnect" : "connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("error", reject);
  });

const unchunk = (bytes) => {
  const parts = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf("\r\n", at);
    if (end < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (bytes.length < end + 2 + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(parts), length: end + 4 };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
};

/** The answers in a stream of bytes, as a strict client reads them. */
export const readAnswers = (bytes, isHead = false) => {
  const answers = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return { answers, rest };
    const [line, ...fields] = rest.toString("latin1", 0, end).split("\r\n");
    const headers = fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    });
    const header = (name) => headers.find(([known]) => known === name)?.[1] ?? null;
    const answer = { line, status: Number(line.split(" ")[1]), headers, header, text: "", isWhole: true };
    rest = rest.subarray(end + 4);
    const length = Number(header("content-length") ?? 0);
    if (header("transfer-encoding") === "chunked") {
      const whole = unchunk(rest);
      answer.isWhole = whole !== null;
      answer.text = (whole?.body ?? rest).toString("utf8");
      rest = rest.subarray(whole?.length ?? rest.length);
    } else if (!isHead && answer.status >= 200) {
      answer.isWhole = rest.length >= length;
      answer.text = rest.toString("utf8", 0, Math.min(length, rest.length));
      rest = rest.subarray(Math.min(length, rest.length));
    }
    answers.push(answer);
  }
};

/**
 * Sends pieces over one connection and tells all that came back: until the door closes, until it has been quiet for
 * `quietMs` after `count` whole answers, or until `waitMs` have passed.
 */
export const speak = async (door, pieces, { count = 1, quietMs = 60, waitMs = 2500, isHead, pauseMs = 15 } = {}) => {
  const socket = await open(door);
  const parts = [];
  let isClosed = false;
  let lastAt = Date.now();
  socket.on("data", (part) => {
    parts.push(part);
    lastAt = Date.now();
  });
  socket.on("close", () => {
    isClosed = true;
  });
  const list = Array.isArray(pieces) ? pieces : [pieces];
  for (const [index, piece] of list.entries()) {
    if (index > 0) await sleep(pauseMs);
    if (!socket.destroyed) socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
  }
  const end = Date.now() + waitMs;
  while (!isClosed && Date.now() < end) {
    await sleep(5);
    if (Date.now() - lastAt < quietMs) continue;
    const { answers } = readAnswers(Buffer.concat(parts), isHead);
    if (answers.filter((answer) => answer.isWhole && answer.status >= 200).length >= count) break;
  }
  socket.destroy();
  const bytes = Buffer.concat(parts);
  told.push(bytes.toString("utf8").slice(0, 20_000));
  const { answers, rest } = readAnswers(bytes, isHead);
  return { answers, first: answers[0] ?? null, isClosed, bytes, rest };
};

export const codeOf = (answer) => {
  try {
    return JSON.parse(answer.text).error.code;
  } catch {
    return null;
  }
};

export const brief = ({ answers, isClosed, rest }) =>
  `${answers.map((answer) => `${answer.status} ${codeOf(answer) ?? answer.text.slice(0, 60)}`).join(" | ") || "nothing"}${
    rest.length > 0 ? ` + ${rest.length} bytes` : ""
  }${isClosed ? ", closed" : ""}`;

/** Many connections at once, those that the door took. */
export const newlyOpen = async (door, count, { from, atOnce = 100, ...more } = {}) => {
  const sockets = [];
  for (let at = 0; at < count; at += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - at) }, () =>
      open({ port: door.port, isTls: door.isTls, from, ...more }).catch(() => null),
    );
    for (const socket of await Promise.all(some)) {
      if (socket === null) continue;
      socket.on("data", (part) => {
        socket.heard = (socket.heard ?? "") + (socket.heard?.length > 4000 ? "" : part.toString("latin1"));
      });
      sockets.push(socket);
    }
  }
  return sockets;
};
