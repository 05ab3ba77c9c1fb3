/** What `always_place` has placed, while nobody knows yet whether it stands beside the order or in its place. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

/** Every state of an order that was told as an event: status and native id. */
function told(s: Scene, id: string): string[] {
  const rows = s.rows(`select payload from events where resource_id = '${id}' order by id`);
  return rows.map(({ payload }) => {
    const order = JSON.parse(String(payload));
    return `${order.status} ${order.exchange_order_id}`;
  });
}

test.each([true, false])(
  "an order is unknown until it is known what its modify has done to it (filled before: %p)",
  async (isFilledBefore) => {
    const s = await scene();
    const stores = holdStores(s);
    const placed = shown(await s.tell("in-any-case", limit("buy", 94_000)));
    const modify = { kind: "modify" as const, id: placed.id, price: "93000", size: null, alwaysPlace: true };
    s.setFate(({ body }) => (body.includes('"batchModify"') ? directly(400) : directly(5)));
    s.ask("in-any-case-modify", modify);
    await s.pass(100);
    for (const type of ["orderStatus", "userFillsByTime", "clearinghouseState"]) stores.stop(type);
    if (isFilledBefore) trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
    await s.pass(3_000);
    const [beside] = liveOrders(s).map(String);
    const between = shown(await s.tell(null, { kind: "get", id: placed.id }));
    expect(between).toMatchObject({ status: "unknown", oid: placed.oid });
    expect(between.error).toContain("beside it");
    stores.go();
    await s.pass(60_000);
    const end = shown(await s.tell("in-any-case-modify", modify));
    expect(end).toMatchObject({ http: 200, status: "open", oid: beside });
    expect(end.id === placed.id).toBe(!isFilledBefore);
    const isOpenAs = told(s, placed.id).includes(`open ${beside}`);
    expect(isOpenAs).toBe(!isFilledBefore);
  },
);
