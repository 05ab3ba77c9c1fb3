import { describe, expect, test } from "bun:test";
import { revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { latestEventId, markStart, pruneEvents } from "../../src/store/events.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { deleteOrder, insertOrder, updateOrder } from "../../src/store/orders.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { settled } from "../exchange/clocks.ts";
import { testRequest } from "../support/request.ts";
import { orderRow } from "../support/rows.ts";
import { type EventReader, type Received, readEvents } from "./event-reader.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

type Ask = { apiKey?: string; query?: string; lastEventId?: string };

function ask(rig: Rig, { apiKey = KEYS.both, query = "", lastEventId }: Ask = {}): Promise<Response> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
  return rig.server.handle(testRequest({ path: `/v1/events${query}`, apiKey, headers }), "10.0.0.1");
}

async function open(rig: Rig, some: Ask = {}): Promise<EventReader> {
  const response = await ask(rig, some);
  if (response.status !== 200) throw new Error(await response.text());
  return readEvents(response.body);
}

/** All that is there from a place on. */
async function all(rig: Rig, some: Ask = {}): Promise<Received[]> {
  return (await open(rig, { ...some, query: `${some.query ?? "?"}&follow=false`.replace("?&", "?") })).rest();
}

async function nextOf(stream: EventReader): Promise<Received> {
  const event = await stream.next();
  if (event === null) throw new Error("the stream has ended");
  return event;
}

let count = 0;

/** Stores an order and opens it: two events. */
function happen(rig: Rig, accountId: string = ACCOUNTS.main): string {
  count += 1;
  const id = `0190a0b0-0000-7007-8000-${String(count).padStart(12, "0")}`;
  inTransaction(rig.deps.store, (store) => {
    const order = orderRow({ id, accountId });
    insertOrder(store, order);
    updateOrder(store, { ...order, status: "open", exchangeOrderId: String(count), seenAtMs: START_MS });
  });
  return id;
}

function kinds(events: readonly Received[]): string[] {
  return events.map(({ type }) => type);
}

describe("a stream of events", () => {
  test("says where it begins, then tells what happens as it happens, whole resources each", async () => {
    const rig = openRig();
    happen(rig);
    const stream = await open(rig);
    const ready = await stream.next();
    expect(ready).toMatchObject({
      type: "ready",
      data: { object: "event", account: ACCOUNTS.main, data: { resumed: false } },
    });
    expect(ready?.id).toBe(String(latestEventId(rig.deps.store)));
    const id = happen(rig);
    const read = JSON.parse(await (await rig.ask({ path: `/v1/orders?limit=1`, apiKey: KEYS.both })).text());
    expect(await stream.next()).toMatchObject({ type: "order.created", data: { data: { id, status: "processing" } } });
    expect(await stream.next()).toMatchObject({ type: "order.updated", data: { data: read.data[0] } });
    await stream.cancel();
  });

  test("goes on where a reader was, by header or parameter, and the header wins", async () => {
    const rig = openRig();
    const before = String(latestEventId(rig.deps.store));
    const [one, two] = [happen(rig), happen(rig)];
    const events = await all(rig, { lastEventId: before });
    expect(kinds(events)).toEqual(["ready", "order.created", "order.updated", "order.created", "order.updated"]);
    expect(events.slice(1).map(({ data }) => (data["data"] as { id: string }).id)).toEqual([one, one, two, two]);
    const [, , third] = events;
    expect(await all(rig, { query: `?after=${third?.id}` })).toEqual([
      { ...events[0], id: third?.id, data: expect.anything() } as Received,
      ...events.slice(3),
    ]);
    expect(kinds(await all(rig, { query: `?after=${before}`, lastEventId: events[4]?.id ?? "" }))).toEqual(["ready"]);
    expect(kinds(await all(rig, { query: `?after=${events[4]?.id}`, lastEventId: "" }))).toEqual(["ready"]);
  });

  test("has ids that grow, and resumed from any of them tells exactly what followed", async () => {
    const rig = openRig();
    for (let index = 0; index < 150; index += 1) happen(rig, index % 3 === 0 ? ACCOUNTS.other : ACCOUNTS.main);
    const [, ...events] = await all(rig, { query: "?after=0" });
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    for (const index of [0, 1, 63, 64, 65, 100, events.length - 1]) {
      const [, ...rest] = await all(rig, { lastEventId: events[index]?.id ?? "" });
      expect(rest).toEqual(events.slice(index + 1));
    }
  });

  test("tells nothing of another account, whatever id is asked for", async () => {
    const rig = openRig();
    happen(rig, ACCOUNTS.other);
    const mine = happen(rig);
    const others = await all(rig, { apiKey: KEYS.other, query: "?after=0" });
    for (const { id } of others) {
      const seen = await all(rig, { lastEventId: id });
      expect(seen.every(({ data }) => data["account"] === ACCOUNTS.main)).toBe(true);
    }
    expect(JSON.stringify(others)).not.toContain(mine);
    expect(others.every(({ data }) => data["account"] === ACCOUNTS.other)).toBe(true);
  });

  test("shows a fill as the list of fills does", async () => {
    const rig = openRig();
    const id = happen(rig);
    const place = { accountId: ACCOUNTS.main, id: `${START_MS}-BTC-1`, timeMs: START_MS };
    const fill = { ...place, market: "BTC", oid: "77", side: "buy" };
    const figures = { price: "1", size: "1", fee: "0", feeToken: "USDC", realizedPnl: "0", startPosition: "0" };
    const rest = { isTaker: true, builderFee: null, direction: "Open Long", twapId: null, isLiquidation: false };
    inTransaction(rig.deps.store, (store) => {
      // A whole row; its decimals are only shown.
      const row = { ...fill, ...figures, ...rest, transactionHash: "0x00" } as unknown as StoredFill;
      insertFills(store, [row], { atMs: START_MS, toldFromMs: 0 });
    });
    const listed = JSON.parse(await (await rig.ask({ path: "/v1/fills", apiKey: KEYS.both })).text());
    const told = (await all(rig, { query: "?after=0" })).find(({ type }) => type === "fill.created");
    expect(told?.data["data"]).toEqual(listed.data[0]);
    expect(id).not.toBe("");
  });

  test("fits its description", async () => {
    const rig = openRig();
    happen(rig);
    const response = await rig.ask({ path: "/v1/events?after=0&follow=false", apiKey: KEYS.both });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
  });

  test("says that it has to be read anew where the place is not known", async () => {
    const rig = openRig();
    happen(rig);
    const [, first, second] = await all(rig, { query: "?after=0" });
    const unknown = [String(Number(first?.id) + 500_000), "1", "9007199254740991"];
    inTransaction(rig.deps.store, (store) => pruneEvents(store, { maxRows: 1, beforeMs: 0 }, 100));
    for (const id of [...unknown, first?.id ?? ""]) {
      const events = await all(rig, { lastEventId: id });
      expect(kinds(events)).toEqual(["reset"]);
      expect(events[0]?.id).toBe(String(latestEventId(rig.deps.store)));
    }
    expect(kinds(await all(rig, { lastEventId: String(latestEventId(rig.deps.store)) }))).toEqual(["ready"]);
    expect(second).toBeDefined();
  });

  test("of an id that a later start has jumped over is read anew", async () => {
    const rig = openRig();
    happen(rig);
    const lost = String(latestEventId(rig.deps.store) + 1);
    inTransaction(rig.deps.store, (store) => markStart(store, START_MS));
    happen(rig);
    expect(kinds(await all(rig, { lastEventId: lost }))).toEqual(["reset"]);
  });
});

describe("events that are not kept any more", () => {
  function forget(rig: Rig): void {
    const { store } = rig.deps;
    inTransaction(store, () => pruneEvents(store, { maxRows: 10, beforeMs: 0 }, 10_000));
  }

  test("end the stream of a reader who has not read them yet: the next says that its place is lost", async () => {
    const rig = openRig();
    const stream = await open(rig, { query: "?after=0" });
    for (let nth = 0; nth < 100; nth += 1) happen(rig);
    const told: Received[] = [await nextOf(stream), await nextOf(stream)];
    forget(rig);
    told.push(...(await stream.rest()));
    expect(kinds(told)[0]).toBe("ready");
    // What was handed over is whole, and nothing of after a gap follows it.
    expect(told.length).toBe(1 + 64);
    expect(kinds(await all(rig, { lastEventId: told.at(-1)?.id ?? "" }))).toEqual(["reset"]);
  });

  test("break off what is told to its end, so that nobody takes a part for it", async () => {
    const rig = openRig();
    for (let nth = 0; nth < 100; nth += 1) happen(rig);
    const stream = await open(rig, { query: "?after=0&follow=false" });
    await stream.next();
    await stream.next();
    forget(rig);
    expect(stream.rest()).rejects.toThrow();
  });

  test("of other accounts take nothing from a reader to whom nothing happens", async () => {
    const rig = openRig();
    happen(rig);
    const stream = await open(rig);
    await stream.next();
    const next = stream.next();
    await settled();
    for (let nth = 0; nth < 100; nth += 1) happen(rig, ACCOUNTS.other);
    for (let step = 0; step < 4; step += 1) {
      await settled();
      await rig.clock.advance(5_000);
    }
    await settled();
    forget(rig);
    happen(rig);
    expect(await next).toMatchObject({ type: "order.created" });
    await stream.cancel();
  });
});

describe("an event of an order says who placed it", () => {
  const PLACE = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

  /** Key hash and Idempotency-Key of every event of orders, oldest first. */
  async function placers(rig: Rig): Promise<unknown[]> {
    const events = await all(rig, { query: "?after=0" });
    const ofOrders = events.filter(({ type }) => type.startsWith("order."));
    return ofOrders.map(({ type, data }) => [type, data["key_hash"], data["idempotency_key"]]);
  }

  test("by the hash of its API key and by the Idempotency-Key that it was placed with", async () => {
    const rig = openRig();
    const asked = { path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "grid-bot/level-7", body: PLACE };
    expect((await rig.ask(asked)).status).toBe(201);
    const own = [keyHash(KEYS.both), "grid-bot/level-7"];
    expect(await placers(rig)).toEqual([
      ["order.created", ...own],
      ["order.updated", ...own],
    ]);
    // The order itself has the members of an order, and no others.
    const created = (await all(rig, { query: "?after=0" })).find(({ type }) => type === "order.created");
    expect(created?.data["data"]).toMatchObject({ object: "order" });
    expect(created?.data["data"]).not.toHaveProperty("key_hash");
    expect(created?.data["data"]).not.toHaveProperty("idempotency_key");
  });

  test("also once it is taken back, and to a reader who comes later than that", async () => {
    const rig = openRig();
    const order = orderRow({ accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.both), idempotencyKey: "taken-back-1" });
    inTransaction(rig.deps.store, (store) => {
      insertOrder(store, order);
      deleteOrder(store, order.id, START_MS);
    });
    const own = [order.keyHash, "taken-back-1"];
    expect(await placers(rig)).toEqual([
      ["order.created", ...own],
      ["order.removed", ...own],
    ]);
  });

  test("and that nobody here did", async () => {
    const rig = openRig();
    happen(rig);
    expect(await placers(rig)).toEqual([
      ["order.created", null, null],
      ["order.updated", null, null],
    ]);
  });
});

describe("a stream ends", () => {
  const ENDINGS: [string, (rig: Rig) => void][] = [
    [
      "its key is revoked",
      ({ deps }) =>
        revokeApiKey(deps.store, { accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.both), revokedAtMs: START_MS }),
    ],
    ["its key is blocked", ({ deps }) => setKeyState(deps.store, keyHash(KEYS.both), "blocked", START_MS)],
    ["its key is on hold", ({ deps }) => setKeyState(deps.store, keyHash(KEYS.both), "held", START_MS)],
  ];
  test.each(ENDINGS)("at once when %s, and tells nothing of what came with it", async (_why, end) => {
    const rig = openRig();
    const stream = await open(rig);
    await stream.next();
    inTransaction(rig.deps.store, () => {
      end(rig);
      insertOrder(rig.deps.store, orderRow({ id: "after-the-end", accountId: ACCOUNTS.main }));
    });
    expect(await stream.next()).toBeNull();
    expect((await ask(rig)).status).toBe(401);
  });

  test("not when another key of the account is revoked: that is told", async () => {
    const rig = openRig();
    const stream = await open(rig);
    await stream.next();
    inTransaction(rig.deps.store, (store) =>
      revokeApiKey(store, { accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.readOnly), revokedAtMs: START_MS }),
    );
    expect(await stream.next()).toMatchObject({
      type: "key.revoked",
      data: { data: { key_hash: keyHash(KEYS.readOnly) } },
    });
    await stream.cancel();
  });

  test("when the gateway drains, and no new one begins", async () => {
    const rig = openRig();
    const stream = await open(rig);
    await stream.next();
    rig.server.endStreams();
    expect(await stream.next()).toBeNull();
    const refused = await ask(rig);
    expect([refused.status, JSON.parse(await refused.text()).error.code]).toEqual([503, "draining"]);
  });

  test("for a reader that takes nothing of what waits for it for 30 seconds", async () => {
    const rig = openRig();
    const response = await ask(rig);
    happen(rig);
    for (let step = 0; step < 6; step += 1) await rig.clock.advance(5_000);
    const stream = readEvents(response.body);
    expect(await stream.next()).toBeNull();
    expect(rig.clock.sleepers()).toBe(0);
  });

  test("not for one that is only slow, and that misses nothing", async () => {
    const rig = openRig();
    const stream = await open(rig);
    await stream.next();
    const told: Received[] = [];
    for (let step = 0; step < 10; step += 1) {
      for (let index = 0; index < 40; index += 1) happen(rig);
      await rig.clock.advance(10_000);
      for (let index = 0; index < 40; index += 1) told.push(await nextOf(stream));
    }
    while (told.length < 800) told.push(await nextOf(stream));
    expect(new Set(told.map(({ id }) => id)).size).toBe(800);
    await stream.cancel();
  });
});

test("a comment comes every 15 seconds in which nothing happens", async () => {
  const rig = openRig();
  const stream = await open(rig);
  await stream.next();
  const next = stream.next();
  for (let step = 0; step < 7; step += 1) {
    await settled();
    await rig.clock.advance(5_000);
  }
  happen(rig);
  expect(await next).toMatchObject({ type: "order.created" });
  expect(stream.comments.filter((line) => line === ": beat")).toHaveLength(2);
  await stream.cancel();
});

describe("places", () => {
  test("are eight a key, and free again when a stream ends", async () => {
    const rig = openRig();
    const streams = await Promise.all(Array.from({ length: 8 }, () => open(rig)));
    const refused = await ask(rig);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(JSON.parse(await refused.text()).error.code).toBe("rate_limited");
    const another = await open(rig, { apiKey: KEYS.readOnly });
    await streams[0]?.cancel();
    const again = await open(rig);
    for (const stream of [another, again, ...streams]) await stream.cancel();
    await rig.clock.advance(5_000);
    expect(rig.clock.sleepers()).toBe(0);
  });

  test("are 128 in all", async () => {
    const rig = openRig();
    const store = rig.deps.store;
    const keys = Array.from({ length: 17 }, (_, index) => `api_trade_${String(index).padStart(64, "0")}`);
    const { insertApiKey } = await import("../../src/store/api-keys.ts");
    const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
    for (const key of keys)
      insertApiKey(store, { keyHash: keyHash(key), accountId: ACCOUNTS.main, scopes: ["trading:read"], ...times });
    for (let index = 0; index < 128; index += 1) await open(rig, { apiKey: keys[Math.floor(index / 8)] ?? "" });
    const refused = await ask(rig, { apiKey: keys[16] ?? "" });
    expect([refused.status, JSON.parse(await refused.text()).error.code]).toEqual([503, "too_many_connections"]);
    rig.server.endStreams();
  });
});

describe("a stream is refused", () => {
  const REFUSED: [string, Ask, number, string][] = [
    ["without a scope to read", { apiKey: KEYS.writeOnly }, 403, "insufficient_scope"],
    ["to a stranger", { apiKey: `api_trade_${"00".repeat(32)}` }, 401, "invalid_api_key"],
    ["after what is no id", { query: "?after=abc" }, 400, "invalid_parameter"],
    ["after a negative id", { query: "?after=-1" }, 400, "invalid_parameter"],
    ["after what is no id in the header", { lastEventId: "1e5" }, 400, "invalid_parameter"],
    ["with another word than true and false", { query: "?follow=1" }, 400, "invalid_parameter"],
    ["with a parameter that is none", { query: "?since=1" }, 400, "unknown_parameter"],
  ];
  test.each(REFUSED)("%s", async (_what, some, status, code) => {
    const refused = await ask(openRig(), some);
    expect([refused.status, JSON.parse(await refused.text()).error.code]).toEqual([status, code]);
  });
});
