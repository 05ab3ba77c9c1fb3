/** What the bot of a trade has sold by other orders is not the trade's any more, although another holds the same side. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import { findTrade } from "../../src/store/trades.ts";
import { BOT, inSeconds, limitedRig, MARK, place, sell, stateOf } from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";
import { ask, created, guard } from "./trades-rig.ts";

const SIZE = "0.002";
const FAR = "59900";

type Wire = { s: string; p: string; c: string; t?: { trigger?: object } };

/** Every order is filled at once but for triggers, which wait, and what is far from the market. */
function filling(rig: Rig): void {
  const { send } = rig.deps.exchange;
  let oid = 70_000;
  rig.deps.exchange.send = async (body, ...more) => {
    const { action } = JSON.parse(body) as { action: { orders?: Wire[] } };
    const [order] = action.orders ?? [];
    if (order === undefined || order.t?.trigger !== undefined || order.p === FAR) return send(body, ...more);
    oid += 1;
    const statuses = [{ filled: { totalSz: order.s, avgPx: MARK, oid, cloid: order.c } }];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
}

/** Another holds 0.5, and the trade has bought and is protected. */
async function openTrade(apiKey: string) {
  const rig = await limitedRig({});
  rig.answers.set("clearinghouseState", ({ dex }) =>
    stateOf((dex ?? "") === "" ? [{ coin: "BTC", szi: "0.5" }] : [], rig.clock.nowMs()),
  );
  filling(rig);
  const terms = { size: SIZE, stop_loss: guard("59000", "58000"), take_profit: guard("61000", "60500") };
  const { id } = await created(rig, terms, { apiKey });
  await pass(rig, 10);
  const trade = () => findTrade(rig.deps.store, id);
  expect(trade()).toMatchObject({ status: "open", path: "after_fills", heldSize: SIZE });
  return { rig, trade, cancels: () => rig.sent.filter((body) => body.includes('"cancel')).length };
}

async function pass(rig: Rig, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 0.25) await rig.clock.advance(250);
}

const SALE = { side: "sell", size: SIZE, time_in_force: "ioc" };

test("sold by a plain order of its bot it is over, and its stop and its take-profit go", async () => {
  const { rig, trade, cancels } = await openTrade(BOT);
  sell(rig, SIZE);
  await pass(rig, 2);
  expect([trade()?.status, cancels()]).toEqual(["open", 0]);
  await pass(rig, 38);
  expect([trade()?.status, cancels()]).toEqual(["closed_outside", 2]);
});

test.each([
  ["all that", SIZE, "0", []],
  ["a part of what", "0.0015", "0.0005", ["sl 0.0005"]],
])(
  "of %s its bot has sold no guard is placed anew, which would close what another holds",
  async (_what, size, heldSize, guards) => {
    const { rig, trade } = await openTrade(BOT);
    const before = leaving(rig).length;
    const { stopId } = trade() ?? {};
    sell(rig, size);
    rig.answers.set("clearinghouseState", () => "cannot be read");
    await inSeconds(rig, ask(rig, `/v1/orders/${stopId}/cancel`, {}, { apiKey: BOT }));
    await pass(rig, 0.5);
    expect(trade()?.heldSize).toBe(decimal(heldSize));
    expect(
      leaving(rig)
        .slice(before)
        .filter((what) => what !== "cancel"),
    ).toEqual(guards);
  },
);

/** Guards and cancels, in the order in which they left. */
function leaving({ sent }: Rig): string[] {
  return sent.flatMap((body) => {
    const { action } = JSON.parse(body) as { action: { type: string; orders?: Wire[] } };
    if (action.type.startsWith("cancel")) return ["cancel"];
    const kind = (action.orders?.[0]?.t?.trigger as { tpsl?: string } | undefined)?.tpsl;
    return kind === undefined ? [] : [`${kind} ${action.orders?.[0]?.s}`];
  });
}

test("sold in part by a plain order of its bot it keeps guards of what is left, and no old one goes before the new one stands", async () => {
  const { rig, trade } = await openTrade(BOT);
  const before = leaving(rig).length;
  sell(rig, "0.0015");
  await pass(rig, 20);
  expect(trade()).toMatchObject({ status: "open", heldSize: "0.0005", unprotectedSinceMs: null });
  const since = leaving(rig).slice(before);
  expect(since.toSorted()).toEqual(["cancel", "cancel", "sl 0.0005", "tp 0.0005"]);
  expect(since[0]).toBe("sl 0.0005");
  await pass(rig, 60);
  expect(leaving(rig).length).toBe(before + 4);
});

test("what its bot sells by other orders is its oldest trade's first", async () => {
  const { rig, trade } = await openTrade(BOT);
  // No server is behind the first purchase any more.
  await pass(rig, BEHIND_MS / 1_000);
  const { id } = await created(rig, { size: SIZE, stop_loss: guard("58000", "57000") }, { apiKey: BOT });
  await pass(rig, 10);
  const held = (heldSize?: string) => heldSize ?? "none";
  const newer = () => held(findTrade(rig.deps.store, id)?.heldSize);
  sell(rig, "0.001");
  await pass(rig, 20);
  expect([held(trade()?.heldSize), newer()]).toEqual(["0.001", SIZE]);
  sell(rig, "0.002");
  await pass(rig, 40);
  expect([String(trade()?.status), newer()]).toEqual(["closed_outside", "0.001"]);
});

test.each<[string, string, (rig: Rig) => Promise<unknown>]>([
  ["its bot holds what it entered", BOT, () => Promise.resolve()],
  ["its key is plain", KEYS.both, (rig) => place(rig, SALE, { apiKey: KEYS.both })],
  [
    "a purchase of its bot is out",
    BOT,
    async (rig) => {
      sell(rig, SIZE);
      await place(rig, { size: "0.001", price: FAR });
    },
  ],
  [
    "its bot has bought again meanwhile",
    BOT,
    async (rig) => {
      sell(rig, SIZE);
      await pass(rig, 2);
      await place(rig, { size: SIZE });
    },
  ],
])("it goes on while %s", async (_what, apiKey, then) => {
  const { rig, trade, cancels } = await openTrade(apiKey);
  await then(rig);
  await pass(rig, 60);
  expect([trade()?.status, cancels()]).toEqual(["open", 0]);
});
