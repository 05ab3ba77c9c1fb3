import { isFull, type Level, type Rate } from "../core/rate.ts";

/** Buckets of one rate that somebody has drawn on, by name. */
export type Levels = {
  get(name: string): Level | null;
  set(name: string, level: Level): void;
  /** Forgets the buckets that are full again, which is no loss: one that was never drawn on is full. Nothing else is. */
  forgetFull(nowMs: number): void;
  readonly size: number;
};

export function openLevels(rate: Rate): Levels {
  const levels = new Map<string, Level>();
  return {
    get: (name) => levels.get(name) ?? null,
    set: (name, level) => void levels.set(name, level),
    forgetFull(nowMs) {
      for (const [name, level] of levels) if (isFull(rate, level, nowMs)) levels.delete(name);
    },
    get size() {
      return levels.size;
    },
  };
}
