/** What lists and fills say of a write that is under way: no more than its row does, and nothing that its end takes back. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { executed, limit, openScene, type Scene, shown, trade } from "./scene.ts";

async function inScene(about: (s: Scene) => Promise<void>, hasFeed = false): Promise<void> {
  const s = await openScene({ hasFeed });
  try {
    await about(s);
    expect(s.takeErrors()).toEqual([]);
  } finally {
    s.close();
  }
}

type Row = { id: string; status: string; created_at: string; exchange_order_id: string | null };

async function listed(s: Scene): Promise<Row[]> {
  return JSON.parse((await s.tell(null, { kind: "list_open" })).body).data;
}

async function read(s: Scene, id: string): Promise<Row> {
  return JSON.parse((await s.tell(null, { kind: "get", id })).body);
}

/** Everything arrives; what the exchange says to an action comes so much later, and by id it shows no order until then. */
function answersAfter(s: Scene, afterMs: number): void {
  const untilMs = s.timeline.nowMs() + afterMs;
  s.setFate(({ path, body }) => {
    if (path === "/exchange") return { arrivesAfterMs: [5], answer: { kind: "true", ofCopy: 0, afterMs } };
    return { ...directly(5), isBlind: body.includes('"orderStatus"') && s.timeline.nowMs() < untilMs };
  });
}

test("an order that rests is in the list of open ones when its row says so, and as that says it", () =>
  inScene(async (s) => {
    answersAfter(s, 400);
    s.ask("under-way", limit("buy", 90_000));
    for (let nth = 0; nth < 12; nth += 1) {
      await s.pass(50);
      const rows = await listed(s);
      const [row] = s.rows("select id, status from orders");
      const told = await read(s, String(row?.["id"]));
      const isOpen = told.status === "open";
      // Between the two questions it may have become open.
      expect(rows.length <= (isOpen ? 1 : 0)).toBe(true);
      for (const each of rows) expect(each).toEqual(told);
    }
    expect(await listed(s)).toMatchObject([{ status: "open", exchange_order_id: expect.any(String) }]);
  }));

test("an order that is being modified is listed once, and as its row says", () =>
  inScene(async (s) => {
    const { id } = shown(await s.tell("original", limit("buy", 90_000)));
    answersAfter(s, 400);
    s.ask("modify", { kind: "modify", id, price: "89000", size: null, alwaysPlace: false });
    for (let nth = 0; nth < 6; nth += 1) {
      await s.pass(50);
      const [rows, told] = [await listed(s), await read(s, id)];
      expect(rows).toEqual(told.status === "open" ? [told] : []);
    }
    await s.pass(2_000);
    const [row, ...others] = await listed(s);
    expect([row, others]).toEqual([await read(s, id), []]);
  }));

test("what is filled of an order that is placed beside one that is over is never told as that one's", () =>
  inScene(async (s) => {
    trade(s, MAKER, { isBuy: true, price: 80_000, size: "1" });
    const { id } = shown(await s.tell("original", limit("buy", 94_000)));
    trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
    await s.pass(1_000);
    expect(await read(s, id)).toMatchObject({ status: "filled" });
    answersAfter(s, 3_000);
    s.ask("beside", { kind: "modify", id, price: "93000", size: "0.02", alwaysPlace: true });
    await s.pass(100);
    trade(s, TAKER, { isBuy: false, price: 93_000, size: "0.005" });
    await s.pass(100);
    const fills = async () => JSON.parse((await s.tell(null, { kind: "fills" })).body).data;
    const early = await fills();
    await s.pass(10_000);
    const late = await fills();
    expect(early).toHaveLength(2);
    expect(early).toEqual(late);
    const others = early.filter(({ order_id }: { order_id: string }) => order_id !== id);
    expect(others).toMatchObject([{ size: "0.005" }]);
    expect(await read(s, others[0].order_id)).toMatchObject({
      id: others[0].order_id,
      status: "open",
      filled_size: "0.005",
    });
    expect(executed(s, "batchModify")).toHaveLength(1);
  }, true));

test("what a list has shown to be filled no later answer tells less of, whatever server gives it", () =>
  inScene(async (s) => {
    const { id } = shown(await s.tell("begun", limit("buy", 94_000)));
    await s.pass(2_000);
    // A server as it was before anything was filled.
    let before: unknown = null;
    let isBehind = false;
    s.seeThrough(({ type, dex }, answer) => {
      if (type === "userFillsByTime") return isBehind ? [] : answer;
      if (type !== "frontendOpenOrders" || dex === "xyz") return answer;
      before ??= answer;
      return isBehind ? before : answer;
    });
    await listed(s);
    await s.pass(11_000);
    trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
    await s.pass(11_000);
    expect(await listed(s)).toMatchObject([{ id, filled_size: "0.004" }]);
    isBehind = true;
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await listed(s)).toMatchObject([{ id, filled_size: "0.004" }]);
      expect(await read(s, id)).toMatchObject({ filled_size: "0.004" });
      await s.pass(1_100);
    }
  }));
