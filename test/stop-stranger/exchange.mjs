// The exchange as its clients meet it: one port on loopback for HTTP and the websocket.
import http from "node:http";
import { WebSocketServer } from "ws";
import { Relay } from "./relay.mjs";
export class Exchange extends Relay {
  start() {
    this.server = http.createServer((req, res) => {
      let b = "";
      req.on("data", (d) => {
        b += d;
      });
      req.on("error", () => {});
      res.on("error", () => {});
      req.on("end", () => {
        if (this.down) return res.destroy();
        const p = req.url.split("?")[0];
        (p === "/exchange"
          ? this.exchangeReq(res, b)
          : p === "/info"
            ? this.infoReq(res, b)
            : Promise.resolve(res.writeHead(404).end())
        ).catch((e) => {
          console.error("EX ERR", e, b.slice(0, 300));
          res.destroy();
        });
      });
    });
    this.server.keepAliveTimeout = 60000;
    this.wss = new WebSocketServer({ server: this.server, path: "/ws" });
    this.wss.on("connection", (ws) => this.onWs(ws));
    this.timer = setInterval(() => this.tick(), 250);
    return new Promise((r) => this.server.listen(this.port, "127.0.0.1", r));
  }
  stop() {
    this.closed = true;
    clearInterval(this.timer);
    for (const c of this.conns) c.ws.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }
}
