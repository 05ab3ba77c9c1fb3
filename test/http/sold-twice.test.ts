/** What a bot holds beside others is not sold twice, once by what only reduces; and whatever is filled beyond flat stands in its books. */
import { expect, test } from "bun:test";
import {
  BOT,
  type Body,
  fillAt,
  hold,
  inSeconds,
  limitedRig,
  MARK,
  place,
  railOf,
  refusalOf,
  sell,
} from "./rails-rig.ts";
import { ACCOUNTS, type Rig } from "./rig.ts";

const SALE = { side: "sell", time_in_force: "ioc", price: "59500" };
const REDUCING = { ...SALE, reduce_only: true };
/** The mark has met it. */
const MET = { ...REDUCING, trigger: { price: "59900", kind: "take_profit", market: false }, time_in_force: undefined };
const RESTING = { side: "sell", price: "61000", reduce_only: true };

/** A bot that holds 0.001 of what the account is shown to hold. */
async function holder(szi: string): Promise<Rig> {
  const rig = await limitedRig({}, [{ coin: "BTC", szi }]);
  hold(rig, "0.001");
  return rig;
}

async function batched(rig: Rig, orders: readonly Body[]): Promise<string> {
  const whole = orders.map((terms) => ({ market: "BTC", size: "0.001", ...terms }));
  const body = { account: ACCOUNTS.main, orders: whole };
  const asked = rig.ask({ path: "/v1/orders/batch", apiKey: BOT, idempotencyKey: "sold-twice-by-a-batch", body });
  return refusalOf(await inSeconds(rig, asked));
}

/** The exchange has not answered the first yet. */
async function beside(rig: Rig, [first, second]: readonly [Body, Body]): Promise<string> {
  rig.deps.exchange.send = () => new Promise(() => undefined);
  void place(rig, first);
  await rig.clock.advance(100);
  return railOf(await inSeconds(rig, place(rig, second)));
}

test.each<[string, readonly [Body, Body], string]>([
  ["by what reduces and then by a sale", [REDUCING, SALE], "opposite_position"],
  ["by a sale and then by what reduces", [SALE, REDUCING], "touches"],
  ["by what reduces and then by a trigger that is met", [REDUCING, MET], "touches"],
  ["by a trigger that is met and then by what reduces", [MET, REDUCING], "touches"],
  ["by a trigger that is met and then by a sale", [MET, SALE], "opposite_position"],
  ["by a sale and then by a trigger that is met", [SALE, MET], "touches"],
])(
  "%s: refused beside others, in one batch and while the first is on its way, and a sale of the two passed alone",
  async (_how, two, rail) => {
    expect(await batched(await holder("1"), two)).toContain(`orders[1]: Rail ${rail} `);
    expect(await beside(await holder("1"), two)).toBe(rail);
    const alone = await holder("0.001");
    fillAt(alone, MARK);
    // Of two that only reduce the second is refused there as well: together they are more than it holds.
    if (two.includes(SALE)) expect(await batched(alone, two)).toBe("201");
  },
);

test("a sale beside what rests and only reduces would leave that to close another's", async () => {
  const rig = await holder("1");
  expect(await railOf(await place(rig, RESTING))).toBe("passed");
  expect(await railOf(await inSeconds(rig, place(rig, SALE)))).toBe("opposite_position");
  const alone = await holder("0.001");
  expect(await railOf(await place(alone, RESTING))).toBe("passed");
  expect(await railOf(await inSeconds(alone, place(alone, SALE)))).toBe("passed");
});

test("guards of what is held stand beside one another, and a sale beside them", async () => {
  const rig = await holder("1");
  const guards = [RESTING, { ...MET, price: "50000", trigger: { price: "51000", kind: "stop_loss", market: false } }];
  expect(await batched(rig, guards)).toBe("201");
});

test("a sale that rests is no reason to refuse what reduces", async () => {
  const rig = await holder("1");
  expect(await railOf(await place(rig, { ...RESTING, reduce_only: false }))).toBe("passed");
  expect(await railOf(await inSeconds(rig, place(rig, REDUCING)))).toBe("passed");
});

async function netsOf(rig: Rig): Promise<unknown> {
  const { limits } = (await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json()) as {
    limits: { use: { nets: unknown } };
  };
  return limits.use.nets;
}

test("what only reduces and was filled beyond flat is the bot's own short, and makes no room", async () => {
  const rig = await holder("1");
  fillAt(rig, MARK);
  const { send } = rig.deps.exchange;
  let fill = (): void => undefined;
  const filled = new Promise<void>((resolve) => {
    fill = resolve;
  });
  rig.deps.exchange.send = async (...sent) => {
    await filled;
    return send(...sent);
  };
  const reducing = place(rig, REDUCING);
  await rig.clock.advance(100);
  sell(rig, "0.001");
  fill();
  await reducing;
  expect(await netsOf(rig)).toEqual([{ market: "BTC", net: "-0.001" }]);
  rig.deps.exchange.send = send;
  // Bought back it holds nothing, and has nothing to reduce.
  expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  expect(await netsOf(rig)).toEqual([]);
  expect(await railOf(await inSeconds(rig, place(rig, REDUCING)))).toBe("touches");
});
