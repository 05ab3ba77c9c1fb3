/**
 * After a restore the exchange knows of orders that the database does not: the lost machine went on trading after the
 * snapshot. They are read, and become rows that their Idempotency-Keys answer with, before anything else is placed.
 */
import type { Account } from "../../core/account.ts";
import { EXPIRY_MARGIN_MS } from "../../core/attempt.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import type { LogFields, With } from "../../deps.ts";
import type { InfoOptions, InfoRequest } from "../../exchange/exchange.ts";
import { findAccount } from "../../store/accounts.ts";
import { findSigningAgent } from "../../store/agents.ts";
import { appendAudit } from "../../store/audit.ts";
import { inTransaction } from "../../store/commit.ts";
import { findTakeUp, listAwaiting, markTakenUp } from "../../store/restores.ts";
import { parseExchangeTime } from "../../wire/answer/account.ts";
import type { FillIndex } from "../fills/index-fills.ts";
import { reachesBackTo, readSweep, type Sweep, sweepRequests } from "../look/sweep.ts";
import type { Settler } from "../settler.ts";
import { findOwn, type OwnOrders, storeOwn } from "./own-orders.ts";
import { takeUpTrades } from "./own-trades.ts";

export type TakingUp = { settler: Pick<Settler, "look" | "tools">; index: FillIndex; isStopped(): boolean };

/** Sweeps that are read one after another and taken together: what one node does not show yet, another shows later. */
const READINGS = 3;
const BETWEEN_READINGS_MS = 2_000;
/** Between two looks at what has to be there before anything is read, milliseconds. */
const WAIT_MS = 1_000;
/** Between two tries of what could not be read or did not count, milliseconds: each costs the exchange's weight. */
const RETRY_MS = 5_000;

/** Takes up every account that waits for it, each as soon as its new agent key is approved. */
export async function takeUpAccounts(parts: TakingUp): Promise<void> {
  const { world } = parts.settler.tools;
  await Promise.all(listAwaiting(world.store).map((accountId) => takeUpUntilDone(parts, accountId)));
}

async function takeUpUntilDone(parts: TakingUp, accountId: string): Promise<void> {
  const { world } = parts.settler.tools;
  const account = findAccount(world.store, accountId);
  if (account === null) throw new Error("bug: a take-up without its account");
  while (!parts.isStopped()) {
    try {
      if (await takeUp(parts, account)) return;
    } catch (error) {
      world.log.error({ account: accountId, error: String(error) }, "an account could not be taken up after a restore");
    }
    await world.clock.sleep(RETRY_MS);
  }
}

/** False when the gateway was stopped before it was done. */
async function takeUp(parts: TakingUp, account: Account): Promise<boolean> {
  const { tools } = parts.settler;
  const { world } = tools;
  if (!(await waitForAgent(parts, account))) return false;
  const sweeps = await readCounting(parts, account);
  if (sweeps === null) return false;
  await parts.index.backFill(account);
  const own = findOwn(world, account, sweeps);
  const stored = await storeOwn(tools, account, own);
  conclude(world, account, own);
  // What one reading did not settle is looked at until it is; nobody has to wait for that.
  void lookAgain(parts, stored);
  return true;
}

/**
 * Looks twice, some time apart: that a fill is short is proven by two readings. What is not known then is looked at when somebody reads it.
 * Nobody waits for it, so it never throws; and the database may be closed once the gateway is stopped.
 */
async function lookAgain({ settler, isStopped }: TakingUp, orderIds: readonly string[]): Promise<void> {
  const { clock, log } = settler.tools.world;
  for (const pauseMs of [0, BETWEEN_READINGS_MS]) {
    if (pauseMs > 0) await clock.sleep(pauseMs);
    for (const orderId of orderIds) {
      if (isStopped()) return;
      try {
        await settler.look(orderId);
      } catch (error) {
        log.error({ order_id: orderId, error: String(error) }, "an order that was taken up could not be looked at");
      }
    }
  }
}

async function waitForAgent({ settler, isStopped }: TakingUp, { ownerAddress }: Account): Promise<boolean> {
  const { world } = settler.tools;
  while (!isStopped()) {
    const agent = findSigningAgent(world.store, ownerAddress, world.exchange.nowMs());
    if (agent !== null && world.markets.current() !== null) return true;
    await world.clock.sleep(WAIT_MS);
  }
  return false;
}

/**
 * Readings of a state of the exchange in which nothing of the lost machine can land any more: the approval has ended its agent of the same
 * name, and what that had signed before dies by its own expiry.
 */
async function readCounting(parts: TakingUp, account: Account): Promise<Sweep[] | null> {
  const { world } = parts.settler.tools;
  const { exchange } = world;
  const livesMs = world.settings.timings.actionLifeMs + EXPIRY_MARGIN_MS;
  let approvedByMs = exchange.nowMs();
  const quietFromMs = () => {
    approvedByMs = keptMoment(approvedByMs, exchange.nowMs());
    return approvedByMs + livesMs;
  };
  const sinceMs = findTakeUp(world.store, account.id)?.between.sinceMs ?? 0;
  const counting: Sweep[] = [];
  while (!parts.isStopped() && exchange.nowMs() <= quietFromMs()) await world.clock.sleep(WAIT_MS);
  while (!parts.isStopped()) {
    const timed = await readOnce(parts, account, { sinceMs, onNewConnection: counting.length > 0 });
    // By the exchange's own time on the same connection: a node that is behind proves nothing.
    if (timed !== null && timed.chainTimeMs > quietFromMs()) counting.push(timed.sweep);
    if (counting.length === READINGS) return counting;
    await world.clock.sleep(counting.length === 0 ? RETRY_MS : BETWEEN_READINGS_MS);
  }
  return null;
}

type SweepReading = { sinceMs: number; onNewConnection: boolean };

async function readOnce(
  { settler }: TakingUp,
  { tradingAddress: user }: Account,
  { sinceMs, onNewConnection }: SweepReading,
): Promise<{ sweep: Sweep; chainTimeMs: number } | null> {
  const { world } = settler.tools;
  const options = { purpose: "settle", onNewConnection } as const;
  const timed = await readTimed(world, user, sweepRequests(world, user, sinceMs), options);
  if (timed === null) return null;
  const sweep = await readSweep(world, { user, sinceMs, json: timed.json }, options);
  return sweep === null ? null : { sweep, chainTimeMs: timed.chainTimeMs };
}

type TimedReading = { chainTimeMs: number; json: readonly unknown[] };

/** Reads over one connection, behind a read that tells the exchange time which its node has reached. */
async function readTimed(
  world: With<"exchange">,
  user: string,
  requests: readonly InfoRequest[],
  options: InfoOptions,
): Promise<TimedReading | null> {
  const outcome = await world.exchange.infoInTurn([{ type: "clearinghouseState", user }, ...requests], options);
  if (outcome.kind === "failed") return null;
  const [first, ...json] = outcome.json;
  const chainTimeMs = parseExchangeTime(first);
  return chainTimeMs === null ? null : { chainTimeMs, json };
}

function conclude(
  world: With<"clock" | "exchange" | "instance" | "log" | "store">,
  account: Account,
  own: OwnOrders,
): void {
  const { store } = world;
  const takenUpAtMs = world.clock.nowMs();
  const snapshotAtMs = findTakeUp(store, account.id)?.snapshotAtMs ?? 0;
  // `reaches_back` is false where the lost machine may have closed more orders since the snapshot than the exchange still lists.
  const facts: LogFields = { orders: own.unknown.length, reaches_back: reachesBackTo(own, snapshotAtMs) };
  inTransaction(store, () => {
    appendAudit(store, {
      atMs: takenUpAtMs,
      actor: "gateway",
      event: "account_taken_up",
      reference: account.id,
      detail: facts,
    });
    takeUpTrades(world, account);
    markTakenUp(store, account.id, { takenUpAtMs, readToMs: world.exchange.nowMs() });
  });
  world.log.info({ account: account.id, ...facts }, "the orders since the snapshot are read; the account trades again");
}
