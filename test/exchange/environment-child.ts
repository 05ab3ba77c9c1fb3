/** Run by a test with a hostile environment: prints where requests went. */
import { connect } from "./connect.ts";
import { listen } from "./raw-server.ts";
import { tlsServer } from "./self-signed.ts";

const url = process.argv[2] ?? "";
const exchange = connect(url);
const sent = await exchange.send("{}", "order");
const secure = tlsServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
const answers = {
  bare: await (await fetch(url)).json(),
  order: sent.kind === "answered" ? JSON.parse(sent.body) : sent,
  shared: where(await exchange.info({ type: "meta" }, { purpose: "settle" })),
  single: where(await exchange.info({ type: "meta" }, { purpose: "settle", onNewConnection: true })),
  inTurn: where(await exchange.infoInTurn([{ type: "meta" }], { purpose: "settle" })),
  tls: await connect(`https://localhost:${await listen(secure.server)}`).send("{}", "order"),
};
console.log(JSON.stringify(answers));
process.exit(0);

/** What the server that was reached says of itself. */
function where(outcome: { kind: string; json?: unknown }): unknown {
  return outcome.kind === "ok" ? outcome.json : outcome;
}
