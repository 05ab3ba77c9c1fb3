import type { Account } from "../core/account.ts";
import { ApiError, ERROR_STATUS } from "../core/errors.ts";
import { nameOfPart, type Trade } from "../core/trade.ts";
import { nextSteps } from "../core/trade-step.ts";
import type { With } from "../deps.ts";
import { factsOf, NOTHING_READ, type StopShown } from "../settle/trade/trade-facts.ts";
import type { TraderParts } from "../settle/trade/trader.ts";
import { findApiKey } from "../store/api-keys.ts";
import { appendNote } from "../store/notes.ts";
import { findTrade, putTrade } from "../store/trades.ts";
import type { Caller } from "../write/caller.ts";
import { printedTerms } from "../write/fingerprint.ts";
import { requestOf } from "../write/key.ts";
import { runWrite } from "../write/run.ts";
import { requireUnmetStop } from "./met-stop.ts";
import { planPlacing, type ToPlaceOrder } from "./place-order.ts";

/** An entry that could not be sent for so long after it was asked for is not sent any more, milliseconds. */
const ENTER_WITHIN_MS = 60_000;

type EnteringTrade = { trade: Trade; stopShown: StopShown | null };

/**
 * Sends the entry of a trade by the same steps as any order of its key: under a name of its own, so that it is sent once,
 * through the gate, and only where by the rows of that moment it is what comes next.
 */
export async function enterTrade(
  deps: ToPlaceOrder,
  { trade, account, stopShown }: EnteringTrade & { account: Account },
): Promise<Awaited<ReturnType<TraderParts["enter"]>>> {
  // Whoever asked for it an hour ago, before a death say, does not want it now; nor is one of an hour ahead of now: the clock was set back.
  const isLate = () => Math.abs(deps.clock.nowMs() - trade.createdAtMs) >= ENTER_WITHIN_MS;
  if (isLate()) return `it could not be sent within ${ENTER_WITHIN_MS / 1_000} s of being asked for`;
  const key = findApiKey(deps.store, trade.keyHash);
  if (key === null) return "its API key is gone";
  // Its request was charged when it came.
  const caller: Caller = { account, key, reader: { reader: trade.keyHash }, charge: () => undefined };
  try {
    await sendEntry(deps, caller, { trade, stopShown });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const passes = ERROR_STATUS[error.code] === 503 || ERROR_STATUS[error.code] === 429 || isOvertaken(error);
    return passes && !isLate() ? null : error.message;
  }
}

function isOvertaken({ code }: ApiError): boolean {
  return code === "idempotency_in_progress" || code === "too_many_open_orders";
}

async function sendEntry(deps: ToPlaceOrder, caller: Caller, { trade, stopShown }: EnteringTrade): Promise<void> {
  const { id: tradeId, market, side, size, price, timeInForce } = trade;
  const terms = { market, side, size, price, timeInForce, reduceOnly: false, trigger: null };
  const key = { idempotencyKey: nameOfPart(trade, "entry"), fingerprint: "trade" };
  const wanted = { ...terms, ...key, accountId: trade.accountId };
  await runWrite(deps, {
    ...requestOf(deps, caller, key),
    route: "trade",
    bucket: "orders",
    isCancel: false,
    asked: printedTerms(terms),
    placedTerms: null,
    isCreating: true,
    plan: async () => {
      // Where it waits at the exchange, that it waits still says that it is not met.
      if (trade.path === "after_fills") await requireUnmetStop(deps, trade);
      const plan = await planPlacing(deps, caller, wanted);
      return {
        ...plan,
        store(keyRecord, slot) {
          requireNext(deps, tradeId, stopShown);
          const stored = plan.store(keyRecord, slot);
          noteEntry(deps, tradeId, plan.resource.id);
          return stored;
        },
      };
    },
  });
}

/** Inside the intent's transaction. */
function requireNext(deps: With<"clock" | "picture" | "store">, tradeId: string, stopShown: StopShown | null): void {
  const trade = findTrade(deps.store, tradeId);
  const isNext =
    trade !== null &&
    trade.endedAtMs === null &&
    nextSteps(trade, factsOf(deps, trade, { ...NOTHING_READ, stopShown })).some(({ kind }) => kind === "place_entry");
  // Said again with the next look, where it still is.
  if (!isNext) throw new ApiError("not_ready", "The trade does not enter by now. Nothing was sent.");
}

function noteEntry({ clock, store }: With<"clock" | "store">, tradeId: string, orderId: string): void {
  const trade = findTrade(store, tradeId);
  if (trade === null) throw new Error("bug: an entry without its trade");
  const atMs = clock.nowMs();
  putTrade(store, { ...trade, entryId: orderId }, atMs);
  appendNote(store, {
    resourceId: orderId,
    attemptId: null,
    atMs,
    what: "of a trade",
    detail: `entry of trade ${tradeId}`,
  });
}
