/** What each screen says of the state that the page is in; drawing asks for nothing and changes nothing. */
import { afterEach, expect, test } from "bun:test";
import {
  answering,
  asked,
  botLimits,
  botOf,
  FRESH,
  forget,
  KEY,
  kindOf,
  look,
  OWNER,
  openStage,
  orderWords,
  page,
  SETUP,
  STATUS,
  type Stage,
  signedIn,
} from "./stage.ts";

afterEach(forget);

const SCREENS = ["now", "trade", "account", "history", "fills", "twaps", "bots", "health"];
const HELD = {
  market: "ETH",
  side: "long",
  size: "2",
  entry_price: "3000",
  mark_price: "2900",
  position_value: "5800",
  unrealized_pnl: "-200",
  liquidation_price: "2700",
  margin_type: "cross",
  margin_used: "580",
  leverage: 10,
  funding_since_open: "0",
};

/** A position near its end, an agent that ends soon, an operation of which nothing is known, a bot that has tripped. */
function inTrouble(): Stage["app"] {
  const app = withBots();
  app.state["route"] = { screen: "now", argument: "" };
  const loaded = (value: unknown) => ({ value, readAtMs: 0, asOfMs: null, failure: null });
  const troubles = { unknown_operations: { count: 2 }, replica_fault: "Litestream has copied nothing" };
  const status = loaded({ ...STATUS, ...troubles });
  Object.assign(app.state, { positions: loaded([HELD]), openOrders: loaded([]), status });
  return app;
}

test("what needs the owner is said first, and nothing is said where nothing does", () => {
  const { text } = look(page(inTrouble()));
  for (const words of [
    "ETH is 6.8 % from its liquidation.",
    "2 operations are unknown",
    "The replica of the database: Litestream has copied nothing.",
    "The agent's approval ends",
    "grid-1 has tripped and increases nothing before",
    "The key aaaaaaaa…aaaa of grid-1 ends in 1 d.",
  ])
    expect(text).toContain(words);
  expect(text).not.toContain("Nothing needs you.");
  const calm = signedIn("now");
  Object.assign(calm.state["status"] as object, { value: { ...STATUS, feed_live: true, agent: FRESH } });
  expect(look(page(calm)).text).toContain("Nothing needs you.");
});

const LISTED_BTC = {
  market: "BTC",
  kind: "perpetual",
  dex: "",
  pair: null,
  size_decimals: 5,
  max_leverage: 40,
  margin_mode: "any",
};
const BOOK = {
  bids: [{ price: "94990", size: "2", orders: 1 }],
  asks: [{ price: "95010", size: "1.5", orders: 2 }],
};
const RESTING = {
  id: "o",
  market: "BTC",
  side: "buy",
  size: "0.5",
  filled_size: "0.1",
  price: "94990",
  status: "open",
};
const STOP_LOSS = { ...RESTING, id: "t", side: "sell", reduce_only: true };

/** The market of the form as it is now, an order that rests there, and a stop. */
const LISTED_HYPE = { ...LISTED_BTC, market: "@107", pair: "HYPE/USDC", kind: "spot", max_leverage: null };

function trading(draft: object): Stage["app"] {
  const app = signedIn("trade");
  const loaded = (value: unknown) => ({ value, readAtMs: 0, asOfMs: null, failure: null });
  const best = { best_bid: BOOK.bids[0], best_ask: BOOK.asks[0], mid_price: "95000" };
  const figures = { mark_price: "95000", oracle_price: "94000" };
  const trigger = { price: "90000", kind: "stop_loss", market: true };
  Object.assign(app.state, {
    markets: loaded([LISTED_BTC, LISTED_HYPE]),
    prices: loaded(new Map([["BTC", "95000"]])),
    openOrders: loaded([RESTING, { ...STOP_LOSS, trigger }]),
    watched: { market: "BTC", book: BOOK, best, figures, stale: new Set(), failure: null },
  });
  const { order } = app.state["forms"] as { order: { draft: object } };
  Object.assign(order.draft, draft);
  return app;
}

test("an order at market shows its worst price before it is sent, by the gateway's own rule", () => {
  const buying = { kind: "market", size: "1", side: "buy", slippageBps: "50" };
  expect(look(page(trading(buying))).text).toContain("Worst price as of now: <strong>95,485</strong>");
  // Five percent above the lower of mark and oracle is nearer than five percent of the best ask.
  expect(look(page(trading({ ...buying, slippageBps: "500" }))).text).toContain("<strong>98,700</strong>");
  expect(look(page(trading({ ...buying, side: "sell" }))).text).toContain("<strong>94,516</strong>");
});

test("a spot pair goes by its tokens where it is listed, typed and ordered", () => {
  const app = trading({ market: "HYPE/USDC", size: "0.1234567", price: "40" });
  Object.assign(app.state, {
    openOrders: { value: [{ ...RESTING, market: "@107" }], readAtMs: 0, asOfMs: null, failure: null },
  });
  const { text } = look(page(app));
  expect(text).toContain("<option value=HYPE/USDC>");
  expect(text).toContain("<small>5 decimals</small>");
  expect(text).toContain("Value</dt><dd>4.93");
  expect(text).not.toContain("@107");
  expect(orderWords(app, { ...RESTING, market: "@107" })).toContain(" HYPE/USDC at ");
});

test("a limit at a tenth of the market is warned of, and a stop says that it is one", () => {
  const { text } = look(page(trading({ size: "10", price: "9500" })));
  expect(text).toContain("This is 90.0 % below the market (95,000)");
  expect(text).toContain("<strong>0.4</strong>");
  const stop = { ...STOP_LOSS, trigger: { price: "90000", kind: "stop_loss", market: true } };
  expect(look(kindOf(stop)).text).toContain("stop 90,000");
  expect(orderWords(trading({}), stop)).toBe("sell 0.5 BTC at 94990 (stop at 90000)");
  expect(kindOf(RESTING)).toBe("limit");
  expect(look(page(trading({ size: "10", price: "94000" }))).text).not.toContain("below the market");
});

const CLOSING = { position: HELD, percent: "25", slippageBps: "50", isBusy: false, failure: null };

function closing(change: object): Stage["app"] {
  const app = inTrouble();
  Object.assign(app.state["forms"] as object, { close: { ...CLOSING, ...change } });
  return app;
}

// biome-ignore format: a table is read by its columns
const PARTS: [percent: string, slippageBps: string, says: string][] = [
  ["25", "50", "about <span class=loss>−50.00</span>"], ["100", "500", "about <span class=loss>−200.00</span>"],
  ["0", "50", "Percent is above 0"], ["100.1", "50", "Percent is above 0"], ["1e2", "50", "Percent is above 0"],
  ["25", "0", "1 to 500 basis points"], ["25", "501", "1 to 500 basis points"],
];

test.each(PARTS)("closing %s %% within %s basis points", (percent, slippageBps, says) => {
  expect(look(page(closing({ percent, slippageBps }))).text).toContain(says);
});

const DRAWN: readonly (readonly [name: string, app: () => Stage["app"]])[] = [
  ...SCREENS.map((name) => [`the screen ${name}`, () => signedIn(name)] as const),
  ["a stop on its way, and the question for one", stopping],
  ["the limits of a bot", withBots],
  ["what needs the owner", inTrouble],
  ["closing a position", () => closing({})],
  ["an order at market", () => trading({ kind: "market", size: "1" })],
  ...["owner", "agent", "builder", "key", "finish"].map((step) => [`the step ${step}`, () => atStep(step)] as const),
];

const STOP = {
  id: "s",
  account: "a",
  scope: "account",
  key_hash: null,
  cause: "asked",
  keep_protection: true,
  status: "stopping",
  stopped_at: null,
  remaining: { orders: 2, order_ids: ["o"], twaps: 1 },
  waits_for: [
    {
      reason: "cancel_unanswered",
      order: "o",
      operation: null,
      market: "BTC",
      since: "2026-11-20T10:00:00.000Z",
      until: "it is over",
    },
  ],
  kept: { orders: 1, order_ids: ["p"] },
  outside: { is_done: false, canceled: [], kept: [] },
  flatten: {
    status: "left",
    order_ids: ["q"],
    waits_for: [],
    left: [{ market: "BTC", size: "-0.001", reason: "below_minimum" }],
  },
};

function stopping(): Stage["app"] {
  const app = signedIn("trade");
  const stop = { keepsProtection: true, isBusy: true, failure: "No answer." };
  Object.assign(app.state["forms"] as object, { stop });
  Object.assign(app.state, { stops: { value: [STOP], readAtMs: 0, asOfMs: null, failure: null } });
  return app;
}

test("a stop is told to be on its way while anything is left, with what is left and what was kept", () => {
  const { text } = look(page(stopping()));
  expect(text).toContain("STOPPING");
  expect(text).toContain("2 orders and 1 TWAP can still make a position larger");
  expect(text).not.toContain("STOPPED");
  expect(text).toContain("until it is over.");
  expect(text).toContain("NOT ALL CLOSED. Left: −0.001 BTC (too little for an order of the exchange).");
  expect(text).toContain("postern resume --stop s --account a");
});

test.each([
  [500, "and at least 494 more"],
  [499, "and 493 more"],
])("of %p things that are told the rest is %p: the list is cut at 500", (count, words) => {
  const app = stopping();
  const [wait] = STOP.waits_for;
  const canceled = Array(count).fill({ kind: "order", exchange_id: "1", market: "BTC" });
  const stop = { ...STOP, waits_for: Array(count).fill(wait), outside: { ...STOP.outside, canceled } };
  Object.assign(app.state, { stops: { value: [stop], readAtMs: 0, asOfMs: null, failure: null } });
  expect(look(page(app)).text.split(words)).toHaveLength(3);
});

const RAILS = {
  bot: "grid-1",
  may: "increase,reduce",
  markets: "BTC,ETH",
  max_order: "500 USD",
  max_position: "1000 USD",
  max_exposure: "any",
  max_turnover_per_day: "5000 USD",
  max_loss_per_day: "50 USD",
  max_actions_per_day: "any",
  max_distance: "2 %",
  max_stop_distance: "10 %",
  max_leverage: "any",
  max_open_orders: "40",
  touches: "own",
  sources: "any",
};
const USE = {
  turnover_today: "1000",
  turnover_open: "234.5",
  loss_today: "60",
  actions_today: 7,
  open_orders: 2,
  nets: [{ market: "BTC", net: "-0.01" }],
  positions: [{ market: "BTC", worst_case_size: "0.012", worst_case_usd: "900" }],
};
const TRIP = { account: "a1", cause: "loss", loss: "60", limit: "50", until: "1970-01-02T00:00:00.000Z" };
const HEADROOM = {
  halt: { cause: "loss", until: "1970-01-02T00:00:00.000Z" },
  turnover_today: "3765.5",
  exposure: null,
  actions_today: null,
  open_orders: 38,
  loss_today: "0",
  positions: [{ market: "BTC", usd: "100" }],
};
const LISTED = { scopes: ["trading:read", "trading:write"], state: "active", created_at: null, last_used_at: null };

function withBots(): Stage["app"] {
  const app = signedIn("bots");
  const limits = {
    bot: "grid-1",
    rails: RAILS,
    expires_at: "1970-01-02T00:00:00.000Z",
    trip: TRIP,
    use: USE,
    headroom: HEADROOM,
  };
  const keys = [
    { ...LISTED, key_hash: "aa".repeat(32), limits },
    { ...LISTED, key_hash: "bb".repeat(32), limits: null },
  ];
  Object.assign(app.state, { keys: { value: keys, readAtMs: 0, asOfMs: null, failure: null } });
  return app;
}

test("of each bot it is shown what it is held to, has used and has left, and which keys have no limits", () => {
  const app = withBots();
  const [limited, plain] = (app.state["keys"] as { value: [object, object] }).value;
  const text = look(botLimits(app, limited)).text.replaceAll(/<[^>]*>/g, "");
  for (const words of ["1,234.50 of 5,000 USD", "3,765.50 left", "2 of 40", "38 left", "7, no limit"])
    expect(text.replaceAll(/\s+/g, " ")).toContain(words);
  expect(text).toContain("60.00 of 50 USD");
  expect(text).toContain("it has lost 60.00 of the 50.00 USD that it may lose in a day");
  expect(text).toContain("postern key untrip --bot grid-1 --account a1");
  expect(text).toContain("Holds −0.01 BTC");
  expect(text).toContain("may come to 900.00 of 1,000 USD 100.00 left");
  expect(text).toContain(
    "at most 500 USD by bad prices (2 % of what it opens, 10 % of what it closes, 7000 USD in all)",
  );
  expect([limited, plain].map((key) => look(botOf(key)).text)).toEqual([
    "grid-1",
    expect.stringContaining("no limits"),
  ]);
  expect(botLimits(app, plain)).toBeNull();
});

function atStep(step: string): Stage["app"] {
  const { app, state } = openStage();
  Object.assign(state, { setup: { ...SETUP, step }, address: OWNER, key: KEY });
  return app;
}

test.each(DRAWN)("%s is drawn without a question, and without a change of what the page knows", (_name, open) => {
  answering({});
  const app = open();
  const before = Bun.inspect(app.state, { depth: 20 });
  page(app);
  expect(asked).toEqual([]);
  expect(Bun.inspect(app.state, { depth: 20 })).toBe(before);
});

const FIGURES = { volume: "1000", builder_fees: "0", funding: "-1.5", realized_pnl: "20", fees: "0.5", net_pnl: "18" };
const NOBODY = { day: null, market: null, bot: null, key_hash: null, attributed: false };

test("what each bot has brought today is told as the gateway has booked it, its keys together and nobody's left out", () => {
  const app = withBots();
  app.state["route"] = { screen: "now", argument: "" };
  const loaded = (data: object[]) => ({
    value: { complete_to: "2026-03-02T10:00:00.000Z", data },
    readAtMs: 0,
    asOfMs: null,
    failure: null,
  });
  const today = [
    { ...NOBODY, ...FIGURES, bot: "grid-1", fills: 3, net_pnl: "4.25" },
    { ...NOBODY, ...FIGURES, bot: "grid-1", fills: 2, net_pnl: "1.5" },
    { ...NOBODY, ...FIGURES, fills: 7 },
  ];
  app.state["performance"] = {
    byDay: loaded([{ ...NOBODY, ...FIGURES, day: "2026-03-02", fills: 12 }]),
    today: loaded(today),
  };
  expect(look(page(app)).text).toContain("days of UTC, booked up to 2026-03-02 10:00");
  const [bot = {}] = (app.state["keys"] as { value: object[] }).value;
  const text = look(botLimits(app, bot)).text.replaceAll(/<[^>]*>/g, "");
  for (const words of ["Fills today5", "+40.00", "−1.00", "+5.75"]) expect(text).toContain(words);
  const unbooked = { value: { complete_to: null, data: [], total: null }, readAtMs: 0, asOfMs: null, failure: null };
  app.state["performance"] = { byDay: unbooked, today: unbooked };
  expect(look(page(app)).text).toContain("Nothing is booked yet.");
  expect(look(botLimits(app, bot)).text).not.toContain("Fills today");
});

test("an entry that is held without a stop is among what needs the owner, and one with it is not", () => {
  const app = signedIn("now");
  const trade = {
    id: "t",
    market: "ETH",
    side: "buy",
    size: "2",
    held_size: "2",
    entry: { price: "3000", order: null },
    stop_loss: { trigger_price: "2900" },
    take_profit: null,
    status: "open",
    created_at: "1970-01-01T00:00:00.000Z",
    protected: false,
    unprotected_since: "1970-01-01T00:00:00.000Z",
    unprotected_because: "the exchange refused the stop",
  };
  app.state["nowMs"] = 90_000;
  const loaded = (value: object[]) => ({ value, readAtMs: 0, asOfMs: null, failure: null });
  app.state["trades"] = loaded([trade]);
  expect(look(page(app)).text).toContain("2 ETH has no stop for 1 min 30 s: the exchange refused the stop");
  app.state["trades"] = loaded([{ ...trade, protected: true, unprotected_since: null, unprotected_because: null }]);
  expect(look(page(app)).text).not.toContain("has no stop");
});
