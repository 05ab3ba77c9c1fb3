/** Hooks on the page: what is asked for, what the owner signs, and that its address is told to nobody else. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { hookTypedData } from "../../src/wire/grant-data.ts";
import { forget, HELD_TO, look, page, type Stage, settled, signedIn } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Made = { secret: string; hook: object; isRegistered: boolean };
type Form = { draft: Record<string, unknown>; made: Made | null };
type Steps = {
  makeHook: (app: object) => void;
  registerHook: (app: object, made: Made, signature: string) => Promise<void>;
  hookWishOf: (app: object, draft: object) => { kind: string; words?: string; hook?: object };
};
const { makeHook, registerHook, hookWishOf }: Steps = await import(join(CONSOLE, "state/hooks.ts"));

afterEach(forget);

const HASH = "ab".repeat(32);

function withBot(): { app: Stage["app"]; form: () => Form } {
  const app = signedIn("bots");
  const use = { turnover_today: "0", turnover_open: "0", loss_today: "0", actions_today: 0, open_orders: 0, nets: [] };
  const left = { turnover_today: null, exposure: null, actions_today: null, open_orders: null, loss_today: null };
  const limits = {
    bot: "grid-1",
    rails: HELD_TO,
    expires_at: "1971-01-02T00:00:00.000Z",
    trip: null,
    use: { ...use, positions: [] },
    headroom: { halt: null, ...left, positions: [] },
  };
  const keys = [
    { key_hash: "00", limits: null, scopes: ["trading:write"], state: "active" },
    { key_hash: HASH, limits, scopes: ["trading:read", "trading:write"], state: "active" },
  ];
  Object.assign(app.state, { keys: { value: keys, readAtMs: 0, asOfMs: null, failure: null } });
  return { app, form: () => (app.state["forms"] as { hook: Form }).hook };
}

test("an address is made here, and its hash alone is sent, with what the owner has signed", async () => {
  const { app, form } = withBot();
  Object.assign(form().draft, { market: "ETH", sources: "203.0.113.7/32", isRehearsal: false });
  makeHook(app);
  const { made } = form();
  if (made === null) throw new Error("no hook was made");
  expect(made.secret).toBe(`hook_${"00".repeat(32)}`);
  const sent: { path: string; body: string }[] = [];
  globalThis.fetch = (async (path: string, { body = "" }: { body?: string }) => {
    sent.push({ path, body });
    return Response.json(path === "/v1/hooks" && body !== "" ? {} : { data: [] });
    // The page asks with a path and options, and nothing else.
  }) as unknown as typeof fetch;
  await registerHook(app, made, "0x01");
  await settled();
  expect(made.isRegistered).toBe(true);
  expect(sent[0]?.body).not.toContain(made.secret);
  expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({
    name: "tradingview",
    key_hash: HASH,
    mode: "order",
    market: "ETH",
    max_age_s: 60,
    sources: "203.0.113.7/32",
    rehearsal: false,
  });
  const grant = { audience: "a", accountId: "a", secretHash: "5".repeat(64), issuedAtMs: 0 };
  expect(hookTypedData({ ...grant, hook: made.hook as never }).message).toMatchObject({
    name: "tradingview",
    actsAs: `the bot of key ${HASH}`,
    market: "ETH",
    maxAge: "60 s",
    rehearsal: "no",
  });
  Object.assign(form().draft, { base: "https://hooks.example.org/" });
  expect(look(page(app)).text).toContain(`https://hooks.example.org/hooks/${made.secret}`);
});

test.each([
  ["name", "Trading View", "the name is 1 to 40 of a-z, 0-9 and -"],
  ["maxAgeS", "soon", "the greatest age is 1 to 3600 s"],
  ["maxAgeS", "3601", "the greatest age is 1 to 3600 s"],
  ["sources", "everywhere", "the sources are networks such as 203.0.113.7/32, joined by commas"],
  ["slippageBps", "0", "the slippage is a whole number of basis points, 1 to"],
])("%s of %s is said to be wrong beside the form, and nothing is made", (name, value, words) => {
  const { app, form } = withBot();
  Object.assign(form().draft, { [name]: value });
  expect(hookWishOf(app, form().draft).words).toStartWith(words);
  makeHook(app);
  expect(form().made).toBeNull();
  expect(look(page(app)).text).toContain(words);
});

test("without a bot there is nobody to act as, and no rails are gone round", () => {
  const app = signedIn("bots");
  const form = (app.state["forms"] as { hook: Form }).hook;
  expect(hookWishOf(app, form.draft).words).toBe("a hook acts as a bot: make a key with rails first");
});
