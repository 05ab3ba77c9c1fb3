/**
 * What a refusal says of an account or a bot was so at the exchange: while it was asked for, or so long before as a server may be behind.
 * A refusal harms nobody, and still makes a bot go on from what it says.
 */
import type { Address } from "../../src/paper/engine/state.ts";
import type { Audited } from "./auditor.ts";
import type { Bot } from "./bots.ts";
import type { Turn } from "./clients.ts";
import { magnitude, ownWithin } from "./own-net.ts";
import { STATE_TOLD_FOR_MS } from "./own-writes.ts";
import { START_MS } from "./template.ts";
import { units } from "./truth.ts";
import type { Wish } from "./wishes.ts";
import type { Withdrawing } from "./withdrawn.ts";

export type Refusing = Pick<Audited, "dialogues" | "positionsBehindMs" | "venue" | "wrongly">;
type Span = { fromMs: number; toMs: number };
/** What was told to whom, in a time in which it has to have been so. */
type Told = { wish: Wish; words: string; span: Span };

const NOTHING_HELD = /^At \S+ the account held nothing of (\S+) that could be closed/;
const NOTHING_OWN = /^At \S+ the account held (\S+), and this key's bot holds nothing of (\S+) that could be closed/;
const OTHER_SIDE =
  /Rail opposite_position of bot \S+: limit others hold the other side of (\S+), use (buy|sell) beyond/;
const OWN_LIMIT = /Rail touches of bot \S+: limit ([\d.]+) (\S+) of its own/;

const FILLS_READ_EVERY_MS = 35_000;

/** A state that was read stands for so long, milliseconds, and its reading may take a moment. */
const STANDS_MS = 3_000;

export function auditRefusals(run: Refusing): string[] {
  return refusalsIn(run).flatMap((told) => {
    const { wish, words, span } = told;
    const coin = NOTHING_HELD.exec(words)?.[1];
    if (coin === undefined || !isPerpetual(coin)) return [];
    const held = heldWithin(run, { user: wish.party.account.tradingAddress, coin }, heldSpan(run, told));
    return held.includes(0n) ? [] : [`${wish.key} was told at ${span.toMs} "${words}", and it held ${held.join(", ")}`];
  });
}

/** The same of what a bot is told of its own, and of what others hold. */
export function auditBotsRefusals(run: Refusing & Withdrawing): string[] {
  return refusalsIn(run).flatMap((told) => {
    const bot = run.bots.find(({ holders }) => holders.some(({ by }) => by === told.wish.by));
    const fault = bot === undefined ? null : faultIn(run, bot, told);
    return fault === null ? [] : [`${told.wish.key} was told at ${told.span.toMs} "${told.words}", and ${fault}`];
  });
}

function faultIn(run: Refusing & Withdrawing, bot: Bot, told: Told): string | null {
  const { wish, words, span } = told;
  const user = wish.party.account.tradingAddress;
  const ownOf = (coin: string) => ownWithin(run, bot, { coin, ...span });
  const heldOf = (coin: string) => heldWithin(run, { user, coin }, heldSpan(run, told));
  const [, held, ofNothing] = NOTHING_OWN.exec(words) ?? [];
  if (held !== undefined && ofNothing !== undefined && isPerpetual(ofNothing)) {
    const sign = held.startsWith("-") ? -1n : 1n;
    const isSo =
      heldOf(ofNothing).includes(sign * units(held.replace("-", ""))) &&
      ownOf(ofNothing).some((own) => own * sign <= 0n);
    return isSo ? null : `the account held ${heldOf(ofNothing).join(", ")}, and the bot ${ownOf(ofNothing).join(", ")}`;
  }
  const [, ofOthers, side] = OTHER_SIDE.exec(words) ?? [];
  if (ofOthers !== undefined && isPerpetual(ofOthers)) {
    const others = heldOf(ofOthers).flatMap((all) => ownOf(ofOthers).map((own) => all - own));
    const isSo = others.some((value) => (side === "buy" ? value < 0n : value > 0n));
    return isSo ? null : `others held ${[...new Set(others)].join(", ")}`;
  }
  const [, limit, ofOwn] = OWN_LIMIT.exec(words) ?? [];
  if (limit === undefined || ofOwn === undefined || !isPerpetual(ofOwn)) return null;
  // Without a feed fills of a TWAP, or of a trigger that fired, are read so often.
  const own = ownWithin(run, bot, { coin: ofOwn, fromMs: span.fromMs - FILLS_READ_EVERY_MS, toMs: span.toMs });
  return own.some((value) => magnitude(value) >= units(limit)) ? null : `the bot held ${own.join(", ")}`;
}

function refusalsIn({ dialogues, positionsBehindMs, wrongly }: Refusing): Told[] {
  return dialogues.flatMap(({ wish, turns }) => {
    const given = wrongly.statesGivenTo(wish.party.account.tradingAddress);
    return turns.flatMap((turn) => {
      const words = messageOf(turn);
      const toMs = turn.endedAtMs ?? turn.askedAtMs;
      // A state names no account.
      const isOfAnother = given.some((atMs) => atMs >= turn.askedAtMs - STATE_TOLD_FOR_MS && atMs <= toMs);
      const span = { fromMs: turn.askedAtMs - positionsBehindMs - STANDS_MS, toMs };
      return words === null || isOfAnother ? [] : [{ wish, words, span }];
    });
  });
}

/** Where a time is named it was so by then, or so long before as a server may be behind; what came after it does not count. */
function heldSpan({ positionsBehindMs }: Refusing, { words, span }: Told): Span {
  const named = /^At (\S+Z) /.exec(words)?.[1];
  if (named === undefined) return span;
  const toMs = Date.parse(named) - START_MS;
  // What came in the same millisecond came before it or after.
  return { fromMs: toMs - positionsBehindMs - 1, toMs };
}

function messageOf({ outcome }: Turn): string | null {
  if (outcome?.kind !== "answer" || outcome.status < 400) return null;
  const said: { error?: { message?: string } } = JSON.parse(outcome.body);
  return said.error?.message ?? null;
}

function isPerpetual(market: string): boolean {
  return !market.includes("/") && !market.startsWith("@");
}

/** All that an account has held of a perpetual within some time, milliseconds of the run; what it held at its begin among it. Signed, 10^-8. */
function heldWithin(
  { venue }: Refusing,
  { user, coin }: { user: Address; coin: string },
  { fromMs, toMs }: Span,
): bigint[] {
  const all = venue.fillsOf(user).flatMap(({ coin: of, timeMs, startPosition, size, isBuy }) => {
    return of === coin ? [{ atMs: timeMs - START_MS, held: startPosition + (isBuy ? size : -size) }] : [];
  });
  const before = all.findLast(({ atMs }) => atMs <= fromMs)?.held ?? 0n;
  return [before, ...all.flatMap(({ atMs, held }) => (atMs > fromMs && atMs <= toMs ? [held] : []))];
}
