import { expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { openFeeds } from "../../src/exchange/feeds.ts";
import { openSocket, socketUrl } from "../../src/exchange/socket.ts";
import { settled, stillClock } from "./clocks.ts";

const ADDRESS = "0x00000000000000000000000000000000000000aa";

test("the websocket is at /ws of the base URL", () => {
  expect(socketUrl("https://api.hyperliquid.xyz")).toBe("wss://api.hyperliquid.xyz/ws");
  expect(socketUrl("http://127.0.0.1:9797/")).toBe("ws://127.0.0.1:9797/ws");
});

test("over a real websocket: subscribed, told, and told of its end", async () => {
  const events: FeedEvent["kind"][] = [];
  const finished = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: {
      open: (socket) => {
        socket.sendText("Websocket connection established.");
      },
      message: (socket, text) => {
        const data: unknown = JSON.parse(String(text));
        socket.sendText(JSON.stringify({ channel: "subscriptionResponse", data }));
        if (!String(text).includes("twapStates")) return;
        socket.sendText(JSON.stringify({ channel: "orderUpdates", data: [] }));
        socket.close(1000, "Inactive");
      },
    },
  });
  const feeds = openFeeds({
    url: socketUrl(server.url.href),
    clock: stillClock(),
    dexes: [],
    maxFeeds: 1,
    transport: openSocket,
    onEvent: (_address, event) => {
      events.push(event.kind);
      if (event.kind === "disconnected") finished.resolve();
    },
  });
  feeds.follow(ADDRESS);
  await finished.promise;
  feeds.close();
  expect(events).toEqual(["connected", "order_updates", "disconnected"]);
  await server.stop(true);
});

test("a websocket that cannot be opened says so once", async () => {
  const reasons: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 400 }) });
  openSocket(socketUrl(server.url.href), {
    onOpen: () => reasons.push("opened"),
    onText: () => reasons.push("text"),
    onClose: (reason) => {
      reasons.push(reason);
      closed.resolve();
    },
  });
  await closed.promise;
  await settled();
  expect(reasons).toHaveLength(1);
  expect(reasons[0]).not.toBe("opened");
  await server.stop(true);
});
