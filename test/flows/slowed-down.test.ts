/** What a client is told while nothing goes to the exchange: what the exchange has said, or what we have run out of. */
import { expect, test } from "bun:test";
import { type Answer, type Delivery, FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const LIMIT = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.001", price: "60000" };
const TOO_MANY =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";

function answered(status: number, body: unknown): Delivery {
  return () => Promise.resolve(Response.json(body, { status }));
}

function place(rig: PaperRig): Promise<Answer> {
  return rig.answer(FIRST, { route: "POST /v1/orders", body: LIMIT });
}

function told({ status, headers, body }: Answer) {
  const error = body["error"] as { code: string; message: string } | undefined;
  return { status, retryAfterS: Number(headers.get("retry-after")), code: error?.code, message: error?.message ?? "" };
}

const TOO_FAST = "The exchange has told this gateway to slow down (HTTP 429). Nothing was sent.";
const OUT_OF_ACTIONS =
  "The exchange has refused an action because its account had used up its actions, and this gateway pauses after that. Nothing was sent.";
const OWN_LIMIT =
  "This gateway's own limit of requests to the exchange (POSTERN_EXCHANGE_WEIGHT) is used up for the moment. Nothing was sent.";

type Row = {
  when: string;
  weight: number;
  cause(rig: PaperRig): Promise<unknown>;
  words: string;
  /** The longest wait that may be asked for. */
  mostS: number;
};

const ROWS: Row[] = [
  {
    when: "an action was answered 429",
    weight: 1_200,
    cause: (rig) => answerNext(rig, answered(429, null)),
    words: TOO_FAST,
    mostS: 10,
  },
  {
    when: "a read was answered 429, our own limit being off",
    weight: 0,
    cause(rig) {
      rig.interfere = ({ type }) => (type === "allMids" ? Response.json(null, { status: 429 }) : undefined);
      return rig.answer(FIRST, { route: "GET /v1/prices" });
    },
    words: TOO_FAST,
    mostS: 10,
  },
  {
    when: "the exchange refused an action of an account that had none left",
    weight: 0,
    cause: (rig) => answerNext(rig, answered(200, { status: "err", response: TOO_MANY })),
    words: OUT_OF_ACTIONS,
    mostS: 10,
  },
  {
    when: "our own limit is used up",
    weight: 400,
    async cause(rig) {
      for (let nth = 0; nth < 400; nth += 1) if ((await place(rig)).status === 429) return;
    },
    words: OWN_LIMIT,
    mostS: 61,
  },
];

/** The next order is answered so; nobody waits for what becomes of it. */
async function answerNext(rig: PaperRig, delivery: Delivery): Promise<void> {
  rig.deliveries.push(delivery);
  void rig.ask(FIRST, { route: "POST /v1/orders", body: LIMIT });
  await rig.clock.advance(0);
}

test.each(ROWS)("an order is refused in the words of what has happened when $when", async (row) => {
  const rig = await openPaperRig({ exchangeWeightPerMinute: row.weight });
  await row.cause(rig);
  const refused = told(await rig.ask(FIRST, { route: "POST /v1/orders", body: LIMIT }));
  expect([refused.status, refused.code, refused.message]).toEqual([429, "exchange_rate_limited", row.words]);
  expect(refused.retryAfterS).toBeGreaterThan(0);
  expect(refused.retryAfterS).toBeLessThanOrEqual(row.mostS);
  // For as long as it was told to wait nothing of reads takes what an order waits for.
  await rig.clock.advance(refused.retryAfterS * 1_000);
  const again = told(await rig.ask(FIRST, { route: "POST /v1/orders", body: LIMIT }));
  expect(again.message).not.toBe(row.words);
});

test("a read that is not made says why, and when to come back", async () => {
  const rig = await openPaperRig();
  rig.deliveries.push(answered(429, null));
  void rig.ask(FIRST, { route: "POST /v1/orders", body: LIMIT });
  await rig.clock.advance(0);
  for (const route of ["GET /v1/account", "GET /v1/positions", "GET /v1/prices", "GET /v1/twaps"]) {
    const refused = told(await rig.ask(FIRST, { route }));
    expect([route, refused.status, refused.code]).toEqual([route, 429, "exchange_rate_limited"]);
    expect(refused.message).toContain("it has told this gateway to slow down (HTTP 429)");
    expect(refused.retryAfterS).toBe(10);
  }
  const silent = await openPaperRig();
  silent.failing.add("clearinghouseState");
  const plain = told(await silent.ask(FIRST, { route: "GET /v1/positions" }));
  expect(plain).toEqual({
    status: 503,
    code: "exchange_unreachable",
    message: "The exchange could not be asked for the positions.",
    retryAfterS: 5,
  });
});
