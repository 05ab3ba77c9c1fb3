/** What the account was worth in all, as this page saw it: samples are kept in the browser. */
import { type Total, totalOf } from "../figures/account-total.ts";
import type { App } from "./app.ts";
import type { EquitySample, State } from "./state.ts";

/** Samples kept for an account: those of a day, and of thirty. */
const MAX_SAMPLES = 3_000;
/** Milliseconds between samples of the last day, and between older ones. */
const SAMPLE_EVERY_MS = 60_000;
const OLDER_EVERY_MS = 30 * SAMPLE_EVERY_MS;
const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;

const STORE = "postern.total.";

export function restoreEquity(app: App, account: string): void {
  app.state.equity = parse(app.localStorage.getItem(STORE + account)).slice(-MAX_SAMPLES);
}

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

/** Every reading is drawn; one a minute is kept. */
export function sampleEquity(app: App): void {
  const { state } = app;
  const total = accountTotal(state);
  const { value, readAtMs, failure } = state.account;
  if (total === null || value === null || readAtMs === null || failure !== null) return;
  const sample = { atMs: readAtMs, equity: total.worth };
  const [last, before] = [state.equity.at(-1), state.equity.at(-2)];
  const isSoon = last !== undefined && before !== undefined && last.atMs - before.atMs < SAMPLE_EVERY_MS;
  const kept = isSoon ? state.equity.slice(0, -1) : state.equity;
  state.equity = (isSoon ? [...kept, sample] : thinned([...kept, sample], readAtMs)).slice(-MAX_SAMPLES);
  app.changed();
  if (isSoon) return;
  try {
    const samples = state.equity.map(({ atMs, equity }) => [atMs, equity]);
    app.localStorage.setItem(STORE + value.account, JSON.stringify(samples));
  } catch {
    // A browser that keeps nothing still draws what it saw since it was opened.
  }
}

/** One of each half hour where it is older than a day, and none that is older than thirty. */
export function thinned(samples: readonly EquitySample[], nowMs: number): EquitySample[] {
  let lastSlot = -1;
  return samples.filter(({ atMs }) => {
    if (nowMs - atMs > KEPT_MS) return false;
    if (nowMs - atMs <= DAY_MS) return true;
    const slot = Math.floor(atMs / OLDER_EVERY_MS);
    const isFirst = slot !== lastSlot;
    lastSlot = slot;
    return isFirst;
  });
}

/** Those of the chosen days. */
export function shownEquity({ equity, forms, nowMs }: State): EquitySample[] {
  return equity.filter(({ atMs }) => nowMs - atMs <= forms.equityDays * DAY_MS);
}

function parse(text: string | null): EquitySample[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.flatMap(sampleOf) : [];
  } catch {
    return [];
  }
}

function sampleOf(pair: unknown): EquitySample[] {
  if (!Array.isArray(pair)) return [];
  const [atMs, equity]: unknown[] = pair;
  return typeof atMs === "number" && typeof equity === "string" ? [{ atMs, equity }] : [];
}
