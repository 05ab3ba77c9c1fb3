/** Modifies that were refused, or never ran: what may be said of the order that they were for. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";
import type { Execution } from "./venue.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
const FAILING: Fate = { arrivesAfterMs: [], answer: { kind: "page", status: 500, afterMs: 5 } };

function modifyTo(id: string, price: string) {
  return { kind: "modify" as const, id, price, size: null, alwaysPlace: false };
}

function isModify(body: string): boolean {
  return body.startsWith('{"action":{"type":"batchModify"');
}

function answer(json: unknown) {
  return { status: 200, contentType: "application/json", body: JSON.stringify(json) };
}

/** What the exchange answers to modifies; `does` what becomes of the original. */
function refuseModifies({ venue }: Scene, json: unknown, does: (body: string) => void = () => undefined): void {
  const execute = venue.execute.bind(venue);
  venue.execute = (body) => {
    if (!isModify(body)) return execute(body);
    does(body);
    return answer(json);
  };
}

function cancelAtVenue({ venue, party }: Scene, oid: string | null): void {
  venue.act(party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(oid) }], f: false });
}

test.each([false, true])(
  "an original that its record goes on showing open is not told so after its modify was refused (feed: %p)",
  async (hasFeed) => {
    const s = await scene({ hasFeed });
    const stores = holdStores(s);
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
    const placed = shown(await s.tell("behind", limit("buy", 94_000)));
    for (const type of ["orderStatus", "historicalOrders", "frontendOpenOrders"]) stores.stop(type);
    // It would trade at once: the exchange cancels the original and places nothing.
    const modify = modifyTo(placed.id, "95200");
    s.ask("behind-modify", modify);
    await s.pass(60_000);
    expect(liveOrders(s)).toEqual([]);
    const ended = {
      http: 200,
      status: "canceled",
      filled: "0",
      error: expect.stringContaining("The modify canceled the order and its replacement was refused"),
    };
    // A feed that is live has told the cancel.
    const early = hasFeed ? ended : { http: 202, status: "unknown" };
    expect(shown(await s.tell("behind-modify", modify))).toMatchObject(early);
    stores.go();
    await s.pass(60_000);
    expect(shown(await s.tell("behind-modify", modify))).toMatchObject(ended);
  },
);

test("words that tell of the placing half do not leave the original open", async () => {
  const s = await scene();
  const stores = holdStores(s);
  const placed = shown(await s.tell("prefix", limit("buy", 94_000)));
  stores.stop("orderStatus");
  const response = "Error placing new order during modify: Order has invalid price.";
  refuseModifies(s, { status: "err", response }, () => cancelAtVenue(s, placed.oid));
  const modify = modifyTo(placed.id, "94001");
  s.ask("prefix-modify", modify);
  await s.pass(30_000);
  expect(shown(await s.tell("prefix-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  stores.go();
  await s.pass(30_000);
  expect(shown(await s.tell("prefix-modify", modify))).toMatchObject({
    http: 200,
    status: "canceled",
    error: expect.stringContaining("The modify canceled the order"),
  });
});

test("an original that a refusal of the whole modify has left is open within seconds", async () => {
  const s = await scene();
  const placed = shown(await s.tell("whole", limit("buy", 94_000)));
  const response = "Order price cannot be more than 95% away from the reference price";
  refuseModifies(s, { status: "err", response });
  const told = shown(await s.tell("whole-modify", modifyTo(placed.id, "4000")));
  expect(told).toMatchObject({ http: 200, status: "open", error: expect.stringContaining("not carried out") });
  expect(liveOrders(s).map(String)).toEqual([told.oid ?? ""]);
});

test("a refusal of one entry leaves the original open when an answer shows it beside something newer", async () => {
  const s = await scene();
  const placed = shown(await s.tell("entry", limit("buy", 94_000)));
  const error = "Order price cannot be more than 95% away from the reference price";
  refuseModifies(s, { status: "ok", response: { type: "order", data: { statuses: [{ error }] } } });
  const modify = modifyTo(placed.id, "4000");
  s.ask("entry-modify", modify);
  await s.pass(60_000);
  expect(shown(await s.tell("entry-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  await s.tell("entry-newer", limit("buy", 93_000));
  await s.pass(60_000);
  const told = shown(await s.tell("entry-modify", modify));
  expect(told).toMatchObject({ http: 200, status: "open", oid: placed.oid });
  expect(told.error).toContain("not carried out");
});

test.each([
  ["after it could run proves that it was left open", 30_000, { http: 200, status: "open", filled: "0.004" }],
  ["before it could run no more proves nothing", 3_000, { http: 202, status: "unknown" }],
])("a fill of the original that is of %s", async (_name, afterMs, told) => {
  const s = await scene();
  const placed = shown(await s.tell("filled", limit("buy", 94_000)));
  const error = "Order price cannot be more than 95% away from the reference price";
  refuseModifies(s, { status: "ok", response: { type: "order", data: { statuses: [{ error }] } } });
  const modify = modifyTo(placed.id, "4000");
  s.ask("filled-modify", modify);
  await s.pass(afterMs);
  trade(s, MAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(100_000 - afterMs);
  expect(shown(await s.tell("filled-modify", modify))).toMatchObject(told);
});

test("in an account where nothing else happens it is open once no server can be behind any more", async () => {
  const s = await scene();
  const placed = shown(await s.tell("quiet", limit("buy", 94_000)));
  const error = "Order price cannot be more than 95% away from the reference price";
  refuseModifies(s, { status: "ok", response: { type: "order", data: { statuses: [{ error }] } } });
  const modify = modifyTo(placed.id, "4000");
  s.ask("quiet-modify", modify);
  await s.pass(140_000);
  expect(shown(await s.tell("quiet-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(30_000);
  expect(shown(await s.tell("quiet-modify", modify))).toMatchObject({ http: 200, status: "open", oid: placed.oid });
});

test("a modify that never arrived is not what a cancel has closed the order by", async () => {
  const s = await scene();
  const placed = shown(await s.tell("lost", limit("buy", 94_000)));
  s.setFate(({ body }) => (isModify(body) ? LOST : directly(5)));
  const modify = modifyTo(placed.id, "94001");
  s.ask("lost-modify", modify);
  await s.pass(200);
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("lost-cancel", cancel);
  await s.pass(30_000);
  expect(shown(await s.tell("lost-cancel", cancel))).toMatchObject({ http: 200, status: "canceled", error: null });
  expect(shown(await s.tell("lost-modify", modify))).toMatchObject({
    http: 200,
    status: "canceled",
    error: expect.stringMatching(/^The modify was not carried out: .*never executed/),
  });
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).error).toBeNull();
});

test("what the exchange says of the end of an order is not replaced by what it says of a modify", async () => {
  const s = await scene();
  const placed = shown(await s.tell("own-end", limit("buy", 94_000)));
  s.setFate(({ body }) => (isModify(body) ? directly(400) : directly(5)));
  const modify = modifyTo(placed.id, "93900");
  s.ask("own-end-modify", modify);
  await s.pass(100);
  trade(s, s.party.account.ownerAddress, { isBuy: false, price: 93_950, size: "0.01" });
  await s.pass(30_000);
  const replies: unknown[] = executed(s, "batchModify").map(({ reply }: Execution) => reply);
  expect(JSON.stringify(replies)).toContain("Cannot modify canceled or filled order");
  const told = shown(await s.tell("own-end-modify", modify));
  expect(told).toMatchObject({ http: 200, status: "canceled", error: expect.stringContaining("not carried out") });
  const after = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect(after).toMatchObject({ status: "canceled", error: expect.stringContaining("selfTradeCanceled") });
});

test("a modify that was refused by a server behind, and ran as a copy, is no end of its original", async () => {
  const s = await scene();
  const placed = shown(await s.tell("copy", limit("buy", 94_000)));
  const { execute } = s.venue;
  let copy = "";
  const response = "User or API Wallet 0x0000000000000000000000000000000000000001 does not exist.";
  refuseModifies(s, { status: "err", response }, (body) => {
    copy = body;
  });
  // What it was to place is looked for before the copy runs, and its original only after that.
  const isOfOriginal = (body: string) => body.includes(`"oid":${placed.oid}`);
  s.setFate(({ path, body }) => (path === "/info" && isOfOriginal(body) ? FAILING : directly(5)));
  const modify = modifyTo(placed.id, "94001");
  s.ask("copy-modify", modify);
  await s.pass(2_000);
  s.venue.execute = execute;
  s.venue.execute(copy);
  s.setFate(() => directly(5));
  const seen = new Set<string>();
  for (let nth = 0; nth < 40; nth += 1) {
    await s.pass(250);
    seen.add(String(shown(await s.tell(null, { kind: "get", id: placed.id })).status));
  }
  expect(seen).not.toContain("canceled");
  const [oid] = liveOrders(s).map(String);
  expect(shown(await s.tell("copy-modify", modify))).toMatchObject({ http: 200, status: "open", oid, error: null });
});
