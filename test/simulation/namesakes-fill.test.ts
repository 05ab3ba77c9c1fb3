/** Fills of another order of the owner's under a client order id of ours, in the same market and on the same side. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, liveOrders, openScene, type Scene, shown, trade } from "./scene.ts";

function takeByHand(s: Scene, id: string, size: string): void {
  const c = `0x${id.replaceAll("-", "")}`;
  const orders = [{ a: 0, b: true, p: "95100", s: size, r: false, t: { limit: { tif: "Ioc" } }, c }];
  const action = { type: "order", orders, grouping: "na", builder: null };
  s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<typeof s.venue.act>[1]);
}

test.each([true, false])("a trigger that waits is not told as filled by it (feed: %p)", async (hasFeed) => {
  const s = await openScene({ hasFeed });
  try {
    const stop = { price: "96000", kind: "stop_loss" as const, market: true };
    const placed = shown(await s.tell("stop", { ...limit("buy", 97_000), trigger: stop }));
    expect(placed).toMatchObject({ http: 201, status: "waiting_for_trigger" });
    await s.pass(2_000);
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "1" });
    takeByHand(s, placed.id, "0.07");
    await s.pass(60_000);
    await s.tell("beside", limit("buy", 93_000));
    await s.pass(30_000);
    expect(liveOrders(s).map(String)).toContain(placed.oid ?? "");
    expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({
      status: "waiting_for_trigger",
      filled: "0",
      oid: placed.oid,
    });
  } finally {
    s.close();
  }
});

test("an order whose answer was lost is not told as filled by it", async () => {
  const s = await openScene({ hasFeed: true });
  try {
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "1" });
    s.setFate(({ path }) =>
      path === "/exchange" ? { arrivesAfterMs: [5], answer: { kind: "silence" } } : { ...directly(5), isBlind: true },
    );
    const ask = limit("buy", 94_000);
    s.ask("lost", ask);
    await s.pass(3);
    const [row] = s.rows("select id from orders");
    takeByHand(s, String(row?.["id"]), "0.07");
    await s.pass(2_000);
    s.setFate(() => directly(5));
    await s.pass(60_000);
    const told = shown(await s.tell("lost", ask));
    expect(liveOrders(s)).toHaveLength(1);
    expect(told.status).not.toBe("filled");
  } finally {
    s.close();
  }
});

test("an order that never arrived is told so although a fill under its id would fit: the order of that fill has other terms", async () => {
  const s = await openScene();
  try {
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "1" });
    // Neither the order nor a word about its number comes through, and an empty action of ours takes that.
    s.setFate(({ path, body }) => {
      if (path !== "/exchange") return directly(5);
      return { arrivesAfterMs: body.includes('"noop"') ? [5] : [], answer: { kind: "silence" } };
    });
    const ask = limit("buy", 96_000, "0.2");
    s.ask("fitting", ask);
    await s.pass(3);
    const [row] = s.rows("select id from orders");
    takeByHand(s, String(row?.["id"]), "0.07");
    await s.pass(40_000);
    s.setFate(() => directly(5));
    await s.tell("beside", limit("buy", 93_000));
    await s.pass(60_000);
    expect(shown(await s.tell("fitting", ask))).toMatchObject({ status: "rejected", filled: null });
    expect(s.takeErrors().every((error) => error.includes("something else than was asked for"))).toBe(true);
  } finally {
    s.close();
  }
});

test("seed 2003122: that an order never ran stands, although no record tells whose a fill under its id is", async () => {
  const s = await openScene();
  try {
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "1" });
    s.setFate(({ path, body }) =>
      path === "/exchange" && !body.includes('"noop"')
        ? { arrivesAfterMs: [], answer: { kind: "silence" } }
        : directly(5),
    );
    s.seeThrough(({ type }, answer) => (type === "orderStatus" ? { status: "unknownOid" } : answer));
    const placed = shown(await s.tell("forgotten", limit("buy", 96_000, "0.2")));
    expect(placed).toMatchObject({ http: 201, status: "rejected", error: expect.stringContaining("never executed") });
    takeByHand(s, placed.id, "0.07");
    await s.pass(120_000);
    expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({
      status: "rejected",
      filled: null,
    });
    expect(s.rows("select what from notes where what = 'overruled'")).toEqual([]);
    s.takeErrors();
  } finally {
    s.close();
  }
});
