// The exchange as a server: `/info`, `/exchange`, `/ws`.
import { createServer } from "node:http";
import { carryOut } from "./actions.mjs";
import { serveFeed } from "./feed.mjs";
import { answer } from "./reads.mjs";
import { approverOf, signerOf } from "./sign.mjs";
import { Venue } from "./twaps.mjs";

function body(request) {
  return new Promise((resolve) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => resolve(Buffer.concat(parts).toString()));
  });
}

function send(response, status, value) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

async function exchange(venue, sent) {
  const { action, nonce, signature } = sent;
  if (action.type === "approveAgent") {
    const owner = await approverOf(action, signature);
    if (owner !== venue.user)
      return { status: "err", response: `Must deposit before performing actions. User: ${owner}` };
    const [name, until] = (action.agentName ?? "").split(" valid_until ");
    venue.agents.set(action.agentAddress.toLowerCase(), {
      name,
      validUntil: Number(until ?? Date.now() + 90 * 86400000),
    });
    return { status: "ok", response: { type: "default" } };
  }
  const signer = await signerOf(sent, false);
  if (!venue.agents.has(signer)) return { status: "err", response: `User or API Wallet ${signer} does not exist.` };
  if (venue.nonces.has(nonce)) return { status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` };
  venue.nonces.add(nonce);
  if (sent.expiresAfter && sent.expiresAfter < venue.now())
    return { status: "err", response: "Action already expired" };
  // All of one action is of one block, so of one time; no two blocks are of the same.
  venue.block = Math.max(Date.now(), (venue.lastBlock ?? 0) + 1);
  venue.lastBlock = venue.block;
  const result = carryOut(venue, action);
  venue.snap();
  venue.block = null;
  venue.actions.push({ t: venue.now(), action, result });
  return result;
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function handle(venue, request, response) {
  const text = await body(request);
  let sent;
  try {
    sent = JSON.parse(text);
  } catch {
    response.writeHead(400, { "Content-Type": "text/plain" });
    return response.end("Failed to parse the request body as JSON");
  }
  if (request.url === "/info") {
    const shown = answer(venue, sent);
    if (shown === undefined) {
      venue.notModelled.add(sent.type);
      response.writeHead(422, { "Content-Type": "text/plain" });
      return response.end("Failed to deserialize the JSON body into the target type");
    }
    return send(response, 200, shown);
  }
  const fault = venue.fault?.(sent.action) ?? null;
  if (fault?.kind === "never") return request.socket.destroy();
  if (fault?.before) await wait(fault.before);
  const result = await exchange(venue, sent);
  if (fault?.kind === "lost") return request.socket.destroy();
  if (fault?.after) await wait(fault.after);
  return send(response, 200, result);
}

export async function openVenue(user) {
  const venue = new Venue(user.toLowerCase());
  venue.agents = new Map();
  venue.nonces = new Set();
  venue.asked = new Map();
  venue.notModelled = new Set();
  venue.lagOf = () => 0;
  venue.feedLag = () => 0;
  const server = createServer((request, response) => {
    handle(venue, request, response).catch((error) => {
      venue.faults = [...(venue.faults ?? []), String(error.stack)];
      send(response, 500, null);
    });
  });
  const feed = serveFeed(venue, server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  venue.url = `http://127.0.0.1:${server.address().port}`;
  venue.dropFeeds = () => {
    for (const { socket } of feed.connections) socket.terminate();
  };
  venue.end = () => {
    venue.dropFeeds();
    server.closeAllConnections();
    server.close();
  };
  return venue;
}
