/** What each tool does: asks the gateway as any other client, and tells it in the one form that all results have. */
import { INTENT_LIFE_MS, type Intent, type Proposed } from "./intents.ts";
import { isObject, type ToolResult, type Tools } from "./json-rpc.ts";
import { codeOf, findPlaced, type Placed, place, type ToPlace } from "./place.ts";
import { isPlain, plain } from "./plain.ts";
import { toolsFor } from "./tools.ts";

export type Who = {
  readonly account: string;
  readonly network: string;
  readonly scopes: readonly unknown[];
  /** Null for a key without rails. */
  readonly bot: string | null;
};

export type ToServe = ToPlace & { readonly who: Who; random(): string };

type Given = Readonly<Record<string, unknown>>;
type Told = { readonly outcome: string; readonly note?: string; readonly result?: unknown };

export function openTools(deps: ToServe): Tools {
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: what was placed before counts for what comes after. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => null);
    return next;
  }
  async function call(name: string, given: Given): Promise<ToolResult> {
    const isOrdering = name === "place" || name === "propose_order";
    const told = isOrdering ? await inTurn(() => doAsked(deps, name, given)) : await doAsked(deps, name, given);
    return resultOf(deps, told);
  }
  return { listed: toolsFor(deps.who.scopes), call };
}

export function whoOf(body: Given): Who | null {
  const { account, network, scopes, limits } = body;
  if (typeof account !== "string" || typeof network !== "string" || !Array.isArray(scopes)) return null;
  const bot = isObject(limits) && typeof limits["bot"] === "string" ? limits["bot"] : null;
  return { account, network, scopes, bot };
}

const SETTLED = ["order", "ok", "proposed", "not_yet_placed", "stopping", "stopped"];

async function resultOf({ ask, who }: ToServe, told: Told): Promise<ToolResult> {
  const now = await ask({ method: "GET", path: "/v1/whoami" });
  const limits = now?.status === 200 ? now.body["limits"] : null;
  const headroom = isObject(limits) ? plain(limits["headroom"]) : null;
  const money = who.network === "paper" ? "paper" : "live";
  const { outcome, note, result } = told;
  const content = { network: who.network, money, bot: who.bot, headroom, outcome };
  return {
    isError: !SETTLED.includes(outcome),
    content: {
      ...content,
      ...(note === undefined ? {} : { note }),
      ...(result === undefined ? {} : { result: plain(result) }),
    },
  };
}

async function doAsked(deps: ToServe, name: string, given: Given): Promise<Told> {
  if (name === "propose_order") return propose(deps, given);
  if (name === "place") return tellPlaced(await place(deps, textOf(given, "intent")));
  if (name === "order" && given["intent"] !== undefined)
    return tellPlaced(await findPlaced(deps, textOf(given, "intent")));
  if (name === "cancel") return write(deps, `/v1/orders/${segment(given, "order")}/cancel`, {});
  if (name === "stop") return write(deps, "/v1/stop", { scope: given["scope"] ?? "bot" });
  const path = readingPath(name, given);
  const answer = await deps.ask({ method: "GET", path });
  if (answer === null) return { outcome: "not_reached", note: "The gateway did not answer; nothing was changed." };
  if (answer.status !== 200) return { outcome: codeOf(answer.body) ?? "not_reached" };
  return { outcome: "ok", result: answer.body };
}

function readingPath(name: string, given: Given): string {
  if (name === "limits") return "/v1/whoami";
  if (name === "market") return `/v1/markets/${segment(given, "market")}`;
  if (name === "order") return `/v1/orders/${segment(given, "order")}`;
  if (name === "fills") return "/v1/fills?limit=20";
  if (name !== "orders") return `/v1/${name}`;
  return given["market"] === undefined
    ? "/v1/orders?status=open"
    : `/v1/orders?status=open&market=${segment(given, "market")}`;
}

async function write({ ask, random }: ToServe, path: string, body: Given): Promise<Told> {
  const answer = await ask({ method: "POST", path, body, idempotencyKey: `mcp-${random()}` });
  if (answer === null) return { outcome: "unknown", note: "No answer came. This may be called again." };
  if (answer.status >= 300) return { outcome: codeOf(answer.body) ?? "unknown", note: "This may be called again." };
  const { status } = answer.body;
  return { outcome: path === "/v1/stop" && typeof status === "string" ? status : "ok", result: answer.body };
}

function propose(deps: ToServe, given: Given): Told {
  const order = proposedOf(given);
  if (typeof order === "string") return { outcome: "invalid", note: `${order} is missing or has another form.` };
  const nowMs = deps.nowMs();
  const same = given["again"] === true ? null : deps.intents.equal(order, nowMs);
  if (same !== null) {
    const note =
      "The same was just proposed: this is that intent, and placing it is one order. If a second order is meant, propose it with again: true.";
    return { outcome: "proposed", note, result: tellIntent(same, nowMs) };
  }
  const intent = deps.intents.keep({ nowMs, random: deps.random(), order });
  return { outcome: "proposed", note: `Nothing is placed yet. ${inWords(order)}`, result: tellIntent(intent, nowMs) };
}

function inWords({ side, size, market, price, reduce_only: reduceOnly, trigger }: Proposed): string {
  const whatFor = reduceOnly === true ? ", only to reduce" : "";
  const when = trigger === undefined ? "" : `, once the mark price reaches ${trigger.price} (${trigger.kind})`;
  return `${side} ${size} ${market} at ${price} or better${whatFor}${when}.`;
}

function tellIntent({ id, order, proposedAtMs, isSent }: Intent, nowMs: number) {
  return {
    intent: id,
    order,
    worst_price: order.price,
    was_placed: isSent,
    expires_in_s: Math.max(0, Math.ceil((proposedAtMs + INTENT_LIFE_MS - nowMs) / MS_PER_S)),
  };
}

const MS_PER_S = 1000;
const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;
const TIMES_IN_FORCE: readonly unknown[] = ["gtc", "ioc", "alo"];
const TRIGGERS: readonly unknown[] = ["stop_loss", "take_profit"];
const KNOWN = ["market", "side", "size", "price", "time_in_force", "reduce_only", "trigger", "again"];

/** The name of what does not fit, or the order: what a client leaves unchecked is checked here. */
function proposedOf(given: Given): Proposed | string {
  const { market, side, size, price, time_in_force: timeInForce, reduce_only: reduceOnly, trigger } = given;
  const strange = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return isPlain(strange) ? strange : "a member";
  if (typeof market !== "string" || market === "" || !isPlain(market)) return "market";
  if (side !== "buy" && side !== "sell") return "side";
  if (typeof size !== "string" || !DECIMAL.test(size)) return "size";
  if (typeof price !== "string" || !DECIMAL.test(price)) return "price";
  if (timeInForce !== undefined && !TIMES_IN_FORCE.includes(timeInForce)) return "time_in_force";
  if (reduceOnly !== undefined && typeof reduceOnly !== "boolean") return "reduce_only";
  if (trigger !== undefined && (!isTrigger(trigger) || timeInForce !== undefined)) return "trigger";
  return {
    market,
    side,
    size,
    price,
    ...(timeInForce === undefined ? {} : { time_in_force: String(timeInForce) }),
    ...(reduceOnly === undefined ? {} : { reduce_only: reduceOnly }),
    ...(trigger === undefined ? {} : { trigger: { price: trigger.price, kind: trigger.kind, market: true } }),
  };
}

function isTrigger(value: unknown): value is { kind: string; price: string } {
  if (!isObject(value)) return false;
  const { kind, price } = value;
  return TRIGGERS.includes(kind) && typeof price === "string" && DECIMAL.test(price);
}

const NOTES: Readonly<Record<Placed["outcome"], string | null>> = {
  order: null,
  unknown: "It may have been placed. Do not place it again under a new intent; ask `order` with this intent.",
  no_such_intent: "There is no such intent. Nothing was placed by this.",
  not_yet_placed: "Nothing was placed from this intent yet.",
  not_placed: "Nothing was placed from this intent, and nothing will be.",
  not_reached: "The gateway could not be asked whether orders are unsettled. Nothing was placed by this.",
  unsettled:
    "An order in this market is not settled yet, so nothing was placed. Ask `order` about it, then place this.",
  refused: "The gateway has refused it. Nothing was placed.",
};

const REJECTED =
  "The exchange takes no such order; nothing was executed. Hold size and price against the rules that `market` tells.";

function tellPlaced(placed: Placed): Told {
  const note = NOTES[placed.outcome];
  const noted = note === null ? {} : { note };
  if (placed.outcome === "refused") return { outcome: placed.code, ...noted };
  if (placed.outcome === "unsettled") return { outcome: placed.outcome, ...noted, result: placed.orders };
  if (placed.outcome !== "order") return { outcome: placed.outcome, ...noted };
  const { order } = placed;
  if (order["status"] === "unknown") return { outcome: "unknown", note: NOTES.unknown ?? "", result: order };
  if (order["status"] === "rejected") return { outcome: "rejected", note: REJECTED, result: order };
  return { outcome: "order", result: order };
}

function textOf(given: Given, name: string): string {
  const value = given[name];
  return typeof value === "string" ? value : "";
}

/** One segment of a path, whatever stands in it: two dots would be another path. */
function segment(given: Given, name: string): string {
  const text = textOf(given, name);
  return /^\.*$/.test(text) ? "_" : encodeURIComponent(text);
}
