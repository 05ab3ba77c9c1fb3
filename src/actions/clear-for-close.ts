/**
 * A bot's resting orders that only reduce stand in the way of closing all that it holds: filled after the close they would reduce
 * another's. So they go before it, as they do before a flattening.
 */
import { type Decimal, isNegative } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { newUuid } from "../core/uuid.ts";
import type { ToWrite, With } from "../deps.ts";
import { remainingOf } from "../settle/cancel-all/canceler.ts";
import { botOf } from "../store/bots.ts";
import { insertCancelAll } from "../store/cancel-alls.ts";
import { inTransaction } from "../store/commit.ts";
import { railsOfKey } from "../store/narrowings.ts";
import { listOpenLegs } from "../store/open-legs.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import type { Caller } from "../write/caller.ts";

export type ToClear = ToWrite & With<"canceler" | "randomBytes">;

type BotClosing = {
  market: string;
  /** What the bot's own fills hold, signed. */
  net: Decimal;
  /** By `clock.elapsedMs()`. */
  untilElapsedMs: number;
};

/** Between two glances at what is being canceled, milliseconds. */
const GLANCE_MS = 50;

/**
 * True where something stood in the way and is gone: what is held has to be read again. Throws `close_in_progress` where it is not
 * gone in time; it goes all the same.
 */
export async function clearForClose(deps: ToClear, caller: Caller, closing: BotClosing): Promise<boolean> {
  const inTheWay = restingReductions(deps, caller, closing);
  if (inTheWay.length === 0) return false;
  const row = {
    id: newUuid(deps.randomBytes(16)),
    accountId: caller.account.id,
    keyHash: caller.key.keyHash,
    cause: "closed",
    market: closing.market,
    side: null,
    touches: "own",
    keepsProtection: false,
    createdAtMs: deps.clock.nowMs(),
    outsideAtMs: null,
    doneAtMs: null,
    idempotencyKey: null,
  } as const;
  const ids = inTheWay.map(({ id }) => id);
  inTransaction(deps.store, (store) => insertCancelAll(store, row, ids));
  deps.canceler.heed();
  while (remainingOf(deps, row).length > 0) {
    if (deps.clock.elapsedMs() >= closing.untilElapsedMs) throw stillThere(closing, ids);
    await deps.clock.sleep(GLANCE_MS);
  }
  return true;
}

/**
 * Of the bot, on the book or on their way there, on the side that closes: none where its key may not do both. A stop with a limit that has
 * fired and rests is among them: the market has left it behind, and the bot wants out.
 */
function restingReductions(deps: ToClear, { account, key }: Caller, { market, net }: BotClosing): StoredOrder[] {
  const { store } = deps;
  const rails = railsOfKey(store, key.keyHash);
  if (rails === null || !rails.may.includes("cancel") || !rails.may.includes("reduce")) return [];
  const bot = botOf(store, key.keyHash);
  const side = isNegative(net) ? "buy" : "sell";
  return listOpenLegs(store, account.id).flatMap((leg) => {
    const isAlike = leg.bot === bot && leg.market === market && leg.side === side && leg.canOnlyReduce;
    const order = isAlike && leg.triggerPrice === null ? findOrder(store, leg.orderId) : null;
    return order ?? [];
  });
}

function stillThere({ market }: BotClosing, ids: readonly string[]): ApiError {
  const words = `Orders of ${market} that only reduce are being canceled first: ${ids.join(", ")}. The position was not closed, and the Idempotency-Key is not used.`;
  return new ApiError("close_in_progress", words);
}
