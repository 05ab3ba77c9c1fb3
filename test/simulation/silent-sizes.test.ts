/** Orders whose records carry the whole size, and whose fills are late: silence of one store or two is no filled size. */
import { expect, test } from "bun:test";
import type { Ask } from "./front.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();
const SPOT = { ...limit("buy", 0.17, "100"), market: "PURR/USDC" };

/** Records that carry the whole size. */
function whole(type: string, text: string): string {
  if (type !== "orderStatus" && type !== "historicalOrders") return text;
  return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
    typeof value === "object" && value !== null && "sz" in value && "origSz" in value
      ? { ...value, sz: value.origSz }
      : value,
  );
}

test("perpetual: records carry the whole size, fills and positions are ten seconds late", async () => {
  const s = await scene();
  const stores = holdStores(s, whole);
  const placed = shown(await s.tell("perp", limit("buy", 94_000)));
  await s.pass(2_000);
  for (const type of ["userFillsByTime", "userFills", "clearinghouseState"]) stores.stop(type);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("perp-cancel", cancel);
  await s.pass(10_000);
  stores.go();
  await s.pass(60_000);
  expect(shown(await s.tell("perp-cancel", cancel))).toMatchObject({ status: "canceled", filled: "0.004" });
});

/** Somebody sells into the spot order, which is then canceled while no fill is shown for so long. */
async function canceledBehind(s: Scene, behindMs: number): Promise<{ id: string; cancel: Ask }> {
  const stores = holdStores(s, whole);
  const placed = shown(await s.tell("spot", SPOT));
  expect(placed).toMatchObject({ http: 201, status: "open" });
  await s.pass(2_000);
  for (const type of ["userFillsByTime", "userFills"]) stores.stop(type);
  const sale = { a: 10_000, b: false, p: "0.17", s: "70", r: false, t: { limit: { tif: "Ioc" as const } }, c: null };
  const action = { type: "order" as const, orders: [sale], grouping: "na" as const, builder: null };
  s.venue.act(s.other.account.ownerAddress, action as unknown as Parameters<Scene["venue"]["act"]>[1]);
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("spot-cancel", cancel);
  await s.pass(behindMs);
  stores.go();
  await s.pass(60_000);
  return { id: placed.id, cancel };
}

test("spot: a part that is shown four seconds after the cancel is in the cancel's answer", async () => {
  const s = await scene();
  const { cancel } = await canceledBehind(s, 4_000);
  expect(shown(await s.tell("spot-cancel", cancel))).toMatchObject({ status: "canceled", filled: "70" });
});

test("spot: a part that is shown later than anybody waits is added to the order", async () => {
  const s = await scene();
  const { id } = await canceledBehind(s, 10_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "canceled", filled: "70" });
});

test("a cancel of what nothing was filled of is answered in about a second where no store is behind", async () => {
  const s = await scene();
  const placed = shown(await s.tell("prompt", limit("buy", 94_000)));
  await s.pass(2_000);
  const call = s.ask("prompt-cancel", { kind: "cancel", id: placed.id });
  await s.pass(1_200);
  expect(call.answer).toMatchObject({ status: 200 });
});

test("positions that do not move on prove nothing, however often they are read", async () => {
  const s = await scene();
  const stores = holdStores(s, whole);
  const placed = shown(await s.tell("still", limit("buy", 94_000)));
  await s.pass(2_000);
  for (const type of ["userFillsByTime", "userFills", "clearinghouseState"]) stores.stop(type);
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("still-cancel", cancel);
  await s.pass(600_000);
  expect(shown(await s.tell("still-cancel", cancel))).toMatchObject({ http: 202, status: "unknown" });
  stores.go();
  await s.pass(60_000);
  expect(shown(await s.tell("still-cancel", cancel))).toMatchObject({ http: 200, status: "canceled", filled: "0" });
});
