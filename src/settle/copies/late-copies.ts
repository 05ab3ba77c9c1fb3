/**
 * What a server refused before it had come to the action's number is told as refused, and another copy of it may be executed all
 * the same, until it has expired. What a copy has done is found by this, where no feed and no list tells it before.
 */
import type { Account } from "../../core/account.ts";
import { copiesSinceMs, endsAtMs } from "../../core/attempt.ts";
import type { Settling, With } from "../../deps.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listOpenAttempts } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid } from "../../store/legs.ts";
import {
  listAbsentByAnswer,
  listMaybeCopied,
  listUnusedNumbers,
  sealUnused,
  type UnusedNumber,
} from "../../store/unused-numbers.ts";
import { parseOrderStatus } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { parseTwapHistory } from "../../wire/answer/twap.ts";
import { isAnother, noteReported } from "../feed/known-leg.ts";
import { overruleTwap } from "../operation/operation.ts";
import { ofItsTime } from "../operation/twap-terms.ts";

/** `shown`: a copy was executed, and is told. `failed`: the exchange could not be asked. `silent` proves nothing. */
export type CopySight = "shown" | "silent" | "failed";

type ToFindCopies = With<"clock" | "exchange" | "log" | "markets" | "store">;
type ToLookLate = ToFindCopies & With<"feeds">;

export function listUnused({ store, exchange }: With<"exchange" | "store">, accountId: string): UnusedNumber[] {
  return listUnusedNumbers(store, accountId, copiesSinceMs(exchange.nowMs()));
}

/** Asks the exchange once. What it shows is told, and goes as all that is alive does. */
export function lookForCopy(
  world: ToFindCopies,
  account: Account,
  refused: UnusedNumber,
  purpose: "cancel" | "settle",
): Promise<CopySight> {
  const asking = { user: account.tradingAddress, purpose };
  return refused.twap === null ? lookForOrder(world, refused, asking) : lookForTwap(world, refused, asking);
}

function isNumberUsed({ seal }: UnusedNumber["attempt"]): boolean {
  return seal === "nonce_taken" || seal === "noop";
}

type Asking = { user: string; purpose: "cancel" | "settle" };

async function lookForOrder(
  world: ToFindCopies,
  { attempt }: UnusedNumber,
  { user, purpose }: Asking,
): Promise<CopySight> {
  const { cloid } = attempt;
  if (cloid === null) throw new Error("bug: an order without a client order id");
  const request = { type: "orderStatus", user, oid: cloid };
  const outcome = await world.exchange.info(request, { purpose });
  const answer = outcome.kind === "ok" ? parseOrderStatus(outcome.json) : null;
  if (answer === null || answer.kind === "unreadable") return "failed";
  const leg = findLegByCloid(world.store, cloid);
  if (answer.kind !== "order" || leg === null || isAnother(world, leg, answer.order)) return "silent";
  // What was tried and refused has a record of just that.
  if (isNumberUsed(attempt) && statusMeaning(answer.status) === "rejected") return "silent";
  noteReported(world, leg, answer.order.oid);
  return "shown";
}

/** It has no id of ours: it is the only one of its time, as it was asked for, that no operation has, while none is open. */
async function lookForTwap(
  world: ToFindCopies,
  { attempt }: UnusedNumber,
  { user, purpose }: Asking,
): Promise<CopySight> {
  const isAnyOpen = listOpenAttempts(world.store).some(
    ({ kind, accountId }) => kind === "twap" && accountId === attempt.accountId,
  );
  if (isAnyOpen) return "failed";
  const request = { type: "twapHistory", user };
  const outcome = await world.exchange.info(request, { purpose });
  const records = outcome.kind === "ok" ? parseTwapHistory(outcome.json) : null;
  if (records === null) return "failed";
  const [only, ...others] = ofItsTime(world, attempt, records);
  if (only === undefined || others.length > 0) return "silent";
  overruleTwap(world, attempt, only);
  return "shown";
}

export type LateCopies = {
  /** Looks for everything that was refused so and whose life has ended. */
  look(): Promise<void>;
};

/** Between two looks, milliseconds: servers that are behind lack it, and nobody is told anything by what they lack. */
const PAUSES_MS = [2_500, 2_500, 5_000, 15_000, 30_000, 60_000] as const;
/** They are looked for this often, milliseconds, once it is their time. */
export const COPIES_EVERY_MS = 3_000;
/** Who could not be asked for is asked for in the next round, after all who wait by now. */
const BEHIND_THE_OTHERS_MS = 1;
/** An account whose every order is refused would spend its weight on this. */
const MAX_AT_ONCE = 10;

/** An order of which a copy was executed is open again, and is pursued at once. */
export function openLateCopies(world: ToLookLate, settling: Pick<Settling, "look" | "pursue">): LateCopies {
  /** By attempt: silent looks, and since when the next is due. */
  const turns = new Map<number, { looks: number; dueElapsedMs: number }>();

  async function lookFor(account: Account, refused: UnusedNumber): Promise<void> {
    const { attempt, order } = refused;
    const sight = await lookForCopy(world, account, refused, "settle");
    if (sight === "shown" && order !== null) void settling.pursue(attempt.id);
    // Of what an empty action has said nobody asks its number again: its record says what it is.
    if (sight === "shown" && order !== null && attempt.seal === "noop") void settling.look(order.id, "settle");
    const { looks: before } = turnOf(refused);
    const looks = sight === "silent" ? before + 1 : before;
    // No copy can come of a number that is used: it is looked for once, in case the word that said so was another's.
    const isLast = isNumberUsed(attempt) && sight === "silent";
    const pauseMs = isLast ? undefined : sight === "silent" ? PAUSES_MS[before] : BEHIND_THE_OTHERS_MS;
    turns.set(attempt.id, { looks, dueElapsedMs: world.clock.elapsedMs() + (pauseMs ?? Number.POSITIVE_INFINITY) });
    if (pauseMs === undefined && !isLast) inTransaction(world.store, () => sealUnused(world.store, attempt, "expiry"));
  }

  /** Whoever is met for the first time is due from now on. */
  function turnOf({ attempt }: UnusedNumber) {
    const known = turns.get(attempt.id) ?? { looks: 0, dueElapsedMs: world.clock.elapsedMs() };
    turns.set(attempt.id, known);
    return known;
  }

  /** A feed that is live would have told of the order. */
  function absentUnheard({ id, tradingAddress }: Account, sinceMs: number): UnusedNumber[] {
    return world.feeds.isLive(tradingAddress) ? [] : listAbsentByAnswer(world.store, id, sinceMs);
  }

  return {
    async look() {
      const sinceMs = copiesSinceMs(world.exchange.nowMs());
      const listed = listAccounts(world.store).flatMap((account) =>
        [...listMaybeCopied(world.store, account.id, sinceMs), ...absentUnheard(account, sinceMs)].map((refused) => ({
          account,
          refused,
        })),
      );
      const ids = new Set(listed.map(({ refused }) => refused.attempt.id));
      for (const id of turns.keys()) if (!ids.has(id)) turns.delete(id);
      const [exchangeMs, elapsedMs] = [world.exchange.nowMs(), world.clock.elapsedMs()];
      // Whoever has waited longest goes first: ten that cannot be asked for must not keep the rest from their turn.
      const due = listed
        .filter(({ refused }) => exchangeMs > endsAtMs(refused.attempt))
        .map((one) => ({ ...one, dueElapsedMs: turnOf(one.refused).dueElapsedMs }))
        .filter(({ dueElapsedMs }) => dueElapsedMs <= elapsedMs)
        .sort((a, b) => a.dueElapsedMs - b.dueElapsedMs);
      await Promise.all(due.slice(0, MAX_AT_ONCE).map(({ account, refused }) => lookFor(account, refused)));
    },
  };
}
