/**
 * What bots leave when all of theirs that could increase is withdrawn: by a narrowing that asks for it, by silence, by the loss of a
 * day. Judged by the exchange's log: from the moment at which it is told to be over, nothing that was sent before it began can increase.
 */
import type { Bot } from "./bots.ts";
import type { Operation } from "./bots-operations.ts";
import { fieldOf } from "./clients.ts";
import type { SentWhen } from "./sent-when.ts";
import type { ToldEvent } from "./tellings.ts";
import { START_MS } from "./template.ts";
import { onlyReduces, placedBy, type WishOf } from "./truth.ts";
import type { Execution, Venue } from "./venue.ts";

export type Withdrawing = {
  venue: Venue;
  bots: readonly Bot[];
  told: readonly ToldEvent[];
  wishOf: WishOf;
  operationOf: (execution: Execution) => Operation | null;
  sentWhen: SentWhen;
  /** Something of what was asked for is not known, and may keep it from being over. */
  hasUnsettled: () => boolean;
};

/** Of a bot, with the times of the run, milliseconds. */
export type Withdrawal = {
  bot: Bot;
  cause: string;
  id: string;
  begunAtMs: number;
  overAtMs: number | null;
  last: string;
};

const CAUSES: ReadonlySet<string> = new Set(["heartbeat_missed", "loss_tripped", "narrowed"]);

export function withdrawalsOf({ bots, told }: Pick<Withdrawing, "bots" | "told">): Withdrawal[] {
  const begun = told.filter(
    ({ type, payload }) => type === "stop.created" && CAUSES.has(fieldOf(payload, "cause") ?? ""),
  );
  return begun.flatMap(({ resourceId: id, payload, atMs: begunAtMs }) => {
    const bot = bots.find(({ holders }) => holders.some(({ by }) => by.key.keyHash === fieldOf(payload, "key_hash")));
    if (bot === undefined) return [];
    const words = told.filter(({ type, resourceId }) => type.startsWith("stop.") && resourceId === id);
    const over = words.find((word) => fieldOf(word.payload, "status") === "stopped");
    const last = words.at(-1)?.payload ?? payload;
    return [{ bot, cause: fieldOf(payload, "cause") ?? "", id, begunAtMs, overAtMs: over?.atMs ?? null, last }];
  });
}

/** One sentence for each thing that could increase, or did, when it was told that nothing can. */
export function auditWithdrawn(run: Withdrawing): string[] {
  return withdrawalsOf(run).flatMap((withdrawal) => {
    if (withdrawal.overAtMs !== null) return auditOver(run, withdrawal, withdrawal.overAtMs);
    return run.hasUnsettled() ? [] : [`${nameOf(withdrawal)} never ended: it is ${withdrawal.last}`];
  });
}

function nameOf({ bot, cause, begunAtMs }: Withdrawal): string {
  return `what bot ${bot.rails.bot} of ${bot.party.account.label} had out at ${begunAtMs} (${cause})`;
}

/** At the end of the run nothing lives of what a bot was told will go. */
export function auditGone(run: Withdrawing, gone: readonly { bot: Bot; atMs: number }[]): string[] {
  if (gone.length === 0 || run.hasUnsettled()) return [];
  return gone.flatMap(({ bot, atMs }) => {
    const before = increasesOf(run, bot).filter(({ sentAtMs }) => sentAtMs < atMs);
    const live = before.filter(({ oid }) => oid !== null && run.venue.isLive(oid));
    return live.map(({ oid }) => `bot ${bot.rails.bot} was told at ${atMs} that order ${oid} goes, and it lives`);
  });
}

export function auditOver(run: Withdrawing, withdrawal: Withdrawal, overAtMs: number): string[] {
  const { venue } = run;
  const name = `${nameOf(withdrawal)} was told to be withdrawn at ${overAtMs}, and then`;
  const user = withdrawal.bot.party.account.tradingAddress;
  const isAfter = (timeMs: number) => timeMs > START_MS + overAtMs;
  const increases = increasesOf(run, withdrawal.bot).filter(({ sentAtMs }) => sentAtMs < withdrawal.begunAtMs);
  const fills = venue.fillsOf(user).filter(({ timeMs }) => isAfter(timeMs));
  return increases.flatMap(({ oid, twapId, takenAtMs }) => {
    const what = oid === null ? `TWAP ${twapId}` : `order ${oid}`;
    const record = oid === null ? null : venue.record(user, oid);
    const isLive = oid !== null && (venue.isLive(oid) || (record !== null && isAfter(record.statusTimestampMs)));
    const isFilled = fills.some((fill) => (oid === null ? fill.twapId === twapId : fill.oid === oid));
    return [
      ...(isAfter(takenAtMs) ? [`${name} the exchange took ${what}`] : []),
      ...(isLive && !isAfter(takenAtMs) ? [`${name} ${what} lived`] : []),
      ...(isFilled ? [`${name} ${what} was filled`] : []),
    ];
  });
}

/** What the exchange has taken of a bot; one of the two numbers is null. */
export type Taken = {
  oid: number | null;
  twapId: number | null;
  isReduction: boolean;
  /** Number of its market, as it was signed; null where that is not looked for. */
  asset: number | null;
  sentAtMs: number;
  takenAtMs: number;
};

/** Of that all that could increase. */
export function increasesOf(run: ToKnowOwn, bot: Bot): Taken[] {
  return takenOf(run, bot).filter(({ isReduction }) => !isReduction);
}

type ToKnowOwn = Pick<Withdrawing, "venue" | "wishOf" | "operationOf" | "sentWhen">;

export function takenOf({ venue, wishOf, operationOf, sentWhen }: ToKnowOwn, bot: Bot): Taken[] {
  const own = new Set<number>();
  const isOf = ({ by }: { by: unknown }) => bot.holders.some((holder) => holder.by === by);
  return venue.log.flatMap((execution): Taken[] => {
    if (execution.signer !== bot.party.agent) return [];
    const when = () => ({ sentAtMs: sentWhen(execution), takenAtMs: execution.atMs });
    const operation = operationOf(execution);
    if (operation?.twapId != null)
      return isOf(operation.wish)
        ? [{ oid: null, twapId: operation.twapId, isReduction: false, asset: null, ...when() }]
        : [];
    return placedBy(execution).flatMap(({ request, replaces, leg }): Taken[] => {
      const wish = wishOf(request);
      const isOwn = replaces === null ? wish !== undefined && isOf(wish) : own.has(replaces);
      if (leg === null || !isOwn) return [];
      own.add(leg.oid);
      return [{ oid: leg.oid, twapId: null, isReduction: onlyReduces(request), asset: request.a, ...when() }];
    });
  });
}
