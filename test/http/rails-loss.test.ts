import { describe, expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { clearTrip } from "../../src/ops/clear-trip.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { listStopsInForce } from "../../src/store/stops.ts";
import { openLossWatch } from "../../src/write/watch-losses.ts";
import { indexFill } from "./flatten-rig.ts";
import {
  BOT,
  fillAt,
  inSeconds,
  openMarketRig,
  type Position,
  place,
  railOf,
  register,
  stop,
  textOf,
} from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

const DAY_MS = 86_400_000;

/** A bot that has bought for 60 USD, a market whose mark can be moved, and who watches what is lost. */
async function losing(wanted: Partial<LimitedGrantText> = { maxLossPerDay: "5 USD" }) {
  const positions: (Position & object)[] = [];
  const rig = openMarketRig({}, positions);
  let mark = "60000";
  rig.answers.set("metaAndAssetCtxs", () => {
    const context = { markPx: mark, oraclePx: mark, funding: "0", openInterest: "1", dayNtlVlm: "1", prevDayPx: mark };
    return [{ universe: [{ name: "BTC" }, { name: "ETH" }] }, [context, context]];
  });
  expect((await register(rig, textOf(rig, wanted))).status).toBe(201);
  const rest = rig.deps.exchange.send;
  fillAt(rig, "60000");
  expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  rig.deps.exchange.send = rest;
  const watch = openLossWatch(rig.deps, () => false);
  return {
    rig,
    positions,
    async marked(price: string): Promise<void> {
      mark = price;
      await rig.clock.advance(31_000);
      await watch.look();
    },
  };
}

function trips(rig: Rig): Record<string, unknown>[] {
  return listEventsAfter(rig.deps.store, { accountId: ACCOUNTS.main, after: 0, limit: 500 })
    .filter(({ type }) => type === "rail.tripped")
    .map(({ payload }) => JSON.parse(payload ?? "{}"));
}

async function lossOf(rig: Rig): Promise<unknown> {
  const shown = await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json();
  return (shown as { limits: { use: { loss_today: string } } }).limits.use.loss_today;
}

async function withdrawal(rig: Rig, id: string): Promise<unknown> {
  for (let waited = 0; waited < 60; waited += 1) {
    const told = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as { status: string };
    if (told.status !== "stopping") return told;
    await rig.clock.advance(500);
  }
  return "stopping";
}

describe("a bot that loses", () => {
  test("increases nothing more that day, its orders go, its stop stays and nothing is closed", async () => {
    const { rig, marked } = await losing();
    const order = (await (await inSeconds(rig, place(rig, { price: "50000" }))).json()) as { id: string };
    const protecting = { ...stop, side: "sell", price: "50000" };
    const kept = (await (await inSeconds(rig, place(rig, protecting))).json()) as { id: string };
    await marked("55001");
    expect([trips(rig), Number(await lossOf(rig))]).toEqual([[], expect.closeTo(4.999, 5)]);
    await marked("55000");
    expect(trips(rig)).toMatchObject([{ bot: "grid-1", cause: "loss", limit: "5", cleared_at: null }]);
    const [withdrawn] = listStopsInForce(rig.deps.store);
    expect(withdrawn).toMatchObject({ cause: "loss_tripped", keepsProtection: true });
    const told = await withdrawal(rig, withdrawn?.id ?? "");
    expect(told).toMatchObject({ status: "stopped", remaining: { orders: 0 }, kept: { order_ids: [kept.id] } });
    expect(rig.sent.filter((body) => body.includes('"cancel')).length).toBe(1);
    expect(order.id).not.toBe(kept.id);
    await marked("70000");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_loss_per_day");
    const reduce = { side: "sell", reduce_only: true, time_in_force: "ioc", price: "69000" };
    expect(await railOf(await inSeconds(rig, place(rig, reduce)))).toBe("passed");
    expect(await railOf(await inSeconds(rig, place(rig, {}, { apiKey: KEYS.both })))).toBe("passed");
  });

  test("may again on the next UTC day, and not sooner", async () => {
    const { rig, marked } = await losing();
    await marked("50000");
    const leftMs = DAY_MS - (rig.clock.nowMs() % DAY_MS);
    await rig.clock.advance(leftMs - 60_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_loss_per_day");
    await rig.clock.advance(60_000);
    await marked("50000");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
    await marked("45000");
    expect([trips(rig).length, await railOf(await inSeconds(rig, place(rig, {})))]).toEqual([2, "max_loss_per_day"]);
  });

  test("may again when the operator says so, and what it loses from then on counts anew", async () => {
    const { rig, marked } = await losing();
    await marked("54000");
    const operator = { ...rig.deps, network: "paper" as const };
    clearTrip(operator, { accountId: ACCOUNTS.main, bot: "grid-1" });
    expect(trips(rig).length).toBe(2);
    expect(() => clearTrip(operator, { accountId: ACCOUNTS.main, bot: "grid-1" })).toThrow("nothing keeps the bot");
    await marked("50000");
    expect(await railOf(await inSeconds(rig, place(rig, { price: "50000" })))).toBe("passed");
    await marked("48900");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_loss_per_day");
  });

  test("is refused before anybody has looked, and not where no loss was granted to be a limit", async () => {
    const { rig } = await losing({ maxLossPerDay: "5 USD" });
    rig.answers.delete("metaAndAssetCtxs");
    await rig.clock.advance(20_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toStartWith("503 rails_unproven");
    const other = await losing({});
    await other.marked("10000");
    expect([trips(other.rig).length, listStopsInForce(other.rig.deps.store).length]).toEqual([0, 0]);
    expect(await railOf(await inSeconds(other.rig, place(other.rig, {})))).toBe("passed");
  });

  test.each([["5 USD"], ["any"]])(
    "is told what it has lost, fees as well, whatever it may lose (%s)",
    async (limit) => {
      const { rig, marked } = await losing({ maxLossPerDay: limit });
      const terms = {
        market: "BTC",
        oid: "9001",
        size: decimal("0.001"),
        price: decimal("60000"),
        fee: decimal("0.5"),
      };
      indexFill(rig, { timeMs: rig.clock.nowMs(), ...terms });
      await marked("59000");
      // A thousandth that has lost 1,000 USD a unit, and the fee.
      expect(String(await lossOf(rig))).toStartWith("1.50000000");
    },
  );
});
