import type { InfoRequest, SendOutcome } from "../../src/exchange/exchange.ts";
import { type ScriptedAnswer, unanswered } from "./scripted-exchange.ts";

/** An exchange small enough to be read at one go: one market, orders that do what the test says, nonces, an expiry. */
export type SmallVenue = {
  /** Executes a signed body as the exchange would and gives its answer. */
  take(body: string): SendOutcome;
  infos: Readonly<Record<string, ScriptedAnswer>>;
  /** Oldest first. */
  orders: BookOrder[];
  /** What becomes of the next order placed; resting when nothing is said. */
  fates: Fate[];
  /** Reads that fail from now on, by type. */
  failing: Set<string>;
  /** While true, look-ups by id say that there is no such order: a node that lags. */
  isBlind: boolean;
  /** Time that the state has reached; the clock's while null. */
  stuckAtMs: number | null;
  /** Records of other orders that the history holds besides. */
  history: unknown[];
  /** What the account holds on spot. */
  balances: { coin: string; token: number; total: string; hold: string; entryNtl: string }[];
  fill(order: BookOrder, size: string): void;
  close(order: BookOrder, status: string): void;
};

export type BookOrder = {
  oid: number;
  cloid: string;
  isBuy: boolean;
  price: string;
  size: string;
  tif: string;
  reduceOnly: boolean;
  isTrigger: boolean;
  status: string;
  placedAtMs: number;
  statusAtMs: number;
  fills: { size: string; atMs: number; tid: number; isShown: boolean }[];
};

export type Fate =
  | { kind: "rests" }
  | { kind: "fills"; size: string; status: string; totalSize?: string }
  | { kind: "refused"; text: string }
  | { kind: "answers"; json: unknown };

type Signed = { nonce: number; expiresAfter: number; action: WireAction };
type WireAction =
  | { type: "noop" }
  | { type: "order"; orders: PlacedOrder[] }
  | { type: "cancel"; cancels: { o: number }[] }
  | { type: "cancelByCloid"; cancels: { cloid: string }[] };
type PlacedOrder = { b: boolean; p: string; s: string; r: boolean; c: string; t: { limit?: { tif: string } } };

const NEVER_PLACED = { error: "Order was never placed, already canceled, or filled. asset=0" };

export function smallVenue(nowMs: () => number): SmallVenue {
  const usedNonces = new Set<number>();
  let ids = 1_000;
  function nextId(): number {
    ids += 1;
    return ids;
  }
  const chainTimeMs = () => venue.stuckAtMs ?? nowMs();

  function place(placed: PlacedOrder): unknown {
    const fate = venue.fates.shift() ?? { kind: "rests" };
    if (fate.kind === "refused") return { error: fate.text };
    if (fate.kind === "answers") return fate.json;
    const order: BookOrder = {
      oid: nextId(),
      cloid: placed.c,
      isBuy: placed.b,
      price: placed.p,
      size: placed.s,
      tif: placed.t.limit?.tif ?? "Gtc",
      reduceOnly: placed.r,
      isTrigger: placed.t.limit === undefined,
      status: "open",
      placedAtMs: nowMs(),
      statusAtMs: nowMs(),
      fills: [],
    };
    venue.orders.push(order);
    const { oid, cloid } = order;
    if (fate.kind === "rests") return { resting: { oid, cloid } };
    venue.fill(order, fate.size);
    if (fate.status !== "open") venue.close(order, fate.status);
    return { filled: { oid, cloid, totalSz: fate.totalSize ?? fate.size, avgPx: order.price } };
  }

  function cancel(order: BookOrder | undefined): unknown {
    if (order === undefined || order.status !== "open") return NEVER_PLACED;
    venue.close(order, "canceled");
    return "success";
  }

  function execute(action: WireAction): unknown {
    if (action.type === "noop") return { type: "default" };
    if (action.type === "order") return { type: "order", data: { statuses: action.orders.map(place) } };
    const found =
      action.type === "cancel"
        ? action.cancels.map(({ o }) => venue.orders.find(({ oid }) => oid === o))
        : action.cancels.map(({ cloid }) => venue.orders.findLast((order) => order.cloid === cloid));
    return { type: "cancel", data: { statuses: found.map(cancel) } };
  }

  const venue: SmallVenue = {
    orders: [],
    fates: [],
    failing: new Set(),
    isBlind: false,
    stuckAtMs: null,
    history: [],
    balances: [],
    infos: {},
    take(body) {
      // The gateway signs nothing else in these tests, and what it signs has this form.
      const { nonce, expiresAfter, action } = JSON.parse(body) as Signed;
      if (nowMs() > expiresAfter) return answered({ status: "err", response: "Action already expired" });
      if (usedNonces.has(nonce)) {
        return answered({ status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` });
      }
      usedNonces.add(nonce);
      return answered({ status: "ok", response: execute(action) });
    },
    fill(order, size) {
      order.fills.push({ size, atMs: nowMs(), tid: nextId(), isShown: true });
    },
    close(order, status) {
      order.status = status;
      order.statusAtMs = nowMs();
    },
  };

  const read = (type: string, answer: ScriptedAnswer): [string, ScriptedAnswer] => [
    type,
    (request) => (venue.failing.has(type) ? unanswered("the test lets it fail") : answer(request)),
  ];
  venue.infos = Object.fromEntries([
    read("clearinghouseState", () => accountState(venue.orders, chainTimeMs())),
    read("spotClearinghouseState", () => ({ balances: venue.balances })),
    read("exchangeStatus", () => ({ time: chainTimeMs() })),
    read("orderStatus", ({ oid }: InfoRequest) => {
      const order = venue.isBlind ? undefined : venue.orders.findLast((each) => each.oid === oid || each.cloid === oid);
      return order === undefined ? { status: "unknownOid" } : { status: "order", order: recordOf(order) };
    }),
    read("frontendOpenOrders", ({ dex }: InfoRequest) =>
      dex === "" ? venue.orders.filter(({ status }) => status === "open").map(orderOf) : [],
    ),
    read("historicalOrders", () => [...venue.history, ...venue.orders.map(recordOf)]),
    read("userFillsByTime", ({ startTime }: InfoRequest) =>
      venue.orders.flatMap(fillsOf).filter(({ time }) => time >= Number(startTime)),
    ),
  ]);
  return venue;
}

/** Positions move with the fills, whatever the list of fills shows. */
function accountState(orders: readonly BookOrder[], time: number): unknown {
  const fills = orders.flatMap((order) => order.fills.map(({ size }) => (order.isBuy ? 1 : -1) * Number(size) * 1e5));
  const size = Math.round(fills.reduce((sum, each) => sum + each, 0)) / 1e5;
  const summary = { accountValue: "1000.0", totalNtlPos: "0.0", totalRawUsd: "1000.0", totalMarginUsed: "0.0" };
  const position = {
    coin: "BTC",
    szi: String(size),
    entryPx: "100.0",
    positionValue: "0.0",
    unrealizedPnl: "0.0",
    returnOnEquity: "0.0",
    liquidationPx: null,
    marginUsed: "0.0",
    maxLeverage: 40,
    leverage: { type: "cross", value: 20 },
    cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: "0.0",
    assetPositions: size === 0 ? [] : [{ type: "oneWay", position }],
    time,
  };
}

export function answered(json: unknown): SendOutcome {
  return { kind: "answered", httpStatus: 200, body: JSON.stringify(json) };
}

export function recordOf(order: BookOrder): unknown {
  return { order: orderOf(order), status: order.status, statusTimestamp: order.statusAtMs };
}

function orderOf(order: BookOrder): unknown {
  const filled = order.fills.reduce((sum, { size }) => sum + Math.round(Number(size) * 1e5), 0);
  const left = Math.round(Number(order.size) * 1e5) - filled;
  return {
    coin: "BTC",
    side: order.isBuy ? "B" : "A",
    limitPx: order.price,
    sz: String((order.status === "filled" ? 0 : left) / 1e5),
    oid: order.oid,
    timestamp: order.placedAtMs,
    triggerCondition: "N/A",
    isTrigger: order.isTrigger,
    triggerPx: "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.reduceOnly,
    orderType: order.isTrigger ? "Stop Market" : "Limit",
    origSz: order.size,
    tif: order.isTrigger ? null : order.tif,
    cloid: order.cloid,
  };
}

export function fillsOf(order: BookOrder): { time: number }[] {
  return order.fills
    .filter(({ isShown }) => isShown)
    .map(({ size, atMs, tid }) => ({
      coin: "BTC",
      px: order.price,
      sz: size,
      side: order.isBuy ? "B" : "A",
      time: atMs,
      startPosition: "0.0",
      dir: "Open Long",
      closedPnl: "0.0",
      hash: `0x${"00".repeat(32)}`,
      oid: order.oid,
      crossed: false,
      fee: "0.01",
      feeToken: "USDC",
      tid,
      cloid: order.cloid,
    }));
}
