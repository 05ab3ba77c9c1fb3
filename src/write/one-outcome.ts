/**
 * Whoever asks through a hook or a tool hears no outcome, or not the one that counts, and asks again. So while one
 * order of a bot in a market has no known outcome, no request that comes that way may make the bot's position there
 * larger.
 */
import type { Attempt } from "../core/attempt.ts";
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import { botOf } from "../store/bots.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder, listOrders } from "../store/orders.ts";
import type { Caller } from "./caller.ts";
import type { Plan, Stored } from "./verb.ts";

/** The refusal while an outcome is open. Nothing was sent; the request passes once that outcome is known. */
export class OutcomeOpen extends ApiError {
  constructor(bot: string | null, market: string) {
    super(
      "not_ready",
      `What became of an order of ${bot === null ? "this account" : `bot ${bot}`} in ${market} is not known yet, and this could make its position larger. Nothing was sent.`,
    );
  }
}

/** The request is older than whoever sent it wants it to be carried out. Nothing was sent. */
export class NoLongerWanted extends ApiError {
  constructor() {
    super("not_ready", "This is older by now than it may be when it is sent. Nothing was sent.");
  }
}

/** Trading was stopped while the request waited: ending a stop brings no earlier request back. Nothing was sent. */
class StoppedMeanwhile extends ApiError {
  constructor() {
    super(
      "trading_stopped",
      "Trading was stopped after this had been asked for, and a stop that is ended brings nothing back. Nothing was sent.",
    );
  }
}

type SteppingWrite = { caller: Caller; plan: Pick<Plan, "increasesFor" | "market">; stored: Stored };

/**
 * Inside the intent's transaction: holds a request of a hook or a tool to its age, to stops and to open outcomes. Any
 * other request passes.
 */
export function requireOneOutcome(
  { clock, store }: With<"clock" | "store">,
  { caller, plan, stored }: SteppingWrite,
): void {
  const { unattended } = caller;
  if (unattended === undefined) return;
  if (unattended.untilMs !== null && clock.nowMs() > unattended.untilMs) throw new NoLongerWanted();
  if (stored.kind !== "outgoing") return;
  const bot = botOf(store, caller.key.keyHash);
  if (plan.market === null || plan.increasesFor.length === 0) return;
  if (unattended.wasStopped()) throw new StoppedMeanwhile();
  const of = { accountId: caller.account.id, bot, market: plan.market };
  if (hasOpenOutcome(store, of, stored.attempt)) throw new OutcomeOpen(bot, plan.market);
}

/** `bot` null: a key without rails, for which every order of the account counts. */
type BotMarket = { accountId: string; bot: string | null; market: string };

/**
 * Whether any order or operation of a bot in a market has no known outcome, or no final size. One that the operator has given up does not
 * count.
 *
 * @param but the attempt that is being stored now, which is left out
 */
export function hasOpenOutcome(
  store: Store,
  of: BotMarket,
  but: Pick<Attempt, "id" | "resource"> | null = null,
): boolean {
  const { accountId, bot, market } = of;
  const isOwn = (known: { market: string; keyHash: string | null } | null) =>
    known !== null && known.market === market && (bot === null || botOf(store, known.keyHash) === bot);
  const isOpen = listOpenAttempts(store).some(({ id, accountId: whose, resource }) => {
    if (id === but?.id || whose !== accountId) return false;
    return isOwn(resource.kind === "order" ? findOrder(store, resource.id) : findOperation(store, resource.id));
  });
  if (isOpen) return true;
  const unsure = (["processing", "unknown"] as const).flatMap((status) =>
    listOrders(store, { accountId, status, dex: null, after: null, limit: MAX_UNSURE }),
  );
  return unsure.some((order) => order.id !== but?.resource.id && order.releasedAtMs === null && isOwn(order));
}

/** Orders that are looked through in each of the two statuses: far more than are ever under way. */
const MAX_UNSURE = 1_000;
