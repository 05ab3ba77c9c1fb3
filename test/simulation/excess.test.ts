/** What a price-only modify has placed too much, and a reduction that fails: it is taken off all the same. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
const BAND = "Order price cannot be more than 95% away from the reference price";

function modifyTo(id: string, price: string) {
  return { kind: "modify" as const, id, price, size: null, alwaysPlace: false };
}

function isAction(body: string, type: string): boolean {
  return body.startsWith(`{"action":{"type":"${type}"`);
}

function isModify(body: string): boolean {
  return isAction(body, "batchModify");
}

/** The exchange refuses these actions whole, counted from 1. */
function refuse({ venue }: Scene, isRefused: (nth: number) => boolean, response = BAND, type = "batchModify"): void {
  const execute = venue.execute.bind(venue);
  let count = 0;
  venue.execute = (body) => {
    if (!isAction(body, type)) return execute(body);
    count += 1;
    if (!isRefused(count)) return execute(body);
    return { status: 200, contentType: "application/json", body: JSON.stringify({ status: "err", response }) };
  };
}

/** 1 rests, is modified by its price alone, and 0.165 of it is filled as the modify arrives. */
async function fillWhileModified(s: Scene) {
  const placed = shown(await s.tell("excess", limit("buy", 94_000, "1")));
  let isFirst = true;
  s.setFate(({ body }) => {
    if (!isModify(body) || !isFirst) return directly(5);
    isFirst = false;
    return directly(400);
  });
  const modify = modifyTo(placed.id, "93999");
  s.ask("excess-modify", modify);
  await s.pass(200);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.165" });
  return { id: placed.id, modify };
}

function openSizes(s: Scene): number[] {
  return liveOrders(s).map((oid) => Number(s.venue.runtime.world.venue.orders.get(oid)?.size) / 1e8);
}

const REDUCED = { status: "open", size: "1", filled_size: "0.165", error: null };

test.each([BAND, "Too many cumulative requests sent (10 > 9) for cumulative volume traded $0."])(
  "what could not be reduced is reduced again, and no refusal of that is one of the modify (%s)",
  async (response) => {
    const s = await scene();
    refuse(s, (nth) => nth === 2 || nth === 3, response);
    const { id, modify } = await fillWhileModified(s);
    await s.pass(40_000);
    expect(openSizes(s)).toEqual([0.835]);
    const told = await s.tell("excess-modify", modify);
    expect([told.status, JSON.parse(told.body)]).toMatchObject([200, REDUCED]);
    expect(JSON.parse((await s.tell(null, { kind: "get", id })).body)).toMatchObject(REDUCED);
  },
);

test("what the exchange refuses to reduce again and again is canceled, in words that say so", async () => {
  const s = await scene();
  refuse(s, (nth) => nth >= 2);
  const { id, modify } = await fillWhileModified(s);
  await s.pass(120_000);
  expect(openSizes(s)).toEqual([]);
  const told = shown(await s.tell("excess-modify", modify));
  const end = { status: "canceled", filled: "0.165", error: expect.stringContaining("more than was left") };
  expect(told).toMatchObject({ http: 200, ...end });
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject(end);
});

test("a process that dies with the reduction stored and not sent reduces at its next start", async () => {
  const s = await scene();
  const placed = shown(await s.tell("excess", limit("buy", 94_000, "1")));
  let modifies = 0;
  s.setFate(({ body }) => {
    if (!isModify(body)) return directly(5);
    modifies += 1;
    if (modifies === 1) return directly(400);
    s.timeline.after(0, () => s.kill());
    return LOST;
  });
  const modify = modifyTo(placed.id, "93999");
  s.ask("excess-modify", modify);
  await s.pass(200);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.165" });
  await s.pass(20_000);
  s.setFate(() => directly(5));
  await s.start();
  await s.pass(60_000);
  expect(openSizes(s)).toEqual([0.835]);
  expect(JSON.parse((await s.tell("excess-modify", modify)).body)).toMatchObject(REDUCED);
});

/** A modify that is answered while no store shows the fill yet, nor the record its size. */
async function modifyBeforeItsFillIsShown(s: Scene) {
  let isWrong = true;
  const stores = holdStores(s, (type, text) =>
    type === "orderStatus" && isWrong ? text.replaceAll('"sz":"0.835"', '"sz":"1.0"') : text,
  );
  for (const type of ["userFillsByTime", "clearinghouseState"]) stores.stop(type);
  const { id, modify } = await fillWhileModified(s);
  await s.pass(8_000);
  expect(JSON.parse((await s.tell("excess-modify", modify)).body)).toMatchObject({ size: "1", filled_size: "0" });
  const showAll = () => {
    isWrong = false;
    stores.go();
  };
  return { id, showAll };
}

test.each([
  ["modify", BAND],
  ["cancel", "Trading is halted."],
] as const)(
  "a fill that is told while a %s is open, which is refused then (%s), is not forgotten",
  async (kind, words) => {
    const s = await scene();
    const { id, showAll } = await modifyBeforeItsFillIsShown(s);
    refuse(s, (nth) => nth === 1, words, kind === "modify" ? "batchModify" : "cancel");
    s.setFate(({ body }) =>
      isAction(body, "batchModify") || isAction(body, "cancel") ? directly(1_000) : directly(5),
    );
    const second = kind === "modify" ? modifyTo(id, "93998") : { kind, id };
    // Fills are read every half minute: now, while the action is on its way.
    await s.pass(29_300 - (s.timeline.nowMs() % 30_000));
    s.ask("excess-second", second);
    // It was looked at before that was sent.
    await s.pass(100);
    showAll();
    await s.pass(1_400);
    expect(s.rows("select size from fills")).toEqual([{ size: "0.165" }]);
    expect(JSON.parse((await s.tell(null, { kind: "get", id })).body).error).toContain("0.165 more than asked for");
    await s.pass(70_000);
    expect(shown(await s.tell("excess-second", second)).error).toContain(words);
    expect(openSizes(s)).toEqual([0.835]);
    expect(JSON.parse((await s.tell(null, { kind: "get", id })).body)).toMatchObject(REDUCED);
  },
);

test("a process that dies when a late fill was written down reduces at its next start", async () => {
  const s = await scene();
  const { id, showAll } = await modifyBeforeItsFillIsShown(s);
  s.setFate(({ path, body }) => (path === "/exchange" && isModify(body) ? LOST : directly(5)));
  const { deps } = s.process().gateway;
  // It dies in the very turn that has written the fill down.
  Object.assign(deps.state, { phase: "draining" });
  showAll();
  await s.pass(45_000);
  expect(shown(await s.tell(null, { kind: "get", id })).filled).toBe("0.165");
  expect(shown(await s.tell(null, { kind: "get", id })).error).toContain("0.165 more than asked for is open");
  s.kill();
  s.setFate(() => directly(5));
  await s.start();
  await s.pass(30_000);
  expect(openSizes(s)).toEqual([0.835]);
  expect(JSON.parse((await s.tell(null, { kind: "get", id })).body)).toMatchObject(REDUCED);
});
