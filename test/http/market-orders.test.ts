/** An order at market as its client meets it: what price it is given, and when there is none. */
import { expect, test } from "bun:test";
import { BOT, inSeconds, limitedRig, openMarketRig, railOf, refusalOf, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, rowCounts } from "./rig.ts";

type Shown = { id: string; price: string; time_in_force: string; status: string; error: string | null };
type Book = { bids: string[]; asks: string[]; ageMs: number };

const BOOK: Book = { bids: ["59990"], asks: ["60010"], ageMs: 0 };

/** The exchange shows this book from now on. */
function showBook(rig: Rig, some: Partial<Book> = {}): void {
  const { bids, asks, ageMs } = { ...BOOK, ...some };
  const levels = [bids, asks].map((side) => side.map((px) => ({ px, sz: "10", n: 1 })));
  rig.answers.set("l2Book", ({ coin }) => ({ coin, time: rig.clock.nowMs() - ageMs, levels }));
}

function rigWith(some: Partial<Book> = {}): Rig {
  const rig = openMarketRig();
  showBook(rig, some);
  return rig;
}

let made = 0;

function atMarket(rig: Rig, terms: object, { apiKey = KEYS.both, key }: { apiKey?: string; key?: string } = {}) {
  made += 1;
  const body = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.001", ...terms };
  const idempotencyKey = key ?? `market-${made}-of-this-test`;
  return inSeconds(rig, rig.ask({ path: "/v1/orders/market", apiKey, idempotencyKey, body }));
}

function wireOrders(rig: Rig): object[] {
  return rig.sent.flatMap((body) => (JSON.parse(body) as { action: { orders?: object[] } }).action.orders ?? []);
}

test.each([
  ["half a percent above the best ask, rounded down", {}, {}, "60310"],
  ["below the best bid, rounded up", { side: "sell" }, {}, "59691"],
  ["by the slippage that is asked for", { max_slippage_bps: 1 }, {}, "60016"],
  ["never more than 5 % from mark and oracle", { max_slippage_bps: 500 }, { asks: ["62000"] }, "63000"],
  ["nor below", { side: "sell", max_slippage_bps: 500 }, { bids: ["58000"] }, "57000"],
])("the worst price is %s", async (_what, terms, book, price) => {
  const rig = rigWith(book);
  const answer = await atMarket(rig, terms);
  expect(answer.status).toBe(201);
  expect((await answer.json()) as Shown).toMatchObject({ price, time_in_force: "ioc" });
  expect(wireOrders(rig)).toMatchObject([{ p: price, s: "0.001", t: { limit: { tif: "Ioc" } } }]);
});

test.each([
  ["a book of more than 2 s", { ageMs: 2_001 }, {}, "503 book_stale"],
  ["an empty side", { asks: [] }, {}, "409 no_price_within_bounds"],
  ["the other side empty, which matters not", { bids: [] }, {}, "201"],
  ["a best price further than 5 %", { asks: ["63001"] }, {}, "409 no_price_within_bounds"],
  ["and on the other side", { bids: ["56999"] }, { side: "sell" }, "409 no_price_within_bounds"],
  ["a price of its own", {}, { price: "60000" }, "400 unknown_parameter"],
  ["no size", {}, { size: "0" }, "400 invalid_parameter"],
  ["a slippage that is none", {}, { max_slippage_bps: 0 }, "400 invalid_parameter"],
  ["another's account", {}, { account: ACCOUNTS.other }, "403 account_mismatch"],
])("%s: %j %j is %s", async (_what, book, terms, outcome) => {
  const rig = rigWith(book);
  const before = rowCounts(rig);
  expect(await refusalOf(await atMarket(rig, terms))).toStartWith(outcome);
  if (outcome !== "201") expect([rowCounts(rig), rig.sent]).toEqual([before, []]);
});

test("without any book, and without a mark, nothing is sent", async () => {
  const rig = openMarketRig();
  expect(await refusalOf(await atMarket(rig, {}))).toStartWith("503 book_stale");
  showBook(rig);
  rig.answers.delete("metaAndAssetCtxs");
  await rig.clock.advance(20_000);
  expect(await refusalOf(await atMarket(rig, {}))).toStartWith("503 book_stale");
  expect(rig.sent).toEqual([]);
});

/** What the exchange answers; `markAgeMs`: the last mark that it told, null for none at all. */
type Facts = { book?: Partial<Book>; markAgeMs?: number | null; positionValue?: string };

const BTC = { name: "BTC", kind: "perpetual", dex: "" } as const;

/** An account that is long 0.5 BTC, and an exchange that answers nothing but this. */
async function rigThatKnows({ book, markAgeMs = 0, positionValue }: Facts): Promise<Rig> {
  const rig = openMarketRig();
  if (markAgeMs !== null) expect((await rig.deps.marketView.mark(BTC, "read")).kind).toBe("ok");
  if (markAgeMs !== 0) rig.answers.delete("metaAndAssetCtxs");
  await rig.clock.advance(markAgeMs ?? 0);
  const position = { coin: "BTC", szi: "0.5", positionValue };
  if (positionValue === undefined) rig.answers.delete("clearinghouseState");
  else rig.answers.set("clearinghouseState", () => stateOf([position], rig.clock.nowMs()));
  if (book !== undefined) showBook(rig, book);
  return rig;
}

const OUT = { side: "sell", reduce_only: true };
const IN = { side: "buy", reduce_only: true };
const FAR = { ...OUT, max_slippage_bps: 500 };
const MINUTE_MS = 60_000;

test.each([
  ["a book and no mark: by the book", { book: {}, markAgeMs: null }, OUT, "59691"],
  ["and never 5 % from the middle of it", { book: {}, markAgeMs: null }, FAR, "57000"],
  [
    "a book and an old mark: by the book",
    { book: { bids: ["50000"], asks: ["50010"] }, markAgeMs: 9_000 },
    OUT,
    "49750",
  ],
  ["a mark and no book: from the mark", {}, OUT, "59700"],
  ["and on the other side", {}, IN, "60300"],
  ["never 5 % from it", {}, FAR, "57000"],
  ["a book of more than 2 s is none", { book: { bids: ["50000"], ageMs: 2_001 } }, OUT, "59700"],
  ["the last mark of five minutes", { markAgeMs: 5 * MINUTE_MS - 5_000 }, OUT, "59700"],
  ["the mark by which a position is valued", { markAgeMs: null, positionValue: "29000" }, OUT, "57710"],
  ["which is newer than the last one", { markAgeMs: MINUTE_MS, positionValue: "29000" }, OUT, "57710"],
  [
    "cut to a price that the exchange takes",
    { markAgeMs: null, positionValue: "50.13" },
    { ...OUT, max_slippage_bps: 1 },
    "100.2",
  ],
])("what only reduces is priced by what is known: %s", async (_what, facts, terms, price) => {
  const rig = await rigThatKnows(facts);
  const answer = await atMarket(rig, terms);
  expect([answer.status, ((await answer.json()) as Shown).price]).toEqual([201, price]);
  expect(wireOrders(rig)).toMatchObject([{ p: price, r: true, t: { limit: { tif: "Ioc" } } }]);
});

test.each([
  ["neither book nor mark", { markAgeMs: null }, OUT, "503 book_stale"],
  ["a last mark of more than five minutes", { markAgeMs: 5 * MINUTE_MS + 1 }, OUT, "503 book_stale"],
  ["a book whose side is empty", { book: { bids: [] } }, OUT, "409 no_price_within_bounds"],
  [
    "a best price far from the position's mark",
    { book: { bids: ["56000"] }, markAgeMs: null, positionValue: "30000" },
    OUT,
    "409 no_price_within_bounds",
  ],
  ["no book, for what increases", {}, { side: "sell" }, "503 book_stale"],
  ["no mark, for what increases", { book: {}, markAgeMs: null, positionValue: "30000" }, {}, "503 book_stale"],
  ["an old mark, for what increases", { book: {}, markAgeMs: MINUTE_MS }, {}, "503 book_stale"],
])("and nothing is sent with %s", async (_what, facts, terms, outcome) => {
  const rig = await rigThatKnows(facts);
  expect(await refusalOf(await atMarket(rig, terms))).toStartWith(outcome);
  expect(rig.sent).toEqual([]);
});

test("the story of a reduction without a book says by which mark it was priced", async () => {
  const rig = await rigThatKnows({ markAgeMs: MINUTE_MS });
  const { id } = (await (await atMarket(rig, OUT)).json()) as Shown;
  const story = await (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).text();
  expect(story).toContain("worst price 59700: 50 basis points from the last mark 60000 of");
});

test("a repeat is the same order at its first price, whatever the market does, and another slippage is another request", async () => {
  const rig = rigWith();
  const first = await (await atMarket(rig, {}, { key: "the-same-key" })).text();
  showBook(rig, { asks: ["60500"] });
  await rig.clock.advance(5_000);
  const again = await atMarket(rig, { max_slippage_bps: 50 }, { key: "the-same-key" });
  expect([await again.text(), again.headers.get("Idempotent-Replayed")]).toEqual([first, "true"]);
  showBook(rig, { asks: [] });
  expect((await atMarket(rig, { size: "0.0010" }, { key: "the-same-key" })).status).toBe(201);
  const other = await refusalOf(await atMarket(rig, { max_slippage_bps: 51 }, { key: "the-same-key" }));
  expect(other).toStartWith("409 idempotency_key_reused");
  expect(wireOrders(rig)).toHaveLength(1);
});

test("the story of the order tells by what it was priced, and a given-back one leaves no story", async () => {
  const rig = rigWith();
  const { id } = (await (await atMarket(rig, {})).json()) as Shown;
  const story = await (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).json();
  expect(JSON.stringify(story)).toContain("worst price 60310: 50 basis points from the best ask 60010");
  const notes = () => rig.deps.store.$client.query<{ n: number }, []>("select count(*) n from notes").get()?.n;
  const before = notes();
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "no route" });
  expect(await refusalOf(await atMarket(rig, {}))).toStartWith("503 exchange_unreachable");
  expect(notes()).toBe(before ?? -1);
});

test("a size that the market does not take is rejected in words, and nothing is sent", async () => {
  const rig = rigWith();
  const { status, error } = (await (await atMarket(rig, { size: "0.0000001" })).json()) as Shown;
  expect([status, rig.sent]).toEqual(["rejected", []]);
  expect(error).toContain("0.0000001");
});

test.each([
  ["within all", {}, {}, "passed"],
  ["its worst price is what a distance is held against", { maxDistance: "0.5 %" }, {}, "max_distance"],
  ["and what an order is worth", { maxOrder: "60.3 USD" }, {}, "max_order"],
  ["a smaller slippage passes", { maxDistance: "0.5 %" }, { max_slippage_bps: 20 }, "passed"],
])("of a bot: %s", async (_what, rails, terms, outcome) => {
  const rig = await limitedRig(rails);
  showBook(rig);
  expect(await railOf(await atMarket(rig, terms, { apiKey: BOT }))).toBe(outcome);
});

test("what only reduces says so at the exchange, and passes a stop that the other does not", async () => {
  const rig = rigWith();
  await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "account" } });
  expect(await refusalOf(await atMarket(rig, {}))).toStartWith("403 trading_stopped");
  await atMarket(rig, { side: "sell", reduce_only: true });
  expect(wireOrders(rig)).toMatchObject([{ r: true, b: false }]);
});

test("on spot it is priced by the mark alone", async () => {
  const rig = rigWith({ bids: ["0.2"], asks: ["0.21"] });
  const context = { markPx: "0.2", midPx: "0.2", prevDayPx: "0.2", dayNtlVlm: "1", coin: "PURR/USDC" };
  rig.answers.set("spotMetaAndAssetCtxs", () => [{ universe: [], tokens: [] }, [context]]);
  const answer = await atMarket(rig, { market: "PURR/USDC", side: "sell", size: "100" });
  expect((await answer.json()) as Shown).toMatchObject({ price: "0.199" });
});
