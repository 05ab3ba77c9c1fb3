// The door: bytes that no client sends, and bodies that say what nobody means. Whatever is not 2xx has placed nothing.
import { connect } from "node:net";
import { fresh } from "./lab.mjs";

function bytes(lab, text, withinMs = 4000) {
  return new Promise((resolve) => {
    const socket = connect(lab.port, "127.0.0.1");
    let heard = "";
    socket.on("data", (part) => {
      heard += part;
      if (heard.includes("\r\n\r\n")) setTimeout(() => socket.destroy(), 200);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(Number(heard.split(" ")[1] ?? 0)));
    socket.write(text);
    setTimeout(() => socket.destroy(), withinMs);
  });
}

function messages(lab) {
  const host = `Host: 127.0.0.1:${lab.port}\r\n`;
  const auth = `Authorization: Bearer ${lab.plain}\r\n`;
  const body = JSON.stringify({ account: lab.account, market: "BTC", side: "buy", size: "0.001", price: "60000" });
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const post = (more, sent = body) =>
    `POST /v1/orders HTTP/1.1\r\n${host}${auth}Content-Type: application/json\r\n${more}\r\n${sent}`;
  const get = (path, more = "", version = "1.1") => `GET ${path} HTTP/${version}\r\n${host}${auth}${more}\r\n`;
  const name = () => `Idempotency-Key: ${fresh("door")}\r\n`;
  return [
    ["a key twice", 400, post(`${name()}${name()}${length}`)],
    ["two keys in one header", 400, post(`Idempotency-Key: first-name, other-name\r\n${length}`)],
    ["a key of 10 kB", 400, post(`Idempotency-Key: ${"k".repeat(10_000)}\r\n${length}`)],
    [
      "a key with a letter beyond ASCII",
      400,
      Buffer.from(post(`Idempotency-Key: l\xe4tin-0001\r\n${length}`), "latin1"),
    ],
    ["a key of blanks", 400, post(`Idempotency-Key:         \r\n${length}`)],
    ["two authorizations", 401, post(`${name()}${auth}${length}`)],
    ["two lengths", 400, post(`${name()}${length}Content-Length: 3\r\n`)],
    ["length and chunks", 400, post(`${name()}${length}Transfer-Encoding: chunked\r\n`, chunk)],
    [
      "a chunk that is longer than said",
      400,
      post(`${name()}Transfer-Encoding: chunked\r\n`, `5\r\n${body}\r\n0\r\n\r\n`),
    ],
    ["an unknown coding", 400, post(`${name()}Transfer-Encoding: gzip, chunked\r\n`, chunk)],
    ["a length with a sign", 400, post(`${name()}Content-Length: +${Buffer.byteLength(body)}\r\n`)],
    ["a body of another coding", 400, post(`${name()}Content-Encoding: gzip\r\n${length}`)],
    [
      "a byte that is no UTF-8",
      400,
      Buffer.concat([Buffer.from(post(`${name()}Content-Length: 3\r\n`, "{")), Buffer.from([0xff, 0x7d])]),
    ],
    ["a byte order mark", 400, post(`${name()}Content-Length: ${Buffer.byteLength(body) + 3}\r\n`, `\ufeff${body}`)],
    ["another host", 403, `GET /v1/whoami HTTP/1.1\r\nHost: evil.example\r\n${auth}\r\n`],
    ["two hosts", 403, `GET /v1/whoami HTTP/1.1\r\n${host}Host: evil.example\r\n${auth}\r\n`],
    ["no host", 400, `GET /v1/whoami HTTP/1.1\r\n${auth}\r\n`],
    ["a folded header", 400, `GET /v1/whoami HTTP/1.1\r\n${host}Authorization: Bearer\r\n ${lab.plain}\r\n\r\n`],
    ["an escaped route", 404, get("/v1/%77hoami")],
    ["a broken escape", 404, get("/v1/markets/%zz")],
    ["a path with a nul", 404, get("/v1/markets/BTC%00")],
    ["headers of 20 kB", 400, get("/v1/whoami", `X-A: ${"a".repeat(20_000)}\r\n`)],
    ["headers of 70 kB", 431, get("/v1/whoami", `X-A: ${"a".repeat(70_000)}\r\n`)],
    ["HTTP/2.0 in words", 505, get("/v1/whoami", "", "2.0")],
    ["HTTP/1.0, of which the documents say 505", 505, get("/v1/whoami", "", "1.0")],
    [
      "another method by a header",
      200,
      get("/v1/orders", "X-HTTP-Method-Override: POST\r\nX-Original-URL: /v1/stop\r\n"),
    ],
  ];
}

const SIZES = [
  "-0",
  "+0.001",
  "1e-3",
  "1e400",
  "0x1",
  ".001",
  " 0.001",
  "0,001",
  "00.001",
  "0.",
  "Infinity",
  "",
  "-0.001",
  "9".repeat(400),
];

function bodies(lab) {
  const order = { account: lab.account, market: "BTC", side: "buy", size: "0.001", price: "60000" };
  const all = SIZES.map((size) => JSON.stringify({ ...order, size }));
  const text = JSON.stringify(order);
  all.push(
    text.replace('"0.001"', "0.001"),
    text.replace('"market"', '"market":"ETH","market"'),
    text.replace('"market"', '"m\\u0061rket":"ETH","market"'),
  );
  all.push(
    `[${text}]`,
    "null",
    "",
    `${text}{}`,
    `${text}//`,
    "[".repeat(30_000) + "]".repeat(30_000),
    text.replace("{", '{"__proto__":{},'),
  );
  all.push(
    JSON.stringify({ ...order, market: "btc" }),
    JSON.stringify({ ...order, side: "Buy" }),
    JSON.stringify({ ...order, x: 1 }),
    text.replace('"BTC"', '"\\ud800"'),
  );
  return all;
}

export async function door(report, lab) {
  lab.settings = { POSTERN_LIMIT_ORDERS: "0", POSTERN_LIMIT_READS: "0" };
  await lab.start();
  for (const [what, status, message] of messages(lab)) {
    const got = await bytes(lab, message);
    report.say(`${what} is ${status}`, got === status, `${got}`, what.includes("1.0") ? "low" : "high");
  }
  for (const body of bodies(lab)) {
    const answer = await lab.ask("POST", "/v1/orders", { key: lab.plain, body, name: fresh() });
    report.say(`${body.slice(0, 90)} is refused`, answer.status === 400, answer.text, "high");
  }
  for (const query of [
    "since=2026-11-29T00:00:00%2B02:00",
    "since=2026-02-30",
    "since=1",
    "limit=0",
    "limit=1e1",
    "limit=05",
    "cursor=%00",
    "status=OPEN",
    "nope=1",
    "since=a&since=b",
  ]) {
    const answer = await lab.get(`/v1/orders?${query}`);
    report.say(`?${query} is refused`, answer.status === 400, answer.text);
  }
  const { history } = await lab.atExchange();
  report.say("none of it has placed anything", history.length === 0, history, "critical");
}
