/** Medians and the like; milliseconds and ratios, rounded where they are shown. */
import type { Loaded } from "./load.ts";

export type Spread = { min: number; median: number; max: number };

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("a percentile of nothing");
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function spreadOf(values: readonly number[]): Spread {
  return { min: round(Math.min(...values)), median: round(median(values)), max: round(Math.max(...values)) };
}

export function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

export type Figures = { p50Ms: number; p99Ms: number; perSecond: number };

export function figuresOf({ latenciesMs, elapsedMs }: Loaded): Figures {
  return {
    p50Ms: round(percentile(latenciesMs, 0.5)),
    p99Ms: round(percentile(latenciesMs, 0.99)),
    perSecond: Math.round((latenciesMs.length / elapsedMs) * 1_000),
  };
}

export function showSpread({ min, median: middle, max }: Spread): string {
  return `${middle.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}
