/** What the markets do, as clients are told: from the HTTP edge to the paper exchange's websocket and back. */
import { describe, expect, test } from "bun:test";
import type { FaultFile } from "../../src/paper/faults.ts";
import { FIRST, openPaperRig, type PaperRig, pass, SECOND } from "../support/paper-rig.ts";

const BTC = "GET /v1/markets/BTC";
const BOOK = "GET /v1/markets/BTC/book";
const TSLA_ASSET = 110_001;

/** Everything that still comes over a websocket is left out, or some of it. */
function without(...types: string[]): FaultFile {
  return { rules: types.map((type) => ({ on: "ws", type, fault: { kind: "drop" } })) };
}

/** Reads of what the websocket tells. */
function askedOf(rig: PaperRig): string[] {
  const types = ["l2Book", "metaAndAssetCtxs", "spotMetaAndAssetCtxs", "allMids"];
  return rig.asked.filter((type) => types.includes(type));
}

const FIGURES = ["bbo", "l2Book", "activeAssetCtx", "activeSpotAssetCtx", "allMids"];

async function opened(): Promise<PaperRig> {
  const rig = await openPaperRig({ hasSocket: true });
  await rig.trade("buy", "2", "94000");
  await rig.trade("buy", "1", "94500");
  await rig.trade("sell", "3", "95500");
  await rig.trade("sell", "1", "96000");
  await pass(rig, 1_000);
  return rig;
}

/** Followed, and nothing was asked for since. */
async function followed(): Promise<PaperRig> {
  const rig = await opened();
  for (const route of [BTC, BOOK]) expect((await rig.answer(FIRST, { route })).status).toBe(200);
  rig.asked.length = 0;
  return rig;
}

function ageOf(rig: PaperRig, asOf: string | null): number | null {
  return asOf === null ? null : rig.deps.exchange.nowMs() - Date.parse(asOf);
}

describe("a market", () => {
  test("is told with its rules and what it does, each group with its own time, without a request", async () => {
    const rig = await opened();
    const { status, body, headers } = await rig.answer(FIRST, { route: BTC });
    const [, contexts] = (await rig.info({ type: "metaAndAssetCtxs" })) as [unknown, Record<string, string>[]];
    const shown = contexts[0] ?? {};
    const listed = (await rig.answer(FIRST, { route: "GET /v1/markets" })).body["data"] as { market: string }[];
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...listed.find(({ market }) => market === "BTC"),
      best_bid: { price: "94500", size: "1" },
      best_ask: { price: "95500", size: "3" },
      mid_price: "95000",
      max_leverage: 40,
    });
    expect([Number(body["mark_price"]), Number(body["oracle_price"]), Number(body["funding_rate"])]).toEqual([
      Number(shown["markPx"]),
      Number(shown["oraclePx"]),
      Number(shown["funding"]),
    ]);
    expect(Number(body["previous_day_price"])).toBe(Number(shown["prevDayPx"]));
    const nowMs = rig.paper.nowMs();
    for (const name of ["best_at", "prices_at", "funding_at"]) {
      const atMs = Date.parse(String(body[name]));
      expect([name, atMs <= nowMs, atMs > nowMs - 5_000]).toEqual([name, true, true]);
    }
    const nextMs = Date.parse(String(body["next_funding_at"]));
    expect([nextMs % 3_600_000, nextMs > nowMs, nextMs <= nowMs + 3_600_000]).toEqual([0, true, true]);
    expect(headers.get("x-data-as-of")).toBeNull();
    expect(askedOf(rig)).toEqual([]);
  });

  test("of spot has neither oracle nor funding", async () => {
    const rig = await opened();
    const { body } = await rig.answer(FIRST, { route: "GET /v1/markets/PURR%2FUSDC" });
    expect(body).toMatchObject({ market: "PURR/USDC", kind: "spot", mark_price: "0.18" });
    for (const name of [
      "oracle_price",
      "funding_rate",
      "next_funding_at",
      "funding_at",
      "open_interest",
      "max_leverage",
    ])
      expect([name, body[name]]).toEqual([name, null]);
    expect(body).toMatchObject({ best_bid: null, best_ask: null, mid_price: null });
  });

  test.each([
    ["a slash, escaped", "PURR%2FUSDC", "PURR/USDC"],
    ["a slash, escaped in lower case", "PURR%2fUSDC", "PURR/USDC"],
    ["the pair of one market", "HYPE%2FUSDC", "@107"],
    ["an at sign", "@107", "@107"],
    ["an at sign, escaped", "%40107", "@107"],
    ["a colon", "xyz:TSLA", "xyz:TSLA"],
    ["a colon, escaped", "xyz%3ATSLA", "xyz:TSLA"],
    ["a colon, escaped in lower case", "xyz%3aTSLA", "xyz:TSLA"],
  ])("is found by a name with %s", async (_what, written, market) => {
    const rig = await opened();
    for (const rest of ["", "/book", "/book?levels=1"]) {
      const { status, body } = await rig.answer(FIRST, { route: `GET /v1/markets/${written}${rest}` });
      expect([status, body["market"]]).toEqual([200, market]);
    }
  });

  test.each([
    ["of another case", "btc", "Did you mean BTC"],
    ["of another dex", "xyz:BTC", "Did you mean BTC"],
    ["that is delisted", "MATIC", "delisted"],
    ["of nothing", "NOWHERE", "no market `NOWHERE`"],
    ["that is repeated, where it is long", "A".repeat(31), "of this name."],
  ])("has no name %s", async (_what, name, words) => {
    const rig = await opened();
    for (const rest of ["", "/book"]) {
      const { status, body } = await rig.answer(FIRST, { route: `GET /v1/markets/${name}${rest}` });
      const { code, message } = body["error"] as { code: string; message: string };
      expect([status, code]).toEqual([400, "unknown_market"]);
      expect(message).toContain(words);
    }
  });

  test.each(["PURR/USDC", "PURR%252FUSDC", "A%20B", "%00", "%2e%2e", "BTC/", "BTC/books", "BTC%", "BTC/book/1"])(
    "%s is no path",
    async (written) => {
      const rig = await opened();
      const { status, body } = await rig.answer(FIRST, { route: `GET /v1/markets/${written}` });
      expect([status, (body["error"] as { code: string }).code]).toEqual([404, "route_not_found"]);
    },
  );

  test("of which nobody has asked yet, and of which nothing comes, is asked for", async () => {
    const rig = await opened();
    rig.paper.setFaults(without(...FIGURES));
    const { status, body, headers } = await rig.answer(FIRST, { route: BTC });
    expect([status, body["best_bid"]]).toEqual([200, { price: "94500", size: "1" }]);
    expect(headers.get("x-data-as-of")).toBeNull();
    expect(rig.asked).toEqual(expect.arrayContaining(["l2Book", "metaAndAssetCtxs"]));
  });
});

describe("the book", () => {
  test("has as many levels as are asked for, best first, and follows what happens", async () => {
    const rig = await followed();
    const { body } = await rig.answer(FIRST, { route: `${BOOK}?levels=1` });
    expect(body).toMatchObject({
      object: "book",
      market: "BTC",
      bids: [{ price: "94500", size: "1", orders: 1 }],
      asks: [{ price: "95500", size: "3", orders: 1 }],
    });
    await rig.trade("buy", "0.5", "94000");
    await pass(rig, 1_000);
    const whole = (await rig.answer(FIRST, { route: BOOK })).body;
    expect(whole["bids"]).toEqual([
      { price: "94500", size: "1", orders: 1 },
      { price: "94000", size: "2.5", orders: 2 },
    ]);
    expect(askedOf(rig)).toEqual([]);
  });

  test.each(["0", "21", "100", "-1", "1.5", "1e1", "abc", ""])("has no `levels` %p", async (levels) => {
    const rig = await opened();
    const { status, body } = await rig.answer(FIRST, { route: `${BOOK}?levels=${levels}` });
    expect([status, (body["error"] as { code: string }).code]).toEqual([400, "invalid_parameter"]);
  });
});

describe("what is told", () => {
  test("changes as the exchange tells it, and costs no request however often it is asked", async () => {
    const rig = await followed();
    for (let price = 94_501; price < 94_540; price += 1) {
      await rig.trade("buy", "0.1", String(price));
      await rig.clock.advance(0);
      const { body, headers } = await rig.answer(price % 2 === 0 ? FIRST : SECOND, { route: BTC });
      expect([body["best_bid"], headers.get("x-data-as-of")]).toEqual([{ price: String(price), size: "0.1" }, null]);
    }
    expect(askedOf(rig)).toEqual([]);
  });

  test("stays current while the book stands still and the exchange goes on telling", async () => {
    const rig = await followed();
    await pass(rig, 50_000);
    const { body, headers } = await rig.answer(FIRST, { route: BTC });
    expect([body["best_bid"], headers.get("x-data-as-of")]).toEqual([{ price: "94500", size: "1" }, null]);
    // Once a minute what the accounts are worth is reckoned from the mids.
    expect(askedOf(rig).filter((type) => type !== "allMids")).toEqual([]);
    expect(Date.parse(String(body["best_at"]))).toBeLessThan(rig.paper.nowMs() - 40_000);
  });

  test("shows in the status whether it is told", async () => {
    const rig = await opened();
    const isLive = async () => (await rig.answer(FIRST, { route: "GET /v1/status" })).body["market_feed_live"];
    expect(await isLive()).toBeNull();
    await rig.answer(FIRST, { route: BTC });
    await pass(rig, 2_000);
    expect(await isLive()).toBe(true);
    rig.socket.cut();
    expect(await isLive()).toBe(false);
    await pass(rig, 10_000);
    expect(await isLive()).toBe(true);
    rig.paper.setFaults(without(...FIGURES));
    await pass(rig, 12_000);
    expect(await isLive()).toBe(false);
  });

  test("takes one connection for all markets and all who ask, and none when nobody has asked for a minute", async () => {
    const rig = await opened();
    await pass(rig, 5_000);
    const ofAccounts = rig.socket.openCount();
    for (const market of ["BTC", "ETH", "SOL", "xyz:TSLA", "@107"])
      for (const party of [FIRST, SECOND]) await rig.answer(party, { route: `GET /v1/markets/${market}` });
    expect(rig.socket.openCount()).toBe(ofAccounts + 1);
    const said = rig.socket.said.at(-1) ?? [];
    expect(said.filter((line) => line.includes("BTC")).toSorted()).toEqual([
      "subscribe activeAssetCtx BTC",
      "subscribe bbo BTC",
    ]);
    expect(said.filter((line) => line.startsWith("subscribe"))).toHaveLength(10);
    await pass(rig, 30_000);
    await rig.answer(FIRST, { route: BTC });
    await pass(rig, 40_000);
    expect(said.filter((line) => line.startsWith("unsubscribe"))).toHaveLength(8);
    expect(rig.socket.openCount()).toBe(ofAccounts + 1);
    await pass(rig, 30_000);
    expect(rig.socket.openCount()).toBe(ofAccounts);
    expect((await rig.answer(FIRST, { route: BTC })).status).toBe(200);
    expect(rig.socket.openCount()).toBe(ofAccounts + 1);
  });
});

/** Between an answer and the next look at the clock, milliseconds. */
const ANSWERED_MS = 100;

type Trouble = [what: string, begin: (rig: PaperRig) => void, end: (rig: PaperRig) => void];

const TROUBLE: Trouble[] = [
  [
    "is silent",
    (rig) =>
      rig.paper.setFaults({
        rules: [{ on: "ws", type: "activeAssetCtx", times: 1, fault: { kind: "silent", ms: 60_000 } }],
      }),
    (rig) => rig.paper.setFaults({ rules: [] }),
  ],
  [
    "is cut and cannot be opened",
    (rig) => {
      rig.socket.isRefusing = true;
      rig.socket.cut();
    },
    (rig) => {
      rig.socket.isRefusing = false;
    },
  ],
  [
    "answers pings and tells nothing",
    (rig) => rig.paper.setFaults(without(...FIGURES)),
    (rig) => rig.paper.setFaults({ rules: [] }),
  ],
  [
    "tells everything 12 s late",
    (rig) => {
      rig.socket.lateByMs = 12_000;
    },
    (rig) => {
      rig.socket.lateByMs = 0;
    },
  ],
  [
    "tells everything half a minute late",
    (rig) => {
      rig.socket.lateByMs = 30_000;
    },
    (rig) => {
      rig.socket.lateByMs = 0;
    },
  ],
];

describe.each(TROUBLE)("while the feed %s", (_what, begin, end) => {
  test("nothing older than 6 s is told without its age, nothing older than 10 s at all, and all is well after it", async () => {
    const rig = await followed();
    await rig.trade("buy", "0.01", "94600");
    await pass(rig, 1_000);
    begin(rig);
    for (let step = 0; step < 30; step += 1) {
      await rig.trade("buy", "0.01", String(94_601 + step));
      for (const route of [BTC, BOOK]) {
        const asked = askedOf(rig).length;
        const { status, body, headers } = await rig.answer(FIRST, { route });
        const best = (route === BTC ? body["best_bid"] : (body["bids"] as unknown[])[0]) as { price: string };
        const ageMs = (94_601 + step - Number(best.price)) * 1_000;
        const toldMs = ageOf(rig, headers.get("x-data-as-of"));
        expect([status, ageMs <= 11_000]).toEqual([200, true]);
        if (toldMs === null) expect(ageMs).toBeLessThanOrEqual(7_000);
        else
          expect([toldMs > 6_000, toldMs <= 10_000 + ANSWERED_MS, toldMs >= ageMs - 1_000]).toEqual([true, true, true]);
        // Who asks within a second of another shares the answer.
        if (askedOf(rig).length > asked) expect(ageMs).toBeLessThanOrEqual(1_000);
      }
      await pass(rig, 1_000);
    }
    expect(rig.asked).toEqual(expect.arrayContaining(["l2Book", "metaAndAssetCtxs"]));
    end(rig);
    await pass(rig, 70_000);
    await rig.answer(FIRST, { route: BTC });
    await rig.answer(FIRST, { route: BOOK });
    rig.asked.length = 0;
    await rig.trade("buy", "0.01", "94700");
    await pass(rig, 1_000);
    for (const route of [BTC, BOOK]) {
      const { body, headers } = await rig.answer(FIRST, { route });
      const best = (route === BTC ? body["best_bid"] : (body["bids"] as unknown[])[0]) as { price: string };
      expect([best.price, headers.get("x-data-as-of")]).toEqual(["94700", null]);
    }
    expect(askedOf(rig)).toEqual([]);
  });

  test("and nothing can be asked for, it is refused, with no figure", async () => {
    const rig = await followed();
    begin(rig);
    for (const type of ["l2Book", "metaAndAssetCtxs", "allMids"]) rig.failing.add(type);
    await pass(rig, 12_000);
    for (const route of [BTC, BOOK]) {
      const { status, body } = await rig.answer(FIRST, { route });
      expect([status, (body["error"] as { code: string }).code]).toEqual([503, "exchange_unreachable"]);
    }
  });
});

test("what our own weight does not allow to be asked is refused as that, with seconds to wait", async () => {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 300 });
  let refused = await rig.answer(FIRST, { route: BTC });
  for (let step = 0; step < 12 && refused.status === 200; step += 1) {
    const [market] = ["xyz:TSLA", "@107", "ETH"].slice(step % 3);
    await rig.clock.advance(3_500);
    refused = await rig.answer(FIRST, { route: `GET /v1/markets/${market}` });
  }
  expect([refused.status, (refused.body["error"] as { code: string }).code]).toEqual([429, "exchange_rate_limited"]);
  expect(refused.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
  expect(JSON.stringify(refused.body)).toContain("this gateway's own limit");
});

describe("prices", () => {
  test("come as they are told, without a request, and are asked for when they do not come", async () => {
    const rig = await opened();
    const { status, body, headers } = await rig.answer(FIRST, { route: "GET /v1/prices" });
    const priceOf = (rows: unknown) =>
      (rows as { market: string; mid_price: string }[]).find(({ market }) => market === "BTC")?.mid_price;
    expect([status, priceOf(body["data"]), headers.get("x-data-as-of")]).toEqual([200, "95000", null]);
    expect(askedOf(rig)).toEqual([]);
    await rig.trade("buy", "0.1", "94600");
    await pass(rig, 1_000);
    expect(priceOf((await rig.answer(FIRST, { route: "GET /v1/prices" })).body["data"])).toBe("95050");
    expect(askedOf(rig)).toEqual([]);
    rig.paper.setFaults(without("allMids"));
    await pass(rig, 8_000);
    const marked = await rig.answer(FIRST, { route: "GET /v1/prices?dex=" });
    expect(ageOf(rig, marked.headers.get("x-data-as-of"))).toBeWithin(6_001, 10_001);
    await rig.trade("buy", "0.1", "94700");
    await pass(rig, 3_000);
    const asked = await rig.answer(FIRST, { route: "GET /v1/prices?dex=" });
    expect([priceOf(asked.body["data"]), asked.headers.get("x-data-as-of")]).toEqual(["95100", null]);
    expect(askedOf(rig)).toEqual(["allMids"]);
  });
});

test("a market of another dex has that dex's figures where they are asked for", async () => {
  const rig = await openPaperRig();
  await rig.trade("buy", "1", "390", TSLA_ASSET);
  const { body } = await rig.answer(FIRST, { route: "GET /v1/markets/xyz:TSLA" });
  expect(body).toMatchObject({ market: "xyz:TSLA", dex: "xyz", mark_price: "399.52", best_bid: { price: "390" } });
});
