import type { Account } from "../core/account.ts";
import { OBSTACLES } from "../core/readiness.ts";
import { isoTime } from "../core/resource.ts";
import type { ToLook, ToTakeOrders, With } from "../deps.ts";
import type { ActionCount } from "../exchange/action-budget.ts";
import type { Reader, Use } from "../exchange/exchange.ts";
import type { Known } from "../exchange/picture.ts";
import { accountReadiness } from "../settle/pre-trade/readiness.ts";
import { findAccountFault } from "../store/account-faults.ts";
import { findSigningAgent } from "../store/agents.ts";
import { listUnlimitedKeys } from "../store/api-keys.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import { findFillCursor } from "../store/fills.ts";
import { findTakeUp } from "../store/restores.ts";
import { toldWholeAtMost } from "../store/short-of-fills.ts";
import { type Unknowns, unknownOperations, unknownOrders } from "../store/unknowns.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { describeBuilderFee } from "./builder.ts";

/**
 * `GET /v1/status`: what an operator would look at first, for the key's own account. The exchange's word about the
 * action budget is null where it cannot be asked; everything else is answered from here.
 */
export async function getStatus(
  deps: ToTakeOrders & ToLook & With<"builderApproval" | "fillIndex" | "marketView" | "reads">,
  caller: Caller,
): Promise<ReadAnswer> {
  return { body: JSON.stringify(await statusResource(deps, caller)), asOfMs: null };
}

export async function statusResource(
  deps: ToTakeOrders & ToLook & With<"builderApproval" | "fillIndex" | "marketView" | "reads">,
  caller: Caller,
) {
  const { store, state, settings } = deps;
  const { account } = caller;
  const universe = deps.markets.current();
  const readToMs = findFillCursor(store, account.id);
  const completeToMs = readToMs === null ? null : Math.min(readToMs, toldWholeAtMost(store, account.id));
  const readAtMs = deps.fillIndex.readToMs(account);
  return {
    object: "status" as const,
    account: account.id,
    network: settings.network,
    phase: state.phase,
    orders: ordersOf(deps, caller),
    writes_stopped_because: state.writesStoppedBecause ?? findAccountFault(store, account.id),
    replica_fault: state.replicaFault ?? null,
    restore: restoreOf(deps, caller),
    exchange_budget: await budgetOf(deps, caller),
    agent: agentOf(deps, caller),
    builder_fee: describeBuilderFee(deps, account),
    unknown_orders: shownUnknowns(deps, unknownOrders(store, account.id)),
    unknown_operations: shownUnknowns(deps, unknownOperations(store, account.id)),
    unlimited_write_keys: listUnlimitedKeys(store, account.id).map(({ keyHash }) => keyHash),
    unsettled_actions: listOpenAttempts(store).filter(({ accountId }) => accountId === account.id).length,
    feed_live: deps.feeds.isLive(account.tradingAddress),
    feed_not_live_because: deps.feeds.whyNotLive(account.tradingAddress),
    market_feed_live: deps.marketView.isTelling(),
    picture: pictureOf(deps, account),
    // Nothing was ever shown: nothing vouches for anything.
    fills_complete_to: completeToMs === null || completeToMs === 0 ? null : isoTime(completeToMs),
    fills_read_at: readAtMs === null ? null : isoTime(readAtMs),
    markets_read_at: universe === null ? null : isoTime(universe.readAtMs),
  };
}

function ordersOf(deps: ToTakeOrders, { account }: Caller) {
  deps.writeHealth.prove();
  const { reason, detail } = accountReadiness(deps, account);
  return { are_taken: reason === null, reason, detail: reason === null ? null : (detail ?? OBSTACLES[reason]) };
}

/** Null where the database never took the place of a lost one. */
function restoreOf({ store }: With<"store">, { account }: Caller) {
  const takeUp = findTakeUp(store, account.id);
  if (takeUp === null) return null;
  const { restoredAtMs, snapshotAtMs, takenUpAtMs } = takeUp;
  const takenUpAt = takenUpAtMs === null ? null : isoTime(takenUpAtMs);
  return { restored_at: isoTime(restoredAtMs), snapshot_at: isoTime(snapshotAtMs), taken_up_at: takenUpAt };
}

async function budgetOf(deps: With<"allowance" | "exchange" | "reads">, { account, reader }: Caller) {
  const use = deps.allowance.use(account.tradingAddress) ?? (await readUse(deps, account, reader));
  return {
    order_wait_s: deps.exchange.budgetWaitS("order"),
    cancel_wait_s: deps.exchange.budgetWaitS("cancel"),
    weight: {
      reads: { left: deps.exchange.budgetLeft(reader), wait_s: deps.exchange.budgetWaitS(reader, [SMALL_READ]) },
      orders: weightFor(deps, "order"),
      reductions: weightFor(deps, "reduce"),
      settling: weightFor(deps, "settle"),
      cancels: weightFor(deps, "cancel"),
    },
    actions_used: use?.used ?? null,
    actions_cap: use?.cap ?? null,
  };
}

/** Where the account's actions are not counted. */
async function readUse(deps: With<"reads">, account: Account, reader: Reader): Promise<ActionCount | null> {
  const read = await deps.reads.rateLimit(account.tradingAddress, reader);
  return read.kind === "ok" ? { used: read.value.requestsUsed, cap: read.value.requestsCap } : null;
}

/** Of when what is shown of the account is; null where it was never shown. */
function pictureOf({ picture, settings }: With<"picture" | "settings">, { tradingAddress: user }: Account) {
  const dexes = ["", ...settings.dexes];
  const oldest = (parts: readonly (Known<unknown> | null)[]) => {
    const times = parts.flatMap((part) => part?.asOfMs ?? []);
    return times.length < parts.length ? null : isoTime(Math.min(...times));
  };
  return {
    balances_as_of: oldest([picture.spot(user)]),
    positions_as_of: oldest(dexes.map((dex) => picture.state(user, dex))),
    open_orders_as_of: oldest(dexes.map((dex) => picture.openOrders(user, dex))),
    twaps_as_of: oldest([picture.twaps(user)]),
  };
}

/** Of those that cost least. */
const SMALL_READ = { type: "orderStatus" };

function weightFor({ exchange }: With<"exchange">, use: Use) {
  return { left: exchange.budgetLeft(use), wait_s: exchange.budgetWaitS(use) };
}

/** The agent that signs now; null when none is approved. */
function agentOf(deps: With<"exchange" | "signers" | "store">, { account }: Caller) {
  const agent = findSigningAgent(deps.store, account.ownerAddress, deps.exchange.nowMs());
  if (agent === null) return null;
  const { address, name, validUntilMs } = agent;
  const validUntil = validUntilMs === null ? null : isoTime(validUntilMs);
  return { address, name, is_unlocked: deps.signers.has(address), valid_until: validUntil };
}

function shownUnknowns(deps: With<"clock">, { count, oldestMs }: Unknowns) {
  const nowMs = deps.clock.nowMs();
  return {
    count,
    oldest_since: oldestMs === null ? null : isoTime(oldestMs),
    oldest_age_s: oldestMs === null ? null : Math.max(0, Math.floor((nowMs - oldestMs) / 1_000)),
  };
}
