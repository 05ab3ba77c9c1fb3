import { afterEach, expect, test } from "bun:test";
import { stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";
import { httpAnswer, type RawRequest, type RawServer, rawServer } from "./raw-server.ts";

const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(onRequest: (request: RawRequest) => void): Promise<RawServer> {
  const server = await rawServer(onRequest);
  servers.push(server);
  return server;
}

function requestsPerConnection(server: RawServer): number[] {
  return server.requests.map((list) => list.length);
}

const TIME = { type: "exchangeStatus" };

test("reads share one kept-alive connection, orders another", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer("{}")));
  const exchange = connect(server.url);
  for (let nth = 0; nth < 2; nth += 1) {
    await exchange.info(TIME, { purpose: "read" });
    await exchange.send("{}", "order");
    await exchange.send("{}", "order");
  }
  expect(requestsPerConnection(server)).toEqual([2, 4]);
});

test("a read on a new connection opens one, though another is free, and leaves the shared one alone", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer("{}")));
  const exchange = connect(server.url);
  await exchange.info(TIME, { purpose: "settle" });
  await exchange.info(TIME, { purpose: "settle", onNewConnection: true });
  await exchange.info(TIME, { purpose: "settle", onNewConnection: true });
  await exchange.info(TIME, { purpose: "settle" });
  expect(requestsPerConnection(server)).toEqual([2, 1, 1]);
});

test("reads in turn go over one connection, and with onNewConnection over a new one", async () => {
  const server = await serve(({ socket }) => socket.write(httpAnswer("{}")));
  const exchange = connect(server.url);
  await exchange.info(TIME, { purpose: "settle" });
  await exchange.infoInTurn([TIME, TIME, TIME], { purpose: "settle" });
  expect(requestsPerConnection(server)).toEqual([1, 3]);
  await exchange.infoInTurn([TIME, TIME], { purpose: "settle", onNewConnection: true });
  expect(requestsPerConnection(server)).toEqual([1, 3, 2]);
});

test("reads in turn that run at the same time do not mix their connections", async () => {
  const server = await serve(({ socket }) => setImmediate(() => socket.write(httpAnswer("{}"))));
  const exchange = connect(server.url, { weightPerMinute: 0 });
  const turns = Array.from({ length: 20 }, (_, turn) =>
    exchange.infoInTurn(
      [1, 2, 3].map((step) => ({ ...TIME, turn, step })),
      { purpose: "settle", onNewConnection: true },
    ),
  );
  expect((await Promise.all(turns)).every(({ kind }) => kind === "ok")).toBe(true);
  expect(server.requests).toHaveLength(20);
  for (const requests of server.requests) {
    const turnsSeen = requests.map((text) => /"turn":(\d+)/.exec(text)?.[1]);
    expect(turnsSeen).toHaveLength(3);
    expect(new Set(turnsSeen).size).toBe(1);
  }
});

test("reads in turn end at the first that fails", async () => {
  const { transport, inits } = answering(() => new Response("null", { status: inits.length === 2 ? 500 : 200 }));
  const outcome = await connect("http://exchange.test", { transport }).infoInTurn([TIME, TIME, TIME], {
    purpose: "settle",
  });
  expect(outcome).toMatchObject({ kind: "failed", httpStatus: 500 });
  expect(inits).toHaveLength(2);
});

test("after 15 s without a request no kept-alive connection is used, neither by an order nor by a read", async () => {
  for (const purpose of ["order", "read"] as const) {
    const clock = stillClock();
    const server = await serve(({ socket }) => socket.write(httpAnswer("{}")));
    const exchange = connect(server.url, { clock });
    const use = async () => {
      if (purpose === "order") await exchange.send("{}", "order");
      else await exchange.info(TIME, { purpose });
    };
    await Promise.all([use(), use(), use()]);
    await clock.advance(14_999);
    await use();
    const young = requestsPerConnection(server);
    expect(young.reduce((sum, count) => sum + count)).toBe(4);
    expect(young.length).toBeLessThanOrEqual(3);
    await clock.advance(15_000);
    await Promise.all([use(), use()]);
    expect(requestsPerConnection(server).slice(0, young.length)).toEqual(young);
  }
});

test("a read after a pause does not make the orders' old connection a young one, nor the other way round", async () => {
  const clock = stillClock();
  const server = await serve(({ socket }) => socket.write(httpAnswer("{}")));
  const exchange = connect(server.url, { clock });
  await exchange.info(TIME, { purpose: "read" });
  await exchange.send("{}", "order");
  await clock.advance(10_000);
  await exchange.info(TIME, { purpose: "read" });
  await clock.advance(10_000);
  await exchange.send("{}", "order");
  await exchange.info(TIME, { purpose: "read" });
  expect(requestsPerConnection(server)).toEqual([3, 1, 1]);
});

test("the measurement of the clock keeps the orders' connection young", async () => {
  const clock = stillClock();
  const server = await serve(({ socket }) => socket.write(httpAnswer(`{"time":${clock.nowMs()}}`)));
  const exchange = connect(server.url, { clock });
  for (let nth = 0; nth < 5; nth += 1) {
    await clock.advance(10_000);
    expect(await exchange.measureClock()).toBe(true);
  }
  await exchange.send("{}", "order");
  expect(requestsPerConnection(server)).toEqual([6]);
});

test("proxies and a switched-off certificate check in the environment have no effect", async () => {
  const proxied = await serve(({ socket }) => socket.write(httpAnswer(`"proxied"`)));
  const direct = await serve(({ socket }) => socket.write(httpAnswer(`"direct"`)));
  const proxy = proxied.url;
  const child = Bun.spawn(
    [process.execPath, Bun.fileURLToPath(import.meta.resolve("./environment-child.ts")), direct.url],
    {
      env: {
        HTTP_PROXY: proxy,
        http_proxy: proxy,
        HTTPS_PROXY: proxy,
        https_proxy: proxy,
        ALL_PROXY: proxy,
        NODE_TLS_REJECT_UNAUTHORIZED: "0",
      },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stdout] = await Promise.all([child.stdout.text(), child.exited]);
  expect(JSON.parse(stdout)).toEqual({
    bare: "proxied",
    order: "direct",
    shared: "direct",
    single: "direct",
    inTurn: ["direct"],
    tls: { kind: "not_sent", reason: "DEPTH_ZERO_SELF_SIGNED_CERT" },
  });
});
