/** Candles of the market in the order form: read when the screen, the market or the interval changes, and once a minute. */
import type { Static } from "@sinclair/typebox";
import type { CandleResource } from "../../http/schema/market.ts";
import { request } from "../api/request.ts";
import type { List } from "../api/resources.ts";
import type { App } from "./app.ts";

export type ApiCandle = Static<typeof CandleResource>;

/** Offered here; the interface has more. */
export const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;
export type Interval = (typeof INTERVALS)[number];

export type Candles = {
  market: string;
  interval: Interval;
  /** Oldest first. */
  rows: readonly ApiCandle[];
  readAtMs: number | null;
  isReading: boolean;
  failure: string | null;
};

/** Candles of one chart. */
const SHOWN = 150;
/** Milliseconds between two readings: each costs weight at the exchange. */
const EVERY_MS = 60_000;

export function chooseInterval(app: App, interval: Interval): void {
  app.state.forms.interval = interval;
  beginCandles(app);
  app.changed();
}

/** Reads them where the page shows others, or has not read them for a minute. */
export function beginCandles(app: App): void {
  const { watched, forms, candles } = app.state;
  if (watched === null) return;
  const isSame = candles?.market === watched.market && candles.interval === forms.interval;
  if (isSame && (candles.isReading || app.nowMs() - (candles.readAtMs ?? 0) < EVERY_MS)) return;
  const mine: Candles = isSame
    ? candles
    : { market: watched.market, interval: forms.interval, rows: [], readAtMs: null, isReading: false, failure: null };
  app.state.candles = mine;
  void read(app, mine);
}

async function read(app: App, mine: Candles): Promise<void> {
  const { session } = app.state;
  if (session === null) return;
  mine.isReading = true;
  const path = `/v1/markets/${encodeURIComponent(mine.market)}/candles?interval=${mine.interval}&limit=${SHOWN}`;
  const answer = await request<List<ApiCandle>>({ method: "GET", path, bearer: session.apiKey });
  // A failure waits for its minute as well.
  Object.assign(mine, { isReading: false, readAtMs: app.nowMs() });
  if (answer.kind === "ok") Object.assign(mine, { rows: answer.body.data.toReversed(), failure: null });
  else mine.failure = answer.message;
  app.changed();
}
