// Stands between the gateway and the simulated exchange: writes down every signed action that passes, and may lose or hold answers.
import { createServer } from "node:http";
import WebSocket, { WebSocketServer } from "ws";

export async function startWitness(target) {
  const witness = { actions: [], fate: null, down: false, url: "", close: null };
  const server = createServer((request, response) => {
    pass(witness, target, request, response).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({ server, path: "/ws" });
  sockets.on("connection", (client) => join(client, target));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  witness.url = `http://127.0.0.1:${server.address().port}`;
  witness.close = () => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  };
  return witness;
}

async function pass(witness, target, request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  if (witness.down) return response.destroy();
  let record = null;
  if (request.url === "/exchange") {
    const { action, nonce } = JSON.parse(body);
    record = { at: Date.now(), kind: action.type, action, nonce, answer: null };
    witness.actions.push(record);
    const fate = witness.fate?.(record);
    if (fate === "drop") return response.destroy();
    if (fate?.holdMs) await new Promise((resolve) => setTimeout(resolve, fate.holdMs));
    record.fate = fate ?? null;
  }
  const answer = await fetch(target + request.url, {
    method: request.method,
    headers: { "content-type": "application/json" },
    body,
  });
  const text = await answer.text();
  if (record) record.answer = text;
  if (record?.fate === "lose") return response.destroy();
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(text);
}

function join(client, target) {
  const far = new WebSocket(`${target.replace("http", "ws")}/ws`);
  const waiting = [];
  client.on("message", (data) => (far.readyState === 1 ? far.send(data.toString()) : waiting.push(data.toString())));
  far.on("open", () => {
    for (const text of waiting) far.send(text);
  });
  far.on("message", (data) => client.readyState === 1 && client.send(data.toString()));
  for (const [one, other] of [
    [client, far],
    [far, client],
  ]) {
    one.on("close", () => other.terminate());
    one.on("error", () => other.terminate());
  }
}
