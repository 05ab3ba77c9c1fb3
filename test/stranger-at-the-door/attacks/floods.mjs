// Many at once, slowly, and for nothing: what an order costs meanwhile.
import { newAddress } from "../door.mjs";
import { newlyOpen, sleep } from "../raw.mjs";

const percentile = (list, share) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];

let count = 0;
/** Orders, one after the other, and what each took. */
const orders = async (door, wanted = 60) => {
  const times = [];
  const failures = [];
  for (let index = 0; index < wanted; index += 1) {
    count += 1;
    const answer = await door.order(`flood-order-${count}`);
    if (answer.status === 201) times.push(answer.ms);
    else failures.push(`${answer.status} ${answer.code}`);
    await sleep(5);
  }
  return { times, failures, p50: percentile(times, 0.5) ?? Number.NaN, p99: percentile(times, 0.99) ?? Number.NaN };
};

/** Orders before and beside an attack; none may fail and the median may not pass `limitMs`. */
const beside = async (context, attack, { limitMs = 150, door = context.plain } = {}) => {
  const before = await orders(door, 40);
  const end = await attack();
  const during = await orders(door);
  const health = await door.ask("GET", "/healthz", { key: null, from: newAddress(), timeoutMs: 5000 });
  if (health.status !== 200) context.broken(`a newcomer's /healthz: ${health.status} ${health.code}`);
  if (during.failures.length > 0) context.broken(`${during.failures.length} of 60 orders: ${during.failures[0]}`);
  if (!(during.p50 <= limitMs)) context.broken(`an order takes ${during.p50.toFixed(0)} ms at the median`);
  context.figure(
    `order p50 ${before.p50.toFixed(1)} to ${during.p50.toFixed(1)} ms, p99 ${before.p99.toFixed(0)} to ${during.p99.toFixed(0)} ms`,
  );
  await end?.();
};

const closeAll = (sockets) => {
  for (const socket of sockets) socket.destroy();
};

/** How many are open once no more are closed, or after 3 s. */
const settled = async (sockets, wanted) => {
  const end = Date.now() + 3000;
  const count = () => sockets.filter((socket) => !socket.destroyed).length;
  while (count() > wanted && Date.now() < end) await sleep(50);
  return count();
};

const trickle = (sockets, write, everyMs) => {
  const timer = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write(write);
  }, everyMs);
  return () => {
    clearInterval(timer);
    closeAll(sockets);
  };
};

export const floods = [
  [
    "3,000 idle connections from one address: at most 1,024 stay, and orders go on",
    (context) =>
      beside(context, async () => {
        const sockets = await newlyOpen(context.plain, 3000, { from: "127.9.0.1" });
        const left = await settled(sockets, 1024);
        if (left > 1024) context.broken(`${left} are open`);
        context.figure(`${sockets.length} opened, ${left} stay`);
        return () => closeAll(sockets);
      }),
  ],
  [
    "3,000 idle connections from 300 addresses: at most 2,048 stay, and orders go on",
    (context) =>
      beside(context, async () => {
        const sockets = [];
        for (let index = 0; index < 300; index += 1)
          sockets.push(
            ...(await newlyOpen(context.plain, 10, { from: `127.10.${index % 3}.${1 + Math.floor(index / 3)}` })),
          );
        const left = await settled(sockets, 2048);
        if (left > 2048) context.broken(`${left} are open`);
        context.figure(`${sockets.length} opened, ${left} stay`);
        return () => closeAll(sockets);
      }),
  ],
  [
    "slowloris: 1,000 heads, a byte every 200 ms",
    (context) =>
      beside(context, async () => {
        const sockets = await newlyOpen(context.plain, 1000, { from: "127.9.0.2" });
        for (const socket of sockets) socket.write(`GET /v1/whoami HTTP/1.1\r\nHost: ${context.plain.host}\r\nX-A: `);
        return trickle(sockets, "a", 200);
      }),
  ],
  [
    "slow bodies: 1,000 orders of 60,000 bytes, a byte every 200 ms, with a valid key",
    (context) =>
      beside(context, async () => {
        const sockets = await newlyOpen(context.plain, 1000, { from: "127.9.0.3" });
        const lines = [
          `Authorization: Bearer ${context.plain.key}`,
          "Content-Type: application/json",
          "Idempotency-Key: slow-body-1",
          "Content-Length: 60000",
        ];
        for (const socket of sockets) socket.write(context.plain.head("POST", "/v1/orders", lines));
        return trickle(sockets, " ", 200);
      }),
  ],
  ...[1, 20].map((addressCount) => [
    `slow bodies without a key: 1,000 of them, from ${addressCount === 1 ? "one address" : `${addressCount} addresses`}`,
    (context) =>
      beside(context, async () => {
        const sockets = [];
        for (let index = 0; index < addressCount; index += 1)
          sockets.push(
            ...(await newlyOpen(context.plain, 1000 / addressCount, { from: `127.14.${addressCount}.${index + 1}` })),
          );
        const lines = ["Content-Type: application/json", "Content-Length: 2000"];
        for (const [index, socket] of sockets.entries())
          socket.write(context.plain.head("POST", index % 10 === 0 ? "/v1/orders" : "/v1/api-keys", lines));
        const end = trickle(sockets, " ", 200);
        return () => {
          const refused = sockets.filter((socket) => /too_many_connections/.test(socket.heard ?? "")).length;
          const closed = sockets.filter((socket) => socket.destroyed).length;
          context.figure(`${refused} given up, ${closed} closed`);
          end();
        };
      }),
  ]),
  [
    "readers that never read: 200 connections that ask 100 times for the description and take nothing",
    (context) =>
      beside(context, async () => {
        const before = context.plain.residentMib();
        const sockets = await newlyOpen(context.plain, 200, { from: "127.9.0.4" });
        for (const socket of sockets) {
          socket.pause();
          socket.write(context.plain.head("GET", "/openapi.json").repeat(100));
        }
        await sleep(2500);
        const grown = context.plain.residentMib() - before;
        if (grown > 400) context.broken(`the process grew by ${grown.toFixed(0)} MiB`);
        context.figure(`${grown.toFixed(0)} MiB more`);
        return async () => {
          closeAll(sockets);
          await sleep(500);
        };
      }),
  ],
  [
    "churn: connections that are opened and reset for 2 s, as fast as two hundred hands can",
    (context) =>
      beside(context, async () => {
        let isOn = true;
        let opened = 0;
        const hand = async (index) => {
          while (isOn) {
            for (const socket of await newlyOpen(context.plain, 1, { from: `127.11.0.${1 + (index % 200)}` }))
              socket.resetAndDestroy();
            opened += 1;
            await sleep(20);
          }
        };
        const hands = Array.from({ length: 200 }, (_, index) => hand(index));
        await sleep(1000);
        return async () => {
          isOn = false;
          await Promise.all(hands);
          context.figure(`${opened} connections`);
        };
      }),
  ],
  [
    "noise: 16 connections that ask without a key, as fast as they are answered",
    (context) =>
      beside(context, async () => {
        let isOn = true;
        let asked = 0;
        const one = context.plain.head("GET", "/v1/orders?limit=500", [
          "Authorization: Bearer api_trade_wrong",
          `Accept-Encoding: a${" ".repeat(14_000)}b`,
        ]);
        const sockets = await newlyOpen(context.plain, 16, { from: "127.9.0.6" });
        for (const socket of sockets) {
          socket.on("data", () => {
            asked += 1;
            if (isOn) socket.write(one);
          });
          socket.write(one);
        }
        return () => {
          isOn = false;
          closeAll(sockets);
          context.figure(`${asked} answers meanwhile`);
        };
      }),
  ],
  [
    "half handshakes: 800 connections to the TLS port that never say hello, or half of it",
    async (context) => {
      const { tls } = context;
      const sockets = await newlyOpen({ port: tls.port }, 800, { from: "127.9.0.7" });
      for (const [index, socket] of sockets.entries())
        if (index % 2 === 0) socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
      await sleep(1200);
      const answers = [];
      for (let index = 0; index < 10; index += 1) {
        answers.push(await tls.order(`half-handshake-${index}`));
        await sleep(120);
      }
      const bad = answers.find((answer) => answer.status !== 201);
      if (bad) context.broken(`an order: ${bad.status} ${bad.code}`);
      const fresh = await tls.ask("GET", "/healthz", { key: null, from: newAddress(), timeoutMs: 5000 });
      if (fresh.status !== 200) context.broken(`a newcomer: ${fresh.status} ${fresh.code}`);
      const startedAt = Date.now();
      while (sockets.some((socket) => !socket.destroyed) && Date.now() - startedAt < 20_000) await sleep(100);
      const left = sockets.filter((socket) => !socket.destroyed).length;
      if (left > 0) context.broken(`${left} of 800 are open after 20 s`);
      context.figure(
        `order ${percentile(
          answers.map((answer) => answer.ms),
          0.5,
        ).toFixed(
          0,
        )} ms; newcomer ${fresh.ms.toFixed(0)} ms; all closed after ${((Date.now() - startedAt) / 1000 + 1.2).toFixed(0)} s`,
      );
      closeAll(sockets);
    },
  ],
];

const streamHead = (door, key, ...lines) => door.head("GET", "/v1/events", [`Authorization: Bearer ${key}`, ...lines]);

export const streams = [
  [
    "Last-Event-ID: what is no id, ids of the future and of others",
    async ({ plain, broken }) => {
      const key = `Authorization: Bearer ${plain.key}`;
      const ids = [
        "-1",
        "1e9",
        "abc",
        "NaN",
        "0x10",
        "9".repeat(15_000),
        "99999999999999999999",
        "1 2",
        "1,2",
        "\xff",
        "' OR 1=1--",
        "٣",
        "1.5",
        "+1",
        "00",
        "1\x0b",
      ];
      for (const id of ids) {
        const result = await plain.speak(plain.head("GET", "/v1/events?follow=false", [key, `Last-Event-ID: ${id}`]), {
          waitMs: 1500,
        });
        const isReset = result.first?.status === 200 && /event: reset/.test(result.first.text);
        if (!result.isClosed && !isReset && !(result.first?.status >= 400))
          broken(`${id.slice(0, 20)}: ${result.first?.status} ${result.first?.text.slice(0, 100)}`);
      }
      const twice = await plain.speak(
        plain.head("GET", "/v1/events?follow=false", [key, "Last-Event-ID: 1", "Last-Event-ID: 2"]),
      );
      if (!(twice.first?.status >= 400) && !/event: reset/.test(twice.first?.text))
        broken(`twice: ${twice.first?.status} ${twice.first?.text.slice(0, 80)}`);
      const future = await plain.ask("GET", "/v1/events?follow=false&after=9999999999999999", {});
      if (!/event: reset/.test(future.text) && future.status !== 400)
        broken(`from the future: ${future.status} ${future.text.slice(0, 200)}`);
      const all = await plain.ask("GET", "/v1/events?follow=false", { headers: { "Last-Event-ID": "0" } });
      const accounts = new Set([...all.text.matchAll(/"account":"([^"]+)"/g)].map((match) => match[1]));
      if (accounts.size !== 1 || !accounts.has(plain.account))
        broken(`accounts in the stream: ${[...accounts].join(", ")}`);
    },
  ],
  [
    "forging: what a client sends cannot make an event or a line of one",
    async ({ plain, broken }) => {
      for (const id of ["forge-\\n\\nevent:-x", "forge-data:{}event:order"]) await plain.order(id);
      const all = await plain.ask("GET", "/v1/events?follow=false&after=0");
      const bad = all.text.split("\n").find((line) => line !== "" && !/^(id|event|data|retry): |^:/.test(line));
      if (bad !== undefined) broken(`a line: ${bad.slice(0, 80)}`);
    },
  ],
  [
    "a reader's key opens 1,500 streams: another key's orders go on",
    async (context) => {
      const { plain } = context;
      const reader = (await plain.grant({ scopes: ["trading:read"] })).key;
      await beside(context, async () => {
        const sockets = await newlyOpen(plain, 1500, { from: "127.9.0.8" });
        for (const socket of sockets) socket.write(streamHead(plain, reader));
        await sleep(1000);
        const opened = sockets.filter((socket) => /event: ready/.test(socket.heard ?? "")).length;
        context.figure(`${opened} streams`);
        return () => closeAll(sockets);
      });
    },
  ],
  [
    "1,500 streams from 15 addresses, none of which reads: orders go on, memory stays",
    async (context) => {
      const { plain } = context;
      const reader = (await plain.grant({ scopes: ["trading:read"] })).key;
      const before = plain.residentMib();
      await beside(context, async () => {
        const sockets = [];
        for (let index = 0; index < 15; index += 1)
          sockets.push(...(await newlyOpen(plain, 100, { from: `127.12.0.${index + 1}` })));
        for (const socket of sockets) {
          socket.pause();
          socket.write(plain.head("GET", "/v1/events?after=0", [`Authorization: Bearer ${reader}`]));
        }
        await sleep(1500);
        return () => {
          const grown = plain.residentMib() - before;
          if (grown > 400) context.broken(`the process grew by ${grown.toFixed(0)} MiB`);
          context.figure(`${grown.toFixed(0)} MiB more`);
          closeAll(sockets);
        };
      });
    },
  ],
];
