/** Orders that were placed elsewhere: how much of one was filled is told from what proves it, as of one of ours. */
import { expect, test } from "bun:test";
import { TAKER } from "./plain-venue.ts";
import { liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

function whole(type: string, text: string): string {
  if (type !== "orderStatus" && type !== "historicalOrders") return text;
  return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
    typeof value === "object" && value !== null && "sz" in value && "origSz" in value
      ? { ...value, sz: value.origSz }
      : value,
  );
}

function byHand(s: Scene, action: unknown): void {
  s.venue.act(s.party.account.ownerAddress, action as Parameters<Scene["venue"]["act"]>[1]);
}

test("an order placed elsewhere whose record carries the whole size is not told as untouched", async () => {
  const s = await scene();
  holdStores(s, whole);
  trade(s, s.party.account.ownerAddress, { isBuy: true, price: 94_000, size: "0.01" });
  const [oid] = liveOrders(s);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  byHand(s, { type: "cancel", cancels: [{ a: 0, o: oid }], isFast: false });
  await s.pass(60_000);
  expect(liveOrders(s)).toEqual([]);
  const told = shown(await s.tell(null, { kind: "get", id: String(oid) }));
  expect(told).toMatchObject({ http: 200, status: "canceled", filled: "0.004" });
});

test("an order placed elsewhere that was filled is not told as filled by nothing while fills are late", async () => {
  const s = await scene();
  const stores = holdStores(s);
  trade(s, s.party.account.ownerAddress, { isBuy: true, price: 94_000, size: "0.01" });
  const [oid] = liveOrders(s);
  stores.stop("userFillsByTime");
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  await s.pass(2_000);
  const told = shown(await s.tell(null, { kind: "get", id: String(oid) }));
  expect(told).toMatchObject({ http: 200, status: "unknown", filled: null });
  stores.go();
  const later = shown(await s.tell(null, { kind: "get", id: String(oid) }));
  expect(later).toMatchObject({ http: 200, status: "filled", filled: "0.01" });
});

test("an order placed elsewhere that is open is told with its fills, though its record is of its placing", async () => {
  const s = await scene();
  holdStores(s, whole);
  trade(s, s.party.account.ownerAddress, { isBuy: true, price: 94_000, size: "0.01" });
  const [oid] = liveOrders(s);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(2_000);
  const told = shown(await s.tell(null, { kind: "get", id: String(oid) }));
  expect(told).toMatchObject({ http: 200, status: "open", filled: "0.004" });
});

test("an order placed elsewhere that was canceled untouched is told so, once its position has been read twice", async () => {
  const s = await scene();
  trade(s, s.party.account.ownerAddress, { isBuy: true, price: 94_000, size: "0.01" });
  const [oid] = liveOrders(s);
  byHand(s, { type: "cancel", cancels: [{ a: 0, o: oid }], isFast: false });
  await s.pass(2_000);
  const told = shown(await s.tell(null, { kind: "get", id: String(oid) }));
  expect(told).toMatchObject({ http: 200, status: "canceled", filled: "0" });
});
