/** A snapshot, trading on, the machine lost, the snapshot restored elsewhere, every key retried: no second order. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { backUp } from "../../src/ops/back-up.ts";
import { openOtherMachines } from "../../src/settle/restore/other-machine.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { snapshotInto } from "../../src/store/snapshot.ts";
import { ACCOUNT, type Machine, openMachine } from "../support/machine.ts";
import { limit, PLACE, place, restored, restoredWaiting, withLab } from "./restore-lab.ts";

test("every key of the time between snapshot and loss answers with its own order, and none places a second", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    const known = await place(first, "known-key");
    expect(known).toMatchObject({ status: 201, body: { status: "open" } });
    backUp(first.places.database, file);
    await world.clock.advance(60_000);
    const stop = {
      side: "sell",
      price: "80000",
      reduce_only: true,
      trigger: { price: "81000", kind: "stop_loss", market: true },
    };
    const wanted: [string, object, string][] = [
      ["resting-key", {}, "open"],
      ["taken-whole", { price: "90001" }, "filled"],
      ["canceled-later", { price: "89999" }, "canceled"],
      ["short-ioc", { price: "95000", size: "0.02", time_in_force: "ioc" }, "canceled"],
      ["stop-loss", stop, "waiting_for_trigger"],
    ];
    await world.trade({ side: "sell", price: "94999", size: "0.01" });
    const before = new Map<string, Record<string, unknown>>();
    for (const [key, some] of wanted) before.set(key, (await place(first, key, some)).body);
    await first.ask(`POST /v1/orders/${String(before.get("canceled-later")?.["id"])}/cancel`, {}, "the-cancel");
    await world.trade({ side: "sell", price: "90001", size: "0.01" });
    const modified = await first.ask(
      `POST /v1/orders/${String(known.body["id"])}/modify`,
      { price: "89990" },
      "the-modify",
    );
    expect(modified).toMatchObject({ status: 200, body: { status: "open" } });
    first.lateMs.push(9_000);
    const onItsWay = place(first, "on-its-way", { price: "89000" });
    await world.clock.advance(500);
    void onItsWay.catch(() => undefined);
    await first.lose();

    const second = await restored(lab);
    // What was closed meanwhile takes two readings.
    await world.clock.advance(40_000);
    const placed = await world.placed();
    for (const [key, some, status] of wanted) {
      const again = await place(second, key, some);
      expect(again).toMatchObject({ status: 201, body: { id: before.get(key)?.["id"], status } });
      expect(again.headers.get("Idempotent-Replayed")).toBe("true");
      expect((await place(second, key, some)).body).toEqual(again.body);
    }
    expect((await place(second, "short-ioc", wanted[3]?.[1])).body).toMatchObject({
      filled_size: "0.01",
      size: "0.02",
    });
    expect(await place(second, "on-its-way", { price: "89000" })).toMatchObject({
      status: 201,
      body: { status: "open" },
    });
    expect((await place(second, "known-key")).body).toEqual(known.body);
    expect((await second.ask(`GET /v1/orders/${String(known.body["id"])}`)).body).toMatchObject({ status: "canceled" });
    const modifiedAgain = await second.ask(
      `POST /v1/orders/${String(known.body["id"])}/modify`,
      { price: "89990" },
      "the-modify",
    );
    expect(modifiedAgain).toMatchObject({ status: 200, body: { status: "open", price: "89990" } });
    expect((await world.placed()).sort()).toEqual(placed.sort());
    expect(await place(second, "after-the-loss")).toMatchObject({ status: 201, body: { status: "open" } });
    expect(await world.placed()).toHaveLength(placed.length + 1);
    expect(findBrokenAuditRow(second.store)).toBeNull();
    expect(second.log.filter(({ level }) => level === "error")).toEqual([]);
  });
});

test("an adopted key refuses what the exchange shows that it was not used for", async () => {
  await withLab(async (lab) => {
    const { first, file, world } = lab;
    backUp(first.places.database, file);
    await place(first, "used-key");
    await first.lose();
    const second = await restored(lab);
    const placed = await world.placed();
    for (const [some, name] of [
      [{ price: "90001" }, "price"],
      [{ side: "sell" }, "side"],
      [{ market: "ETH" }, "market"],
      [{ size: "0.02" }, "size"],
      [{ time_in_force: "alo" }, "time_in_force"],
    ] as const) {
      const refused = await place(second, "used-key", some);
      expect(refused).toMatchObject({ status: 409, body: { error: { code: "idempotency_key_reused" } } });
      expect(JSON.stringify(refused.body)).toContain(name);
    }
    const leverage = { market: "BTC", leverage: 5, margin_type: "cross" };
    expect(await second.ask("POST /v1/leverage", leverage, "used-key")).toMatchObject({ status: 409 });
    expect(await place(second, "used-key", { size: "0.010" })).toMatchObject({ status: 201 });
    expect(await place(second, "used-key", { price: "90001" })).toMatchObject({ status: 409 });
    expect(await world.placed()).toEqual(placed);
  });
});

test("nothing is placed before the new agent is approved, what was on its way is dead, and the orders are read", async () => {
  await withLab(async (lab) => {
    const { first, file, world } = lab;
    const known = await place(first, "known-key");
    backUp(first.places.database, file);
    await first.lose();
    const second = await restoredWaiting(lab);
    await world.clock.advance(60_000);
    expect(await place(second, "early-key")).toMatchObject({
      status: 503,
      body: { error: { code: "agent_not_approved" } },
    });
    await second.newAgent();
    let waitedMs = 0;
    for (; waitedMs < 60_000; waitedMs += 500) {
      const answer = await place(second, "early-key");
      if (answer.status === 201) break;
      expect(answer).toMatchObject({ status: 503, body: { error: { code: "not_ready" } } });
      expect(answer.headers.get("Retry-After")).toMatch(/^[0-9]+$/);
      await world.clock.advance(400);
    }
    expect(waitedMs).toBeGreaterThanOrEqual(15_000);
    expect(waitedMs).toBeLessThan(30_000);
    const cancel = () => second.ask(`POST /v1/orders/${String(known.body["id"])}/cancel`, {}, "cancel-1");
    // All that was read before writes opened has taken settling's part of half a minute: its fills are read in the next.
    expect(await cancel()).toMatchObject({ status: 202, body: { status: "unknown" } });
    for (let second = 0; second < 30; second += 1) await world.clock.advance(1_000);
    expect(await cancel()).toMatchObject({ status: 200, body: { status: "canceled" } });
  });
});

test("cancels of orders that are known go through while the rest waits", async () => {
  await withLab(async (lab) => {
    const { first, file } = lab;
    const known = await place(first, "known-key");
    backUp(first.places.database, file);
    await first.lose();
    const second = await restoredWaiting(lab);
    await second.newAgent();
    expect(await place(second, "early-key")).toMatchObject({ status: 503 });
    expect(await second.ask(`POST /v1/orders/${String(known.body["id"])}/cancel`, {}, "cancel-1")).toMatchObject({
      status: 200,
      body: { status: "canceled" },
    });
  });
});

test("the lost machine cannot sign any more once the new agent is approved", async () => {
  await withLab(async (lab) => {
    const { first, file, world } = lab;
    backUp(first.places.database, file);
    const second = await restored(lab);
    expect(await place(first, "from-the-lost-one")).toMatchObject({ status: 201, body: { status: "rejected" } });
    expect(await place(second, "from-the-new-one")).toMatchObject({ status: 201, body: { status: "open" } });
    expect(await world.placed()).toHaveLength(1);
  });
});

test("a restart before the orders are read begins to wait again, and one after it does not", async () => {
  await withLab(async (lab) => {
    const { first, file, world } = lab;
    backUp(first.places.database, file);
    const other = await place(first, "used-key");
    await first.lose();
    const second = await restoredWaiting(lab);
    await second.newAgent();
    await world.clock.advance(10_000);
    await second.lose();
    const third = await openMachine(world, second.places.directory);
    await world.clock.advance(8_000);
    expect(await place(third, "used-key")).toMatchObject({ status: 503, body: { error: { code: "not_ready" } } });
    await world.clock.advance(20_000);
    expect(await place(third, "used-key")).toMatchObject({ status: 201, body: { id: other.body["id"] } });
    await third.lose();
    const fourth = await openMachine(world, second.places.directory);
    await world.clock.advance(1_000);
    expect(await place(fourth, "new-key-1")).toMatchObject({ status: 201, body: { status: "open" } });
  });
});

/** What the lost machine does with an agent of another name, which the new one's approval has not ended. */
async function rotate(machine: Machine): Promise<void> {
  await machine.newAgent();
}

function isStopped({ gateway }: Machine): boolean {
  return gateway.deps.state.writesStoppedBecause !== null;
}

test("a lost machine that comes back with an agent of its own stops the restored one, which came later", async () => {
  await withLab(async (lab) => {
    const { first, file, world } = lab;
    await place(first, "before-it");
    backUp(first.places.database, file);
    await rotate(first);
    const second = await restored(lab);
    expect(await place(second, "second-1")).toMatchObject({ status: 201, body: { status: "open" } });
    expect(await place(first, "first-key")).toMatchObject({ status: 201, body: { status: "open" } });
    await world.clock.advance(11 * 60_000);
    expect(isStopped(second)).toBe(true);
    expect(isStopped(first)).toBe(false);
    expect(await place(second, "second-2")).toMatchObject({ status: 503, body: { error: { code: "internal_error" } } });
    expect(await place(first, "first-key-2")).toMatchObject({ status: 201, body: { status: "open" } });
    const ready = await second.ask("GET /readyz");
    expect(JSON.stringify(ready.body)).toContain("another machine trades as this gateway");
    const known = await second.ask("GET /v1/orders?limit=1");
    const [{ id }] = (known.body as { data: [{ id: string }] }).data;
    expect(await second.ask(`POST /v1/orders/${id}/cancel`, {}, "cancel-1")).toMatchObject({ status: 200 });
    expect(findBrokenAuditRow(second.store)).toBeNull();
  });
});

test("a copied directory that is started after the original has traded takes no writes", async () => {
  await withLab(async (lab) => {
    const { first, path, world } = lab;
    mkdirSync(join(path, "copy"));
    snapshotInto(first.places.database, join(path, "copy", "postern.db"));
    await place(first, "original", {});
    const copy = await openMachine(world, join(path, "copy"));
    await world.clock.advance(2_000);
    expect(isStopped(copy)).toBe(true);
    expect(await place(copy, "original")).toMatchObject({ status: 503 });
    await world.clock.advance(11 * 60_000);
    expect(isStopped(first)).toBe(false);
    expect(await world.placed()).toHaveLength(1);
  });
});

test("of two copies that run already the one stops whose first order is the later", async () => {
  await withLab(async (lab) => {
    const { first, path, world } = lab;
    mkdirSync(join(path, "copy"));
    snapshotInto(first.places.database, join(path, "copy", "postern.db"));
    const copy = await openMachine(world, join(path, "copy"));
    await place(first, "of-the-first");
    await world.clock.advance(1_000);
    await place(copy, "of-the-copy", { price: "89000" });
    await world.clock.advance(11 * 60_000);
    expect([isStopped(first), isStopped(copy)]).toEqual([false, true]);
    expect(first.log.filter(({ message }) => message.includes("this one was first"))).toHaveLength(1);
  });
});

test("a stranger's time-ordered ids, of which one carries our tag by chance, stop nobody", async () => {
  await withLab(async (lab) => {
    const { first, world } = lab;
    const others = openOtherMachines(first.gateway.deps);
    const id = (number: number, tag: string) => `0x0199a1b2c3d47${tag}8000${String(number).padStart(12, "0")}`;
    others.see(
      ACCOUNT,
      Array.from({ length: 100 }, (_, number) => id(number, "abc")),
    );
    others.see(ACCOUNT, [id(1, "007"), `0x${"12".repeat(16)}`, null]);
    expect(isStopped(first)).toBe(false);
    others.see(ACCOUNT, [id(2, "007")]);
    expect(isStopped(first)).toBe(true);
    await world.clock.advance(0);
  });
});

test("the key of a batch that was placed after the snapshot is refused, names what it placed, and places nothing", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    backUp(first.places.database, file);
    await world.clock.advance(60_000);
    const { account, ...order } = limit();
    const body = { account, orders: [order, { ...order, price: "90100" }] };
    const placed = await first.ask("POST /v1/orders/batch", body, "batch-after-it");
    const ids = (placed.body["orders"] as { id: string }[]).map(({ id }) => id);
    const second = await restored(lab);
    for (const [route, again] of [
      ["POST /v1/orders/batch", body],
      [PLACE, limit()],
    ] as const) {
      const refused = await second.ask(route, again, "batch-after-it");
      expect(refused).toMatchObject({ status: 409, body: { error: { code: "idempotency_key_reused" } } });
    }
    const named = await second.ask("POST /v1/orders/batch", body, "batch-after-it");
    for (const id of ids) {
      expect(JSON.stringify(named.body)).toContain(id);
      expect(await second.ask(`GET /v1/orders/${id}`)).toMatchObject({ status: 200, body: { id, status: "open" } });
    }
  });
});
