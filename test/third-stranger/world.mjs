// One exchange, one gateway, one owner: what a scene or a seed plays in.
import net from "node:net";
import { Gateway } from "./gateway.mjs";
import { FakeExchange } from "./server.mjs";
import { Tape } from "./tape.mjs";

// A port that nobody has just now.
function freePort() {
  const probe = net.createServer();
  return new Promise((resolve) =>
    probe.listen(0, "127.0.0.1", () => ((port) => probe.close(() => resolve(port)))(probe.address().port)),
  );
}

export async function makeWorld({ binary, lag, streamLag, clockOffMs, settings = {} }) {
  const gateway = new Gateway(binary);
  const exchange = new FakeExchange({ owner: gateway.owner.address, lag, streamLag, clockOffMs });
  const url = await exchange.listen();
  await gateway.setUp(url, await freePort());
  gateway.settings = settings;
  await gateway.start();
  const tape = new Tape(gateway);
  const key = await gateway.plainKey();
  await gateway.ready();
  const stream = tape.follow(key);
  const world = {
    gateway,
    exchange,
    engine: exchange.engine,
    tape,
    key,
    account: gateway.account,
    begunAt: Date.now(),
  };
  world.end = async (options) => {
    stream.leave();
    await gateway.end(options);
    exchange.close();
  };
  return world;
}
