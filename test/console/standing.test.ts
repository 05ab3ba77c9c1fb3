/** A dialog or form shows what its click would do now; where what it was opened for has changed, its click does nothing. */
import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { answering, asked, forget, HELD_TO, look, newSigning, page, type Stage, settled, signedIn } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Opens = (app: object, opened: object) => void;
type Steps = {
  openClose: Opens;
  closeNow: (app: object, own: object) => Promise<void>;
  openProtect: Opens;
  protectNow: (app: object, own: object, market: object) => Promise<void>;
  openResumption: Opens;
  openFlatten: Opens;
  stopsStanding: (state: object) => { id: string }[];
  changeRails: Opens;
  writeGrant: (app: object, form: object) => Promise<void>;
  registerLimitedKey: (app: object, signed: object) => Promise<void>;
};
const modules = [
  "state/closing.ts",
  "state/protecting.ts",
  "state/flattening.ts",
  "state/stopping.ts",
  "state/limited-key.ts",
  "views/resume-dialog.ts",
].map((path) => import(join(CONSOLE, path)));
// Their own types are a browser's; each name is exported by one of them.
const steps = Object.assign({}, ...(await Promise.all(modules))) as Steps;

afterEach(forget);

function loaded(value: unknown) {
  return { value, readAtMs: 0, asOfMs: null, failure: null };
}

/** What a person reads, and whether the button of that name is barred. */
function read(app: Stage["app"]): string {
  return look(page(app))
    .text.replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
}

function isBarred(app: Stage["app"], words: string): boolean {
  const { text } = look(page(app));
  const button = new RegExp(`<button[^>]*disabled=(true|false)[^>]*>${words}`).exec(text);
  if (button === null) throw new Error(`no button ${words}`);
  return button[1] === "true";
}

const LONG = {
  market: "BTC",
  side: "long",
  size: "0.01",
  entry_price: "95000",
  mark_price: "95400",
  position_value: "954",
  unrealized_pnl: "4",
  liquidation_price: null,
  margin_type: "cross",
  margin_used: "95.4",
  leverage: 10,
  funding_since_open: "0",
};
const GROWN = { ...LONG, size: "0.04", position_value: "3816", unrealized_pnl: "16" };
const SHORT = { ...LONG, side: "short", size: "0.05", position_value: "4770", unrealized_pnl: "-1" };
const BTC = { market: "BTC", kind: "perpetual", dex: "", pair: null, size_decimals: 5, max_leverage: 40 };

function holding(position: object | null): Stage["app"] {
  const app = signedIn("account");
  Object.assign(app.state, { markets: loaded([BTC]), positions: loaded(position === null ? [] : [position]) });
  return app;
}

function nowHolds(app: Stage["app"], position: object | null): void {
  app.state["positions"] = loaded(position === null ? [] : [position]);
}

function forms(app: Stage["app"]) {
  return app.state["forms"] as Record<string, Record<string, unknown>>;
}

describe("closing a position", () => {
  test("follows its size, and says that it has moved", () => {
    const app = holding(LONG);
    steps.openClose(app, LONG);
    nowHolds(app, GROWN);
    expect(read(app)).toContain("long 0.04 BTC, mark 95,400, worth 3,816.00 (it was 0.01 when this was opened)");
    expect(read(app)).toContain("realises about +16.00");
    expect(isBarred(app, "Close 100 %")).toBe(false);
  });

  test.each([
    ["on the other side", SHORT, "The long of which this was opened is gone: short 0.05 BTC is held now.", true],
    ["gone", null, "Nothing is held in BTC any more.", false],
  ])("that is %s sends nothing before it is looked at anew", async (_where, position, words, mayLook) => {
    answering({});
    const app = holding(LONG);
    steps.openClose(app, LONG);
    nowHolds(app, position);
    expect(read(app)).toContain(words);
    expect(isBarred(app, "Close 100 %")).toBe(true);
    await steps.closeNow(app, forms(app)["close"] ?? {});
    expect(asked).toEqual([]);
    expect(look(page(app)).buttons.has("Look at it anew")).toBe(mayLook);
    if (!mayLook) return;
    look(page(app)).buttons.get("Look at it anew")?.();
    expect(read(app)).toContain("short 0.05 BTC, mark");
    expect(isBarred(app, "Close 100 %")).toBe(false);
  });
});

describe("a stop for a position", () => {
  test("is of all that is held, as that moves, until somebody types a size", () => {
    const app = holding(LONG);
    steps.openProtect(app, LONG);
    nowHolds(app, GROWN);
    Object.assign(forms(app)["protect"] ?? {}, { stopPrice: "90000" });
    expect(read(app)).toContain("at the trigger −200.00 before fees");
  });

  test("is not placed for a side that is not held any more", async () => {
    answering({});
    const app = holding(LONG);
    steps.openProtect(app, LONG);
    Object.assign(forms(app)["protect"] ?? {}, { stopPrice: "90000" });
    expect(isBarred(app, "Place")).toBe(false);
    nowHolds(app, SHORT);
    expect(isBarred(app, "Place")).toBe(true);
    expect(read(app)).toContain("short 0.05 BTC is held now.");
    await steps.protectNow(app, forms(app)["protect"] ?? {}, BTC);
    expect(asked).toEqual([]);
  });
});

const STOP = {
  id: "0b9ad1f2-0000-4000-8000-000000000001",
  account: "a",
  scope: "account",
  key_hash: null,
  cause: "asked",
  keep_protection: true,
  status: "stopped",
  created_at: "2026-11-28T10:00:00.000Z",
  stopped_at: "2026-11-28T10:00:01.000Z",
  remaining: { orders: 0, order_ids: [], twaps: 0 },
  waits_for: [],
  kept: { orders: 0, order_ids: [] },
  outside: { is_done: true, canceled: [], kept: [] },
  flatten: null,
};
const HASH = "ab".repeat(32);
const OF_BOT = { ...STOP, id: "0b9ad1f2-0000-4000-8000-000000000002", scope: "bot", key_hash: HASH };
const LATER = { ...STOP, id: "0b9ad1f2-0000-4000-8000-000000000003", created_at: "2026-11-28T10:05:00.000Z" };

function stopped(...stops: object[]): Stage["app"] {
  const app = signedIn("account");
  const keys = loaded([{ key_hash: HASH, limits: { bot: "grid-1", rails: HELD_TO }, scopes: [], state: "active" }]);
  const description = loaded({ audience: "https://here", demo: false });
  Object.assign(app.state, { stops: loaded(stops), keys, description, wallets: [{ name: "W", provider: {} }] });
  return app;
}

describe("ending a stop", () => {
  test("names whom it covers, since when, and its id as the wallet shows it, and what stands on", () => {
    const app = stopped(LATER, OF_BOT);
    steps.openResumption(app, OF_BOT);
    const text = read(app);
    expect(text).toContain("Ends the stop of the bot grid-1 that was asked for at ");
    expect(text).toContain("Another stop stands on, of this account.");
    expect(text).toMatch(new RegExp(`account a stop ${OF_BOT.id} `));
    expect(isBarred(app, "Sign with")).toBe(false);
  });

  test("is withdrawn where it was ended meanwhile, whatever stands instead", () => {
    const app = stopped(STOP);
    steps.openResumption(app, STOP);
    app.state["stops"] = loaded([LATER]);
    expect(read(app)).toContain("This stop has been ended meanwhile.");
    expect(isBarred(app, "Sign with")).toBe(true);
    steps.openFlatten(app, STOP);
    expect(isBarred(app, "Close it now")).toBe(true);
  });

  test("a stop that comes later is put below the one that is being read", () => {
    expect(steps.stopsStanding(stopped(LATER, OF_BOT).state).map(({ id }) => id)).toEqual([OF_BOT.id, LATER.id]);
  });
});

test("a proposal that was refused meanwhile is decided by nobody any more", () => {
  const app = stopped();
  const proposal = { id: "p", bot: "grid-1", key_hash: HASH, account: "a", in_words: "buy 1 BTC", order_id: null };
  const waiting = { ...proposal, status: "waiting", expires_at: null };
  Object.assign(forms(app), { deciding: { proposal: waiting, decision: "approve", signing: newSigning() } });
  app.state["proposals"] = loaded([waiting]);
  expect(isBarred(app, "Sign with")).toBe(false);
  expect(read(app)).toContain("order buy 1 BTC decision approve");
  app.state["proposals"] = loaded([{ ...waiting, status: "refused" }]);
  expect(read(app)).toContain("It is refused already");
  expect(isBarred(app, "Sign with")).toBe(true);
});

const NARROWED = { ...HELD_TO, max_order: "50 USD", markets: "BTC" };

/** On the screen of bots; the list of keys is answered with these rails, each time anew. */
function changing(): {
  app: Stage["app"];
  holds: (rails: object, isRead?: boolean) => void;
  form: () => Record<string, unknown>;
} {
  const app = stopped();
  app.state["route"] = { screen: "bots", argument: "" };
  const [key = {}] = (app.state["keys"] as { value: Record<string, unknown>[] }).value;
  const use = { turnover_today: "0", turnover_open: "0", loss_today: "0", actions_today: 0, open_orders: 0, nets: [] };
  const left = { turnover_today: null, exposure: null, actions_today: null, open_orders: null, loss_today: null };
  const listed = (rails: object) => ({
    ...key,
    scopes: ["trading:read", "trading:write"],
    limits: {
      bot: "grid-1",
      rails,
      expires_at: "1971-01-02T00:00:00.000Z",
      trip: null,
      use: { ...use, positions: [] },
      headroom: { halt: null, ...left, positions: [] },
    },
  });
  const answers: Record<string, unknown> = { "/v1/api-keys/typed-data": { audience: "https://here" } };
  const holds = (rails: object, isRead = true) => {
    answers["/v1/api-keys?state=all"] = { data: [listed(rails)] };
    if (isRead) app.state["keys"] = loaded([listed(rails)]);
  };
  answering(answers);
  Object.assign(app.state["session"] as object, { me: { account: "a", network: "paper", scopes: [], limits: null } });
  answers["/v1/api-keys/limited"] = {};
  holds(HELD_TO);
  steps.changeRails(app, listed(HELD_TO));
  return { app, holds, form: () => forms(app)["limitedKey"] ?? {} };
}

test("a form that names a market in other letters says which is meant, and cannot be written down; one that is not listed yet can", () => {
  const { app, form } = changing();
  const list = [{ market: "BTC", pair: null }];
  app.state["markets"] = loaded(list);
  Object.assign(form()["draft"] as object, { markets: "btc" });
  expect(read(app)).toContain("Markets names `btc`, which is no market: it is `BTC`.");
  expect(isBarred(app, "Write the new rails")).toBe(true);
  Object.assign(form()["draft"] as object, { markets: "BTT" });
  expect(read(app)).toContain("No market here: BTT (did you mean BTC?).");
  expect(isBarred(app, "Write the new rails")).toBe(false);
});

describe("rails that were narrowed while a form for them was open", () => {
  test("are not signed away: the form says so, and takes over what nobody has typed", async () => {
    const { app, holds, form } = changing();
    expect(isBarred(app, "Write the new rails")).toBe(false);
    Object.assign(form()["draft"] as object, { maxActionsPerDay: "900" });
    holds(NARROWED);
    const text = read(app);
    expect(text).toContain(
      "What grid-1 is held to has changed since this form was opened: markets BTC; maxOrder 50 USD.",
    );
    expect(text).toContain("One order USD, at most now 50 USD: wider");
    expect(text).toContain("What is signed WIDENS what holds now: Markets (now BTC); One order (now 50 USD).");
    expect(isBarred(app, "Write the new rails")).toBe(true);
    await steps.writeGrant(app, form());
    expect(form()["made"]).toBeNull();
    look(page(app)).buttons.get("Look at it anew")?.();
    expect(form()["draft"]).toMatchObject({ maxOrder: "50", markets: "BTC", maxActionsPerDay: "900" });
    expect(read(app)).not.toContain("WIDENS");
    expect(isBarred(app, "Write the new rails")).toBe(false);
  });

  test("are told beside the lines of a grant that was written before, and it is not signed", async () => {
    const { app, holds, form } = changing();
    await steps.writeGrant(app, form());
    expect(isBarred(app, "Sign with")).toBe(false);
    holds(NARROWED);
    expect(read(app)).toContain("has changed since this was written: signed as it stands it would not be what holds.");
    expect(read(app)).toMatch(/maxOrder 500 USD\s+now 50 USD: wider/);
    expect(isBarred(app, "Sign with")).toBe(true);
  });

  test("and that nobody has read yet are read as the button is pressed, and no wallet is asked", async () => {
    const { app, holds, form } = changing();
    await steps.writeGrant(app, form());
    const wallet: string[] = [];
    const provider = {
      request: async ({ method }: { method: string }) => {
        wallet.push(method);
        return [];
      },
    };
    app.state["wallets"] = [{ name: "W", provider }];
    holds(NARROWED, false);
    look(page(app)).buttons.get("Sign with ")?.();
    await settled();
    expect(wallet).toEqual([]);
    expect(isBarred(app, "Sign with")).toBe(true);
    holds(HELD_TO);
    look(page(app)).buttons.get("Sign with ")?.();
    await settled();
    expect(wallet).toEqual(["eth_requestAccounts"]);
  });

  test("are said to hold where the signature came too late", async () => {
    const { app, holds, form } = changing();
    await steps.writeGrant(app, form());
    holds(NARROWED);
    await steps.registerLimitedKey(app, { form: form(), key: form()["made"], signature: "0x1" });
    await settled();
    const notices = JSON.stringify(app.state["notices"]);
    expect(notices).toContain("what was signed is not what holds: narrowed since it was written");
    expect(notices).not.toContain("is held to its new rails");
  });
});

test.each([
  ["modification", "openOrders", "Modify", "This order is not open any more."],
  ["trade", "trades", "Move", "This trade has ended."],
])("the dialog of a %s whose subject has left %s is withdrawn", (name, list, button, words) => {
  const app = holding(LONG);
  const terms = { id: "x", market: "BTC", side: "buy", size: "1", price: "90000", entry: {}, take_profit: null };
  const opened = { order: terms, trade: terms, stopPrice: "1", profitPrice: "", triggerPrice: "", mayPlace: false };
  Object.assign(forms(app), { [name]: { ...opened, price: "90000", size: "", isBusy: false, failure: null } });
  app.state[list] = loaded([terms]);
  expect(isBarred(app, button)).toBe(false);
  app.state[list] = loaded([]);
  expect(read(app)).toContain(words);
  expect(isBarred(app, button)).toBe(true);
});
