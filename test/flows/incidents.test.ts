/** Incidents of the exchange and of other people's clients, each with the outcome that it has here. */
import { expect, test } from "bun:test";
import { directly, type Fate, type FateOf } from "../simulation/network.ts";
import { MAKER, TAKER } from "../simulation/plain-venue.ts";
import { executed, limit, liveOrders, shown, trade } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";

const scene = scenesOfThisFile();

/** Fates of what is sent; reads go straight through. */
function actions(choose: (body: string) => Fate | null): FateOf {
  return ({ path, body }) => (path === "/exchange" ? choose(body) : null) ?? directly(5);
}

function isNoop(body: string): boolean {
  return body.startsWith('{"action":{"type":"noop"');
}

test("outage of 29 July 2025 (1.99 million dollars refunded): errors for orders that land, some of them 37 minutes later", async () => {
  const s = await scene();
  const landsAfterMs = [50, 4_000, 9_000, 37 * 60_000, 37 * 60_000];
  const page = { kind: "page" as const, status: 502, afterMs: 20 };
  const landing = (body: string) => landsAfterMs.find((_, nth) => body.includes(`"p":"${94_000 - nth}"`));
  s.setFate(actions((body) => ({ arrivesAfterMs: isNoop(body) ? [] : [landing(body) ?? 10], answer: page })));
  const wanted = landsAfterMs.map((_, nth) => limit("buy", 94_000 - nth));
  for (const [nth, ask] of wanted.entries()) {
    s.ask(`outage-${nth}`, ask);
    await s.pass(30);
  }
  await s.pass(60_000);
  s.setFate(() => directly(5));
  await s.pass(60_000);
  const ends: string[] = [];
  for (const [nth, ask] of wanted.entries()) ends.push(shown(await s.tell(`outage-${nth}`, ask)).status);
  expect(ends).toEqual(["open", "open", "open", "rejected", "rejected"]);
  await s.pass(40 * 60_000);
  expect(liveOrders(s)).toHaveLength(3);
});

test("catalyst 317: a timeout, and the client orders again four times: one order", async () => {
  const s = await scene();
  s.setFate(actions((body) => ({ arrivesAfterMs: isNoop(body) ? [] : [6_000], answer: { kind: "silence" } })));
  const calls = [];
  for (let turn = 0; turn < 5; turn += 1) {
    calls.push(s.ask("ordering-again", limit("buy", 94_000)));
    await s.pass(2_000);
  }
  await s.pass(30_000);
  for (const { answer } of calls) expect(answer).not.toBeNull();
  expect(shown(await s.tell("ordering-again", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "open" });
  expect(executed(s, "order").filter(({ reply }) => reply.status === "ok")).toHaveLength(1);
  expect(liveOrders(s)).toHaveLength(1);
});

test("ccxt 30348: twenty orders in one millisecond have twenty numbers", async () => {
  const s = await scene();
  const calls = Array.from({ length: 20 }, (_, nth) => s.ask(`same-moment-${nth}`, limit("buy", 94_000 - nth)));
  await s.pass(2_000);
  for (const { answer } of calls) expect(answer).toMatchObject({ status: 201 });
  expect(new Set(executed(s, "order").map(({ nonce }) => nonce)).size).toBe(20);
});

test("hyperliquid-python-sdk 253: unknownOid for an order that was just acknowledged is no news", async () => {
  const s = await scene();
  s.setFate(({ body }) => (body.includes('"orderStatus"') ? { ...directly(5), isBlind: true } : directly(5)));
  const placed = shown(await s.tell("just-acknowledged", limit("buy", 94_000)));
  expect(placed.status).toBe("open");
  for (let look = 0; look < 10; look += 1) {
    expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).toBe("open");
    await s.pass(1_500);
  }
});

test("bun 28706: a POST that the HTTP client sent twice, whose second answer is the one that comes", async () => {
  const s = await scene();
  const twice: Fate = { arrivesAfterMs: [5, 10], answer: { kind: "true", ofCopy: 1, afterMs: 5 } };
  s.setFate(actions((body) => (isNoop(body) ? null : twice)));
  const call = s.ask("sent-twice", limit("buy", 94_000));
  await s.pass(30_000);
  expect(call.answer).not.toBeNull();
  expect(shown(await s.tell("sent-twice", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "open" });
  expect(executed(s, "order").map(({ isAdmitted }) => isAdmitted)).toEqual([true, false]);
  expect(liveOrders(s)).toHaveLength(1);
});

test("hummingbot 7294: an order that was called failed and filled later is shown filled, and placed once", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "1" });
  s.setFate(
    actions((body) =>
      isNoop(body)
        ? { arrivesAfterMs: [], answer: { kind: "silence" } }
        : { arrivesAfterMs: [9_000], answer: { kind: "error", code: "ECONNRESET", afterMs: 40 } },
    ),
  );
  const call = s.ask("called-failed", limit("buy", 95_100));
  await s.pass(8_100);
  expect(call.answer).toMatchObject({ status: 202 });
  await s.pass(30_000);
  expect(shown(await s.tell("called-failed", limit("buy", 95_100)))).toMatchObject({
    status: "filled",
    filled: "0.01",
  });
});

test("nautilus 4154: 1.0 is asked for, 0.165 fills during a modify, and 1.0 is filled in the end, not 1.165", async () => {
  const s = await scene();
  const placed = shown(await s.tell("during-a-modify", limit("sell", 96_000, "1")));
  s.setFate(actions(() => directly(400)));
  s.ask("during-a-modify-2", { kind: "modify", id: placed.id, price: "96001", size: null, alwaysPlace: false });
  await s.pass(150);
  trade(s, TAKER, { isBuy: true, price: 96_000, size: "0.165" });
  await s.pass(30_000);
  trade(s, TAKER, { isBuy: true, price: 96_500, size: "2" });
  await s.pass(40_000);
  const after = await s.tell(null, { kind: "get", id: placed.id });
  expect(JSON.parse(after.body)).toMatchObject({ status: "filled", size: "1", filled_size: "1" });
});

test("freqtrade at its start: an order that is not found at once is not called canceled", async () => {
  const s = await scene();
  s.setFate(actions(() => ({ arrivesAfterMs: [50], answer: { kind: "silence" } })));
  s.ask("not-found-at-start", limit("buy", 94_000));
  await s.pass(100);
  s.kill();
  await s.pass(5 * 86_400_000);
  let looks = 0;
  s.setFate(({ body }) => {
    if (body.includes('"orderStatus"')) looks += 1;
    return body.includes('"orderStatus"') && looks <= 4 ? { ...directly(5), isBlind: true } : directly(5);
  });
  await s.start();
  await s.pass(30_000);
  expect(looks).toBeGreaterThan(0);
  expect(shown(await s.tell("not-found-at-start", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "open" });
});

const SILENCES: [string, boolean, number][] = [
  ["a stream that has died without a word", false, 60_000],
  ["a stream that answers pings and tells nothing else", true, 601_000],
];

test.each(SILENCES)("nautilus 4298: %s hides no fill and no close for good", async (_name, arePongsHeard, withinMs) => {
  const s = await scene({ hasFeed: true });
  const placed = shown(await s.tell("silent-feed", limit("buy", 94_000)));
  const other = shown(await s.tell("silent-feed-2", limit("buy", 93_000)));
  s.muteFeeds({ arePongsHeard });
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(other.oid) }], f: false });
  await s.pass(withinMs);
  const fills = JSON.parse((await s.tell(null, { kind: "fills" })).body) as {
    data: { size: string; order_id: string }[];
  };
  expect(fills.data).toMatchObject([{ size: "0.004", order_id: placed.id }]);
  expect(s.rows(`select status from orders where id = '${other.id}'`)).toEqual([{ status: "canceled" }]);
});

test("without any stream a fill is known within half a minute", async () => {
  const s = await scene();
  const placed = shown(await s.tell("no-feed", limit("buy", 94_000)));
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(35_000);
  const fills = JSON.parse((await s.tell(null, { kind: "fills" })).body) as {
    data: { size: string; order_id: string }[];
  };
  expect(fills.data).toMatchObject([{ size: "0.004", order_id: placed.id }]);
});

test("the power fails after an answer, and nobody is told unknown while it is found again", async () => {
  const s = await scene();
  const told = shown(await s.tell("power-cut-start", limit("buy", 94_000)));
  s.kill("power_cut", 0);
  s.setFate(({ path }) => (path === "/info" ? directly(900) : directly(5)));
  await s.start();
  expect(await s.tell("power-cut-start", limit("buy", 94_000))).toMatchObject({ status: 503 });
  await s.pass(10_000);
  expect(shown(await s.tell("power-cut-start", limit("buy", 94_000)))).toEqual(told);
});

test("the power fails after an answer: the order is found again under its key", async () => {
  const s = await scene();
  const told = shown(await s.tell("power-cut", limit("buy", 94_000)));
  s.kill("power_cut", 0);
  await s.start();
  await s.pass(2_000);
  expect(shown(await s.tell("power-cut", limit("buy", 94_000)))).toEqual(told);
  expect(liveOrders(s)).toHaveLength(1);
});

test("seed 100128498: the power fails after a look has found a refusal, and nobody is told unknown again", async () => {
  const s = await scene();
  const ioc = { ...limit("buy", 90_000), timeInForce: "ioc" as const };
  s.setFate(actions(() => ({ arrivesAfterMs: [5], answer: { kind: "cut", ofCopy: 0, afterMs: 5 } })));
  s.ask("power-cut-refused", ioc);
  await s.pass(5_000);
  const told = shown(await s.tell("power-cut-refused", ioc));
  expect(told).toMatchObject({ http: 201, status: "rejected", oid: null });
  s.kill("power_cut", 0);
  // The node that is asked after the start is behind the order.
  s.setFate(({ body }) => (body.includes('"oid":"0x') ? { ...directly(5), isBlind: true } : directly(5)));
  await s.start();
  expect(shown(await s.tell("power-cut-refused", ioc))).toEqual(told);
});

test("seed 121190099: the power fails after an answer of a part, and nobody is told unknown again", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_010, size: "0.004" });
  const ioc = { ...limit("buy", 95_010, "0.01"), timeInForce: "ioc" as const };
  const told = shown(await s.tell("power-cut-part", ioc));
  expect(told).toMatchObject({ http: 201, status: "canceled", filled: "0.004" });
  s.kill("power_cut", 0);
  // What became of the rest is told by the fills alone, and the node that is asked for them is behind.
  s.setFate(({ body }) => (body.includes('"userFills') ? { ...directly(5), isBlind: true } : directly(5)));
  await s.start();
  expect(shown(await s.tell("power-cut-part", ioc))).toEqual(told);
});
