/** `GET /v1/stream`, read as a client reads it, over the paper exchange's websocket. */
import { describe, expect, test } from "bun:test";
import { revokeApiKey } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { type EventReader, type Received, readEvents } from "../http/event-reader.ts";
import { FIRST, openPaperRig, type PaperRig, pass, SECOND, START_MS } from "../support/paper-rig.ts";
import { testRequest } from "../support/request.ts";

async function opened(): Promise<PaperRig> {
  const rig = await openPaperRig({ hasSocket: true });
  await rig.trade("buy", "1", "94500");
  await rig.trade("sell", "3", "95500");
  await pass(rig, 1_000);
  return rig;
}

function ask(rig: PaperRig, query: string, apiKey = FIRST.apiKeys[0]): Promise<Response> {
  return rig.gateway.server.handle(testRequest({ path: `/v1/stream${query}`, apiKey }), "10.0.0.1");
}

async function open(rig: PaperRig, query: string, apiKey?: string): Promise<EventReader> {
  const response = await ask(rig, query, apiKey);
  if (response.status !== 200) throw new Error(await response.text());
  return readEvents(response.body);
}

/** The next, while time goes on; null at the end of the stream. */
async function nextOf(rig: PaperRig, stream: EventReader): Promise<Received | null> {
  const next = stream.next();
  let isDone = false;
  void next.finally(() => {
    isDone = true;
  });
  for (let step = 0; step < 200 && !isDone; step += 1) {
    await pass(rig, step < 2 ? 0 : 500);
    await rig.clock.advance(0);
  }
  if (!isDone) throw new Error("nothing came");
  return next;
}

/** The next so many. */
async function take(rig: PaperRig, stream: EventReader, count: number): Promise<Received[]> {
  const taken: Received[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const event = await nextOf(rig, stream);
    if (event === null) throw new Error("the stream has ended");
    taken.push(event);
  }
  return taken;
}

/** Up to the first of this type. */
async function until(rig: PaperRig, stream: EventReader, type: string): Promise<Received> {
  for (let nth = 0; nth < 300; nth += 1) {
    const [event] = await take(rig, stream, 1);
    if (event?.type === type) return event;
  }
  throw new Error(`no event ${type}`);
}

function kinds(events: readonly Received[]): string[] {
  return events.map(({ type, data }) => [type, data["market"] ?? data["channel"]].filter(Boolean).join(" "));
}

function codeOf(text: string): string {
  // An error of the documented shape.
  return (JSON.parse(text) as { error: { code: string } }).error.code;
}

describe("a stream of markets", () => {
  test("says what it tells, then every figure as it is, then what changes", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC,HYPE%2FUSDC,BTC&channels=bbo,mark,book");
    const [ready, ...first] = await take(rig, stream, 7);
    expect(ready).toMatchObject({
      id: "",
      type: "ready",
      data: { markets: ["BTC", "@107"], channels: ["bbo", "mark", "book"] },
    });
    expect(kinds(first).toSorted()).toEqual(["bbo @107", "bbo BTC", "book @107", "book BTC", "mark @107", "mark BTC"]);
    const read = (await rig.answer(FIRST, { route: "GET /v1/markets/BTC" })).body;
    const told = Object.assign({}, ...first.filter(({ data }) => data["market"] === "BTC").map(({ data }) => data));
    for (const name of [
      "best_bid",
      "best_ask",
      "mid_price",
      "mark_price",
      "oracle_price",
      "funding_rate",
      "next_funding_at",
    ])
      expect([name, told[name]]).toEqual([name, read[name]]);
    expect(told).toMatchObject({ bids: [{ price: "94500", size: "1", orders: 1 }] });
    await rig.trade("buy", "2", "94600");
    expect(await until(rig, stream, "bbo")).toMatchObject({ data: { best_bid: { price: "94600", size: "2" } } });
    rig.paper.setPrice("BTC", 9_600_000_000_000n);
    let mark = await until(rig, stream, "mark");
    while (mark.data["oracle_price"] !== "96000") mark = await until(rig, stream, "mark");
    expect(mark.data["object"]).toBe("market_figures");
    expect(stream.comments.join()).toContain("not in the log");
    await stream.cancel();
  });

  test("tells a reader who is slow the newest of each figure, and nothing in between", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC&channels=bbo");
    expect(kinds(await take(rig, stream, 2))).toEqual(["ready", "bbo BTC"]);
    for (let price = 94_501; price <= 94_700; price += 1) {
      await rig.trade("buy", "0.01", String(price));
      if (price % 10 === 0) await pass(rig, 500);
    }
    const [newest] = await take(rig, stream, 1);
    expect(newest).toMatchObject({ type: "bbo", data: { best_bid: { price: "94700" } } });
    let isTold = false;
    const next = stream.next().finally(() => {
      isTold = true;
    });
    await pass(rig, 5_000);
    expect(isTold).toBe(false);
    await rig.trade("buy", "0.01", "94701");
    expect(await next).toMatchObject({ type: "bbo", data: { best_bid: { price: "94701" } } });
    await stream.cancel();
  });

  test("tells once of which markets nothing counts any more and since when, and goes on with what is so then", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC,ETH&channels=bbo,mark");
    expect((await take(rig, stream, 5)).map(({ type }) => type)).toEqual(["ready", "bbo", "bbo", "mark", "mark"]);
    rig.socket.isRefusing = true;
    const cutAtMs = rig.paper.nowMs();
    rig.socket.cut("activeAssetCtx");
    const gone = await take(rig, stream, 2);
    expect(gone.map(({ type, data }) => [type, data["channel"], data["markets"], data["state"]])).toEqual([
      ["stale", "bbo", ["BTC", "ETH"], "stale"],
      ["stale", "mark", ["BTC", "ETH"], "stale"],
    ]);
    for (const { data } of gone) {
      const sinceMs = Date.parse(String(data["since"]));
      expect([sinceMs <= cutAtMs, sinceMs > cutAtMs - 3_000]).toEqual([true, true]);
    }
    await rig.trade("buy", "0.5", "94550");
    await pass(rig, 20_000);
    rig.socket.isRefusing = false;
    const back = await take(rig, stream, 6);
    expect(back.slice(0, 2).map(({ type, data }) => [type, data["since"]])).toEqual([
      ["live", null],
      ["live", null],
    ]);
    expect(kinds(back.slice(2)).toSorted()).toEqual(["bbo BTC", "bbo ETH", "mark BTC", "mark ETH"]);
    expect(back.find(({ data }) => data["object"] === "best_prices" && data["market"] === "BTC")).toMatchObject({
      data: { best_bid: { price: "94550", size: "0.5" } },
    });
    await stream.cancel();
  });

  test("goes stale 10 s after the last new word, though the connection answers", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC&channels=bbo,mark");
    await take(rig, stream, 3);
    const dropped = ["bbo", "activeAssetCtx"].map((type) => ({
      on: "ws" as const,
      type,
      fault: { kind: "drop" as const },
    }));
    rig.paper.setFaults({ rules: dropped });
    const silentSinceMs = rig.paper.nowMs();
    const stale = await until(rig, stream, "stale");
    expect(rig.paper.nowMs() - silentSinceMs).toBeWithin(8_000, 12_000);
    expect(Date.parse(String(stale.data["since"]))).toBeWithin(silentSinceMs - 2_000, silentSinceMs + 1);
    rig.paper.setFaults({ rules: [] });
    const kindsSince = kinds(await take(rig, stream, 4)).filter((kind) => !kind.startsWith("stale"));
    expect(kindsSince.slice(0, 1)).toEqual(["live bbo"]);
    expect(kindsSince).toContain("bbo BTC");
    await stream.cancel();
  });

  test("does not tell what comes 12 s late, but that nothing counts", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC&channels=bbo");
    await take(rig, stream, 2);
    rig.socket.lateByMs = 12_000;
    const told: Received[] = [];
    const reading = (async () => {
      for (let event = await stream.next(); event !== null; event = await stream.next()) told.push(event);
    })();
    for (let price = 94_501; price < 94_560; price += 1) {
      await rig.trade("buy", "0.01", String(price));
      await pass(rig, 1_000);
    }
    expect(kinds(told)).toEqual(["stale bbo"]);
    rig.socket.lateByMs = 0;
    await pass(rig, 130_000);
    expect(kinds(told.slice(1, 3))).toEqual(["live bbo", "bbo BTC"]);
    expect(told[2]).toMatchObject({ data: { best_bid: { price: "94559" } } });
    await stream.cancel();
    await reading;
  });

  test("with no feed at all says so at once", async () => {
    const rig = await openPaperRig();
    const stream = await open(rig, "?markets=BTC&channels=mark");
    expect(kinds(await take(rig, stream, 2))).toEqual(["ready", "stale mark"]);
    await stream.cancel();
  });

  test("is alone in following what it follows, until it ends and a minute is over", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC&channels=bbo");
    await take(rig, stream, 2);
    const said = rig.socket.said.find((lines) => lines.includes("subscribe bbo BTC")) ?? [];
    const next = stream.next();
    await pass(rig, 120_000);
    expect(said.filter((line) => line.startsWith("unsubscribe"))).toEqual([]);
    await rig.trade("buy", "1", "94501");
    expect(await next).toMatchObject({ type: "bbo" });
    await stream.cancel();
    await pass(rig, 70_000);
    expect(said.filter((line) => line.startsWith("unsubscribe")).toSorted()).toEqual([
      "unsubscribe activeAssetCtx BTC",
      "unsubscribe bbo BTC",
    ]);
  });

  test("with `follow=false` ends when every figure is told, or told to be stale", async () => {
    const rig = await opened();
    const whole = await open(rig, "?markets=BTC,ETH&channels=bbo&follow=false");
    expect(kinds(await whole.rest())).toEqual(["ready", "bbo BTC", "bbo ETH"]);
    rig.paper.setFaults({ rules: [{ on: "ws", type: "l2Book", fault: { kind: "drop" } }] });
    const lacking = (await open(rig, "?markets=BTC&channels=book&follow=false")).rest();
    await pass(rig, 3_000);
    expect(kinds(await lacking)).toEqual(["ready", "stale book"]);
  });

  test("fits its description", async () => {
    const rig = await opened();
    const answer = await rig.answer(FIRST, { route: "GET /v1/stream?markets=BTC&follow=false" });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-accel-buffering")).toBe("no");
  });
});

describe("it ends", () => {
  test("at once when its key is revoked", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC&channels=bbo");
    await take(rig, stream, 2);
    const { id: accountId } = FIRST.account;
    inTransaction(rig.store, (store) =>
      revokeApiKey(store, { accountId, keyHash: keyHash(FIRST.apiKeys[0]), revokedAtMs: START_MS }),
    );
    expect(await nextOf(rig, stream)).toBeNull();
    expect((await ask(rig, "?markets=BTC")).status).toBe(401);
  });

  test("when the gateway drains, and no new one begins", async () => {
    const rig = await opened();
    const stream = await open(rig, "?markets=BTC&channels=bbo");
    await take(rig, stream, 2);
    rig.gateway.server.endStreams();
    expect(await stream.next()).toBeNull();
    const refused = await ask(rig, "?markets=BTC");
    expect([refused.status, codeOf(await refused.text())]).toEqual([503, "draining"]);
  });

  test("for a reader that takes nothing of what waits for it for 30 seconds, and what it followed is let go", async () => {
    const rig = await opened();
    const response = await ask(rig, "?markets=BTC&channels=bbo,mark");
    await pass(rig, 40_000);
    expect(await readEvents(response.body).next()).toBeNull();
    await pass(rig, 70_000);
    const said = rig.socket.said.find((lines) => lines.includes("subscribe bbo BTC")) ?? [];
    expect(said).toContain("unsubscribe bbo BTC");
  });
});

test("its places are shared with the streams of events", async () => {
  const rig = await opened();
  const events = Array.from({ length: 4 }, () =>
    rig.gateway.server.handle(testRequest({ path: "/v1/events", apiKey: FIRST.apiKeys[0] }), "10.0.0.1"),
  );
  const markets = Array.from({ length: 4 }, () => ask(rig, "?markets=BTC"));
  for (const one of await Promise.all([...events, ...markets])) expect(one.status).toBe(200);
  const refused = await ask(rig, "?markets=BTC");
  expect([refused.status, codeOf(await refused.text()), refused.headers.get("retry-after")]).toEqual([
    429,
    "rate_limited",
    "5",
  ]);
  expect((await ask(rig, "?markets=BTC", SECOND.apiKeys[0])).status).toBe(200);
  rig.gateway.server.endStreams();
});

const MANY = Array.from({ length: 51 }, () => "BTC").join();

test.each([
  ["no markets", "", 400, "missing_parameter"],
  ["an empty list of markets", "?markets=", 400, "missing_parameter"],
  ["an empty name", "?markets=BTC,,ETH", 400, "invalid_parameter"],
  ["more than 50 markets", `?markets=${MANY}`, 400, "invalid_parameter"],
  ["an unknown market", "?markets=BTC,NOWHERE", 400, "unknown_market"],
  ["a delisted market", "?markets=MATIC", 400, "unknown_market"],
  ["another channel", "?markets=BTC&channels=bbo,trades", 400, "invalid_parameter"],
  ["no channel", "?markets=BTC&channels=", 400, "invalid_parameter"],
  ["another word than true and false", "?markets=BTC&follow=1", 400, "invalid_parameter"],
  ["a parameter that is none", "?markets=BTC&since=1", 400, "unknown_parameter"],
  ["a parameter twice", "?markets=BTC&markets=ETH", 400, "invalid_parameter"],
])("it is refused with %s", async (_what, query, status, code) => {
  const rig = await opened();
  const refused = await ask(rig, query);
  expect([refused.status, codeOf(await refused.text())]).toEqual([status, code]);
});

test("it is refused to whom may not read", async () => {
  const rig = await opened();
  expect((await ask(rig, "?markets=BTC", `api_trade_${"00".repeat(32)}`)).status).toBe(401);
});
