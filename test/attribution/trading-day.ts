/**
 * Two hours of an account on which a plain key, two bots and its owner trade four markets, over a network that loses answers and a
 * gateway that dies; then what the gateway says of who has made what, beside the exchange's own log.
 */
import { type Bot, makeBot } from "../simulation/bots.ts";
import { type Chance, openChance } from "../simulation/chance.ts";
import type { Answered, Ask } from "../simulation/front.ts";
import { directly } from "../simulation/network.ts";
import { openScene, type Scene } from "../simulation/scene.ts";
import { PARTIES, type Party } from "../simulation/template.ts";
import type { Venue } from "../simulation/venue.ts";
import { testRequest } from "../support/request.ts";
import { auditAttribution, type Line, type Position, type Told, worthOf } from "./audit.ts";
import { type Known, NOBODY, readBooks, type Whose } from "./books-from-the-log.ts";

export type DayResult = { seed: number; findings: string[]; fills: number; payments: number; owners: number };

type Market = {
  /** As the gateway calls it. */
  name: string;
  /** As the exchange does. */
  coin: string;
  asset: number;
  sizeDecimals: number;
  priceDecimals: number;
  /** Around which all is traded, in steps of the price. */
  middle: number;
  /** Between two quotes, in steps of the price. */
  apart: number;
  /** Lots of the largest order, in thousands. */
  thousands: number;
};

/** The last three digits of each size, in lots, say whose wish it is: it is the number of the wish. */
const MARKETS: readonly Market[] = [
  { name: "BTC", coin: "BTC", asset: 0, sizeDecimals: 5, priceDecimals: 0, middle: 95_000, apart: 20, thousands: 4 },
  { name: "ETH", coin: "ETH", asset: 1, sizeDecimals: 4, priceDecimals: 1, middle: 32_000, apart: 10, thousands: 6 },
  {
    name: "xyz:TSLA",
    coin: "xyz:TSLA",
    asset: 110_001,
    sizeDecimals: 3,
    priceDecimals: 2,
    middle: 39_952,
    apart: 12,
    thousands: 3,
  },
  {
    name: "HYPE/USDC",
    coin: "@107",
    asset: 10_107,
    sizeDecimals: 2,
    priceDecimals: 3,
    middle: 40_000,
    apart: 15,
    thousands: 2,
  },
];

const NUMBERS = 1_000;
/** Stops of trades lie this far from the middle, and as many dollars more as the number of their wish. */
const STOPS_APART = 2_000;
const DAY_MS = 110 * 60_000;
/** Until everything is known, read and booked. */
const REST_MS = 14 * 60_000;
const MAX_GAP_MS = 90_000;
const [MAKER, TAKER] = [`0x${"8".repeat(40)}`, `0x${"9".repeat(40)}`];
/** In the market of spot by its name, which no `any` opens. */
const RAILS = {
  markets: "@107,BTC,ETH,xyz:TSLA",
  touches: "own",
  sources: "any",
  may: "increase,reduce,modify,cancel,twap",
  maxOrder: "any",
  maxPosition: "any",
  maxExposure: "any",
  maxTurnoverPerDay: "any",
  maxLossPerDay: "any",
  maxLeverage: "any",
  maxStopDistance: "any",
  maxActionsPerDay: "any",
  maxDistance: "any",
  maxOpenOrders: "any",
} as const;

type Day = {
  scene: Scene;
  chance: Chance;
  /** The plain key and every key of the bots. */
  askers: readonly Party[];
  /** Whose each wish is, by its number. */
  wishes: Whose[];
  /** Ids of orders that were answered, with who asked. */
  orders: { id: string; asker: Party; market: Market }[];
  trades: { id: string; asker: Party }[];
  asked: number;
};

function decimalText(lots: number, decimals: number): string {
  const digits = String(lots).padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
}

/** @param forMs of trading, virtual milliseconds */
export async function tradeADay(seed: number, forMs = DAY_MS): Promise<DayResult> {
  const chance = openChance(seed);
  const [party] = PARTIES;
  if (party === undefined) throw new Error("bug: no party");
  const bots: Bot[] = ["grid", "other"].map((bot, at) => makeBot({ party, nth: 2 * at, rails: { bot, ...RAILS } }));
  const scene = await openScene({ seed, hasFeed: chance.isLucky(0.6), bots, isHttp: true });
  try {
    const askers = [party, party, ...bots.flatMap(({ holders }) => holders.map(({ by }) => by))];
    const day: Day = { scene, chance, askers, wishes: [], orders: [], trades: [], asked: 0 };
    const before = structuredClone(scene.venue.account(party.account.tradingAddress));
    await play(day, forMs);
    return await judge(day, seed, before);
  } finally {
    scene.close();
  }
}

async function play(day: Day, forMs: number): Promise<void> {
  const { scene, chance } = day;
  const losses = openChance(chance.between(1, 1_000_000));
  scene.setFate(({ path }) => {
    const plain = directly(losses.between(1, 30));
    if (path !== "/exchange" || !losses.isLucky(0.12)) return plain;
    const answer = { kind: "error", code: "ECONNRESET", afterMs: 40 } as const;
    return losses.isLucky(0.5) ? { ...plain, answer } : { arrivesAfterMs: [], answer };
  });
  while (scene.timeline.nowMs() < forMs) {
    for (const market of MARKETS) if (chance.isLucky(0.7)) quote(day, market);
    await deed(day);
    if (chance.isLucky(0.03)) await dieAndReturn(day);
    // Odd, so that nothing falls on the hour.
    await scene.pass(2 * chance.between(1_000, MAX_GAP_MS / 2) + 1);
  }
  scene.setFate(() => directly(1));
  await scene.pass(REST_MS);
}

async function dieAndReturn({ scene, chance }: Day): Promise<void> {
  scene.kill(chance.pick(["kill", "power_cut"]));
  await scene.pass(chance.between(1, 60_000));
  await scene.start();
  await scene.pass(5_000);
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];
type Quote = { isBuy: boolean; price: string; size: string; tif: "Gtc" | "Ioc" };

function act({ scene }: Day, who: string, market: Market, { isBuy, price, size, tif }: Quote): void {
  const orders = [{ a: market.asset, b: isBuy, p: price, s: size, r: false, t: { limit: { tif } }, c: null }];
  scene.venue.act(who, { type: "order", orders, grouping: "na", builder: null } as unknown as Act);
}

function priced(market: Market, steps: number): string {
  return decimalText(market.middle + steps, market.priceDecimals);
}

function lots(day: Day, market: Market): number {
  return day.chance.between(1, 1_000 * market.thousands);
}

/** Others stand on both sides, or take what stands there. The mark goes where they trade. */
function quote(day: Day, market: Market): void {
  const { chance, scene } = day;
  const isBuy = chance.isLucky(0.5);
  const away = chance.between(1, 5) * market.apart;
  const size = decimalText(1_000 + lots(day, market), market.sizeDecimals);
  if (chance.isLucky(0.6))
    act(day, MAKER, market, { isBuy, price: priced(market, isBuy ? -away : away), size, tif: "Gtc" });
  else
    act(day, TAKER, market, {
      isBuy,
      price: priced(market, isBuy ? 6 * market.apart : -6 * market.apart),
      size,
      tif: "Ioc",
    });
  if (!chance.isLucky(0.2)) return;
  const units = 10n ** BigInt(8 - market.priceDecimals);
  // Now and then so far that stops of trades fire.
  const far = market.asset === 0 && chance.isLucky(0.1) ? chance.pick([-2_600, 2_600]) : 0;
  const steps = market.middle + far + chance.between(-4, 4) * market.apart;
  scene.venue.setPrice(market.coin, BigInt(steps) * units);
}

/** A size by which it is known whose the wish was. */
function newSize(day: Day, { asker, market }: { asker: Party; market: Market }): string {
  const number = day.wishes.length;
  if (number >= NUMBERS) throw new Error("bug: more wishes than numbers");
  day.wishes.push(asker.key.keyHash);
  return decimalText(1_000 * day.chance.between(1, market.thousands) + number, market.sizeDecimals);
}

async function deed(day: Day): Promise<void> {
  const { chance, askers } = day;
  const asker = chance.pick(askers);
  const kind = chance.pick([
    "place",
    "place",
    "place",
    "market",
    "modify",
    "cancel",
    "twap",
    "trade",
    "untrade",
    "untrade",
    "close",
    "by_hand",
  ]);
  const market = chance.pick(kind === "twap" || kind === "close" ? MARKETS.slice(0, -1) : MARKETS);
  const side = chance.pick(["buy", "sell"] as const);
  const steps = chance.between(-5, 5) * market.apart;
  const isBuy = side === "buy";
  if (kind === "by_hand") {
    const size = decimalText(lots(day, market) + 1_000, market.sizeDecimals);
    return act(day, asker.account.ownerAddress, market, { isBuy, price: priced(market, steps), size, tif: "Gtc" });
  }
  const ask = wish(day, { kind, asker, market, side, steps });
  if (ask === null) return;
  const answer = await askSurely(day, ask, asker);
  const told = JSON.parse(answer.body) as { object?: string; id?: string };
  if (told.object === "order" && told.id !== undefined && (ask.kind === "place" || ask.kind === "close"))
    day.orders.push({ id: told.id, asker, market });
  if (told.object === "trade" && told.id !== undefined && ask.kind === "trade") day.trades.push({ id: told.id, asker });
}

type Wished = { kind: string; asker: Party; market: Market; side: "buy" | "sell"; steps: number };

function wish(day: Day, { kind, asker, market, side, steps }: Wished): Ask | null {
  const { chance } = day;
  const price = priced(market, steps);
  const own = day.orders.filter((order) => order.asker === asker);
  const about = { market: market.name, side };
  const size = () => newSize(day, { asker, market });
  switch (kind) {
    case "place": {
      const timeInForce = chance.pick(["gtc", "gtc", "ioc", "alo"] as const);
      return { kind, ...about, size: size(), price, timeInForce, trigger: null, reduceOnly: false };
    }
    case "market":
      return { kind, ...about, size: size(), reduceOnly: false, bps: 200 };
    case "twap":
      return { kind, ...about, size: size(), minutes: chance.between(5, 9) };
    case "close":
      return { kind, market: market.name, fraction: chance.pick(["1", "0.5"]), keepsTriggers: false };
    case "untrade": {
      const ofAsker = day.trades.filter((trade) => trade.asker === asker);
      return ofAsker.length === 0 ? null : { kind: "trade_cancel", id: chance.pick(ofAsker).id };
    }
    case "cancel":
      return own.length === 0 ? null : { kind, id: chance.pick(own).id };
    case "modify": {
      if (own.length === 0) return null;
      const { id, market: of } = chance.pick(own);
      const wanted = { price: priced(of, chance.between(-5, 5) * of.apart), size: null };
      return { kind, id, ...wanted, alwaysPlace: false };
    }
    case "trade": {
      const [btc] = MARKETS;
      const stopAt = STOPS_APART + day.wishes.length;
      const stop = String((btc?.middle ?? 0) + (side === "buy" ? -stopAt : stopAt));
      const at = priced(btc ?? market, steps);
      const terms = {
        side,
        size: newSize(day, { asker, market: btc ?? market }),
        price: at,
        timeInForce: "gtc",
      } as const;
      return { kind, market: "BTC", ...terms, stop, profit: null };
    }
    default:
      return null;
  }
}

/** Under one key until there is an answer that says what happened, whoever dies meanwhile. */
async function askSurely(day: Day, ask: Ask, asker: Party): Promise<Answered> {
  const { scene } = day;
  day.asked += 1;
  const key = `wish-${day.asked}-attribution`;
  for (let tries = 0; ; tries += 1) {
    const answer = await scene.tell(key, ask, asker);
    if (answer.status !== 503 && answer.status !== 202) return answer;
    if (tries === 5) return answer;
    await scene.pass(10_000);
  }
}

async function judge(day: Day, seed: number, before: ReturnType<Venue["account"]>): Promise<DayResult> {
  const { scene } = day;
  const user = scene.party.account.tradingAddress;
  const oids = new Map<number, Whose>();
  const ofTrades: { id: string; asker: Party }[] = [];
  for (const { id, asker } of day.trades) {
    const { stop_loss: stop } = await read<{ stop_loss: { order: string | null } }>(day, `/v1/trades/${id}`);
    if (stop.order !== null) ofTrades.push({ id: stop.order, asker });
  }
  for (const { id, asker } of [...day.orders, ...ofTrades]) {
    const shown = await read<{ exchange_order_id: string | null }>(day, `/v1/orders/${id}`);
    if (shown.exchange_order_id !== null) oids.set(Number(shown.exchange_order_id), asker.key.keyHash);
  }
  const known: Known = {
    ofOid: (oid) => oids.get(oid),
    ofRequest({ a, s, t }) {
      if (t !== undefined && "trigger" in t)
        return day.wishes[Math.abs(Number(t.trigger.triggerPx) - (MARKETS[0]?.middle ?? 0)) - STOPS_APART];
      const market = MARKETS.find(({ asset }) => asset === a);
      const [whole = "0", fraction = ""] = s.split(".");
      const number = Number(`${whole}${fraction.padEnd(market?.sizeDecimals ?? 0, "0")}`) % NUMBERS;
      return day.wishes[number];
    },
  };
  const books = readBooks(scene.venue, user, known);
  const told: Told = {
    lines: (await read<{ data: Line[] }>(day, "/v1/performance?group_by=market,key")).data,
    days: (await read<{ data: Line[] }>(day, "/v1/performance?group_by=day,market,key")).data,
    positions: (await read<{ positions: Position[] }>(day, "/v1/performance")).positions,
    fills: await readFills(day),
  };
  const coinOf = (name: string) => MARKETS.find((market) => market.name === name)?.coin ?? name;
  const first = new Map(books.whose.toReversed().map(({ fill: { coin, price } }) => [coin, price]));
  const worthBefore = worthOf({ ...scene.venue, account: () => before }, user, first);
  const findings = [
    ...auditAttribution({ venue: scene.venue, user, worthBefore, books, told, coinOf }),
    ...scene.errors,
  ];
  const owners = new Set(books.whose.map(({ whose }) => whose).filter((whose) => whose !== NOBODY)).size;
  return { seed, findings, fills: books.whose.length, payments: books.payments, owners };
}

async function read<Body>({ scene }: Day, path: string): Promise<Body> {
  const request = testRequest({ path, apiKey: scene.party.apiKey });
  const response = scene.process().gateway.server.handle(request, "10.0.0.1");
  const told: string[] = [];
  const heard = response.then(async (answer) => void told.push(await answer.text()));
  for (let waitedMs = 0; told.length === 0 && waitedMs < 20_000; waitedMs += 10) await scene.pass(10);
  await heard;
  // What the gateway's description promises of this path.
  return JSON.parse(told[0] ?? "null") as Body;
}

async function readFills(day: Day): Promise<Told["fills"]> {
  const fills: Told["fills"][number][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: { data: Told["fills"]; next_cursor: string | null } = await read(day, `/v1/fills?limit=500${query}`);
    fills.push(...page.data);
    cursor = page.next_cursor;
  }
  return fills;
}
