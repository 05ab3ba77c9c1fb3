/** What the page says it says because it knows it: each line before it is signed, no figure that is not known, nothing that is past. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { forget, HELD_TO, KEY, look, newSigning, page, type Stage, settled, signedIn } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Steps = {
  startLive: (app: object) => void;
  stopLive: (app: object) => void;
};
const { startLive, stopLive }: Steps = await import(join(CONSOLE, "state/live.ts"));

afterEach(forget);

function loaded(value: unknown) {
  return { value, readAtMs: 0, asOfMs: null, failure: null };
}

const HASH = "ab".repeat(32);
const BOT = { key_hash: HASH, limits: null, scopes: ["trading:read", "trading:write"], state: "active", account: "a" };

function onBots(demo: boolean): Stage["app"] {
  const app = signedIn("bots");
  const description = loaded({ audience: "https://here", demo });
  Object.assign(app.state, { keys: loaded([BOT]), description, wallets: [{ name: "W", provider: {} }] });
  return app;
}

function read(app: Stage["app"]): string {
  return look(page(app))
    .text.replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
}

function forms(app: Stage["app"]) {
  return app.state["forms"] as Record<string, Record<string, unknown>>;
}

const HOOK = {
  name: "chart",
  keyHash: HASH,
  mode: "order",
  market: "BTC",
  maxAgeMs: 60_000,
  sameWithinMs: 60_000,
  maxSlippageBps: 50,
  sources: null,
  isRehearsal: true,
};
const MADE = { secret: `hook_${"00".repeat(32)}`, account: "a", issuedAtMs: 0, isRegistered: false };

// biome-ignore format: a table is read by its columns
const SIGNED: [what: string, open: (app: Stage["app"]) => void, lines: string[]][] = [
  ["a plain key", (app) => Object.assign(forms(app)["newKey"] ?? {}, { made: { ...KEY, isRegistered: false, signing: newSigning() } }),
    ["audience https://here", "account a", "keyHash 0xh", "scopes trading:read,trading:write", "issuedAt 0", "expiresAt 0"]],
  ["a hook", (app) => Object.assign(forms(app)["hook"] ?? {}, { made: { ...MADE, hook: HOOK, signing: newSigning() } }),
    ["audience https://here", "name chart", `actsAs the bot of key ${HASH}`, "mode order", "market BTC", "maxAge 60 s", "maxSlippage 50 bps", "sources any", "rehearsal yes"]],
  ["a revocation", (app) => Object.assign(forms(app), { revocation: { key: BOT, cancelsOrders: false, signing: newSigning() } }),
    ["audience https://here", `keyHash 0x${HASH}`]],
];

test.each(SIGNED)(
  "every line of %s that the wallet will show stands on the screen as it is signed",
  (_what, open, lines) => {
    const app = onBots(false);
    open(app);
    const text = read(app);
    for (const line of lines) expect(text).toContain(line);
    expect(text).toContain("Sign with W");
  },
);

test("before it is known how the gateway names itself nothing is signed", () => {
  const app = onBots(false);
  Object.assign(forms(app)["newKey"] ?? {}, { made: { ...KEY, isRegistered: false, signing: newSigning() } });
  app.state["description"] = { ...loaded(null), failure: "No answer." };
  expect(read(app)).not.toContain("Sign with W");
  expect(read(app)).toContain("is not known yet. No answer.");
});

test("a hook whose bot has no key any more, and a bot by its name where its key is revoked", () => {
  const app = onBots(false);
  Object.assign(forms(app)["hook"] ?? {}, { made: { ...MADE, hook: HOOK, signing: newSigning() } });
  expect(read(app)).toContain("The key of the bot as which it would act opens nothing any more.");
  const limits = { bot: "grid-7", rails: HELD_TO };
  Object.assign(forms(app), { revocation: { key: { ...BOT, limits }, cancelsOrders: false, signing: newSigning() } });
  app.state["keys"] = loaded(null);
  expect(read(app)).toContain("a key of the bot grid-7 ,");
});

test.each([
  [true, true],
  [false, false],
])("a key that nobody signs is offered where the demo's owner signs it: %p", (demo, isOffered) => {
  expect(read(onBots(demo)).includes("One more at once")).toBe(isOffered);
});

test("that a proposal waits is not said any more once it was decided", async () => {
  const { app, pass } = sleeping();
  const proposal = { id: "p", bot: "agent", key_hash: HASH, in_words: "buy 1 BTC", expires_at: null, order_id: null };
  const event = `id: 1\nevent: proposal.created\ndata: ${JSON.stringify({ data: proposal })}\n\n`;
  let status = "waiting";
  globalThis.fetch = (async (path: string) => {
    if (path === "/v1/events") return new Response(event, { headers: { "Content-Type": "text/event-stream" } });
    if (path === "/v1/proposals") return Response.json({ data: [{ ...proposal, status }] });
    return Response.json({}, { status: 503 });
    // The page asks with a path and options, and nothing else.
  }) as unknown as typeof fetch;
  startLive(app);
  await settled();
  expect(read(app)).toContain("The bot agent asks to buy 1 BTC: it waits for your approval.");
  status = "refused";
  stopLive(app);
  await pass();
  startLive(app);
  await settled();
  stopLive(app);
  expect(read(app)).not.toContain("it waits for your approval");
});

test("leverage that is not known is not said to be one", () => {
  const app = signedIn("trade");
  const listed = { market: "BTC", kind: "perpetual", dex: "", pair: null, size_decimals: 5, max_leverage: 40 };
  const account = {
    account_mode: "standard",
    perpetuals: [{ dex: "", withdrawable: "1000", account_value: "1000" }],
    spot: [],
  };
  Object.assign(app.state, { markets: loaded([listed]), account: loaded(account), positions: loaded([]) });
  expect(read(app)).toContain("of 1,000.00 USDC, without leverage: what is set there is not known");
  const set = { action: "leverage", status: "succeeded", market: "BTC", margin_type: "cross", leverage: 20 };
  app.state["operations"] = loaded([set]);
  expect(read(app)).toContain("of 1,000.00 USDC at 20×");
});

test("with a key that is refused nothing is asked for again by itself, and the page says why", async () => {
  const { app, pass } = sleeping();
  let asked = 0;
  const refused = { error: { code: "revoked_api_key", message: "This API key was blocked." } };
  globalThis.fetch = (async () => {
    asked += 1;
    return Response.json(refused, { status: 401 });
    // The page asks with a path and options, and nothing else.
  }) as unknown as typeof fetch;
  startLive(app);
  await settled();
  const first = asked;
  for (let turns = 0; turns < 20; turns += 1) await pass();
  expect(first).toBeGreaterThan(0);
  expect(asked).toBe(first);
  expect(read(app)).toContain("This API key was blocked. Nothing here is up to date any more");
  stopLive(app);
});

/** Every sleep ends when `pass` is called. */
function sleeping(): { app: Stage["app"]; pass: () => Promise<void> } {
  const app = signedIn("now");
  const waiting: (() => void)[] = [];
  Object.assign(app, { sleep: () => new Promise<void>((resolve) => waiting.push(resolve)) });
  Object.assign(globalThis, { document: { hidden: false } });
  const pass = async () => {
    for (const wake of waiting.splice(0)) wake();
    await settled();
  };
  return { app, pass };
}
