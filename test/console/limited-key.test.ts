/** The form for a bot's key: what it refuses, what it says of a thief, where it proposes to ask from, and what is sent. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { HELD_TO } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Draft = Record<string, string>;
type Key = {
  apiKey: string | null;
  text: LimitedGrantText;
  signing: { failure: string | null };
  isRegistered: boolean;
};
type Form = { draft: Draft; made: Key | null; failure: string | null; asksFrom: string | null | undefined };
type State = Record<string, unknown> & { forms: { limitedKey: Form } };
type Steps = {
  emptyState: (nowMs: number, storage: object) => State;
  newRailsForm: () => Form;
  marketsFault: (markets: object[] | null, draft: Draft) => object | null;
  wishOf: (draft: Draft) => { kind: string; member?: string; bound?: string; rails?: Draft };
  beginLimitedKey: (app: object) => void;
  writeGrant: (app: object, form: Form) => Promise<void>;
  registerLimitedKey: (app: object, signed: { form: Form; key: Key | null; signature: string }) => Promise<void>;
  changeRails: (app: object, key: object) => void;
  pauseRails: (app: object, key: object) => void;
  isPaused: (limits: object) => boolean;
};
const modules = ["state/state.ts", "state/rails-form.ts", "state/limited-key.ts"].map(
  (path) => import(join(CONSOLE, path)),
);
// Their own types are a browser's; each name is exported by one of them.
const {
  emptyState,
  newRailsForm,
  marketsFault,
  wishOf,
  beginLimitedKey,
  writeGrant,
  registerLimitedKey,
  changeRails,
  pauseRails,
  isPaused,
} = Object.assign({}, ...(await Promise.all(modules))) as Steps;

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

test.each([
  ["bot", "Grid 1"],
  ["bot", ""],
  ["markets", ""],
  ["maxOrder", "0"],
  ["maxOrder", ""],
  ["maxTurnoverPerDay", "5,000"],
  ["maxDistance", "101"],
  ["maxOpenOrders", "1.5"],
  ["sources", "203.0.113.7"],
  ["days", "366"],
  ["days", "0"],
  ["may", ""],
])("a form whose %s says %p is not written down", (member, text) => {
  expect(wishOf({ ...newRailsForm().draft, [member]: text })).toMatchObject({ kind: "fault", member });
});

test("a form as it is proposed may be signed, and bounds what a thief can lose; `any` takes the bound away", () => {
  const { draft } = newRailsForm();
  const wish = wishOf(draft);
  expect(wish).toMatchObject({ kind: "wish", rails: { maxOrder: "500 USD", maxDistance: "2 %", touches: "own" } });
  expect(wish.bound).toContain("at most 450 USD by bad prices");
  expect(wishOf({ ...draft, maxTurnoverPerDay: "any" }).bound).toContain("Nothing bounds");
});

const LISTED = [
  { market: "BTC", pair: null },
  { market: "kPEPE", pair: null },
  { market: "xyz:TSLA", pair: null },
  { market: "@107", pair: "HYPE/USDC" },
  { market: "@108", pair: "hype/usdc" },
];

test.each([
  ["BTC,@107,xyz:*", null],
  ["any", null],
  ["btc", { words: "Markets names `btc`, which is no market: it is `BTC`.", isRefused: true }],
  ["BTC, KPEPE", { words: "Markets names `KPEPE`, which is no market: it is `kPEPE`.", isRefused: true }],
  ["HYPE/USDC", { words: "Markets names `HYPE/USDC`, which is no market: it is `@107`.", isRefused: true }],
  ["Hype/USDC", { words: "Markets names `Hype/USDC`, which is no market: it is `@107` or `@108`.", isRefused: true }],
  ["xyz:TLSA", { words: "No market here: xyz:TLSA (did you mean xyz:TSLA?).", isRefused: false }],
  ["BTC,WHATEVER", { words: "No market here: WHATEVER.", isRefused: false }],
])("markets %p in the form: what is told of the names before a wallet is asked", (markets, told) => {
  expect(marketsFault(LISTED, { markets })).toEqual(told);
  expect(marketsFault(null, { markets })).toBeNull();
});

test("a grant that names a market in other letters is not written down, and one of a market that is not listed yet is", async () => {
  const { app } = openPage(null);
  Object.assign(app.state, { markets: { value: LISTED, failure: null } });
  const form = app.state.forms.limitedKey;
  form.draft["markets"] = "BTC,kpepe";
  await writeGrant(app, form);
  expect(form).toMatchObject({ made: null, failure: "Markets names `kpepe`, which is no market: it is `kPEPE`." });
  form.draft["markets"] = "BTC,NEW";
  await writeGrant(app, form);
  expect(form).toMatchObject({ made: { text: { markets: "BTC,NEW" } }, failure: null });
});

const ME = {
  account: "11111111-aaaa-4aaa-8aaa-111111111111",
  network: "paper",
  scopes: ["trading:read"],
  limits: null,
  owner_address: `0x${"ab".repeat(20)}`,
  trading_address: `0x${"cd".repeat(20)}`,
};
const HOUR_MS = 3_600_000;

type Page = {
  app: { state: State };
  asked: string[];
  sent: { grant: Draft; signature: string }[];
  pass(ms: number): void;
};

/** Signed in on the screen of keys; registrations are answered with these in turn. */
function openPage(network: string | null, answers: readonly { status: number; code?: string }[] = []): Page {
  const asked: string[] = [];
  const sent: Page["sent"] = [];
  const fake = async (path: string, { method, body }: { method: string; body?: string }) => {
    asked.push(`${method} ${path}`);
    if (path === "/v1/api-keys/typed-data") return Response.json({ audience: "https://here", asking_network: network });
    if (method === "GET")
      return Response.json({ data: [{ limits: { bot: "grid-1", rails: HELD_TO } }, { limits: null }] });
    sent.push(JSON.parse(body ?? ""));
    const { status, code } = answers[sent.length - 1] ?? { status: 201 };
    return Response.json({ error: { code, message: "Refused." } }, { status });
  };
  // The page asks with a path and options, and nothing else.
  globalThis.fetch = fake as unknown as typeof fetch;
  const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  let nowMs = 1_795_000_000_000;
  const app = {
    state: emptyState(0, storage),
    nowMs: () => nowMs,
    sleep: () => new Promise(() => undefined),
    randomBytes: (length: number) => new Uint8Array(length).fill(7),
    changed: () => undefined,
  };
  Object.assign(app.state, { session: { apiKey: "k", me: ME }, route: { screen: "bots", argument: "" } });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { app, asked, sent, pass };
}

test.each([
  ["203.0.113.7/32", "any", "203.0.113.7/32"],
  ["203.0.113.7/32", "10.0.0.0/8", "10.0.0.0/8"],
  [null, "any", "any"],
])(
  "seen to ask from %p, with %p in the form, it proposes %p and a name that no bot has, and asks once",
  async (network, typed, proposed) => {
    const { app, asked } = openPage(network);
    app.state.forms.limitedKey.draft["sources"] = typed;
    for (let turn = 0; turn < 3; turn += 1) beginLimitedKey(app);
    await Bun.sleep(1);
    beginLimitedKey(app);
    expect(app.state.forms.limitedKey.draft["sources"]).toBe(proposed);
    expect(app.state.forms.limitedKey.draft["bot"]).toBe("grid-2");
    expect(asked.toSorted()).toEqual(["GET /v1/api-keys/typed-data", "GET /v1/api-keys?state=all"]);
  },
);

test("what is sent is what the wallet was shown; a grant that is too old is written anew with the same rails", async () => {
  const { app, sent, pass } = openPage(null, [{ status: 401, code: "grant_expired" }, { status: 201 }]);
  const form = app.state.forms.limitedKey;
  form.draft["maxOrder"] = "250";
  await writeGrant(app, form);
  const first = form.made?.text;
  expect(first).toMatchObject({ audience: "https://here", owner: ME.owner_address, maxOrder: "250 USD" });
  pass(2 * HOUR_MS);
  await registerLimitedKey(app, { form, key: form.made, signature: "0x1" });
  expect(form.made?.signing.failure).toBe("Refused.");
  await registerLimitedKey(app, { form, key: form.made, signature: "0x2" });
  expect(form.made?.text.keyHash).toBe(first?.keyHash ?? "");
  expect(sent.map(({ grant, signature }) => [signature, grant["max_order"], grant["issued_at"]])).toEqual([
    ["0x1", "250 USD", first?.issuedAt ?? ""],
    ["0x2", "250 USD", new Date(1_795_000_000_000 + 2 * HOUR_MS).toISOString()],
  ]);
});

/** A bot's key as the list has it, with the rails that are proposed. */
function listedKey() {
  const { rails } = wishOf(newRailsForm().draft);
  const named = Object.entries(rails ?? {}).map(([name, text]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    text,
  ]);
  const limits = { bot: "grid-1", rails: Object.fromEntries(named) };
  return { key_hash: "ef".repeat(32), scopes: ["trading:read", "trading:write"], limits };
}

test("a pause is the same rails without anything that makes a position larger, and says that it is one", async () => {
  const { app } = openPage(null);
  const key = listedKey();
  expect(isPaused(key.limits)).toBe(false);
  pauseRails(app, key);
  const form = app.state.forms.limitedKey;
  const wish = wishOf(form.draft);
  expect(wish).toMatchObject({ kind: "wish", rails: { may: "reduce,cancel", maxOrder: "500 USD" } });
  expect(isPaused({ rails: { ...key.limits.rails, may: wish.rails?.["may"] } })).toBe(true);
  await writeGrant(app, form);
  expect(form.made?.text).toMatchObject({ keyHash: key.key_hash, may: "reduce,cancel" });
});

test("rails that are signed anew keep the key's hash and make no key", async () => {
  const { app } = openPage(null);
  changeRails(app, listedKey());
  const form = app.state.forms.limitedKey;
  form.draft["maxOrder"] = "900";
  await writeGrant(app, form);
  expect(form.made?.apiKey).toBeNull();
  expect(form.made?.text).toMatchObject({ keyHash: "ef".repeat(32), maxOrder: "900 USD", maxExposure: "1500 USD" });
});
