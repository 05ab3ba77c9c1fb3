/** Servers that answer a first request well, and 30 ms later spoil its connection; prints their names and URLs. */
import { createServer, type Socket } from "node:net";
import { httpAnswer, listen } from "./raw-server.ts";

const SPOILS_AFTER_MS = 30;

const SPOILING: readonly [what: string, spoil: (socket: Socket) => void][] = [
  ["an answer too many", (socket) => socket.write(httpAnswer(`"stray"`))],
  ["the end", (socket) => socket.end()],
  ["a reset", (socket) => socket.resetAndDestroy()],
];

const urls = SPOILING.map(async ([what, spoil]) => {
  let isFirst = true;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      socket.write(httpAnswer(`"${data.toString("latin1").slice(-1)}"`));
      if (isFirst) setTimeout(() => spoil(socket), SPOILS_AFTER_MS);
      isFirst = false;
    });
  });
  return [what, `http://127.0.0.1:${await listen(server)}`];
});
console.log(JSON.stringify(await Promise.all(urls)));
