/** What was just filled counts against an opposite increase until a position tells whose it is. */
import { expect, test } from "bun:test";
import { cloidOf } from "../../src/core/cloid.ts";
import { decimal } from "../../src/core/decimal.ts";
import { openFillIndex } from "../../src/settle/fills/index-fills.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { openOtherMachines } from "../../src/settle/restore/other-machine.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { sumJustFilled } from "../../src/store/just-filled.ts";
import { findLegByCloid } from "../../src/store/legs.ts";
import { listOpenOrders, listOrders } from "../../src/store/orders.ts";
import { parseFills } from "../../src/wire/answer/fills.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";
import { keepFills } from "./flatten-rig.ts";
import {
  BOT,
  type Body,
  fillAt,
  inSeconds,
  limitedRig,
  MARK,
  OTHER_BOT,
  openMarketRig,
  type Position,
  place,
  railOf,
  register,
  stateOf,
  textOf,
} from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

/** Two bots, and a server that shows the positions of this moment until it is told to go on. */
async function twoBots(positions: Position[] = []) {
  const rig = await limitedRig({}, positions);
  await register(rig, textOf(rig, { bot: "other-1", touches: "all" }, OTHER_BOT));
  const shown = { positions, timeMs: rig.clock.nowMs() };
  rig.answers.set("clearinghouseState", () => stateOf(shown.positions, shown.timeMs));
  fillAt(rig, MARK);
  // The fill is of later than what is shown.
  await rig.clock.advance(100);
  let held = positions[0]?.szi ?? "0";
  // By then the exchange lists what was filled, and it is kept.
  const goOn = (next: Position[]) => {
    held = keepFills(rig, held);
    Object.assign(shown, { positions: next, timeMs: rig.clock.nowMs() + 1 });
  };
  return { rig, goOn };
}

const SALE = { side: "sell", time_in_force: "ioc", price: "59500" };

/** Nobody can say whether the position has what was filled, and so whether others hold the other side. */
const UNPROVEN = "503 rails_unproven";

async function buys(rig: Rig, terms: Body = {}): Promise<string> {
  const told = await railOf(await inSeconds(rig, place(rig, terms)));
  return told.startsWith(UNPROVEN) ? UNPROVEN : told;
}

test.each<[string, Body, string, string]>([
  ["a bot has sold", SALE, OTHER_BOT, UNPROVEN],
  ["a key without rails has sold", SALE, KEYS.both, UNPROVEN],
  ["a bot has bought", { ...SALE, side: "buy", price: "60500" }, OTHER_BOT, "passed"],
])("where %s, and no position shows it yet", async (_what, terms, apiKey, rail) => {
  const { rig } = await twoBots();
  expect(await railOf(await place(rig, terms, { apiKey }))).toBe("passed");
  expect(await buys(rig)).toBe(rail);
});

test.each(WALL_CLOCKS)("where a key without rails has sold, and our wall clock %s", async (_what, before, since) => {
  const { rig } = await twoBots();
  const startMs = rig.clock.nowMs() - rig.clock.elapsedMs();
  rig.deps.exchange.nowMs = () => startMs + rig.clock.elapsedMs();
  rig.clock.stepWall(before);
  expect(await railOf(await place(rig, SALE, { apiKey: KEYS.both }))).toBe("passed");
  rig.clock.stepWall(since);
  expect(await buys(rig)).toBe(UNPROVEN);
});

test("what reduces, of a bot that holds as much, opens nothing", async () => {
  const { rig } = await twoBots([{ coin: "BTC", szi: "0.001" }]);
  expect(await railOf(await place(rig, { ...SALE, reduce_only: true }, { apiKey: OTHER_BOT }))).toBe("passed");
  const of = { accountId: ACCOUNTS.main, market: "BTC" };
  const sold = (bot: string) => sumJustFilled(rig.deps.store, { ...of, bot }, () => true);
  expect(sold("nobody").sell).toBe(decimal("0"));
  expect(sold("other-1").sell).toBe(decimal("0.001"));
  expect(await buys(rig)).toBe("passed");
});

test.each([["place"], ["batch"]])(
  "what another was told to have closed is held against nobody by a position of before (%s)",
  async (how) => {
    const { rig, goOn } = await twoBots([{ coin: "BTC", szi: "0.001" }]);
    expect(await railOf(await place(rig, { ...SALE, reduce_only: true }, { apiKey: OTHER_BOT }))).toBe("passed");
    const sells = () => {
      if (how === "place") return buys(rig, SALE);
      const body = { account: ACCOUNTS.main, orders: [{ market: "BTC", size: "0.001", ...SALE }] };
      const asked = rig.ask({ path: "/v1/orders/batch", apiKey: BOT, idempotencyKey: crypto.randomUUID(), body });
      return inSeconds(rig, asked)
        .then(railOf)
        .then((told) => (told.startsWith(UNPROVEN) ? UNPROVEN : told));
    };
    expect(await sells()).toBe(UNPROVEN);
    // Read again for as long as it waits: the one that comes meanwhile tells.
    const asked = sells();
    void rig.clock.sleep(1_500).then(() => goOn([]));
    expect(await asked).toBe("passed");
  },
);

test("and where others hold as much by a position of after it, that refuses", async () => {
  const { rig, goOn } = await twoBots([{ coin: "BTC", szi: "0.001" }]);
  expect(await railOf(await place(rig, { ...SALE, reduce_only: true }, { apiKey: OTHER_BOT }))).toBe("passed");
  goOn([{ coin: "BTC", szi: "0.002" }]);
  expect(await buys(rig, SALE)).toBe("opposite_position");
});

test("what another has closed is held against nobody by a position of before it under a new time", async () => {
  const { rig, goOn } = await twoBots([{ coin: "BTC", szi: "0.001" }]);
  await rig.ask({ path: "/v1/positions", apiKey: KEYS.both });
  expect(await railOf(await place(rig, { ...SALE, reduce_only: true }, { apiKey: OTHER_BOT }))).toBe("passed");
  goOn([{ coin: "BTC", szi: "0.001" }]);
  expect(await buys(rig, SALE)).toBe(UNPROVEN);
  goOn([]);
  expect(await buys(rig, SALE)).toBe("passed");
});

test("a position that is told after it says whose it is: what others hold then refuses", async () => {
  const { rig, goOn } = await twoBots();
  expect(await railOf(await place(rig, SALE, { apiKey: OTHER_BOT }))).toBe("passed");
  expect(await buys(rig)).toBe(UNPROVEN);
  goOn([{ coin: "BTC", szi: "-0.001" }]);
  expect(await buys(rig)).toBe("opposite_position");
});

test("it is read at once, and not as others were told it a moment before the fill", async () => {
  const { rig, goOn } = await twoBots();
  await rig.ask({ path: "/v1/positions", apiKey: KEYS.both });
  expect(await railOf(await place(rig, SALE))).toBe("passed");
  expect(await railOf(await place(rig, {}))).toBe("passed");
  goOn([]);
  // Nothing of the second goes by in which who only reads is told the same.
  expect(await railOf(await place(rig, SALE))).toBe("passed");
});

test("a bot that is alone turns its position while positions are told two seconds late", async () => {
  const { rig, goOn } = await twoBots();
  for (let nth = 0; nth < 6; nth += 1) {
    const isSale = nth % 2 === 0;
    const size = nth === 0 ? "0.001" : "0.002";
    const asked = place(rig, isSale ? { ...SALE, size } : { size });
    // A reading of before it goes on being shown for a second and a half of what the next one waits.
    const shownAt = 1_500;
    void rig.clock.sleep(shownAt).then(() => goOn([{ coin: "BTC", szi: isSale ? "-0.001" : "0.001" }]));
    expect([nth, await railOf(await inSeconds(rig, asked))]).toEqual([nth, "passed"]);
  }
});

test("a bot's own sale stands in the way of no purchase of its own", async () => {
  const { rig } = await twoBots();
  expect(await railOf(await place(rig, SALE))).toBe("passed");
  expect(await buys(rig)).toBe("passed");
});

test("its own sale is in its net and not in an older position: the side of others is known by a newer one", async () => {
  const { rig, goOn } = await twoBots();
  expect(await railOf(await place(rig, SALE, { apiKey: OTHER_BOT }))).toBe("passed");
  expect(await railOf(await place(rig, { ...SALE, size: "0.002" }))).toBe("passed");
  expect(await buys(rig, { size: "0.003" })).toBe(UNPROVEN);
  await rig.clock.advance(1_000);
  // The other one has been bought back by hand.
  goOn([{ coin: "BTC", szi: "-0.002" }]);
  expect(await buys(rig, { size: "0.003" })).toBe("passed");
});

test.each([["place"], ["batch"]])("of what rests the part that is told to be filled (%s)", async (how) => {
  const { rig } = await twoBots();
  rig.deps.exchange.send = async (body) => {
    const { action } = JSON.parse(body) as { action: { orders: { c: string }[] } };
    const statuses = action.orders.map(({ c }, index) => ({ resting: { oid: 7_001 + index, cloid: c } }));
    return {
      kind: "answered",
      httpStatus: 200,
      body: JSON.stringify({ status: "ok", response: { type: "order", data: { statuses } } }),
    };
  };
  const terms = { market: "BTC", side: "sell", size: "0.002", price: "61000" };
  const rested = await (how === "place"
    ? place(rig, terms, { apiKey: KEYS.both })
    : rig.ask({
        path: "/v1/orders/batch",
        apiKey: KEYS.both,
        idempotencyKey: "a-batch-of-one-that-rests",
        body: { account: ACCOUNTS.main, orders: [terms] },
      }));
  expect(rested.status).toBe(201);
  expect(await buys(rig)).toBe("passed");
  const resting = listOpenOrders(rig.deps.store, ACCOUNTS.main).find(({ side }) => side === "sell");
  const cloid = cloidOf(resting?.id ?? "");
  const filled = { size: decimal("0.001"), notional: decimal("61") };
  inTransaction(rig.deps.store, (store) =>
    recordLegEvent(store, cloid, { type: "fills_seen", filled }, rig.clock.nowMs()),
  );
  expect(findLegByCloid(rig.deps.store, cloid)?.filledSize).toBe(decimal("0.001"));
  expect(await buys(rig)).toBe(UNPROVEN);
});

/** Of an order that was placed past this gateway, as the account's feed or its list of fills tells it. */
function filledElsewhere(rig: Rig, some: { time?: number; oid?: number } = {}): void {
  const account = findAccount(rig.deps.store, ACCOUNTS.main);
  if (account === null) throw new Error("no account");
  const fill = { coin: "BTC", px: "60000.0", sz: "0.001", side: "A", startPosition: "0.0", dir: "Open Short" };
  const rest = { closedPnl: "0.0", hash: `0x${"1".repeat(64)}`, crossed: true, fee: "0.01", feeToken: "USDC" };
  const told = { ...fill, ...rest, time: rig.clock.nowMs(), oid: 990_077, tid: 9, twapId: null, ...some };
  openFillIndex(rig.deps, openOtherMachines(rig.deps)).add(account, parseFills([told]) ?? []);
}

test("what was sold by hand, and is told, is not missed because the position is of before it", async () => {
  const { rig, goOn } = await twoBots();
  await rig.ask({ path: "/v1/positions", apiKey: KEYS.both });
  filledElsewhere(rig);
  expect(await buys(rig)).toBe(UNPROVEN);
  goOn([{ coin: "BTC", szi: "-0.001" }]);
  expect(await buys(rig)).toBe("opposite_position");
});

test("what was sold by hand half a minute ago every position has", async () => {
  const { rig } = await twoBots();
  filledElsewhere(rig, { time: rig.clock.nowMs() - 31_000 });
  expect(await buys(rig)).toBe("passed");
});

test("what the bot itself was told to have sold is not counted a second time by its fill", async () => {
  const { rig } = await twoBots();
  expect(await railOf(await place(rig, SALE))).toBe("passed");
  const of = { accountId: ACCOUNTS.main, market: "BTC", bot: "nobody" };
  const sold = () => sumJustFilled(rig.deps.store, of, () => true).sell;
  const before = sold();
  const [order] = listOrders(rig.deps.store, {
    accountId: ACCOUNTS.main,
    status: null,
    dex: null,
    after: null,
    limit: 1,
  });
  filledElsewhere(rig, { oid: Number(order?.exchangeOrderId) });
  expect(sold()).toBe(before);
});

test("it counts until a position is told that is newer, and what others have got out of is not theirs then", async () => {
  const { rig, goOn } = await twoBots([{ coin: "BTC", szi: "0.001" }]);
  // What the owner holds by hand, a key without rails sells: nobody holds anything after that.
  expect(await railOf(await place(rig, { ...SALE, size: "0.002" }, { apiKey: KEYS.both }))).toBe("passed");
  expect(await buys(rig)).toBe(UNPROVEN);
  // It is read anew before anybody is refused, and not as others were told it a moment ago.
  goOn([]);
  expect(await buys(rig)).toBe("passed");
});

test("and not for an hour where our clock was set back by as much", async () => {
  const { rig } = await twoBots();
  expect(await railOf(await place(rig, SALE, { apiKey: OTHER_BOT }))).toBe("passed");
  expect(await buys(rig)).toBe(UNPROVEN);
  const { nowMs } = rig.deps.clock;
  rig.deps.clock.nowMs = () => nowMs() - 3_600_000;
  expect(await buys(rig)).toBe("passed");
});

test("after a refusal that took its transaction back it is not forgotten", async () => {
  const { rig } = await twoBots();
  expect(await railOf(await place(rig, SALE, { apiKey: OTHER_BOT }))).toBe("passed");
  for (let times = 0; times < 3; times += 1) expect(await buys(rig)).toBe(UNPROVEN);
});

test("nothing is kept of what nobody asks for any more", async () => {
  const rig = openMarketRig();
  fillAt(rig, MARK);
  for (let times = 0; times < 50; times += 1) {
    await place(rig, SALE, { apiKey: KEYS.both });
    await rig.clock.advance(5_000);
  }
  const kept = [...rig.deps.store.memory.justFilled.values()].flatMap((ofMarket) => [...ofMarket.values()].flat());
  expect(kept.length).toBeLessThanOrEqual(7);
});
