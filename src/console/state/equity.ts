/** Equity as this page saw it: the interface has no history of it, so samples are kept in the browser. */
import type { App } from "./app.ts";
import type { EquitySample } from "./state.ts";

/** Samples kept for an account. */
const MAX_SAMPLES = 2_000;
/** Milliseconds between samples that are kept: two days of an open page. */
const SAMPLE_EVERY_MS = 60_000;

const STORE = "postern.equity.";

export function restoreEquity(app: App, account: string): void {
  app.state.equity = parse(app.localStorage.getItem(STORE + account)).slice(-MAX_SAMPLES);
}

/** Every reading is drawn; one a minute is kept. */
export function sampleEquity(app: App, sample: EquitySample): void {
  const { state } = app;
  const [last, before] = [state.equity.at(-1), state.equity.at(-2)];
  const isSoon = last !== undefined && before !== undefined && last.atMs - before.atMs < SAMPLE_EVERY_MS;
  const kept = isSoon ? state.equity.slice(0, -1) : state.equity;
  state.equity = [...kept, sample].slice(-MAX_SAMPLES);
  const account = state.account.value?.account;
  if (account === undefined || isSoon) return;
  try {
    app.localStorage.setItem(STORE + account, JSON.stringify(state.equity.map(({ atMs, equity }) => [atMs, equity])));
  } catch {
    // A browser that keeps nothing still draws what it saw since it was opened.
  }
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
