import type { Deps, With } from "../../src/deps.ts";

/** An index of fills whose list is read to its end as soon as somebody asks for it; what is in it a test stores by itself. */
export function readWhenAsked({ exchange }: With<"exchange">, fromMs: number | null): Deps["fillIndex"] {
  let readToMs = fromMs;
  return {
    readToMs: () => readToMs,
    readSoon() {
      readToMs = exchange.nowMs();
    },
  };
}
