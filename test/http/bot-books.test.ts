import { describe, expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import type { StopCause } from "../../src/core/stop.ts";
import { keepKey } from "../../src/ops/keep-key.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { findBotDay, noteFees } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import { markRestored } from "../../src/store/restores.ts";
import { covers } from "../../src/store/stops.ts";
import { findTrip } from "../../src/store/trips.ts";
import { keyHash } from "../../src/wire/grant.ts";
import {
  BOT,
  fillAt,
  inSeconds,
  limitedRig,
  MARK,
  OTHER_BOT,
  openMarketRig,
  type Position,
  place,
  railOf,
  refusalOf,
  register,
  stop,
  textOf,
} from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, rowCounts } from "./rig.ts";

type Use = { turnover_today: string; nets: { market: string; net: string }[] };

async function useOf(rig: Rig): Promise<Use> {
  const shown = (await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json()) as { limits: { use: Use } };
  return shown.limits.use;
}

describe("a bot's books", () => {
  test("hold what it bought and sold, and what another has, has no part in them", async () => {
    const positions: Position[] = [];
    const rig = openMarketRig({}, positions);
    await register(rig, textOf(rig, { maxPosition: "120 USD" }));
    fillAt(rig, MARK);
    await place(rig, { size: "1" }, { apiKey: KEYS.both });
    positions.push({ coin: "BTC", szi: "1" });
    await rig.clock.advance(20_000);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("passed");
    expect(await useOf(rig)).toMatchObject({ nets: [{ market: "BTC", net: "0.002" }] });
    expect(Number((await useOf(rig)).turnover_today)).toBeCloseTo(120, 6);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.00001" })))).toBe("max_position");
    const reduce = { side: "sell", reduce_only: true, time_in_force: "ioc" };
    expect(await railOf(await inSeconds(rig, place(rig, { ...reduce, size: "0.00201" })))).toBe("touches");
    expect(await railOf(await inSeconds(rig, place(rig, { ...reduce, size: "0.002" })))).toBe("passed");
    expect((await useOf(rig)).nets).toEqual([]);
  });

  test("the turnover of a day is over with the UTC day, and no sooner", async () => {
    const rig = await limitedRig({ maxTurnoverPerDay: "100 USD" });
    fillAt(rig, MARK);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_turnover_per_day");
    const dayMs = 86_400_000;
    await rig.clock.advance(dayMs - (rig.clock.nowMs() % dayMs) - 60_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_turnover_per_day");
    await rig.clock.advance(60_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  });

  test("what is filled after midnight is of the new day, whenever it was asked for", async () => {
    const rig = await limitedRig({ maxTurnoverPerDay: "100 USD" });
    const { store } = rig.deps;
    const dayMs = 86_400_000;
    rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
    await rig.clock.advance(dayMs - (rig.clock.nowMs() % dayMs) - 60_000);
    const asked = await inSeconds(rig, place(rig, {}));
    const { id } = (await asked.json()) as { id: string };
    await rig.clock.advance(60_000);
    inTransaction(store, () => {
      const order = findOrder(store, id);
      if (order === null) throw new Error("bug: no order");
      const filled = { status: "filled", filledSize: decimal("0.001"), averagePrice: decimal(MARK) } as const;
      expect(updateOrder(store, { ...order, ...filled, seenAtMs: rig.clock.nowMs() })).toBe(true);
    });
    expect(Number((await useOf(rig)).turnover_today)).toBeCloseTo(60, 6);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_turnover_per_day");
  });

  test("what is traded keeps the fees of the day", async () => {
    const rig = await limitedRig({});
    const of = { accountId: ACCOUNTS.main, bot: "grid-1", day: dayOf(rig.clock.nowMs()) };
    inTransaction(rig.deps.store, (store) => noteFees(store, of, decimal("3")));
    fillAt(rig, MARK);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
    expect(findBotDay(rig.deps.store, of, rig.clock.nowMs())).toMatchObject({ fees: decimal("3"), actions: 1 });
  });

  test("after a restore only the owner's grant brings it back, and the day counts as used", async () => {
    const rig = await limitedRig({ maxTurnoverPerDay: "1000 USD" });
    inTransaction(rig.deps.store, (store) => setKeyState(store, keyHash(BOT), "held", rig.clock.nowMs()));
    expect(await refusalOf(await rig.ask({ path: "/v1/whoami", apiKey: BOT }))).toStartWith("401 revoked_api_key");
    const operator = { ...rig.deps, network: "paper" as const };
    expect(() => keepKey(operator, keyHash(BOT))).toThrow("have the owner sign its grant again");
    await rig.clock.advance(1);
    expect((await register(rig, textOf(rig, { maxTurnoverPerDay: "1000 USD" }))).status).toBe(201);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_turnover_per_day");
    expect(await railOf(await inSeconds(rig, place(rig, { ...stop, side: "sell", price: "50000" })))).toBe("touches");
  });

  test("after a restore the operator may take the older rails, and the day's loss counts as tripped", async () => {
    const rig = await limitedRig({ maxLossPerDay: "50 USD" });
    inTransaction(rig.deps.store, (store) => setKeyState(store, keyHash(BOT), "held", rig.clock.nowMs()));
    const operator = { ...rig.deps, network: "paper" as const };
    keepKey(operator, keyHash(BOT), true);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_loss_per_day");
    const dayMs = 86_400_000;
    await rig.clock.advance(dayMs - (rig.clock.nowMs() % dayMs));
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  });

  test("a stop of one of its keys is its own, and the end of one of them is that key's alone", async () => {
    const rig = await limitedRig({});
    await rig.clock.advance(1);
    expect((await register(rig, textOf(rig, {}, OTHER_BOT))).status).toBe(201);
    const covered = (cause: StopCause) =>
      covers(rig.deps.store, { scope: "bot", keyHash: keyHash(BOT), cause }, keyHash(OTHER_BOT));
    expect([covered("asked"), covered("key_revoked"), covered("key_blocked")]).toEqual([true, false, false]);
  });

  test("a restore counts the day as used for a new key of the bot as well", async () => {
    const rig = await limitedRig({ maxTurnoverPerDay: "1000 USD" });
    const atMs = rig.clock.nowMs();
    inTransaction(rig.deps.store, (store) => markRestored(store, atMs));
    expect(findTrip(rig.deps.store, { accountId: ACCOUNTS.main, bot: "grid-1" }, dayOf(atMs))).toMatchObject({
      cause: "restored",
      clearedAtMs: null,
    });
    await rig.clock.advance(1);
    expect((await register(rig, textOf(rig, { maxTurnoverPerDay: "1000 USD" }, OTHER_BOT))).status).toBe(201);
    const shown = await (await rig.ask({ path: "/v1/whoami", apiKey: OTHER_BOT })).json();
    expect((shown as { limits: { trip: object } }).limits.trip).toMatchObject({ cause: "restored", loss: null });
  });
});

describe("a bot's Idempotency-Keys", () => {
  test("are its own: no other uses one up, and both its keys share them", async () => {
    const rig = await limitedRig({});
    await rig.clock.advance(1);
    await register(rig, textOf(rig, {}, OTHER_BOT));
    const key = "the-key-of-two";
    expect((await place(rig, {}, { apiKey: KEYS.both, key })).headers.get("Idempotent-Replayed")).toBeNull();
    const first = await place(rig, {}, { key });
    expect([first.status, first.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
    const again = await place(rig, {}, { apiKey: OTHER_BOT, key });
    expect([await again.text(), again.headers.get("Idempotent-Replayed")]).toEqual([await first.text(), "true"]);
    expect(rowCounts(rig)["orders"]).toBe(2);
  });
});
