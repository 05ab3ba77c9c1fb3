/** Who has made what: the last days of the account, and today of each bot and key. */
import type { Performance } from "../api/resources.ts";
import { add } from "../figures/decimal.ts";
import type { App } from "./app.ts";
import { readInto } from "./read.ts";

/** Days that are shown, today among them. */
export const PROFIT_DAYS = 30;
const DAY_MS = 86_400_000;

export async function readPerformance(app: App): Promise<void> {
  const first = dayOf(app.nowMs(), PROFIT_DAYS - 1);
  const { byDay } = app.state.performance;
  await Promise.all([
    readInto<Performance, Performance>(app, byDay, `/v1/performance?group_by=day&since=${first}`, asItIs),
    readToday(app),
  ]);
}

/** Of each bot and key. */
export async function readToday(app: App): Promise<void> {
  const { today } = app.state.performance;
  const path = `/v1/performance?group_by=bot,key&since=${dayOf(app.nowMs())}`;
  await readInto<Performance, Performance>(app, today, path, asItIs);
}

function asItIs(body: Performance): Performance {
  return body;
}

export type Made = { fills: number; realized: string; fees: string; net: string };

type PerformanceLine = Performance["data"][number];

/** Of the lines of today those of one bot, or of a key without one; null while nothing was read, or nothing of today is booked. */
export function madeToday({ state: { performance } }: App, isOf: (line: PerformanceLine) => boolean): Made | null {
  const { value } = performance.today;
  if (value === null || value.total === null) return null;
  const none: Made = { fills: 0, realized: "0", fees: "0", net: "0" };
  return value.data.filter(isOf).reduce(
    (sum, { fills, realized_pnl: realized, fees, net_pnl: net }) => ({
      fills: sum.fills + fills,
      realized: add(sum.realized, realized),
      fees: add(sum.fees, fees),
      net: add(sum.net, net),
    }),
    none,
  );
}

/** `2026-11-21`, in UTC, by which the gateway counts; `ago` days before. */
function dayOf(nowMs: number, ago = 0): string {
  return new Date(nowMs - ago * DAY_MS).toISOString().slice(0, 10);
}
