/** What the account was worth in all: as the gateway has noted it, and now. */
import type { Equity } from "../api/resources.ts";
import { type Total, totalOf } from "../figures/account-total.ts";
import type { App } from "./app.ts";
import { readInto } from "./read.ts";
import type { EquityPoint, State } from "./state.ts";

const DAY_MS = 86_400_000;
/** Rows of one answer: thirty days by the hour are more, and are drawn by the day. */
const MAX_ROWS = 500;
const RESOLUTIONS = { 1: "5m", 7: "1h", 30: "1d" } as const;

/** Null while what it is made of has not been read. */
export function accountTotal({ account, positions, markets, prices }: State): Total | null {
  if (account.value === null || markets.value === null || prices.value === null) return null;
  return totalOf({
    account: account.value,
    positions: positions.value,
    markets: markets.value,
    prices: prices.value,
  });
}

/** Of the chosen days. */
export async function readEquity(app: App): Promise<void> {
  const { equity, forms } = app.state;
  const since = encodeURIComponent(new Date(app.nowMs() - forms.equityDays * DAY_MS).toISOString());
  const path = `/v1/equity?resolution=${RESOLUTIONS[forms.equityDays]}&since=${since}&limit=${MAX_ROWS}`;
  await readInto<{ data: Equity[] }, EquityPoint[]>(app, equity, path, ({ data }) => samplesOf(data));
}

/** Oldest first: where the oldest row begins, and where each ends. */
export function samplesOf(newestFirst: readonly Equity[]): EquityPoint[] {
  const rows = newestFirst.toReversed();
  const [first] = rows;
  const begin = first === undefined ? [] : [{ atMs: Date.parse(first.from), equity: first.open }];
  return [...begin, ...rows.map(({ to, close }) => ({ atMs: Date.parse(to), equity: close }))];
}

/** Those of the chosen days, and what it is worth now. */
export function shownEquity(state: State): EquityPoint[] {
  const { account, equity, forms, nowMs } = state;
  const noted = (equity.value ?? []).filter(({ atMs }) => nowMs - atMs <= forms.equityDays * DAY_MS);
  const total = account.failure === null ? accountTotal(state) : null;
  const { readAtMs } = account;
  const isNews = total !== null && readAtMs !== null && readAtMs > (noted.at(-1)?.atMs ?? 0);
  return isNews ? [...noted, { atMs: readAtMs, equity: total.worth }] : noted;
}
