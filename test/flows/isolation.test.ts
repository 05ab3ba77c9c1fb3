import { beforeAll, expect, test } from "bun:test";
import { cloidOf } from "../../src/core/cloid.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { EVERY_LEG } from "../support/every-row.ts";
import {
  type Answer,
  type Ask,
  FIRST,
  limitOrder,
  openPaperRig,
  type PaperRig,
  type Party,
  SECOND,
} from "../support/paper-rig.ts";
import { ASKED_ELSEWHERE, EVENTS, FILES } from "./account-files.ts";
import { addProposal, BARE_READS, type Belongings, FIGURES, type Figures, NAMING, READS } from "./account-reads.ts";

/**
 * Two accounts with two keys each, and every kind of object that an account can have. Whatever one of them asks, with
 * whatever id, it is never shown anything of the other, and nothing of the other is touched.
 */

type Listed = { data: Record<string, unknown>[] };

let rig: PaperRig;
let first: Belongings;
let second: Belongings;

beforeAll(async () => {
  rig = await openPaperRig();
  first = await fill(FIRST, FIGURES[0]);
  second = await fill(SECOND, FIGURES[1]);
  // Until the fills of both have been read.
  await rig.clock.advance(40_000);
  for (const one of [first, second]) await gatherMarks(one);
});

async function done(party: Party, ask: Ask): Promise<Answer> {
  const answer = await rig.answer(party, ask);
  if (answer.status > 201) throw new Error(`${ask.route}: ${answer.text}`);
  return answer;
}

/** Gives an account one of everything. */
async function fill(party: Party, figures: Figures): Promise<Belongings> {
  const base = { account: party.account.id, market: "BTC", side: "buy", size: figures.size };
  const place = async (some: object) =>
    (await done(party, { route: "POST /v1/orders", body: { ...base, ...some } })).body;
  const open = await place({ price: figures.open });
  const moved = await place({ price: figures.open });
  const after = (await done(party, { route: `POST /v1/orders/${moved["id"]}/modify`, body: { price: figures.moved } }))
    .body;
  const canceled = await place({ price: figures.open });
  await done(party, { route: `POST /v1/orders/${canceled["id"]}/cancel`, body: {} });
  const trigger = { price: figures.stop, kind: "stop_loss", market: false };
  const stop = await place({ side: "sell", price: figures.stop, trigger });
  await rig.trade("sell", figures.size, figures.taken);
  const filled = await place({ price: figures.taken, time_in_force: "ioc" });
  await rig.elsewhere(party, limitOrder({ assetId: 0, side: "buy", size: figures.size, price: figures.outside }));
  const shown = (await done(party, { route: "GET /v1/orders?status=open" })).body as unknown as Listed;
  const outside = shown.data.find(({ price }) => price === figures.outside);
  const operations = [
    { route: "POST /v1/leverage", body: { market: "ETH", leverage: 5, margin_type: "isolated" } },
    { route: "POST /v1/margin", body: { market: "ETH", amount: "1.5" } },
    { route: "POST /v1/twaps", body: { market: "BTC", side: "buy", size: figures.size, duration_minutes: 600 } },
    { route: "POST /v1/twaps/cancel", body: { market: "BTC", twap_id: 999_999 } },
  ];
  const operationIds: string[] = [];
  let twapId = 0;
  for (const ask of operations) {
    const { body } = await done(party, ask);
    operationIds.push(String(body["id"]));
    if (body["action"] === "twap") twapId = Number(body["exchange_id"]);
  }
  const orders = [open, moved, after, canceled, stop, filled, outside ?? {}];
  const uuids = orders.map(({ id }) => String(id));
  const oids = orders.map(({ exchange_order_id: oid }) => String(oid));
  const legs = rig.store.$client.query<{ cloid: string }, []>(`select cloid from ${EVERY_LEG}`).all();
  const cloids = uuids.map(cloidOf).filter((cloid) => legs.some((leg) => leg.cloid === cloid));
  const orderIds = [...new Set([...uuids, ...uuids.map((id) => id.toUpperCase()), ...oids, ...cloids])];
  return { party, figures, orderIds, operationIds, fillIds: [], twapId, marks: new Set() };
}

/** What the account itself is shown, and what the database keeps of it. */
async function gatherMarks(one: Belongings): Promise<void> {
  const { party, figures, marks } = one;
  for (const mark of [...one.orderIds, ...one.operationIds, party.account.tradingAddress, party.account.label])
    marks.add(mark);
  for (const figure of Object.values(figures)) marks.add(figure);
  for (const apiKey of party.apiKeys) marks.add(apiKey);
  for (const route of READS) collect(JSON.parse((await done(party, { route })).text), marks);
  const fills = (await done(party, { route: "GET /v1/fills" })).body as unknown as Listed;
  one.fillIds = fills.data.map(({ id }) => String(id));
  if (one.fillIds.length === 0) throw new Error("an account without fills shows nothing");
  const legs = rig.store.$client.query<{ cloid: string; oid: string | null }, [string]>(
    `select l.cloid, l.oid from ${EVERY_LEG} l join orders o on o.id = l.order_id where o.account_id = ?`,
  );
  for (const { cloid, oid } of legs.all(party.account.id))
    for (const mark of [cloid, oid]) if (mark !== null) marks.add(mark);
}

function collect(value: unknown, marks: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (NAMING.includes(name) && typeof member === "string") marks.add(member);
    collect(member, marks);
  }
}

/** Marks of the other that stand in a text, as whole words. */
function foundIn(text: string, { marks }: Belongings): string[] {
  const words = new Set(text.toLowerCase().split(/[^0-9a-z.@:-]+/));
  return [...marks].filter((mark) => words.has(mark.toLowerCase()));
}

/** What the exchange and the database hold of an account. */
async function stateOf({ party }: Belongings): Promise<string> {
  const user = party.account.tradingAddress;
  const types = ["frontendOpenOrders", "historicalOrders", "userFills", "twapHistory", "clearinghouseState"];
  const shown = await Promise.all(types.map((type) => rig.info({ type, user })));
  const rows = ["orders", "operations", "idempotency"].map((table) =>
    rig.store.$client.query(`select * from ${table} where account_id = ?`).all(party.account.id),
  );
  // Time goes on, and a row may say when it was last looked at.
  return JSON.stringify([shown, rows], (name, value) =>
    ["time", "seen_at_ms", "version"].includes(name) ? null : value,
  );
}

const visited = new Set<string>(ASKED_ELSEWHERE);

/** Asks as one account, and holds the answer against everything that belongs to the other. */
async function askAs(asking: Belongings, other: Belongings, ask: Ask): Promise<Answer> {
  visited.add(
    ask.route
      .replace(/\?.*/, "")
      .replace(
        /(orders|operations|stops|trades|cancel-alls|proposals)\/(?!market$|batch$|cancel-all$)[^/]+/,
        "$1/{id}",
      ),
  );
  const answer = await rig.answer(asking.party, ask);
  const named = ask.route.toLowerCase() + JSON.stringify(ask.body ?? {}).toLowerCase();
  // What the asker has named itself may be repeated to it.
  const shown = foundIn(answer.text, other).filter((mark) => !named.includes(mark.toLowerCase()));
  expect({ route: ask.route, shown, text: shown.length > 0 ? answer.text : null }).toEqual({
    route: ask.route,
    shown: [],
    text: null,
  });
  return answer;
}

const SIDES = ["the first account", "the second account"] as const;
const CASES = SIDES.flatMap((side) => ([0, 1] as const).map((apiKey) => [side, apiKey] as const));

function sides(side: (typeof SIDES)[number]): { asking: Belongings; other: Belongings } {
  return side === SIDES[0] ? { asking: first, other: second } : { asking: second, other: first };
}

test("the two accounts have one of everything, and nothing in common", () => {
  for (const { orderIds, operationIds, fillIds, marks } of [first, second]) {
    expect(orderIds.length).toBeGreaterThanOrEqual(24);
    expect(operationIds).toHaveLength(4);
    expect(fillIds.length).toBeGreaterThan(0);
    expect(marks.size).toBeGreaterThan(40);
  }
  expect([...first.marks].filter((mark) => second.marks.has(mark))).toEqual([]);
});

test.each(CASES)("%s, key %i: lists show its own and nothing else", async (side, apiKey) => {
  const { asking, other } = sides(side);
  for (const route of [...READS, ...FILES, EVENTS, ...BARE_READS]) {
    const answer = await askAs(asking, other, { route, apiKey });
    expect([route, answer.status]).toEqual([route, 200]);
    if (BARE_READS.includes(route)) continue;
    const isAnybodys = route === "GET /v1/markets";
    expect([route, foundIn(answer.text, asking).length > 0]).toEqual([route, !isAnybodys]);
  }
});

test("both asking at the same moment, each is shown its own", async () => {
  for (const route of READS) {
    const asked = [first, second].map((asking) => rig.ask(asking.party, { route }));
    const texts = (await Promise.all(asked.map((answer) => rig.answerOf(answer)))).map(({ text }) => text);
    expect([route, foundIn(texts[0] ?? "", second), foundIn(texts[1] ?? "", first)]).toEqual([route, [], []]);
  }
});

test.each(CASES)("%s, key %i: finds its own orders and operations by every id", async (side, apiKey) => {
  const { asking, other } = sides(side);
  for (const id of asking.orderIds) {
    const answer = await askAs(asking, other, { route: `GET /v1/orders/${id}`, apiKey });
    expect([id, answer.status, answer.body["account"]]).toEqual([id, 200, asking.party.account.id]);
  }
  for (const id of asking.operationIds) {
    const answer = await askAs(asking, other, { route: `GET /v1/operations/${id}`, apiKey });
    expect([answer.status, answer.body["account"]]).toEqual([200, asking.party.account.id]);
  }
});

const ON_ORDERS: readonly ((id: string) => Ask)[] = [
  (id) => ({ route: `GET /v1/orders/${id}` }),
  (id) => ({ route: `GET /v1/orders/${id}/story` }),
  (id) => ({ route: `POST /v1/orders/${id}/cancel`, body: {} }),
  (id) => ({ route: `POST /v1/orders/${id}/modify`, body: { price: "61000" } }),
  (id) => ({ route: `POST /v1/orders/${id}/modify`, body: { price: "61000", always_place: true } }),
];

test.each(CASES)("%s, key %i: the other's orders are nobody's, by any id, for any deed", async (side, apiKey) => {
  const { asking, other } = sides(side);
  const before = await stateOf(other);
  rig.sent.length = 0;
  for (const id of [...other.orderIds, ...other.operationIds]) {
    for (const ask of ON_ORDERS.map((askFor) => askFor(id))) {
      const answer = await askAs(asking, other, { ...ask, apiKey });
      expect([ask.route, answer.status, answer.body["error"]]).toMatchObject([
        ask.route,
        404,
        { code: "order_not_found" },
      ]);
    }
  }
  expect(rig.sent).toEqual([]);
  expect(await stateOf(other)).toBe(before);
});

test.each(CASES)("%s, key %i: the other's operations are nobody's", async (side, apiKey) => {
  const { asking, other } = sides(side);
  for (const id of [...other.operationIds, ...other.operationIds.map((each) => each.toUpperCase())]) {
    const answer = await askAs(asking, other, { route: `GET /v1/operations/${id}`, apiKey });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "operation_not_found" } } });
    expect((await askAs(asking, other, { route: `GET /v1/cancel-alls/${id}`, apiKey })).status).toBe(404);
  }
});

test.each(CASES)(
  "%s, key %i: the other's cursors are refused, or are only a place in its own list",
  async (side, apiKey) => {
    const { asking, other } = sides(side);
    const stored = other.orderIds.filter((id) => id.includes("-"));
    const foreign = [
      ...stored.map((id) => `GET /v1/orders?cursor=${id}`),
      ...other.operationIds.flatMap((id) => [`GET /v1/operations?cursor=${id}`, `GET /v1/orders?cursor=${id}`]),
      ...other.fillIds.map((id) => `GET /v1/fills?cursor=${encodeURIComponent(id)}`),
    ];
    for (const route of foreign) {
      const answer = await askAs(asking, other, { route, apiKey });
      expect([route, answer.status, answer.body["error"]]).toMatchObject([route, 400, { code: "invalid_cursor" }]);
    }
    const oids = other.orderIds.filter((id) => /^[0-9]+$/.test(id));
    const places = [...oids.map((oid) => `GET /v1/orders?status=open&cursor=${oid}`), "GET /v1/positions?cursor=:BTC"];
    for (const route of places) {
      expect([route, (await askAs(asking, other, { route, apiKey })).status]).toEqual([route, 200]);
    }
  },
);

test.each(CASES)(
  "%s, key %i: an order for the other's account is refused before it is stored",
  async (side, apiKey) => {
    const { asking, other } = sides(side);
    const before = await stateOf(other);
    rig.sent.length = 0;
    const order = { account: other.party.account.id, market: "BTC", side: "buy", size: "0.1" };
    const asks: Ask[] = [
      { route: "POST /v1/orders", body: { ...order, price: "61000" }, apiKey },
      { route: "POST /v1/orders/market", body: order, apiKey },
      {
        route: "POST /v1/orders/batch",
        body: { account: order.account, orders: [{ market: "BTC", side: "buy", size: "0.1", price: "61000" }] },
        apiKey,
      },
      { route: "POST /v1/positions/close", body: { account: order.account, market: "BTC" }, apiKey },
      { route: "POST /v1/orders/cancel-all", body: { account: order.account }, apiKey },
    ];
    const refused = { status: 403, body: { error: { code: "account_mismatch" } } };
    for (const ask of asks) expect(await askAs(asking, other, ask)).toMatchObject(refused);
    expect(rig.sent).toEqual([]);
    expect(await stateOf(other)).toBe(before);
  },
);

test.each(CASES)("%s, key %i: its own deeds leave the other as it was", async (side, apiKey) => {
  const { asking, other } = sides(side);
  const before = await stateOf(other);
  const mark = `${side === SIDES[0] ? "1" : "2"}${apiKey}`;
  const base = { account: asking.party.account.id, market: "BTC", side: "buy", size: "0.003", price: `611${mark}` };
  const placed = await askAs(asking, other, { route: "POST /v1/orders", body: base, apiKey });
  expect(placed).toMatchObject({ status: 201, body: { status: "open" } });
  const id = String(placed.body["id"]);
  const deeds: Ask[] = [
    { route: `POST /v1/orders/${id}/modify`, body: { price: `612${mark}` } },
    { route: `POST /v1/orders/${id}/cancel`, body: {} },
    { route: "POST /v1/leverage", body: { market: "SOL", leverage: 3 + Number(mark), margin_type: "cross" } },
    { route: "POST /v1/leverage", body: { market: "SOL", leverage: 2, margin_type: "cross" } },
    { route: "POST /v1/margin", body: { market: "ETH", amount: "2" } },
    { route: "POST /v1/twaps", body: { market: "SOL", side: "sell", size: "100", duration_minutes: 60 } },
  ];
  for (const deed of deeds) expect((await askAs(asking, other, { ...deed, apiKey })).status).toBe(200);
  expect(await stateOf(other)).toBe(before);
});

test.each(CASES)("%s, key %i: the other's TWAP runs on", async (side, apiKey) => {
  const { asking, other } = sides(side);
  const body = { market: "BTC", twap_id: other.twapId };
  const answer = await askAs(asking, other, { route: "POST /v1/twaps/cancel", body, apiKey });
  expect(answer).toMatchObject({ status: 200, body: { status: "rejected" } });
  expect(rig.paper.venue.twaps.get(other.twapId)?.user).toBe(other.party.account.tradingAddress);
});

test("one Idempotency-Key of two accounts is two keys; of two keys of one account it is one", async () => {
  const order = ({ party }: Belongings, apiKey: 0 | 1): Ask => ({
    route: "POST /v1/orders",
    key: "shared-key-1",
    apiKey,
    body: { account: party.account.id, market: "BTC", side: "buy", size: "0.004", price: "60100" },
  });
  const mine = await rig.answer(FIRST, order(first, 0));
  const theirs = await rig.answer(SECOND, order(second, 0));
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.headers.get("Idempotent-Replayed")).toBeNull();
  expect(theirs.body).toMatchObject({ account: SECOND.account.id });
  expect(theirs.body["id"]).not.toBe(mine.body["id"]);
  const again = await rig.answer(FIRST, order(first, 1));
  expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([mine.text, "true"]);
});

test("prices are the market's: the same for both, though somebody's trade made them", async () => {
  const market = ["", "/book", "/candles", "/trades"].map((rest) => `GET /v1/markets/BTC${rest}`);
  const routes = ["GET /v1/prices", ...market];
  for (const route of [...routes, "GET /v1/stream?markets=BTC&follow=false"]) {
    visited.add(route.replace("/BTC", "/{market}").replace(/\?.*$/, ""));
    const [one, other] = await Promise.all([first, second].map(({ party }) => rig.answer(party, { route })));
    expect(one).toMatchObject({ status: 200, text: other?.text });
  }
});

test("a stop is its own account's: the other does not find it, and trades on", async () => {
  const stop = await askAs(first, second, { route: "POST /v1/stop", body: { scope: "account" }, apiKey: 0 });
  const id = String(stop.body["id"]);
  const own = await askAs(first, second, { route: `GET /v1/stops/${id}`, apiKey: 0 });
  const others = await askAs(second, first, { route: `GET /v1/stops/${id}`, apiKey: 0 });
  expect([own.status, others.status]).toEqual([200, 404]);
  const lists = [
    await askAs(first, second, { route: "GET /v1/stops", apiKey: 0 }),
    await askAs(second, first, { route: "GET /v1/stops", apiKey: 0 }),
  ];
  expect(lists.map(({ text }) => text.includes(id))).toEqual([true, false]);
  const closing = await askAs(second, first, { route: `POST /v1/stops/${id}/flatten`, body: {}, apiKey: 0 });
  expect([closing.status, closing.body]).toMatchObject([404, { error: { code: "stop_not_found" } }]);
  const order = ({ party }: Belongings): Ask => ({
    route: "POST /v1/orders",
    key: "after-stop-1",
    apiKey: 0,
    body: { account: party.account.id, market: "BTC", side: "buy", size: "0.004", price: "60100" },
  });
  const [refused, taken] = [await rig.answer(FIRST, order(first)), await rig.answer(SECOND, order(second))];
  expect([refused.status, taken.status]).toEqual([403, 201]);
});

test("a trade is its own account's: the other finds, cancels and moves nothing of it", async () => {
  const guard = { stop_loss: { trigger_price: "80" } };
  const body = { account: SECOND.account.id, market: "SOL", side: "buy", size: "1", entry: { price: "90" }, ...guard };
  const { id } = (await rig.answer(SECOND, { route: "POST /v1/trades", body, apiKey: 0 })).body;
  const one = `/v1/trades/${id}`;
  const writes = Object.entries({ "/v1/trades": body, [`${one}/cancel`]: {}, [`${one}/modify`]: guard });
  const reads: Ask[] = [{ route: `GET ${one}` }, { route: "GET /v1/trades" }];
  const asks = [...writes.map(([path, some]): Ask => ({ route: `POST ${path}`, body: some })), ...reads];
  const answers = await Promise.all(asks.map((ask) => askAs(first, second, { ...ask, apiKey: 0 })));
  expect(answers.map(({ status }) => status)).toEqual([403, 404, 404, 404, 200]);
});

test("a proposal is its own account's: the other sees it nowhere and decides nothing of it", async () => {
  const id = addProposal(rig.store, SECOND, rig.clock.nowMs());
  const shown = [first, second].map(({ party }) => rig.answer(party, { route: "GET /v1/proposals", apiKey: 0 }));
  expect((await Promise.all(shown)).map(({ text }) => text.includes(id))).toEqual([false, true]);
  const words = ["approve", "refuse"].map((word) => `POST /v1/proposals/${id}/${word}`);
  const answers = await Promise.all(words.map((route) => askAs(first, second, { route, body: {}, apiKey: 0 })));
  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
});

test("a heartbeat is its own key's: the other's silence is none of it", async () => {
  await askAs(first, second, { route: "PUT /v1/heartbeat", body: { within_s: 60 }, apiKey: 0 });
  const beats = [first, second].map(({ party }) => rig.answer(party, { route: "GET /v1/heartbeat", apiKey: 0 }));
  expect((await Promise.all(beats)).map(({ body }) => body["within_s"])).toEqual([60, null]);
  visited.add("GET /v1/heartbeat");
});

test("a key without rails narrows nothing", async () => {
  const route = "POST /v1/api-keys/self/narrow";
  expect((await askAs(first, second, { route, body: { max_order: "5 USD" }, apiKey: 0 })).status).toBe(400);
});

test("every route that a key opens has been asked", () => {
  const routes = allRoutes().map(({ contract }) => contract);
  const keyed = routes.filter(({ access }) => access === "trading:read" || access === "trading:write");
  const missed = keyed.map(({ method, path }) => `${method} ${path}`).filter((route) => !visited.has(route));
  expect(missed).toEqual([]);
});
