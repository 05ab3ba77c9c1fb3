/** Whose end an original had, where one store alone says that it was its own. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { eachRecord, isOver, type RecordRow } from "./worlds/lens.ts";

const scene = scenesOfThisFile();

const TRIGGER = { price: "95260", kind: "take_profit", market: false } as const;
const RESTING = limit("buy", 94_000);
const WAITING = { ...limit("sell", 95_104), trigger: TRIGGER };

/** For forty seconds its record tells an end of its own, of the moment of its placing or of its end; no other store does. */
function mixUp(s: Scene, oid: string | null, word: string, isOfPlacing = false): void {
  s.seeThrough(
    eachRecord((row, { type }) => {
      const isIt = type === "orderStatus" && String(row.order.oid) === oid && isOver(row);
      if (!isIt || s.timeline.nowMs() > 40_000) return row;
      const statusTimestamp = isOfPlacing ? Number(row.order["timestamp"]) : row.statusTimestamp;
      return { ...row, status: word, statusTimestamp };
    }),
  );
}

test.each([
  { name: "resting, a word of its own", order: RESTING, word: "selfTradeCanceled", isOfPlacing: false },
  { name: "resting, as filled", order: RESTING, word: "filled", isOfPlacing: false },
  { name: "resting, another time", order: RESTING, word: "canceled", isOfPlacing: true },
  { name: "waiting, a word of its own", order: WAITING, word: "marginCanceled", isOfPlacing: true },
  { name: "waiting, another time", order: WAITING, word: "canceled", isOfPlacing: true },
])("what always_place has replaced is not told as ended by what its record alone says ($name)", async (about) => {
  for (const hasFeed of [false, true]) {
    const s = await scene({ hasFeed });
    const placed = shown(await s.tell("mixed-up", about.order));
    await s.pass(5_000);
    mixUp(s, placed.oid, about.word, about.isOfPlacing);
    const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: "0.02", alwaysPlace: true };
    s.ask("mixed-up-modify", modify);
    await s.pass(60_000);
    const [live] = liveOrders(s).map(String);
    expect(shown(await s.tell("mixed-up-modify", modify))).toMatchObject({ http: 200, id: placed.id, oid: live });
    expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ oid: live });
    expect(liveOrders(s)).toHaveLength(1);
  }
});

test("a modify of which nobody hears has not placed nothing because the record of its original alone says that it was over", async () => {
  const s = await scene();
  const placed = shown(await s.tell("alone", RESTING));
  mixUp(s, placed.oid, "selfTradeCanceled");
  hideOthers(s, placed.oid);
  s.setFate(({ path }) => (path === "/exchange" ? { arrivesAfterMs: [5], answer: { kind: "silence" } } : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("alone-modify", modify);
  await s.pass(5_000);
  s.setFate(() => directly(5));
  await s.pass(30_000);
  expect(shown(await s.tell("alone-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(60_000);
  const [live] = liveOrders(s).map(String);
  expect(shown(await s.tell("alone-modify", modify))).toMatchObject({ http: 200, id: placed.id, oid: live });
});

test("an original that lives has had no end of its own because its record alone says so for minutes, while no list can be read", async () => {
  const s = await scene();
  const placed = shown(await s.tell("lives", RESTING));
  await s.pass(5_000);
  s.seeThrough(
    eachRecord((row, { type }) =>
      type === "orderStatus" && String(row.order.oid) === placed.oid ? { ...row, status: "selfTradeCanceled" } : row,
    ),
  );
  const isUnread = () => s.timeline.nowMs() < 250_000;
  s.setFate(({ body }) => {
    if (body.includes('"batchModify"')) return { arrivesAfterMs: [], answer: { kind: "silence" } };
    const isList = body.includes('"frontendOpenOrders"') && isUnread();
    return isList ? { arrivesAfterMs: [], answer: { kind: "page", status: 500, afterMs: 5 } } : directly(5);
  });
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: "0.02", alwaysPlace: true };
  s.ask("lives-modify", modify);
  const told = async () => shown(await s.tell(null, { kind: "get", id: placed.id }));
  await s.pass(200_000);
  // Nobody has shown it open since, either.
  expect(await told()).toMatchObject({ status: "unknown" });
  expect(shown(await s.tell("lives-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(100_000);
  expect(await told()).toMatchObject({ status: "open", oid: placed.oid });
  expect(shown(await s.tell("lives-modify", modify))).toMatchObject({ http: 200, status: "open", oid: placed.oid });
  expect(liveOrders(s).map(String)).toEqual([placed.oid ?? ""]);
});

/** For forty seconds no store shows any other order. */
function hideOthers(s: Scene, oid: string | null): void {
  const isIt = ({ order }: Pick<RecordRow, "order">) => String(order.oid) === oid;
  const isHidden = () => s.timeline.nowMs() <= 40_000;
  s.seeThrough(eachRecord((row) => (isHidden() && !isIt(row) ? null : row)));
  s.seeThrough(({ type }, answer) =>
    // As the exchange answers.
    type === "frontendOpenOrders" && isHidden()
      ? (answer as RecordRow["order"][]).filter((order) => isIt({ order }))
      : answer,
  );
}

test.each([{ isKilled: false }, { isKilled: true }])(
  "that it had an end of its own counts, where one store has told it and keeps it no longer (killed meanwhile: $isKilled)",
  async ({ isKilled }) => {
    const s = await scene();
    const placed = shown(await s.tell("once", RESTING));
    await s.pass(5_000);
    mixUp(s, placed.oid, "selfTradeCanceled");
    const isIt = ({ order }: Pick<RecordRow, "order">) => String(order.oid) === placed.oid;
    const isGone = () => s.timeline.nowMs() > 30_000;
    s.seeThrough(eachRecord((row, { type }) => (isIt(row) && (type === "historicalOrders" || isGone()) ? null : row)));
    s.setFate(({ body }) => (body.includes('"batchModify"') ? directly(500) : directly(5)));
    const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: "0.02", alwaysPlace: true };
    s.ask("once-modify", modify);
    await s.pass(400);
    // Decimals of these texts are canonical; the brand is the engine's.
    s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(placed.oid) }], f: false });
    await s.pass(40_000);
    expect(shown(await s.tell("once-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
    if (isKilled) s.kill();
    if (isKilled) await s.start();
    await s.pass(200_000);
    const told = shown(await s.tell("once-modify", modify));
    expect(told).toMatchObject({ http: 200, status: "open", oid: String(liveOrders(s)[0]) });
    expect(told.id).not.toBe(placed.id);
    expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "canceled" });
  },
);

type Ended = { s: Scene; placed: ReturnType<typeof shown>; modify: Parameters<Scene["ask"]>[1] };

/** Somebody cancels it by hand, a moment before what was to replace it arrives; `hides` says which records of it are not shown. */
async function endedBefore(
  order: typeof RESTING | typeof WAITING,
  about: { hasFeed: boolean; hides: (type: string) => boolean },
): Promise<Ended> {
  const s = await scene({ hasFeed: about.hasFeed });
  const placed = shown(await s.tell("by-hand", order));
  await s.pass(5_000);
  s.seeThrough(eachRecord((row, { type }) => (String(row.order.oid) === placed.oid && about.hides(type) ? null : row)));
  s.setFate(({ body }) => (body.includes('"batchModify"') ? directly(500) : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: "0.02", alwaysPlace: true };
  s.ask("by-hand-modify", modify);
  await s.pass(400);
  // Decimals of these texts are canonical; the brand is the engine's.
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(placed.oid) }], f: false });
  return { s, placed, modify };
}

test.each([
  { name: "the history", hasFeed: false, order: RESTING, hides: () => false, withinMs: 8_000 },
  { name: "its feed", hasFeed: true, order: WAITING, hides: (type: string) => type !== "orderStatus", withinMs: 8_000 },
  {
    name: "its feed alone, where no record is kept",
    hasFeed: true,
    order: WAITING,
    hides: () => true,
    withinMs: 300_000,
  },
])("an original that was canceled before its modify came has had its own end, as $name says too", async (about) => {
  const { s, placed, modify } = await endedBefore(about.order, about);
  await s.pass(about.withinMs);
  const told = shown(await s.tell("by-hand-modify", modify));
  expect(told).toMatchObject({ http: 200, oid: String(liveOrders(s)[0]) });
  expect(told.id).not.toBe(placed.id);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "canceled" });
});

test.each([{ isKilled: false }, { isKilled: true }])(
  "when it placed in any case is kept until the record of the original is shown (killed meanwhile: $isKilled)",
  async ({ isKilled }) => {
    const s = await scene();
    const placed = shown(await s.tell("late", RESTING));
    await s.pass(5_000);
    const isIt = ({ order }: Pick<RecordRow, "order">) => String(order.oid) === placed.oid;
    const isLater = () => s.timeline.nowMs() > 30_000;
    // The record of the original is behind until that of what has replaced it is forgotten; no history has either.
    s.seeThrough(eachRecord((row, { type }) => (type === "orderStatus" && isIt(row) === isLater() ? row : null)));
    const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: "0.02", alwaysPlace: true };
    s.ask("late-modify", modify);
    await s.pass(20_000);
    expect(shown(await s.tell("late-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
    if (isKilled) s.kill();
    if (isKilled) await s.start();
    await s.pass(60_000);
    const live = String(liveOrders(s)[0]);
    expect(shown(await s.tell("late-modify", modify))).toMatchObject({ http: 200, id: placed.id, oid: live });
  },
);

test("a history that cannot be read is not silent about whose end it was", async () => {
  const { s, modify } = await endedBefore(RESTING, { hasFeed: false, hides: () => false });
  const isUnread = () => s.timeline.nowMs() < 400_000;
  s.setFate(({ body }) =>
    body.includes('"historicalOrders"') && isUnread()
      ? { arrivesAfterMs: [], answer: { kind: "page", status: 500, afterMs: 5 } }
      : directly(5),
  );
  await s.pass(300_000);
  expect(shown(await s.tell("by-hand-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(200_000);
  expect(shown(await s.tell("by-hand-modify", modify))).toMatchObject({ http: 200, oid: String(liveOrders(s)[0]) });
});

test("a copy that runs between two reads of one look is not missed for having been asked for too soon", async () => {
  const s = await scene();
  const placed = shown(await s.tell("copied", RESTING));
  // Its record and its fills are all of it: one look tells its end.
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(5_000);
  const execute = s.venue.execute.bind(s.venue);
  let copy: string | null = null;
  s.venue.execute = (body) => {
    if (!body.includes('"batchModify"')) return execute(body);
    copy = body;
    const answer = { status: "ok", response: { type: "order", data: { statuses: [{ error: PRICE_FAR }] } } };
    return { status: 200, contentType: "application/json", body: JSON.stringify(answer) };
  };
  let asked = 0;
  s.seeThrough((request, answer) => {
    asked += request.type === "orderStatus" && typeof request["oid"] === "string" ? 1 : 0;
    // The first asks for what was refused; the second is one of two of a look.
    if (asked !== 2 || copy === null) return answer;
    execute(copy);
    copy = null;
    return answer;
  });
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("copied-modify", modify);
  await s.pass(30_000);
  const [live] = liveOrders(s).map(String);
  expect(live).not.toBe(placed.oid ?? undefined);
  const heard = s.rows(`select payload from events where resource_id = '${placed.id}' and payload like '%canceled%'`);
  expect(heard).toEqual([]);
  expect(shown(await s.tell("copied-modify", modify))).toMatchObject({ http: 200, status: "open", oid: live });
});

const PRICE_FAR = "Order price cannot be more than 95% away from the reference price";
