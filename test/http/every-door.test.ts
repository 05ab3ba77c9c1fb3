/**
 * Every request by which a key with rails can change what executes, each asked for one thing that its owner has not signed: refused
 * by its rail, with nothing of it stored and nothing sent. A route that is added without a row here fails.
 */
import { expect, test } from "bun:test";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { errorsOf } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { BOT, type Body, fillAt, inSeconds, limitedRig, MARK, place, railOf, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, rowCounts } from "./rig.ts";
import { created, guard } from "./trades-rig.ts";

type Door = {
  route: string;
  rails: Partial<LimitedGrantText>;
  /** What is there already; id for the path. */
  before?: (rig: Rig) => Promise<string>;
  body: Body;
  /** Its name, or the beginning of the words where the verb itself refuses. */
  rail: string;
};

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.001" };
const ISOLATED = { type: "isolated", value: 3, rawUsd: "-100" };

const DOORS: readonly Door[] = [
  { route: "POST /v1/orders", rails: { maxOrder: "50 USD" }, body: { ...ORDER, price: MARK }, rail: "max_order" },
  { route: "POST /v1/orders/market", rails: { maxOrder: "50 USD" }, body: ORDER, rail: "max_order" },
  {
    route: "POST /v1/orders/batch",
    rails: { maxOrder: "50 USD" },
    body: { account: ACCOUNTS.main, orders: [{ market: "BTC", side: "buy", size: "0.001", price: MARK }] },
    rail: "max_order",
  },
  {
    route: "POST /v1/orders/{id}/modify",
    rails: { maxOrder: "70 USD" },
    before: (rig) => placed(rig, BOT),
    body: { size: "0.002" },
    rail: "max_order",
  },
  {
    route: "POST /v1/orders/{id}/cancel",
    rails: {},
    before: (rig) => placed(rig, KEYS.both),
    body: {},
    rail: "touches",
  },
  {
    route: "POST /v1/positions/close",
    rails: { may: "increase,cancel" },
    before: async (rig) => {
      fillAt(rig, MARK);
      await placed(rig, BOT);
      const held = [{ coin: "BTC", szi: "0.001" }];
      rig.answers.set("clearinghouseState", ({ dex }) => stateOf((dex ?? "") === "" ? held : [], rig.clock.nowMs()));
      return "";
    },
    body: { account: ACCOUNTS.main, market: "BTC" },
    rail: "may",
  },
  {
    route: "POST /v1/leverage",
    rails: { may: "increase,leverage", maxLeverage: "5" },
    body: { market: "BTC", leverage: 10, margin_type: "cross" },
    rail: "max_leverage",
  },
  {
    route: "POST /v1/margin",
    rails: { may: "reduce,margin" },
    before: async (rig) => {
      const held = [{ coin: "BTC", szi: "1", leverage: ISOLATED }];
      rig.answers.set("clearinghouseState", () => stateOf(held, rig.clock.nowMs()));
      return "";
    },
    body: { market: "BTC", amount: "-5" },
    rail: "may",
  },
  {
    route: "POST /v1/twaps",
    rails: { may: "increase,twap", maxOrder: "500 USD" },
    body: { market: "BTC", side: "buy", size: "0.01", duration_minutes: 30 },
    rail: "max_order",
  },
  {
    route: "POST /v1/twaps/cancel",
    rails: {},
    before: async (rig) => {
      const body = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 30 };
      await inSeconds(
        rig,
        rig.ask({ path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: "twap-of-another-1", body }),
      );
      return "";
    },
    body: { market: "BTC", twap_id: 7 },
    rail: "touches",
  },
  {
    route: "POST /v1/trades",
    rails: { maxOrder: "500 USD" },
    body: {
      ...ORDER,
      size: "0.01",
      entry: { price: MARK },
      stop_loss: { trigger_price: "58000" },
    },
    rail: "max_order",
  },
  {
    route: "POST /v1/trades/{id}/modify",
    rails: { maxStopDistance: "12 %" },
    before: async (rig) => tradeAtRest(rig, await created(rig, {}, { apiKey: BOT })),
    body: { stop_loss: guard("58000", "50000") },
    rail: "max_stop_distance",
  },
  {
    route: "POST /v1/trades/{id}/cancel",
    rails: {},
    before: async (rig) => tradeAtRest(rig, await created(rig)),
    body: {},
    rail: "touches",
  },
  {
    route: "POST /v1/orders/cancel-all",
    rails: {},
    body: { account: ACCOUNTS.main, touches: "all" },
    rail: "403 rail_refused: Rail touches",
  },
  {
    route: "POST /v1/stop",
    rails: { may: "increase,stop" },
    body: { scope: "account" },
    rail: "403 rail_refused",
  },
  {
    route: "POST /v1/stops/{id}/flatten",
    rails: { may: "increase,stop" },
    before: async (rig) => {
      const answer = await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "account" } });
      return ((await answer.json()) as { id: string }).id;
    },
    body: {},
    rail: "403 rail_refused",
  },
];

async function placed(rig: Rig, apiKey: string): Promise<string> {
  const answer = await inSeconds(rig, place(rig, {}, { apiKey }));
  return ((await answer.json()) as { id: string }).id;
}

/** What it sends by itself has gone, so that what comes then is of the door. */
async function tradeAtRest(rig: Rig, trade: { id: string }): Promise<string> {
  for (let step = 0; step < 20; step += 1) await rig.clock.advance(250);
  return trade.id;
}

async function openDoor({ rails, before }: Door): Promise<{ rig: Rig; id: string }> {
  const rig = await limitedRig(rails);
  const level = { px: "59990", sz: "10", n: 1 };
  const levels = [[level], [{ ...level, px: "60010" }]];
  rig.answers.set("l2Book", () => ({ coin: "BTC", time: rig.clock.nowMs(), levels }));
  rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
  return { rig, id: (await before?.(rig)) ?? "" };
}

test.each(DOORS.map((door) => [door.route, door] as const))("%s is judged", async (route, door) => {
  const { rig, id } = await openDoor(door);
  const path = route.replace("POST ", "").replace("{id}", id);
  const [rows, sent] = [rowCounts(rig), rig.sent.length];
  const asked = { path, apiKey: BOT, idempotencyKey: "asked-at-this-door", body: door.body };
  expect(await railIn(await inSeconds(rig, rig.ask(asked)))).toStartWith(door.rail);
  // That it was refused is told in the audit log.
  expect([rowCounts(rig), rig.sent.length]).toEqual([{ ...rows, audit: rowCounts(rig)["audit"] ?? 0 }, sent]);
});

/** Of orders that were to leave together each has words of its own. */
async function railIn(answer: Response): Promise<string> {
  const told = (await answer.clone().json()) as { error?: { orders?: { code: string; message: string }[] } };
  const [first] = told.error?.orders ?? [];
  return first === undefined ? railOf(answer) : (/^Rail ([a-z_]+) /.exec(first.message)?.[1] ?? first.code);
}

test("a route that a rail may refuse has a row here", () => {
  const refusing = allRoutes().filter(({ contract }) => errorsOf(contract).includes("rail_refused"));
  const named = refusing.map(({ contract: { method, path } }) => `${method} ${path}`);
  expect(named.filter((route) => !NOT_HERE.has(route)).toSorted()).toEqual(DOORS.map(({ route }) => route).toSorted());
});

/** What is asked of a proposal is no action: who may is in `proposals.test.ts`. Who may make a key of the demo: in `demo-key.test.ts`. */
const NOT_HERE: ReadonlySet<string> = new Set([
  "POST /v1/proposals/{id}/approve",
  "POST /v1/proposals/{id}/refuse",
  "POST /v1/api-keys/demo",
]);
