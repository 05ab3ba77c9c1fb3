/**
 * What a refusal says of the account was so at the exchange: while it was asked for, or so long before as a server may be behind. A
 * refusal harms nobody, and still makes a bot go on from what it says.
 */
import type { Address } from "../../src/paper/engine/state.ts";
import type { Audited } from "./auditor.ts";
import type { Turn } from "./clients.ts";
import { START_MS } from "./template.ts";

const NOTHING_HELD = /^The account holds nothing of (\S+) that could be closed/;

type Refusing = Pick<Audited, "dialogues" | "positionsBehindMs" | "venue">;

export function auditRefusals(run: Refusing): string[] {
  return run.dialogues.flatMap(({ wish, turns }) =>
    turns.flatMap((turn) => {
      const coin = NOTHING_HELD.exec(messageOf(turn))?.[1];
      if (coin === undefined || coin.includes("/")) return [];
      const span = { fromMs: turn.askedAtMs - run.positionsBehindMs, toMs: turn.endedAtMs ?? turn.askedAtMs };
      const held = heldWithin(run, { user: wish.party.account.tradingAddress, coin }, span);
      if (held.includes(0n)) return [];
      return [`${wish.key} was told at ${span.toMs} that nothing of ${coin} is held, and it was ${held.join(", ")}`];
    }),
  );
}

function messageOf({ outcome }: Turn): string {
  if (outcome?.kind !== "answer" || outcome.status < 400) return "";
  const said: { error?: { message?: string } } = JSON.parse(outcome.body);
  return said.error?.message ?? "";
}

type Holding = { user: Address; coin: string };

/** All that an account has held of a perpetual within some time, milliseconds of the run; what it held at its begin among it. Signed, 10^-8. */
function heldWithin(
  { venue }: Refusing,
  { user, coin }: Holding,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): bigint[] {
  const all = venue.fillsOf(user).flatMap(({ coin: of, timeMs, startPosition, size, isBuy }) => {
    return of === coin ? [{ atMs: timeMs - START_MS, held: startPosition + (isBuy ? size : -size) }] : [];
  });
  const before = all.findLast(({ atMs }) => atMs <= fromMs)?.held ?? 0n;
  return [before, ...all.flatMap(({ atMs, held }) => (atMs > fromMs && atMs <= toMs ? [held] : []))];
}
