/** Some answers to triggers name no native id: what must not be done while nobody has read it. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, liveOrders, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

function modifyTo(id: string, price: string, size: string | null = null) {
  return { kind: "modify" as const, id, price, size, alwaysPlace: true };
}

const TAKE_PROFIT = {
  ...limit("buy", 94_950),
  trigger: { price: "94800", kind: "take_profit" as const, market: true },
};

/** Whatever shows it under its client order id names it. */
const LISTS = ["frontendOpenOrders", "historicalOrders"];

test.each([2_000, 200_000])(
  "seed 80040492: a trigger that no look finds under its new name for %d ms is never modified under its old one",
  async (ms) => {
    const s = await scene({ areTriggersUnnamed: true });
    const placed = shown(await s.tell("nameless", TAKE_PROFIT));
    await s.tell(null, { kind: "get", id: placed.id });
    let areListsBehind = true;
    s.seeThrough(({ type }, answer) => (areListsBehind && LISTS.includes(type) ? [] : answer));
    s.setFate(({ body }) => (body.includes('"oid":"0x') ? { ...directly(5), isBlind: true } : directly(5)));
    const modify = modifyTo(placed.id, "94951");
    s.ask("nameless-1", modify);
    await s.pass(ms);
    const again = modifyTo(placed.id, "94952", "0.02");
    const refused = s.ask("nameless-2", again);
    await s.pass(12_000);
    expect(refused.answer).toMatchObject({ status: 409 });
    const { status } = shown(await s.tell(null, { kind: "get", id: placed.id }));
    expect(status).toBe("unknown");
    areListsBehind = false;
    s.setFate(() => directly(5));
    await s.pass(10_000);
    const [name] = liveOrders(s).map(String);
    const answered = shown(await s.tell("nameless-1", modify));
    expect(answered).toMatchObject({ http: 200, oid: name });
    const last = shown(await s.tell("nameless-2", again));
    expect(last).toMatchObject({ http: 200, status: "waiting_for_trigger" });
    expect(liveOrders(s).map(String)).toEqual([last.oid ?? ""]);
  },
);

test.each(["placed before it", "placed after it"])(
  "a cancel of a trigger that no answer has named reaches no order of others under its client order id, %s",
  async (when) => {
    const s = await scene({ areTriggersUnnamed: true });
    const others = (cloid: string) => {
      const orders = [{ a: 0, b: true, p: "93000", s: "0.07", r: false, t: { limit: { tif: "Gtc" } }, c: cloid }];
      const action = { type: "order", orders, grouping: "na", builder: null };
      s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<typeof s.venue.act>[1]);
    };
    const ask = s.ask("nameless", TAKE_PROFIT);
    const cloid = () => `0x${String(s.rows("select id from orders")[0]?.["id"]).replaceAll("-", "")}`;
    if (when === "placed before it") {
      await s.pass(3);
      others(cloid());
    }
    await s.pass(500);
    if (when === "placed after it") others(cloid());
    expect(liveOrders(s)).toHaveLength(2);
    const id = String(s.rows("select id from orders")[0]?.["id"]);
    expect(ask.answer).toMatchObject({ status: 201 });
    await s.tell("nameless-cancel", { kind: "cancel", id });
    await s.pass(10_000);
    const live = liveOrders(s).map((oid) => s.venue.runtime.world.venue.orders.get(oid));
    expect(live).toMatchObject([{ trigger: null }]);
  },
);

test("seed 256509: what a modify of a trigger has placed is named by a list, though another's order hides its record", async () => {
  const s = await scene({ areTriggersUnnamed: true });
  const placed = shown(await s.tell("nameless", TAKE_PROFIT));
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).oid).not.toBeNull();
  let isHidden = true;
  s.seeThrough((request, answer) => {
    if (isHidden && LISTS.includes(request.type)) return [];
    // The record of the original says first that it was canceled, and not by whom; that of its replacement is never shown.
    const isOriginals = typeof request["oid"] === "number";
    return request.type === "orderStatus" && isOriginals !== isHidden ? { status: "unknownOid" } : answer;
  });
  const modify = modifyTo(placed.id, "94951");
  s.ask("nameless-1", modify);
  await s.pass(20);
  const [own] = liveOrders(s);
  expect(own).toBeDefined();
  const cloid = s.venue.runtime.world.venue.orders.get(Number(own))?.cloid ?? null;
  const orders = [{ a: 0, b: true, p: "93000", s: "0.07", r: false, t: { limit: { tif: "Gtc" } }, c: cloid }];
  const action = { type: "order", orders, grouping: "na", builder: null } as unknown;
  s.venue.act(s.party.account.ownerAddress, action as Parameters<typeof s.venue.act>[1]);
  await s.pass(8_000);
  isHidden = false;
  await s.pass(60_000);
  const answer = shown(await s.tell("nameless-1", modify));
  expect(answer).toMatchObject({ http: 200, status: "waiting_for_trigger", id: placed.id, oid: String(own) });
  s.takeErrors();
});

test("what a cancel by client order id has closed may be another's: a trigger that is named after it is canceled by its own id", async () => {
  const s = await scene({ areTriggersUnnamed: true });
  // Nothing names it before its cancel is answered.
  let isHidden = true;
  s.seeThrough(({ type }, answer) => {
    if (!isHidden) return answer;
    return LISTS.includes(type) ? [] : type === "orderStatus" ? { status: "unknownOid" } : answer;
  });
  const placed = shown(await s.tell("hit", TAKE_PROFIT));
  expect(placed.oid).toBeNull();
  const cloid = `0x${placed.id.replaceAll("-", "")}`;
  const orders = [{ a: 0, b: true, p: "93000", s: "0.07", r: false, t: { limit: { tif: "Gtc" } }, c: cloid }];
  // Decimals of these texts are canonical; the brand is the engine's.
  const action = { type: "order", orders, grouping: "na", builder: null } as unknown as Parameters<
    typeof s.venue.act
  >[1];
  s.venue.act(s.party.account.ownerAddress, action);
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("hit-cancel", cancel);
  await s.pass(100);
  // It has closed the other one.
  expect(liveOrders(s).map((oid) => s.venue.runtime.world.venue.orders.get(oid))).toMatchObject([{ cloid }]);
  isHidden = false;
  await s.pass(90_000);
  expect(liveOrders(s)).toEqual([]);
  expect(shown(await s.tell("hit-cancel", cancel))).toMatchObject({ http: 200, status: "canceled" });
  s.takeErrors();
});

test("seed 2104851: a trigger that was over before anything named it is told by its history, though another's order hides it", async () => {
  const s = await scene({ areTriggersUnnamed: true });
  let isHidden = true;
  s.seeThrough(({ type }, answer) => {
    if (!isHidden) return answer;
    return LISTS.includes(type) ? [] : type === "orderStatus" ? { status: "unknownOid" } : answer;
  });
  const placed = shown(await s.tell("behind", TAKE_PROFIT));
  expect(placed.oid).toBeNull();
  const [own] = liveOrders(s);
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.07" });
  const cloid = `0x${placed.id.replaceAll("-", "")}`;
  const orders = [{ a: 0, b: true, p: "95200", s: "0.07", r: false, t: { limit: { tif: "Gtc" } }, c: cloid }];
  const acts = [
    { type: "cancel", cancels: [{ a: 0, o: Number(own) }], f: false },
    { type: "order", orders, grouping: "na", builder: null },
  ] as unknown as Parameters<typeof s.venue.act>[1][];
  for (const action of acts) s.venue.act(s.party.account.ownerAddress, action);
  isHidden = false;
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("behind-cancel", cancel);
  await s.pass(120_000);
  expect(shown(await s.tell("behind-cancel", cancel))).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  s.takeErrors();
});

test("that cancels find another's order over is no word about a trigger which one list lacks", async () => {
  const s = await scene({ areTriggersUnnamed: true });
  const act = (order: object) => {
    const orders = [{ a: 0, b: true, r: false, t: { limit: { tif: "Gtc" } }, ...order }];
    const action = { type: "order", orders, grouping: "na", builder: null } as unknown;
    s.venue.act(s.party.account.ownerAddress, action as Parameters<typeof s.venue.act>[1]);
  };
  let isPlaced = false;
  let cloid = "";
  let shownFromMs: number | null = null;
  s.seeThrough(({ type }, answer) => {
    if (!isPlaced && type === "orderStatus") return { status: "unknownOid" };
    if (type === "historicalOrders") return [];
    if (type !== "frontendOpenOrders") return answer;
    const rows = answer as { cloid: string | null; limitPx: string }[];
    // Lists show it from some seconds after the first on that holds something newer: only one of them speaks against it.
    if (rows.some(({ limitPx }) => limitPx === "93000.0")) shownFromMs ??= s.timeline.nowMs() + 9_000;
    const isShown = shownFromMs !== null && s.timeline.nowMs() >= shownFromMs;
    return isShown ? answer : rows.filter((row) => row.cloid !== cloid);
  });
  const placed = shown(await s.tell("hit", TAKE_PROFIT));
  cloid = `0x${placed.id.replaceAll("-", "")}`;
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.07" });
  act({ p: "95200", s: "0.07", c: cloid });
  isPlaced = true;
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("hit-cancel", cancel);
  await s.pass(42_000);
  act({ p: "93000", s: "0.01", c: null });
  await s.pass(60_000);
  expect(liveOrders(s).map((oid) => s.venue.runtime.world.venue.orders.get(oid))).toMatchObject([{ trigger: null }]);
  expect(shown(await s.tell("hit-cancel", cancel))).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  s.takeErrors();
});

test("a trigger that only the stream ever names is told by that name, also when it is over and forgotten (seed 815295)", async () => {
  const s = await scene({ areTriggersUnnamed: true, hasFeed: true });
  await s.pass(2_000);
  const edit = (type: string, text: string) => (type === "orderStatus" ? '{"status":"unknownOid"}' : text);
  holdStores(s, (type, text) => (LISTS.includes(type) ? "[]" : edit(type, text)));
  // The stream's word on the market was waited for just now: no answer waits for it again.
  await s.tell("first", limit("buy", 94_000));
  const placed = shown(await s.tell("streamed", TAKE_PROFIT));
  expect(placed.oid).toBeNull();
  const oid = String(liveOrders(s).at(-1));
  await s.pass(1_500);
  expect(s.rows("select exchange_order_id as oid from orders order by id")).toMatchObject([{}, { oid }]);
  await s.tell("streamed-cancel", { kind: "cancel", id: placed.id });
  await s.pass(60_000);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({
    status: "canceled",
    oid,
    filled: "0",
  });
});
