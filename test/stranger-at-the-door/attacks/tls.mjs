// The own TLS of the gateway: old versions, weak ciphers, other names, plain text, and a certificate that changes.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, writeFileSync } from "node:fs";
import { connect } from "node:tls";
import { makeCertificate } from "../door.mjs";
import { brief, open, sleep, speak } from "../raw.mjs";

const u16 = (value) => Buffer.from([value >> 8, value & 255]);
const block = (bytes) => Buffer.concat([u16(bytes.length), bytes]);
const extension = (type, bytes) => Buffer.concat([u16(type), block(bytes)]);

/** A ClientHello by hand: today's libraries would rather not ask for what is asked for here. */
const hello = (version, ciphers, more = []) => {
  const groups = extension(10, block(Buffer.concat([0x1d, 0x17, 0x18].map(u16))));
  const algorithms = extension(13, block(Buffer.concat([0x0403, 0x0804, 0x0401, 0x0203, 0x0201].map(u16))));
  const points = extension(11, Buffer.from([1, 0]));
  const body = Buffer.concat([
    u16(version),
    randomBytes(32),
    Buffer.from([0]),
    block(Buffer.concat(ciphers.map(u16))),
    Buffer.from([1, 0]),
    block(Buffer.concat([groups, algorithms, points, ...more])),
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), block(body)]);
  return Buffer.concat([Buffer.from([0x16, 3, 1]), block(message)]);
};

/** `null` when the door would not talk; otherwise version and cipher that it chose. */
const chosen = async (door, bytes) => {
  const { bytes: answer } = await speak({ port: door.port }, bytes, { waitMs: 400, quietMs: 60 });
  if (answer[0] !== 0x16 || answer[5] !== 2) return null;
  const cipherAt = 44 + answer[43];
  return { version: answer.readUInt16BE(9), cipher: answer.readUInt16BE(cipherAt) };
};

const GOOD = [0xc02b, 0xc02c, 0xcca9, 0xc02f, 0xc030, 0xcca8];
const CBC = [
  0xc009, 0xc00a, 0xc023, 0xc024, 0xc013, 0xc014, 0xc027, 0xc028, 0xc008, 0xc012, 0x002f, 0x0035, 0x003c, 0x003d,
  0x0033, 0x0039, 0x0067, 0x006b,
];
const BAD = [
  0x0000, 0x0001, 0x0002, 0x0003, 0x0004, 0x0005, 0x000a, 0xc006, 0xc007, 0xc011, 0x0018, 0x001b, 0x0034, 0xc015,
  0xc018, 0xc019, 0x009c, 0x009d, 0x008c, 0xc0ac, 0xc0ae,
];

const fingerprint = async (door) => {
  const socket = await open({ port: door.port, isTls: true });
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
};

const openssl = (args, input, waitMs = 1500) =>
  new Promise((resolve) => {
    const child = spawn("openssl", args, { stdio: ["pipe", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part));
    child.stdin.on("error", () => {});
    child.stdin.write(input);
    const timer = setTimeout(() => child.kill(), waitMs);
    child.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  });

export const tls = [
  [
    "versions: SSL 3, TLS 1.0 and 1.1 get no hello back, with any cipher",
    async ({ tls: door, broken }) => {
      if ((await chosen(door, hello(0x0303, GOOD)))?.version !== 0x0303)
        broken("the hello by hand is not even good for TLS 1.2");
      for (const version of [0x0300, 0x0301, 0x0302, 0x0200])
        for (const ciphers of [GOOD, CBC, BAD]) {
          const answer = await chosen(door, hello(version, [...ciphers, 0x5600]));
          if (answer !== null) broken(`${version.toString(16)}: ${JSON.stringify(answer)}`);
        }
    },
  ],
  [
    "ciphers: CBC, NULL, anonymous, export, RC4, 3DES, CCM and key exchange by RSA are refused, each alone",
    async ({ tls: door, broken, figure }) => {
      for (const cipher of [...CBC, ...BAD]) {
        const answer = await chosen(door, hello(0x0303, [cipher]));
        if (answer !== null) broken(`${cipher.toString(16)} was taken`);
      }
      const best = await chosen(door, hello(0x0303, [...CBC, ...BAD, GOOD[0]]));
      if (best?.cipher !== GOOD[0]) broken(`of all together ${best?.cipher.toString(16)} was chosen`);
      figure(`${CBC.length + BAD.length} ciphers`);
    },
  ],
  [
    "early data: no ticket lets an order be sent twice (0-RTT)",
    async ({ tls: door, broken, figure }) => {
      const text = await openssl(
        ["s_client", "-connect", door.host, "-servername", "localhost", "-tls1_3"],
        door.head("GET", "/healthz"),
      );
      const early = [...text.matchAll(/Max Early Data: (\d+)/g)].map((match) => Number(match[1]));
      if (early.some((bytes) => bytes > 0)) broken(`tickets allow ${early.join(", ")} bytes`);
      if (!/TLSv1.3/.test(text) || !/HTTP\/1.1 200/.test(text)) broken(`no answer over TLS 1.3: ${text.slice(-200)}`);
      figure(`${early.length} tickets`);
    },
  ],
  [
    "renegotiation: a client may not ask for it",
    async ({ tls: door, broken }) => {
      const socket = await open({ port: door.port, isTls: true, maxVersion: "TLSv1.2" });
      const result = await new Promise((resolve) => {
        socket.on("error", () => resolve("refused"));
        socket.on("close", () => resolve("refused"));
        setTimeout(() => resolve("ignored"), 1500);
        socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error ? "refused" : "done"));
      });
      socket.destroy();
      if (result === "done") broken("it was renegotiated");
    },
  ],
  [
    "names: another SNI shows no more than ours, and no Host of another is answered",
    async ({ tls: door, broken }) => {
      for (const servername of ["evil.example", "xn--nxasmq6b.example", `${"a".repeat(63)}.example`]) {
        const result = await speak(
          { port: door.port, isTls: true, servername },
          `GET /v1/whoami HTTP/1.1\r\nHost: ${servername}\r\nAuthorization: Bearer ${door.key}\r\n\r\n`,
        );
        if (result.answers.some((answer) => answer.status < 400)) broken(`${servername}: ${brief(result)}`);
      }
    },
  ],
  [
    "protocols: HTTP/2 or something else by ALPN is nothing that is spoken",
    async ({ tls: door, broken }) => {
      for (const ALPNProtocols of [["h2"], ["spdy/3"], ["h2", "http/1.1"], ["postgresql"]]) {
        const socket = await open({ port: door.port, isTls: true, ALPNProtocols }).catch(() => null);
        if (socket === null) continue;
        if (socket.alpnProtocol && socket.alpnProtocol !== "http/1.1")
          broken(`${ALPNProtocols}: ${socket.alpnProtocol}`);
        socket.destroy();
      }
    },
  ],
  [
    "plain text on the TLS port, and TLS on the plain one, are answered with nothing that tells",
    async ({ tls: door, plain, broken }) => {
      const key = `Authorization: Bearer ${door.key}`;
      for (const bytes of [
        door.head("GET", "/healthz"),
        door.head("GET", "/v1/whoami", [key]),
        "\x80\x2e\x01\x00\x02",
        "SSH-2.0-x\r\n",
        randomBytes(4000),
      ]) {
        const result = await speak({ port: door.port }, bytes, { waitMs: 500 });
        if (result.answers.some((answer) => answer.status < 400) || result.bytes.includes("account"))
          broken(`${brief(result)}`);
      }
      const other = await speak({ port: plain.port }, hello(0x0303, GOOD), { waitMs: 500 });
      if (other.answers.some((answer) => answer.status < 400)) broken(`TLS on the plain port: ${brief(other)}`);
    },
  ],
  [
    "inside TLS: smuggling, foreign hosts and wrong keys are refused as outside",
    async ({ tls: door, broken }) => {
      const rows = {
        "CL.TE": `POST /v1/orders HTTP/1.1\r\nHost: ${door.host}\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${door.head("GET", "/healthz")}`,
        "foreign Host": `GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
        "foreign Origin": door.head("GET", "/v1/whoami", [
          `Authorization: Bearer ${door.key}`,
          "Origin: https://evil.example",
        ]),
        "plain Host of the plain port": `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
        "no key": door.head("GET", "/v1/account"),
      };
      for (const [name, bytes] of Object.entries(rows)) {
        const result = await door.speak(bytes, { waitMs: 800 });
        if (result.answers.some((answer) => answer.status < 400)) broken(`${name}: ${brief(result)}`);
      }
      const own = await door.speak(door.head("GET", "/healthz"));
      if (!/max-age=31536000/.test(own.first?.header("strict-transport-security") ?? ""))
        broken("no Strict-Transport-Security");
    },
  ],
  [
    "SIGHUP while connected: what is open goes on, newcomers see the new certificate, broken files change nothing",
    async ({ tls: door, broken, figure }) => {
      const [stream, kept] = await Promise.all([
        open({ port: door.port, isTls: true }),
        open({ port: door.port, isTls: true }),
      ]);
      const heard = { stream: "", kept: "" };
      stream.on("data", (part) => (heard.stream += part));
      kept.on("data", (part) => (heard.kept += part));
      stream.write(door.head("GET", "/v1/events", [`Authorization: Bearer ${door.key}`]));
      await sleep(300);
      const before = await fingerprint(door);
      const next = makeCertificate(door.home, "second");
      copyFileSync(next.key, door.files.key);
      copyFileSync(next.certificate, door.files.certificate);
      process.kill(door.pid, "SIGHUP");
      const startedAt = Date.now();
      let after = before;
      while (after === before && Date.now() - startedAt < 5000) {
        await sleep(30);
        after = await fingerprint(door).catch(() => before);
      }
      if (after === before) broken("newcomers see the old certificate after 5 s");
      figure(`new certificate after ${Date.now() - startedAt} ms`);
      await sleep(1000);
      kept.write(door.head("GET", "/healthz"));
      const order = await door.order("beside-sighup-1");
      await sleep(300);
      if (order.status !== 201) broken(`an order: ${order.status} ${order.code}`);
      if (!heard.kept.includes("200 OK")) broken("a connection of before is answered no more");
      if (stream.destroyed || !heard.stream.includes(order.json?.id))
        broken("a stream of before tells nothing of the order");
      for (const text of [
        "",
        "no certificate at all",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      ]) {
        writeFileSync(door.files.certificate, text);
        process.kill(door.pid, "SIGHUP");
        await sleep(250);
        if ((await fingerprint(door).catch(() => "none")) !== after)
          broken(`after a broken file (${text.slice(0, 20)}) the certificate is another`);
      }
      for (let index = 0; index < 30; index += 1) process.kill(door.pid, "SIGHUP");
      await sleep(200);
      if (!door.isAlive || (await fingerprint(door).catch(() => "none")) !== after)
        broken("thirty SIGHUPs changed something");
      stream.destroy();
      kept.destroy();
    },
  ],
  [
    "garbage: broken records, alerts and torn connections in the midst of TLS leave it as it was",
    async ({ tls: door, broken }) => {
      for (let index = 0; index < 40; index += 1) {
        const socket = await open({ port: door.port });
        socket.write(Buffer.concat([hello(0x0303, GOOD).subarray(0, 30 + index * 3), randomBytes(200)]));
        await sleep(2);
        socket.resetAndDestroy();
      }
      await new Promise((resolve) => {
        const socket = connect(
          { host: "127.0.0.1", port: door.port, rejectUnauthorized: false, servername: "localhost" },
          () => {
            socket._handle?.close?.();
            resolve();
          },
        );
        socket.on("error", resolve);
      });
      const answer = await door.ask("GET", "/healthz", { key: null, from: "127.9.0.77" });
      if (answer.status !== 200) broken(`${answer.status} ${answer.code}`);
    },
  ],
];
