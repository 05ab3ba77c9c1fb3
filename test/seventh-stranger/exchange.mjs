// The exchange over HTTP and websocket on a free port of loopback, and the fate of each request.
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { WebSocketServer } from "ws";
import { execute } from "./acts.mjs";
import { sleep } from "./codec.mjs";
import { follow } from "./frames.mjs";
import { info } from "./views.mjs";

const HTML =
  "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.26.2</center></body></html>";

/** Fates of an `/exchange` request. `runs`: before the answer, never, or `late` (seconds after it). */
const FATES = {
  ok: { runs: true },
  lost: { runs: true, answer: "cut" },
  lostBefore: { runs: false, answer: "cut" },
  htmlAfter: { runs: true, status: 200, html: true },
  htmlBefore: { runs: false, status: 200, html: true },
  badGateway: { runs: true, status: 502, html: true },
  badGatewayBefore: { runs: false, status: 502, html: true },
  badGatewayLate: { runs: "late", status: 502, html: true },
  cutLate: { runs: "late", answer: "cut" },
  limited: { runs: true, status: 429, text: "null" },
  limitedBefore: { runs: false, status: 429, text: "null" },
  truncated: { runs: true, answer: "truncated" },
  slow: { runs: true, answer: "slow" },
  endless: { runs: true, answer: "endless" },
  trickled: { runs: true, answer: "trickled" },
  gzip: { runs: true, answer: "gzip" },
  huge: { runs: true, answer: "huge" },
  redirect: { runs: true, answer: "redirect" },
  htmlType: { runs: true, answer: "htmlType" },
  noCloid: { runs: true, answer: "noCloid" },
  twice: { runs: true, answer: "twice" },
  otherShape: { runs: true, answer: "otherShape" },
  fewer: { runs: true, answer: "fewer" },
  more: { runs: true, answer: "more" },
  swapped: { runs: true, answer: "swapped" },
  foreign: { runs: true, answer: "foreign" },
};
export const FATE_NAMES = Object.keys(FATES);

export async function startExchange(chain, servers, draw) {
  const state = {
    draw,
    chain,
    servers,
    fate: () => "ok",
    infoFate: () => null,
    unknown: new Set(),
    sockets: new Set(),
    control: { mute: false },
    requests: 0,
    sent: [],
    asked: [],
  };
  const http = createServer((request, response) => {
    const chunks = [];
    request.on("data", (c) => chunks.push(c));
    request.on("end", () => {
      serve(state, request, response, Buffer.concat(chunks).toString("utf8")).catch((error) => {
        state.unknown.add(`crash ${error.stack}`);
        response.destroy();
      });
    });
  });
  const sockets = new WebSocketServer({ server: http, path: "/ws" });
  sockets.on("connection", (socket) => {
    state.sockets.add(socket);
    socket.on("close", () => state.sockets.delete(socket));
    follow(chain, socket, servers.any(), state.control);
  });
  await new Promise((done) => http.listen(0, "127.0.0.1", done));
  state.url = `http://127.0.0.1:${http.address().port}`;
  state.close = () => {
    for (const socket of state.sockets) socket.terminate();
    http.closeAllConnections();
    http.close();
  };
  return state;
}

async function serve(state, request, response, raw) {
  state.requests += 1;
  let body;
  try {
    body = JSON.parse(raw);
  } catch {
    return reply(response, 400, "Failed to parse the request body as JSON");
  }
  if (request.url === "/info") return answerInfo(state, body, response);
  if (request.url !== "/exchange") return reply(response, 404, "");
  return answerAction(state, body, response);
}

async function answerInfo(state, body, response) {
  const { draw } = state;
  const fate = state.infoFate(body);
  await sleep(draw.between(1, 20));
  if (fate === "cut") return response.destroy();
  if (fate === "html") return reply(response, 200, HTML, "text/html");
  if (fate === "badGateway") return reply(response, 502, HTML, "text/html");
  if (fate === "truncated") return reply(response, 200, '{"status":"ord', "application/json");
  const found = info(state.chain, body, state.servers.any());
  if (found === undefined) {
    state.unknown.add(body.type);
    return reply(response, 422, "Failed to deserialize the JSON body into the target type");
  }
  state.asked.push({ t: Date.now(), type: body.type, user: body.user, weight: weightOf(body.type, found) });
  return reply(response, 200, JSON.stringify(found), "application/json");
}

const LIGHT = ["l2Book", "allMids", "clearinghouseState", "orderStatus", "spotClearinghouseState", "exchangeStatus"];

/** What the exchange counts for a question, by PROTOCOL 9. */
function weightOf(type, found) {
  if (LIGHT.includes(type)) return 2;
  if (type === "userRole") return 60;
  return 20 + (/Fills|history|historical|Ledger|Funding/i.test(type) ? Math.floor((found?.length ?? 0) / 20) : 0);
}

function reply(response, status, textBody, type = "text/plain; charset=utf-8") {
  response.writeHead(status, { "Content-Type": type, Server: "nginx/1.26.2" });
  response.end(textBody);
}

async function answerAction(state, envelope, response) {
  const { draw } = state;
  const chosen = envelope.action?.type === "approveAgent" ? "ok" : state.fate(envelope);
  const fate = FATES[chosen.name ?? chosen];
  const seconds = chosen.seconds ?? draw.between(3, 9);
  state.sent.push({
    t: Date.now(),
    type: envelope.action?.type,
    vault: envelope.vaultAddress ?? null,
    nonce: envelope.nonce,
    fate: chosen.name ?? chosen,
    envelope,
  });
  await sleep(draw.between(5, 40));
  let result = null;
  if (fate.runs === true) result = await execute(state.chain, envelope);
  if (fate.runs === "late") setTimeout(() => void execute(state.chain, envelope), seconds * 1000);
  if (fate.answer === "twice") result = await execute(state.chain, envelope);
  if (fate.html) return reply(response, fate.status, HTML, "text/html");
  if (fate.text) return reply(response, fate.status, fate.text, "application/json");
  if (fate.answer === "cut") return response.destroy();
  if (result?.http === 422) return reply(response, 422, "Failed to deserialize the JSON body into the target type");
  return deliver(response, fate, result, seconds);
}

async function deliver(response, fate, result, seconds) {
  const body = JSON.stringify(bent(result, fate.answer));
  const json = { "Content-Type": "application/json" };
  switch (fate.answer) {
    case "truncated":
      response.writeHead(200, json);
      return response.end(body.slice(0, Math.floor(body.length * 0.6)));
    case "slow":
      await sleep(seconds * 1000);
      return reply(response, 200, body, "application/json");
    case "endless":
      return endless(response, body);
    case "trickled":
      response.writeHead(200, json);
      for (const character of body) {
        response.write(character);
        await sleep(10);
      }
      return response.end();
    case "huge":
      return reply(response, 200, `${body}${" ".repeat(3_000_000)}`, "application/json");
    case "redirect":
      response.writeHead(307, { Location: "/exchange" });
      return response.end();
    case "htmlType":
      return reply(response, 200, body, "text/html");
    case "gzip":
      response.writeHead(200, { ...json, "Content-Encoding": "gzip" });
      return response.end(gzipSync(body));
    default:
      return reply(response, 200, body, "application/json");
  }
}

/** The whole answer and then blanks for ever, until the client lets go. */
function endless(response, body) {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.write(body);
  const timer = setInterval(() => response.write(" "), 200);
  response.on("close", () => clearInterval(timer));
}

/** An answer that is not the one of what was sent: of another shape, length or order. */
function bent(result, how) {
  if (how === "otherShape") return { status: "ok", response: { type: "default" } };
  const statuses = result?.response?.data?.statuses;
  if (!Array.isArray(statuses)) return result;
  const other = (list) => ({ ...result, response: { ...result.response, data: { statuses: list } } });
  if (how === "fewer") return other(statuses.slice(0, -1));
  if (how === "more") return other([...statuses, statuses[0]]);
  if (how === "swapped") return other([...statuses].reverse());
  if (how === "noCloid")
    return other(
      statuses.map((s) =>
        s.resting ? { resting: { oid: s.resting.oid } } : s.filled ? { filled: { ...s.filled, cloid: undefined } } : s,
      ),
    );
  if (how === "foreign")
    return other(
      statuses.map((s) => (s.resting ? { resting: { oid: s.resting.oid + 7, cloid: `0x${"ab".repeat(16)}` } } : s)),
    );
  return result;
}
