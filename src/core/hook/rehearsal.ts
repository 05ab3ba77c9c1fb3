/** What alerts would have done, had they been carried out: by the rules alone, as if every order were filled at once. */
import { add, type Decimal, ZERO } from "../decimal.ts";
import { type Market, priceFault, sizeFault } from "../market.ts";
import { signedSize } from "../signed-size.ts";
import { type Alert, parseAlert } from "./alert.ts";
import type { Delivery, Hook } from "./hook.ts";
import { judgeAlert } from "./judged-alert.ts";
import { stepTowards } from "./target.ts";

/** `json`: its body, as strict JSON. */
export type Rehearsed = Pick<Delivery, "id" | "receivedAtMs" | "repeats"> & {
  json: { kind: "value"; value: unknown } | { kind: "fault"; reason: string };
};

export type Rehearsal = { id: number; receivedAtMs: number; repeats: number; market: string | null; outcome: string };

type HookTerms = Pick<Hook, "mode" | "market" | "maxAgeMs" | "sameWithinMs">;

/**
 * @param alerts in the order in which they came
 * @param markets by the names that alerts say; null where nobody knows them: then sizes and prices are held against nothing
 */
export function rehearse(
  terms: HookTerms,
  alerts: readonly Rehearsed[],
  markets: ReadonlyMap<string, Market> | null,
): Rehearsal[] {
  const held = new Map<string, Decimal>();
  const newestMs = new Map<string, number>();
  const seen = new Map<string, number>();
  return alerts.map((arrived) => {
    const { id, receivedAtMs, repeats } = arrived;
    const parsed = arrived.json.kind === "value" ? parseAlert(terms, arrived.json.value) : arrived.json;
    const market = parsed.kind === "alert" ? parsed.alert.market : null;
    const outcome =
      parsed.kind === "alert"
        ? outcomeOf(terms, { alert: parsed.alert, receivedAtMs }, { held, newestMs, seen, markets })
        : `refused: ${parsed.reason}`;
    return { id, receivedAtMs, repeats, market, outcome };
  });
}

type So = {
  held: Map<string, Decimal>;
  newestMs: Map<string, number>;
  seen: Map<string, number>;
  markets: ReadonlyMap<string, Market> | null;
};

/** The names of markets that these alerts say, each once. */
export function marketsSaid(terms: HookTerms, alerts: readonly Pick<Rehearsed, "json">[]): string[] {
  const parsed = alerts.flatMap(({ json }) => (json.kind === "value" ? [parseAlert(terms, json.value)] : []));
  return [...new Set(parsed.flatMap((one) => (one.kind === "alert" ? [one.alert.market] : [])))];
}

function outcomeOf(
  terms: HookTerms,
  { alert: said, receivedAtMs }: { alert: Alert; receivedAtMs: number },
  so: So,
): string {
  const alert = { ...said, market: so.markets?.get(said.market)?.name ?? said.market };
  const { market, atMs } = alert;
  const name = JSON.stringify(said);
  const before = so.seen.get(name);
  if (before !== undefined && (atMs !== null || receivedAtMs - before < terms.sameWithinMs)) return "the same again";
  so.seen.set(name, receivedAtMs);
  const newestMs = so.newestMs.get(market) ?? null;
  const { status, reason } = judgeAlert(terms, alert, { nowMs: receivedAtMs, newestMs });
  // What is refused has no say in which is the newest.
  if (atMs !== null && status !== "refused") so.newestMs.set(market, Math.max(atMs, newestMs ?? atMs));
  if (status !== "in_time") return `${status.replace("_", " ")}: ${reason}`;
  const rules = so.markets === null ? null : (so.markets.get(said.market) ?? null);
  if (so.markets !== null && rules === null) return `refused: There is no market ${said.market}.`;
  if (alert.kind === "target") return moved(alert, so.held, rules);
  const fault = marketFault(alert, rules);
  return fault === null ? orderWords(alert) : `refused: ${fault}`;
}

/** By the rules that the order would be held against; null as well where nobody knows them. */
function marketFault({ size, price }: { size: Decimal; price: Decimal | null }, market: Market | null): string | null {
  if (market === null) return null;
  return sizeFault(market, size, "Size") ?? (price === null ? null : priceFault(market, price, "Price"));
}

function orderWords({ side, size, price, timeInForce, reduceOnly }: Extract<Alert, { kind: "order" }>): string {
  const how = price === null ? "at the best price" : `at ${price} ${timeInForce}`;
  return `${side} ${size} ${how}${reduceOnly ? ", only to reduce" : ""}`;
}

function moved(
  { market, target }: Extract<Alert, { kind: "target" }>,
  held: Map<string, Decimal>,
  rules: Market | null,
): string {
  const orders: string[] = [];
  let net = held.get(market) ?? ZERO;
  let fault: string | null = null;
  for (let step = stepTowards(net, target); step !== null; step = stepTowards(net, target)) {
    fault = marketFault({ size: step.size, price: null }, rules);
    if (fault !== null) break;
    orders.push(`${step.side} ${step.size}${step.reduceOnly ? ", only to reduce" : ""}`);
    net = add(net, signedSize(step.side, step.size));
  }
  held.set(market, net);
  if (fault !== null) return [...orders, `refused: ${fault}`].join("; then ");
  return orders.length === 0
    ? `nothing: ${target} is held already`
    : `${orders.join("; then ")}; then ${target} is held`;
}
