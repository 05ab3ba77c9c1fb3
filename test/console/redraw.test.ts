/** The page is drawn again and again; what it asks the gateway for, it asks because of time or of a person. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Step = (app: object, state: Record<string, unknown>, more?: object) => unknown;
type Steps = {
  page: (app: object) => unknown;
  proofStep: Step;
  botLimits: (app: object, key: object) => unknown;
  botOf: (key: object) => unknown;
  refresh: (app: object) => Promise<void>;
  beginRenewal: (app: object) => void;
  notify: (app: object, tone: string, text: string) => void;
  signOut: (app: object) => void;
  newProof: () => object;
  newSigning: () => object;
  emptyState: (nowMs: number, storage: object) => Record<string, unknown>;
};
const modules = [
  "setup/proof-step.ts",
  "setup/proof.ts",
  "setup/steps.ts",
  "views/page.ts",
  "views/bot-limits.ts",
  "state/forms.ts",
  "state/notices.ts",
  "state/renewal.ts",
  "state/session.ts",
  "state/state.ts",
].map((path) => import(join(CONSOLE, path)));
// Their own types are a browser's; each name is exported by one of them.
const { page, proofStep, botLimits, botOf, refresh, beginRenewal, notify, signOut, newProof, newSigning, emptyState } =
  Object.assign({}, ...(await Promise.all(modules))) as Steps;

const realFetch = globalThis.fetch;
const asked: string[] = [];
afterEach(() => {
  globalThis.fetch = realFetch;
  asked.length = 0;
});

/** The gateway answers each path as told; what is not told fails with 503. */
function answering(answers: Readonly<Record<string, unknown>>): void {
  const fake = async (path: string) => {
    asked.push(path);
    const body = answers[path];
    if (body !== undefined) return Response.json(body);
    return Response.json({ error: { code: "exchange_unavailable", message: "No exchange." } }, { status: 503 });
  };
  // The page asks with a path and options, and nothing else.
  globalThis.fetch = fake as unknown as typeof fetch;
}

const KEY = {
  apiKey: `api_trade_${"ab".repeat(32)}`,
  grant: { account: "a", keyHash: "h", scopes: ["trading:read", "trading:write"], issuedAtMs: 0 },
  isRegistered: true,
  isTaken: true,
};
const OWNER = `0x${"12".repeat(20)}`;
const SETUP = {
  step: "finish",
  network: "paper",
  is_real_money: false,
  agent: null,
  builder: null,
  account: { id: "a", owner_address: OWNER },
  api_keys: [{ key_hash: "h" }],
};

type Stage = {
  app: { state: Record<string, unknown> };
  state: Record<string, unknown>;
  pauses: number[];
  pass(): Promise<void>;
};

/** Sleeps end when `pass` is called. */
function openStage(): Stage {
  const pauses: number[] = [];
  let wake: () => void = () => undefined;
  const state: Record<string, unknown> = {
    token: "t",
    setup: SETUP,
    isBusy: false,
    isLooking: false,
    failure: null,
    isOver: false,
    address: "",
    view: null,
    validDays: "90",
    signing: newSigning(),
    approval: null,
    mayWrite: true,
    key: null,
    proof: newProof(),
  };
  const app = {
    state: { ...emptyState(0, storage()), setup: state } as Record<string, unknown>,
    sessionStorage: storage(),
    localStorage: storage(),
    nowMs: () => 0,
    sleep: (ms: number) => {
      pauses.push(ms);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    randomBytes: (length: number) => new Uint8Array(length),
    changed: () => undefined,
  };
  const pass = async () => {
    wake();
    await settled();
  };
  return { app, state, pauses, pass };
}

function storage() {
  return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined, length: 0, key: () => null };
}

function settled(): Promise<void> {
  return Bun.sleep(5);
}

/** Everything that a drawing says, and its buttons by their words. */
function look(drawing: unknown): { text: string; buttons: Map<string, () => void> } {
  const buttons = new Map<string, () => void>();
  function walk(part: unknown): string {
    if (Array.isArray(part)) return part.map(walk).join(" ");
    if (typeof part !== "object" || part === null || !("strings" in part)) return typeof part === "string" ? part : "";
    // Made by lit's `html`.
    const { strings, values } = part as { strings: readonly string[]; values: readonly unknown[] };
    for (const [index, value] of values.entries()) {
      const label = /^[^<]*>([^<]+)<\/button>/.exec(strings[index + 1] ?? "")?.[1];
      if (typeof value === "function" && label !== undefined) buttons.set(label, value as () => void);
    }
    return strings.map((text, index) => text + walk(values[index])).join("");
  }
  return { text: walk(drawing), buttons };
}

test("a price that cannot be read is asked for again with longer pauses, however often the page is drawn", async () => {
  answering({ "/v1/setup": SETUP, "/v1/whoami": { account: "a" }, "/v1/markets": { data: [] } });
  const { app, state, pauses, pass } = openStage();
  const draw = async () => {
    for (let frame = 0; frame < 60; frame += 1) proofStep(app, state, { setup: SETUP, key: KEY });
    await settled();
    return look(proofStep(app, state, { setup: SETUP, key: KEY }));
  };
  const prices = () => asked.filter((path) => path === "/v1/prices").length;
  app.state["session"] = { apiKey: KEY.apiKey, me: { account: "a" } };
  state["key"] = KEY;
  await draw();
  expect(prices()).toBe(0);
  await refresh(app);
  const first = await draw();
  expect(first.text).toContain("The price could not be read: No exchange.");
  expect(prices()).toBe(1);
  await draw();
  expect(prices()).toBe(1);
  for (const [asks, pauseMs] of [
    [2, 4_000],
    [3, 8_000],
    [4, 16_000],
    [5, 30_000],
    [6, 30_000],
  ] as const) {
    await pass();
    await draw();
    expect([prices(), pauses.at(-1)]).toEqual([asks, pauseMs]);
  }
  (await draw()).buttons.get("Try again now")?.();
  await settled();
  expect(prices()).toBe(7);
  expect(pauses.at(-1)).toBe(2_000);
  expect((await draw()).buttons.has("Finish without it")).toBe(true);
});

const LOOKED_UP = [
  ["owner", "a window that knows it from before a reload", OWNER],
  ["agent", "the account", ""],
] as const;

test.each(LOOKED_UP)(
  "at the step %s the address of %s is looked up once, however often the page is drawn",
  async (step, _whose, address) => {
    answering({ "/v1/setup": { ...SETUP, step } });
    const { app, state } = openStage();
    state["address"] = address;
    await refresh(app);
    for (let round = 0; round < 3; round += 1) {
      for (let frame = 0; frame < 60; frame += 1) page(app);
      await settled();
    }
    expect(asked.filter((path) => path !== "/v1/setup")).toEqual([`/v1/setup/exchange-view?address=${OWNER}`]);
    expect(state["failure"]).toContain("No exchange.");
  },
);

const AGENT = { name: "postern-1", address: OWNER, is_unlocked: true, valid_until: "1970-01-02T00:00:00.000Z" };
const STATUS = {
  phase: "ready",
  orders: { are_taken: true },
  feed_not_live_because: null,
  market_feed_live: null,
  agent: AGENT,
  unknown_orders: { count: 0, oldest_age_s: null },
  unknown_operations: { count: 0 },
  unsettled_actions: 0,
  fills_read_at: null,
  markets_read_at: null,
  builder_fee: null,
  exchange_budget: { actions_used: null, weight: { orders: { left: 61, wait_s: 0 } } },
};
const ME = { account: "a", network: "paper", scopes: ["trading:read", "trading:write"], key_hash: "h" };

function signedIn(screen: string): Stage["app"] {
  const { app } = openStage();
  const read = { value: STATUS, readAtMs: 0, asOfMs: null, failure: null };
  const session = { apiKey: KEY.apiKey, me: ME };
  Object.assign(app.state, { setup: null, session, status: read, route: { screen, argument: "" } });
  return app;
}

test("an agent that ends soon is asked about once, on the screen that shows it, and again with the next session", async () => {
  answering({});
  const app = signedIn("trade");
  beginRenewal(app);
  expect(asked).toEqual([]);
  app.state["route"] = { screen: "health", argument: "" };
  for (let turn = 0; turn < 5; turn += 1) beginRenewal(app);
  expect(asked).toEqual(["/v1/agent-renewal"]);
  await settled();
  expect(look(page(app)).text).toContain("Renew the agent");
  signOut(app);
  expect(app.state["forms"]).toMatchObject({ renewal: null });
});

const SCREENS = ["trade", "account", "orders", "fills", "twaps", "keys", "health"];
const DRAWN: readonly (readonly [name: string, app: () => Stage["app"]])[] = [
  ...SCREENS.map((name) => [`the screen ${name}`, () => signedIn(name)] as const),
  ["a stop on its way, and the question for one", stopping],
  ["the limits of a bot", withBots],
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
  kept: { orders: 1, order_ids: ["p"] },
  outside: { is_done: false, canceled: [], kept: [] },
  flatten: { status: "left", order_ids: ["q"], left: [{ market: "BTC", size: "-0.001", reason: "below_minimum" }] },
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
  expect(text).toContain("NOT ALL CLOSED. Left: −0.001 BTC (too little for an order of the exchange).");
  expect(text).toContain("postern resume --stop s --account a");
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
const TRIP = { cause: "loss", loss: "60", limit: "50", until: "1970-01-02T00:00:00.000Z" };
const HEADROOM = {
  turnover_today: "3765.5",
  exposure: null,
  actions_today: null,
  open_orders: 38,
  loss_today: "0",
  positions: [{ market: "BTC", usd: "100" }],
};
const LISTED = { scopes: ["trading:read", "trading:write"], state: "active", created_at: null, last_used_at: null };

function withBots(): Stage["app"] {
  const app = signedIn("keys");
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
  expect(text).toContain("Holds −0.01 BTC");
  expect(text).toContain("may come to 900.00 of 1000 USD 100.00 left");
  expect(text).toContain("at most 100 USD by bad prices");
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

test("what a person was in the middle of is gone when they have signed out: a key that is shown, a dialog, a draft", () => {
  const app = signedIn("keys");
  const made = { apiKey: "api_trade_shown", grant: KEY.grant, signing: newSigning(), isRegistered: true };
  const forms = app.state["forms"] as Record<string, object>;
  Object.assign(forms["newKey"] ?? {}, { made });
  Object.assign(forms["twap"] ?? {}, { size: "7" });
  Object.assign(forms, { modification: { order: {} }, revocation: { key: {} } });
  signOut(app);
  const begun = { newKey: { made: null }, twap: { size: "" }, modification: null, revocation: null };
  expect(app.state["forms"]).toMatchObject(begun);
});

test("good news that go by themselves take no other message along", async () => {
  const { app, pass } = openStage();
  notify(app, "good", "one");
  for (const text of ["two", "three", "four", "five", "six", "seven"]) notify(app, "bad", text);
  await pass();
  expect(app.state["notices"]).toEqual(
    ["three", "four", "five", "six", "seven"].map((text) => ({ tone: "bad", text })),
  );
});
