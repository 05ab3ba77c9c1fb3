import type { CancelAll, Touches } from "../core/cancel-all.ts";
import { ApiError } from "../core/errors.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import type { Side } from "../core/order.ts";
import { isUuid, newUuid } from "../core/uuid.ts";
import type { ToWrite, With } from "../deps.ts";
import { cancelAllShown, coveredBy, withholdCovered } from "../settle/cancel-all/asked-orders.ts";
import { findCancelAll, insertCancelAll } from "../store/cancel-alls.ts";
import { railsOfKey } from "../store/narrowings.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { requireOwnAccount } from "../write/own-account.ts";
import { runWrite } from "../write/run.ts";
import type { Plan } from "../write/verb.ts";
import { requireMarket } from "./market-rules.ts";

export type CancelOrders = WriteKey & {
  accountId: string;
  market: string | null;
  side: Side | null;
  touches: Touches;
  keepsProtection: boolean;
};

type ToCancelAll = ToWrite & With<"canceler" | "randomBytes">;

/**
 * `POST /v1/orders/cancel-all`: one row names the orders of that moment, what is not settled among them; from its commit on they
 * are burnt and canceled, whatever becomes of this process. 202 until nothing of them can fill any more.
 */
export async function cancelOrders(deps: ToCancelAll, caller: Caller, wanted: CancelOrders): Promise<WriteAnswer> {
  requireOwnAccount(caller, wanted.accountId);
  return runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/orders/cancel-all",
    bucket: "cancels",
    isCancel: true,
    asked: {},
    placedTerms: null,
    isCreating: false,
    plan: () => planCancelAll(deps, caller, wanted),
  });
}

async function planCancelAll(deps: ToCancelAll, caller: Caller, wanted: CancelOrders): Promise<Plan> {
  requireMayTouch(deps, caller, wanted);
  const market = wanted.market === null ? null : (await requireMarket(deps, wanted.market, false)).name;
  const id = newUuid(deps.randomBytes(16));
  return {
    resource: { kind: "cancel_all", id },
    use: "cancel",
    // Its cancels are intents of their own.
    isSent: false,
    isOrder: false,
    increasesFor: [],
    market: null,
    keyRow: "own",
    store(keyRecord) {
      const row: CancelAll = {
        id,
        accountId: caller.account.id,
        keyHash: caller.key.keyHash,
        cause: "asked",
        market,
        side: wanted.side,
        touches: wanted.touches,
        keepsProtection: wanted.keepsProtection,
        createdAtMs: keyRecord.createdAtMs,
        outsideAtMs: null,
        doneAtMs: null,
        idempotencyKey: keyRecord.idempotencyKey,
      };
      const orderIds = coveredBy(deps, row).map((order) => order.id);
      insertCancelAll(deps.store, row, orderIds);
      withholdCovered(deps, row);
      return { kind: "begun", goOn: () => untilDone(deps, id) };
    },
  };
}

/** Between two glances at how far it has come, milliseconds. */
const GLANCE_MS = 50;

/** Nobody is kept waiting for it beyond the time of an answer: it goes on by itself. */
async function untilDone(deps: ToCancelAll, id: string): Promise<void> {
  deps.canceler.heed();
  const untilMs = deps.clock.elapsedMs() + deps.settings.timings.answerDeadlineMs / 2;
  while (findCancelAll(deps.store, id)?.doneAtMs === null && deps.clock.elapsedMs() < untilMs)
    await deps.clock.sleep(GLANCE_MS);
}

function requireMayTouch({ store }: With<"store">, { key }: Caller, { touches }: CancelOrders): void {
  const rails = railsOfKey(store, key.keyHash);
  if (rails === null) return;
  if (!rails.may.includes("cancel")) throw new ApiError("rail_refused", "Rail may: cancel. Nothing was canceled.");
  if (touches === "all" && rails.touches !== "all")
    throw new ApiError("rail_refused", "Rail touches: this key cancels its own orders alone. Nothing was canceled.");
}

/** `GET /v1/cancel-alls/{id}`, by our rows: nothing is asked of the exchange. */
export function getCancelAll({ store }: With<"store">, { account }: Caller, givenId: string): string {
  const id = givenId.toLowerCase();
  if (!isUuid(id)) throw new ApiError("invalid_id", "`id` is the UUID of a cancel-all.");
  const row = findCancelAll(store, id);
  if (row === null || row.accountId !== account.id)
    throw new ApiError("cancel_all_not_found", "There is no such cancel-all on this account.");
  return JSON.stringify(cancelAllShown(store, row));
}
