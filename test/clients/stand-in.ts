/** Stands in the place of a gateway: answers as a scene says, and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Reply, Scene } from "./scene.ts";

export type StandIn = { url: string; asked: string[]; close(): void };

const STREAM = "/v1/events";
/** The runtime of a client may give up what it has not read yet when a connection breaks. */
const BEFORE_A_CUT_MS = 1_000;

export async function openStandIn({ replies }: Pick<Scene, "replies">): Promise<StandIn> {
  const streams = replies.filter(isOfStream(replies));
  const others = replies.filter((reply) => !streams.includes(reply));
  const asked: string[] = [];
  const keys: string[] = [];
  const server = createServer((request, response) => {
    // A runtime asks again by itself where a connection that was kept breaks: that is no try of the client's.
    response.setHeader("Connection", "close");
    request.resume().on("end", () => {
      asked.push(wordsOf(request, keys));
      const reply = (request.url?.startsWith(STREAM) === true ? streams : others).shift();
      void give(response, reply ?? { status: 500, body: { error: { code: "not_in_the_scene", message: "" } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port and not on a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Of a scene with streams every reply is for one, but those of lists, which read the state. */
function isOfStream(replies: readonly Reply[]): (reply: Reply) => boolean {
  const hasStreams = replies.some((reply) => "stream" in reply);
  return (reply) => hasStreams && !isOfState(reply);
}

function isOfState(reply: Reply): boolean {
  return "body" in reply && (reply.status === 200 || JSON.stringify(reply.body).includes("storage_unavailable"));
}

function wordsOf({ method, url = "", headers }: IncomingMessage, keys: string[]): string {
  const key = headers["idempotency-key"];
  const place = headers["last-event-id"];
  if (typeof key === "string" && !keys.includes(key) && key.length === 32) keys.push(key);
  const letter = typeof key === "string" && keys.includes(key) ? String.fromCharCode(65 + keys.indexOf(key)) : key;
  const bearer = headers.authorization === "Bearer api_trade_test" ? [] : ["without its API key"];
  return [method, url, letter ?? place, ...bearer].filter((word) => word !== undefined).join(" ");
}

async function give(response: ServerResponse, reply: Reply): Promise<void> {
  if ("cut" in reply) return void response.socket?.destroy();
  if ("html" in reply) return void response.writeHead(reply.html, { "Content-Type": "text/html" }).end("<p>Oh</p>");
  if ("stream" in reply) return giveStream(response, reply);
  const wait = reply.retryAfterS === undefined ? {} : { "Retry-After": String(reply.retryAfterS) };
  response.writeHead(reply.status, { "Content-Type": "application/json", ...wait }).end(JSON.stringify(reply.body));
}

async function giveStream(response: ServerResponse, reply: Extract<Reply, { stream: unknown }>): Promise<void> {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const bytes = Buffer.from(reply.stream.join(""));
  const pieces = reply.isInBytes === true ? [...bytes].map((byte) => Buffer.of(byte)) : reply.stream;
  for (const piece of pieces) await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  if (reply.ends === "whole") response.end();
  if (reply.ends === "cut") setTimeout(() => response.socket?.destroy(), BEFORE_A_CUT_MS);
}
