/** Run by a test with a hostile environment: prints where requests went. */
import { connect } from "./connect.ts";
import { listen } from "./raw-server.ts";
import { tlsServer } from "./self-signed.ts";

const url = process.argv[2] ?? "";
const exchange = connect(url);
const sent = await exchange.send("{}", "order");
const secure = tlsServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
const answers = {
  bare: await (await fetch(url)).text(),
  shared: sent.kind === "answered" ? sent.body : sent,
  single: where(await exchange.info({ type: "meta" }, { purpose: "settle", onNewConnection: true })),
  inTurn: where(await exchange.infoInTurn([{ type: "meta" }], { purpose: "settle" })),
  tls: await connect(`https://localhost:${await listen(secure.server)}`).send("{}", "order"),
};
console.log(JSON.stringify(answers));
process.exit(0);

/** The servers answer a bare word, so an answer that arrived is one that is not JSON. */
function where(outcome: { kind: string; reason?: string }): string {
  return outcome.reason === "the answer is not JSON" ? "direct" : JSON.stringify(outcome);
}
