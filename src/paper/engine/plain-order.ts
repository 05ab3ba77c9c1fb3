import type { Order } from "./state.ts";

/** What a plain limit has of its own that no one asked for: no trigger, no kin, no builder, and nothing to wait for. */
export function plainOrder() {
  return {
    trigger: null,
    isTriggered: false,
    isPositionTpsl: false,
    cloid: null,
    phase: "resting",
    parentOid: null,
    childOids: [],
    siblingOids: [],
    builder: null,
    tracksPosition: false,
    awaitsPosition: false,
  } satisfies Partial<Order>;
}
