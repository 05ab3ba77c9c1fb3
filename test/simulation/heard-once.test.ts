/** What one answer has told, and no later one does: the exchange has forgotten it since. */

import { expect, test } from "bun:test";
import { stateWith } from "../support/state-with.ts";
import { directly, type Fate } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { eachRecord, type Lens } from "./worlds/lens.ts";

const scene = scenesOfThisFile();

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Scene["venue"]["act"]>[1];

function byHand(s: Scene, action: object): void {
  s.venue.act(s.party.account.ownerAddress, action as Act);
}

function placeByHand(s: Scene, order: { isBuy: boolean; price: number; size: string }): void {
  const { isBuy: b, price, size } = order;
  const request = { a: 0, b, p: String(price), s: size, r: false, t: { limit: { tif: "Gtc" } }, c: null };
  byHand(s, { type: "order", orders: [request], grouping: "na", builder: null });
}

type Switched = { isOn: boolean; lens: Lens };

/** While `isOn`, no record of that order is kept. */
function forgetting(oid: number): Switched {
  const about: Switched = {
    isOn: false,
    lens: eachRecord((row) => (about.isOn && row.order.oid === oid ? null : row)),
  };
  return about;
}

/** While `isOn`, no list of fills has any. */
function hidingFills(): Switched {
  const about: Switched = {
    isOn: true,
    lens: ({ type }, answer) => (about.isOn && type.startsWith("userFills") ? [] : answer),
  };
  return about;
}

/** Newer orders of the owner's in the list, now and then. */
async function passQuietly(s: Scene, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 20) {
    placeByHand(s, { isBuy: true, price: 5_000 + second, size: "0.01" });
    await s.pass(20_000);
  }
}

test("a fill that only its record told, of a position that another fill has taken back, is not told as none", async () => {
  const s = await scene();
  const fills = hidingFills();
  s.seeThrough(fills.lens);
  const { id, oid } = shown(await s.tell("told-filled", limit("buy", 94_000)));
  const record = forgetting(Number(oid));
  s.seeThrough(record.lens);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  trade(s, MAKER, { isBuy: true, price: 94_500, size: "0.01" });
  placeByHand(s, { isBuy: false, price: 94_500, size: "0.01" });
  await s.pass(40_000);
  const told = shown(await s.tell(null, { kind: "get", id }));
  expect(told).toMatchObject({ status: "unknown", oid });
  expect(told.error).toContain("fills that are not shown yet");
  record.isOn = true;
  await passQuietly(s, 300);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "unknown", oid });
  fills.isOn = false;
  await s.pass(40_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "filled", filled: "0.01", oid });
});

test("a position that an order of ours has moved back, by an answer of which no fill is shown, is no word of another", async () => {
  const s = await scene();
  const fills = hidingFills();
  s.seeThrough(fills.lens);
  const { id, oid } = shown(await s.tell("moved", limit("buy", 94_000)));
  const record = forgetting(Number(oid));
  s.seeThrough(record.lens);
  record.isOn = true;
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  trade(s, MAKER, { isBuy: true, price: 94_500, size: "0.01" });
  const back = { ...limit("sell", 94_500), timeInForce: "ioc" as const };
  expect(shown(await s.tell("moved-back", back))).toMatchObject({ status: "filled" });
  await passQuietly(s, 300);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "unknown", oid });
  fills.isOn = false;
  await s.pass(60_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "filled", filled: "0.01", oid });
});

test("an original that had an end of its own has had it, also where its record is gone before its size is known", async () => {
  const s = await scene();
  const { id, oid } = shown(await s.tell("own-end", limit("buy", 94_000)));
  const record = forgetting(Number(oid));
  s.seeThrough(record.lens);
  s.seeThrough(
    eachRecord((row) =>
      row.status === "canceled" && String(row.order.oid) === oid ? { ...row, status: "selfTradeCanceled" } : row,
    ),
  );
  // A position that its fills do not explain: what was filled of the original is not known.
  let isMoved = true;
  s.seeThrough(({ type }, answer) => (type === "clearinghouseState" && isMoved ? withPosition(answer) : answer));
  const late: Fate = { arrivesAfterMs: [500], answer: { kind: "silence" } };
  s.setFate(({ body }) => (body.includes('"batchModify"') ? late : directly(5)));
  const change = { kind: "modify", id, price: "94001", size: "0.02", alwaysPlace: true } as const;
  s.ask("own-end-modify", change);
  await s.pass(400);
  byHand(s, { type: "cancel", cancels: [{ a: 0, o: Number(oid) }] });
  await s.pass(12_000);
  expect(shown(await s.tell("own-end-modify", change)).http).toBe(202);
  record.isOn = true;
  await s.pass(5_000);
  isMoved = false;
  await passQuietly(s, 200);
  const told = shown(await s.tell("own-end-modify", change));
  expect(told).toMatchObject({ http: 200, status: "open", filled: "0" });
  expect(told.id).not.toBe(id);
  expect(liveOrders(s).map(String)).toContain(told.oid ?? "");
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "canceled", filled: "0", oid });
});

/** Shapes of the paper exchange's own readers. */
function withPosition(answer: unknown): unknown {
  const state = answer as { assetPositions: object[] };
  const position = {
    coin: "BTC",
    szi: "0.005",
    leverage: { type: "cross", value: 20 },
    entryPx: "94000.0",
    positionValue: "470.0",
    unrealizedPnl: "0.0",
    returnOnEquity: "0.0",
    liquidationPx: null,
    marginUsed: "23.5",
    maxLeverage: 40,
    cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
  };
  return stateWith(state, [...state.assetPositions, { type: "oneWay", position }]);
}

test("in a quiet account a modify that places in any case ends, although the word for the end of its original is new", async () => {
  const s = await scene();
  s.seeThrough(eachRecord((row) => (row.status === "canceled" ? { ...row, status: "canceledV2" } : row)));
  const { id } = shown(await s.tell("new-end", limit("buy", 94_000)));
  await s.pass(5_000);
  const change = { kind: "modify", id, price: "94001", size: "0.02", alwaysPlace: true } as const;
  s.ask("new-end-modify", change);
  await s.pass(60_000);
  const told = shown(await s.tell("new-end-modify", change));
  expect(told).toMatchObject({ http: 200, status: "open", filled: "0", error: null });
  expect(liveOrders(s).map(String)).toEqual([told.oid ?? ""]);
});

test("an order whose answer was lost was there where its record alone has told its end, and is canceled where that is forgotten", async () => {
  const s = await scene();
  const forgotten: number[] = [];
  let isKept = true;
  s.seeThrough(
    eachRecord((row, { type }) =>
      forgotten.includes(row.order.oid) && (type === "historicalOrders" || !isKept) ? null : row,
    ),
  );
  s.setFate(({ body }) =>
    body.includes('"type":"order"') ? { arrivesAfterMs: [5], answer: { kind: "silence" } } : directly(5),
  );
  const placed = limit("buy", 94_000);
  s.ask("told-by-one", placed);
  await s.pass(100);
  const [oid = 0] = liveOrders(s);
  forgotten.push(oid);
  byHand(s, { type: "cancel", cancels: [{ a: 0, o: oid }] });
  await s.pass(12_000);
  expect(shown(await s.tell("told-by-one", placed))).toMatchObject({ http: 202, status: "unknown", oid: String(oid) });
  isKept = false;
  await passQuietly(s, 200);
  const told = shown(await s.tell("told-by-one", placed));
  expect(told).toMatchObject({ http: 201, status: "canceled", filled: "0", oid: String(oid) });
});
