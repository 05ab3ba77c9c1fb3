/** One alert becomes orders: by the verbs that requests take, under the same gate, each under a name of its own. */
import { type Decimal, ZERO } from "../../core/decimal.ts";
import { ApiError } from "../../core/errors.ts";
import { type Alert, parseAlert } from "../../core/hook/alert.ts";
import {
  carriedOutUntilMs,
  type Delivery,
  type DeliveryStatus,
  type Hook,
  nameOfAlertOrder,
} from "../../core/hook/hook.ts";
import { type Came, isSameByExchange } from "../../core/hook/same-again.ts";
import { stepTowards, type TargetStep } from "../../core/hook/target.ts";
import { keyOfBot } from "../../core/idempotency.ts";
import { canonicalName, isSpot } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { listBotNets } from "../../store/bots.ts";
import { findOrderedBefore, isHeldBack } from "../../store/hook-deliveries.ts";
import { findKeyRecord } from "../../store/idempotency.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { listUnprovenTwaps } from "../../store/unproven-twaps.ts";
import type { Caller } from "../../write/caller.ts";
import { fingerprint } from "../../write/fingerprint.ts";
import { hasOpenOutcome } from "../../write/one-outcome.ts";
import { placeMarketOrder } from "../place-market-order.ts";
import { placeOrder, type ToPlaceOrder } from "../place-order.ts";
import { type HookKey, hookKey } from "./hook-key.ts";

/** `waits`: it is tried again a little later. */
export type Tried =
  | { kind: "waits"; steps: number; orderId: string | null }
  | { kind: "ended"; status: DeliveryStatus; reason: string | null; steps: number; orderId: string | null };

/** Orders for one alert, at most. */
const MAX_STEPS = 10;

/** What stands in the way of a first attempt may pass; none of these has sent anything. */
const PASSING: ReadonlySet<string> = new Set([
  "not_ready",
  "draining",
  "idempotency_in_progress",
  "rate_limited",
  "exchange_rate_limited",
  "exchange_unreachable",
  "storage_unavailable",
  "rails_unproven",
  "book_stale",
  "no_price_within_bounds",
]);

/** One try. What has been done already is found under its name, after a crash too, and never done again. */
export async function carryOut(deps: ToPlaceOrder, hook: Hook, delivery: Delivery): Promise<Tried> {
  const alert = alertOf(hook, delivery);
  const acting = hookKey(deps.store, hook);
  const done = placedFor(deps, { hook, delivery, bot: acting?.bot ?? null });
  const ended = (status: DeliveryStatus, reason: string | null): Tried => ({
    ...made(done),
    kind: "ended",
    status,
    reason,
  });
  if (alert === null) return ended("refused", "it cannot be read any more");
  if (acting === null) return ended("refused", "the key of this hook may not act: see postern key list");
  const trying: Trying = { hook, delivery, acting, done, ended };
  if (hook.state !== "active") return ended("refused", hook.state === "held" ? ON_HOLD : "the hook was revoked");
  return alert.kind === "order" ? placeOnce(deps, trying, alert) : moveTo(deps, trying, alert.target);
}

const ON_HOLD = "the hook is on hold since the restore of a backup: see postern hook list";

type Trying = {
  hook: Hook;
  delivery: Delivery;
  acting: HookKey;
  done: readonly StoredOrder[];
  ended(status: DeliveryStatus, reason: string | null): Tried;
};

function alertOf(hook: Hook, { body }: Delivery): Alert | null {
  // It was read by the same rules when it came.
  const parsed = parseAlert(hook, JSON.parse(body));
  return parsed.kind === "alert" ? parsed.alert : null;
}

function made(done: readonly StoredOrder[]): { steps: number; orderId: string | null } {
  return { steps: done.length, orderId: done.at(-1)?.id ?? null };
}

/** Its orders, the oldest first. */
function placedFor(
  { store }: With<"store">,
  { hook, delivery, bot }: { hook: Hook; delivery: Delivery; bot: string | null },
): StoredOrder[] {
  const found: StoredOrder[] = [];
  for (let step = 1; step <= MAX_STEPS; step += 1) {
    const record = findKeyRecord(store, hook.accountId, keyOfBot(bot, nameOfAlertOrder(hook, delivery, step)));
    const order = record === null ? null : findOrder(store, record.resource.id);
    if (order === null) break;
    found.push(order);
  }
  return found;
}

/** An alert that is one order. */
async function placeOnce(deps: ToPlaceOrder, trying: Trying, alert: Extract<Alert, { kind: "order" }>): Promise<Tried> {
  const { delivery, done, ended, hook } = trying;
  const [order] = done;
  if (order !== undefined) return ended("done", order.error);
  if (isTooOld(deps, hook, delivery)) return ended("too_old", tooOld(delivery));
  const before = orderedAlready(deps, hook, delivery);
  if (before !== null) return ended("refused", `it is alert ${before.id} again, by the exchange's clock: ours was set`);
  return sending(trying, 1, async (named) => {
    const { market, side, size, price, timeInForce, reduceOnly } = alert;
    if (price === null) {
      const { maxSlippageBps } = hook;
      return placeMarketOrder(deps, callerOf(deps, trying), {
        ...named,
        market,
        side,
        size,
        reduceOnly,
        maxSlippageBps,
      });
    }
    const terms = { market, side, size, price, timeInForce, reduceOnly, trigger: null };
    return placeOrder(deps, callerOf(deps, trying), { ...named, ...terms });
  });
}

/** An alert that says what is to be held: orders one after the other, each when the outcome of the one before is known. */
async function moveTo(deps: ToPlaceOrder, trying: Trying, target: Decimal): Promise<Tried> {
  const { hook, delivery, acting, done, ended } = trying;
  const { accountId } = hook;
  const { bot } = acting;
  const universe = deps.markets.current();
  // By another name of the market nothing would ever be held.
  if (universe === null) return { ...made(done), kind: "waits" };
  const market = canonicalName(universe, delivery.market ?? "");
  const isLate = isTooOld(deps, hook, delivery);
  if (awaitsTakeUp(deps.store, accountId)) {
    return isLate ? ended("too_old", "what is held is not known after a restore") : { ...made(done), kind: "waits" };
  }
  if (hasOpenOutcome(deps.store, { accountId, bot, market })) {
    return isLate ? ended("too_old", "the outcome of an order there is not known") : { ...made(done), kind: "waits" };
  }
  const step = stepTowards(listBotNets(deps.store, accountId, bot).get(market) ?? ZERO, target);
  // Neither that it is held nor that it has to be bought is said by books of which nobody knows whether they have all of it.
  if (step?.reduceOnly !== true && listUnprovenTwaps(deps.store, { accountId, bot }).has(market))
    return ended(
      "refused",
      `position_unproven: a TWAP in ${market} of after the restored backup may have been this bot's`,
    );
  if (step === null) return ended("done", null);
  if (isLate) return ended("too_old", tooOld(delivery));
  const last = done.at(-1);
  if (last?.status === "rejected") return ended("refused", last.error);
  if (done.length >= MAX_STEPS) return ended("done", `${MAX_STEPS} orders did not fill all of it`);
  return sending(trying, done.length + 1, (named) => sendStep(deps, trying, { named, market, step }));
}

type Sent = { named: NamedStep; market: string; step: TargetStep };

function sendStep(deps: ToPlaceOrder, trying: Trying, { named, market, step }: Sent) {
  const { maxSlippageBps } = trying.hook;
  // The exchange knows no such thing on spot.
  const reduceOnly = step.reduceOnly && !isSpot(market);
  const terms = { market, side: step.side, size: step.size, reduceOnly, maxSlippageBps };
  return placeMarketOrder(deps, callerOf(deps, trying), { ...named, ...terms });
}

type NamedStep = { idempotencyKey: string; fingerprint: string; accountId: string };

/** Under the name of this step; what may pass is waited for. */
async function sending(
  trying: Trying,
  step: number,
  send: (named: NamedStep) => Promise<{ body: string }>,
): Promise<Tried> {
  const { hook, delivery, acting, ended } = trying;
  const name = nameOfAlertOrder(hook, delivery, step);
  const named: NamedStep = {
    accountId: hook.accountId,
    idempotencyKey: keyOfBot(acting.bot, name),
    fingerprint: fingerprint("hook", null, { name }),
  };
  try {
    await send(named);
    return { kind: "waits", steps: step, orderId: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return PASSING.has(error.code)
      ? { ...made(trying.done), kind: "waits" }
      : ended("refused", `${error.code}: ${error.message}`);
  }
}

function callerOf(deps: ToPlaceOrder, { hook, delivery, acting }: Trying): Caller {
  const account = findAccount(deps.store, hook.accountId);
  if (account === null) throw new Error("bug: a hook without its account");
  return {
    account,
    key: acting.key,
    reader: { reader: `hook ${acting.key.keyHash}` },
    charge: () => undefined,
    unattended: {
      untilMs: carriedOutUntilMs(hook, delivery),
      wasStopped: () => isHeldBack(deps.store, delivery.id),
    },
  };
}

function isTooOld({ clock }: With<"clock">, hook: Hook, delivery: Delivery): boolean {
  return clock.nowMs() > carriedOutUntilMs(hook, delivery);
}

function tooOld({ steps }: Delivery): string {
  return steps === 0 ? "nothing could be sent in its time" : "not all of it was filled in its time";
}

/** An alert without a time is held against the one before it once more when its order is to leave: our clock may have been set. */

/** The delivery for which an order was placed already, and which this one only repeats; null where there is none. */
function orderedAlready(
  deps: With<"clock" | "exchange" | "settings" | "store">,
  hook: Hook,
  delivery: Delivery,
): Delivery | null {
  if (delivery.alertAtMs !== null) return null;
  const before = findOrderedBefore(deps.store, delivery);
  const came = before === null ? null : whenCame(deps, before);
  if (came === null) return null;
  const exchangeAheadMs = deps.exchange.nowMs() - deps.clock.nowMs();
  return isSameByExchange(hook, came, { receivedAtMs: delivery.receivedAtMs, exchangeAheadMs }) ? before : null;
}

/** By what its order was signed with, whose number and end are of the exchange's time. */
function whenCame({ settings, store }: With<"settings" | "store">, { receivedAtMs, orderId }: Delivery): Came | null {
  const [placing] = orderId === null ? [] : listAttemptsOf(store, orderId);
  if (placing === undefined) return null;
  const { nonce, expiresAtMs, createdAtMs } = placing;
  const signedAtMs = Math.min(nonce, expiresAtMs - settings.timings.actionLifeMs);
  return { receivedAtMs, exchangeAheadMs: signedAtMs - createdAtMs };
}
