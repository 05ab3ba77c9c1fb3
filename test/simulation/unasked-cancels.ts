/**
 * Cancels of what bots have placed that nobody has asked for: what withdraws their increases leaves what only reduces, and what came
 * after it.
 */
import type { Bot } from "./bots.ts";
import { ownWithin } from "./own-net.ts";
import type { Party } from "./template.ts";
import { onlyReduces, placedBy } from "./truth.ts";
import type { Execution } from "./venue.ts";
import type { Wish } from "./wishes.ts";
import { type Withdrawing, withdrawalsOf } from "./withdrawn.ts";

export type Unasked = Withdrawing & {
  wishes: readonly Wish[];
  stop: { party: Wish["party"] } | null;
};

/** These cancel what nobody names. */
export const SWEEPING: ReadonlySet<Wish["kind"]> = new Set([
  "cancel_all",
  "close",
  "trade",
  "trade_cancel",
  "trade_modify",
]);

export function auditUnasked(run: Unasked): string[] {
  const judged = run.bots.filter(({ party }) => {
    const isSwept = run.wishes.some((wish) => wish.party === party && SWEEPING.has(wish.kind));
    return !isSwept && run.stop?.party !== party;
  });
  return judged.flatMap((bot) => auditBot(run, bot));
}

/** `number`: of the wish that placed it. */
type Placed = { oid: number; number: number; isReduction: boolean; sentAtMs: number };

function auditBot(run: Unasked, bot: Bot): string[] {
  const withdrawals = withdrawalsOf(run).filter((each) => each.bot === bot);
  const asked = new Set(run.wishes.flatMap(({ target }) => (target === null ? [] : [target])));
  const placed = placedOf(run, bot).filter(({ number }) => !asked.has(number));
  return run.venue.log.flatMap((execution) => {
    if (execution.signer !== bot.party.agent) return [];
    const named = new Set(namedIn(run, bot.party, execution));
    const sentAtMs = run.sentWhen(execution);
    return placed
      .filter(({ oid }) => named.has(oid))
      .filter((each) => !isIdle(run, bot, { oid: each.oid, sentAtMs }))
      .filter(
        (each) => each.isReduction || !withdrawals.some(({ begunAtMs }) => isCovered(each, { begunAtMs, sentAtMs })),
      )
      .map(({ oid, isReduction }) => {
        const what = isReduction ? "which only reduces" : "which came after all that was withdrawn";
        return `order ${oid} of bot ${bot.rails.bot}, ${what}, was to be canceled at ${sentAtMs}, and nobody had asked for it`;
      });
  });
}

/** A trigger that has protected nothing of its bot for so long goes before it closes what another holds, milliseconds. */
const TRIGGER_IDLE_FOR_MS = 30_000;
/** The same of an order that only reduces and rests, or is a trigger that has fired, milliseconds. */
const RESTING_IDLE_FOR_MS = 10_000;

function isIdle(run: Unasked, bot: Bot, { oid, sentAtMs }: { oid: number; sentAtMs: number }): boolean {
  const record = run.venue.record(bot.party.account.tradingAddress, oid);
  if (record?.order.reduceOnly !== true) return false;
  const { coin, isBuy, trigger, isTriggered } = record.order;
  const idleForMs = trigger === null || isTriggered ? RESTING_IDLE_FOR_MS : TRIGGER_IDLE_FOR_MS;
  const held = ownWithin(run, bot, { coin, fromMs: sentAtMs - idleForMs, toMs: sentAtMs });
  return held.every((net) => (isBuy ? net >= 0n : net <= 0n));
}

/** Begun when it was out, and before the cancel was sent. */
function isCovered(placed: Placed, { begunAtMs, sentAtMs }: { begunAtMs: number; sentAtMs: number }): boolean {
  return placed.sentAtMs <= begunAtMs && begunAtMs <= sentAtMs;
}

function placedOf({ venue, wishOf, sentWhen }: Unasked, bot: Bot): Placed[] {
  return venue.log.flatMap((execution) =>
    placedBy(execution).flatMap(({ request, replaces, leg }): Placed[] => {
      const wish = wishOf(request);
      if (leg === null || replaces !== null || wish?.kind !== "place") return [];
      if (!bot.holders.some(({ by }) => by === wish.by)) return [];
      return [{ oid: leg.oid, number: wish.number, isReduction: onlyReduces(request), sentAtMs: sentWhen(execution) }];
    }),
  );
}

/** Native ids of the orders of a party that an action names to be canceled. */
export function namedIn(
  { venue }: Pick<Unasked, "venue">,
  { account }: Party,
  { input: { action } }: Execution,
): number[] {
  if (action.type === "cancel") return action.cancels.map(({ o }) => o);
  if (action.type !== "cancelByCloid") return [];
  const { cloids } = venue.account(account.tradingAddress);
  return action.cancels.flatMap(({ cloid }) => cloids.get(cloid) ?? []);
}
