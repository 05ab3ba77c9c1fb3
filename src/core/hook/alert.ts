/** What an alert may say. Strict: what two readers could understand differently is refused, and never acted on. */
import { type Decimal, isNegative, isZero, parseDecimal } from "../decimal.ts";
import type { Side, TimeInForce } from "../order.ts";
import type { Hook } from "./hook.ts";

export type OrderAlert = {
  kind: "order";
  market: string;
  side: Side;
  size: Decimal;
  /** Null: at the best price, within the slippage of the hook. */
  price: Decimal | null;
  timeInForce: TimeInForce;
  reduceOnly: boolean;
};

export type TargetAlert = {
  kind: "target";
  market: string;
  /** What the bot is to hold, below zero for short. */
  target: Decimal;
};

export type Alert = (OrderAlert | TargetAlert) & {
  /** Tells alerts apart that are alike in everything else; null where it says nothing. */
  id: string | null;
  /** Unix milliseconds; null where it says none. */
  atMs: number | null;
};

export type ParsedAlert = { kind: "alert"; alert: Alert } | { kind: "fault"; reason: string };

const MEMBERS: Record<Hook["mode"], readonly string[]> = {
  order: ["id", "time", "market", "side", "size", "price", "time_in_force", "reduce_only"],
  target: ["id", "time", "market", "target"],
};

/** Throws nothing; `value` is what strict JSON has made of a body. */
export function parseAlert(hook: Pick<Hook, "mode" | "market">, value: unknown): ParsedAlert {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fault("the alert must be an object");
  const allowed = MEMBERS[hook.mode];
  const members = new Map(Object.entries(value));
  const stray = [...members.keys()].find((name) => !allowed.includes(name));
  if (stray !== undefined) return fault(`the members of such an alert are ${allowed.join(", ")}, and no others`);
  const common = commonOf(hook, members);
  if (typeof common === "string") return fault(common);
  return hook.mode === "target" ? targetOf(members, common) : orderOf(members, common);
}

type Members = ReadonlyMap<string, unknown>;
type Common = Pick<Alert, "id" | "atMs" | "market">;

function fault(reason: string): ParsedAlert {
  return { kind: "fault", reason };
}

/** Or in words what is wrong. */
function commonOf(hook: Pick<Hook, "market">, members: Members): Common | string {
  const market = members.get("market") ?? hook.market;
  if (typeof market !== "string" || market === "" || market.length > MAX_TEXT) return "market must name a market";
  if (hook.market !== null && market !== hook.market) return `market must be ${hook.market}, which is the hook's`;
  const id = members.get("id") ?? null;
  if (id !== null && (typeof id !== "string" || id === "" || id.length > MAX_TEXT))
    return `id must be a text of 1 to ${MAX_TEXT} characters`;
  const time = members.get("time") ?? null;
  if (time === null) return { id, atMs: null, market };
  const atMs = typeof time === "string" ? timeOf(time) : null;
  return atMs === null ? "time must be ISO 8601 in UTC, such as 2026-11-23T09:30:00Z" : { id, atMs, market };
}

/** Characters of a name. */
const MAX_TEXT = 100;

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z$/;

function timeOf(text: string): number | null {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return null;
  // The 30th of February is no day, whatever a parser makes of it.
  return new Date(ms).toISOString().startsWith(text.slice(0, TO_THE_SECOND)) ? ms : null;
}

const TO_THE_SECOND = "2026-11-23T09:30:00".length;

function targetOf(members: Members, common: Common): ParsedAlert {
  const target = decimalOf(members.get("target"));
  if (target === null) return fault('target must be a decimal in quotes, such as "-0.5"');
  // Of two targets nobody could say which is the newer.
  if (common.atMs === null) return fault("time is required where an alert says what is to be held");
  return { kind: "alert", alert: { kind: "target", ...common, target } };
}

function orderOf(members: Members, common: Common): ParsedAlert {
  const side = members.get("side");
  if (side !== "buy" && side !== "sell") return fault("side must be buy or sell");
  const size = decimalOf(members.get("size"));
  if (size === null || isNegative(size) || isZero(size)) {
    return fault('size must be a decimal above zero in quotes, such as "0.5"');
  }
  const price = members.has("price") ? decimalOf(members.get("price")) : null;
  if (members.has("price") && (price === null || isNegative(price) || isZero(price))) {
    return fault('price must be a decimal above zero in quotes, such as "61000"');
  }
  const reduceOnly = members.get("reduce_only") ?? false;
  if (typeof reduceOnly !== "boolean") return fault("reduce_only must be true or false, without quotes");
  const timeInForce = members.get("time_in_force") ?? (price === null ? "ioc" : "gtc");
  if (timeInForce !== "gtc" && timeInForce !== "ioc" && timeInForce !== "alo") {
    return fault("time_in_force must be gtc, ioc or alo");
  }
  if (price === null && timeInForce !== "ioc") return fault("an order without a price executes at once or not at all");
  return { kind: "alert", alert: { kind: "order", ...common, side, size, price, timeInForce, reduceOnly } };
}

function decimalOf(value: unknown): Decimal | null {
  return typeof value === "string" && FIGURE.test(value) ? parseDecimal(value) : null;
}

/** As the rest of the interface takes it, below zero as well: a figure that is written in another form may have been meant as another. */
const FIGURE = /^-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?$/;
