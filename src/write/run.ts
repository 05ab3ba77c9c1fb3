import type { Attempt } from "../core/attempt.ts";
import { ApiError } from "../core/errors.ts";
import type { KeyAnswer, KeyRecord, WriteAnswer } from "../core/idempotency.ts";
import type { ToWrite, With } from "../deps.ts";
import { heardRefusal } from "../settle/place/place.ts";
import { replyTo } from "../settle/place/reply-to.ts";
import { budgetObstacle, closedGateway, type Obstacle, orderObstacle } from "../settle/pre-trade/obstacles.ts";
import { type SendResult, sendAttempt, sendBatch } from "../settle/send/send.ts";
import { findApiKey } from "../store/api-keys.ts";
import { insertKeyRecord, storeAnswer } from "../store/idempotency.ts";
import { onceUnlocked } from "../store/locked.ts";
import { railsOfKey } from "../store/narrowings.ts";
import type { Reply } from "../wire/answer/reply.ts";
import { answerEarlierInTime, answerInTime } from "./answer-in-time.ts";
import type { Caller } from "./caller.ts";
import { commitIntent } from "./commit.ts";
import { RailRefused, RailsUnproven } from "./gate.ts";
import { giveBack } from "./give-back.ts";
import { answerEarlier } from "./key.ts";
import { requireOneOutcome } from "./one-outcome.ts";
import { PlanOvertaken } from "./overtaken.ts";
import { lookAtOpened, readFacts, readPositionAnew } from "./rails-facts.ts";
import { tellRefusal } from "./tell-refusal.ts";
import type { ListedMarket, Plan, Stored, Write } from "./verb.ts";

/**
 * Runs every write, step by step: its key, its limits, what stands in the way, its plan, the intent on the disk, one
 * send, the outcome, the answer. Throws `ApiError` only while nothing has been sent.
 */
export async function runWrite(deps: ToWrite, write: Write): Promise<WriteAnswer> {
  const { bucket, caller, charges, isCancel } = write;
  const earlier = await answerEarlier(deps, write);
  if (earlier !== null) return earlier;
  caller.charge(bucket, charges);
  refuseFor(closedGateway(deps, isCancel));
  const { plan, stored, onDisk } = await tellingRefusals(deps, caller, () => planAndCommit(deps, write));
  if (stored.kind === "earlier") return answerEarlierInTime(deps, stored.record, write);
  return answerInTime(deps, write, plan.resource, async () => {
    if (stored.kind === "outgoing") return sendAndConclude(deps, stored, plan.use, onDisk);
    await onDisk;
    if (stored.kind === "begun") await stored.goOn();
    return null;
  });
}

/** Tells of a rail's refusal after the intent's transaction: what is written inside it is rolled back with it. */
async function tellingRefusals<T>(deps: ToWrite, { key }: Caller, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RailRefused) tellRefusal(deps, { keyHash: key.keyHash, ...error.refused });
    throw error;
  }
}

/**
 * Plans and commits. Plans again where something was stored meanwhile that has to be planned for, where the list of
 * markets has moved, and, once, where a rail refused by what may be a reading that is behind.
 */
async function planAndCommit(
  deps: ToWrite,
  write: Write,
): Promise<{ plan: Plan; stored: Stored; onDisk: Promise<void> }> {
  const { caller } = write;
  const deadlineMs = write.startedElapsedMs + deps.settings.timings.answerDeadlineMs;
  let hasReread = false;
  for (;;) {
    const { plan, listed } = await inTime(deps, deadlineMs, planFor(deps, write));
    try {
      const committed = await commitIntent(deps, write, plan, (keyRecord, slot) => {
        requireSameList(deps, listed);
        const stored = storeUnder(deps, keyRecord, plan.keyRow, () => plan.store(keyRecord, slot));
        requireOneOutcome(deps, { caller, plan, stored });
        return stored;
      });
      return { ...committed, plan };
    } catch (error) {
      if (mayBeBehind(error, plan) && !hasReread) {
        hasReread = true;
        await inTime(deps, deadlineMs, readAgain(deps, caller, plan, isOwnInQuestion(error, plan)));
        continue;
      }
      const isPlannedFor = error instanceof ApiError && error.code === "idempotency_in_progress";
      const isOvertaken = isPlannedFor || error instanceof PlanOvertaken;
      if (!isOvertaken || deps.clock.elapsedMs() >= deadlineMs) throw error;
    }
  }
}

/**
 * Makes the plan, and reads all that has to be known before the intent. The exchange is asked here, and may be slow.
 * With it the markets of the plan as they were listed when it was made.
 */
async function planFor(deps: ToWrite, write: Write): Promise<{ plan: Plan; listed: readonly ListedMarket[] }> {
  const { caller } = write;
  const plan = await write.plan(write);
  const listed = listedFor(deps, write, plan);
  requireRails(deps, caller, plan);
  if (plan.isOrder) refuseFor(orderObstacle(deps, caller.account, plan.use === "reduce"));
  if (plan.isSent) refuseFor(budgetObstacle(deps, caller.account, plan));
  const reading = readFactsFor(deps, caller, plan);
  if (reading !== null) await reading;
  return { plan, listed };
}

const LATE = Symbol("late");

/**
 * Refuses at the deadline where the plan is not made yet: nothing is stored, and a plan that comes later is dropped.
 */
async function inTime<T>(deps: With<"clock">, deadlineMs: number, work: Promise<T>): Promise<T> {
  const timer = deps.clock.timer(Math.max(0, deadlineMs + OWN_WORD_MS - deps.clock.elapsedMs()));
  const done = await Promise.race([work, timer.up.then((): typeof LATE => LATE)]).finally(timer.cancel);
  if (done !== LATE) return done;
  const words = "What it is judged by was asked of the exchange, and has not come in time. Nothing was sent.";
  throw new ApiError("exchange_unreachable", words, LATE_RETRY_AFTER_S);
}

/** Added to the deadline, milliseconds: a plan that gives up at the deadline says better what it has waited for. */
const OWN_WORD_MS = 50;
/** `Retry-After`, seconds: the reading that was slow may be there by then. */
const LATE_RETRY_AFTER_S = 1;

/**
 * Where rails are required, refuses increases of a key without rails. Cancels and reductions pass: whoever holds a
 * position must be able to get out of it.
 */
function requireRails({ settings, store }: With<"settings" | "store">, { key }: Caller, { use }: Plan): void {
  if (!settings.areRailsRequired || use !== "order" || findApiKey(store, key.keyHash)?.limited !== null) return;
  const words =
    "This gateway takes increases from keys with rails alone; this key only cancels and reduces. Nothing was sent.";
  throw new ApiError("rails_required", words);
}

/**
 * Reads, before the transaction, what a limited key is judged by inside it; null where nothing has to be waited for, as
 * for every key without rails.
 */
function readFactsFor(
  deps: ToWrite,
  { account, key }: Caller,
  { market, alsoMarkets = [], use, resource, isOrder }: Plan,
): Promise<void> | null {
  const rails = railsOfKey(deps.store, key.keyHash);
  if (rails === null || market === null) return null;
  const isSetting = resource.kind === "operation" && !isOrder;
  const about = { account, rails, isReduction: use === "reduce", isSetting };
  if (alsoMarkets.length === 0) return readFacts(deps, { ...about, market });
  const reading = [market, ...alsoMarkets].flatMap((each) => readFacts(deps, { ...about, market: each }) ?? []);
  return reading.length === 0 ? null : readAll(reading);
}

async function readAll(reading: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(reading);
}

/**
 * Whether a rail's refusal may rest on a reading that is behind: while the exchange shows a position late, or fills are
 * told late, what is the bot's own looks like a position of others.
 */
function mayBeBehind(error: unknown, { resource, use }: Plan): boolean {
  if (error instanceof RailsUnproven) return error.isToRead;
  if (!(error instanceof RailRefused)) return false;
  const { rail } = error.refused;
  return rail === "opposite_position" || (rail === "touches" && (resource.kind === "operation" || use === "reduce"));
}

/** What the bot's own resting orders were filled since they were looked at last makes what others seem to hold its own. */
function isOwnInQuestion(error: unknown, { use }: Plan): boolean {
  return use === "reduce" || (error instanceof RailRefused && error.refused.rail === "opposite_position");
}

/** `areOwnRead`: what rests of the bot's own as well as what the account holds. */
async function readAgain(deps: ToWrite, caller: Caller, plan: Plan, areOwnRead: boolean): Promise<void> {
  const { account, key, reader } = caller;
  const { market, alsoMarkets = [] } = plan;
  const markets = market === null ? [] : [market, ...alsoMarkets];
  await readAll([
    ...markets.map((each) => readPositionAnew(deps, { account, market: each, purpose: reader })),
    ...(areOwnRead ? markets.map((each) => lookAtOpened(deps, { account, key, reader, market: each })) : []),
  ]);
}

/**
 * Inside the intent's transaction: stores the key's record, unless the order's row holds it, and then what the plan
 * stores. Where nothing is to be sent, the key has its final answer at once.
 */
function storeUnder({ store }: With<"store">, keyRecord: KeyRecord, row: Plan["keyRow"], work: () => Stored): Stored {
  if (row === "in_the_order") return work();
  insertKeyRecord(store, keyRecord);
  const stored = work();
  if (stored.kind === "said") storeAnswer(store, keyRecord, stored);
  return stored;
}

function refuseFor(obstacle: Obstacle | null): void {
  if (obstacle !== null) throw obstacle.error;
}

/**
 * Sends the action once, together with what leaves beside it, and writes down what came back. An outcome that is still
 * open is pursued, beyond the answer's deadline as well.
 */
async function sendAndConclude(
  deps: ToWrite,
  outgoing: Stored & { kind: "outgoing" },
  use: Plan["use"],
  onDisk: Promise<void>,
): Promise<KeyAnswer | null> {
  const beside = (outgoing.beside ?? []).map(async (send) => {
    await onDisk;
    return send();
  });
  const [answer] = await Promise.all([sendOnce(deps, outgoing, use, onDisk), ...beside]);
  return answer;
}

async function sendOnce(
  deps: ToWrite,
  outgoing: Stored & { kind: "outgoing" },
  use: Plan["use"],
  onDisk: Promise<void>,
): Promise<KeyAnswer | null> {
  const { attempt, batch } = outgoing;
  const result = await (batch === undefined
    ? sendAttempt(deps, attempt, use, onDisk)
    : sendBatch(deps, batch, use, onDisk));
  const answeredMs = deps.clock.elapsedMs();
  await deps.point("before_outcome");
  const concluded = await conclude(deps, outgoing, result);
  deps.metrics.passed("answer", deps.clock.elapsedMs() - answeredMs);
  await deps.point("after_outcome");
  if (concluded === "open") await pursueAll(deps, batch ?? [attempt], result.kind === "not_sent" ? null : result);
  return typeof concluded === "string" ? null : concluded;
}

/** Pursues every attempt of an action, with what the answer said of it where that was a refusal in unlisted words. */
async function pursueAll(deps: With<"settling">, attempts: readonly Attempt[], reply: Reply | null): Promise<void> {
  const cloids = attempts.map(({ cloid }) => cloid);
  const pursued = attempts.map(({ id }, index) =>
    deps.settling.pursue(id, reply === null ? null : heardRefusal(replyTo(reply, { index, cloids }))),
  );
  await Promise.all(pursued);
}

async function conclude(
  deps: With<"clock" | "running" | "store">,
  outgoing: Stored & { kind: "outgoing" },
  result: SendResult,
): Promise<KeyAnswer | "settled" | "open"> {
  if (result.kind !== "not_sent") return outgoing.conclude(result);
  // Empty actions that left beside it are something sent: then the intent cannot vanish.
  const hasSent = (outgoing.beside?.length ?? 0) > 0;
  const isSettled = await onceUnlocked(deps.clock, () => !hasSent && giveBack(deps, outgoing.attempt, result));
  return isSettled ? "settled" : "open";
}

/**
 * The number of a market is its place in a list that moves. A write waits between its plan and its intent (for its
 * turn, for prices); where the list has moved meanwhile, or something has contradicted it, the write is planned again.
 */

/**
 * The markets of a plan, with the numbers by which it was made. Empty for a cancel: that goes by the list of the moment
 * at which it is stored.
 */
function listedFor({ markets }: With<"markets">, { isCancel }: Write, plan: Plan): readonly ListedMarket[] {
  const { market, alsoMarkets = [] } = plan;
  if (market === null || isCancel) return [];
  return [...new Set([market, ...alsoMarkets])].map((name) => ({
    name,
    assetId: markets.current()?.byName.get(name)?.assetId ?? null,
    doubt: markets.doubtOf(name),
  }));
}

/** Inside the intent's transaction: throws `PlanOvertaken` where the list is not the one by which the write was planned. */
function requireSameList({ markets }: With<"markets">, planned: readonly ListedMarket[]): void {
  for (const { name, assetId, doubt } of planned) {
    const now = markets.current()?.byName.get(name)?.assetId ?? null;
    if (now !== assetId || (doubt === null && markets.doubtOf(name) !== null))
      throw new PlanOvertaken(`The exchange's list of markets has changed at \`${name}\`.`);
  }
}
