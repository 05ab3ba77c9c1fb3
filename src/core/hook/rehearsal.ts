/** What alerts would have done, had they been carried out: by the rules alone, as if every order were filled at once. */
import { add, type Decimal, negate, ZERO } from "../decimal.ts";
import { type Alert, parseAlert } from "./alert.ts";
import type { Delivery, Hook } from "./hook.ts";
import { stepTowards } from "./target.ts";

/** `json`: its body, as strict JSON. */
export type Rehearsed = Pick<Delivery, "id" | "receivedAtMs" | "repeats"> & {
  json: { kind: "value"; value: unknown } | { kind: "fault"; reason: string };
};

export type Rehearsal = { id: number; receivedAtMs: number; repeats: number; market: string | null; outcome: string };

type HookTerms = Pick<Hook, "mode" | "market" | "maxAgeMs" | "sameWithinMs">;

/** @param alerts in the order in which they came */
export function rehearse(terms: HookTerms, alerts: readonly Rehearsed[]): Rehearsal[] {
  const held = new Map<string, Decimal>();
  const newestMs = new Map<string, number>();
  const seen = new Map<string, number>();
  return alerts.map((arrived) => {
    const { id, receivedAtMs, repeats } = arrived;
    const parsed = arrived.json.kind === "value" ? parseAlert(terms, arrived.json.value) : arrived.json;
    const market = parsed.kind === "alert" ? parsed.alert.market : null;
    const outcome =
      parsed.kind === "alert"
        ? outcomeOf(terms, { alert: parsed.alert, receivedAtMs }, { held, newestMs, seen })
        : `refused: ${parsed.reason}`;
    return { id, receivedAtMs, repeats, market, outcome };
  });
}

type So = { held: Map<string, Decimal>; newestMs: Map<string, number>; seen: Map<string, number> };

function outcomeOf(terms: HookTerms, { alert, receivedAtMs }: { alert: Alert; receivedAtMs: number }, so: So): string {
  const { market, atMs } = alert;
  const name = JSON.stringify(alert);
  const before = so.seen.get(name);
  if (before !== undefined && (atMs !== null || receivedAtMs - before < terms.sameWithinMs)) return "the same again";
  so.seen.set(name, receivedAtMs);
  const newest = so.newestMs.get(market);
  if (alert.kind === "target" && atMs !== null && newest !== undefined && atMs < newest)
    return "superseded: a newer one came first";
  if (atMs !== null && atMs + terms.maxAgeMs < receivedAtMs) return `too old: ${receivedAtMs - atMs} ms`;
  if (atMs !== null) so.newestMs.set(market, Math.max(atMs, newest ?? atMs));
  return alert.kind === "order" ? orderWords(alert) : moved(alert, so.held);
}

function orderWords({ side, size, price, timeInForce, reduceOnly }: Extract<Alert, { kind: "order" }>): string {
  const how = price === null ? "at the best price" : `at ${price} ${timeInForce}`;
  return `${side} ${size} ${how}${reduceOnly ? ", only to reduce" : ""}`;
}

function moved({ market, target }: Extract<Alert, { kind: "target" }>, held: Map<string, Decimal>): string {
  const orders: string[] = [];
  let net = held.get(market) ?? ZERO;
  for (let step = stepTowards(net, target); step !== null; step = stepTowards(net, target)) {
    orders.push(`${step.side} ${step.size}${step.reduceOnly ? ", only to reduce" : ""}`);
    net = add(net, step.side === "buy" ? step.size : negate(step.size));
  }
  held.set(market, net);
  return orders.length === 0
    ? `nothing: ${target} is held already`
    : `${orders.join("; then ")}; then ${target} is held`;
}
