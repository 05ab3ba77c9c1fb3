import type { Trigger } from "../core/order.ts";
import type { legs } from "./schema.ts";

/** How a trigger stands in a row: three columns, all null where there is none. */
export type TriggerColumns = Pick<typeof legs.$inferSelect, "triggerPrice" | "triggerKind" | "triggerMarket">;

export function toTrigger({ triggerPrice, triggerKind, triggerMarket }: TriggerColumns): Trigger | null {
  if (triggerPrice === null || triggerKind === null) return null;
  return { price: triggerPrice, kind: triggerKind, market: triggerMarket ?? false };
}

export function triggerColumns(trigger: Trigger | null): TriggerColumns {
  return {
    triggerPrice: trigger?.price ?? null,
    triggerKind: trigger?.kind ?? null,
    triggerMarket: trigger?.market ?? null,
  };
}
