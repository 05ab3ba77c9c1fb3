import type { Use } from "./exchange.ts";

/** Of all, of reads, of what places orders, of what makes positions smaller, and of whoever was asked for. */
export type Sum = { all: number; reads: number; orders: number; reductions: number; own: number };

/** What was spent in each second that still counts, and on whose behalf. Seconds are whole and elapsed. */
export type SpentWeight = {
  /** In this second and those before it that count. With `inS`: as it will be then, where nothing but what goes on by itself goes on. */
  sum(second: number, name: string, inS?: number): Sum;
  /** Less than nothing gives back. */
  book(second: number, entry: { name: string; isRead: boolean; weight: number }): void;
  /** Of one second alone. */
  of(second: number, name: string): number;
  /** Of one name in the newest half of these seconds. With `inS`: of what has been spent by now, as it will be then. */
  lately(second: number, name: string, inS?: number): number;
};

/**
 * Seconds that count: the current one, of which only a part is over, and 60 whole ones, so that no 60 s anywhere
 * hold more than the limit, whichever way the exchange cuts its minutes.
 */
export const WINDOW_S = 61;

/** What goes on by itself, minute after minute. */
const REPEATED: readonly string[] = ["settle", "read", "catch_up"] satisfies Use[];

/** `by`: of each use that is no read, and of each reader. */
type Spent = { all: number; reads: number; by: Map<string, number> };

export function createSpentWeight(): SpentWeight {
  const bySecond = new Map<number, Spent>();

  function forget(second: number): void {
    for (const at of bySecond.keys()) if (second - at >= WINDOW_S) bySecond.delete(at);
  }

  return {
    sum(second, name, inS = 0) {
      const sum = { all: 0, reads: 0, orders: 0, reductions: 0, own: 0 };
      for (const [at, spent] of bySecond) {
        if (second - at >= WINDOW_S) continue;
        if (second + inS - at < WINDOW_S) add(sum, spent, name);
        else if (!REPEATED.includes(name)) addRepeated(sum, spent);
      }
      return sum;
    },
    book(second, { name, isRead, weight }) {
      if (weight > 0) forget(second);
      const spent = bySecond.get(second) ?? { all: 0, reads: 0, by: new Map<string, number>() };
      spent.all += weight;
      if (isRead) spent.reads += weight;
      spent.by.set(name, (spent.by.get(name) ?? 0) + weight);
      bySecond.set(second, spent);
    },
    of: (second, name) => bySecond.get(second)?.by.get(name) ?? 0,
    lately(second, name, inS = 0) {
      let spent = 0;
      for (const [at, { by }] of bySecond) if (second + inS - at < WINDOW_S / 2) spent += by.get(name) ?? 0;
      return spent;
    },
  };
}

function add(sum: Sum, { all, reads, by }: Spent, name: string): void {
  sum.all += all;
  sum.reads += reads;
  sum.orders += by.get("order" satisfies Use) ?? 0;
  sum.reductions += by.get("reduce" satisfies Use) ?? 0;
  sum.own += by.get(name) ?? 0;
}

/** What has spent it by then is over, and spends it again. */
function addRepeated(sum: Sum, { by }: Spent): void {
  for (const use of REPEATED) sum.all += by.get(use) ?? 0;
  sum.reads += by.get("read") ?? 0;
}
